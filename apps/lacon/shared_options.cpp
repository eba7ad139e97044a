// Options that several commands have.
#include <fmt/format.h>

#include <cstdlib>

#include "command.hpp"

namespace lacon::app {

void add_model_options(CLI::App& command, ModelOptions& options, bool with_start) {
    command.add_option("MODEL", options.path, "the model file (.lac); - for stdin")->required();
    add_repeatable(command, "--set", options.set, "P=V",
                   "p=v: set parameter p to v (repeatable; v may be an expression)");
    command.add_flag("--json", options.json, "one JSON object on stdout; messages go to stderr");
    command.add_flag("--quiet", options.quiet,
                     "suppress warnings, progress and the summary of a successful run");
    if (!with_start) return;
    add_repeatable(
        command, "--start", options.start, "X=V",
        "x=v, y'=v or x~v: fix (=) or guess (~) a start value (repeatable, or comma-separated)");
    add_value(command, "--seed", options.seed, "N", "random seed for the start-state search");
    command
        .add_option("--rank-tol", options.rank_tol,
                    "rank tolerance: a singular value of the constraints below this, relative to "
                    "the largest, counts as zero; default 1e-10")
        ->check(CLI::Validator(
            [](const std::string& text) {
                const double tol = std::strtod(text.c_str(), nullptr);
                return tol >= 1e-16 && tol <= 0.5
                           ? std::string()
                           : fmt::format("{} is not between 1e-16 and 0.5", text);
            },
            "1e-16..0.5"));
}

void add_state_options(CLI::App& command, StateOptions& options) {
    add_model_options(command, options, true);
    add_repeatable(command, "--at", options.at, "X=V",
                   "t=..,x=..,x'=..: override values of the start state; the state is used "
                   "without correction");
}

void add_solver_option(CLI::App& command, std::string& solver) {
    add_value(command, "--solver", solver, "NAME",
              "matrix backend: dense, sparse or auto (default: the cheaper one)")
        ->check(CLI::IsMember({"auto", "dense", "sparse"}));
}

void add_time_options(CLI::App& command, TimeOptions& options) {
    add_value(command, "--t", options.span, "A..B", "time span; default: the one in 'simulate'");
    add_value(command, "--t-end", options.end, "B", "end of the time span");
    add_value(command, "--every", options.every, "DT",
              "time between output rows; does not change the motion");
}

}  // namespace lacon::app
