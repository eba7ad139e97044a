// Parses the text without elaborating it and collects the files in `data` statements and loops.
#include "lang/named_files.hpp"

#include <algorithm>
#include <filesystem>

#include "lang/parser.hpp"

namespace lacon {

std::vector<std::string> named_files(const SourceText& source) {
    Diagnostics unused;
    const lang::Syntax syntax = lang::Parser(source, unused).parse_statements();
    const std::filesystem::path folder = std::filesystem::path(source.name()).parent_path();
    std::vector<std::string> files;
    const auto add = [&](lang::TokenId text) {
        if (text == lang::none) return;
        const std::string path = (folder / syntax.unquoted(text)).string();
        if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
    };
    const auto add_loops = [&](const lang::Loops& loops) {
        for (const lang::Loop& loop : loops.loops) add(loop.file);
    };
    for (const lang::Statement& statement : syntax.statements) {
        if (const auto* data = std::get_if<lang::DataStatement>(&statement.content))
            add(data->file);
        add_loops(statement.loops);
    }
    for (const lang::Loops& loops : syntax.loops) add_loops(loops);  // of sums
    return files;
}

}  // namespace lacon
