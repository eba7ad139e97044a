// Sorts the columns of a table by what they are, chooses those to draw and hands them to the
// script. Columns that hold only rounding are named in the caption instead.
#include "picture/plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <unordered_set>

#include "base/text.hpp"
#include "picture/gnuplot.hpp"
#include "picture/panels.hpp"
#include "picture/script.hpp"

namespace lacon::inline picture {

namespace {

using Names = std::vector<std::string>;

constexpr std::size_t most_by_default = 6, most_outputs = 18;

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
    const std::string begin = std::string(family.substr(0, end)) + "[",
                      close = "]" + std::string(family.substr(end));
    Names members;
    for (const std::string& column : columns)
        if (column.starts_with(begin) && column.ends_with(close)) members.push_back(column);
    return members;
}

PlotError no_column(const Names& columns, const std::string& name) {
    const auto near = nearest_name(name, columns);
    return PlotError(fmt::format("there is no column '{}'{}; the columns are {}", name,
                                 near ? fmt::format(" (did you mean '{}'?)", *near) : "",
                                 quoted_list(columns, 20)));
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

/// The columns of a table by what they are. Those of a run stand in order: t, coordinates,
/// velocities, outputs.
struct Sorted {
    Names outputs, coordinates, velocities, efforts, errors, diagnosis, others;
};

/// How many coordinates stand behind `t`, with as many velocities behind them; 0 where that is not
/// so.
std::size_t coordinates_in(const Names& columns) {
    if (columns.size() < 3 || columns[0] != "t") return 0;
    const auto twin = std::find(columns.begin(), columns.end(), columns[1] + "'");
    const auto n = static_cast<std::size_t>(twin - columns.begin()) - 1;
    if (twin == columns.end() || 2 * n >= columns.size()) return 0;
    for (std::size_t i = 1; i <= n; ++i)
        if (columns[i] + "'" != columns[n + i]) return 0;
    return n;
}

Sorted sorted(const Names& columns, const std::string& x) {
    const std::unordered_set<std::string> all(columns.begin(),
                                              columns.end());  // tables may have a million of them
    const auto has = [&](const std::string& name) { return all.contains(name); };
    const std::size_t n = coordinates_in(columns);
    Sorted result;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string& name = columns[i];
        if (name == "t" || name == x) continue;
        const bool coordinate = n > 0 ? i <= n : !name.ends_with('\'') && has(name + "'");
        const bool velocity = n > 0 ? i > n && i <= 2 * n : name.ends_with('\'');
        const auto of_control = [&](std::string_view ending) {
            return name.ends_with(ending) &&
                   is_tracking_error(has, name.substr(0, name.size() - ending.size()) + ".error");
        };
        if (coordinate) result.coordinates.push_back(name);
        else if (velocity) result.velocities.push_back(name);
        else if (is_effort(name)) result.efforts.push_back(name);
        else if (is_tracking_error(has, name)) result.errors.push_back(name);
        else if (name == "diagnosis.condition" || name == "diagnosis.gap")
            result.diagnosis.push_back(name);
        else if (of_control(".force") || of_control(".power") || of_control(".effort") ||
                 name.starts_with("diagnosis."))
            result.others.push_back(name);
        else result.outputs.push_back(name);
    }
    return result;
}

const std::vector<double>* values_of(const Table& table, const std::string& name) {
    const Names& names = table.info.names;
    const auto i =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    return i < table.columns.size() ? &table.columns[i] : nullptr;
}

/// The largest of a table's coordinates and velocities (at most 2000 of them are looked at); 0
/// where it has none.
double scale_of(const Table& table, const Sorted& columns) {
    constexpr std::size_t most = 1000;
    double scale = 0.0;
    for (const Names* names : {&columns.coordinates, &columns.velocities})
        for (std::size_t i = 0; i < std::min(most, names->size()); ++i)
            if (const auto* values = values_of(table, (*names)[i]))
                scale = std::max(scale, extent_of(*values).size());
    return scale;
}

/// What a picture without names shows, and in words what it does not.
struct Chosen {
    Names names;
    std::vector<std::string> notes;
};

Chosen chosen(const Table& table, const std::string& x) {
    const Sorted columns = sorted(table.info.names, x);
    constexpr double noise_level = 1e-11;  // of tolerances and rounding
    const double scale = scale_of(table, columns);
    Chosen result;
    Names noise;
    std::vector<std::string> more;
    const auto add = [&](const Names& names, std::size_t most, const char* noun,
                         bool may_be_noise) {
        std::size_t added = 0, rest = 0;
        for (const std::string& name : names) {
            const auto* values = may_be_noise ? values_of(table, name) : nullptr;
            const double size = values ? extent_of(*values).size() : 0.0;
            if (size > 0.0 && size <= noise_level * scale)
                noise.push_back(fmt::format("{} (at most {})", name, rounded(size, 2)));
            else if (added < most) result.names.push_back(name), ++added;
            else ++rest;
        }
        if (rest > 0)
            more.push_back(fmt::format(
                "{} {}", rest, added > 0 ? std::string("more ") + noun : std::string(noun)));
    };
    add(columns.outputs, most_outputs, "outputs", true);
    add(columns.coordinates, most_by_default, "coordinates", true);
    if (result.names.empty()) add(columns.velocities, most_by_default, "velocities", true);
    else if (!columns.velocities.empty())
        more.push_back(columns.velocities.size() == 1
                           ? "1 velocity"
                           : fmt::format("{} velocities", columns.velocities.size()));
    if (x == "t") {
        add(columns.efforts, most_by_default, "efforts", false);
        add(columns.errors, most_by_default, "tracking errors", false);
        add(columns.diagnosis, most_by_default, "columns of the diagnosis", false);
    }
    for (const std::string& name : columns.others) more.push_back(name);
    if (!noise.empty())
        result.notes.push_back(
            fmt::format("zero to within 1e-11 of the motion: {}", fmt::join(noise, ", ")));
    if (!more.empty()) result.notes.push_back(fmt::format("not drawn: {}", fmt::join(more, ", ")));
    return result;
}

DrawnColumn column(const Table& table, const std::string& name) {
    const Names& names = table.info.names;
    const auto i =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    const std::vector<double>& values = table.columns[i];
    const bool error =
        is_tracking_error([&](const std::string& other) { return contains(names, other); }, name);
    const bool any = std::any_of(values.begin(), values.end(), [](double x) { return x > 0.0; });
    const bool logarithmic =
        name == "diagnosis.condition" || name == "diagnosis.gap" || (error && any);
    const int kind = is_effort(name) ? 1 : error ? 2 : 0;
    return {name, i < table.info.texts.size() ? table.info.texts[i] : std::string(), values,
            logarithmic, kind};
}

/// Whether a row has both values.
bool has_points(const DrawnColumn& x, const DrawnColumn& y) {
    for (std::size_t i = 0; i < x.values.size(); ++i)
        if (drawable(x.values[i]) && drawable(y.values[i]) && (!y.logarithmic || y.values[i] > 0.0))
            return true;
    return false;
}

/// Whether rows are no path but single points, as those of a section are: x goes to and fro, and
/// most steps from one row to the next cross a good part of the picture.
bool is_scattered(std::span<const double> x, std::span<const double> y) {
    constexpr std::size_t fewest = 20;
    constexpr double far = 0.15;
    if (x.size() < fewest || std::is_sorted(x.begin(), x.end())) return false;
    const Extent width = extent_of(x), height = extent_of(y);
    if (width.empty || height.empty || !(width.width() > 0.0) || !(height.width() > 0.0))
        return false;
    std::size_t steps = 0, long_ones = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
        const double step =
            std::hypot((x[i] - x[i - 1]) / width.width(), (y[i] - y[i - 1]) / height.width());
        if (std::isnan(step)) continue;
        ++steps;
        long_ones += step > far;
    }
    return 2 * long_ones > steps;
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
    if (request.y.empty()) drawn = chosen(table, request.x).names;
    if (drawn.empty())
        throw PlotError(
            fmt::format("there is nothing to draw: no column but {}", quoted_list(columns)));
    if (drawn.size() > most_curves)
        throw PlotError(fmt::format("{} curves are too many for one picture; name at most {}",
                                    drawn.size(), most_curves));
    return drawn;
}

std::vector<std::string> left_out(const Table& table, const PlotRequest& request) {
    return request.y.empty() ? chosen(table, request.x).notes : std::vector<std::string>();
}

void plot(const Table& table, const PlotRequest& request) {
    if (!known_picture_ending(request.file))
        throw PlotError(
            fmt::format("cannot draw '{}': its name must end in .svg or .png", request.file));
    PlotScript drawing;
    drawing.title = request.title.empty() ? table.info.model : request.title;
    drawing.ending = ending_of(request.file);
    const Names names = plotted_columns(table, request);
    drawing.x = column(table, request.x);
    for (const double x : request.marks)
        if (drawable(x)) drawing.marks.push_back(x);
    if (table.rows() == 0) throw PlotError("there is nothing to draw: the table has no rows");
    Names empty;
    const Names by_default =
        request.y.empty() ? sorted(table.info.names, request.x).coordinates : Names();
    const std::unordered_set<std::string> coordinates(by_default.begin(), by_default.end());
    for (const std::string& name : names) {
        drawing.y.push_back(column(table, name));
        if (coordinates.contains(name)) drawing.y.back().kind = 3;  // apart from the outputs
        if (has_points(drawing.x, drawing.y.back())) continue;
        drawing.y.pop_back();
        empty.push_back(name);
    }
    drawing.notes = request.notes;
    for (std::string& note : left_out(table, request)) drawing.notes.push_back(std::move(note));
    if (!empty.empty())
        drawing.notes.push_back(fmt::format("without a finite value: {}", fmt::join(empty, ", ")));
    drawing.points = request.points || (!drawing.y.empty() &&
                                        is_scattered(drawing.x.values, drawing.y.front().values));
    if (drawing.y.empty())
        throw PlotError(fmt::format("there is nothing to draw: {} over '{}' has no finite value",
                                    quoted_list(empty), request.x));
    run_gnuplot(gnuplot_script(drawing), request.file);
}

}  // namespace lacon::picture
