// The oracle's motion without contacts.
#include "hunt/reference.hpp"

#include <algorithm>
#include <cmath>

#include "hunt/extrapolation.hpp"

namespace hunt {
namespace {

/// Ends a motion: the reason is for the counts.
struct Stopped {
    std::string why;
};

Real largest_of(const Reals& values) {
    Real most = 0.0;
    for (const Real& value : values) most = larger(most, abs(value));
    return most;
}

/// Newton's method in the unit metric; `is_velocity`: on v by φ' of all rows below acceleration
/// level, else on q by φ.
std::string correct(const Model& model, Equations& equations, Point& at, bool is_velocity) {
    for (int round = 0; round < 30; ++round) {
        equations.evaluate(at);
        std::vector<std::size_t> rows;
        for (const std::size_t r : is_velocity ? equations.independent() : equations.independent(0))
            if (model.rows[r].level < 2) rows.push_back(r);
        Reals right(equations.n(), Real(0.0)), off;
        for (const std::size_t r : rows) {
            off.push_back(is_velocity ? equations.rate(r) : equations.residual(r));
            right.push_back(-off.back());
        }
        if (largest_of(off) < 1e-60) return {};
        const auto change = solve(equations.kkt(rows, true), right);
        if (!change) return "no projection";
        Reals& values = is_velocity ? at.v : at.q;
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += (*change)[i];
    }
    return "no consistent state near the start";
}

class Follower {
public:
    Follower(const Model& model, const Point& from, const ReferenceOptions& options)
        : model_(model), options_(options), equations_(model), now_(from) {
        equations_.evaluate(now_);
        rows_ = equations_.independent();
        for (std::size_t k = 0; k < model_.events.size(); ++k)
            is_positive_.push_back(equations_.event(k) > 0.0);
        decide();
    }

    void go_to(const Real& end);
    void decide();  // anew: something in explicit time changes here
    const Point& now() const { return now_; }
    Reference result;

private:
    Reals slope(const Point& at);
    bool extrapolate(const Real& h, Point& end);
    Real step_bound();
    Reals watched(const Point& at);
    Real locate(std::size_t which, const Real& h, Point& end);
    void turn_over();
    void cross();
    void bounce();

    const Model& model_;
    ReferenceOptions options_;
    Equations equations_;
    Point now_;
    Modes modes_;
    std::vector<std::size_t> rows_;
    std::vector<bool> is_positive_;  // of the events
    Real step_ = 0.05;
    std::size_t evaluations_ = 0;
};

Reals Follower::slope(const Point& at) {
    if (++evaluations_ > options_.most) throw Stopped{"the reference takes too long"};
    equations_.evaluate(at, &modes_);
    double weakest = 1.0;
    auto a = equations_.accelerate(rows_, &weakest);
    result.weakest = std::min(result.weakest, weakest);
    if (!a || weakest < options_.weakest) throw Stopped{"nearly singular on the way"};
    for (const Real& value : *a)
        if (!value.is_finite()) throw Stopped{"not finite on the way"};
    a->resize(equations_.n());
    return *a;
}

bool Follower::extrapolate(const Real& h, Point& end) {
    int columns = 0;
    if (!hunt::extrapolate([this](const Point& at) { return slope(at); }, now_, h,
                           options_.tolerance, end, columns))
        return false;
    if (columns < 9) step_ *= 1.4;
    return true;
}

/// Near what is narrow steps are a part of its width, away from it a part of the way to it.
Real Follower::step_bound() {
    const bool watches =
        equations_.tape().has_decisions() || !model_.narrow.empty() || !model_.events.empty();
    Real bound = watches ? 0.1 : 1.0;
    // No event turns twice within 0.1 of a coordinate (generate_motions.cpp: sin(9 x)).
    for (std::size_t i = 0; i < now_.v.size() && !model_.events.empty(); ++i)
        if (abs(now_.v[i]) * bound > 0.1) bound = Real(0.1) / abs(now_.v[i]);
    if (model_.narrow.empty()) return bound;
    equations_.evaluate(now_, &modes_);
    for (std::size_t k = 0; k < model_.narrow.size(); ++k) {
        const Real room = Real(0.5 * model_.narrow[k].width) + abs(equations_.narrow(k)) * 0.3;
        const Real rate = abs(equations_.narrow_rate(k)) + 1e-3;
        if (room / rate < bound) bound = room / rate;
    }
    return bound;
}

/// Margins of the decisions, gaps of the one-sided rows, values of events with the sign they had;
/// negative where something must change.
Reals Follower::watched(const Point& at) {
    equations_.evaluate(at, &modes_);
    Reals all = equations_.tape().margins(modes_);
    for (std::size_t r = 0; r < model_.rows.size(); ++r)
        if (model_.rows[r].one_sided) all.push_back(equations_.residual(r));
    for (std::size_t k = 0; k < is_positive_.size(); ++k)
        all.push_back(is_positive_[k] ? equations_.event(k) : -equations_.event(k));
    return all;
}

/// The part of h at which watched number `which`, negative at its end, is 0; `end` becomes the
/// state there. Regula falsi with halved weights (Illinois).
Real Follower::locate(std::size_t which, const Real& h, Point& end) {
    const Real step = step_;
    Real a = 0.0, b = h, weight_a = larger(watched(now_)[which], 1e-30),
         weight_b = watched(end)[which];
    Real value_b = weight_b;
    int side = 0;
    for (int round = 0; round < 120 && weight_b < -1e-32; ++round) {
        Real middle = b - weight_b * (b - a) / (weight_b - weight_a);
        if (round >= 12 || !(middle > a && middle < b)) middle = (a + b) / 2.0;
        if (value_b < -1e-6 && b - a < 1e-14) break;  // a jump: there is no zero
        Point inner = now_;
        if (!extrapolate(middle, inner)) throw Stopped{"a switch cannot be located"};
        const Real f = watched(inner)[which];
        if (f > 1e-32) {
            a = middle, weight_a = f;
            if (side == 1) weight_b /= 2.0;
            side = 1;
        } else {
            b = middle, weight_b = value_b = f, end = inner;
            if (side == -1) weight_a /= 2.0;
            side = -1;
            if (f >= -1e-32) break;
        }
    }
    step_ = step;
    return b;
}

void Follower::decide() {
    // A moment ahead, where nothing stands on a border.
    modes_.clear();
    equations_.evaluate(now_);
    const auto a = equations_.accelerate(rows_);
    if (!a) throw Stopped{"nearly singular on the way"};
    Reals only(a->begin(), a->begin() + static_cast<std::ptrdiff_t>(equations_.n()));
    equations_.evaluate(moved(now_, 1e-16, only));
    modes_ = equations_.tape().modes();
}

/// Newton's law for the one-sided row that is at 0 and closing.
void Follower::bounce() {
    equations_.evaluate(now_, &modes_);
    for (std::size_t r = 0; r < model_.rows.size(); ++r) {
        if (!model_.rows[r].one_sided || equations_.residual(r) > 1e-20) continue;
        const Real speed = equations_.rate(r);
        if (speed >= 0.0) continue;
        if (speed > -1e-3) throw Stopped{"a contact that closes slowly"};
        std::vector<std::size_t> with = rows_;
        with.push_back(r);
        Reals right(equations_.n() + with.size(), Real(0.0));
        right.back() = -speed * (1.0 + model_.rows[r].restitution);
        const auto jump = solve(equations_.kkt(with), right);
        if (!jump) throw Stopped{"nearly singular at an impact"};
        for (std::size_t i = 0; i < equations_.n(); ++i) now_.v[i] += (*jump)[i];
        ++result.impacts;
        return;
    }
}

/// Events whose sign has changed here; a jump is none.
void Follower::cross() {
    constexpr double moment = 1e-12;
    const Reals a = slope(now_);
    equations_.evaluate(now_, &modes_);
    Reals before;
    for (std::size_t k = 0; k < is_positive_.size(); ++k) before.push_back(equations_.event(k));
    equations_.evaluate(moved(now_, moment, a), &modes_);
    for (std::size_t k = 0; k < is_positive_.size(); ++k) {
        if ((is_positive_[k] ? before[k] : -before[k]) > 1e-30) continue;
        is_positive_[k] = !is_positive_[k];
        if (abs(before[k]) < 1e-15)
            result.crossings.push_back(
                {k, now_.t, ((equations_.event(k) - before[k]) / moment).nearest()});
    }
}

void Follower::turn_over() {
    cross();
    if (++result.switches > 400) throw Stopped{"too many switches"};
    bounce();
    decide();
}

void Follower::go_to(const Real& end) {
    while (now_.t < end) {
        Real h = step_;
        if (const Real bound = step_bound(); bound < h) h = bound;
        const bool is_last = now_.t + h * 1.001 >= end;
        if (is_last) h = end - now_.t;
        Point next = now_;
        if (!extrapolate(h, next)) {
            step_ = h * 0.5;
            if (step_ < 1e-15) throw Stopped{"the reference does not converge"};
            continue;
        }
        bool turned = false;
        Reals margins = watched(next);
        for (std::size_t k = 0; k < margins.size();
             ++k) {  // each is located once: behind a jump it stays negative
            if (margins[k] >= -1e-30) continue;
            h = locate(k, h, next);
            margins = watched(next);
            turned = true;
        }
        next.t = is_last && !turned ? end : now_.t + h;
        now_ = next;
        if (turned) turn_over();
    }
}

}  // namespace

std::string make_consistent(const Model& model, Point& guess) {
    Equations equations(model);
    if (std::string why = correct(model, equations, guess, false); !why.empty()) return why;
    return correct(model, equations, guess, true);
}

Reference follow(const Model& model, const Point& from, const std::vector<double>& times,
                 const ReferenceOptions& options) {
    Reference result;
    try {
        Follower follower(model, from, options);
        try {
            for (const double time : times) {
                std::vector<double> stops{time};
                for (const double stop : model.breaks)
                    if (Real(stop) > follower.now().t && stop < time) stops.push_back(stop);
                std::ranges::sort(stops);
                for (const double stop : stops) {
                    follower.go_to(stop);
                    if (stop < time || std::ranges::count(model.breaks, stop) > 0)
                        follower.decide();
                }
                follower.result.rows.push_back(follower.now());
            }
        } catch (const Stopped& stopped) {
            follower.result.why = stopped.why;
        }
        return follower.result;
    } catch (const Stopped& stopped) {
        result.why = stopped.why;
        return result;
    }
}

}  // namespace hunt
