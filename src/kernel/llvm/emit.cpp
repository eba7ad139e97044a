// Turns a schedule into LLVM IR. Each part becomes one function; values that later parts need go
// through the workspace. Sums of series products come first in a part, several to a loop.
#include "kernel/llvm/emit.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

namespace lacon::kernel {

Numbers::Numbers(llvm::IRBuilder<>& builder, Isa i, std::size_t l) : ir(builder), isa(i), lanes(l) {
    number_ = ir.getDoubleTy();
    integer_ = ir.getInt64Ty();
    if (lanes > 1) {
        number_ = llvm::FixedVectorType::get(number_, static_cast<unsigned>(lanes));
        integer_ = llvm::FixedVectorType::get(integer_, static_cast<unsigned>(lanes));
    }
}

llvm::Value* Numbers::constant(double x) const {
    return llvm::ConstantFP::get(number_, x);
}

llvm::Value* Numbers::bits(std::int64_t x) const {
    return llvm::ConstantInt::getSigned(integer_, x);
}

llvm::Value* Numbers::no() const {
    llvm::Type* truth = ir.getInt1Ty();
    if (lanes > 1) truth = llvm::FixedVectorType::get(truth, static_cast<unsigned>(lanes));
    return llvm::Constant::getNullValue(truth);
}

llvm::Value* Numbers::all(llvm::Value* x) const {
    return lanes > 1 ? ir.CreateVectorSplat(static_cast<unsigned>(lanes), x) : x;
}

llvm::Value* Numbers::fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) const {
    if (!has_fma(isa)) return ir.CreateFAdd(ir.CreateFMul(a, b), c);
    return ir.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

llvm::Value* Numbers::unary(llvm::Intrinsic::ID which, llvm::Value* x) const {
    return ir.CreateUnaryIntrinsic(which, x);
}

llvm::Value* Numbers::call(Function function, llvm::Value* table, llvm::Value* x,
                           llvm::Value* y) const {
    const std::size_t width = std::min(lanes, native_lanes(isa)), pieces = lanes / width;
    llvm::Type* piece = ir.getDoubleTy();
    if (width > 1) piece = llvm::FixedVectorType::get(piece, static_cast<unsigned>(width));
    std::vector<llvm::Type*> types(y ? 2 : 1, piece);
    const auto place =
        static_cast<std::size_t>(function) * 4 + static_cast<std::size_t>(std::countr_zero(width));
    llvm::Value* address =
        ir.CreateLoad(ir.getPtrTy(), ir.CreateConstInBoundsGEP1_64(ir.getPtrTy(), table, place));
    llvm::FunctionType* type = llvm::FunctionType::get(piece, types, false);
    const auto part = [&](llvm::Value* all, std::size_t p) {
        if (pieces == 1) return all;
        std::vector<int> mask;
        for (std::size_t i = 0; i < width; ++i) mask.push_back(static_cast<int>(p * width + i));
        return ir.CreateShuffleVector(all, mask);
    };
    llvm::Value* result = nullptr;
    for (std::size_t p = 0; p < pieces; ++p) {
        std::vector<llvm::Value*> arguments{part(x, p)};
        if (y) arguments.push_back(part(y, p));
        llvm::Value* value = ir.CreateCall(type, address, arguments);
        if (pieces == 1) return value;
        // Widen the piece and put it in its place.
        std::vector<int> wide(lanes, -1), mask;
        for (std::size_t i = 0; i < width; ++i) wide[p * width + i] = static_cast<int>(i);
        llvm::Value* widened = ir.CreateShuffleVector(value, wide);
        for (std::size_t i = 0; i < lanes; ++i)
            mask.push_back(static_cast<int>(i / width == p ? lanes + i : i));
        result = result ? ir.CreateShuffleVector(result, widened, mask) : widened;
    }
    return result;
}

namespace {

class Part {
public:
    Part(const Request& request, const Schedule& schedule, llvm::Function& function,
         llvm::IRBuilder<>& builder)
        : code_(request.code),
          schedule_(schedule),
          f_(function),
          n_(builder, request.isa, request.lanes),
          ir_(builder),
          series_(n_, code_.series, function.getArg(4), function.getArg(5)) {
        for (const Series::Store& store : code_.series.stores) stores_.emplace(store.value, &store);
    }

    /// The instructions of one part; outputs that it computes are stored at once.
    void run(const std::vector<Step>& steps,
             const std::unordered_map<std::uint32_t, std::vector<std::size_t>>& outputs) {
        beyond_ = n_.no();
        sum_products(steps);
        take_sines_together(steps);
        for (const Step& step : steps) {
            compute(step);
            keep(step.id);
            if (schedule_.kept[step.id] >= 0)
                store(2, static_cast<std::size_t>(schedule_.kept[step.id]), number(step.id));
            if (const auto found = outputs.find(step.id); found != outputs.end())
                for (const std::size_t o : found->second) store(1, o, number(step.id));
        }
    }
    void store_leaves() {  // what is given out or kept as it is
        std::unordered_set<std::uint32_t> kept;
        for (const Series::Store& store : code_.series.stores)
            if (is_leaf(code_[store.value].op) && kept.insert(store.value).second)
                keep(store.value);
        for (std::size_t o = 0; o < code_.outputs.size(); ++o)
            if (is_leaf(code_[code_.outputs[o]].op)) store(1, o, number(code_.outputs[o]));
    }
    void store_range(bool first) {
        const std::size_t place = code_.outputs.size();
        if (first) store(1, place, n_.constant(0.0));
        if (!any_sine_) return;
        store(1, place, ir_.CreateSelect(beyond_, n_.constant(1.0), load(1, place)));
    }

private:
    llvm::Value* place(unsigned argument, std::size_t i) {
        return ir_.CreateConstInBoundsGEP1_64(ir_.getDoubleTy(), f_.getArg(argument), i * n_.lanes);
    }
    llvm::Value* load(llvm::Value* from) {
        return ir_.CreateAlignedLoad(n_.type(), from, llvm::Align(8));
    }
    llvm::Value* load(unsigned argument, std::size_t i) { return load(place(argument, i)); }
    void store(llvm::Value* to, llvm::Value* value) {
        ir_.CreateAlignedStore(value, to, llvm::Align(8));
    }
    void store(unsigned argument, std::size_t i, llvm::Value* value) {
        store(place(argument, i), value);
    }

    llvm::Value* number(std::uint32_t id) {
        if (const auto found = numbers_.find(id); found != numbers_.end()) return found->second;
        const Node& node = code_[id];
        llvm::Value* value = nullptr;
        if (node.op == Do::constant) return n_.constant(node.value);
        if (node.op == Do::input) value = load(0, node.a);
        else if (node.op == Do::order)
            value = n_.all(ir_.CreateUIToFP(ir_.CreateAdd(f_.getArg(5), ir_.getInt64(node.a)),
                                            ir_.getDoubleTy()));
        else if (node.op == Do::coefficient) value = load(series_.forwards(node.a, node.b));
        else if (node.op == Do::item) value = load(series_.item(node.a));
        else if (const auto found = truths_.find(id); found != truths_.end())
            value = ir_.CreateSelect(found->second, n_.constant(1.0), n_.constant(0.0));
        else value = load(2, static_cast<std::size_t>(schedule_.kept[id]));
        return numbers_[id] = value;
    }
    llvm::Value* truth(std::uint32_t id) {
        if (const auto found = truths_.find(id); found != truths_.end()) return found->second;
        return truths_[id] = ir_.CreateFCmpUNE(number(id), n_.constant(0.0));
    }
    const Numbers::SinCos& sin_cos(std::uint32_t id) {
        if (const auto found = sines_.find(id); found != sines_.end()) return found->second;
        const Numbers::SinCos both = n_.sin_cos(number(id));
        beyond_ = ir_.CreateOr(beyond_, both.beyond);
        any_sine_ = true;
        return sines_[id] = both;
    }

    void compute(const Step& step) {
        const auto x = [&](int i) { return number(step.operands[i]); };
        switch (step.op) {
            case Do::add: numbers_[step.id] = ir_.CreateFAdd(x(0), x(1)); return;
            case Do::sub: numbers_[step.id] = ir_.CreateFSub(x(0), x(1)); return;
            case Do::mul: numbers_[step.id] = ir_.CreateFMul(x(0), x(1)); return;
            case Do::div: numbers_[step.id] = ir_.CreateFDiv(x(0), x(1)); return;
            case Do::fma: {
                llvm::Value* a = step.minus_product ? ir_.CreateFNeg(x(0)) : x(0);
                numbers_[step.id] =
                    n_.fma(a, x(1), step.minus_addend ? ir_.CreateFNeg(x(2)) : x(2));
                return;
            }
            case Do::neg: numbers_[step.id] = ir_.CreateFNeg(x(0)); return;
            case Do::sqrt: numbers_[step.id] = n_.unary(llvm::Intrinsic::sqrt, x(0)); return;
            case Do::abs: numbers_[step.id] = n_.unary(llvm::Intrinsic::fabs, x(0)); return;
            case Do::less: truths_[step.id] = ir_.CreateFCmpOLT(x(0), x(1)); return;
            case Do::less_equal: truths_[step.id] = ir_.CreateFCmpOLE(x(0), x(1)); return;
            case Do::equal: truths_[step.id] = ir_.CreateFCmpOEQ(x(0), x(1)); return;
            case Do::both:
                truths_[step.id] = ir_.CreateAnd(truth(step.operands[0]), truth(step.operands[1]));
                return;
            case Do::either:
                truths_[step.id] = ir_.CreateOr(truth(step.operands[0]), truth(step.operands[1]));
                return;
            case Do::negate: truths_[step.id] = ir_.CreateNot(truth(step.operands[0])); return;
            case Do::select:
                numbers_[step.id] = ir_.CreateSelect(truth(step.operands[0]), x(1), x(2));
                return;
            case Do::sin: numbers_[step.id] = sin_cos(step.operands[0]).sin; return;
            case Do::cos: numbers_[step.id] = sin_cos(step.operands[0]).cos; return;
            case Do::call:
                numbers_[step.id] = n_.call(step.function, f_.getArg(3), x(0),
                                            is_binary(step.function) ? x(1) : nullptr);
                return;
            case Do::inner:  // have been summed up
            case Do::weighted:
            case Do::item:
            case Do::constant:
            case Do::input:
            case Do::order:
            case Do::coefficient: return;
        }
    }

    /// In code for one number: the sines and cosines of inputs side by side in a register, to the
    /// same bits.
    void take_sines_together(const std::vector<Step>& steps) {
        const std::size_t width = native_lanes(n_.isa);
        if (n_.lanes > 1 || width == 1) return;
        std::vector<std::uint32_t> angles;
        for (const Step& step : steps)
            if ((step.op == Do::sin || step.op == Do::cos) &&
                code_[step.operands[0]].op == Do::input &&
                std::find(angles.begin(), angles.end(), step.operands[0]) == angles.end())
                angles.push_back(step.operands[0]);
        const Numbers wide(ir_, n_.isa, width);
        for (std::size_t first = 0; first + 1 < angles.size(); first += width) {
            const auto some = std::span(angles).subspan(first);
            const std::size_t count = std::min(width, some.size());
            llvm::Value* x = wide.constant(0.0);
            for (std::size_t l = 0; l < count; ++l)
                x = ir_.CreateInsertElement(x, number(some[l]), l);
            const Numbers::SinCos all = wide.sin_cos(x);
            for (std::size_t l = 0; l < count; ++l) {
                const auto one = [&](llvm::Value* of) { return ir_.CreateExtractElement(of, l); };
                sines_[some[l]] = {one(all.sin), one(all.cos), one(all.beyond)};
                beyond_ = ir_.CreateOr(beyond_, sines_[some[l]].beyond);
            }
            any_sine_ = true;
        }
    }

    /// Stores what is kept of series.
    void keep(std::uint32_t id) {
        const auto [begin, end] = stores_.equal_range(id);
        for (auto found = begin; found != end; ++found) {
            const Series::Store& s = *found->second;
            store(s.backwards ? series_.backwards(s.slot, s.shift)
                              : series_.forwards(s.slot, s.shift),
                  number(id));
        }
    }

    /// All sums of products of a part, before anything else: they take from memory only. As many
    /// share a loop as there are registers for.
    void sum_products(const std::vector<Step>& steps) {
        std::vector<std::uint32_t> ids;
        for (const Step& step : steps)
            if (step.op == Do::inner || step.op == Do::weighted) ids.push_back(step.id);
        const bool by_shift = code_.series.side_by_side > 0;
        std::stable_sort(ids.begin(), ids.end(), [&](std::uint32_t x, std::uint32_t y) {
            return by_shift && code_[x].c != code_[y].c ? code_[x].c < code_[y].c
                                                        : code_[x].a < code_[y].a;
        });
        const std::size_t group = series_.sums_at_once();
        for (std::size_t i = 0, end = 0; i < ids.size(); i = end) {
            std::vector<SeriesAccess::Product> products;
            end = std::min(i + group, ids.size());
            while (by_shift && code_[ids[end - 1]].c != code_[ids[i]].c) --end;
            for (std::size_t j = i; j < end; ++j) {
                const Node& node = code_[ids[j]];
                products.push_back({node.a, node.b, node.c, node.op == Do::weighted});
            }
            const std::vector<llvm::Value*> sums = series_.sum(products);
            for (std::size_t j = i; j < end; ++j) numbers_[ids[j]] = sums[j - i];
        }
    }

    const Code& code_;
    const Schedule& schedule_;
    llvm::Function& f_;
    Numbers n_;
    llvm::IRBuilder<>& ir_;
    SeriesAccess series_;
    std::unordered_multimap<std::uint32_t, const Series::Store*> stores_;  // by what they store
    std::unordered_map<std::uint32_t, llvm::Value*> numbers_, truths_;
    std::unordered_map<std::uint32_t, Numbers::SinCos> sines_;
    llvm::Value* beyond_ = nullptr;
    bool any_sine_ = false;
};

llvm::Function* add_function(llvm::Module& module, const std::string& name, bool is_entry) {
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* pointer = llvm::PointerType::get(context, 0);
    auto* type = llvm::FunctionType::get(
        llvm::Type::getVoidTy(context),
        {pointer, pointer, pointer, pointer, pointer, llvm::Type::getInt64Ty(context)}, false);
    auto* function = llvm::Function::Create(
        type, is_entry ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage,
        name, module);
    for (unsigned i = 0; i < 5; ++i) function->addParamAttr(i, llvm::Attribute::NoAlias);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    function->addFnAttr("prefer-vector-width", "512");  // else vectors are split in halves
    function->addFnAttr("min-legal-vector-width", "512");
    llvm::BasicBlock::Create(context, "", function);
    return function;
}

}  // namespace

void emit(const Request& request, const Schedule& schedule, llvm::Module& module) {
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> outputs;
    for (std::size_t o = 0; o < request.code.outputs.size(); ++o)
        outputs[request.code.outputs[o]].push_back(o);

    llvm::Function* entry = add_function(module, "kernel", true);
    const std::size_t parts = schedule.parts.size();
    std::vector<llvm::Function*> functions;
    for (std::size_t p = 0; p < parts; ++p) {
        llvm::Function* function =
            parts == 1 ? entry : add_function(module, "part" + std::to_string(p), false);
        functions.push_back(function);
        llvm::IRBuilder<> builder(&function->getEntryBlock());
        Part part(request, schedule, *function, builder);
        if (p == 0) part.store_leaves();
        part.run(schedule.parts[p], outputs);
        part.store_range(p == 0);
        builder.CreateRetVoid();
    }
    if (parts == 1) return;
    llvm::IRBuilder<> builder(&entry->getEntryBlock());
    std::vector<llvm::Value*> arguments;
    for (llvm::Argument& argument : entry->args()) arguments.push_back(&argument);
    for (llvm::Function* function : functions) builder.CreateCall(function, arguments);
    builder.CreateRetVoid();
}

}  // namespace lacon::kernel
