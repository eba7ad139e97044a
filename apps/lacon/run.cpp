// The command `lacon run`: takes the steps of a session, with checkpoints, progress, warnings,
// signals and the report around it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "base/text.hpp"
#include "checkpoint.hpp"
#include "driver/plan/effort_options.hpp"
#include "error_estimate.hpp"
#include "feedforward.hpp"
#include "film/film.hpp"
#include "kernel/target.hpp"
#include "large/choose.hpp"
#include "output_files.hpp"
#include "picture/plot.hpp"
#include "progress.hpp"
#include "run_output.hpp"
#include "run_report.hpp"
#include "session.hpp"
#include "signals.hpp"
#include "state/uniqueness.hpp"

namespace lacon::app {

namespace {

/// The run with everything around it.
class RunCommand {
public:
    explicit RunCommand(const RunCommandOptions& options)
        : request_(run_request(options)),
          output_(request_),
          session_(make_session()),
          progress_(!options.quiet && isatty(STDERR_FILENO)) {
        state().plan.every = session_->plan().every;  // a verification has its own
        output_.choose_columns(session_->names());
    }

    int go() {
        tell_size();
        const StopInOrder order([this] { say_farewell(); });
        // A step that is broken off cannot be gone on from: with a checkpoint it has some time to
        // come to its end.
        constexpr double time_to_end = 0.4;
        session_->stop_when(
            [this] { return request_.saves() ? stop_asked(time_to_end) : stop_asked(); });
        const bool going = start();
        begun_ = going || request_.resumes();
        if (begun_) note_reached();
        const bool is_kept =
            going && !request_.resumes() && request_.saves() && session_->is_resumable();
        if (is_kept) take_snapshot();
        told_ = session_->warnings().size();
        saving_.last = std::chrono::steady_clock::now();
        session_->run();
        progress_.clear();
        // A run that was over before it was saved is gone on with, to a later end, from its start.
        if (is_kept && !saving_.is_done && session_->status())
            write_checkpoint(options().checkpoint, state());
        {
            const StopLock whole;
            reached_.is_over = true;
        }
        if (begun_)
            session_->look_back([] { return stop_asked(); }, !options().quiet || options().json);
        answer_stop();
        return end();
    }

private:
    const RunCommandOptions& options() const { return request_.options; }
    Checkpoint& state() { return request_.state; }
    const Checkpoint& state() const { return request_.state; }

    std::unique_ptr<Session> make_session() {
        Callbacks callbacks{.on_step = [this](const StepView&) { return after_step(); }};
        if (output_.wants_rows())
            callbacks.on_row = [this](std::span<const double> row) { return output_.take(row); };
        const char* efforts = options().feedforward.empty() ? "--plant" : "--feedforward";
        try {
            RunSetup setup = set_up(request_.loaded.details, state().plan);
            slow_ = setup.warning;
            return std::make_unique<Session>(std::move(setup), request_.loaded.start,
                                             std::move(callbacks));
        } catch (const RefusedEfforts& problem) {
            throw bad_input(options().path, efforts, problem.what());
        } catch (const std::invalid_argument& problem) {
            throw bad_input(options().path, "--solver", problem.what());
        }
    }

    void tell_size() {
        const std::string large = output_.check_size();
        std::string& warning = request_.warning;
        if (warning.empty()) warning = slow_;
        else if (!slow_.empty()) warning += "\n" + slow_;
        for (const std::string& text : {large, slow_})
            if (!text.empty() && !options().quiet) tell("warning: {}\n", text);
    }

    bool start() {
        if (!request_.resumes()) return session_->begin();
        output_.reopen();
        return session_->resume(state().snapshot);
    }

    /// What is due after a step; false ends the run.
    bool after_step() {
        note_reached();
        tell_warnings();
        const double begin = state().plan.begin, span = state().plan.end - begin;
        const double t = session_->state().t;
        if (progress_.is_due())
            progress_.show((t - begin) / span, fmt::format("t = {:<10}", rounded(t, 6)));
        output_.flush_if_due();
        const bool may_save = !session_->is_over() && request_.saves() && session_->is_resumable();
        if (may_save) save_if_due();
        if (session_->is_over() || !stop_asked()) return true;
        // The place to stop is one from which the run can go on with the same bits.
        if (may_save) save();
        return request_.saves() && !may_save;
    }

    void save_if_due() {
        const auto now = std::chrono::steady_clock::now();
        if (now - saving_.last <= saving_.pause) return;
        save();
        saving_.last = std::chrono::steady_clock::now();
        // Of a large state it takes a while.
        saving_.pause = std::max<std::chrono::steady_clock::duration>(std::chrono::seconds(1),
                                                                      20 * (saving_.last - now));
    }

    void save() {
        const StopLock whole;
        take_snapshot();
        write_checkpoint(options().checkpoint, state());
        saving_.is_done = true;
    }

    void take_snapshot() {
        output_.note_in(state());
        state().snapshot = session_->snapshot();
    }

    /// As they come.
    void tell_warnings() {
        const auto warnings = session_->warnings();
        if (warnings.size() <= told_) return;
        if (!options().quiet) {
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

    /// What a farewell in the middle of the next step would tell.
    void note_reached() {
        const StopLock whole;
        const State& now = session_->state();
        reached_.state.t = now.t;
        reached_.state.q.assign(now.q.begin(), now.q.end());
        reached_.state.v.assign(now.v.begin(), now.v.end());
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
            output_.close();
        } catch (const TableError& problem) {
            message += fmt::format("; {}", problem.what());
        }
        const DerivedModel& details = *request_.loaded.details;
        const State& last = reached_.state;
        Json json{{"model", details.name},
                  {"status", name_of(Outcome::interrupted)},
                  {"t", last.t},
                  {"steps", reached_.steps},
                  {"coordinates", details.coordinate_names},
                  {"final", {{"t", last.t}, {"q", last.q}, {"v", last.v}}},
                  {"message", message}};
        const bool has_file = output_.is_open();
        if (has_file) json.update({{"rows", output_.rows()}, {"out", state().out}});
        if (options().json) result(json.dump(2) + "\n");
        tell("lacon: {}\n", message);
        if (has_file && !options().quiet) tell("{} rows in {}\n", output_.rows(), state().out);
        std::fflush(stdout);
    }

    /// The report: on standard output, where rows are not there.
    void result(const std::string& text) const {
        if (state().out == "-") tell("{}", text);
        else fmt::print("{}", text);
    }

    /// Those that show forces that are not unique at the end: a resumed run knows no start.
    std::vector<std::string> outputs_not_known() const {
        if (!begun_) return {};
        return outputs_not_unique(*request_.loaded.details, session_->state(),
                                  state().plan.options.solve);
    }

    int end() {
        try {
            {
                const StopLock whole;
                output_.keep_events(session_->summary().events);
                output_.close();
            }
            output_.draw(session_->summary().events);
            if (begun_) output_.write_page(session_->details(), session_->summary());
        } catch (const PageError& problem) {
            throw Stop{exit_failed, fmt::format("lacon: {}\n", problem.what()), {}};
        } catch (const FilmError& problem) {
            throw Stop{exit_failed, fmt::format("lacon: {}\n", problem.what()), {}};
        } catch (const PlotError& problem) {
            throw Stop{exit_failed, fmt::format("lacon: {}\n", problem.what()), {}};
        }
        const Status& status = session_->status();
        const RunReport report{*request_.loaded.details,
                               session_->summary(),
                               status,
                               session_->start(),
                               output_.is_open() ? output_.rows() : session_->rows(),
                               state().out,
                               options().plot,
                               options().page,
                               options().video,
                               request_.warning,
                               state().plant,
                               state().feedforward,
                               begun_,
                               output_.ranges(),
                               outputs_not_known(),
                               state().plan.step,
                               session_->error_estimate()};
        if (options().json) result(json_of(report).dump(2) + "\n");
        else if (!options().quiet || !status) result(with_short_names(text_of(report)));
        if (!status && options().json) tell("lacon: {}\n", with_short_names(status.message));
        if (status.outcome == Outcome::interrupted) return exit_interrupted;
        return status ? exit_done : exit_failed;
    }

    RunRequest request_;
    RunOutput output_;
    std::string slow_;  // why the run will take long, or empty
    std::unique_ptr<Session> session_;
    Progress progress_;
    struct {
        State state;
        std::size_t steps = 0;
        bool begun = false, is_over = false;
    } reached_;  // before the step that is being taken
    struct {
        std::chrono::steady_clock::time_point last;
        std::chrono::steady_clock::duration pause = std::chrono::seconds(1);
        bool is_done = false;  // a checkpoint has been written
    } saving_;
    bool begun_ = false;
    std::size_t told_ = 0;  // of the warnings of a run that is diagnosed
};

}  // namespace

int run_run(const RunCommandOptions& options) {
    return RunCommand(options).go();
}

}  // namespace lacon::app
