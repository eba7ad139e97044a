// SLEEF's deterministic functions: within 1 ulp (hypot 0.5), the same bits for one number and for
// many. Those called finz use fused multiply-add, those called cinz do not.
#include "kernel/functions.hpp"

#include <array>
#include <bit>

#include "kernel/code.hpp"

// Declared here as no more than names: their headers need the vector types of each instruction set.
#ifdef __aarch64__
#define LACON_EACH_WIDTH(what, name, ulp)                   \
    what(name, 1, 1, Sleef_finz_##name##d1_##ulp##purecfma) \
        what(name, 1, 2, Sleef_finz_##name##d2_##ulp##advsimd)
#else
#define LACON_EACH_WIDTH(what, name, ulp)                               \
    what(name, 0, 1, Sleef_cinz_##name##d1_##ulp##purec)                \
        what(name, 0, 2, Sleef_cinz_##name##d2_##ulp##sse2)             \
            what(name, 1, 1, Sleef_finz_##name##d1_##ulp##purecfma)     \
                what(name, 1, 2, Sleef_finz_##name##d2_##ulp##avx2128)  \
                    what(name, 1, 4, Sleef_finz_##name##d4_##ulp##avx2) \
                        what(name, 1, 8, Sleef_finz_##name##d8_##ulp##avx512f)
#endif
#define LACON_EACH(what)               \
    LACON_EACH_WIDTH(what, tan, u10)   \
    LACON_EACH_WIDTH(what, asin, u10)  \
    LACON_EACH_WIDTH(what, acos, u10)  \
    LACON_EACH_WIDTH(what, atan, u10)  \
    LACON_EACH_WIDTH(what, sinh, u10)  \
    LACON_EACH_WIDTH(what, cosh, u10)  \
    LACON_EACH_WIDTH(what, tanh, u10)  \
    LACON_EACH_WIDTH(what, exp, u10)   \
    LACON_EACH_WIDTH(what, log, u10)   \
    LACON_EACH_WIDTH(what, pow, u10)   \
    LACON_EACH_WIDTH(what, atan2, u10) \
    LACON_EACH_WIDTH(what, hypot, u05)

#define LACON_DECLARE(name, fused, width, function) void function();
extern "C" {
LACON_EACH(LACON_DECLARE)
}

namespace lacon::kernel {

namespace {

using Table = std::array<const void*, 4 * function_count>;

Table make_table(bool fused_wanted) {
    Table table{};
    const auto put = [&](Function f, bool fused, unsigned width, void (*address)()) {
        if (fused == fused_wanted)
            table[4 * static_cast<std::size_t>(f) +
                  static_cast<std::size_t>(std::countr_zero(width))] =
                reinterpret_cast<const void*>(address);
    };
#define LACON_PUT(name, fused, width, function) put(Function::name, fused, width, function);
    LACON_EACH(LACON_PUT)
    return table;
}

}  // namespace

const void* const* functions_of(Isa isa) {
    static const Table fused = make_table(true), plain = make_table(false);
    return (has_fma(isa) ? fused : plain).data();
}

}  // namespace lacon::kernel
