// The command `lacon convert`: prints a robot file as a model.
#include <fmt/format.h>

#include <stdexcept>

#include "base/files.hpp"
#include "command.hpp"
#include "lang/lang.hpp"
#include "signals.hpp"

namespace lacon::app {

namespace {

/// `as NAME` behind the file, as in the language.
std::string name_of(const ConvertOptions& options) {
    if (options.words.empty()) return {};
    if (options.words.size() == 2 && options.words.front() == "as") return options.words.back();
    throw bad_input(options.path, "convert", "only 'as NAME' may follow the file");
}

}  // namespace

int run_convert(const ConvertOptions& options) {
    ImportOptions import;
    import.name = name_of(options);
    if (options.fixed) import.root = RobotRoot::fixed;
    if (options.floating) import.root = RobotRoot::floating;
    Diagnostics diagnostics;
    std::string text;
    try {
        text = convert_robot(options.path, import, diagnostics).text;
    } catch (const std::runtime_error& problem) {
        throw bad_input(options.path, "lacon", problem.what());
    }
    const SourceText none(options.path, "");
    if (diagnostics.has_errors()) throw bad_text(options.path, diagnostics, none);
    if (!options.quiet) tell("{}", render(diagnostics, none, 1000));
    if (!options.out.empty()) {
        const StopLock whole;
        replace_file(options.out, text);
    }
    if (options.json)
        fmt::print("{}\n", Json{{"file", options.path},
                                {"status", "ok"},
                                {"warnings", to_json(diagnostics, none)},
                                {"text", text}}
                               .dump(2));
    else if (options.out.empty()) fmt::print("{}", text);
    return exit_done;
}

}  // namespace lacon::app
