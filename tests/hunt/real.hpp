// Numbers of 256 bits.
#pragma once

#include <mpfr.h>

#include <compare>
#include <vector>

/// The number of the oracle: 256 bits (77 digits), rounded to nearest by MPFR. Nothing here is
/// shared with the engine.
namespace hunt {

/// Gives back at the end what MPFR keeps for its next calls.
struct MpfrCaches {
    ~MpfrCaches() { mpfr_free_cache(); }
};
inline const MpfrCaches mpfr_caches;

class Real {
public:
    static constexpr mpfr_prec_t bits = 256;

    Real(double value = 0.0) {  // NOLINT: a double is a Real
        place();
        mpfr_set_d(x_, value, MPFR_RNDN);
    }
    Real(const Real& other) {
        place();
        mpfr_set(x_, other.x_, MPFR_RNDN);
    }
    Real& operator=(const Real& other) {
        mpfr_set(x_, other.x_, MPFR_RNDN);
        return *this;
    }

    double nearest() const { return mpfr_get_d(x_, MPFR_RNDN); }
    bool is_finite() const { return mpfr_number_p(x_) != 0; }
    bool is_zero() const { return mpfr_zero_p(x_) != 0; }

    Real& operator+=(const Real& y) {
        mpfr_add(x_, x_, y.x_, MPFR_RNDN);
        return *this;
    }
    Real& operator-=(const Real& y) {
        mpfr_sub(x_, x_, y.x_, MPFR_RNDN);
        return *this;
    }
    Real& operator*=(const Real& y) {
        mpfr_mul(x_, x_, y.x_, MPFR_RNDN);
        return *this;
    }
    Real& operator/=(const Real& y) {
        mpfr_div(x_, x_, y.x_, MPFR_RNDN);
        return *this;
    }
    /// this ← this − a b
    void take(const Real& a, const Real& b) {
        mpfr_fms(x_, a.x_, b.x_, x_, MPFR_RNDN);
        mpfr_neg(x_, x_, MPFR_RNDN);
    }
    /// this ← this + a b
    void give(const Real& a, const Real& b) { mpfr_fma(x_, a.x_, b.x_, x_, MPFR_RNDN); }

    friend Real operator+(Real x, const Real& y) { return x += y; }
    friend Real operator-(Real x, const Real& y) { return x -= y; }
    friend Real operator*(Real x, const Real& y) { return x *= y; }
    friend Real operator/(Real x, const Real& y) { return x /= y; }
    friend Real operator-(const Real& x) { return by(mpfr_neg, x); }
    friend bool operator==(const Real& x, const Real& y) { return mpfr_equal_p(x.x_, y.x_) != 0; }
    friend bool operator<(const Real& x, const Real& y) { return mpfr_less_p(x.x_, y.x_) != 0; }
    friend bool operator>(const Real& x, const Real& y) { return y < x; }
    friend bool operator<=(const Real& x, const Real& y) {
        return mpfr_lessequal_p(x.x_, y.x_) != 0;
    }
    friend bool operator>=(const Real& x, const Real& y) { return y <= x; }

    using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
    using Function2 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
    static Real by(Function f, const Real& x) {
        Real y;
        f(y.x_, x.x_, MPFR_RNDN);
        return y;
    }
    static Real by(Function2 f, const Real& x, const Real& y) {
        Real z;
        f(z.x_, x.x_, y.x_, MPFR_RNDN);
        return z;
    }

private:
    void place() { mpfr_custom_init_set(x_, MPFR_ZERO_KIND, 0, bits, limbs_); }

    mp_limb_t limbs_[bits / 64];  // the digits stand here, not on the heap
    mpfr_t x_;
};

inline Real abs(const Real& x) {
    return Real::by(mpfr_abs, x);
}
inline const Real& larger(const Real& x, const Real& y) {
    return x < y ? y : x;
}

using Reals = std::vector<Real>;

}  // namespace hunt
