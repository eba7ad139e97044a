// The options of `lacon run` on the command line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"

namespace lacon::app {

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

}  // namespace lacon::app
