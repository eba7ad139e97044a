// Where, within a step, the laws of contact begin to give another verdict.
#include "locate/verdict_search.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline locate {

namespace {

/// How far the value in the middle is off the mean of those at the ends, the largest.
double bend(const std::vector<double>& a, const std::vector<double>& m,
            const std::vector<double>& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < m.size(); ++i)
        most = std::max(most, std::abs(m[i] - 0.5 * (a[i] + b[i])));
    return most;
}

double change(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

}  // namespace

VerdictSearch::Kind VerdictSearch::kind_of(double from, double to) {
    const std::vector<double> nodes = ChebyshevFit::nodes(to - from);
    std::vector<Place> places(nodes.size());
    double changes = 0.0, turns = 0.0;
    // A look at a few places first: most often nothing changes at all.
    const std::size_t few[] = {0, nodes.size() - 1, 5, 9, 12};
    const auto look = [&](std::size_t j) {
        if (!ground_at(from + nodes[j], places[j])) return false;
        for (const double x : places[j].ground.resultant) size_ = std::max(size_, std::abs(x));
        changes = std::max(changes, change(places[0].ground.resultant, places[j].ground.resultant));
        turns = std::max(turns, change(places[0].ground.cone, places[j].ground.cone));
        return true;
    };
    for (const std::size_t j : few)
        if (!look(j)) return Kind::unknown;
    if (changes <= same * size_ && turns <= same) return Kind::constant;
    for (std::size_t j = 0; j < nodes.size(); ++j)
        if (places[j].ground.resultant.empty() && !look(j)) return Kind::unknown;
    std::vector<double> values(nodes.size());
    const auto fits = [&](std::vector<double> Monitors::Ground::*part, double size) {
        for (std::size_t i = 0; i < (places[0].ground.*part).size(); ++i) {
            for (std::size_t j = 0; j < nodes.size(); ++j) values[j] = (places[j].ground.*part)[i];
            if (!ChebyshevFit(values, to - from, resolved * size).is_resolved()) return false;
        }
        return true;
    };
    return fits(&Monitors::Ground::resultant, size_) && fits(&Monitors::Ground::cone, 1.0)
               ? Kind::resolved
               : Kind::rough;
}

std::optional<VerdictSearch::Bracket> VerdictSearch::search(double from, double to, int depth) {
    if (depth == 0) size_ = 0.0;
    const Kind kind = kind_of(from, to);
    if (kind == Kind::rough && depth < most_halvings) {
        const double middle = 0.5 * (from + to);
        if (const auto found = search(from, middle, depth + 1)) return found;
        return search(middle, to, depth + 1);
    }
    Place a, b;
    if (kind == Kind::resolved && ground_at(from, a) && ground_at(to, b)) {
        verdicts_ = 0;
        return pieces(a, b, 0);
    }
    return lasts(to) ? std::nullopt : std::optional(Bracket{from, to});
}

/// By the values at quarters, which those at the ends and in the middle foretell.
bool VerdictSearch::is_parabola(const Place& a, const Place& m, const Place& b) {
    if (bend(a.ground.cone, m.ground.cone, b.ground.cone) > steady) return false;
    if (change(a.ground.cone, b.ground.cone) > turned) return false;
    const double allowed = std::max(
        straight * size_, cubic * bend(a.ground.resultant, m.ground.resultant, b.ground.resultant));
    Place quarter;
    for (const Place* end : {&a, &b}) {
        const Place& other = end == &a ? b : a;
        if (!ground_at(0.5 * (end->tau + m.tau), quarter)) return false;
        for (std::size_t i = 0; i < quarter.ground.resultant.size(); ++i) {
            // The parabola through 0, 1/2 and 1, at 1/4.
            const double foretold = 0.375 * end->ground.resultant[i] +
                                    0.75 * m.ground.resultant[i] -
                                    0.125 * other.ground.resultant[i];
            if (!(std::abs(quarter.ground.resultant[i] - foretold) <= allowed)) return false;
        }
    }
    return true;
}

/// The first piece that ends with another verdict; at `from` it is good.
std::optional<VerdictSearch::Bracket> VerdictSearch::pieces(const Place& from, const Place& to,
                                                            int depth) {
    constexpr int deepest = 30;
    Place middle;
    const bool known = ground_at(0.5 * (from.tau + to.tau), middle);
    const bool may_halve = known && depth < deepest && verdicts_ < most_verdicts;
    const auto halve = [&]() -> std::optional<Bracket> {
        if (auto found = pieces(from, middle, depth + 1)) return found;
        return pieces(middle, to, depth + 1);
    };
    if (may_halve && !is_parabola(from, middle, to)) return halve();
    ++verdicts_;
    const bool is_good = lasts(to.tau);
    const auto &a = from.ground.resultant, &m = middle.ground.resultant, &b = to.ground.resultant;
    // A line leaves a convex cone once; a parabola may come back and leave it again.
    if (!may_halve || bend(a, m, b) <= straight * size_)
        return is_good ? std::nullopt : std::optional(Bracket{from.tau, to.tau});
    if (!is_good) return halve();
    std::vector<double> added(m.size());  // what acts less is exerted more
    for (std::size_t i = 0; i < m.size(); ++i) added[i] = -safety * (m[i] - 0.5 * (a[i] + b[i]));
    ++verdicts_;
    if (lasts(middle.tau, added)) return {};
    return halve();
}

}  // namespace lacon::locate
