// Theory 5 as a computation. G₁ is the box of all q, q' within `radius` of the centre and t within
// `span`; μ bounds the components of the first-order right-hand side f = (q', q'') over it
// (exists/bound.hpp); regularity of [M Aᵀ; A 0] in every piece of it shows that the rank cannot
// drop. Then (P4 Thm 1) a solution exists for |t − t₀| < h = min(D, b)/(1 + μ √(2n)), and (P4 Thm
// 2) only one where f is differentiable. The same bounds by components give Peano's interval min(b,
// min_i radius / max |f_i|), in which no solution can leave the box: never shorter than h.
#include "exists/exists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "contact/loads.hpp"
#include "exists/bound.hpp"
#include "exists/constancy.hpp"
#include "exists/continuation.hpp"
#include "state/evaluate.hpp"
#include "state/verdict.hpp"

namespace lacon::inline existence {

namespace {

/// The two intervals of a box with these bounds, rounded down.
struct Intervals {
    double h = 0.0, by_components = 0.0;
};
Intervals intervals_of(const Bound& bound, double radius, double span) {
    const std::size_t dimension = bound.largest.size();
    const Interval reach(std::min(radius, span));
    const Interval h = reach / (Interval(1.0) + Interval(bound.mu) *
                                                    sqrt(Interval(static_cast<double>(dimension))));
    Intervals result{h.low, span};
    for (const double f : bound.largest)
        if (f > 0.0)
            result.by_components =
                std::min(result.by_components, (Interval(radius) / Interval(f)).low);
    return result;
}

class ExistenceSearch {
public:
    ExistenceSearch(const DerivedModel& details, const State& centre, const NeededRows& rows,
                    const ExistsOptions& options)
        : options_(options), centre_(centre), field_(details, rows.needed) {}

    struct Choice {
        double radius = 0.0, span = 0.0;
        Bound bound;
        bool holds() const { return bound.proven && bound.smoothness != Smoothness::broken; }
        double h() const { return holds() ? intervals_of(bound, radius, span).h : 0.0; }
    };

    Choice with(double radius, std::size_t budget, double tightness, const std::string& what) {
        const double span = options_.span.value_or(radius);
        BoundOptions bound{budget, tightness, {}};
        if (options_.progress)
            bound.progress = [&](std::size_t boxes, double) {
                return options_.progress(what,
                                         static_cast<double>(boxes) / static_cast<double>(budget));
            };
        Choice choice{radius, span, bound_over(field_, box_around(centre_, radius, span), bound)};
        used_ += choice.bound.boxes;
        return choice;
    }

    /// h grows with the box while the bound does not, and falls again: the largest is bracketed by
    /// doubling, then narrowed down. With cheap bounds, which take half of the budget together at
    /// most; the last word has what is left of it.
    Choice best() {
        constexpr double coarse = 0.1, least_gain = 1.02;
        const std::string what = "choosing the box";
        const std::size_t cheap = std::max<std::size_t>(budget() / 20, 1),
                          half = std::max<std::size_t>(budget() / 2, 1);
        const auto trial = [&](double radius) { return with(radius, cheap, coarse, what); };
        const auto may_try = [&] { return used_ + cheap <= half; };
        double size = 1e-3;
        for (const double q : centre_.q) size = std::max(size, 1e-3 * std::abs(q));
        Choice best = trial(size);
        for (int i = 0; i < 12 && !best.holds() && !best.bound.stopped && may_try(); ++i)
            best = trial(size *= 0.1);
        if (!best.holds()) return best;
        double low = size, high = size;
        for (int i = 0; i < 24 && may_try(); ++i) {
            Choice next = trial(high *= 2.0);
            if (next.bound.stopped) return next;
            if (next.h() <= least_gain * best.h()) break;
            low = 0.5 * best.radius;
            best = std::move(next);
        }
        for (int i = 0; i < 8 && may_try(); ++i) {  // the wider side of the two is cut
            const bool above = high / best.radius > best.radius / low;
            const double radius =
                above ? std::sqrt(high * best.radius) : std::sqrt(low * best.radius);
            Choice next = trial(radius);
            if (next.bound.stopped) return next;
            if (next.h() > best.h()) {
                (above ? low : high) = best.radius;
                best = std::move(next);
            } else {
                (above ? high : low) = radius;
            }
        }
        return with(best.radius, std::max(budget() - std::min(budget(), used_), cheap),
                    options_.tightness, "bounding the right-hand side");
    }

    /// A piece takes time as the cube of the number of equations.
    std::size_t budget() const {
        constexpr double most = 10000.0, least = 50.0, work = 4e7;
        const double size = static_cast<double>(field_.size());
        return options_.budget.value_or(
            static_cast<std::size_t>(std::clamp(work / (size * size * size), least, most)));
    }

private:
    const ExistsOptions& options_;
    const State& centre_;
    BoxField field_;
    std::size_t used_ = 0;  // pieces, of all boxes tried
};

std::string place_text(const DerivedModel& details, const State& state) {
    constexpr std::size_t shown = 6;
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, state.q.size()); ++i)
        text += fmt::format("{}{} = {}", i ? ", " : "", details.coordinate_names[i],
                            rounded(state.q[i], 4));
    return state.q.size() > shown ? text + ", ..." : text;
}

Status why_unproven(const DerivedModel& details, const Bound& bound, double radius) {
    if (bound.stopped) return {Outcome::interrupted, "stopped before anything was proven", {}};
    if (bound.exhausted && bound.across > 1.0 / 64)
        return {Outcome::unproven,
                fmt::format("could not prove that the motion exists within {} of the centre: {} "
                            "boxes were not enough; try a larger --budget or a smaller --radius",
                            rounded(radius, 4), bound.boxes),
                {}};
    const std::string where = place_text(details, bound.where);
    const std::string more =
        bound.exhausted ? fmt::format(" (after {} boxes; a larger --budget may help)", bound.boxes)
                        : fmt::format(" (in a piece 1/{} of the box)",
                                      std::lround(1.0 / std::max(bound.across, 1e-9)));
    if (bound.trouble == Enclosure::Verdict::undefined)
        return {
            Outcome::unproven,
            fmt::format("could not prove that the motion exists within {} of the centre: {} may "
                        "have no finite value near {}{}",
                        rounded(radius, 4),
                        text_of(details.model, details.system.origins[bound.origin]), where, more),
            {}};
    return {Outcome::unproven,
            fmt::format("could not prove that the motion exists within {} of the centre: the rank "
                        "of the constraints may drop near {}{}",
                        rounded(radius, 4), where, more),
            {}};
}

/// What the theorem does not speak of.
Status refusal(const DerivedModel& details) {
    if (!details.model.controls.empty())
        return {Outcome::unproven,
                "could not prove that the motion exists: control efforts are not among the forces "
                "that the theorem bounds",
                {}};
    if (details.has_contacts())
        return {Outcome::unproven,
                "could not prove that the motion exists: one-sided constraints and friction change "
                "the rank during the motion, which the theorem does not allow",
                {}};
    if (!Loads(details.system).is_empty())
        return {Outcome::unproven,
                "could not prove that the motion exists: a nonideal force depends on the forces of "
                "constraint themselves",
                {}};
    if (details.system.graph.has_data())
        return {Outcome::unproven,
                "could not prove that the motion exists: the equations contain data, whose pieces "
                "the proofs do not cover",
                {}};
    constexpr std::size_t most = 300;  // coordinates and rows; a box of so many takes seconds
    const std::size_t n = details.system.coordinate_count, m = details.system.row_count();
    if (n + m > most)
        return {Outcome::too_large,
                fmt::format("{} and {} are too many for the proofs (at most {} together)",
                            counted(n, "coordinate"), counted(m, "constraint row"), most),
                {}};
    return {};
}

void put_in_words(Existence& e, const Bound& bound) {
    e.proven.push_back(fmt::format(
        "no component of the right-hand side exceeds mu in the box (largest value found: {})",
        rounded(e.mu_reached, 6)));
    if (e.rank > 0)
        e.proven.push_back(
            fmt::format("{} independent in every state of the box: the rank does not drop below {}",
                        e.rank == 1   ? fmt::format("'{}' stays", e.rows[0])
                        : e.rank <= 6 ? quoted_list(e.rows) + " stay"
                                      : fmt::format("{} constraint rows stay", e.rank),
                        e.rank));
    for (const Dropped& d : e.dropped) (d.proven ? e.proven : e.tested).push_back(d.text);
    switch (bound.smoothness) {
        case Smoothness::smooth:
            e.proven.push_back(
                "the right-hand side is differentiable in the box: the motion is unique (theorem "
                "2)");
            break;
        case Smoothness::lipschitz:
            e.proven.push_back(
                "the right-hand side has kinks in the box, but bounded slopes: the motion is "
                "unique (Picard, Lindelöf)");
            break;
        default:
            e.proven.push_back(
                "the right-hand side is continuous in the box; uniqueness of the motion is not "
                "proven");
            break;
    }
}

void take_bound(Existence& e, const ExistenceSearch::Choice& choice) {
    const Intervals intervals = intervals_of(choice.bound, choice.radius, choice.span);
    e.mu = choice.bound.mu;
    e.mu_reached = choice.bound.reached;
    e.h = intervals.h;
    e.h_box = std::max(intervals.by_components, intervals.h);
    e.differentiable = choice.bound.smoothness == Smoothness::smooth;
    e.unique = choice.bound.smoothness <= Smoothness::lipschitz;
    put_in_words(e, choice.bound);
}

}  // namespace

Existence exists(const DerivedModel& details, const Start& start, const ExistsOptions& options) {
    Existence e;
    e.centre = start.state;
    e.dimension = 2 * details.system.coordinate_count;
    e.status = start.status ? refusal(details) : start.status;
    if (!e.status) return e;
    const Evaluation at = evaluate_without_outputs(details, e.centre, options.solve);
    e.status = at.status;
    if (!e.status) return e;
    for (const ConstraintReport& c : at.constraints)
        if (c.level != Level::acceleration)
            e.off = std::max({e.off, std::abs(c.residual), std::abs(c.velocity_residual)});
    const NeededRows rows =
        needed_rows(details.system.row_count(), at.solution.dependent, at.solution.unneeded);
    e.rank = rows.needed.size();
    e.rows = names_of(details, rows.needed);

    ExistenceSearch search(details, e.centre, rows, options);
    e.chosen = !options.radius;
    const ExistenceSearch::Choice choice =
        options.radius ? search.with(*options.radius, search.budget(), options.tightness,
                                     "bounding the right-hand side")
                       : search.best();
    e.boxes = choice.bound.boxes;
    e.radius = e.D = choice.radius;
    e.span = choice.span;
    if (choice.bound.proven && choice.bound.smoothness == Smoothness::broken)
        e.status = {
            Outcome::unproven,
            fmt::format(
                "could not prove that the motion exists within {} of the centre: a decision (if, "
                "sign, ...) may switch there, and the right-hand side may jump",
                rounded(choice.radius, 4)),
            {}};
    else if (!choice.bound.proven) e.status = why_unproven(details, choice.bound, choice.radius);
    if (!e.status) return e;
    e.dropped = why_dropped(details, rows, at, choice.radius, options);
    e.rank_proven =
        std::all_of(e.dropped.begin(), e.dropped.end(), [](const Dropped& d) { return d.proven; });
    for (const Dropped& d : e.dropped)
        if (!d.proven && (d.samples == 0 || d.held < d.samples))
            e.status = {Outcome::unproven,
                        fmt::format("could not prove that the motion exists within {} of the "
                                    "centre: the rank is not shown to be constant there; {}",
                                    rounded(choice.radius, 4), d.text),
                        {d.name}};
    if (!e.status) return e;
    take_bound(e, choice);
    if (options.until) e.verified = continue_until(details, rows.needed, e.centre, options);
    return e;
}

}  // namespace lacon::existence

namespace lacon {

Existence exists(const Mechanism& mechanism, const ExistsOptions& options) {
    return exists(mechanism.details(), mechanism.start(options.solve), options);
}

Existence exists(const Mechanism& mechanism, const State& centre, const ExistsOptions& options) {
    Start start;
    start.state = centre;
    return exists(mechanism.details(), start, options);
}

}  // namespace lacon
