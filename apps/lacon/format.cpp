#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "command.hpp"
#include "lang/lang.hpp"

namespace lacon::app {

namespace {

/// Writes beside the file and renames over it: a kill leaves the old text or the new one.
void replace_file(const std::string& path, const std::string& text) {
    const std::string beside = path + ".lacon-new";
    {
        std::ofstream file(beside, std::ios::binary);
        file << text;
        file.flush();
        if (!file) {
            std::remove(beside.c_str());
            throw Stop{exit_bad_input, fmt::format("lacon: cannot write '{}'\n", beside), {}};
        }
    }
    std::error_code problem;
    std::filesystem::permissions(beside, std::filesystem::status(path).permissions(), problem);
    std::filesystem::rename(beside, path, problem);
    if (problem) throw Stop{exit_bad_input, fmt::format("lacon: cannot replace '{}': {}\n", path, problem.message()), {}};
}

}  // namespace

int run_format(const FormatOptions& options) {
    const SourceText source = read_model(options.path);
    Diagnostics diagnostics;
    const auto formatted = format_model(source, diagnostics);
    if (!formatted) throw bad_text(options.path, diagnostics, source);
    const bool canonical = *formatted == source.text();
    if (options.in_place && !canonical) replace_file(options.path, *formatted);
    if (options.json) {
        fmt::print("{}\n",
                   Json{{"model", options.path}, {"status", "ok"}, {"canonical", canonical}, {"text", *formatted}}.dump(2));
    } else if (options.check) {
        if (!canonical) fmt::print(stderr, "{} is not in canonical form; 'lacon fmt -i' rewrites it\n", options.path);
    } else if (!options.in_place) {
        fmt::print("{}", *formatted);
    }
    return options.check && !canonical ? exit_failed : exit_done;
}

}  // namespace lacon::app
