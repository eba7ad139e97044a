// A motion with contacts and friction: the laws at every row, the oracle's motion and events, and
// the same events at other tolerances.

#include <algorithm>
#include <cmath>

#include "hunt/contact_run.hpp"

namespace hunt {
namespace {

constexpr double most_growth = 1e5;  // beyond it a comparison says little
constexpr double push = 1e-9;  // a force beside the model's, whose effect shows how errors grow
// Rows this near to an event are not compared: velocities may have jumped in one motion only.
constexpr double jump = 1e-4;

struct Truth {
    ContactMotion motion;
    // Errors of a step act on positions too, on which a push of a short time does not show.
    double growth = 10.0;
};

bool near_event(const std::vector<ContactEvent>& events, double t) {
    return std::ranges::any_of(events,
                               [&](const ContactEvent& one) { return std::abs(one.t - t) < jump; });
}

double distance(const ContactRun& run, const Point& a, const Point& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < a.q.size(); ++i)
        most = std::max({most, abs(a.q[i] - b.q[i]).nearest() / run.scale_q[i],
                         abs(a.v[i] - b.v[i]).nearest() / run.scale_v[i]});
    return most;
}

Truth truth_of(const Case& one, const ContactRun& run) {
    std::vector<double> times;
    for (std::size_t k = 1; k < run.rows.size(); ++k) times.push_back(run.rows[k].t.nearest());
    Truth truth{follow_contacts(one.model, run.rows[0], times)};
    if (!truth.motion.why.empty()) return truth;
    Dice dice(one.seed + 17);
    Reals pushed;
    for (std::size_t i = 0; i < one.model.names.size(); ++i)
        pushed.emplace_back(push * dice.either_sign(0.5, 1.0));
    const ContactMotion other = follow_contacts(one.model, run.rows[0], times, pushed);
    if (truth.motion.why = other.why; !other.why.empty()) return truth;
    for (std::size_t k = 0; k < times.size(); ++k)
        if (!near_event(truth.motion.events, times[k]))
            truth.growth = std::max(
                truth.growth, 10.0 * distance(run, truth.motion.rows[k], other.rows[k]) / push);
    if (!(truth.growth < most_growth)) truth.motion.why = "small errors grow too much";
    return truth;
}

Verdict compare(const Case& one, const ContactRun& run, const Truth& truth) {
    Verdict verdict;
    verdict.allowed = 5.0 * one.plan.tolerance * static_cast<double>(run.steps + 10) * truth.growth;
    // Bounces lower than 1e-11 are left out by the engine. Their speeds are about 1e-5, and turning
    // and friction within them bring a part of that.
    if (std::ranges::count(truth.motion.events, "settled", &ContactEvent::kind) > 0)
        verdict.allowed += 1e-5;
    for (std::size_t k = 1; k < run.rows.size(); ++k) {
        if (near_event(truth.motion.events, run.rows[k].t.nearest())) continue;
        const double error = distance(run, run.rows[k], truth.motion.rows[k - 1]);
        verdict.error = std::max(verdict.error, error);
        if (error <= verdict.allowed || verdict.result == Result::failed) continue;
        verdict.result = Result::failed;
        verdict.what = "at t = " + shortest(run.rows[k].t.nearest()) + " off by " +
                       shortest(Dice::rounded(error)) + ", allowed " +
                       shortest(Dice::rounded(verdict.allowed));
        for (std::size_t i = 0; i < one.model.names.size(); ++i)
            verdict.what += "; " + one.model.names[i] + " = " +
                            shortest(run.rows[k].q[i].nearest()) + ", expected " +
                            shortest(truth.motion.rows[k - 1].q[i].nearest());
    }
    return verdict;
}

/// Bounces without end, and rocking from contact to contact, are cut where the tolerance says: only
/// the first can be compared.
std::size_t comparable_events(const Model& model) {
    const auto bounces = [](const Model::Row& row) {
        return row.one_sided && row.restitution > 0.0;
    };
    const auto one_sided = std::ranges::count(model.rows, true, &Model::Row::one_sided);
    return one_sided > 1 || std::ranges::any_of(model.rows, bounces) ? 6 : 1000;
}

/// The same events in the same order at finer and coarser tolerances, where the motions end alike.
Verdict check_tolerances(const Case& one, const ContactRun& fine) {
    for (const double tolerance : {1e-7, 1e-9, 1e-11}) {
        const ContactRun run = run_contacts(one, tolerance);
        if (!run.status || run.slow)
            return {Result::refused,
                    "at the tolerance " + shortest(tolerance) + ": " + run.status.message};
        const double apart = distance(fine, run.rows.back(), fine.rows.back());
        if (apart > 1e-3)
            continue;  // another course: sensitive, or wrong, which only the oracle can tell
        const std::string what =
            difference(in_order(run.events), in_order(fine.events),
                       std::sqrt(tolerance) * 10.0 + 10.0 * apart, comparable_events(one.model));
        if (!what.empty())
            return {Result::failed, "at the tolerance " + shortest(tolerance) + " and not at " +
                                        shortest(one.plan.tolerance) + ": " + what};
    }
    return {};
}

}  // namespace

Verdict check_contact_motion(const Case& one) {
    const ContactRun run = run_contacts(one, one.plan.tolerance);
    if (!run.refused.empty()) return {Result::refused, run.refused};
    if (run.slow) return {Result::refused, "slow: the run took more than 10 s"};
    if (!run.status) {
        if (run.status.message.empty())
            return {Result::failed, "a run that failed without a message"};
        const Point from{Real(one.model.begin), Reals(one.model.q.begin(), one.model.q.end()),
                         Reals(one.model.v.begin(), one.model.v.end())};
        const ContactMotion motion = follow_contacts(one.model, from, {one.model.end});
        return {Result::refused,
                (motion.why.empty() ? "though the oracle goes on: " : "") + run.status.message};
    }
    const Verdict laws = check_laws(one, run);
    if (laws.result == Result::failed || one.laws_only) return laws;
    const Truth truth = truth_of(one, run);
    if (truth.motion.why.empty()) {
        const Verdict verdict = compare(one, run, truth);
        if (verdict.result == Result::failed) return verdict;
        const std::string events =
            difference(in_order(run.events), in_order(truth.motion.events),
                       1e-6 + 100.0 * verdict.allowed, comparable_events(one.model));
        if (!events.empty()) return {Result::failed, events};
        const Verdict others = check_tolerances(one, run);
        return others.result == Result::agreed ? verdict : others;
    }
    const Verdict others = check_tolerances(one, run);
    return others.result == Result::agreed ? Verdict{Result::unsuited, truth.motion.why} : others;
}

}  // namespace hunt
