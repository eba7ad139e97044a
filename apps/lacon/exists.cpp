// The command `lacon exists`: how far the motion is proven to exist and be unique (theory 5).
// Printed bounds are rounded to the safe side: h down, mu up.
#include "exists/exists.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "base/text.hpp"
#include "command.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "state/verdict.hpp"

namespace lacon::app {

namespace {

Json json_of(const Dropped& d) {
    Json json{{"name", d.name}, {"from", d.from}, {"proven", d.proven}, {"text", d.text}};
    if (!d.proven) json.update({{"samples", d.samples}, {"held", d.held}});
    return json;
}

Json json_of(const Verified& v) {
    Json steps = Json::array();
    for (const Verified::Step& step : v.steps)
        steps.push_back({{"t", step.t}, {"width", step.width}});
    Json json{{"until", v.until}, {"complete", v.complete}, {"boxes", v.boxes},
              {"low", v.low},     {"high", v.high},         {"steps", steps}};
    if (!v.complete) json["why"] = with_short_names(v.why);
    return json;
}

Json json_of(const DerivedModel& details, const Existence& e) {
    const auto proven = [&](double value) { return e.status ? Json(value) : Json(nullptr); };
    Json dropped = Json::array();
    for (const Dropped& d : e.dropped) dropped.push_back(json_of(d));
    Json json{
        {"model", details.name},
        {"t", e.centre.t},
        {"coordinates", details.coordinate_names},
        {"q", e.centre.q},
        {"v", e.centre.v},
        {"off", e.off},
        {"radius", e.radius},
        {"span", e.span},
        {"chosen", e.chosen},
        {"D", e.D},
        {"dimension", e.dimension},
        {"mu", proven(e.mu)},
        {"mu_reached", proven(e.mu_reached)},
        {"h", proven(e.h)},
        {"h_box", proven(e.h_box)},
        {"rank", e.rank},
        {"rows", e.rows},
        {"dropped", dropped},
        {"rank_constant", !e.status ? Json(nullptr) : Json(e.rank_proven ? "proven" : "tested")},
        {"differentiable", e.status ? Json(e.differentiable) : Json(nullptr)},
        {"unique", e.status ? Json(e.unique) : Json(nullptr)},
        {"boxes", e.boxes},
        {"proven", e.proven},
        {"tested", e.tested},
        {"status", name_of(e.status.outcome)}};
    if (e.verified) json["verified"] = json_of(*e.verified);
    if (!e.status) json["message"] = with_short_names(e.status.message);
    if (e.status.outcome == Outcome::conflict) json["conflict"] = e.status.names;
    return json;
}

const CLI::Validator positive(
    [](const std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        return *end == '\0' && value > 0.0 && std::isfinite(value)
                   ? std::string()
                   : fmt::format("'{}' is not a positive number", text);
    },
    "");
const CLI::Validator finite(
    [](const std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        return *end == '\0' && std::isfinite(value) ? std::string()
                                                    : fmt::format("'{}' is not a number", text);
    },
    "");

/// Down for what must not be larger than the proof says, up for what must not be smaller.
std::string rounded_toward(double value, int digits, double toward) {
    if (value == 0.0 || !std::isfinite(value)) return rounded(value, digits);
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - digits + 1);
    return rounded((toward < 0.0 ? std::floor(value / unit) : std::ceil(value / unit)) * unit,
                   digits);
}

std::string text_of(const DerivedModel& details, const Existence& e) {
    std::string text =
        fmt::format("{}\ncentre       {}\n", details.name, state_text(details, e.centre));
    if (e.off > 1e-9)
        text += fmt::format(
            "             the constraints are not met (residual {}); the result is for the "
            "accelerations they require\n",
            rounded(e.off, 3));
    if (e.radius > 0.0)
        text += fmt::format("box          coordinates and velocities within {}, time within {}{}\n",
                            rounded(e.radius), rounded(e.span),
                            e.chosen ? ", chosen to maximize h" : "");
    if (!e.status)
        return text +
               fmt::format("verdict      {}: {}\n", name_of(e.status.outcome), e.status.message);
    text += fmt::format(
        "exists       for |t - {}| < h = {}, with mu = {} (theorem 1); component-wise h < {}\n",
        rounded(e.centre.t), rounded_toward(e.h, 6, -1), rounded_toward(e.mu, 6, 1),
        rounded_toward(e.h_box, 6, -1));
    text += fmt::format("unique       {}\n", e.differentiable ? "yes (theorem 2)"
                                             : e.unique       ? "yes (bounded slopes)"
                                                              : "not proven");
    if (!e.rank_proven) {
        std::vector<std::string> left_out;
        for (const Dropped& d : e.dropped)
            if (!d.proven) left_out.push_back(d.name);
        const bool one = left_out.size() == 1;
        text += fmt::format(
            "provided     {} follow{} from the others (tested, not proven); the proofs leave {} "
            "out\n",
            quoted_list(left_out), one ? "s" : "", one ? "it" : "them");
    }
    for (const std::string& line : e.proven) text += fmt::format("proven       {}\n", line);
    for (const std::string& line : e.tested) text += fmt::format("tested       {}\n", line);
    text +=
        fmt::format("work         {}\n", e.boxes == 1 ? "1 box" : fmt::format("{} boxes", e.boxes));
    if (!e.verified) return text;
    const Verified& v = *e.verified;
    if (v.boxes == 0) return text + fmt::format("verified     nothing: {}\n", v.why);
    text += fmt::format(
        "verified     the motion exists and is unique from t = {} to {}: {}; the last encloses the "
        "state to within {}\n",
        rounded(e.centre.t), rounded(v.until, 10),
        v.boxes == 1 ? std::string("1 box") : fmt::format("{} boxes", v.boxes),
        rounded(v.steps.empty() ? 0.0 : v.steps.back().width, 3));
    if (!v.complete) text += fmt::format("             stopped there: {}\n", v.why);
    return text;
}

}  // namespace

void add_exists_options(CLI::App& command, ExistsCommandOptions& options) {
    add_state_options(command, options);
    add_value(command, "--radius", options.radius, "R",
              "half-width of the box in all coordinates and velocities; default: chosen to "
              "maximize h")
        ->check(positive);
    add_value(command, "--span", options.span, "B",
              "half-width of the box in time; default: the radius")
        ->check(positive);
    add_value(command, "--until", options.until, "T",
              "extend the proof to time T, or as far as possible")
        ->check(finite);
    add_value(command, "--budget", options.budget, "N",
              "maximum number of boxes to split into; default: 10000, fewer for large models")
        ->check(positive);
    command.footer(
        "Bounds are proven: interval arithmetic, always rounded outward. If a statement cannot be "
        "proven, Lacon gives the reason (status unproven, exit 1).\n\n"
        "Examples:\n"
        "  lacon exists models/pendulum.lac\n"
        "  lacon exists models/pendulum.lac --radius 0.1 --span 0.5 --json\n"
        "  lacon exists models/double_pendulum.lac --until 2");
}

int run_exists(const ExistsCommandOptions& options) {
    const Loaded loaded = load(options);
    ExistsOptions wanted;
    wanted.radius = options.radius;
    wanted.span = options.span;
    wanted.until = options.until;
    if (options.budget) wanted.budget = *options.budget;
    wanted.solve = options.solve();
    const StopInOrder order([&] { say_stopped(loaded.details->name, options.json); });
    Progress progress(!options.quiet && isatty(STDERR_FILENO));
    wanted.progress = [&](const std::string& what, double done) {
        progress.show(done, what);
        return !stop_asked();
    };
    const Existence existence = exists(*loaded.details, start_of(loaded, options), wanted);
    answer_stop();
    progress.clear();
    if (options.json) fmt::print("{}\n", json_of(*loaded.details, existence).dump(2));
    else fmt::print("{}", with_short_names(text_of(*loaded.details, existence)));
    if (!existence.status && options.json)
        tell("lacon: {}\n", with_short_names(existence.status.message));
    if (existence.status.outcome == Outcome::interrupted || stop_asked()) return exit_interrupted;
    return existence.status && (!existence.verified || existence.verified->complete) ? exit_done
                                                                                     : exit_failed;
}

}  // namespace lacon::app
