#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <optional>

#include "base/text.hpp"
#include "checkpoint.hpp"
#include "error_estimate.hpp"
#include "feedforward.hpp"
#include "kernel/target.hpp"
#include "large/choose.hpp"
#include "motion/run.hpp"
#include "picture/plot.hpp"
#include "progress.hpp"
#include "run_report.hpp"
#include "runs.hpp"
#include "signals.hpp"
#include "written_columns.hpp"

namespace lacon::app {

namespace {

RunOptions run_options(const SystemDetails& details, const RunCommandOptions& given) {
    RunOptions options;
    const auto set = [&](std::optional<double>& target, const char* option, const std::string& text) {
        if (!text.empty()) target = number(details, option, text);
    };
    const TimeSpan span = time_span(details, given);
    options.begin = span.begin;
    options.end = span.end;
    options.every = span.every;
    set(options.tolerance, "--tol", given.tolerance);
    set(options.step, "--step", given.step);
    options.method = given.method;
    options.strict = given.strict;
    options.through_singular = given.on_singular == "continue";
    options.impacts = given.impacts;
    options.diagnose = given.diagnose;
    options.solve = given.solve();
    options.interpret = given.interpret;
    options.target = given.target;
    options.solver = given.solver;
    options.cache = !given.no_cache;
    if (given.stabilize.starts_with("baumgarte")) {
        options.stabilize = Stabilize::baumgarte;
        if (const auto colon = given.stabilize.find(':'); colon != std::string::npos)
            options.baumgarte = number(details, "--stabilize", given.stabilize.substr(colon + 1));
        if (!(options.baumgarte > 0.0)) throw bad_input(given.path, "--stabilize", "the rate of Baumgarte must be positive");
    } else if (given.stabilize == "none") {
        options.stabilize = Stabilize::none;
    }
    return options;
}

/// A sentence where dense matrices make every step long; empty where not.
std::string slow_run_warning(const SolverChoice& choice) {
    constexpr double long_step = 1.0;  // s
    if (choice.sparse || !choice.refused || choice.dense_seconds < long_step) return {};
    const std::string why =
        choice.why == "asked for" ? "matrices are dense, as asked for" : choice.why + ", and matrices are dense";
    return fmt::format("{}: a step is estimated to take {} s", why, rounded(choice.dense_seconds, 2));
}

TableInfo run_info(const SystemDetails& details, const RunPlan& plan, const Checkpoint& run,
                   const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, std::string>> options;
    for (const std::string& s : run.set) options.emplace_back("set", s);
    for (const std::string& s : run.plant) options.emplace_back("plant", s);
    for (const std::string& s : run.start) options.emplace_back("start", s);
    if (!run.feedforward.empty()) options.emplace_back("feedforward", run.feedforward);
    options.emplace_back("method", plan.method);
    if (has_fixed_step(plan.method)) options.emplace_back("step", shortest(plan.step));
    else options.emplace_back("tolerance", shortest(plan.tolerance));
    options.emplace_back("begin", shortest(plan.begin));
    options.emplace_back("every", shortest(plan.every));
    options.emplace_back("stabilize", plan.options.stabilize == Stabilize::project     ? "project"
                                      : plan.options.stabilize == Stabilize::baumgarte ? "baumgarte"
                                                                                       : "none");
    options.emplace_back("rank-tol", shortest(plan.options.solve.rank_tol));
    if (plan.options.diagnose) options.emplace_back("diagnose", "yes");
    for (const std::string& s : run.columns) options.emplace_back("columns", s);
    TableInfo info = table_info(details, names, std::move(options));
    if (plan.options.diagnose) {
        info.texts[names.size() - 3] = "rank of the constraints in force";
        info.texts[names.size() - 2] = "largest over smallest singular value that counts";
        info.texts[names.size() - 1] = "between singular values that count and those that do not";
    }
    return info;
}

void check_run_files(const RunCommandOptions& options) {
    check_files(options.path, options.out, options.plot);
    if (options.checkpoint.empty()) return;
    if (options.checkpoint == options.out || options.checkpoint == options.plot)
        throw bad_input(options.path, "--checkpoint", "the file is already that of another option");
    const std::string beside = options.checkpoint + ".part";
    if (!std::ofstream(beside))
        throw bad_input(options.path, "--checkpoint", fmt::format("cannot write '{}'", options.checkpoint));
    std::remove(beside.c_str());
}

/// The run with everything around it: files, checkpoints, progress, pictures.
class RunCommand {
public:
    explicit RunCommand(const RunCommandOptions& options) : options_(options) {
        check_run_files(options_);
        if (!options_.resume.empty()) take_up(read_checkpoint(options_.resume, options_.path));
        loaded_ = load(options_, options_.plant);
        if (!options_.resume.empty() && loaded_.details->model.source.text() != state_.source)
            throw bad_input(options_.path, "--resume", "the model's text is not the one of the checkpoint");
        if (options_.resume.empty()) {
            try {
                state_.plan = plan_run(*loaded_.details, run_options(*loaded_.details, options_));
            } catch (const std::invalid_argument& problem) {
                throw bad_input(options_.path, "lacon run", problem.what());
            }
            check_step();
            state_.plant = options_.plant;
            state_.feedforward = options_.feedforward;
            state_.source = loaded_.details->model.source.text();
            state_.set = options_.set;
            state_.start = options_.start;
            state_.out = options_.out;
            state_.columns = options_.columns;
        }
        take_control();
        ranges_ = OutputRanges(*loaded_.details);
        ranges_.recall(state_.output_ranges);
        AnyRun::RowSink sink;  // none where nobody takes rows
        if (!state_.out.empty() || !options_.plot.empty() || has_ranges())
            sink = [this](std::span<const double> row) { take_row(row); };
        try {
            slow_ = slow_run_warning(choose_solver(*loaded_.details, state_.plan));
            run_ = make_run(steered_ ? *steered_ : *loaded_.details, state_.plan, loaded_.start, std::move(sink));
        } catch (const std::invalid_argument& problem) {
            throw bad_input(options_.path, "--solver", problem.what());
        }
        columns_ = written_columns(options_, run_->names());
        table_.info = columns_.of(run_info(*loaded_.details, state_.plan, state_, run_->names()));
        if (!options_.plot.empty()) drawn_ = drawn_columns(options_, table_.info);
    }

    int go() {
        const Signals signals;
        if (options_.checkpoint.empty()) run_->stop_when([&] { return signals.stop_asked(); });
        bool going = start();
        begun_ = going || !options_.resume.empty();
        told_ = run_->warnings().size();
        Progress progress(!options_.quiet && isatty(STDERR_FILENO));
        const double begin = state_.plan.begin, span = state_.plan.end - begin;
        using Duration = std::chrono::steady_clock::duration;
        auto last_save = std::chrono::steady_clock::now();
        Duration pause = std::chrono::seconds(1);
        while (going) {
            going = run_->step();
            tell_warnings(progress);
            progress.show((run_->state().t - begin) / span, fmt::format("t = {:<10}", rounded(run_->state().t, 6)));
            if (writer_) writer_->flush_if_due();
            const auto now = std::chrono::steady_clock::now();
            if (going && !options_.checkpoint.empty() && now - last_save > pause && run_->is_resumable()) {
                save();
                last_save = std::chrono::steady_clock::now();
                pause = std::max<Duration>(std::chrono::seconds(1), 20 * (last_save - now));  // of a large state it takes a while
            }
            if (signals.stop_asked() && going) {
                // The place to stop is one from which the run can go on with the same bits.
                while (going && !options_.checkpoint.empty() && !run_->is_resumable()) going = run_->step();
                if (going && !options_.checkpoint.empty()) save();
                if (going) run_->interrupt();
                going = false;
            }
        }
        progress.clear();
        if (begun_ && run_->status() && has_fixed_step(state_.plan.method) && (!options_.quiet || options_.json))
            error_ = estimate_error(steered_ ? *steered_ : *loaded_.details, state_.plan, loaded_.start, run_->summary(),
                                    [&] { return signals.stop_asked(); });
        return end();
    }

private:
    /// A step that no method would take was meant for another one. What `auto` chooses is no mistake of who gave both.
    void check_step() {
        const std::string& method = state_.plan.method;
        if (options_.step.empty() || method == "rk4" || method == "gauss") return;
        constexpr std::string_view only = "only rk4 and gauss take a fixed one";
        if (method != "auto")
            throw bad_input(options_.path, "--step", fmt::format("the method '{}' chooses its steps itself; {}", method, only));
        warning_ =
            fmt::format("--step {} has no effect: 'auto' chooses among methods with steps of their own; {}", options_.step, only);
    }

    /// Who computes the efforts: a controller that believes the values of the model and --set, or a file.
    void take_control() {
        RunOptions& options = state_.plan.options;
        if (!options_.plant.empty()) options.controller = Mechanism::load(options_.path, settings_of(options_));
        if (!options_.feedforward.empty()) {
            options.feedforward = read_feedforward(options_.path, options_.feedforward, *loaded_.details, state_.plan);
            const std::uint64_t sum = checksum(*options.feedforward);
            if (options_.resume.empty()) state_.feedforward_sum = sum;
            else if (sum != state_.feedforward_sum)
                throw bad_input(options_.path, "--resume",
                                fmt::format("'{}' is not what the run of the checkpoint replayed", options_.feedforward));
        }
        try {
            steered_ = steered_by(*loaded_.details, options);
        } catch (const std::invalid_argument& problem) {
            throw bad_input(options_.path, options_.feedforward.empty() ? "--plant" : "--feedforward", problem.what());
        }
    }

    /// What the checkpoint says counts; only the end of the run may be moved.
    void take_up(Checkpoint checkpoint) {
        const bool others = !options_.set.empty() || !options_.start.empty() || !options_.every.empty() ||
                            !options_.tolerance.empty() || !options_.method.empty() || !options_.step.empty() ||
                            !options_.span.empty() || !options_.impacts.empty() || options_.interpret || options_.diagnose ||
                            !options_.target.empty() || !options_.plant.empty() || !options_.feedforward.empty() ||
                            !options_.columns.empty();
        if (others)
            throw bad_input(
                options_.path, "--resume",
                "a run goes on with the options it began with; only --t-end, --out, --plot and --checkpoint may be given");
        state_ = std::move(checkpoint);
        options_.set = state_.set;
        options_.start = state_.start;
        options_.plant = state_.plant;
        options_.feedforward = state_.feedforward;
        options_.columns = state_.columns;
        options_.rank_tol = state_.plan.options.solve.rank_tol;
        state_.plan.options.cache = !options_.no_cache;
        const auto isa = kernel::isa_named(state_.plan.options.target);
        const auto here = kernel::host_isas();
        if (!isa || std::find(here.begin(), here.end(), *isa) == here.end())
            throw bad_input(
                options_.path, "--resume",
                fmt::format("the run was compiled for '{}', which this machine does not have", state_.plan.options.target));
        if (!options_.end.empty()) {
            try {
                state_.plan.end = std::stod(options_.end);
            } catch (const std::exception&) {
                throw bad_input(options_.path, "--t-end", fmt::format("'{}' is not a number", options_.end));
            }
            if (!(state_.plan.end > state_.snapshot.time.now()))
                throw bad_input(options_.path, "--t-end", "the checkpoint is already beyond this time");
        }
        if (!options_.out.empty() && options_.out != state_.out)
            throw bad_input(options_.path, "--out",
                            state_.out.empty() ? "the run of the checkpoint wrote no file"
                                               : fmt::format("the run of the checkpoint writes to '{}'", state_.out));
    }

    bool start() {
        const TableInfo& info = table_.info;
        table_.columns.resize(info.names.size());
        try {
            if (options_.resume.empty()) {
                const std::string large = large_file_warning(state_.out, info.names.size(), state_.plan);
                if (warning_.empty()) warning_ = slow_;
                else if (!slow_.empty()) warning_ += "\n" + slow_;
                for (const std::string& text : {large, slow_})
                    if (!text.empty() && !options_.quiet) fmt::print(stderr, "warning: {}\n", text);
                if (!run_->begin()) {
                    // Nothing to write: a file that was there stays as it is.
                    return false;
                }
                return true;
            }
            if (!state_.out.empty()) writer_ = reopen_table(state_.out, info, state_.out_rows, state_.out_position);
            if (!options_.plot.empty() && !state_.out.empty()) {
                writer_->flush();
                table_.columns = read_table(state_.out).columns;
            }
            return run_->resume(state_.snapshot);
        } catch (const TableError& problem) {
            throw Stop{exit_bad_input, fmt::format("lacon: {}\n", problem.what()), {}};
        }
    }

    /// Whether rows are computed for the outputs' ranges, were it for nothing else.
    bool has_ranges() const {
        const bool told = !options_.quiet || options_.json || !options_.checkpoint.empty();
        return told && !ranges_.all().empty() && loaded_.details->coordinate_names.size() <= OutputRanges::most_coordinates;
    }

    void take_row(std::span<const double> all) {
        ranges_.take(all);
        const std::span<const double> row = columns_.of(all);
        try {
            if (!writer_ && !state_.out.empty()) writer_ = open_table(state_.out, table_.info);  // with the first row
            if (writer_) writer_->row(row);
        } catch (const TableError& problem) {
            throw Stop{exit_failed, fmt::format("lacon: {}\n", problem.what()), {}};
        }
        if (options_.plot.empty()) return;
        for (std::size_t i = 0; i < row.size(); ++i) table_.columns[i].push_back(row[i]);
    }

    /// As they come.
    void tell_warnings(Progress& progress) {
        const auto warnings = run_->warnings();
        if (warnings.size() <= told_) return;
        if (!options_.quiet) {
            progress.clear();
            constexpr std::size_t most = 5;  // who passes a place often knows it then
            for (std::size_t i = told_; i < std::min(most, warnings.size()); ++i)
                fmt::print(stderr, "warning: t = {}: {}\n", rounded(warnings[i].t, 6), with_short_names(warnings[i].text));
            if (told_ <= most && warnings.size() > most) fmt::print(stderr, "warning: further ones are in the report\n");
        }
        told_ = warnings.size();
    }

    void save() {
        try {
            if (writer_) {
                writer_->flush();
                state_.out_rows = writer_->rows();
                state_.out_position = writer_->position();
            }
        } catch (const TableError& problem) {
            throw Stop{exit_failed, fmt::format("lacon: {}\n", problem.what()), {}};
        }
        state_.snapshot = run_->snapshot();
        state_.output_ranges = ranges_.numbers();
        write_checkpoint(options_.checkpoint, state_);
    }

    /// The coordinates, and what controls do; of a run that is diagnosed, condition and gap below them. Changes of rank are
    /// marked then, and limits that are reached or left.
    PlotRequest picture() const {
        constexpr std::size_t most_marks = 200;
        PlotRequest request{"t", drawn_, "", options_.plot};
        const bool diagnosed = state_.plan.options.diagnose;
        for (const MotionEvent& e : run_->summary().events)
            if (((diagnosed && e.kind == "rank") || e.kind == "saturation") && request.marks.size() < most_marks)
                request.marks.push_back(e.t);
        if (!diagnosed || !options_.columns.empty()) return request;
        request.y = plotted_columns(table_, request);
        for (const char* name : {"diagnosis.condition", "diagnosis.gap"}) request.y.push_back(name);
        return request;
    }

    int end() {
        try {
            if (writer_) writer_->close();
            if (!options_.plot.empty() && !table_.columns.empty() && !table_.columns[0].empty()) plot(table_, picture());
        } catch (const TableError& problem) {
            throw Stop{exit_failed, fmt::format("lacon: {}\n", problem.what()), {}};
        } catch (const PlotError& problem) {
            throw Stop{exit_failed, fmt::format("lacon: {}\n", problem.what()), {}};
        }
        const RunReport report{
            *loaded_.details, run_->summary(), run_->status(),   run_->start(), writer_ ? writer_->rows() : run_->rows(),
            state_.out,       options_.plot,   warning_,         state_.plant,  state_.feedforward,
            begun_,           ranges_,         state_.plan.step, error_};
        if (options_.json) fmt::print("{}\n", json_of(report).dump(2));
        else if (!options_.quiet || !run_->status()) fmt::print("{}", with_short_names(text_of(report)));
        if (!run_->status() && options_.json) fmt::print(stderr, "lacon: {}\n", with_short_names(run_->status().message));
        if (run_->status().outcome == Outcome::interrupted) return exit_interrupted;
        return run_->status() ? exit_done : exit_failed;
    }

    RunCommandOptions options_;
    Checkpoint state_;
    Loaded loaded_;
    std::shared_ptr<const SystemDetails> steered_;  // of --plant and --feedforward; outlives the run
    std::unique_ptr<AnyRun> run_;
    std::unique_ptr<TableWriter> writer_;
    OutputRanges ranges_;
    std::optional<ErrorEstimate> error_;  // of a fixed step
    ColumnChoice columns_;                // of --columns
    Table table_;                         // what is written; rows where there is a picture to draw
    std::vector<std::string> drawn_;      // columns of --plot where --columns names them
    std::string warning_;
    std::string slow_;  // why the run will take long, or empty
    bool begun_ = false;
    std::size_t told_ = 0;  // of the warnings of a run that is diagnosed
};

}  // namespace

void add_run_options(CLI::App& command, RunCommandOptions& options) {
    add_model_options(command, options, true);
    add_time_options(command, options);
    command
        .add_option("--plant", options.plant,
                    "p=v: the mechanism that moves has this value of p, its controls compute with the model's (repeatable)")
        ->type_name("P=V")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option("--feedforward", options.feedforward,
                    "replay efforts (columns t and effort.ACTUATOR) instead of computing them: nothing is fed back")
        ->type_name("FILE");
    command.add_option("--tol", options.tolerance, "local error a step, relative above 1, absolute below; default 1e-10")
        ->type_name("TOL");
    command.add_option("--method", options.method, fmt::format("one of {}; default auto", fmt::join(method_names(), ", ")))
        ->type_name("NAME");
    command.add_option("--step", options.step, "the step of rk4 and gauss; default: that of the rows")->type_name("H");
    command.add_option("--out", options.out, "write the rows: .csv, .json or .h5 by the ending")->type_name("FILE");
    command
        .add_option("--columns", options.columns,
                    "write and draw these columns only, by commas (repeatable); * stands for any characters: \"x[*], energy\"")
        ->type_name("NAMES")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option("--plot", options.plot,
                    "draw the coordinates over time, efforts and tracking errors of controls, and with --diagnose condition and "
                    "gap: .svg or .png")
        ->type_name("FILE");
    command
        .add_option("--stabilize", options.stabilize,
                    "how the motion stays on the constraints: project (default), baumgarte[:RATE], none")
        ->type_name("HOW")
        ->check(CLI::Validator(
            [](const std::string& text) {
                return text == "project" || text == "none" || text == "baumgarte" || text.starts_with("baumgarte:")
                           ? std::string()
                           : fmt::format("'{}' is none of project, baumgarte, baumgarte:RATE, none", text);
            },
            ""));
    command.add_option("--on-singular", options.on_singular, "where the branch cannot be decided: stop (default) or continue")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"stop", "continue"}));
    command
        .add_option("--impacts", options.impacts,
                    "impacts at several contacts: simultaneous (all together), sequential (one after the other)")
        ->type_name("LAW")
        ->check(CLI::IsMember({"simultaneous", "sequential"}));
    command.add_flag("--strict", options.strict, "stop at any change of rank");
    command.add_flag("--diagnose", options.diagnose,
                     "follow rank, condition and gap of the constraints: columns, warnings, a report, a panel of --plot");
    add_solver_option(command, options.solver);
    command.add_flag("--interpret", options.interpret, "no machine code: slower, the same but for rounding");
    command
        .add_option("--target", options.target, "instructions of machine code: plain, avx2, avx512; default: the best there are")
        ->type_name("NAME");
    command.add_flag("--no-cache", options.no_cache, "neither take machine code from the cache nor leave it there");
    command
        .add_option("--checkpoint", options.checkpoint, "save the run every second (large ones less often), to go on from there")
        ->type_name("FILE");
    command.add_option("--resume", options.resume, "go on from a checkpoint, to the same bits")->type_name("FILE");
    command.footer(
        "Ctrl-C ends the run in order: the rows are written, and with --checkpoint it can be resumed (exit 130).\n\n"
        "Examples:\n  lacon run models/pendulum.lac --out pendulum.csv --plot pendulum.svg\n"
        "  lacon run models/chain.lac --set N=20 --t 0..100 --tol 1e-12 --json\n"
        "  lacon run models/chain.lac --t 0..1e5 --out long.h5 --checkpoint long.ckpt\n"
        "  lacon run models/chain.lac --set N=1000 --out ends.h5 --columns \"x[1], x[1000], energy\"\n"
        "  lacon run MODEL --plant m=1.2 --out with.csv          # a controller that is wrong about the mass\n"
        "  lacon run MODEL --plant m=1.2 --feedforward efforts.csv  # the same without feedback");
}

int run_run(const RunCommandOptions& options) {
    return RunCommand(options).go();
}

}  // namespace lacon::app
