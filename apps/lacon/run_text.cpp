// The summary of a run for people: what was asked for first (final state, outputs, events), then
// how it was computed. It is a list of sections; a new one is a function more in `sections`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.hpp"
#include "diagnosis_report.hpp"
#include "driver/plan/choose.hpp"
#include "layout.hpp"
#include "run_report.hpp"
#include "verify_report.hpp"

namespace lacon::app {

namespace {

constexpr std::size_t most_events_shown = 12, most_controls_shown = 8, most_lines_shown = 12;

/// A table below a label: names on the left, numbers in columns.
std::string table(const std::string& label, const std::vector<std::string>& columns,
                  const std::vector<std::string>& names,
                  const std::function<double(std::size_t, std::size_t)>& value) {
    constexpr std::size_t least_width = 14, most_width = 40;
    const std::size_t shown = std::min(names.size(), most_lines_shown);
    std::size_t width = least_width;
    for (std::size_t i = 0; i < shown; ++i)
        width = std::max(width, std::min(most_width, count_characters(names[i]) + 4));
    const auto padded = [&](const std::string& text, std::size_t indent) {
        const std::size_t length = indent + count_characters(text);
        return std::string(indent, ' ') + text +
               std::string(length < width ? width - length : 0, ' ');
    };
    std::string text = padded(label, 2);
    for (const std::string& column : columns) text += fmt::format(" {:>13}", column);
    text += '\n';
    for (std::size_t i = 0; i < shown; ++i) {
        text += padded(names[i], 4);
        for (std::size_t c = 0; c < columns.size(); ++c)
            text += fmt::format(" {:>13}", rounded(value(i, c), 8));
        text += '\n';
    }
    if (names.size() > shown)
        text += fmt::format("    and {} more (--json lists all)\n", names.size() - shown);
    return text;
}

std::string outcome(const RunReport& r) {
    const MotionSummary& s = r.summary;
    std::string text;
    if (!r.status) text += fmt::format("{}: {}\n", name_of(r.status.outcome), r.status.message);
    if (s.method.empty()) return text;
    return text + fmt::format("{}: t = {} .. {}{}\n", r.details.name, rounded(s.begin),
                              rounded(s.final.t, 10),
                              s.final.t < s.end ? fmt::format(" of {}", rounded(s.end, 10)) : "");
}

std::string final_state(const RunReport& r) {
    const State& state = r.summary.final;
    if (!r.begun || state.q.empty()) return {};
    std::vector<std::size_t> shown;  // not what only serves the forces of joints
    std::vector<std::string> names;
    for (std::size_t i = 0; i < state.q.size(); ++i) {
        if (r.details.model.coordinates[i].hidden) continue;
        shown.push_back(i);
        names.push_back(r.details.coordinate_names[i]);
    }
    return table("final state", {"q", "q'"}, names, [&](std::size_t i, std::size_t c) {
        return c == 0 ? state.q[shown[i]] : state.v[shown[i]];
    });
}

std::string outputs(const RunReport& r) {
    if (!r.begun || r.details.model.outputs.empty()) return {};
    if (r.outputs.rows() == 0 &&
        r.details.coordinate_names.size() <= OutputRanges::most_coordinates)
        return {};  // a quiet run that was stopped
    if (r.outputs.rows() == 0)
        return line("outputs",
                    fmt::format("not computed (more than {} coordinates); use --out or --plot",
                                OutputRanges::most_coordinates));
    const auto& all = r.outputs.all();
    std::vector<std::string> names;
    for (const OutputRange& range : all) names.push_back(range.name);
    return table("outputs", {"final", "minimum", "maximum"}, names,
                 [&](std::size_t i, std::size_t c) {
                     return c == 0 ? all[i].final : c == 1 ? all[i].least : all[i].most;
                 }) +
           (r.not_unique.empty()
                ? ""
                : line("", fmt::format("not unique: {}; those of least norm are given",
                                       quoted_list(r.not_unique))));
}

std::string event_text(const MotionEvent& e, bool diagnosed) {
    const std::string time = fmt::format("t = {}", rounded(e.t, 10));
    if (e.kind == EventKind::rank)
        return fmt::format(
            "{}  rank {} -> {}{}: {}", time, e.rank_before, e.rank_after,
            e.passed ? fmt::format(" -> {}, crossed a singular position", e.rank_before) : "",
            diagnosed && !e.sets.empty() ? text_of(e.sets) : quoted_list(e.constraints));
    if (e.kind == EventKind::branch_switch) return fmt::format("{}  switch {}", time, e.name);
    if (e.kind == EventKind::impact)
        return fmt::format("{}  impact: {}", time, quoted_list(e.constraints));
    if (e.kind == EventKind::saturation)
        return e.limit == LimitSide::free
                   ? fmt::format("{}  saturation: '{}' leaves its limit", time, e.actuator)
                   : fmt::format("{}  saturation: '{}' reaches its {} limit", time, e.actuator,
                                 e.limit.name());
    if (e.kind != EventKind::event) return fmt::format("{}  {}: '{}'", time, e.kind.name(), e.name);
    return fmt::format("{}  {}", time, e.name);
}

std::string events(const RunReport& r) {
    const MotionSummary& s = r.summary;
    if (s.events.empty()) return {};
    std::string text = line("events", fmt::format("{}", s.events.size()));
    for (std::size_t i = 0; i < std::min(most_events_shown, s.events.size()); ++i)
        text += fmt::format("    {}\n", event_text(s.events[i], s.diagnosis.has_value()));
    if (s.events.size() > most_events_shown)
        text += fmt::format("    and {} more (--json lists all)\n",
                            s.events.size() - most_events_shown);
    return text;
}

std::string energy(const RunReport& r) {
    const MotionSummary& s = r.summary;
    if (!r.begun) return {};
    const std::string scale =
        s.energy_scale > 0.0
            ? fmt::format(" ({} of the energy scale)", rounded(s.worst.energy / s.energy_scale, 2))
            : "";
    return line("energy", fmt::format("{} initially, {} finally; largest change {}{}",
                                      rounded(s.energy_first), rounded(s.energy_last),
                                      rounded(s.worst.energy, 2), scale));
}

/// Energy lost, and how well the laws of contact were met.
std::string contacts(const RunReport& r) {
    const MotionSummary& s = r.summary;
    if (!r.begun) return {};
    const MotionSummary::Contact& c = s.contact;
    constexpr std::size_t shown = 6;
    std::vector<std::pair<double, std::string>> losses;
    for (const auto& [name, energy] : c.lost) losses.emplace_back(energy, name);
    std::stable_sort(losses.begin(), losses.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text, lost;
    for (std::size_t i = 0; i < std::min(shown, losses.size()); ++i)
        lost +=
            fmt::format("{}{} at '{}'", i ? ", " : "", rounded(losses[i].first), losses[i].second);
    if (losses.size() > shown) lost += fmt::format(" and {} more", losses.size() - shown);
    if (!lost.empty()) text += line("dissipated", lost);
    if (c.modes == 0 || (!s.controls.empty() && c.certified_steps == 0)) return text;
    text += line("contacts",
                 fmt::format("{}{}; residuals: gap {}, force {}, complementarity {}",
                             counted(c.modes, "mode"),
                             c.law.empty() ? "" : fmt::format(", {} impacts", c.law),
                             rounded(c.certificate.primal, 2), rounded(c.certificate.dual, 2),
                             rounded(c.certificate.complementarity, 2)));
    if (!c.forces_unique)
        text += line("", "contacts depended on each other: their forces are not unique");
    return text;
}

/// Who controlled, what it took, and how well what is required was met.
std::string controls(const RunReport& r) {
    std::string text;
    if (!r.begun) return text;
    if (!r.plant.empty())
        text +=
            line("plant", fmt::format("{} (unknown to the controller)", fmt::join(r.plant, ", ")));
    if (!r.feedforward.empty())
        text += line("feedforward", fmt::format("efforts from {}, no feedback", r.feedforward));
    const std::size_t shown = std::min(most_controls_shown, r.summary.controls.size());
    for (const MotionSummary::Control& c : std::span(r.summary.controls).first(shown)) {
        text +=
            line("control",
                 fmt::format("'{}': largest force {} (t = {}), work {}, integral of the cost {}",
                             c.name, rounded(c.force_most), rounded(c.force_most_t),
                             rounded(c.work), rounded(c.effort)));
        text += line("", fmt::format("error {} initially, {} finally, largest {} (t = {})",
                                     rounded(c.error_first, 3), rounded(c.error_last, 3),
                                     rounded(c.error_most, 3), rounded(c.error_most_t)));
        if (c.missed_most != 0.0)
            text += line("", fmt::format("largest unmet acceleration {} (t = {})",
                                         rounded(c.missed_most, 3), rounded(c.missed_most_t)));
    }
    if (r.summary.controls.size() > shown)
        text += line(
            "", fmt::format("and {} more (--json lists all)", r.summary.controls.size() - shown));
    return text;
}

/// "Taylor series", "Runge–Kutta dop853".
std::string words_for(const std::string& method) {
    static const std::vector<std::pair<std::string, std::string>> words{
        {"taylor", "Taylor series"},
        {"dop853", "Runge–Kutta dop853"},
        {"dopri5", "Runge–Kutta dopri5"},
        {"rk4", "Runge–Kutta rk4"},
        {"gauss", "Gauss–Legendre"},
        {"bdf", "backward differentiation"},
        {"adams", "Adams"},
        {"radau", "Radau IIA"},
    };
    for (const auto& [name, text] : words)
        if (name == method) return text;
    return method;
}

std::string method(const RunReport& r) {
    const MotionSummary& s = r.summary;
    if (s.method.empty()) return {};
    std::string text;
    const auto& parts = s.contact.methods;  // of modes
    const auto with_reason = [](const std::string& name, const std::string& why) {
        return words_for(name) + (why.empty() ? "" : fmt::format(" ({})", why));
    };
    if (parts.size() > 1)
        for (const auto& [name, why] : parts)
            text += (text.empty() ? "" : ", ") + with_reason(name, why);
    else text = with_reason(s.method, s.why);
    if (has_fixed_step(s.method))
        return line("method", fmt::format("{}, fixed step {}", text, rounded(r.step)));
    return line("method", fmt::format("{}, local tolerance {}", text, rounded(s.tolerance, 3)));
}

/// Of a fixed step: no tolerance bounds it.
std::string error(const RunReport& r) {
    if (!r.error) return {};
    const ErrorEstimate& e = *r.error;
    if (!e.why_not.empty()) return line("error", fmt::format("unknown: {}", e.why_not));
    return line(
        "error",
        fmt::format("about {} in the final state (estimated from runs with steps {} and {})",
                    rounded(e.largest, 2), rounded(e.others[0]), rounded(e.others[1])));
}

std::string verification(const RunReport& r) {
    return r.summary.verification ? verification_text(*r.summary.verification, r.summary) : "";
}

std::string work(const RunReport& r) {
    const MotionSummary& s = r.summary;
    if (s.method.empty()) return {};
    std::string text =
        line("work",
             fmt::format("{}{}, {}, {}; {} s", counted(s.steps, "step"),
                         s.rejected > 0 ? fmt::format(", {} rejected", s.rejected) : "",
                         counted(s.evaluations, "evaluation"),
                         counted(s.factorizations, "factorization"), rounded(s.wall_seconds, 3)));
    if (!s.solve.empty()) text += line("solve", s.solve);
    return text;
}

std::string constraints(const RunReport& r) {
    const MotionSummary& s = r.summary;
    if (!r.begun || r.details.system.row_count() == 0) return {};
    std::string rank = fmt::format("{}", s.rank_first);
    if (s.rank_min != s.rank_max)
        rank += fmt::format(" initially, {} to {} during the run", s.rank_min, s.rank_max);
    return line("constraints",
                fmt::format("largest residual {} in positions, {} in velocities (relative)",
                            rounded(s.worst.position, 2), rounded(s.worst.velocity, 2))) +
           line("rank", rank);
}

std::string diagnosis(const RunReport& r) {
    return r.summary.diagnosis ? diagnosis_text(r.summary) : "";
}

std::string warnings(const RunReport& r) {
    std::string text;
    for (const std::string& warning : warnings_of(r)) text += line("warning", warning);
    return text;
}

std::string files(const RunReport& r) {
    std::string text;
    if (!r.out.empty()) text += line("rows", fmt::format("{} in {}", r.rows, r.out));
    if (!r.plot.empty()) text += line("picture", r.plot);
    if (!r.page.empty()) text += line("page", r.page + ", open it in a browser");
    if (!r.video.empty()) text += line("video", r.video);
    return text;
}

using Section = std::string (*)(const RunReport&);
constexpr Section results[] = {outcome, final_state, outputs, events, energy, contacts, controls};
constexpr Section computation[] = {method,      error,     verification, work,
                                   constraints, diagnosis, warnings,     files};

/// Whether the start is meant to be elsewhere than at zero and at rest, however little: not by what
/// rounding leaves of zeros.
bool begins_beside_zero(const RunReport& r) {
    constexpr double rounding = 1e-15;
    const State& state = r.start.state;
    for (const std::vector<double>* values : {&state.q, &state.v})
        for (const double x : *values)
            if (std::abs(x) > rounding) return true;
    const std::vector<StartValue>& stated = r.details.model.start;
    return std::any_of(stated.begin(), stated.end(), [&](const StartValue& value) {
        return !value.guess && (value.velocity ? state.v : state.q)[value.coordinate] != 0.0;
    });
}

}  // namespace

std::vector<std::string> warnings_of(const RunReport& r) {
    std::vector<std::string> warnings;
    if (!r.warning.empty()) warnings.push_back(r.warning);
    const MotionSummary& s = r.summary;
    const bool moves = s.largest > s.tolerance || (s.largest > 0.0 && begins_beside_zero(r));
    if (!has_fixed_step(s.method) && moves && s.largest < 1e5 * s.tolerance)
        warnings.push_back(
            fmt::format("the largest coordinate is {}; below 1 the tolerance {} is absolute: use a "
                        "smaller tolerance or other units",
                        rounded(s.largest, 3), rounded(s.tolerance, 3)));
    if (s.undecided > 0)
        warnings.push_back(
            fmt::format("at the end of {}, singular values of the constraints were too close to "
                        "the rank tolerance to decide the rank",
                        counted(s.undecided, "step")));
    if (s.rounding.steps > 0)
        warnings.push_back(
            fmt::format("from t = {}, rounding in the accelerations exceeds the tolerance {}: {} "
                        "ran at an effective tolerance of {}. A smaller tolerance will not help",
                        rounded(s.rounding.t, 6), rounded(s.tolerance, 3),
                        counted(s.rounding.steps, "step"), rounded(s.rounding.tolerance, 2)));
    const auto passed = std::count_if(s.events.begin(), s.events.end(),
                                      [](const MotionEvent& e) { return e.passed; });
    if (passed > 0 && !s.solve.empty() && s.handovers == 0)
        warnings.push_back(
            fmt::format("the run crossed {} without resolving the branch; use --solver dense to "
                        "cross it reliably",
                        counted(static_cast<std::size_t>(passed), "singular position")));
    if (s.contact.gained > 1e-9 * s.energy_scale)
        warnings.push_back(fmt::format(
            "an impact increased the energy by {}; Newton's restitution with friction can do this",
            rounded(s.contact.gained, 3)));
    return warnings;
}

std::string text_of(const RunReport& r) {
    std::string text;
    for (const Section section : results) text += section(r);
    if (r.summary.method.empty()) return text;
    for (const Section section : computation) text += section(r);
    return text;
}

}  // namespace lacon::app
