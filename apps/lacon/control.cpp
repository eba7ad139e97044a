// The command `lacon control`: inverse dynamics. It computes the efforts that meet what the
// controls require, or those along a motion from a file (--along), without integrating.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.hpp"
#include "command.hpp"
#include "hybrid/inverse.hpp"
#include "layout.hpp"
#include "output_files.hpp"
#include "picture/plot.hpp"
#include "progress.hpp"
#include "signals.hpp"

namespace lacon::app {

namespace {

/// The states of a table as a run writes it, those within the span.
std::vector<State> states_of(const DerivedModel& details, const std::string& file,
                             const TimeSpan& span) {
    const auto refused = [&](const std::string& why) {
        return bad_input(details.model.source.name(), "--along", why);
    };
    if (!known_ending(file))
        throw refused(fmt::format("'{}' must end in .csv, .json or .h5", file));
    Table table;
    try {
        table = read_table(file);
    } catch (const TableError& problem) {
        throw refused(problem.what());
    }
    const auto& names = table.info.names;
    std::vector<std::string> wanted{"t"}, missing;
    for (const char* prime : {"", "'"})
        for (const std::string& name : details.coordinate_names) wanted.push_back(name + prime);
    std::vector<const std::vector<double>*> columns;
    for (const std::string& name : wanted) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) missing.push_back(name);
        else columns.push_back(&table.columns[static_cast<std::size_t>(found - names.begin())]);
    }
    if (!missing.empty())
        throw refused(fmt::format(
            "'{}' has no column {}; states need t, the coordinates and their velocities", file,
            quoted_list(missing)));
    const std::size_t n = details.coordinate_names.size();
    std::vector<State> states;
    for (std::size_t i = 0; i < table.rows(); ++i) {
        State state{(*columns[0])[i], {}, {}};
        if ((span.begin && state.t < *span.begin) || (span.end && state.t > *span.end)) continue;
        for (std::size_t k = 0; k < wanted.size(); ++k)
            if (!std::isfinite((*columns[k])[i]))
                throw refused(fmt::format("'{}': '{}' has no finite value in row {}", file,
                                          wanted[k], i + 1));
        for (std::size_t k = 0; k < n; ++k) {
            state.q.push_back((*columns[1 + k])[i]);
            state.v.push_back((*columns[1 + n + k])[i]);
        }
        states.push_back(std::move(state));
    }
    if (states.empty()) throw refused(fmt::format("'{}' has no rows within the time span", file));
    return states;
}

struct EffortFindings {
    const DerivedModel& details;
    const InverseMotion& motion;
    const ControlCommandOptions& options;
};

Json json_of(const EffortFindings& f) {
    const InverseMotion& m = f.motion;
    const std::vector<double>& t = m.columns[0];
    Json actuators = Json::array(), controls = Json::array();
    for (const InverseMotion::Effort& e : m.efforts)
        actuators.push_back({{"name", e.actuator}, {"most", e.most.value}, {"most_t", e.most.t}});
    for (const InverseMotion::Control& c : m.controls)
        controls.push_back({{"name", c.name},
                            {"force_most", c.force.value},
                            {"force_most_t", c.force.t},
                            {"power_most", c.power.value},
                            {"power_most_t", c.power.t},
                            {"error_most", c.error.value},
                            {"error_most_t", c.error.t},
                            {"missed_most", c.missed.value},
                            {"missed_most_t", c.missed.t}});
    Json json{{"model", f.details.name},
              {"status", name_of(m.status.outcome)},
              {"begin", t.empty() ? Json(nullptr) : Json(t.front())},
              {"end", t.empty() ? Json(nullptr) : Json(t.back())},
              {"rows", t.size()},
              {"actuators", std::move(actuators)},
              {"controls", std::move(controls)},
              {"unreachable", m.unreachable}};
    if (!f.options.along.empty()) json["along"] = f.options.along;
    if (!f.options.out.empty() && !t.empty()) json["out"] = f.options.out;
    if (!f.options.plot.empty() && !t.empty()) json["plot"] = f.options.plot;
    if (!m.status) json["message"] = with_short_names(m.status.message);
    if (m.status.outcome == Outcome::undetermined) json["free"] = m.status.names;
    if (m.status.outcome == Outcome::conflict) json["conflict"] = m.status.names;
    return json;
}

std::string text_of(const EffortFindings& f) {
    const InverseMotion& m = f.motion;
    std::string text;
    if (!m.status) text += fmt::format("{}: {}\n", name_of(m.status.outcome), m.status.message);
    const std::vector<double>& t = m.columns[0];
    if (t.empty()) return text;
    text += fmt::format("{}: efforts at {}, t = {} .. {}\n\n", f.details.name,
                        t.size() == 1 ? std::string("1 time") : fmt::format("{} times", t.size()),
                        rounded(t.front()), rounded(t.back(), 10));
    text += fmt::format("{:<12}{:>15}{:>15}\n", "actuator", "peak effort", "at t");
    for (const auto& e : std::span(m.efforts).first(std::min(most_lines, m.efforts.size())))
        text += fmt::format("{:<12}{:>15}{:>15}\n", e.actuator, rounded(e.most.value, 8),
                            rounded(e.most.t, 8));
    text += rest_of(m.efforts.size());
    text += fmt::format("\n{:<12}{:>15}{:>15}{:>15}{:>15}\n", "control", "most force", "at t",
                        "most power", "at t");
    for (const auto& c : std::span(m.controls).first(std::min(most_lines, m.controls.size())))
        text +=
            fmt::format("{:<12}{:>15}{:>15}{:>15}{:>15}\n", c.name, rounded(c.force.value, 8),
                        rounded(c.force.t, 8), rounded(c.power.value, 8), rounded(c.power.t, 8));
    text += rest_of(m.controls.size()) + "\n";
    for (const auto& c : m.controls) {
        if (!f.options.along.empty())
            text += fmt::format("'{}': largest error {} (t = {})\n", c.name,
                                rounded(c.error.value, 3), rounded(c.error.t));
        if (c.missed.value != 0.0)
            text += fmt::format("'{}': out of reach by up to {} (t = {})\n", c.name,
                                rounded(c.missed.value, 3), rounded(c.missed.t));
    }
    if (!m.unreachable.empty())
        text += fmt::format("requirements are out of reach at {} of {} times, from t = {} to {}\n",
                            m.unreachable.size(), t.size(), rounded(m.unreachable.front()),
                            rounded(m.unreachable.back()));
    if (!f.options.out.empty())
        text += fmt::format("rows         {} in {}\n", t.size(), f.options.out);
    if (!f.options.plot.empty()) text += fmt::format("picture      {}\n", f.options.plot);
    return text;
}

void write_files(const EffortFindings& f) {
    const ControlCommandOptions& given = f.options;
    TableOptions options;
    add_values(options, "set", settings_of(given));
    add_start_values(options, f.details, given.start);
    if (!given.along.empty()) options.emplace_back("along", given.along);
    options.emplace_back("rank-tol", given.solve().rank_tol);
    const Table table{table_info(f.details, f.motion.names, std::move(options)), f.motion.columns};
    try {
        if (!given.out.empty()) {
            const auto writer = open_table(given.out, table.info);
            std::vector<double> row(table.columns.size());
            for (std::size_t i = 0; i < table.rows(); ++i) {
                for (std::size_t k = 0; k < row.size(); ++k) row[k] = table.columns[k][i];
                writer->row(row);
            }
            writer->close();
        }
        if (!given.plot.empty()) plot(table, {"t", {}, "", given.plot});
    } catch (const PlotError& problem) {
        throw write_failed(problem);
    }
}

}  // namespace

void add_control_options(CLI::App& command, ControlCommandOptions& options) {
    add_model_options(command, options, true);
    add_time_options(command, options);
    add_value(
        command, "--out", options.out, "FILE",
        "write states, outputs and efforts to FILE (.csv, .json or .h5); - for CSV on stdout");
    add_value(command, "--plot", options.plot, "FILE",
              "plot coordinates and efforts over time (.svg or .png)");
    add_value(command, "--along", options.along, "FILE",
              "take the states from a result of 'lacon run' instead of from the requirements");
    command.footer(
        "Nothing is integrated. The state at each time meets the constraints and all requirements; "
        "starting from the previous state, or at the start state. If some coordinates remain free, "
        "Lacon names them (status undetermined, exit 1); 'lacon run' finds their "
        "motion.\n\nExamples:\n  lacon control MODEL --out efforts.csv --plot efforts.svg\n  lacon "
        "run MODEL --feedforward efforts.csv      # replay them\n  lacon control MODEL --along "
        "run.csv --json");
}

int run_control(const ControlCommandOptions& options) {
    check_files(options.path, options.out, options.plot, options.json);
    const Loaded loaded = load(options);
    const TimeSpan span = time_span(*loaded.details, options);
    InverseOptions wanted;
    wanted.begin = span.begin;
    wanted.end = span.end;
    wanted.every = span.every;
    wanted.solve = options.solve();
    if (!options.along.empty()) {
        if (span.every)
            throw bad_input(options.path, "--every", "the file of --along sets the times");
        wanted.along = states_of(*loaded.details, options.along, span);
    }
    std::vector<UsedFile> read = files_of(*loaded.details);
    read.push_back({"the file of --along", options.along});
    check_outputs(options.path, {{"--out", options.out}, {"--plot", options.plot}}, read);
    const StopInOrder order([&] { say_stopped(loaded.details->name, options.json); });
    Progress progress(!options.quiet && isatty(STDERR_FILENO));
    InverseMotion motion;
    try {
        motion = inverse_dynamics(*loaded.details, wanted, loaded.start, [&](double t) {
            if (span.end && span.begin && progress.is_due())
                progress.show((t - *span.begin) / (*span.end - *span.begin),
                              fmt::format("t = {:<10}", rounded(t, 6)));
            return !stop_asked();
        });
    } catch (const std::invalid_argument& problem) {
        throw bad_input(options.path, "lacon control", problem.what());
    }
    answer_stop();
    progress.clear();
    const EffortFindings findings{*loaded.details, motion, options};
    if (!motion.columns[0].empty()) write_files(findings);
    if (options.json) fmt::print("{}\n", json_of(findings).dump(2));
    else if ((!options.quiet || !motion.status) && options.out == "-")
        tell("{}", with_short_names(text_of(findings)));
    else if (!options.quiet || !motion.status)
        fmt::print("{}", with_short_names(text_of(findings)));
    if (!motion.status && options.json)
        tell("lacon: {}\n", with_short_names(motion.status.message));
    if (motion.status.outcome == Outcome::interrupted) return exit_interrupted;
    return motion.status ? exit_done : exit_failed;
}

}  // namespace lacon::app
