// The rate of a channel is its derivative along the motion: of one that moves with coordinates and
// time alone it follows from the state. Where a channel is a coordinate, its rate is the velocity.
#include "page/page_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "expr/derivative.hpp"
#include "expr/traverse.hpp"

namespace lacon::inline page {

namespace {

constexpr std::size_t most_listed = 300;  // coordinates whose numbers are on the page
constexpr std::size_t most_numbers = 60'000'000;
constexpr std::size_t most_with_rates = 8'000'000;  // channels times rows

}  // namespace

PageColumns::PageColumns(const PageRun& run, const Scene& scene, const RowStates& rows)
    : run_(run), scene_(scene), rows_(rows), graph_(scene.graph), numbers_(scene.channels) {
    curved = scene.channels.size() * run.columns[0].size() <= most_with_rates;
    if (curved) find_rates();
    rates_.resize(numbers_.size(), -1);
    choose_columns();
    fill();
    find_sizes();
}

void PageColumns::find_rates() {
    const Model& model = run_.pictured().model;
    const SymbolRoles roles(model);
    std::vector<Seed> seeds{{model.time, graph_.one()}};
    for (const Coordinate& coordinate : model.coordinates)
        seeds.push_back({coordinate.q, coordinate.v});
    std::map<Expr, std::size_t> known;
    for (std::size_t c = 0; c < scene_.channels.size(); ++c) known.emplace(scene_.channels[c], c);
    const std::vector<Expr> rates = directional(graph_, scene_.channels, seeds);
    for (std::size_t c = 0; c < scene_.channels.size(); ++c) {
        rates_.push_back(-1);
        using Kind = SymbolRole::Kind;
        bool of_places = true;
        for (const Expr symbol : symbols_in(graph_, {&scene_.channels[c], 1}))
            of_places = of_places && roles.of(symbol).kind != Kind::v;
        if (!of_places || graph_.is_zero(rates[c])) continue;
        const auto [place, is_new] = known.try_emplace(rates[c], numbers_.size());
        if (is_new) numbers_.push_back(rates[c]);
        rates_.back() = static_cast<std::ptrdiff_t>(place->second);
    }
}

/// Of a large model only the outputs are listed. A column that is a channel or a rate is not there
/// twice.
void PageColumns::choose_columns() {
    const std::vector<Coordinate>& coordinates = run_.pictured().model.coordinates;
    const std::vector<Coordinate>& own = run_.details.model.coordinates;
    std::map<std::string, std::pair<const char*, Expr>> states;
    for (const Coordinate& one : coordinates) {
        states.emplace(one.name, std::pair("coordinate", one.q));
        states.emplace(one.name + "'", std::pair("velocity", one.v));
    }
    const auto hidden = [&](const std::string& name) {
        return std::any_of(own.begin(), own.end(), [&](const Coordinate& one) {
            return one.hidden && (name == one.name || name == one.name + "'");
        });
    };
    const bool many = own.size() > most_listed;
    if (many)
        left_out.push_back(
            fmt::format("the numbers of {} coordinates: only outputs are listed", own.size()));
    for (std::size_t i = 1; i < run_.names.size(); ++i) {
        const auto state = states.find(run_.names[i]);
        if (state == states.end()) {
            listed.push_back({run_.names[i], "output", numbers_.size() + chosen_.size()});
            chosen_.push_back(i);
            continue;
        }
        if (many || hidden(run_.names[i])) continue;
        const auto [group, symbol] = state->second;
        const auto at = std::find(numbers_.begin(), numbers_.end(), symbol);
        const auto place = static_cast<std::size_t>(at - numbers_.begin());
        listed.push_back({run_.names[i], group,
                          at == numbers_.end() ? numbers_.size() + chosen_.size() : place});
        if (at == numbers_.end()) chosen_.push_back(i);
    }
    rates_.resize(numbers_.size() + chosen_.size(), -1);
    if (!curved) return;
    // A coordinate that nothing in the scene shows by itself has its velocity beside it all the
    // same.
    std::map<std::string, std::size_t> places;
    for (const Listed& one : listed) places.emplace(one.name, one.column);
    for (const Listed& one : listed)
        if (const auto rate = places.find(one.name + "'");
            one.group == "coordinate" && rate != places.end())
            rates_[one.column] = static_cast<std::ptrdiff_t>(rate->second);
}

/// Every `stride`th row where there are too many numbers.
void PageColumns::fill() {
    SceneValues values(run_.pictured(), graph_, numbers_);
    const std::size_t rows = run_.columns[0].size(), width = numbers_.size() + chosen_.size();
    const std::size_t stride = width * rows / most_numbers + 1;
    if (stride > 1)
        left_out.push_back(fmt::format("rows: only every {}th of {} was looked at", stride, rows));
    columns_.resize(width);
    std::vector<double> out(numbers_.size());
    for (std::size_t row = 0; row < rows; ++row) {
        if (row % stride != 0 && row + 1 != rows) continue;
        taken_.push_back(row);
        t_.push_back(run_.columns[0][row]);
        values.at(rows_.at(row), out);
        for (std::size_t c = 0; c < out.size(); ++c)
            columns_[c].push_back(static_cast<float>(out[c]));
        for (std::size_t c = 0; c < chosen_.size(); ++c)
            columns_[out.size() + c].push_back(static_cast<float>(run_.columns[chosen_[c]][row]));
    }
}

std::array<float, 2> PageColumns::range(Channel channel) const {
    const FloatColumn& column = columns_[channel];
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    return {*low, *high};
}

/// Places count relative to the size of the scene, other numbers to their own range, and rates not
/// at all.
void PageColumns::find_sizes() {
    std::vector<bool> is_place(columns_.size()), is_listed(columns_.size());
    for (const SceneItem& item : scene_.items)
        if (item.kind != SceneItem::Kind::floor)
            for (const Spot& spot : item.places)
                for (const Channel c : spot) is_place[c] = true;
    for (const SceneBody& body : scene_.bodies)
        for (const Channel c : body.place) is_place[c] = true;
    for (const Listed& one : listed) is_listed[one.column] = true;
    double scene = 0.0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const auto [low, high] = range(static_cast<Channel>(c));
        const double width = double{high} - double{low};
        const bool counts = c < scene_.channels.size() || is_listed[c];
        sizes_.push_back(counts && std::isfinite(width) ? width : 0.0);
        if (is_place[c] && std::isfinite(width)) scene = std::max(scene, width);
    }
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (sizes_[c] > 0.0 && is_place[c]) sizes_[c] = scene;
}

std::vector<FloatColumn> PageColumns::at(const std::vector<std::size_t>& kept) const {
    std::vector<FloatColumn> all;
    for (const FloatColumn& column : columns_) {
        FloatColumn& own = all.emplace_back();
        for (const std::size_t i : kept) own.push_back(column[i]);
    }
    return all;
}

}  // namespace lacon::page
