// Keeps the natural order if it causes hardly any fill. Otherwise minimum degree (Eigen) and, where
// that is expensive, nested dissection (METIS) compete by their number of operations. METIS gets a
// fixed seed, so a model always has the same order.
#include "solve/sparse/order.hpp"

#include <fmt/format.h>
#include <metis.h>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <numeric>

namespace lacon::solving::inline sparse {

namespace {

using Order = SparseOptions::Order;

// The natural order is kept where it makes no more than this times the entries there were: a chain,
// a narrow band.
constexpr double hardly_any_fill = 1.25;
// Below this many operations an unknown, minimum degree leaves nothing that dissection could win
// back.
constexpr double cheap_operations = 300.0;
constexpr std::size_t small_graph = 1000;

std::vector<Place> natural_order(std::size_t n) {
    std::vector<Place> order(n);
    std::iota(order.begin(), order.end(), Place{0});
    return order;
}

std::vector<Place> degree_order(const SparsePattern& graph) {
    if (graph.rows < 4 || graph.entries() == 0) return natural_order(graph.rows);
    const int n = static_cast<int>(graph.rows);
    Eigen::SparseMatrix<double, Eigen::ColMajor, int> pattern(n, n);
    pattern.resizeNonZeros(static_cast<Eigen::Index>(graph.entries() + graph.rows));
    int at = 0;
    for (int i = 0; i < n; ++i) {  // it wants the diagonal as well
        pattern.outerIndexPtr()[i] = at;
        pattern.innerIndexPtr()[at++] = i;
        for (const Place j : row_of(graph, static_cast<std::size_t>(i)))
            pattern.innerIndexPtr()[at++] = static_cast<int>(j);
    }
    pattern.outerIndexPtr()[n] = at;
    std::fill_n(pattern.valuePtr(), at, 1.0);
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> found;
    Eigen::internal::minimum_degree_ordering(pattern, found);
    return {found.indices().data(), found.indices().data() + n};
}

std::vector<Place> dissection_order(const SparsePattern& graph) {
    if (graph.rows < 10 || graph.entries() == 0)
        return degree_order(graph);  // it is not made for the smallest
    idx_t n = static_cast<idx_t>(graph.rows);
    std::vector<idx_t> begin(graph.begin.begin(), graph.begin.end()),
        column(graph.column.begin(), graph.column.end());
    std::vector<idx_t> order(graph.rows), place(graph.rows), options(METIS_NOPTIONS);
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_CCORDER] = 1;
    options[METIS_OPTION_SEED] = 1;
    if (METIS_NodeND(&n, begin.data(), column.data(), nullptr, options.data(), order.data(),
                     place.data()) != METIS_OK)
        return degree_order(graph);
    return {order.begin(), order.end()};
}

// Rows behind the last of what they touch; otherwise the order stays.
void delay_rows(std::vector<Place>& order, const SparsePattern& graph, std::size_t rows_from) {
    if (rows_from >= order.size()) return;
    std::vector<std::uint64_t> key(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) key[order[k]] = 2 * k;
    for (std::size_t i = rows_from; i < order.size(); ++i)
        for (const Place j : row_of(graph, i))
            if (j < rows_from) key[i] = std::max(key[i], key[j] + 1);
    std::stable_sort(order.begin(), order.end(), [&](Place a, Place b) { return key[a] < key[b]; });
}

struct Candidate {
    const char* name;
    Elimination elimination;
};

std::string text_of(const Candidate& c) {
    return fmt::format("{} {:.3g} operations, {} entries", c.name, c.elimination.operations,
                       c.elimination.entries);
}

}  // namespace

OrderChoice choose_order(const SparsePattern& graph, const OrderRequest& request) {
    const auto tried = [&](const char* name, std::vector<Place> order) {
        delay_rows(order, graph, request.rows_from);
        return Candidate{name, eliminate(graph, std::move(order))};
    };
    const bool any = request.kind == Order::automatic,
               large = graph.entries() > std::size_t{2'000'000'000};
    std::vector<Candidate> found;
    if (any || request.kind == Order::natural || large) {
        found.push_back(tried("natural", natural_order(graph.rows)));
        const Elimination& e = found.back().elimination;
        const double before = static_cast<double>(e.lower.entries());
        // 16: a small matrix is not worth another order.
        if (!any || large || static_cast<double>(e.entries) <= hardly_any_fill * before + 16.0)
            return {std::move(found.back().elimination), "natural", text_of(found.back())};
    }
    if (any || request.kind == Order::degree) found.push_back(tried("degree", degree_order(graph)));
    const double cheap = cheap_operations * static_cast<double>(graph.rows);
    if (request.kind == Order::dissection ||
        (any && graph.rows > small_graph && found.back().elimination.operations > cheap))
        found.push_back(tried("dissection", dissection_order(graph)));
    const auto less = [](const Candidate& a, const Candidate& b) {
        return a.elimination.operations < b.elimination.operations;
    };
    const auto best = std::min_element(found.begin(), found.end(), less);
    std::string why = text_of(*best);
    for (auto other = found.begin(); other != found.end(); ++other)
        if (other != best) why += fmt::format("; {}", text_of(*other));
    return {std::move(best->elimination), best->name, std::move(why)};
}

}  // namespace lacon::solving::sparse
