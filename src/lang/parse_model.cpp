// The whole front end: parse, elaborate, shrink. Also the formatter, which only parses, and robot
// files as models.
#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/lang.hpp"
#include "lang/parse/format.hpp"
#include "lang/parse/imports.hpp"
#include "lang/parse/parser.hpp"

namespace lacon::lang {

namespace {

constexpr std::size_t most_expressions = 100'000'000;  // with their operands some 70 bytes each

std::vector<UnknownSetting> unknown_among(const Settings& settings,
                                          const std::vector<std::string>& parameters) {
    std::vector<UnknownSetting> unknown;
    for (const auto& [name, value] : settings)
        if (std::find(parameters.begin(), parameters.end(), name) == parameters.end())
            unknown.push_back({name, nearest_name(name, parameters)});
    return unknown;
}

}  // namespace

Parsed parse_model(const SourceText& source, const Settings& settings, const Limits& limits,
                   PictureNotes* notes) {
    Parsed parsed;
    const Imports whole(source, parsed.diagnostics);  // with what it imports
    const Syntax syntax = whole.parse(parsed.diagnostics);
    if (whole.failed()) return parsed;  // names are missing: no echo of that
    Model model;
    model.graph = Graph(most_expressions);
    {
        Elaborator elaborator(syntax, model, parsed.diagnostics, settings, limits);
        if (notes) elaborator.note_into(*notes);
        elaborator.run();
        if (!settings.empty())
            parsed.unknown_settings = unknown_among(settings, elaborator.parameter_names());
    }
    if (parsed.diagnostics.has_errors()) return parsed;
    model.shrink();
    model.source = source;
    model.settings = settings;
    parsed.model = std::move(model);
    return parsed;
}

std::vector<Parameter> parameters_of(const SourceText& source, const Settings& settings,
                                     Diagnostics& diagnostics) {
    const Imports whole(source, diagnostics);
    const Syntax syntax = whole.parse(diagnostics);
    Model model;
    Elaborator(syntax, model, diagnostics, settings, {}).run_parameters();
    return std::move(model.parameters);
}

std::optional<std::string> format_model(const SourceText& source, Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.error_count();
    const Syntax syntax = Parser(source, diagnostics).parse_statements();
    if (diagnostics.error_count() > before) return std::nullopt;
    return formatted(syntax);
}

ImportedText convert_robot(const std::string& path, ImportOptions options,
                           Diagnostics& diagnostics) {
    options.whole = true;
    options.is_reserved = is_reserved;
    const std::filesystem::path file(path);
    ImportedText result = import_robot(file, file.parent_path(), options, diagnostics);
    if (result.text.empty()) return result;
    Diagnostics unused;
    if (const auto tidy = format_model(SourceText(path, result.text), unused)) result.text = *tidy;
    return result;
}

}  // namespace lacon::lang
