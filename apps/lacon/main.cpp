// The program `lacon`: builds the command line, runs the command and turns every failure into a
// message and an exit status.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <functional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/files.hpp"
#include "command.hpp"
#include "signals.hpp"
#include "usage.hpp"

namespace {

using namespace lacon::app;

/// A command line that is ready to parse, and what it asks for.
struct CommandLine {
    CLI::App app{
        "Lacon reads a mechanical system and its constraints as equations. It gives the explicit "
        "equation of motion, the motion, the constraint forces and a diagnosis of the constraints.",
        "lacon"};
    CheckOptions check;
    StateOptions eval;
    ExplainOptions explain;
    FormatOptions format;
    ConvertOptions convert;
    ExistsCommandOptions exists;
    RunCommandOptions run;
    ControlCommandOptions control;
    PlotOptions plot;
    PageOptions page;
    ViewOptions view;
    std::string topic;  // of help
    std::function<int()> command;
    bool json() const {
        return check.json || eval.json || explain.json || exists.json || format.json || run.json ||
               convert.json || control.json || plot.json || page.json || view.json;
    }

    CommandLine() {
        app.set_version_flag("-V,--version", std::string("lacon ") + LACON_VERSION);
        app.require_subcommand(0, 1);
        app.footer(
            "Exit status: 0 success; 1 the computation failed (conflict, no start state, ...); 2 "
            "bad input or usage; 130 interrupted.\n'lacon help COMMAND' lists the options of a "
            "command.\nStart with:  lacon run models/pendulum.lac --plot pendulum.svg");
        set_help_layout(app);
        add_check();
        add_eval();
        add_run();
        add_control();
        add_exists();
        add_explain();
        add_format();
        add_convert();
        add_plot();
        add_page();
        add_view();
        add_help();
    }

private:
    void add_check() {
        CLI::App* c = app.add_subcommand(
            "check", "check a model: constraints, rank, degrees of freedom, start state");
        add_state_options(*c, check);
        add_solver_option(*c, check.solver);
        c->add_flag(
            "--audit", check.audit,
            "also check accelerations and forces by independent methods; exit 1 if a check fails");
        c->footer(
            "Reports the kinds of constraints, the rank and the degrees of freedom; which "
            "constraints depend on others or contradict them, and whether that lasts; which "
            "forces are unique; and what moved to make the start state consistent.\n\n"
            "Examples:\n"
            "  lacon check models/pendulum.lac\n"
            "  lacon check models/chain.lac --set N=40 --json\n"
            "  lacon check models/door.lac --audit");
        c->callback([this] { command = [this] { return run_check(check); }; });
    }
    void add_eval() {
        CLI::App* c = app.add_subcommand(
            "eval", "evaluate one state: M, Q, A, b, accelerations, forces, multipliers");
        add_state_options(*c, eval);
        add_solver_option(*c, eval.solver);
        c->footer(
            "If constraints depend on each other, their multipliers are not unique. Lacon reports "
            "the minimum-norm values, weighted by the model's 'weight' if it has "
            "one.\n\nExamples:\n  lacon eval models/pendulum.lac\n  lacon eval models/pendulum.lac "
            "--at \"x=0,y=-1,x'=2\" --json");
        c->callback([this] { command = [this] { return run_eval(eval); }; });
    }
    void add_exists() {
        CLI::App* c = app.add_subcommand(
            "exists", "prove by interval arithmetic how far the motion exists and is unique");
        add_exists_options(*c, exists);
        c->callback([this] { command = [this] { return run_exists(exists); }; });
    }
    void add_explain() {
        CLI::App* c = app.add_subcommand("explain", "print the derived equations as text or LaTeX");
        add_model_options(*c, explain, false);
        c->add_flag("--latex", explain.latex, "print LaTeX, in align* environments");
        c->add_flag(
            "--all", explain.all,
            "print all equations of a large model, not only the first 60 (LaTeX always has all)");
        c->callback([this] { command = [this] { return run_explain(explain); }; });
    }
    void add_format() {
        CLI::App* c =
            app.add_subcommand("fmt", "print a model in canonical form, with its comments");
        c->add_option("MODEL", format.path, "the model file (.lac); - for stdin")->required();
        c->add_flag("-i,--in-place", format.in_place, "rewrite the file instead of printing");
        c->add_flag("--check", format.check,
                    "print nothing; exit 1 if the file is not in canonical form");
        c->add_flag("--json", format.json, "one JSON object on stdout");
        c->callback([this] { command = [this] { return run_format(format); }; });
    }
    void add_convert() {
        CLI::App* c = app.add_subcommand(
            "convert", "print a robot file, URDF (.urdf) or MJCF (.xml), as a model");
        c->add_option("FILE", convert.path, "the robot file")->required();
        c->add_option("as", convert.words, "as NAME: names begin with NAME_")
            ->expected(0, 2)
            ->type_name("as NAME");
        auto* fixed = c->add_flag("--fixed", convert.fixed,
                                  "weld the root link of a URDF file to the ground (default)");
        c->add_flag("--floating", convert.floating, "let the root link of a URDF file move freely")
            ->excludes(fixed);
        c->add_option("-o,--out", convert.out, "write the model there")->type_name("FILE.lac");
        c->add_flag("--quiet", convert.quiet, "no warnings");
        c->add_flag("--json", convert.json, "one JSON object on stdout");
        c->footer(
            "Constraints are exact and nothing is approximated; what the model leaves out is said "
            "in warnings, or in comments at its head.\n\n"
            "Examples:\n"
            "  lacon convert robot.urdf --floating -o robot.lac\n"
            "  lacon convert arm.xml as left");
        c->callback([this] { command = [this] { return run_convert(convert); }; });
    }
    void add_run() {
        CLI::App* c = app.add_subcommand("run", "compute the motion, its events and a summary");
        add_run_options(*c, run);
        c->callback([this] { command = [this] { return run_run(run); }; });
    }
    void add_control() {
        CLI::App* c = app.add_subcommand(
            "control",
            "compute the efforts that meet the controls' requirements, without integrating");
        add_control_options(*c, control);
        c->callback([this] { command = [this] { return run_control(control); }; });
    }
    void add_help() {
        CLI::App* c = app.add_subcommand("help", "describe a command and its options");
        c->add_option("COMMAND", topic, "the command; without it, list all commands");
        c->callback([this] { command = [this] { return run_help(CommandLine().app, topic); }; });
    }
    void add_plot() {
        CLI::App* c = app.add_subcommand("plot", "plot columns of a result");
        add_plot_options(*c, plot);
        c->callback([this] { command = [this] { return run_plot(plot); }; });
    }
    void add_page() {
        CLI::App* c = app.add_subcommand("page", "make a page that plays a result");
        add_page_options(*c, page);
        c->callback([this] { command = [this] { return run_page(page); }; });
    }
    void add_view() {
        CLI::App* c = app.add_subcommand(
            "view", "open a live page of a model: sliders, and runs as you edit the file");
        add_view_options(*c, view);
        c->callback([this] { command = [this] { return run_view(view); }; });
    }
};

int bad_usage(const std::string& message, bool json) {
    tell("{}", message);
    if (json)
        fmt::print(
            "{}\n",
            Json{{"status", "error"}, {"message", message.substr(0, message.find('\n'))}}.dump(2));
    return exit_bad_input;
}

int run(int argc, char** argv) {
    const bool json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
    listen_to_signals(json);
    CommandLine line;
    try {
        line.app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) {  // --help, --version
            std::ostringstream asked_for, unused;
            const int status = line.app.exit(e, asked_for, unused);
            fmt::print("{}", asked_for.str());
            return status;
        }
        return bad_usage(usage_error(line.app, {argv + 1, argv + argc}, e.what()), json);
    }
    if (!line.command) return bad_usage(line.app.help(), json);
    try {
        return line.command();
    } catch (const Stop& stop) {
        tell("{}", stop.message);
        if (line.json())
            fmt::print("{}\n", stop.json.is_null()
                                   ? Json{{"status", "error"}, {"message", stop.message}}.dump(2)
                                   : stop.json.dump(2));
        return stop.status;
    } catch (const lacon::TableError& problem) {
        const Stop stop = write_failed(problem);
        tell("{}", stop.message);
        if (line.json()) fmt::print("{}\n", stop.json.dump(2));
        return stop.status;
    } catch (const lacon::FileError& problem) {
        const Stop stop = write_failed(problem);
        tell("{}", stop.message);
        if (line.json()) fmt::print("{}\n", stop.json.dump(2));
        return stop.status;
    }
}

/// Where a standard stream was closed, the next file to be opened would take its place, and receive
/// what is printed. So its place is taken first, by what cannot be written to (or read from).
void fill_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) < 0)
            static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

int cannot_print(int reason, int status) {
    tell("lacon: cannot write to standard output: {}\n",
         reason == EBADF ? "it is closed" : std::strerror(reason));
    return status == exit_done ? exit_failed : status;
}

/// What was printed must have arrived.
int finish(int status) {
    answer_stop();
    return std::fflush(stdout) == 0 ? status : cannot_print(errno, status);
}

}  // namespace

int main(int argc, char** argv) {
    fill_standard_streams();
    ::signal(SIGXFSZ,
             SIG_IGN);  // a file that becomes too large is an error to report, as a full disk is
    try {
        return finish(run(argc, argv));
    } catch (const std::bad_alloc&) {
        tell("lacon: out of memory\n");
    } catch (const std::system_error& problem) {
        if (std::ferror(stdout)) return cannot_print(problem.code().value(), exit_done);
        tell("lacon: internal error: {}\n", problem.what());
    } catch (const std::exception& problem) {
        tell("lacon: internal error: {}\n", problem.what());
    }
    return exit_failed;
}
