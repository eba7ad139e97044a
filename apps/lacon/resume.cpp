// Compares every given option by value, not by its spelling, with what the run began with. The
// first mismatch is an error that names the option and the old value; only the end of the run may
// change.
#include "resume.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/files.hpp"
#include "base/text.hpp"

namespace lacon::app {

namespace {

/// Compares what is given with what the run began with.
class SameOptions {
public:
    SameOptions(const RunCommandOptions& given, const Checkpoint& run, const DerivedModel& details)
        : given_(given), run_(run), plan_(run.plan), details_(details) {}

    void check() const {
        settings("--set", given_.set, run_.set);
        settings("--plant", given_.plant, run_.plant);
        start();
        const TimeSpan span = time_span(details_, given_);
        value("--t", span.begin, plan_.begin);
        value("--every", span.every, plan_.every);
        value("--tol", number_of("--tol", given_.tolerance), plan_.tolerance);
        value("--step", number_of("--step", given_.step), plan_.step);
        value("--max-step", number_of("--max-step", given_.max_step), plan_.max_step);
        value("--rank-tol", given_.rank_tol, plan_.options.solve.rank_tol);
        name("--method", given_.method, text(name_of(plan_.method)));
        name("--impacts", given_.impacts, text(name_of(plan_.impacts)));
        name("--solver", given_.solver,
             plan_.options.solver.empty() ? "auto" : text(plan_.options.solver));
        name("--target", given_.target, text(plan_.options.target));
        name("--on-singular", given_.on_singular,
             plan_.options.through_singular ? "continue" : "stop");
        stabilize();
        flag("--strict", given_.strict, plan_.options.strict);
        flag("--diagnose", given_.diagnose, plan_.options.diagnose);
        flag("--interpret", given_.interpret, plan_.options.interpret);
        flag("--feedforward", !given_.feedforward.empty(), !run_.feedforward.empty());
        flag("--columns", !given_.columns.empty(), !run_.columns.empty());
        out();
    }

private:
    Stop other(const std::string& option, const std::string& began, const std::string& now) const {
        return bad_input(
            given_.path, option,
            fmt::format("the checkpoint has {}, not {}; a resumed run keeps its options", began,
                        now));
    }
    std::optional<double> number_of(const char* option, const std::string& text) const {
        return text.empty() ? std::nullopt : std::optional(number(details_, option, text));
    }

    static std::string text(std::string_view name) { return std::string(name); }

    void value(const char* option, std::optional<double> now, double began) const {
        if (now && *now != began) throw other(option, shortest(began), shortest(*now));
    }
    void name(const char* option, const std::string& now, const std::string& began) const {
        if (!now.empty() && now != began)
            throw other(option, fmt::format("'{}'", began), fmt::format("'{}'", now));
    }
    void flag(const char* option, bool now, bool began) const {
        if (now && !began)
            throw bad_input(
                given_.path, option,
                "the original run did not use this option; a resumed run keeps its options");
    }

    /// Of --set and --plant: a value that is given must be the one in force.
    void settings(const char* option, const std::vector<std::string>& now,
                  const std::vector<std::string>& began) const {
        const bool plant = std::string_view(option) == "--plant";
        std::map<std::string, double> in_force;
        for (const Parameter& p : details_.model.parameters) in_force[p.name] = p.value;
        if (!plant) {  // what is loaded has the plant's values
            for (const auto& [name, x] : parse_settings(given_.path, option, run_.plant))
                in_force.erase(name);
            for (const auto& [name, x] : parse_settings(given_.path, option, began))
                in_force[name] = x;
        }
        for (const auto& [name, x] : parse_settings(given_.path, option, now)) {
            const auto found = in_force.find(name);
            if (found == in_force.end())
                throw bad_input(
                    given_.path, option,
                    fmt::format(
                        "the original run did not set '{}'; a resumed run keeps its options",
                        name));
            if (found->second != x)
                throw other(option, fmt::format("{} = {}", name, shortest(found->second)),
                            fmt::format("{} = {}", name, shortest(x)));
        }
        if (plant) flag(option, !now.empty(), !began.empty());
    }

    using StartValues = std::map<std::pair<std::size_t, bool>, std::pair<double, bool>>;
    StartValues start_values(const std::vector<std::string>& texts) const {
        StartValues values;
        for (const std::string& text : texts)
            for (const NamedValue& named : named_values(details_, "--start", text)) {
                const StartOverride& v = named.value;
                if (!named.is_time) values[{v.coordinate, v.velocity}] = {v.value, v.guess};
            }
        return values;
    }
    void start() const {
        const StartValues began = start_values(run_.start);
        for (const auto& [which, now] : start_values(given_.start)) {
            const std::string name =
                details_.coordinate_names[which.first] + (which.second ? "'" : "");
            const auto text = [&](const std::pair<double, bool>& value) {
                return fmt::format("{} {} {}", name, value.second ? "~" : "=",
                                   shortest(value.first));
            };
            const auto found = began.find(which);
            if (found == began.end())
                throw bad_input(
                    given_.path, "--start",
                    fmt::format("the original run did not use {}; a resumed run keeps its options",
                                text(now)));
            if (found->second != now) throw other("--start", text(found->second), text(now));
        }
    }

    void stabilize() const {
        if (given_.stabilize.empty()) return;
        const auto text = [](Stabilize how, double rate) {
            return how == Stabilize::project ? "project"
                   : how == Stabilize::none  ? "none"
                                             : "baumgarte:" + shortest(rate);
        };
        const RunOptions& began = plan_.options;
        const auto [how, rate] = stabilize_of(details_, given_);
        const std::string now = text(how, rate), then = text(began.stabilize, began.baumgarte);
        if (now != then) throw other("--stabilize", then, now);
    }

    void out() const {
        if (given_.out.empty() || given_.out == run_.out) return;
        if (run_.out.empty())
            throw bad_input(given_.path, "--out", "the original run wrote no file");
        if (!same_file(given_.out, run_.out))
            throw bad_input(given_.path, "--out",
                            fmt::format("the original run wrote to '{}'", run_.out));
    }

    const RunCommandOptions& given_;
    const Checkpoint& run_;
    const RunPlan& plan_;
    const DerivedModel& details_;
};

}  // namespace

void check_same_options(const RunCommandOptions& given, const Checkpoint& run,
                        const DerivedModel& details) {
    SameOptions(given, run, details).check();
}

double resumed_end(const RunCommandOptions& given, const Checkpoint& run,
                   const DerivedModel& details) {
    const std::optional<double> end = time_span(details, given).end;
    if (!end) return run.plan.end;
    if (!(*end > run.snapshot.time.now()))
        throw bad_input(given.path, given.end.empty() ? "--t" : "--t-end",
                        "the checkpoint is past this time");
    return *end;
}

}  // namespace lacon::app
