// The whole flow, from the text of a model to the rows of its motion. Every line of it is a room;
// the program, the library and all that comes later are layers over these functions.
//
//     text → Model → System            build
//     options → plan, solver           set_up
//     start, code, steps → rows        Session: make_run, then Run::begin and step
//     how far it can be trusted        Session::look_back
#include "pipeline.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.hpp"
#include "driver/plan/effort_options.hpp"
#include "lang/lang.hpp"
#include "mechanics/derive/derive_model.hpp"
#include "runs.hpp"

namespace lacon {

Built build(const SourceText& source, const Settings& settings, PictureNotes* notes) {
    Built built;
    Parsed parsed = parse_model(source, settings, {}, notes);  // lang: what the file says
    built.diagnostics = std::move(parsed.diagnostics);
    for (const UnknownSetting& unknown : parsed.unknown_settings)
        built.unknown_settings += fmt::format(
            "there is no parameter '{}'{}\n", unknown.name,
            unknown.nearest ? fmt::format("; did you mean '{}'?", *unknown.nearest) : "");
    if (!parsed.model || !built.unknown_settings.empty()) return built;
    built.details =  // mechanics: M q'' = Q, A q'' = b
        derive_model(std::move(*parsed.model), built.diagnostics);
    return built;
}

namespace {

/// The mechanism with who computes its efforts, where options say so.
std::shared_ptr<const DerivedModel> driven(std::shared_ptr<const DerivedModel> details,
                                           const RunOptions& options) {
    if (details->effort_source) return details;
    try {
        auto with_source = with_effort_source(*details, options);
        return with_source ? with_source : details;
    } catch (const std::invalid_argument& problem) {
        throw RefusedEfforts(problem.what());
    }
}

std::string slow_run_warning(const SolverChoice& choice) {
    constexpr double long_step = 1.0;  // s
    if (choice.sparse || !choice.refused || choice.dense_seconds < long_step) return {};
    const std::string why = choice.why == "as requested" ? "matrices are dense, as requested"
                                                         : choice.why + ", and matrices are dense";
    return fmt::format("{}: a step is estimated to take {} s", why,
                       rounded(choice.dense_seconds, 2));
}

}  // namespace

RunSetup set_up(std::shared_ptr<const DerivedModel> details, RunPlan plan) {
    details = driven(std::move(details), plan.options);   // control:   who computes efforts
    SolverChoice solver = choose_solver(*details, plan);  // large:     dense or sparse
    std::string warning = slow_run_warning(solver);
    return {std::move(details), std::move(plan), std::move(solver), std::move(warning)};
}

RunSetup set_up(std::shared_ptr<const DerivedModel> details, const RunOptions& options) {
    RunPlan plan = plan_run(*details, options);  // driver:    what is not given
    return set_up(std::move(details), std::move(plan));
}

bool drive(Run& run, const std::function<bool()>& stop_asked) {
    if (stop_asked) run.stop_when(stop_asked);
    bool going = run.begin();  // state:     the start; code: its steps as machine code
    while (going) {
        going = run.step();  // driver:    methods, locate; rows are given out
        if (!going || !stop_asked || !stop_asked()) continue;
        run.interrupt();
        return false;
    }
    return static_cast<bool>(run.status());
}

SourceText read_source(const std::string& path) {
    std::error_code problem;
    if (std::filesystem::is_directory(path, problem))
        throw std::runtime_error("cannot read '" + path + "': it is a folder");
    if (!std::filesystem::exists(path, problem))
        throw std::runtime_error("cannot read '" + path + "': there is no such file");
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.is_open() || file.bad()) throw std::runtime_error("cannot read '" + path + "'");
    return SourceText(path, std::move(text));
}

}  // namespace lacon
