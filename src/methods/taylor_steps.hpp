// Steps of the Taylor method, whatever finds the power series.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "methods/method.hpp"
#include "methods/taylor_control.hpp"

namespace lacon::inline methods {

/// The Taylor method over a way to find the power series of the motion at a base. The series of the
/// next step is found where the last one ends, so that its order 0 can be held to what the last
/// series promised there; until `advance` is called, `at` still tells the last step.
class TaylorSteps : public Method {
public:
    bool begin(const Base& base, bool fresh) final;
    bool advance(double limit) final;
    bool lacks_series() const final { return lacks_series_; }

protected:
    /// Finds the series of the next step.
    enum class Expansion { found, lacking, failed };  // lacking: the motion has none there
    virtual Expansion expand(const Base& base) = 0;
    /// Whether the last step's series promised, h after its own base, what is the case at this one.
    virtual bool continues(const Base& base, double h) = 0;
    /// From now on the last step is the one expanded.
    virtual void take() = 0;
    /// Sets the length of that step.
    virtual void choose_length(double limit) = 0;

private:
    Clock begin_, next_begin_;  // of the last step, and of the one to come
    bool taken_up_ = true, lacks_series_ = false;
};

/// The largest coefficient of order k of q and q', each by its error scale. Of coordinate i,
/// `series` gives order k as q(k, i) and v(k, i).
template <class Series>
double largest_of_order(const Series& series, std::size_t n, std::size_t k) {
    double size = 0.0;
    for (std::size_t i = 0; i < n; ++i)
        size = std::max({size, std::abs(series.q(k, i)) / error_scale(series.q(0, i)),
                         std::abs(series.v(k, i)) / error_scale(series.v(0, i))});
    return size;
}

/// What is found where a step has ended.
struct StepEnd {
    const std::vector<double>& v;   // the velocities (n)
    double h;                       // the length of the step
    std::span<const double> noise;  // of the accelerations (n), or empty
};

/// Whether each acceleration at the end of a step is the one that the step's own series promised:
/// `series` gives order k of coordinate i as a(k, i), `found(i)` what it is.
template <class Series, class Found>
bool keeps_promise(const TaylorControl& control, const Series& series, const StepEnd& end,
                   const Found& found) {
    for (std::size_t i = 0; i < end.v.size(); ++i) {
        const auto promise = TaylorControl::promise(control.order, end.h,
                                                    [&](std::size_t k) { return series.a(k, i); });
        const double allowed =
            promise.allowed(found(i), control.tolerance / end.h, error_scale(end.v[i]));
        const double noise = end.noise.empty() ? 0.0 : TaylorControl::noise_slack * end.noise[i];
        if (!(std::abs(found(i) - promise.value) <= allowed + noise)) return false;
    }
    return true;
}

}  // namespace lacon::methods
