// From a run to its page: scene → numbers at all rows → rows that are kept → forces at these → JSON
// and packed numbers → HTML.
#include "page/page.hpp"

#include <fmt/format.h>

#include <cstring>
#include <functional>

#include "mechanics/explain/explain.hpp"
#include "page/measures.hpp"
#include "page/page_columns.hpp"
#include "page/page_json.hpp"
#include "page/template.hpp"

namespace lacon::inline page {

namespace {

/// What the first member of PageMaker is made from.
const PageRun& checked(const PageRun& run) {
    if (run.columns.empty() || run.columns[0].empty())
        throw PageError("the run has no rows to show");
    return run;
}

class PageMaker {
public:
    explicit PageMaker(const PageRun& run)
        : run_(checked(run)),
          scene_(make_scene(run.pictured(), run.notes)),
          states_(run.details, run.names, run.columns),
          pictured_states_(run.pictured(), run.names, run.columns),
          columns_(run, scene_, pictured_states_),
          traces_(trace(run.pictured(), scene_, columns_, pictured_states_)) {}

    /// Thins the rows until what is made of the bytes is small enough.
    std::string page(const std::function<std::string(std::string)>& made) {
        double tolerance = 0.00025;  // a third of a pixel of a window of 1300
        for (;; tolerance *= 4.0) {
            std::string result = made(with_rows(columns_.thin(tolerance)));
            if (result.size() <= largest_page) return result;
            if (tolerance > 1.0)
                throw PageError(fmt::format("the page would have {} MB, even with few rows",
                                            result.size() / 1'000'000));
        }
    }

private:
    std::string with_rows(const ThinRows& thin) {
        std::vector<double> t;
        std::vector<State> states, pictured;
        for (const std::size_t i : thin.kept) {
            t.push_back(columns_.time(i));
            states.push_back(states_.at(columns_.row_of(i)));
            pictured.push_back(pictured_states_.at(columns_.row_of(i)));
        }
        std::vector<FloatColumn> all = columns_.at(thin.kept);
        const Measures measures =
            measure({run_.details, run_.pictured(), states, pictured}, scene_, run_.solve);
        PageJson json = header(thin, measures);
        for (const Measure& one : measures.columns) all.push_back(one.values);
        for (const FloatColumn& one : measures.arrow_columns) all.push_back(one);
        json["rows"] = t.size();
        json["columns"] = all.size();
        return bytes(json.dump(-1, ' ', false, PageJson::error_handler_t::replace), packed(t, all));
    }

    PageJson header(const ThinRows& thin, const Measures& measures) const {
        const DerivedModel& details = run_.details;
        std::vector<std::string> left_out = columns_.left_out;
        left_out.insert(left_out.end(), traces_.left_out.begin(), traces_.left_out.end());
        left_out.insert(left_out.end(), run_.left_out.begin(), run_.left_out.end());
        left_out.insert(left_out.end(), scene_.left_out.begin(), scene_.left_out.end());
        if (!measures.left_out.empty()) left_out.push_back(measures.left_out);
        PageJson json{
            {"version", 1},
            {"title", details.name},
            {"text", details.model.source.text()},
            {"file",
             details.model.source.name().substr(details.model.source.name().find_last_of('/') + 1)},
            {"planar", scene_.planar},
            {"gravity", scene_.gravity},
            {"facts", run_.facts},
            {"thin",
             {{"of", run_.columns[0].size()}, {"error", thin.error}, {"curved", columns_.curved}}},
            {"left_out", left_out}};
        constexpr std::size_t most_explained = 60;
        if (details.coordinate_names.size() + details.constraint_names.size() <= most_explained)
            json["latex"] = explain(details, true);
        json["items"] = items_json(run_.pictured(), scene_);
        json["bodies"] = bodies_json(run_.pictured(), scene_);
        json["traces"] = traces_json(run_.pictured(), traces_.all);
        json["series"] = series(measures);
        json["rates"] = columns_.rates();
        json["arrows"] = arrows(measures);
        json["events"] = events_json(run_.events);
        return json;
    }

    PageJson series(const Measures& measures) const {
        PageJson all = PageJson::array();
        for (const PageColumns::Listed& one : columns_.listed)
            all.push_back({{"name", one.name}, {"group", one.group}, {"column", one.column}});
        for (std::size_t i = 0; i < measures.columns.size(); ++i)
            all.push_back({{"name", measures.columns[i].name},
                           {"group", measures.columns[i].group},
                           {"column", columns_.count() + i}});
        return all;
    }

    PageJson arrows(const Measures& measures) const {
        PageJson all = PageJson::array();
        const std::size_t first = columns_.count() + measures.columns.size();
        for (const ForceArrow& arrow : measures.arrows) {
            PageJson one{{"name", arrow.name},
                         {"kind", arrow.kind},
                         {"at", arrow.at},
                         {"force", first + arrow.first}};
            if (arrow.turns) one["turns"] = true;
            all.push_back(std::move(one));
        }
        return all;
    }

    /// The length of the JSON text (4 bytes), the text filled up to a multiple of 8, the numbers.
    static std::string bytes(std::string json, const std::string& numbers) {
        constexpr std::size_t step = 8, length_bytes = 4;
        while ((json.size() + length_bytes) % step != 0) json += ' ';
        const auto length = static_cast<std::uint32_t>(json.size());
        std::string result(length_bytes, '\0');
        std::memcpy(result.data(), &length, length_bytes);
        result += json;
        result += numbers;
        return result;
    }

    const PageRun& run_;
    Scene scene_;
    RowStates states_, pictured_states_;
    PageColumns columns_;
    Traces traces_;
};

}  // namespace

std::string page_of(const PageRun& run) {
    const std::string path = template_file();
    return PageMaker(run).page([&](const std::string& bytes) {
        return filled_template(path, run.details.name,
                               fmt::format("<script type=\"text/plain\" id=\"run\">{}</script>",
                                           base64(gzipped(bytes))));
    });
}

std::string page_data_of(const PageRun& run) {
    return PageMaker(run).page([](std::string bytes) { return bytes; });
}

}  // namespace lacon::page
