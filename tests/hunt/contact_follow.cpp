// The oracle's motion with contacts and friction.
#include "hunt/contact_follow.hpp"

#include <algorithm>
#include <cmath>

#include "hunt/extrapolation.hpp"

namespace hunt {
namespace {

constexpr double tolerance = 1e-17;    // of a step
constexpr double longest_step = 0.03;  // so that what comes and goes within one is short
constexpr double touching = 1e-12;     // gap: starts are doubles
constexpr double resting = 1e-10;      // velocity that counts as none, for the same reason
// A gap that closes slower is left: the next decisions would be near their borders.
constexpr double slow = 1e-4;
// Square of the speed; far below what the engine takes for settled.
constexpr double lowest_bounce = 1e-15;
constexpr double located = 1e-20;       // what counts as 0 of a watched value
constexpr double away = 1e-17;          // and what does not
constexpr double ahead = 3e-4;          // how far behind a border decisions are looked at
constexpr double shortest_look = 1e-6;  // steps in which nothing can come and go
constexpr std::size_t most_slopes = 60'000;

struct Stopped {
    std::string why;
};

/// What is watched: of a row its gap, force, room in the cone or speed, or a decision in a formula.
enum class Watch { decision, gap, force, cone, speed };
struct Watched {
    Watch what = Watch::decision;
    std::size_t row = 0;
    Real value;  // negative where the mode must end
};

class ContactFollower {
public:
    ContactFollower(const Model& model, const Point& from, Reals push)
        : model_(model),
          equations_(model, std::move(push)),
          now_(from),
          grips_(model.rows.size(), Mode::open),
          named_(grips_),
          sides_(model.rows.size(), 1) {
        choose_branches();
        settle_modes(now_);
        motion.events.clear();  // what holds from the start is no event
    }
    void go_to(double end);
    const Point& now() const { return now_; }
    ContactMotion motion;

private:
    ContactEquations::Solution solution(const Point& at);
    bool step(const Real& h, Point& end);
    std::vector<Watched> watched(const Point& at);
    bool may_dip(const std::vector<Watched>& values, const Point& next);
    Real locate(std::size_t which, const Real& h, Point& end);
    void end_mode(Real h, Point end);
    void choose_branches();
    void settle_modes(const Point& look_at);
    void strike(const std::vector<std::size_t>& touching_rows);
    bool moving(std::size_t row) const {
        return model_.rows[row].rubs() && abs(equations_.slip(row)) >= resting;
    }
    void take(const std::vector<std::size_t>& rows, const ContactAnswer& answer);
    std::vector<std::size_t> rows_that_touch();
    void note(const std::string& kind, std::size_t row) {
        motion.events.push_back({kind, model_.rows[row].name, now_.t.nearest()});
    }

    const Model& model_;
    ContactEquations equations_;
    Point now_;
    Modes branches_;
    FrictionModes grips_, named_;  // how forces are computed; how it is called in events
    std::vector<int> sides_;       // sign of the multiplier, of two-sided rows that slide
    Real step_ = 0.02;
    std::size_t slopes_ = 0, turns_ = 0;
};

ContactEquations::Solution ContactFollower::solution(const Point& at) {
    if (++slopes_ > most_slopes) throw Stopped{"the reference takes too long"};
    equations_.evaluate(at, &branches_);
    auto solved = equations_.accelerate(grips_, sides_);
    if (!solved) throw Stopped{"forces that are not unique"};
    for (const Real& a : solved->a)
        if (!a.is_finite()) throw Stopped{"not finite on the way"};
    return *solved;
}

bool ContactFollower::step(const Real& h, Point& end) {
    int columns = 0;
    return extrapolate([this](const Point& at) { return solution(at).a; }, now_, h, tolerance, end,
                       columns);
}

std::vector<Watched> ContactFollower::watched(const Point& at) {
    const ContactEquations::Solution forces = solution(at);
    std::vector<Watched> all;
    for (const Real& margin : equations_.equations().tape().margins(branches_))
        all.push_back({Watch::decision, 0, margin});
    for (const std::size_t r : equations_.contacts()) {
        const Model::Row& row = model_.rows[r];
        if (grips_[r] == Mode::open) {
            all.push_back({Watch::gap, r, equations_.equations().residual(r)});
            continue;
        }
        const Real& N = forces.multiplier[r];
        if (row.one_sided || grips_[r] != Mode::stick)
            all.push_back({Watch::force, r, sides_[r] > 0 ? N : -N});
        if (!row.rubs()) continue;
        if (grips_[r] == Mode::stick) {
            const Real load = abs(N) * equations_.press(r) * std::max(row.friction, row.at_rest);
            all.push_back({Watch::cone, r, load - abs(forces.friction[r])});
        } else {
            all.push_back({Watch::speed, r,
                           grips_[r] == Mode::plus ? equations_.slip(r) : -equations_.slip(r)});
        }
    }
    return all;
}

/// Whether a value that falls at one end of the step and rises at the other may be below 0 between:
/// the tangents at both ends are. Then the step is too long to tell.
bool ContactFollower::may_dip(const std::vector<Watched>& values, const Point& next) {
    constexpr double moment = 1e-20;  // a difference over it has some 50 digits
    const double h = (next.t - now_.t).nearest();
    const auto slope = [&](const Point& at, std::size_t i, const Real& value) {
        return ((watched(moved(at, moment, solution(at).a))[i].value - value) / moment).nearest();
    };
    const std::vector<Watched> first = watched(now_);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!(values[i].value > 0.0 && first[i].value > 0.0)) continue;
        const double a = first[i].value.nearest(), b = values[i].value.nearest();
        const double falls = h * slope(now_, i, first[i].value);
        if (falls >= 0.0) continue;
        const double rises = h * slope(next, i, values[i].value);
        if (rises <= 0.0) continue;
        // A convex value stays above both tangents: above what they give where they meet.
        const double meet = (b - rises - a) / (falls - rises);
        if (meet > 0.0 && meet < 1.0 && a + falls * meet < 0.0) return true;
    }
    return false;
}

void ContactFollower::choose_branches() {
    // A moment ahead, where nothing stands on a border.
    equations_.evaluate(now_);
    branches_ = equations_.equations().tape().modes();
    if (branches_.empty()) return;
    equations_.evaluate(moved(now_, 1e-16, Reals(now_.q.size(), Real(0.0))));
    branches_ = equations_.equations().tape().modes();
}

std::vector<std::size_t> ContactFollower::rows_that_touch() {
    equations_.evaluate(now_, &branches_);
    std::vector<std::size_t> rows;
    for (const std::size_t r : equations_.contacts())
        if (!model_.rows[r].one_sided || equations_.equations().residual(r) <= touching)
            rows.push_back(r);
    return rows;
}

/// Bounces that no number shows any more end: their contacts close without restitution.
void ContactFollower::strike(const std::vector<std::size_t>& rows) {
    const Reals before = now_.v;
    std::vector<bool> settled(rows.size(), false);
    for (bool again = true; again;) {
        now_.v = before;
        equations_.evaluate(now_, &branches_);
        const auto law = equations_.impact(rows, before, settled);
        if (!law) throw Stopped{"nearly singular at an impact"};
        const ContactVerdict verdict = decide(*law);
        if (verdict.what != ContactVerdict::What::one || verdict.all.size() > 1)
            throw Stopped{"an impact without a single answer"};
        now_.v = equations_.answer(rows, verdict.answer, &before);
        equations_.evaluate(now_, &branches_);
        again = false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Real rate = equations_.equations().rate(rows[i]);
            if (settled[i] || model_.rows[rows[i]].restitution == 0.0 || rate < 1e-30 ||
                rate * rate > lowest_bounce)
                continue;
            settled[i] = again = true;
            note("settled", rows[i]);
        }
        for (std::size_t i = 0; !again && i < rows.size(); ++i)
            if (model_.rows[rows[i]].one_sided && verdict.answer.f[2 * i] > 1e-9)
                note("impact", rows[i]);
    }
}

void ContactFollower::take(const std::vector<std::size_t>& rows, const ContactAnswer& answer) {
    const FrictionModes before = named_;
    std::ranges::fill(grips_, Mode::open);
    std::ranges::fill(named_, Mode::open);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t r = rows[i];
        grips_[r] = named_[r] = answer.modes[i];
        if (answer.rests[i])
            named_[r] = Mode::stick;  // also where its share of the forces is at a border
        sides_[r] = model_.rows[r].one_sided || answer.f[2 * i] >= 0 ? 1 : -1;
    }
    for (const std::size_t r : equations_.contacts()) {
        if (before[r] == named_[r]) continue;
        if (before[r] == Mode::open) note("contact", r);
        else if (named_[r] == Mode::open) note("release", r);
        else note(named_[r] == Mode::stick ? "stick" : "slip", r);
    }
}

/// Impacts, then the modes of what still touches; at the border of a force these are looked at a
/// moment ahead.
void ContactFollower::settle_modes(const Point& look_at) {
    std::vector<std::size_t> rows = rows_that_touch();
    const auto rate = [&](std::size_t r) { return equations_.equations().rate(r); };
    if (std::ranges::any_of(
            rows, [&](std::size_t r) { return model_.rows[r].one_sided && rate(r) < -resting; })) {
        std::size_t closing = 0;
        for (const std::size_t r : rows) {
            if (grips_[r] != Mode::open || rate(r) >= -resting) continue;
            if (rate(r) > -slow && model_.rows[r].restitution == 0.0)
                throw Stopped{"a contact that closes slowly"};
            // In one impact or one after the other: the outcome is not the same, and rounding
            // decides.
            if (++closing > 1) throw Stopped{"contacts that close within rounding of each other"};
        }
        strike(rows);
    }
    std::erase_if(rows,
                  [&](std::size_t r) { return model_.rows[r].one_sided && rate(r) > resting; });
    std::vector<int> moves;
    for (const std::size_t r : rows)
        moves.push_back(!moving(r) ? 0 : equations_.slip(r) > 0.0 ? 1 : -1);
    if (look_at.t > now_.t) equations_.evaluate(look_at, &branches_);
    auto law = equations_.law(rows, moves);
    if (!law) throw Stopped{"nearly singular on the way"};
    const ContactVerdict verdict = decide(*law);
    using What = ContactVerdict::What;
    if (verdict.what == What::one) return take(rows, verdict.answer);
    if (verdict.what == What::near) throw Stopped{"modes near their borders"};
    throw Stopped{verdict.what == What::none ? "no force" : "several motions"};
}

/// The part of h at which watched value `which` is 0 (Illinois); `end`, where it is negative,
/// becomes the state there.
Real ContactFollower::locate(std::size_t which, const Real& h, Point& end) {
    Real a = 0.0, b = h, at_a = watched(now_)[which].value, at_b = watched(end)[which].value;
    for (int k = 0; k < 60 && at_a <= away;
         ++k) {  // a mode may begin where this is 0: the search begins behind that
        const Real part = h * std::ldexp(0.5, -k);
        Point inner = now_;
        if (!step(part, inner)) throw Stopped{"an end of a mode cannot be located"};
        const Real f = watched(inner)[which].value;
        if (f < -located) b = part, at_b = f, end = inner;
        else a = part, at_a = f;
    }
    if (at_a <= 0.0) throw Stopped{"a mode that ends where it begins"};
    int side = 0;
    for (int round = 0; round < 100 && b - a > 1e-22; ++round) {
        Real middle = b - at_b * (b - a) / (at_b - at_a);
        if (round % 4 == 3 || !(middle > a && middle < b)) middle = (a + b) / 2.0;
        Point inner = now_;
        if (!step(middle, inner)) throw Stopped{"an end of a mode cannot be located"};
        const Real f = watched(inner)[which].value;
        if (f > 0.0) {
            a = middle, at_a = f;
            if (side == 1) at_b /= 2.0;
            side = 1;
        } else {
            b = middle, at_b = f, end = inner;
            if (side == -1) at_a /= 2.0;
            side = -1;
            if (f >= -located) break;
        }
    }
    return b;
}

/// The mode ends where the first of the watched values is 0.
void ContactFollower::end_mode(Real h, Point end) {
    if (++turns_ > 400) throw Stopped{"too many changes"};
    Watched turn;
    std::vector<Watched> values = watched(end);
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (values[k].value >= -located) continue;
        h = locate(k, h, end);
        values = watched(end);
        turn = values[k];
    }
    if (turn.what != Watch::decision && abs(turn.value) > 1e-12)
        throw Stopped{"a gap or a force that jumps"};
    end.t = now_.t + h;
    now_ = end;
    Point later = now_;
    const bool on_a_border = turn.what == Watch::force || turn.what == Watch::cone;
    if (on_a_border && !step(ahead, later)) throw Stopped{"an end of a mode cannot be located"};
    if (turn.what == Watch::decision) choose_branches();
    settle_modes(later);
}

void ContactFollower::go_to(double end) {
    while (now_.t < end) {
        Real h = step_ > longest_step ? Real(longest_step) : step_;
        const bool is_last = now_.t + h * 1.001 >= end;
        if (is_last) h = Real(end) - now_.t;
        Point next = now_;
        if (!step(h, next)) {
            step_ = h * 0.5;
            if (step_ < 1e-12) throw Stopped{"the reference does not converge"};
            continue;
        }
        const std::vector<Watched> values = watched(next);
        if (std::ranges::any_of(values, [](const Watched& one) { return one.value < -located; })) {
            end_mode(h, next);
            continue;
        }
        if (h > shortest_look && may_dip(values, next)) {
            step_ = h * 0.5;
            continue;
        }
        if (is_last) next.t = end;
        now_ = next;
        step_ *= 1.3;
    }
}

}  // namespace

ContactMotion follow_contacts(const Model& model, const Point& from,
                              const std::vector<double>& times, const Reals& push) {
    ContactMotion motion;
    try {
        ContactFollower follower(model, from, push);
        try {
            for (const double time : times) {
                follower.go_to(time);
                follower.motion.rows.push_back(follower.now());
            }
        } catch (const Stopped& stopped) {
            follower.motion.why = stopped.why;
        }
        return follower.motion;
    } catch (const Stopped& stopped) {
        motion.why = stopped.why;
    }
    return motion;
}

}  // namespace hunt
