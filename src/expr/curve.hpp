// Measured signals as functions: piecewise cubics through points, with derivatives.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lacon::inline expr {

/// A measured signal as a smooth function of one variable: a cubic between any two neighbouring
/// points, a knot at each of them. Built once, then constant.
class Curve {
public:
    enum class Form : std::uint8_t {
        natural,  // natural cubic spline: two continuous derivatives, no curvature at the ends
        /// After Fritsch and Carlson: one continuous derivative, never above or below the two
        /// points around.
        monotone,
    };
    enum class Beyond : std::uint8_t {
        refuse,  // no value: not a number
        hold,    // the value at the end
        zero,
        repeat,  // with the period from the first to the last point
    };
    /// `x` increases strictly, x and y are finite, as many as each other and at least two (else
    /// std::invalid_argument). To repeat, the last value must be the first.
    Curve(std::string name, std::vector<double> x, std::span<const double> y, Form form,
          Beyond beyond);

    const std::string& name() const { return name_; }
    double first() const { return x_.front(); }
    double last() const { return x_.back(); }
    std::size_t size() const { return x_.size(); }
    Form form() const { return form_; }
    Beyond beyond() const { return beyond_; }

    /// The derivative of an order at x; order 0 is the value. At a knot it belongs to what follows.
    double at(unsigned order, double x) const;
    /// The sum of the sizes of the terms that `at` adds up: its rounding error is some units of
    /// that.
    double size_at(unsigned order, double x) const;
    /// Whether there is a value at x. The ends are taken as wide as rounding of x may need.
    bool covers(double x) const;
    /// Whether the derivative of this order has no jump, at the ends too.
    bool is_continuous(unsigned order) const;

    /// The knots around x: the largest at or below it, the smallest above it; infinite where there
    /// is none. Of a repeated curve, moved by whole periods.
    struct Around {
        double below, above;
    };
    Around knots_around(double x) const;

    static constexpr unsigned degree = 3;

private:
    struct Piece {
        double c[degree + 1];  // of (x − its first knot)^k
    };
    struct Place {
        const Piece* piece;  // none: beyond the ends
        double u;            // x less the first knot of the piece
    };

    Place place_of(double x) const;
    double wrapped(double x) const;

    std::string name_;
    std::vector<double> x_;
    std::vector<Piece> pieces_;
    double first_value_ = 0.0, last_value_ = 0.0;
    Form form_;
    Beyond beyond_;
};

}  // namespace lacon::expr
