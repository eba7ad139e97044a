// Options are turned into a plan; a checkpoint brings its own, and options that are given again
// must agree with it.
#include "run_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tuple>

#include "base/files.hpp"
#include "driver/plan/choose.hpp"
#include "feedforward.hpp"
#include "output_files.hpp"
#include "page/page.hpp"
#include "page_output.hpp"
#include "resume.hpp"
#include "session.hpp"

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
    options.verify = given.verify;
    std::tie(options.stabilize, options.baumgarte) = stabilize_of(details, given);
    return options;
}

void refuse_halves_of_verification(const RunCommandOptions& options) {
    if (options.verify && !(options.checkpoint.empty() && options.resume.empty()))
        throw bad_input(
            options.path, "--verify",
            "the motion is computed twice from its start; remove --checkpoint and --resume");
}

void check_page(const RunCommandOptions& options) {
    if (!options.shows()) return;
    const char* const option = options.page.empty() ? "--video" : "--page";
    if (!options.resume.empty())
        throw bad_input(options.path, option,
                        "a resumed run has only the rows since; write them with --out, and make "
                        "the page or video of that file: lacon page FILE");
    if (!options.page.empty()) {
        if (const std::string why = why_no_page(); !why.empty())
            throw bad_input(options.path, "--page", why);
        if (!options.page.ends_with(".html"))
            throw bad_input(options.path, "--page",
                            fmt::format("'{}' must end in .html", options.page));
    }
    if (options.video.empty()) return;
    if (const std::string why = why_no_video(options.video); !why.empty())
        throw bad_input(options.path, "--video", why);
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
                  {{"--out", out},
                   {"--plot", options.plot},
                   {"--page", options.page},
                   {"--video", options.video},
                   {"--checkpoint", options.checkpoint}},
                  read);
    check_outputs(options.path,
                  {{"--out", out},
                   {"--plot", options.plot},
                   {"--page", options.page},
                   {"--video", options.video}},
                  {{"the checkpoint", options.resume}});
    for (const auto& [option, path] :
         {std::pair{"--plot", options.plot}, std::pair{"--page", options.page},
          std::pair{"--video", options.video}, std::pair{"--checkpoint", options.checkpoint}}) {
        try {
            if (!path.empty()) check_replaceable(path);
        } catch (const FileError& problem) {
            throw bad_input(options.path, option, problem.what());
        }
    }
}

/// A step that no method would take was meant for another one. What `auto` chooses is no mistake of
/// who gave both: then it is a warning.
std::string check_step(const RunCommandOptions& options, MethodKind method) {
    if (options.step.empty() || has_fixed_step(method)) return {};
    constexpr std::string_view only = "only rk4 and gauss take fixed steps";
    if (method != MethodKind::automatic)
        throw bad_input(
            options.path, "--step",
            fmt::format("the method '{}' chooses its own steps; {}", name_of(method), only));
    return fmt::format("--step {} has no effect: the methods of 'auto' choose their own steps; {}",
                       options.step, only);
}

/// From the command line alone.
void begin(RunRequest& request) {
    const RunCommandOptions& options = request.options;
    Checkpoint& state = request.state;
    request.loaded = load(options, options.plant);
    const DerivedModel& details = *request.loaded.details;
    try {
        state.plan = plan_run(details, run_options(details, options));
    } catch (const std::invalid_argument& problem) {
        throw bad_input(options.path, "lacon run", problem.what());
    }
    request.warning = check_step(options, state.plan.method);
    state.plant = options.plant;
    state.feedforward = options.feedforward;
    state.source = details.model.source.text();
    state.set = options.set;
    state.start = options.start;
    state.out = options.out;
    state.columns = options.columns;
}

/// What the checkpoint says counts; only the end of the run may be moved.
void take_up(RunRequest& request) {
    RunCommandOptions& options = request.options;
    Checkpoint& state = request.state;
    state = read_checkpoint(options.resume, options.path);
    ModelOptions began = options;
    began.set = state.set;
    began.start = state.start;
    request.loaded = load(began, state.plant);
    const DerivedModel& details = *request.loaded.details;
    if (details.model.source.text() != state.source)
        throw bad_input(options.path, "--resume",
                        "the model has changed since the checkpoint was written");
    check_same_options(options, state, details);
    state.plan.end = resumed_end(options, state, details);
    options.set = state.set;
    options.start = state.start;
    options.plant = state.plant;
    if (options.feedforward.empty()) options.feedforward = state.feedforward;
    options.rank_tol = state.plan.options.solve.rank_tol;
    state.plan.options.cache = !options.no_cache;
    if (!runs_here(state.plan))
        throw bad_input(
            options.path, "--resume",
            fmt::format("the run was compiled for '{}', which this machine does not support",
                        state.plan.options.target.name()));
}

/// Who computes the efforts: a controller that believes the values of the model and --set, or a
/// file.
void read_efforts(RunRequest& request) {
    const RunCommandOptions& options = request.options;
    Checkpoint& state = request.state;
    const DerivedModel& details = *request.loaded.details;
    if (!options.plant.empty()) {
        const SourceText& source = details.model.source;  // standard input is read only once
        state.plan.options.controller =
            Mechanism::parse(std::string(source.text()), source.name(), settings_of(options));
    }
    if (options.feedforward.empty()) return;
    state.plan.options.feedforward =
        read_feedforward(options.path, options.feedforward, details, state.plan);
    const std::uint64_t sum = checksum(*state.plan.options.feedforward);
    if (!request.resumes()) state.feedforward_sum = sum;
    else if (sum != state.feedforward_sum)
        throw bad_input(options.path, "--resume",
                        fmt::format("'{}' is not the feedforward file of the original run",
                                    options.feedforward));
}

}  // namespace

RunRequest run_request(const RunCommandOptions& options) {
    check_files(options.path, options.out, options.plot, options.json);
    refuse_halves_of_verification(options);
    refuse_standard_output(options);
    check_page(options);
    RunRequest request;
    request.options = options;
    if (request.resumes()) take_up(request);
    else begin(request);
    check_run_files(request.options, request.state.out, *request.loaded.details);
    read_efforts(request);
    return request;
}

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

TableInfo run_info(const RunRequest& request, const std::vector<std::string>& names) {
    const DerivedModel& details = *request.loaded.details;
    const Checkpoint& run = request.state;
    const RunPlan& plan = run.plan;
    TableOptions options;
    add_values(options, "set", parse_settings(details.model.source.name(), "--set", run.set));
    add_values(options, "plant", parse_settings(details.model.source.name(), "--plant", run.plant));
    add_start_values(options, details, run.start);
    if (!run.feedforward.empty()) options.emplace_back("feedforward", run.feedforward);
    options.emplace_back("method", std::string(name_of(plan.method)));
    if (has_fixed_step(plan.method)) options.emplace_back("step", plan.step);
    else if (plan.tolerance_given || plan.method != MethodKind::automatic)
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

}  // namespace lacon::app
