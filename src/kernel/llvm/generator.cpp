// The generator: code → IR → an object file. The only files that know LLVM are in this folder; they
// make a module that is loaded when a model is first compiled.
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>
#include <stdexcept>

#include "kernel/llvm/dense.hpp"
#include "kernel/llvm/emit.hpp"

namespace lacon::kernel {

namespace {

void initialize() {
    static std::once_flag once;
    std::call_once(once, [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        // The order of instructions is chosen here; LLVM's scheduler makes long blocks spill
        // (measured: 40 → 22 ns).
        const char* arguments[] = {"lacon", "-enable-misched=false"};
        llvm::cl::ParseCommandLineOptions(2, arguments);
    });
}

struct Machine {
    const char *cpu, *features;
};

Machine machine_of(Isa isa) {
    switch (isa) {
        case Isa::avx512: return {"x86-64-v4", ""};
        case Isa::avx2: return {"x86-64-v3", ""};
        case Isa::plain: break;
    }
#ifdef __aarch64__
    return {"generic", "+neon"};
#else
    return {"x86-64", ""};
#endif
}

std::unique_ptr<llvm::TargetMachine> target_machine(const Request& request) {
    const std::string triple = llvm::sys::getDefaultTargetTriple();
    std::string reason;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, reason);
    if (!target) throw std::runtime_error(reason);
    const Machine machine = machine_of(request.isa);
    llvm::TargetOptions options;
    const bool quick = request.effort == Effort::quick;
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        triple, machine.cpu, machine.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
        quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Less));
}

/// Gives the doubles of workspace.
std::size_t emit_straight(const Request& request, llvm::Module& module) {
    constexpr std::size_t longest_part = 1500;
    const Code code = share_reciprocals(request.code);
    const Schedule plan = schedule(code, has_fma(request.isa), longest_part);
    emit({code, request.isa, request.lanes, request.effort}, plan, module);
    return plan.work;
}

}  // namespace

Object generate(const Request& request) {
    initialize();
    llvm::LLVMContext context;
    llvm::Module module("lacon", context);
    const auto machine = target_machine(request);
    module.setTargetTriple(machine->getTargetTriple().str());
    module.setDataLayout(machine->createDataLayout());
    module.setPICLevel(llvm::PICLevel::BigPIC);
    const std::size_t work = request.form == Form::dense ? 0 : emit_straight(request, module);
    if (request.form == Form::dense) emit_dense(request, module);

    llvm::SmallVector<char, 0> buffer;
    llvm::raw_svector_ostream stream(buffer);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile,
                                     true))
        throw std::runtime_error("LLVM makes no object files for this machine");
    passes.run(module);
    return {{buffer.begin(), buffer.end()}, work};
}

}  // namespace lacon::kernel

extern "C" {
__attribute__((visibility("default"))) extern const std::uint64_t lacon_generate_version;
const std::uint64_t lacon_generate_version = lacon::kernel::generator_version;

__attribute__((visibility("default"))) void lacon_generate(const lacon::kernel::Request& request,
                                                           lacon::kernel::Object& object) {
    object = lacon::kernel::generate(request);
}
}
