// The interface between the program and the code generator, a module that is loaded on demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/code.hpp"
#include "kernel/target.hpp"

namespace lacon::kernel {

/// How much work is put into machine code: `quick` compiles several times faster and runs about
/// half as fast; with `none` there is no machine code (walk.hpp). All give the same bits.
enum class Effort { quick, full, none };

/// What is compiled: straight-line code, or the constrained solve as loops over memory
/// (dense_call.hpp), which takes no code.
enum class Form { straight, dense };

/// What is to be compiled: a function
///   void kernel(const double* in, double* out, double* work, const void* const* functions, double*
///   series, std::uint64_t k)
/// over `lanes` independent evaluations. Item i of lane l stands at i * lanes + l; behind the
/// outputs follows one item more, the range flag: not 0 where an argument of sin or cos was too
/// large for the code (range_limit).
struct Request {
    const Code& code;
    Isa isa = Isa::plain;
    std::size_t lanes = 1;
    Effort effort = Effort::full;
    Form form = Form::straight;
};

/// Larger arguments of sin and cos are left to the interpreter.
constexpr double range_limit(Isa isa) {
    return isa == Isa::plain ? 0x1p26 : 0x1p30;
}

/// An object file of the host's format.
struct Object {
    std::vector<char> bytes;
    std::size_t work = 0;  // doubles of workspace a lane
};

/// What the generator offers: throws std::runtime_error with the reason where it fails. It is a
/// module of its own, loaded when first needed: LLVM takes longer to load than most models to run.
using Generate = void (*)(const Request&, Object&);
constexpr const char* generate_symbol = "lacon_generate";
constexpr const char* generate_version_symbol = "lacon_generate_version";
/// To be counted up with every change of what is generated from the same code, or of the types
/// here.
constexpr std::uint64_t generator_version = 6;

/// The generator of this installation, or nothing with the reason.
Generate find_generator(std::string& reason);

}  // namespace lacon::kernel
