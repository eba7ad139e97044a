// Reads JSON tables with nlohmann-json; null is NaN. Errors name the row and the column.
#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "table/formats.hpp"

namespace lacon::inline table {

namespace {

using Json = nlohmann::ordered_json;

Json parsed(const std::string& path) {
    const std::string text = file_text(path);
    try {
        return Json::parse(text);
    } catch (const Json::exception& problem) {
        // "[json.exception…] what is wrong, with line and column".
        const std::string_view what = problem.what();
        const auto end_of_tag = what.find("] ");
        throw cannot_read(
            path, end_of_tag == std::string_view::npos ? what : what.substr(end_of_tag + 2));
    }
}

std::string text_at(const Json& object, const char* key) {
    return object.contains(key) && object[key].is_string() ? object[key].get<std::string>()
                                                           : std::string();
}

TableValue value_of(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number()) return value.get<double>();
    return value.dump();
}

TableInfo info_of(const Json& json, const std::string& path) {
    const bool has_shape = json.is_object() && json.contains("columns") &&
                           json["columns"].is_array() && json.contains("rows") &&
                           json["rows"].is_array();
    if (!has_shape)
        throw cannot_read(
            path, "it is not a table: an object with the lists 'columns' and 'rows' was expected");
    TableInfo info;
    info.model = text_at(json, "model");
    info.source = text_at(json, "source");
    if (json.contains("options") && json["options"].is_object())
        for (const auto& [name, value] : json["options"].items())
            info.options.emplace_back(name, value_of(value));
    for (const Json& column : json["columns"]) {
        if (!column.is_object() || text_at(column, "name").empty())
            throw cannot_read(path, fmt::format("column {} has no name", info.names.size() + 1));
        info.names.push_back(text_at(column, "name"));
        info.texts.push_back(text_at(column, "text"));
    }
    return info;
}

}  // namespace

Table read_json(const std::string& path) {
    const Json json = parsed(path);
    Table table{info_of(json, path), {}};
    const std::vector<std::string>& names = table.info.names;
    table.columns.resize(names.size());
    std::size_t number = 0;
    for (const Json& row : json["rows"]) {
        ++number;
        if (!row.is_array() || row.size() != names.size())
            throw cannot_read(path, fmt::format("row {} is not a list of {}", number,
                                                counted(names.size(), "number")));
        for (std::size_t j = 0; j < names.size(); ++j) {
            if (!row[j].is_number() && !row[j].is_null())
                throw cannot_read(path, fmt::format("row {}, column '{}': {} is not a number",
                                                    number, names[j], row[j].dump()));
            table.columns[j].push_back(row[j].is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                        : row[j].get<double>());
        }
    }
    if (json.contains("events") && json["events"].is_array()) table.events = json["events"].dump();
    return table;
}

}  // namespace lacon::table
