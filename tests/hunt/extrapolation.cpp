// The oracle's integrator: extrapolation in 256 bits.
#include "hunt/extrapolation.hpp"

namespace hunt {

Point moved(const Point& at, const Real& h, const Reals& a) {
    Point next = at;
    next.t += h;
    for (std::size_t i = 0; i < a.size(); ++i) {
        next.q[i].give(h, at.v[i]);
        next.v[i].give(h, a[i]);
    }
    return next;
}

namespace {

/// Gragg's rule over H in `parts` parts.
Point midpoint(const Slope& slope, const Point& from, const Reals& first, const Real& H,
               int parts) {
    const Real h = H / static_cast<double>(parts), twice = h + h;
    Point before = from, middle = moved(from, h, first);
    for (int i = 1; i < parts; ++i) {
        Point next = before;
        const Reals a = slope(middle);
        for (std::size_t k = 0; k < a.size(); ++k) {
            next.q[k].give(twice, middle.v[k]);
            next.v[k].give(twice, a[k]);
        }
        next.t = from.t + h * static_cast<double>(i + 1);
        before = middle;
        middle = next;
    }
    const Reals a = slope(middle);
    Point end = middle;
    for (std::size_t k = 0; k < a.size(); ++k) {
        end.q[k] = (middle.q[k] + before.q[k] + h * middle.v[k]) / 2.0;
        end.v[k] = (middle.v[k] + before.v[k] + h * a[k]) / 2.0;
    }
    return end;
}

Real change_between(const Point& best, const Point& second) {
    Real change = 0.0;
    for (std::size_t i = 0; i < best.q.size(); ++i) {
        change = larger(change, abs(best.q[i] - second.q[i]) / larger(1.0, abs(best.q[i])));
        change = larger(change, abs(best.v[i] - second.v[i]) / larger(1.0, abs(best.v[i])));
    }
    return change;
}

}  // namespace

bool extrapolate(const Slope& slope, const Point& from, const Real& h, double tolerance, Point& end,
                 int& columns) {
    constexpr int most = 15;
    const Reals first = slope(from);
    std::vector<Point> row;
    for (int k = 0; k < most; ++k) {
        std::vector<Point> next{midpoint(slope, from, first, h, 2 * (k + 1))};
        for (int j = 1; j <= k; ++j) {
            const Real factor =
                Real(1.0) /
                (Real(k + 1.0) * Real(k + 1.0) / (Real(k + 1.0 - j) * Real(k + 1.0 - j)) - 1.0);
            Point better = next.back();
            for (std::size_t i = 0; i < better.q.size(); ++i) {
                better.q[i].give(factor,
                                 next.back().q[i] - row[static_cast<std::size_t>(j - 1)].q[i]);
                better.v[i].give(factor,
                                 next.back().v[i] - row[static_cast<std::size_t>(j - 1)].v[i]);
            }
            next.push_back(better);
        }
        if (k > 2 && change_between(next.back(), next[next.size() - 2]) <= tolerance) {
            end = next.back();
            columns = k;
            return true;
        }
        row = std::move(next);
    }
    return false;
}

}  // namespace hunt
