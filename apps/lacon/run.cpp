// The command `lacon run`: its options, and the run with everything around it. RunCommand checks
// the files, steps the run, writes rows and checkpoints, answers signals and prints the report.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <tuple>

#include "base/files.hpp"
#include "base/text.hpp"
#include "checkpoint.hpp"
#include "driver/plan/effort_options.hpp"
#include "error_estimate.hpp"
#include "feedforward.hpp"
#include "kernel/target.hpp"
#include "large/choose.hpp"
#include "output_files.hpp"
#include "picture/plot.hpp"
#include "progress.hpp"
#include "resume.hpp"
#include "run_report.hpp"
#include "session.hpp"
#include "signals.hpp"
#include "state/uniqueness.hpp"
#include "written_columns.hpp"

namespace lacon::app {

namespace {

RunOptions run_options(const DerivedModel& details, const RunCommandOptions& given) {
    RunOptions options;
    const auto set = [&](std::optional<double>& target, const char* option,
                         const std::string& text) {
        if (!text.empty()) target = number(details, option, text);
    };
    const TimeSpan span = time_span(details, given);
    options.begin = span.begin;
    options.end = span.end;
    options.every = span.every;
    set(options.tolerance, "--tol", given.tolerance);
    set(options.step, "--step", given.step);
    set(options.max_step, "--max-step", given.max_step);
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
    std::tie(options.stabilize, options.baumgarte) = stabilize_of(details, given);
    return options;
}

/// A sentence where dense matrices make every step long; empty where not.
std::string slow_run_warning(const SolverChoice& choice) {
    constexpr double long_step = 1.0;  // s
    if (choice.sparse || !choice.refused || choice.dense_seconds < long_step) return {};
    const std::string why = choice.why == "as requested" ? "matrices are dense, as requested"
                                                         : choice.why + ", and matrices are dense";
    return fmt::format("{}: a step is estimated to take {} s", why,
                       rounded(choice.dense_seconds, 2));
}

TableInfo run_info(const DerivedModel& details, const RunPlan& plan, const Checkpoint& run,
                   const std::vector<std::string>& names) {
    TableOptions options;
    add_values(options, "set", parse_settings(details.model.source.name(), "--set", run.set));
    add_values(options, "plant", parse_settings(details.model.source.name(), "--plant", run.plant));
    add_start_values(options, details, run.start);
    if (!run.feedforward.empty()) options.emplace_back("feedforward", run.feedforward);
    options.emplace_back("method", plan.method);
    if (has_fixed_step(plan.method)) options.emplace_back("step", plan.step);
    else if (plan.tolerance_given || plan.method != "auto")
        options.emplace_back("tolerance", plan.tolerance);
    options.emplace_back("begin", plan.begin);
    options.emplace_back("every", plan.every);
    options.emplace_back("stabilize", plan.options.stabilize == Stabilize::project     ? "project"
                                      : plan.options.stabilize == Stabilize::baumgarte ? "baumgarte"
                                                                                       : "none");
    options.emplace_back("rank-tol", plan.options.solve.rank_tol);
    if (plan.options.diagnose) options.emplace_back("diagnose", true);
    if (!run.columns.empty())
        options.emplace_back("columns", fmt::format("{}", fmt::join(run.columns, ", ")));
    TableInfo info = table_info(details, names, std::move(options));
    if (plan.options.diagnose) {
        info.texts[names.size() - 3] = "rank of the constraints in force";
        info.texts[names.size() - 2] = "largest singular value over the smallest kept";
        info.texts[names.size() - 1] = "smallest singular value kept over the largest dropped";
    }
    return info;
}

void refuse_halves_of_verification(const RunCommandOptions& options) {
    if (options.verify && !(options.checkpoint.empty() && options.resume.empty()))
        throw bad_input(
            options.path, "--verify",
            "the motion is computed twice from its start; remove --checkpoint and --resume");
}

void refuse_standard_output(const RunCommandOptions& options) {
    if (options.out != "-") return;
    if (!options.checkpoint.empty() || !options.resume.empty())
        throw bad_input(
            options.path, "--out",
            "rows on standard output cannot be continued by a resumed run; give a file");
}

/// A run that is gone on with may write the checkpoint that it was read from.
void check_run_files(const RunCommandOptions& options, const std::string& out,
                     const DerivedModel& details) {
    std::vector<UsedFile> read = files_of(details);
    read.push_back({"the file of --feedforward", options.feedforward});
    check_outputs(options.path,
                  {{"--out", out}, {"--plot", options.plot}, {"--checkpoint", options.checkpoint}},
                  read);
    check_outputs(options.path, {{"--out", out}, {"--plot", options.plot}},
                  {{"the checkpoint", options.resume}});
    for (const auto& [option, path] :
         {std::pair{"--plot", options.plot}, std::pair{"--checkpoint", options.checkpoint}}) {
        try {
            if (!path.empty()) check_replaceable(path);
        } catch (const FileError& problem) {
            throw bad_input(options.path, option, problem.what());
        }
    }
}

/// Dashed lines at the events, and in the caption what they are.
void mark_events(const std::vector<MotionEvent>& events, PlotRequest& request) {
    constexpr std::size_t most_marks = 200, most_named = 8;
    request.marks.clear();
    std::vector<std::pair<std::string, std::size_t>> kinds;
    for (const MotionEvent& e : events) {
        if (request.marks.size() < most_marks) request.marks.push_back(e.t);
        const std::string name(e.kind == EventKind::event ? std::string_view(e.name)
                                                          : e.kind.name());
        const auto known = std::find_if(kinds.begin(), kinds.end(),
                                        [&](const auto& kind) { return kind.first == name; });
        if (known == kinds.end()) kinds.emplace_back(name, 1);
        else ++known->second;
    }
    if (kinds.empty()) return;
    std::string note = "dashed lines: ";
    for (std::size_t i = 0; i < std::min(most_named, kinds.size()); ++i)
        note += fmt::format("{}{} ({})", i ? ", " : "", kinds[i].first, kinds[i].second);
    if (kinds.size() > most_named) note += fmt::format(" and {} more", kinds.size() - most_named);
    if (events.size() > most_marks)
        note += fmt::format("; only the first {} are drawn", most_marks);
    request.notes.push_back(std::move(note));
}

/// The run with everything around it: files, checkpoints, progress, pictures.
class RunCommand {
public:
    explicit RunCommand(const RunCommandOptions& options)
        : options_(options), progress_(!options.quiet && isatty(STDERR_FILENO)) {
        check_files(options_.path, options_.out, options_.plot, options_.json);
        refuse_halves_of_verification(options_);
        refuse_standard_output(options_);
        if (!options_.resume.empty()) take_up(read_checkpoint(options_.resume, options_.path));
        else loaded_ = load(options_, options_.plant);
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
        check_run_files(options_, state_.out, *loaded_.details);
        take_control();
        ranges_ = OutputRanges(*loaded_.details);
        ranges_.recall(state_.output_ranges);
        make_session();
        columns_ = written_columns(state_.columns.empty()
                                       ? shown_columns(*loaded_.details, session_->names())
                                       : state_.columns,
                                   session_->names(), options_.path);
        check_columns();
        options_.columns = state_.columns;
        table_.info =
            columns_.of(run_info(*loaded_.details, state_.plan, state_, session_->names()));
        if (!options_.plot.empty()) drawn_ = drawn_columns(options_, table_.info);
    }

    int go() {
        check_size();
        const StopInOrder order([this] { say_farewell(); });
        // A step that is broken off cannot be gone on from: with a checkpoint it has some time to
        // come to its end.
        constexpr double time_to_end = 0.4;
        session_->stop_when([this] {
            return options_.checkpoint.empty() ? stop_asked() : stop_asked(time_to_end);
        });
        const bool going = start();
        begun_ = going || !options_.resume.empty();
        if (begun_) note_reached();
        const bool is_kept = going && options_.resume.empty() && !options_.checkpoint.empty() &&
                             session_->is_resumable();
        if (is_kept) take_snapshot();
        told_ = session_->warnings().size();
        last_save_ = std::chrono::steady_clock::now();
        session_->run();
        progress_.clear();
        // A run that was over before it was saved is gone on with, to a later end, from its start.
        if (is_kept && !is_saved_ && session_->status())
            write_checkpoint(options_.checkpoint, state_);
        {
            const StopLock whole;
            reached_.is_over = true;
        }
        if (begun_) look_back();
        answer_stop();
        return end();
    }

private:
    /// Nobody takes rows: none are computed.
    void make_session() {
        const bool wants_rows = !state_.out.empty() || !options_.plot.empty() || has_ranges();
        Callbacks callbacks{.on_step = [this](const StepView&) { return after_step(); }};
        if (wants_rows)
            callbacks.on_row = [this](std::span<const double> row) { return take_row(row); };
        try {
            RunSetup setup = set_up(moving_ ? moving_ : loaded_.details, state_.plan);
            slow_ = slow_run_warning(setup.solver);
            session_ =
                std::make_unique<Session>(std::move(setup), loaded_.start, std::move(callbacks));
        } catch (const std::invalid_argument& problem) {
            throw bad_input(options_.path, "--solver", problem.what());
        }
        if (!options_.verify) return;
        session_->follow_for_verification();
        state_.plan.every = session_->plan().every;
    }

    /// What is due after a step; false ends the run.
    bool after_step() {
        note_reached();
        tell_warnings();
        const double begin = state_.plan.begin, span = state_.plan.end - begin;
        const double t = session_->state().t;
        if (progress_.is_due())
            progress_.show((t - begin) / span, fmt::format("t = {:<10}", rounded(t, 6)));
        flush_if_due();
        const bool goes_on = !session_->is_over();
        const bool may_save = goes_on && !options_.checkpoint.empty() && session_->is_resumable();
        if (may_save) save_if_due();
        if (!goes_on || !stop_asked()) return true;
        // The place to stop is one from which the run can go on with the same bits.
        if (may_save) save();
        return !options_.checkpoint.empty() && !may_save;
    }

    void save_if_due() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_save_ <= pause_) return;
        save();
        last_save_ = std::chrono::steady_clock::now();
        pause_ = std::max<std::chrono::steady_clock::duration>(
            std::chrono::seconds(1), 20 * (last_save_ - now));  // of a large state it takes a while
    }

    /// How far the motion can be trusted, as far as that takes further runs.
    void look_back() {
        const auto asked = [] { return stop_asked(); };
        session_->verify(asked);
        if (!options_.verify && session_->status() && has_fixed_step(state_.plan.method) &&
            (!options_.quiet || options_.json))
            error_ = estimate_error(session_->details(), session_->plan(), loaded_.start,
                                    session_->summary(), asked);
    }

    /// A step that no method would take was meant for another one. What `auto` chooses is no
    /// mistake of who gave both.
    void check_step() {
        const std::string& method = state_.plan.method;
        if (options_.step.empty() || method == "rk4" || method == "gauss") return;
        constexpr std::string_view only = "only rk4 and gauss take fixed steps";
        if (method != "auto")
            throw bad_input(options_.path, "--step",
                            fmt::format("the method '{}' chooses its own steps; {}", method, only));
        warning_ =
            fmt::format("--step {} has no effect: the methods of 'auto' choose their own steps; {}",
                        options_.step, only);
    }

    /// Who computes the efforts: a controller that believes the values of the model and --set, or a
    /// file.
    void take_control() {
        RunOptions& options = state_.plan.options;
        if (!options_.plant.empty()) {
            const SourceText& source =
                loaded_.details->model.source;  // standard input is read only once
            options.controller =
                Mechanism::parse(std::string(source.text()), source.name(), settings_of(options_));
        }
        if (!options_.feedforward.empty()) {
            options.feedforward = read_feedforward(options_.path, options_.feedforward,
                                                   *loaded_.details, state_.plan);
            const std::uint64_t sum = checksum(*options.feedforward);
            if (options_.resume.empty()) state_.feedforward_sum = sum;
            else if (sum != state_.feedforward_sum)
                throw bad_input(options_.path, "--resume",
                                fmt::format("'{}' is not the feedforward file of the original run",
                                            options_.feedforward));
        }
        try {
            moving_ = with_effort_source(*loaded_.details, options);
        } catch (const std::invalid_argument& problem) {
            throw bad_input(options_.path,
                            options_.feedforward.empty() ? "--plant" : "--feedforward",
                            problem.what());
        }
    }

    /// What the checkpoint says counts; only the end of the run may be moved.
    void take_up(Checkpoint checkpoint) {
        state_ = std::move(checkpoint);
        ModelOptions began = options_;
        began.set = state_.set;
        began.start = state_.start;
        loaded_ = load(began, state_.plant);
        if (loaded_.details->model.source.text() != state_.source)
            throw bad_input(options_.path, "--resume",
                            "the model has changed since the checkpoint was written");
        check_same_options(options_, state_, *loaded_.details);
        state_.plan.end = resumed_end(options_, state_, *loaded_.details);
        options_.set = state_.set;
        options_.start = state_.start;
        options_.plant = state_.plant;
        if (options_.feedforward.empty()) options_.feedforward = state_.feedforward;
        options_.rank_tol = state_.plan.options.solve.rank_tol;
        state_.plan.options.cache = !options_.no_cache;
        const auto isa = kernel::isa_named(state_.plan.options.target);
        const auto here = kernel::host_isas();
        if (!isa || std::find(here.begin(), here.end(), *isa) == here.end())
            throw bad_input(
                options_.path, "--resume",
                fmt::format("the run was compiled for '{}', which this machine does not support",
                            state_.plan.options.target.name()));
    }

    /// Of a run that is taken up again: other names may mean the same columns.
    void check_columns() {
        if (options_.resume.empty() || options_.columns.empty()) return;
        const ColumnChoice given =
            written_columns(options_.columns, session_->names(), options_.path);
        TableInfo all;
        all.names = session_->names();
        all.texts.resize(all.names.size());
        if (given.of(all) != columns_.of(all))
            throw bad_input(
                options_.path, "--columns",
                fmt::format(
                    "the checkpoint has the columns {}, not {}; a resumed run keeps its columns",
                    fmt::join(state_.columns, ", "), fmt::join(options_.columns, ", ")));
    }

    /// Rows and columns that will be in the file.
    TableSize size() const {
        const double rows =
            std::ceil((state_.plan.end - state_.plan.begin) / state_.plan.every) + 1.0;
        return {static_cast<double>(table_.info.names.size()), rows};
    }
    void check_size() {
        if (!options_.force) check_room(options_.path, state_.out, size());
        const std::string large =
            options_.resume.empty() ? large_file_warning(state_.out, size()) : "";
        if (warning_.empty()) warning_ = slow_;
        else if (!slow_.empty()) warning_ += "\n" + slow_;
        for (const std::string& text : {large, slow_})
            if (!text.empty() && !options_.quiet) tell("warning: {}\n", text);
    }

    bool start() {
        table_.columns.resize(table_.info.names.size());
        // Without a start there is nothing to write: a file that was there stays as it is.
        if (options_.resume.empty()) return session_->begin();
        if (!state_.out.empty()) reopen();
        return session_->resume(state_.snapshot);
    }

    void reopen() {
        try {
            const StopLock whole;
            writer_ = reopen_table(state_.out, table_.info, state_.out_rows, state_.out_position);
            if (options_.plot.empty()) return;
            writer_->flush();
            table_.columns = read_table(state_.out).columns;
        } catch (const TableError& problem) {
            throw Stop{exit_bad_input, fmt::format("lacon: {}\n", problem.what()), {}};
        }
    }

    /// Whether rows are computed for the outputs' ranges, were it for nothing else.
    bool has_ranges() const {
        const bool told = !options_.quiet || options_.json || !options_.checkpoint.empty();
        return told && !ranges_.all().empty() &&
               loaded_.details->coordinate_names.size() <= OutputRanges::most_coordinates;
    }

    bool take_row(std::span<const double> all) {
        ranges_.take(all);
        const std::span<const double> row = columns_.of(all);
        if (!state_.out.empty()) {
            const StopLock whole;
            try {
                if (!writer_) writer_ = open_table(state_.out, table_.info);  // with the first row
                writer_->row(row);
            } catch (const TableError& problem) {
                throw write_failed(problem);
            }
        }
        if (options_.plot.empty()) return true;
        for (std::size_t i = 0; i < row.size(); ++i) table_.columns[i].push_back(row[i]);
        return true;
    }

    /// As they come.
    void tell_warnings() {
        const auto warnings = session_->warnings();
        if (warnings.size() <= told_) return;
        if (!options_.quiet) {
            progress_.clear();
            constexpr std::size_t most = 5;  // who passes a place often knows it then
            for (std::size_t i = told_; i < std::min(most, warnings.size()); ++i)
                tell("warning: t = {}: {}\n", rounded(warnings[i].t, 6),
                     with_short_names(warnings[i].text));
            if (told_ <= most && warnings.size() > most)
                tell("warning: further warnings are in the report\n");
        }
        told_ = warnings.size();
    }

    void flush_if_due() {
        if (!writer_) return;
        const StopLock whole;
        writer_->flush_if_due();
    }

    void save() {
        const StopLock whole;
        take_snapshot();
        write_checkpoint(options_.checkpoint, state_);
        is_saved_ = true;
    }

    void take_snapshot() {
        if (writer_) {
            writer_->flush();
            state_.out_rows = writer_->rows();
            state_.out_position = writer_->position();
        }
        state_.snapshot = session_->snapshot();
        state_.output_ranges = ranges_.numbers();
    }

    /// What a farewell in the middle of the next step would tell.
    void note_reached() {
        const StopLock whole;
        const State& state = session_->state();
        reached_.state.t = state.t;
        reached_.state.q.assign(state.q.begin(), state.q.end());
        reached_.state.v.assign(state.v.begin(), state.v.end());
        reached_.steps = session_->steps();
        reached_.begun = begun_;
    }

    /// Called by the listening thread, while the run is in the middle of a step: nothing of the run
    /// may be looked at.
    void say_farewell() {
        std::string message = reached_.is_over ? "stopped after the end of the motion"
                              : reached_.begun ? fmt::format("stopped during the step from t = {}",
                                                             rounded(reached_.state.t, 12))
                                               : "stopped before the motion began";
        try {
            if (writer_) writer_->close();
        } catch (const TableError& problem) {
            message += fmt::format("; {}", problem.what());
        }
        const State& last = reached_.state;
        Json json{{"model", loaded_.details->name},
                  {"status", name_of(Outcome::interrupted)},
                  {"t", last.t},
                  {"steps", reached_.steps},
                  {"coordinates", loaded_.details->coordinate_names},
                  {"final", {{"t", last.t}, {"q", last.q}, {"v", last.v}}},
                  {"message", message}};
        if (writer_) json.update({{"rows", writer_->rows()}, {"out", state_.out}});
        if (options_.json) result(json.dump(2) + "\n");
        tell("lacon: {}\n", message);
        if (writer_ && !options_.quiet) tell("{} rows in {}\n", writer_->rows(), state_.out);
        std::fflush(stdout);
    }

    /// The report: on standard output, where rows are not there.
    void result(const std::string& text) const {
        if (state_.out == "-") tell("{}", text);
        else fmt::print("{}", text);
    }

    PlotRequest picture() const {
        PlotRequest request{"t", drawn_, "", options_.plot};
        mark_events(session_->summary().events, request);
        return request;
    }

    int end() {
        try {
            if (writer_) {
                const StopLock whole;
                writer_->close();
            }
            if (!options_.plot.empty() && !table_.columns.empty() && !table_.columns[0].empty())
                plot(table_, picture());
        } catch (const PlotError& problem) {
            throw Stop{exit_failed, fmt::format("lacon: {}\n", problem.what()), {}};
        }
        const RunReport report{*loaded_.details,
                               session_->summary(),
                               session_->status(),
                               session_->start(),
                               writer_ ? writer_->rows() : session_->rows(),
                               state_.out,
                               options_.plot,
                               warning_,
                               state_.plant,
                               state_.feedforward,
                               begun_,
                               ranges_,
                               begun_
                                   ? outputs_not_unique(*loaded_.details, session_->start().state,
                                                        state_.plan.options.solve)
                                   : std::vector<std::string>(),
                               state_.plan.step,
                               error_};
        if (options_.json) result(json_of(report).dump(2) + "\n");
        else if (!options_.quiet || !session_->status()) result(with_short_names(text_of(report)));
        if (!session_->status() && options_.json)
            tell("lacon: {}\n", with_short_names(session_->status().message));
        if (session_->status().outcome == Outcome::interrupted) return exit_interrupted;
        return session_->status() ? exit_done : exit_failed;
    }

    RunCommandOptions options_;
    Checkpoint state_;
    Loaded loaded_;
    std::shared_ptr<const DerivedModel> moving_;  // with --plant and --feedforward
    std::unique_ptr<Session> session_;
    std::unique_ptr<TableWriter> writer_;
    OutputRanges ranges_;
    std::optional<ErrorEstimate> error_;  // of a fixed step
    ColumnChoice columns_;                // of --columns
    Table table_;                         // what is written; rows where there is a picture to draw
    std::vector<std::string> drawn_;      // columns of --plot where --columns names them
    std::string warning_;
    std::string slow_;  // why the run will take long, or empty
    struct {
        State state;
        std::size_t steps = 0;
        bool begun = false, is_over = false;
    } reached_;  // before the step that is being taken
    Progress progress_;
    std::chrono::steady_clock::time_point last_save_;
    std::chrono::steady_clock::duration pause_ = std::chrono::seconds(1);  // between checkpoints
    bool begun_ = false;
    bool is_saved_ = false;  // a checkpoint has been written
    std::size_t told_ = 0;   // of the warnings of a run that is diagnosed
};

}  // namespace

std::pair<Stabilize, double> stabilize_of(const DerivedModel& details,
                                          const RunCommandOptions& given) {
    double rate = RunOptions{}.baumgarte;
    if (given.stabilize == "none") return {Stabilize::none, rate};
    if (!given.stabilize.starts_with("baumgarte")) return {Stabilize::project, rate};
    if (const auto colon = given.stabilize.find(':'); colon != std::string::npos)
        rate = number(details, "--stabilize", given.stabilize.substr(colon + 1));
    if (!(rate > 0.0))
        throw bad_input(given.path, "--stabilize", "the Baumgarte rate must be positive");
    return {Stabilize::baumgarte, rate};
}

void add_run_options(CLI::App& command, RunCommandOptions& options) {
    add_model_options(command, options, true);
    add_time_options(command, options);
    command
        .add_option(
            "--plant", options.plant,
            "p=v: set p for the plant only; the controller keeps the model's value (repeatable)")
        ->type_name("P=V")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option(
            "--feedforward", options.feedforward,
            "replay efforts (columns t and effort.ACTUATOR) instead of computing them: no feedback")
        ->type_name("FILE");
    command
        .add_option("--tol", options.tolerance,
                    "local error per step, relative above 1, absolute below; default 1e-12 for "
                    "taylor, 1e-11 for dop853, 1e-10 for others")
        ->type_name("TOL");
    command
        .add_option("--method", options.method,
                    fmt::format("one of {}; default auto", fmt::join(method_names(), ", ")))
        ->type_name("NAME");
    command
        .add_option("--step", options.step,
                    "step size of rk4 and gauss; default: the spacing of the rows")
        ->type_name("H");
    command
        .add_option("--max-step", options.max_step,
                    "maximum step size of adaptive methods; default: no limit")
        ->type_name("H");
    command
        .add_option("--out", options.out,
                    "write the rows to FILE (.csv, .json or .h5); - for CSV on stdout")
        ->type_name("FILE");
    command
        .add_option("--columns", options.columns,
                    "write and plot only these columns, comma-separated (repeatable); * matches "
                    "any characters: \"x[*], energy\"")
        ->type_name("NAMES")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option("--plot", options.plot,
                    "plot outputs, coordinates and events over time, also efforts and tracking "
                    "errors, and with --diagnose condition and gap (.svg or .png)")
        ->type_name("FILE");
    command
        .add_option(
            "--stabilize", options.stabilize,
            "how to keep the motion on the constraints: project (default), baumgarte[:RATE], none")
        ->type_name("HOW")
        ->check(CLI::Validator(
            [](const std::string& text) {
                return text == "project" || text == "none" || text == "baumgarte" ||
                               text.starts_with("baumgarte:")
                           ? std::string()
                           : fmt::format("'{}' is none of project, baumgarte, baumgarte:RATE, none",
                                         text);
            },
            ""));
    command
        .add_option("--on-singular", options.on_singular,
                    "at a singular position with an undecided branch: stop (default) or continue")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"stop", "continue"}));
    command
        .add_option("--impacts", options.impacts,
                    "impacts at several contacts: simultaneous (all at once), sequential (one "
                    "after the other)")
        ->type_name("LAW")
        ->check(CLI::IsMember({"simultaneous", "sequential"}));
    command.add_flag("--strict", options.strict, "stop at any change of rank");
    command.add_flag("--diagnose", options.diagnose,
                     "monitor rank, condition and gap of the constraints: columns, warnings, a "
                     "report, a panel in --plot");
    command.add_flag(
        "--verify", options.verify,
        "compute the motion twice; report how many digits are correct, and until when");
    add_solver_option(command, options.solver);
    command.add_flag("--interpret", options.interpret,
                     "do not compile; slower, same results up to rounding");
    command
        .add_option(
            "--target", options.target,
            "instruction set of machine code: plain, avx2, avx512; default: the best available")
        ->type_name("NAME");
    command.add_flag("--no-cache", options.no_cache, "do not use the code cache");
    command
        .add_option("--checkpoint", options.checkpoint,
                    "save the run every second (large runs less often), for --resume")
        ->type_name("FILE");
    command
        .add_option("--resume", options.resume,
                    "continue a run from its checkpoint; the result is the same to the last bit")
        ->type_name("FILE");
    command.add_flag("--force", options.force, "run even if the rows will not fit on the disk");
    command.footer(
        "Ctrl-C ends the run cleanly: the rows are written, and with --checkpoint it can be "
        "resumed (exit 130).\n\n"
        "Examples:\n"
        "  lacon run models/pendulum.lac --out pendulum.csv --plot pendulum.svg\n"
        "  lacon run models/chain.lac --set N=20 --t 0..100 --tol 1e-12 --json\n"
        "  lacon run models/chain.lac --t 0..1e5 --out long.h5 --checkpoint long.ckpt\n"
        "  lacon run models/chain.lac --set N=1000 --out ends.h5 --columns \"x[1], x[1000], "
        "energy\"\n"
        "  lacon run MODEL --plant m=1.2 --out with.csv          # a controller with a wrong "
        "mass\n"
        "  lacon run MODEL --plant m=1.2 --feedforward efforts.csv  # the same without feedback");
}

int run_run(const RunCommandOptions& options) {
    return RunCommand(options).go();
}

}  // namespace lacon::app
