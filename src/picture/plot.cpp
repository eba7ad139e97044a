#include "picture/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <unordered_set>

#include "base/text.hpp"
#include "picture/gnuplot.hpp"
#include "picture/panels.hpp"
#include "picture/script.hpp"

namespace lacon {

namespace {

using Names = std::vector<std::string>;

constexpr std::size_t most_by_default = 6;

std::string ending_of(std::string_view path) {
    std::string ending = std::filesystem::path(path).extension().string();
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return ending;
}

bool contains(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The members of a family: `x'` stands for `x[1]'`, `x[2]'`, …
Names members_of(const Names& columns, std::string_view family) {
    const std::size_t end = family.find_last_not_of('\'') + 1;
    const std::string begin = std::string(family.substr(0, end)) + "[", close = "]" + std::string(family.substr(end));
    Names members;
    for (const std::string& column : columns)
        if (column.starts_with(begin) && column.ends_with(close)) members.push_back(column);
    return members;
}

PlotError no_column(const Names& columns, const std::string& name) {
    const auto near = nearest_name(name, columns);
    return PlotError(fmt::format("there is no column '{}'{}; the columns are {}", name,
                                 near ? fmt::format(" (did you mean '{}'?)", *near) : "", quoted_list(columns, 20)));
}

bool is_effort(const std::string& name) {
    return name.starts_with("effort.");
}

/// NAME.error of a control, which has NAME.force and NAME.power too.
template <class Has>
bool is_tracking_error(const Has& has, const std::string& name) {
    constexpr std::string_view error = ".error";
    if (!name.ends_with(error)) return false;
    const std::string control = name.substr(0, name.size() - error.size());
    return has(control + ".force") && has(control + ".power");
}

Names default_y(const Names& columns, const std::string& x) {
    const std::unordered_set<std::string> all(columns.begin(), columns.end());  // tables may have a million of them
    const auto has = [&](const std::string& name) { return all.contains(name); };
    Names coordinates, unprimed;
    for (const std::string& name : columns) {
        if (name == "t" || name == x || name.ends_with('\'')) continue;
        unprimed.push_back(name);
        if (has(name + "'")) coordinates.push_back(name);
    }
    Names& chosen = coordinates.empty() ? unprimed : coordinates;
    chosen.resize(std::min(chosen.size(), most_by_default));
    if (coordinates.empty() || x != "t") return chosen;
    const auto add = [&](auto is_one) {
        std::size_t added = 0;
        for (const std::string& name : columns)
            if (is_one(name) && added++ < most_by_default) chosen.push_back(name);
    };
    add(is_effort);
    add([&](const std::string& name) { return is_tracking_error(has, name); });
    return chosen;
}

DrawnColumn column(const Table& table, const std::string& name) {
    const Names& names = table.info.names;
    const auto i = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    const std::vector<double>& values = table.columns[i];
    const bool error = is_tracking_error([&](const std::string& other) { return contains(names, other); }, name);
    const bool any = std::any_of(values.begin(), values.end(), [](double x) { return x > 0.0; });
    const bool logarithmic = name == "diagnosis.condition" || name == "diagnosis.gap" || (error && any);
    const int kind = is_effort(name) ? 1 : error ? 2 : 0;
    return {name, i < table.info.texts.size() ? table.info.texts[i] : std::string(), values, logarithmic, kind};
}

/// Whether a row has both values.
bool has_points(const DrawnColumn& x, const DrawnColumn& y) {
    for (std::size_t i = 0; i < x.values.size(); ++i)
        if (drawable(x.values[i]) && drawable(y.values[i]) && (!y.logarithmic || y.values[i] > 0.0)) return true;
    return false;
}

}  // namespace

bool can_plot() {
    return !find_gnuplot().empty();
}

bool known_picture_ending(std::string_view path) {
    return ending_of(path) == ".svg" || ending_of(path) == ".png";
}

Names plotted_columns(const Table& table, const PlotRequest& request) {
    const Names& columns = table.info.names;
    if (!contains(columns, request.x)) throw no_column(columns, request.x);
    Names drawn;
    for (const std::string& name : request.y) {
        const Names members = contains(columns, name) ? Names{name} : members_of(columns, name);
        if (members.empty()) throw no_column(columns, name);
        drawn.insert(drawn.end(), members.begin(), members.end());
    }
    if (request.y.empty()) drawn = default_y(columns, request.x);
    if (drawn.empty()) throw PlotError(fmt::format("there is nothing to draw: no column but {}", quoted_list(columns)));
    if (drawn.size() > most_curves)
        throw PlotError(fmt::format("{} are too many curves for one picture; name at most {}", drawn.size(), most_curves));
    return drawn;
}

void plot(const Table& table, const PlotRequest& request) {
    if (!known_picture_ending(request.file))
        throw PlotError(fmt::format("cannot draw '{}': its name ends in neither .svg nor .png", request.file));
    Drawing drawing;
    drawing.title = request.title.empty() ? table.info.model : request.title;
    drawing.ending = ending_of(request.file);
    const Names names = plotted_columns(table, request);
    drawing.x = column(table, request.x);
    for (const double x : request.marks)
        if (drawable(x)) drawing.marks.push_back(x);
    if (table.rows() == 0) throw PlotError("there is nothing to draw: the table has no rows");
    Names empty;
    for (const std::string& name : names) {
        drawing.y.push_back(column(table, name));
        if (has_points(drawing.x, drawing.y.back())) continue;
        drawing.y.pop_back();
        empty.push_back(name);
    }
    if (drawing.y.empty())
        throw PlotError(fmt::format("there is nothing to draw: {} over '{}' has no finite value", quoted_list(empty), request.x));
    run_gnuplot(gnuplot_script(drawing), request.file);
}

}  // namespace lacon
