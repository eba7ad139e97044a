// Asks the processor which instruction sets it has.
#include "kernel/target.hpp"

#include <array>
#include <utility>

namespace lacon::kernel {

namespace {

constexpr std::array<std::pair<Isa, std::string_view>, 3> names{{
    {Isa::plain, "plain"},
    {Isa::avx2, "avx2"},
    {Isa::avx512, "avx512"},
}};

}  // namespace

std::string_view name_of(Isa isa) {
    return names[static_cast<std::size_t>(isa)].second;
}

std::optional<Isa> isa_named(std::string_view name) {
    for (const auto& [isa, text] : names)
        if (text == name) return isa;
    return std::nullopt;
}

std::vector<Isa> host_isas() {
    std::vector<Isa> isas{Isa::plain};
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isas.push_back(Isa::avx2);
    if (isas.back() == Isa::avx2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
        isas.push_back(Isa::avx512);
#endif
    return isas;
}

bool has_fma(Isa isa) {
#ifdef __aarch64__
    return true;
#else
    return isa != Isa::plain;
#endif
}

std::size_t native_lanes(Isa isa) {
    switch (isa) {
        case Isa::avx512: return 8;
        case Isa::avx2: return 4;
        case Isa::plain: break;
    }
    return 2;
}

}  // namespace lacon::kernel
