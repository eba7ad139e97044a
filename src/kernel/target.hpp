// Instruction sets that kernels can be compiled for, and what each of them offers.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace lacon::kernel {

/// The instructions that code is made of. The binary itself is made for any processor of its
/// family; compiled models use what the processor at hand has.
enum class Isa {
    plain,   // x86-64 as all have it (SSE2); on ARM, NEON
    avx2,    // with FMA (x86-64-v3)
    avx512,  // F, DQ, VL, BW, CD (x86-64-v4)
};

std::string_view name_of(Isa isa);
/// "plain", "avx2", "avx512".
std::optional<Isa> isa_named(std::string_view name);
/// What this processor can run, the best last.
std::vector<Isa> host_isas();
inline Isa best_isa() {
    return host_isas().back();
}
/// Whether a·b + c is rounded once.
bool has_fma(Isa isa);
/// Doubles in one register.
std::size_t native_lanes(Isa isa);

}  // namespace lacon::kernel
