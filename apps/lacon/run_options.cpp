// The options of `lacon run` on the command line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"

namespace lacon::app {

namespace {

void add_plant_options(CLI::App& command, RunCommandOptions& options) {
    add_repeatable(
        command, "--plant", options.plant, "P=V",
        "p=v: set p for the plant only; the controller keeps the model's value (repeatable)");
    add_value(
        command, "--feedforward", options.feedforward, "FILE",
        "replay efforts (columns t and effort.ACTUATOR) instead of computing them: no feedback");
}

void add_step_options(CLI::App& command, RunCommandOptions& options) {
    add_value(command, "--tol", options.tolerance, "TOL",
              "local error per step, relative above 1, absolute below; default 1e-12 for "
              "taylor, 1e-11 for dop853, 1e-10 for others");
    add_value(command, "--method", options.method, "NAME",
              fmt::format("one of {}; default auto", fmt::join(method_names(), ", ")));
    add_value(command, "--step", options.step, "H",
              "step size of rk4 and gauss; default: the spacing of the rows");
    add_value(command, "--max-step", options.max_step, "H",
              "maximum step size of adaptive methods; default: no limit");
}

void add_result_options(CLI::App& command, RunCommandOptions& options) {
    add_value(command, "--out", options.out, "FILE",
              "write the rows to FILE (.csv, .json or .h5); - for CSV on stdout");
    add_repeatable(command, "--columns", options.columns, "NAMES",
                   "write and plot only these columns, comma-separated (repeatable); * matches "
                   "any characters: \"x[*], energy\"");
    add_value(command, "--plot", options.plot, "FILE",
              "plot outputs, coordinates and events over time, also efforts and tracking "
              "errors, and with --diagnose condition and gap (.svg or .png)");
    add_value(command, "--page", options.page, "FILE",
              "make a page that plays the motion in a browser, in one file (.html)");
    add_value(command, "--video", options.video, "FILE",
              "render the motion to a video (.mp4, .webm, .gif), without a screen");
}

void add_constraint_options(CLI::App& command, RunCommandOptions& options) {
    add_value(
        command, "--stabilize", options.stabilize, "HOW",
        "how to keep the motion on the constraints: project (default), baumgarte[:RATE], none")
        ->check(CLI::Validator(
            [](const std::string& text) {
                return text == "project" || text == "none" || text == "baumgarte" ||
                               text.starts_with("baumgarte:")
                           ? std::string()
                           : fmt::format("'{}' is none of project, baumgarte, baumgarte:RATE, none",
                                         text);
            },
            ""));
    add_value(command, "--on-singular", options.on_singular, "WHAT",
              "at a singular position with an undecided branch: stop (default) or continue")
        ->check(CLI::IsMember({"stop", "continue"}));
    add_value(command, "--impacts", options.impacts, "LAW",
              "impacts at several contacts: simultaneous (all at once), sequential (one "
              "after the other)")
        ->check(CLI::IsMember({"simultaneous", "sequential"}));
    command.add_flag("--strict", options.strict, "stop at any change of rank");
    command.add_flag("--diagnose", options.diagnose,
                     "monitor rank, condition and gap of the constraints: columns, warnings, a "
                     "report, a panel in --plot");
    command.add_flag(
        "--verify", options.verify,
        "compute the motion twice; report how many digits are correct, and until when");
}

void add_code_options(CLI::App& command, RunCommandOptions& options) {
    add_solver_option(command, options.solver);
    command.add_flag("--interpret", options.interpret,
                     "do not compile; slower, same results up to rounding");
    add_value(command, "--target", options.target, "NAME",
              "instruction set of machine code: plain, avx2, avx512; default: the best available");
    command.add_flag("--no-cache", options.no_cache, "do not use the code cache");
}

void add_checkpoint_options(CLI::App& command, RunCommandOptions& options) {
    add_value(command, "--checkpoint", options.checkpoint, "FILE",
              "save the run every second (large runs less often), for --resume");
    add_value(command, "--resume", options.resume, "FILE",
              "continue a run from its checkpoint; the result is the same to the last bit");
    command.add_flag("--force", options.force, "run even if the rows will not fit on the disk");
}

}  // namespace

/// In the order in which `lacon run --help` lists them.
void add_run_options(CLI::App& command, RunCommandOptions& options) {
    add_model_options(command, options, true);
    add_time_options(command, options);
    add_plant_options(command, options);
    add_step_options(command, options);
    add_result_options(command, options);
    add_constraint_options(command, options);
    add_code_options(command, options);
    add_checkpoint_options(command, options);
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

}  // namespace lacon::app
