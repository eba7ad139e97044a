// sin and cos of one number, to the bits of compiled code: llvm/sin_cos.cpp says why it is right.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace lacon::kernel {

/// π/2 = c1 + c2 + c3, and polynomials on |r| ≤ π/4.
namespace circle {
constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
constexpr double c1 = 0x1.921fb54442d18p+0, c2 = 0x1.1a62633145c07p-54,
                 c3 = -0x1.f1976b7ed8fbcp-110;
/// Adding it rounds to a whole number, which then stands in the low bits.
constexpr double whole = 0x1.8p52;
constexpr double upper_half(double c) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(c) & ~((std::uint64_t{1} << 27) - 1));
}
/// Taylor-like minimax coefficients on |r| ≤ π/4 (those of fdlibm's kernels): sin r = r + r³ S(r²),
/// cos r = 1 − r²/2 + r⁴ C(r²).
constexpr double sine[] = {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                           2.75573137070700676789e-06, -1.98412698298579493134e-04,
                           8.33333333332248946124e-03, -1.66666666666666324348e-01};
constexpr double cosine[] = {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                             -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                             -1.38888888888741095749e-03, 4.16666666666666019037e-02};
}  // namespace circle

struct SinCos {
    double sin, cos;
};

/// `fused`: a b + c is rounded once. Right up to range_limit.
template <bool fused>
[[gnu::always_inline]] inline SinCos sin_cos(double x) {
    using namespace circle;
    const auto fma = [](double a, double b, double c) __attribute__((always_inline)) {
        if constexpr (fused) return __builtin_fma(a, b, c);
        else return a * b + c;
    };
    const double shifted = fma(x, two_over_pi, whole);
    const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
    const double n = shifted - whole;
    double exact = 0.0, next = 0.0, rest = 0.0;  // x − n C₁; n C₂ = next + rest
    if constexpr (fused) {
        exact = fma(-n, c1, x);
        next = n * c2;
        rest = fma(n, c2, -next);
    } else {
        exact = (x - n * upper_half(c1)) - n * (c1 - upper_half(c1));
        next = n * upper_half(c2);
        rest = n * (c2 - upper_half(c2));
    }
    const double r = exact - next, back = r - exact,
                 low = ((exact - (r - back)) - (next + back)) - rest - n * c3;
    const double z = r * r;
    double s = sine[0], c = cosine[0];
    for (int i = 1; i < 6; ++i) {
        s = fma(s, z, sine[i]);
        c = fma(c, z, cosine[i]);
    }
    const double half = z * 0.5, w = 1.0 - half;
    const double sine_of_r = r + fma(z * r, s, low * w);
    const double cosine_of_r = w + (((1.0 - w) - half) + fma(z * z, c, -(r * low)));
    // Quadrant k: sin is (sin, cos, −sin, −cos), cos is (cos, −sin, −cos, sin) of r.
    const auto with_sign = [](double value, std::uint64_t turns) {
        return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ ((turns & 2) << 62));
    };
    const bool odd = (quadrant & 1) != 0;
    return {with_sign(odd ? cosine_of_r : sine_of_r, quadrant),
            with_sign(odd ? sine_of_r : cosine_of_r, quadrant + 1)};
}

}  // namespace lacon::kernel
