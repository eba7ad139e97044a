// The command `lacon fmt`: prints a model in canonical form, rewrites its file, or checks it.
#include <fmt/format.h>

#include "base/files.hpp"
#include "command.hpp"
#include "lang/lang.hpp"
#include "signals.hpp"

namespace lacon::app {

int run_format(const FormatOptions& options) {
    if (options.in_place && options.path == "-")
        throw bad_input(options.path, "--in-place",
                        "standard input cannot be rewritten in place; give a file");
    const SourceText source = read_model(options.path);
    Diagnostics diagnostics;
    const auto formatted = format_model(source, diagnostics);
    if (!formatted) throw bad_text(options.path, diagnostics, source);
    const bool canonical = *formatted == source.text();
    if (options.in_place && !canonical) {
        const StopLock whole;
        replace_file(options.path, *formatted);
    }
    if (options.json) {
        fmt::print("{}\n", Json{{"model", options.path},
                                {"status", "ok"},
                                {"canonical", canonical},
                                {"text", *formatted}}
                               .dump(2));
    } else if (options.check) {
        if (!canonical)
            tell("{} is not in canonical form; 'lacon fmt -i' rewrites it\n", options.path);
    } else if (!options.in_place) {
        fmt::print("{}", *formatted);
    }
    return options.check && !canonical ? exit_failed : exit_done;
}

}  // namespace lacon::app
