// The image gets the axes of J C made orthonormal, longest first, by Gram–Schmidt in floating
// point. Only the solve with these axes is verified, so the axes themselves need not be exact.
#include "exists/parallelepiped.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solve/verified/verified.hpp"

namespace lacon::inline existence {

namespace {

/// Orthonormal columns that span those of a matrix, the one that stretches the set most first. Only
/// nearly so: what is exact is their verified inverse.
Matrix orthonormal(const IntervalMatrix& A, const std::vector<Interval>& r) {
    const std::size_t d = r.size();
    std::vector<std::vector<double>> columns(d, std::vector<double>(d));
    std::vector<double> length(d, 0.0);
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i < d; ++i) columns[j][i] = A(i, j).mid();
        length[j] = std::sqrt(std::inner_product(columns[j].begin(), columns[j].end(),
                                                 columns[j].begin(), 0.0)) *
                    r[j].width();
    }
    std::vector<std::size_t> order(d);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return length[a] > length[b]; });
    Matrix Q(d, d);
    std::size_t unit = 0;
    for (std::size_t k = 0; k < d; ++k) {
        std::vector<double> column = columns[order[k]];
        for (bool fine = false; !fine;) {
            const double before =
                std::sqrt(std::inner_product(column.begin(), column.end(), column.begin(), 0.0));
            for (int round = 0; round < 2; ++round)
                for (std::size_t j = 0; j < k; ++j) {
                    double along = 0.0;
                    for (std::size_t i = 0; i < d; ++i) along += Q(i, j) * column[i];
                    for (std::size_t i = 0; i < d; ++i) column[i] -= along * Q(i, j);
                }
            const double after =
                std::sqrt(std::inner_product(column.begin(), column.end(), column.begin(), 0.0));
            fine = after > 1e-10 * before && after > 0.0;
            if (fine) {
                for (std::size_t i = 0; i < d; ++i) Q(i, k) = column[i] / after;
            } else {  // nothing is left of it: any other direction serves
                column.assign(d, 0.0);
                column[unit++ % d] = 1.0;
            }
        }
    }
    return Q;
}

}  // namespace

Parallelepiped Parallelepiped::point(const std::vector<double>& x) {
    Parallelepiped set{x, Matrix(x.size(), x.size()),
                       std::vector<Interval>(x.size(), Interval(0.0))};
    for (std::size_t i = 0; i < x.size(); ++i) set.C(i, i) = 1.0;
    return set;
}

std::vector<Interval> Parallelepiped::hull() const {
    std::vector<Interval> box;
    for (std::size_t i = 0; i < middle.size(); ++i) {
        Interval sum(middle[i]);
        for (std::size_t j = 0; j < r.size(); ++j) sum = sum + Interval(C(i, j)) * r[j];
        box.push_back(sum);
    }
    return box;
}

std::optional<Parallelepiped> Parallelepiped::image(const std::vector<Interval>& y,
                                                    const IntervalMatrix& J) const {
    const std::size_t d = middle.size();
    IntervalMatrix JC(d, d);
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t k = 0; k < d; ++k) JC(i, j) = JC(i, j) + J(i, k) * Interval(C(k, j));
    Parallelepiped next;
    next.C = orthonormal(JC, r);
    std::vector<Interval> rest;
    for (const Interval& value : y) {
        next.middle.push_back(value.mid());
        rest.push_back(value - Interval(value.mid()));
    }
    IntervalMatrix turn(d, d);
    for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) turn(i, j) = Interval(next.C(i, j));
    VerifiedFactor factor;
    if (!factor.factor(turn)) return std::nullopt;
    next.r.resize(d);
    factor.solve(rest, next.r);
    std::vector<Interval> column(d), turned(d);
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i < d; ++i) column[i] = JC(i, j);
        factor.solve(column, turned);
        for (std::size_t i = 0; i < d; ++i) next.r[i] = next.r[i] + turned[i] * r[j];
    }
    const bool fine =
        std::all_of(next.r.begin(), next.r.end(), [](const Interval& x) { return x.is_defined(); });
    return fine ? std::optional(std::move(next)) : std::nullopt;
}

}  // namespace lacon::existence
