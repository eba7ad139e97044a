// Fits the argument of a signal at Chebyshev points and finds the first root of argument − knot.
// Only the two knots around the beginning of the step matter.
#include "locate/knots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "locate/breaks.hpp"
#include "locate/roots.hpp"

namespace lacon::inline locate {

namespace {

struct RootWindow {
    double from, root, to;
};

/// A little behind a root, where the value is past the knot by more than its last places: a step
/// that began right before the knot would still have the slopes of the piece it leaves.
template <class Value>
double beyond_root(const Value& value, const RootWindow& window, double knot) {
    constexpr double places = 16.0 * std::numeric_limits<double>::epsilon();
    constexpr int most_tries = 8;
    const double before = value(window.from), margin = places * std::abs(knot);
    const double rate =
        std::abs(before) / std::max(window.root - window.from, 1e-300);  // not by zero
    if (before == 0.0 || !(rate > 0.0)) return window.root;
    double further = std::max(margin / rate, places * window.root);
    for (int i = 0; i < most_tries; ++i, further *= 2.0) {
        const double tau = window.root + further;
        if (tau >= window.to) break;
        const double there = value(tau);
        if ((there < 0.0) != (before < 0.0) && std::abs(there) >= margin) return tau;
    }
    return window.root;
}

}  // namespace

KnotSearch::KnotSearch(const DerivedModel& details)
    : set_(FeatureSet::of_equations(details)), operands_(set_.count()), exponents_(set_.count()) {
    if (!Breaks(details).unforeseen()) return;
    for (std::size_t i = 0; i < set_.count(); ++i)
        if (set_.kind(i) == Feature::Kind::signal) which_.push_back(i);
}

double KnotSearch::value_at(const StepPath& path, const Clock& begin, double tau,
                            std::size_t feature) {
    path.at(tau, state_);
    state_.t = begin.after(tau).now();
    set_.sample(state_, operands_, exponents_);
    return operands_[feature];
}

double KnotSearch::first(const StepPath& path, const Clock& begin) {
    double until = path.length;
    for (const std::size_t feature : which_) until = leaves(path, begin, feature, until);
    return until;
}

/// Where an argument leaves the piece on which the step begins, or comes to right behind its begin.
double KnotSearch::leaves(const StepPath& path, const Clock& begin, std::size_t feature,
                          double until) {
    const double near = BeginBorder::part * path.length;
    const Curve::Around piece =
        set_.curve(feature).knots_around(value_at(path, begin, near, feature));
    constexpr int most_halvings = 12;
    struct Window {
        double from, to;
        int depth;
    };
    std::vector<Window> open{{0.0, until, 0}};
    while (!open.empty()) {  // from left to right
        const Window window = open.back();
        open.pop_back();
        const double width = window.to - window.from;
        const std::vector<double> nodes = ChebyshevFit::nodes(width);
        std::vector<double> values;
        for (const double x : nodes)
            values.push_back(value_at(path, begin, window.from + x, feature));
        if (!ChebyshevFit(values, width).is_resolved() && window.depth < most_halvings) {
            const double middle = window.from + 0.5 * width;
            open.push_back({middle, window.to, window.depth + 1});
            open.push_back({window.from, middle, window.depth + 1});
            continue;
        }
        double found = INFINITY;
        for (const double knot : {piece.below, piece.above}) {
            if (!std::isfinite(knot)) continue;
            std::vector<double> beyond = values;
            for (double& x : beyond) x -= knot;
            for (const ChebyshevFit::Root& root : ChebyshevFit(beyond, width).roots()) {
                // The fit errs by less (ChebyshevFit::is_resolved): the root is within.
                const double tau = window.from + root.at, reach = 1e-6 * width;
                if (root.touches || tau <= near) continue;
                const auto exact = [&](double x) {
                    return value_at(path, begin, x, feature) - knot;
                };
                const double from = std::max(near, tau - reach),
                             to = std::min(window.to, tau + reach);
                const double root_at = refine_root(exact, from, to, tau);
                found = std::min(found, beyond_root(exact, {from, root_at, window.to}, knot));
                break;
            }
        }
        if (std::isfinite(found)) return std::min(found, until);
    }
    return until;
}

}  // namespace lacon::locate
