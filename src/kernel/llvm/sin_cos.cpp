// sin and cos written out in IR: x = n π/2 + r + low with n whole and π/2 in three parts, then
// polynomials on |r| ≤ π/4.
//
// The reduction is exact in its first part: x and n C₁ are multiples of 2⁻⁵², their difference is
// below 1, so it has no rounding error (C₁ is π/2 rounded to double; without fma it comes in two
// halves of 26 bits, whose products with n < 2²⁶ are exact). The rest, n C₂ + n C₃, keeps its
// rounding error in `low`; so r + low is right to far below an ulp also next to multiples of π/2,
// where r nearly vanishes.
#include "kernel/sin_cos.hpp"

#include "kernel/llvm/emit.hpp"

namespace lacon::kernel {

using llvm::Intrinsic::ID;

using namespace circle;

Numbers::Reduced Numbers::reduce(llvm::Value* x) const {
    llvm::Value* shifted = fma(x, constant(two_over_pi), constant(whole));
    llvm::Value* quadrant = ir.CreateBitCast(shifted, integer_);
    llvm::Value* n = ir.CreateFSub(shifted, constant(whole));
    const auto product = [&](double c) { return ir.CreateFMul(n, constant(c)); };
    const auto less = [&](llvm::Value* a, llvm::Value* b) { return ir.CreateFSub(a, b); };
    llvm::Value *exact = nullptr, *next = nullptr, *rest = nullptr;  // x − n C₁; n C₂ = next + rest
    if (has_fma(isa)) {
        exact = fma(ir.CreateFNeg(n), constant(c1), x);
        next = product(c2);
        rest = fma(n, constant(c2), ir.CreateFNeg(next));
    } else {
        exact = less(less(x, product(upper_half(c1))), product(c1 - upper_half(c1)));
        next = product(upper_half(c2));
        rest = product(c2 - upper_half(c2));
    }
    // r + low = exact − next, without error whichever is larger.
    llvm::Value* r = less(exact, next);
    llvm::Value* back = less(r, exact);
    llvm::Value* low = less(less(exact, less(r, back)), ir.CreateFAdd(next, back));
    return {r, less(less(low, rest), product(c3)), quadrant};
}

Numbers::SinCos Numbers::sin_cos(llvm::Value* x) const {
    const Reduced at = reduce(x);
    llvm::Value* z = ir.CreateFMul(at.r, at.r);
    const auto polynomial = [&](std::span<const double> coefficients) {
        llvm::Value* sum = constant(coefficients[0]);
        for (const double c : coefficients.subspan(1)) sum = fma(sum, z, constant(c));
        return sum;
    };
    llvm::Value* cube = ir.CreateFMul(z, at.r);
    // low (1 − z/2): cos r is within 1e-2 of that, and low is far below an ulp of r or r itself is
    // tiny
    llvm::Value* half = ir.CreateFMul(z, constant(0.5));
    llvm::Value* w = ir.CreateFSub(constant(1.0), half);
    llvm::Value* sine_of_r =
        ir.CreateFAdd(at.r, fma(cube, polynomial(sine), ir.CreateFMul(at.low, w)));
    llvm::Value* lost = ir.CreateFSub(ir.CreateFSub(constant(1.0), w), half);
    llvm::Value* tail =
        fma(ir.CreateFMul(z, z), polynomial(cosine), ir.CreateFNeg(ir.CreateFMul(at.r, at.low)));
    llvm::Value* cosine_of_r = ir.CreateFAdd(w, ir.CreateFAdd(lost, tail));

    // Quadrant k: sin is (sin, cos, −sin, −cos), cos is (cos, −sin, −cos, sin) of r.
    const auto with_sign = [&](llvm::Value* value, llvm::Value* turns) {
        llvm::Value* sign = ir.CreateShl(ir.CreateAnd(turns, bits(2)), bits(62));
        return ir.CreateBitCast(ir.CreateXor(ir.CreateBitCast(value, integer_), sign), number_);
    };
    llvm::Value* odd = ir.CreateICmpNE(ir.CreateAnd(at.quadrant, bits(1)), bits(0));
    llvm::Value* next = ir.CreateAdd(at.quadrant, bits(1));
    return {with_sign(ir.CreateSelect(odd, cosine_of_r, sine_of_r), at.quadrant),
            with_sign(ir.CreateSelect(odd, sine_of_r, cosine_of_r), next),
            ir.CreateFCmpOGT(unary(llvm::Intrinsic::fabs, x), constant(range_limit(isa)))};
}

}  // namespace lacon::kernel
