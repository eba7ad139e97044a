// Roots of smooth functions over a step: Chebyshev fits, and refinement to rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "methods/clock.hpp"

namespace lacon::inline locate {

/// A smooth function on [0, h] as a Chebyshev polynomial through its values at `nodes(h)`.
class ChebyshevFit {
public:
    static constexpr std::size_t degree = 16;
    static std::vector<double> nodes(double h);  ///< degree + 1 points, increasing from 0 to h

    ChebyshevFit() = default;
    /// `noise`: a value no larger than this counts as zero.
    ChebyshevFit(std::span<const double> values, double h, double noise = 0.0);

    /// Where the polynomial changes its sign, or touches zero without doing so. All intervals
    /// between are excluded by a bound on the polynomial or on its slope: none is missed, none
    /// comes twice. Zeros at 0 and h themselves are not among them.
    struct Root {
        double at = 0.0;
        bool touches = false;
        bool is_doubtful =
            false;  // an extremum near zero: there may be two, or none, within a smaller window
    };
    std::vector<Root> roots() const;
    double value(double x) const;
    double size() const { return size_; }                      ///< largest of the values given
    double sample(std::size_t j) const { return values_[j]; }  ///< the value given at a node
    double noise() const { return noise_; }
    /// Whether a smaller window would tell more: the values are known better than this one resolves
    /// them.
    bool can_be_finer() const { return noise_ < zero_tol * size_; }
    /// Whether the degree was enough: the last coefficients are small beside the values.
    bool is_resolved() const;

private:
    static constexpr double zero_tol = 1e-12;  // relative to the largest value
    std::vector<double> values_, coefficients_;
    double h_ = 0.0, size_ = 0.0, noise_ = 0.0;
};

/// How near to the begin of a step a zero belongs to that begin: a billionth of the step. Where
/// several decisions turn within less, each is turned over in place, and steps from there may be
/// shorter; it does not shrink with them, as what was taken as turned would else be found not yet
/// to be, and turned back.
class BeginBorder {
public:
    double of(const Clock& begin, double width) {
        if (begin.hi != begin_.hi || begin.lo != begin_.lo) border_ = 0.0;
        begin_ = begin;
        return border_ = std::max(border_, part * width);
    }
    static constexpr double part = 1e-9;

    /// For a run that goes on from there elsewhere.
    double kept(const Clock& begin) const {
        return begin.hi == begin_.hi && begin.lo == begin_.lo ? border_ : 0.0;
    }
    void recall(const Clock& begin, double border) {
        begin_ = begin;
        border_ = border;
    }

private:
    Clock begin_{-INFINITY, 0.0};
    double border_ = 0.0;
};

/// The zero of a function between a and b, where its sign differs, to rounding (bisection with
/// secants): on the side of b, so that what changes there has changed. Where it does not differ,
/// `guess`.
double refine_root(const std::function<double(double)>& f, double a, double b, double guess);

}  // namespace lacon::locate
