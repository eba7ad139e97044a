#pragma once

#include <functional>
#include <span>
#include <vector>

namespace lacon {

/// A smooth function on [0, h] as a Chebyshev polynomial through its values at `nodes(h)`.
class ChebyshevFit {
public:
    static constexpr std::size_t degree = 16;
    static std::vector<double> nodes(double h);  ///< degree + 1 points, increasing from 0 to h

    /// `noise`: a value no larger than this counts as zero.
    ChebyshevFit(std::span<const double> values, double h, double noise = 0.0);

    /// Where the polynomial changes its sign, or touches zero without doing so. All intervals between are excluded by a bound on
    /// the polynomial or on its slope: none is missed, none comes twice. Zeros at 0 and h themselves are not among them.
    struct Root {
        double at = 0.0;
        bool touches = false;
    };
    std::vector<Root> roots() const;
    double value(double x) const;
    double size() const { return size_; }  ///< largest of the values given
    double noise() const { return noise_; }
    /// Whether the degree was enough: the last coefficients are small beside the values.
    bool is_resolved() const;

private:
    std::vector<double> coefficients_;
    double h_ = 0.0, size_ = 0.0, noise_ = 0.0;
};

/// The zero of a function between a and b, where its sign differs, to rounding (bisection with secants). Where it does not
/// differ, `guess`.
double refine_root(const std::function<double(double)>& f, double a, double b, double guess);

}  // namespace lacon
