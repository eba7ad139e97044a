// The motion followed with proof (Lohner's method). A step from the set X at t:
//   1. a box B with X + [0, h] f(B) inside B: every motion from X exists up to t + h, is the only
//      one and stays in B (Picard, Lindelöf), and the rank is constant in B;
//   2. Taylor's formula with its remainder in B:
//      x(t + h) ∈ Σ_{k<p} x_k(c) h^k + Σ_{k<p} ∂x_k(X) h^k (x − c) + x_p(B) h^p;
//   3. the set of what this gives, turned with the flow (exists/parallelepiped.hpp).
#include "exists/continuation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "exists/field.hpp"
#include "exists/parallelepiped.hpp"
#include "exists/series.hpp"

namespace lacon::inline existence {

namespace {

class Continuation {
public:
    Continuation(const DerivedModel& details, const std::vector<std::size_t>& rows,
                 const State& centre, const ExistsOptions& options)
        : details_(details),
          options_(options),
          end_(*options.until),
          field_(details, rows),
          series_(details, rows),
          t_(centre.t) {
        std::vector<double> x = centre.q;
        x.insert(x.end(), centre.v.begin(), centre.v.end());
        set_ = Parallelepiped::point(x);
    }

    Verified run() {
        double step = 0.0;
        while (t_ != end_) {
            if (options_.progress && !options_.progress("following the motion", done())) {
                result_.why = "stopped";
                break;
            }
            if (!advance(step)) break;
            result_.steps.push_back({t_, width()});
            ++result_.boxes;
        }
        result_.until = t_;
        result_.complete = t_ == end_;
        for (const Interval& x : set_.hull()) {
            result_.low.push_back(x.low);
            result_.high.push_back(x.high);
        }
        return result_;
    }

private:
    static constexpr std::size_t order = 14;
    // Of the series at the middle, beside 1: below rounding.
    static constexpr double remainder_wanted = 1e-17;
    // Over the box around the step, where it is overestimated.
    static constexpr double remainder_most = 1e-14;
    static constexpr std::size_t most_boxes = 100000;

    double done() const {
        return std::abs(end_ - begin_) > 0.0 ? std::abs(t_ - begin_) / std::abs(end_ - begin_)
                                             : 1.0;
    }

    double width() const {
        double widest = 0.0;
        for (const Interval& x : set_.hull()) widest = std::max(widest, x.width());
        return widest;
    }

    /// The longest step for which the remainder, by the coefficients at the middle, is below
    /// rounding.
    double step_by(const std::vector<std::vector<Interval>>& c) const {
        double largest = 0.0, scale = 1.0;
        for (const Interval& x : c[0]) scale = std::max(scale, x.magnitude());
        double best = INFINITY;
        for (const std::size_t k : {order - 1, order}) {
            largest = 0.0;
            for (const Interval& x : c[k]) largest = std::max(largest, x.magnitude());
            if (largest > 0.0)
                best = std::min(best, std::pow(remainder_wanted * scale / largest,
                                               1.0 / static_cast<double>(k)));
        }
        return best;
    }

    /// X + [0, h] f(B) ⊂ B, widened until it holds; nothing where it does not.
    std::optional<Box> enclose(const std::vector<Interval>& X, const Interval& time,
                               const Interval& elapsed) {
        const std::size_t n = field_.n();
        Box B;
        B.x = X;
        B.x.push_back(time);
        for (int round = 0; round < 12; ++round) {
            const Enclosure f = field_.over(B);
            trouble_ = {f.verdict, f.smoothness, f.origin};
            if (f.verdict != Enclosure::Verdict::proven || f.smoothness > Smoothness::lipschitz)
                return std::nullopt;
            Box next = B;
            bool inside = true;
            for (std::size_t i = 0; i < 2 * n; ++i) {
                const Interval speed = i < n ? B.x[n + i] : f.acceleration[i - n];
                const Interval image = X[i] + elapsed * speed;
                if (!image.is_defined()) return std::nullopt;
                inside = inside && image.low > B.x[i].low && image.high < B.x[i].high;
                const double by = 0.2 * image.width() + 1e-15 * (1.0 + image.magnitude());
                next.x[i] = Interval(image.low - by, image.high + by);
            }
            if (inside && round > 0) return B;
            B = std::move(next);
        }
        return std::nullopt;
    }

    bool advance(double& last) {
        trouble_ = {};
        const std::vector<Interval> X = set_.hull();
        std::vector<Interval> middle;
        for (const double x : set_.middle) middle.emplace_back(x);
        const auto at_middle = series_.coefficients<Interval>(middle, Interval(t_), order);
        if (at_middle.empty()) return give_up("a series of the motion could not be enclosed");
        double length =
            std::min({step_by(at_middle), std::abs(end_ - t_), last > 0.0 ? 4.0 * last : INFINITY});
        const double shortest = 1e-9 * std::max({1.0, std::abs(t_), std::abs(end_ - begin_)});
        for (; length > shortest || length == std::abs(end_ - t_); length *= 0.5) {
            const double next =
                length == std::abs(end_ - t_) ? end_ : t_ + std::copysign(length, end_ - t_);
            const Interval h = Interval(next) - Interval(t_);
            const Interval elapsed = lacon::hull(Interval(0.0), h);
            const std::optional<Box> B =
                enclose(X, lacon::hull(Interval(t_), Interval(next)), elapsed);
            if (B && take(*B, h, at_middle)) {
                t_ = next;
                last = length;
                if (result_.boxes >= most_boxes)
                    return give_up("the limit on the number of boxes was reached");
                return true;
            }
            if (length <= shortest) break;
        }
        return give_up("no box around the next step could be verified");
    }

    bool take(const Box& B, const Interval& h,
              const std::vector<std::vector<Interval>>& at_middle) {
        const std::size_t d = set_.middle.size();
        const std::vector<Interval> within(B.x.begin(), B.x.end() - 1);
        const auto beyond = series_.coefficients<Interval>(within, B.t(), order);
        if (beyond.empty()) return false;
        const Interval last_power = whole_power(h, order);
        for (std::size_t i = 0; i < d; ++i)
            if (!((last_power * beyond[order][i]).width() <=
                  remainder_most * std::max(1.0, within[i].magnitude())))
                return false;
        const std::vector<Interval> X = set_.hull();
        std::vector<Jet> inputs;
        for (std::size_t i = 0; i < d; ++i) inputs.push_back(Jet::input(X[i], i, d));
        const auto around = series_.coefficients<Jet>(inputs, Jet(Interval(t_)), order);
        if (around.empty()) return false;
        std::vector<Interval> y(d, Interval(0.0));
        IntervalMatrix J(d, d);
        Interval power(1.0);
        for (std::size_t k = 0; k <= order; ++k) {
            for (std::size_t i = 0; i < d; ++i) {
                y[i] = y[i] + power * (k < order ? at_middle[k][i] : beyond[k][i]);
                for (std::size_t j = 0; k < order && j < around[k][i].rates.size(); ++j)
                    J(i, j) = J(i, j) + power * around[k][i].rates[j];
            }
            power = power * h;
        }
        auto next = set_.image(y, J);
        if (!next) return false;
        const std::vector<Interval> now = next->hull();
        if (!std::all_of(now.begin(), now.end(), [](const Interval& x) { return x.is_defined(); }))
            return false;
        set_ = std::move(*next);
        return true;
    }

    bool give_up(const std::string& what) {
        std::string reason = what;
        if (trouble_.verdict == Enclosure::Verdict::undefined)
            reason = fmt::format("{} may have no finite value",
                                 text_of(details_.model, details_.system.origins[trouble_.origin]));
        else if (trouble_.verdict == Enclosure::Verdict::singular)
            reason = "the rank of the constraints may drop";
        else if (trouble_.smoothness > Smoothness::smooth)
            reason = "the motion may meet a decision or a kink (if, abs, ...)";
        result_.why = fmt::format("{} after t = {}, where the state is known to within {}", reason,
                                  rounded(t_, 8), rounded(width(), 3));
        return false;
    }

    const DerivedModel& details_;
    const ExistsOptions& options_;
    double end_;
    BoxField field_;
    BoxSeries series_;
    double t_, begin_ = t_;
    Parallelepiped set_;
    struct Trouble {
        Enclosure::Verdict verdict = Enclosure::Verdict::proven;
        Smoothness smoothness = Smoothness::smooth;
        std::uint32_t origin = 0;
    } trouble_;  // of the last box that was tried
    Verified result_;
};

}  // namespace

Verified continue_until(const DerivedModel& details, const std::vector<std::size_t>& rows,
                        const State& centre, const ExistsOptions& options) {
    return Continuation(details, rows, centre, options).run();
}

}  // namespace lacon::existence
