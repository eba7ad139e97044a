// From a run to its page: scene → channels at all rows → rows that are kept → forces at these →
// JSON and packed numbers → HTML.
#include "page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "mechanics/explain/explain.hpp"
#include "page/measures.hpp"
#include "page/page_data.hpp"
#include "page/template.hpp"
#include "page/thin_rows.hpp"
#include "scene/scene.hpp"

namespace lacon::inline page {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_listed = 300;  // coordinates whose numbers are on the page
constexpr std::size_t most_numbers = 60'000'000;

float rounded_to_float(double value) {
    return static_cast<float>(value);
}

class PageMaker {
public:
    explicit PageMaker(const PageRun& run) : run_(run), scene_(make_scene(run.details)) {
        const std::size_t n = run.details.coordinate_names.size();
        if (run.columns.empty() || run.columns[0].empty())
            throw PageError("the run has no rows to show");
        if (run.names.size() < 2 * n + 1)
            throw PageError("the rows do not have all coordinates and velocities");
        choose_columns();
        fill_channels();
    }

    /// Thins the rows until the page is small enough.
    std::string page() {
        double tolerance = 0.00025;  // a third of a pixel of a window of 1300
        for (;; tolerance *= 4.0) {
            std::string html = with_rows(thin(tolerance));
            if (html.size() <= largest_page) return html;
            if (tolerance > 1.0)
                throw PageError(fmt::format("the page would have {} MB, even with few rows",
                                            html.size() / 1'000'000));
        }
    }

private:
    std::size_t rows() const { return run_.columns[0].size(); }

    /// Of a large model only the outputs are listed.
    void choose_columns() {
        const std::size_t n = run_.details.coordinate_names.size();
        for (std::size_t i = 1; i < run_.names.size(); ++i) {
            const bool is_state = i <= 2 * n;
            if (is_state && n > largest_listed) continue;
            chosen_.push_back(i);
        }
        if (n > largest_listed)
            left_out_.push_back(
                fmt::format("the numbers of {} coordinates: only outputs are listed", n));
    }

    State state(std::size_t row) const {
        const std::size_t n = run_.details.coordinate_names.size();
        State result;
        result.t = run_.columns[0][row];
        for (std::size_t i = 0; i < n; ++i) {
            result.q.push_back(run_.columns[1 + i][row]);
            result.v.push_back(run_.columns[1 + n + i][row]);
        }
        return result;
    }

    /// Columns of the scene and then of the table, in every `stride`th row where there are too
    /// many numbers.
    void fill_channels() {
        SceneValues values(run_.details, scene_);
        const std::size_t width = values.count() + chosen_.size();
        const std::size_t stride = width * rows() / most_numbers + 1;
        if (stride > 1)
            left_out_.push_back(
                fmt::format("rows: only every {}th of {} was looked at", stride, rows()));
        columns_.resize(width);
        std::vector<double> out(values.count());
        for (std::size_t row = 0; row < rows(); ++row) {
            if (row % stride != 0 && row + 1 != rows()) continue;
            taken_.push_back(row);
            t_.push_back(run_.columns[0][row]);
            values.at(state(row), out);
            for (std::size_t c = 0; c < out.size(); ++c)
                columns_[c].push_back(rounded_to_float(out[c]));
            for (std::size_t c = 0; c < chosen_.size(); ++c)
                columns_[out.size() + c].push_back(rounded_to_float(run_.columns[chosen_[c]][row]));
        }
        channels_ = out.size();
        find_sizes();
    }

    /// Places count relative to the size of the scene, other numbers to their own range.
    void find_sizes() {
        std::vector<bool> is_place(channels_);
        for (const SceneItem& item : scene_.items)
            if (item.kind != SceneItem::Kind::floor)
                for (const Spot& spot : item.places)
                    for (const Channel c : spot) is_place[c] = true;
        for (const SceneBody& body : scene_.bodies)
            for (const Channel c : body.place) is_place[c] = true;
        double scene = 0.0;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const auto [low, high] = std::minmax_element(columns_[c].begin(), columns_[c].end());
            const double range = double{*high} - double{*low};
            sizes_.push_back(std::isfinite(range) ? range : 0.0);
            if (c < channels_ && is_place[c] && std::isfinite(range))
                scene = std::max(scene, range);
        }
        for (std::size_t c = 0; c < channels_; ++c)
            if (sizes_[c] > 0.0 && is_place[c]) sizes_[c] = scene;
    }

    ThinRows thin(double tolerance) const { return thin_rows({t_, columns_, sizes_}, tolerance); }

    std::string with_rows(const ThinRows& thin) {
        std::vector<double> t;
        std::vector<State> states;
        for (const std::size_t i : thin.kept) {
            t.push_back(t_[i]);
            states.push_back(state(taken_[i]));
        }
        std::vector<FloatColumn> packed_columns;
        for (const std::vector<float>& column : columns_) {
            FloatColumn& kept = packed_columns.emplace_back();
            for (const std::size_t i : thin.kept) kept.push_back(column[i]);
        }
        const Measures measures = measure(run_.details, scene_, states, run_.solve);
        Json json = header(thin, measures);
        for (const Measure& one : measures.columns) packed_columns.push_back(one.values);
        for (const FloatColumn& one : measures.arrow_columns) packed_columns.push_back(one);
        json["rows"] = t.size();
        json["columns"] = packed_columns.size();
        return html(json.dump(-1, ' ', false, Json::error_handler_t::replace),
                    packed(t, packed_columns));
    }

    Json header(const ThinRows& thin, const Measures& measures) const {
        const DerivedModel& details = run_.details;
        std::vector<std::string> left_out = left_out_;
        left_out.insert(left_out.end(), scene_.left_out.begin(), scene_.left_out.end());
        if (!measures.left_out.empty()) left_out.push_back(measures.left_out);
        Json json{{"version", 1},
                  {"title", details.name},
                  {"text", details.model.source.text()},
                  {"file", details.model.source.name().substr(
                               details.model.source.name().find_last_of('/') + 1)},
                  {"planar", scene_.planar},
                  {"gravity", scene_.gravity},
                  {"facts", run_.facts},
                  {"thin", {{"of", rows()}, {"error", thin.error}}},
                  {"left_out", left_out}};
        constexpr std::size_t most_explained = 60;
        if (details.coordinate_names.size() + details.constraint_names.size() <= most_explained)
            json["latex"] = explain(details, true);
        json["items"] = items();
        json["bodies"] = bodies();
        json["series"] = series(measures);
        json["arrows"] = arrows(measures);
        json["events"] = events();
        return json;
    }

    Json items() const {
        Json all = Json::array();
        for (const SceneItem& item : scene_.items) {
            Json one{{"kind", name_of(item.kind)}, {"at", item.places}};
            if (!item.name.empty()) one["name"] = item.name;
            if (!item.color.empty()) one["color"] = item.color;
            if (item.trail) one["trail"] = true;
            if (item.radius) one["radius"] = *item.radius;
            if (item.particle) one["particle"] = true;
            if (item.row) one["constraint"] = run_.details.constraint_names[*item.row];
            if (item.particle) one["coordinates"] = coordinates_of(item);
            all.push_back(std::move(one));
        }
        return all;
    }

    /// The names of those that move it.
    std::vector<std::string> coordinates_of(const SceneItem& item) const {
        std::vector<std::string> names;
        const Model& model = run_.details.model;
        if (model.coordinates.size() > largest_listed) return names;
        const SymbolRoles roles(model);
        for (const Expr symbol : model.forms.symbols_of(model.particles[*item.particle].position))
            if (const SymbolRole role = roles.of(symbol); role.kind == SymbolRole::Kind::q)
                names.push_back(run_.details.coordinate_names[role.number]);
        return names;
    }

    Json bodies() const {
        Json all = Json::array();
        const Model& model = run_.details.model;
        const std::size_t ground = scene_.bodies.size() - model.bodies.size();
        for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
            const SceneBody& body = scene_.bodies[i];
            Json one{{"name", body.name}, {"parent", body.parent}, {"at", body.place},
                     {"R", body.R},       {"center", body.center}, {"shapes", Json::array()}};
            if (body.axes != std::array<double, 3>{}) one["axes"] = body.axes;
            if (body.turns) one["axis"] = body.axis;
            for (const SceneShape& shape : body.shapes) one["shapes"].push_back(json_of(shape));
            if (i >= ground && model.coordinates.size() <= largest_listed) {
                std::vector<std::string> names;
                for (const JointStep& step : model.bodies[i - ground].steps)
                    for (const std::size_t c : step.coordinates)
                        names.push_back(run_.details.coordinate_names[c]);
                one["coordinates"] = names;
            }
            all.push_back(std::move(one));
        }
        return all;
    }

    static Json json_of(const SceneShape& shape) {
        Json one{{"kind", shape::facts_of(shape.kind).name},
                 {"sizes", shape.sizes},
                 {"at", shape.place},
                 {"R", shape.R}};
        if (shape.mesh == nullptr) return one;
        constexpr std::size_t digits = 5;  // of the coordinates, for the eye
        one["scale"] = shape.scale;
        Json points = Json::array(), triangles = Json::array();
        for (const shape::Point& p : shape.mesh->points)
            for (const double x : p) points.push_back(std::stod(lacon::rounded(x, digits)));
        for (const shape::Triangle& t : shape.mesh->triangles)
            for (const std::uint32_t corner : t) triangles.push_back(corner);
        one["points"] = std::move(points);
        one["triangles"] = std::move(triangles);
        return one;
    }

    Json series(const Measures& measures) const {
        Json all = Json::array();
        const std::size_t n = run_.details.coordinate_names.size();
        for (std::size_t i = 0; i < chosen_.size(); ++i) {
            const std::size_t column = chosen_[i];
            all.push_back({{"name", run_.names[column]},
                           {"group", column <= n       ? "coordinate"
                                     : column <= 2 * n ? "velocity"
                                                       : "output"},
                           {"column", channels_ + i}});
        }
        for (std::size_t i = 0; i < measures.columns.size(); ++i)
            all.push_back({{"name", measures.columns[i].name},
                           {"group", measures.columns[i].group},
                           {"column", columns_.size() + i}});
        return all;
    }

    Json arrows(const Measures& measures) const {
        Json all = Json::array();
        const std::size_t first = columns_.size() + measures.columns.size();
        for (const ForceArrow& arrow : measures.arrows)
            all.push_back({{"name", arrow.name},
                           {"kind", arrow.kind},
                           {"at", arrow.at},
                           {"force", first + arrow.first}});
        return all;
    }

    Json events() const {
        constexpr std::size_t most = 5000;
        Json all = Json::array();
        for (const MotionEvent& event : run_.events) {
            if (all.size() == most) break;
            Json one{{"t", event.t}, {"kind", event.kind.name()}, {"name", event.name}};
            if (event.kind == EventKind::rank) {
                one["rank"] = {event.rank_before, event.rank_after};
                one["passed"] = event.passed;
                one["constraints"] = event.constraints;
            }
            if (!event.actuator.empty()) one["actuator"] = event.actuator;
            all.push_back(std::move(one));
        }
        return all;
    }

    /// The length of the JSON text (4 bytes), the text filled up to a multiple of 8, the numbers.
    std::string html(std::string json, const std::string& numbers) const {
        constexpr std::size_t step = 8, length_bytes = 4;
        while ((json.size() + length_bytes) % step != 0) json += ' ';
        const auto length = static_cast<std::uint32_t>(json.size());
        std::string bytes(length_bytes, '\0');
        std::memcpy(bytes.data(), &length, length_bytes);
        bytes += json;
        bytes += numbers;
        const std::string path = template_file();
        if (path.empty()) throw PageError(why_no_page());
        std::ifstream file(path, std::ios::binary);
        std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        const auto put = [&](std::string_view mark, const std::string& instead) {
            const auto at = text.find(mark);
            if (at == text.npos)
                throw PageError(fmt::format("'{}' is not the file that web/ is built to", path));
            text.replace(at, mark.size(), instead);
        };
        put(title_mark, escaped(run_.details.name));
        put(data_mark, fmt::format("<script type=\"text/plain\" id=\"run\">{}</script>",
                                   base64(gzipped(bytes))));
        return text;
    }

    static std::string escaped(const std::string& text) {
        std::string result;
        for (const char c : text)
            result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
        return result;
    }

    const PageRun& run_;
    Scene scene_;
    std::vector<std::size_t> chosen_;  // columns of the run that are listed
    std::vector<std::size_t> taken_;   // rows that were looked at
    std::vector<double> t_;            // their times
    std::vector<FloatColumn> columns_;
    std::size_t channels_ = 0;  // of the scene: the first columns
    std::vector<double> sizes_;
    std::vector<std::string> left_out_;
};

}  // namespace

std::string page_of(const PageRun& run) {
    return PageMaker(run).page();
}

}  // namespace lacon::page
