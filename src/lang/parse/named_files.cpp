// Parses the text without elaborating it and collects the files in `data` and `import` statements
// and in loops.
#include "lang/parse/named_files.hpp"

#include <algorithm>
#include <filesystem>

#include "lang/parse/parser.hpp"

namespace lacon::lang {

std::vector<std::string> named_files(const SourceText& source) {
    Diagnostics unused;
    const Syntax syntax = Parser(source, unused).parse_statements();
    const std::filesystem::path folder = std::filesystem::path(source.name()).parent_path();
    std::vector<std::string> files;
    const auto add = [&](TokenId text) {
        if (text == none) return;
        const std::string path = (folder / syntax.unquoted(text)).string();
        if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
    };
    const auto add_loops = [&](const Loops& loops) {
        for (const Loop& loop : loops.loops) add(loop.file);
    };
    for (const Statement& statement : syntax.statements) {
        if (const auto* data = std::get_if<DataStatement>(&statement.content)) add(data->file);
        if (const auto* robot = std::get_if<ImportStatement>(&statement.content)) add(robot->file);
        if (const auto* body = std::get_if<BodyStatement>(&statement.content))
            for (const ShapeClause& clause : body->shapes) add(clause.file);
        add_loops(statement.loops);
    }
    for (const Loops& loops : syntax.loops) add_loops(loops);  // of sums
    return files;
}

}  // namespace lacon::lang
