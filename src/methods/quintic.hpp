// Interpolation within a compiled Runge–Kutta step, which gives states and accelerations only at
// its ends.
#pragma once

namespace lacon::inline methods {

/// One coordinate within a step of length h, by the polynomial of fifth degree that its position,
/// velocity and acceleration at both ends give.
class Quintic {
public:
    struct End {
        double q, v, a;
    };
    Quintic(const End& begin, const End& end, double h)
        : h_(h),
          q_(begin.q),
          move_(end.q - begin.q),
          u_(h * begin.v),
          w_(h * end.v),
          p_(0.5 * h * h * begin.a),
          r_(0.5 * h * h * end.a) {}

    double q(double tau) const {
        const double x = tau / h_, y = 1.0 - x, x2 = x * x, y2 = y * y;
        return q_ + move_ * x2 * x * (10.0 - 15.0 * x + 6.0 * x2) +
               u_ * x * y2 * y * (1.0 + 3.0 * x) - w_ * x2 * x * y * (1.0 + 3.0 * y) +
               p_ * x2 * y2 * y + r_ * x2 * x * y2;
    }
    double v(double tau) const {
        const double x = tau / h_, y = 1.0 - x, x2 = x * x, y2 = y * y;
        return (30.0 * move_ * x2 * y2 + u_ * y2 * (1.0 - 3.0 * x) * (1.0 + 5.0 * x) +
                w_ * x2 * (1.0 - 3.0 * y) * (1.0 + 5.0 * y) + p_ * x * y2 * (2.0 - 5.0 * x) +
                r_ * x2 * y * (3.0 - 5.0 * x)) /
               h_;
    }

private:
    double h_, q_, move_, u_, w_, p_, r_;
};

}  // namespace lacon::methods
