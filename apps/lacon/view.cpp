// The command `lacon view`: serves live pages of a model, or of a folder of models, until Ctrl-C.
#include <fmt/format.h>

#include "command.hpp"
#include "live/server.hpp"
#include "signals.hpp"

namespace lacon::app {

void add_view_options(CLI::App& command, ViewOptions& options) {
    command.add_option("MODEL", options.path, "the model file (.lac), or a folder of models")
        ->required();
    command.add_option("--port", options.port, "listen on this port; default: any that is free")
        ->type_name("N")
        ->check(CLI::Range(1, 65535));
    command.add_flag("--no-open", options.no_open, "print the address only, and open no browser");
    command.add_flag("--json", options.json, "print the address as a JSON object");
    command.footer(
        "The page has a slider for each parameter with a range (param L = 1 in 0.5..2), follows "
        "the file as you save it, and lets you drag the start state. Ctrl-C ends it.\n\n"
        "Examples:\n  lacon view models/double_pendulum.lac\n  lacon view models/");
}

int run_view(const ViewOptions& options) {
    try {
        Server server({options.path, options.port});
        const StopInOrder order([] {});
        if (options.json) fmt::print("{}\n", Json{{"address", server.address()}}.dump());
        else fmt::print("{}\n", server.address());
        std::fflush(stdout);
        const bool opened = !options.no_open && open_in_browser(server.address());
        if (!options.json)
            tell("{}Ctrl-C ends it.\n", opened ? "" : "Open this address in a browser. ");
        server.serve([] {
            if (!stop_asked()) return false;
            answer_stop();
            return true;
        });
        return exit_done;
    } catch (const LiveError& problem) {
        throw bad_input(options.path, "lacon view", problem.what());
    }
}

}  // namespace lacon::app
