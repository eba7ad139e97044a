// Corners are found one by one (Clarkson 1994): a point that is not within the hull of the corners
// known so far is separated from it by a plane, and the point farthest behind that plane is a
// corner. The plane stands across the way to the nearest point of the hull, which is found as
// Wolfe (1976) does: the least point of the affine hull of a few corners, which are exchanged until
// it lies among them and no corner is nearer.
#include "shape/hull.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lacon::shape {

namespace {

/// Of the size of the mesh: STL files have coordinates of 24 bits, so points of one face differ
/// from it by 6e-8.
constexpr double flat = 1e-6;

double product(const Point& a, const Point& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Point difference(const Point& a, const Point& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// A few points and the weights with which they make the nearest one.
struct Simplex {
    std::vector<Point> points;
    std::vector<double> weights;

    Point sum() const {
        Point x{};
        for (std::size_t k = 0; k < points.size(); ++k)
            for (std::size_t i = 0; i < 3; ++i) x[i] += weights[k] * points[k][i];
        return x;
    }
};

/// The weights, of sum 1, of the point of the affine hull that is nearest to the origin; by Gauss's
/// elimination of (G 1; 1ᵀ 0) with G the products of the points. Empty where the points depend on
/// each other.
std::vector<double> least_weights(const std::vector<Point>& points) {
    const std::size_t n = points.size() + 1;
    std::vector<std::vector<double>> A(n, std::vector<double>(n + 1, 0.0));
    double size = 0.0;
    for (const Point& p : points) size = std::max(size, product(p, p));
    for (std::size_t i = 0; i + 1 < n; ++i) {
        for (std::size_t j = 0; j + 1 < n; ++j) A[i][j] = product(points[i], points[j]) / size;
        A[i][n - 1] = A[n - 1][i] = 1.0;
    }
    A[n - 1][n] = 1.0;
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t best = c;
        for (std::size_t r = c; r < n; ++r)
            if (std::abs(A[r][c]) > std::abs(A[best][c])) best = r;
        constexpr double rounding = 1e-14;  // of entries of size 1
        if (std::abs(A[best][c]) < rounding) return {};
        std::swap(A[c], A[best]);
        for (std::size_t r = 0; r < n; ++r) {
            if (r == c) continue;
            const double factor = A[r][c] / A[c][c];
            for (std::size_t k = c; k <= n; ++k) A[r][k] -= factor * A[c][k];
        }
    }
    std::vector<double> weights;
    for (std::size_t i = 0; i + 1 < n; ++i) weights.push_back(A[i][n] / A[i][i]);
    return weights;
}

/// Goes to the least point of the affine hull, or as far as all weights stay positive; then drops
/// what has lost its weight and goes on.
void settle(Simplex& simplex) {
    while (true) {
        const std::vector<double> aim = least_weights(simplex.points);
        if (aim.empty()) {  // the newest brings nothing new
            simplex.points.pop_back();
            simplex.weights.pop_back();
            return;
        }
        double way = 1.0;
        for (std::size_t k = 0; k < aim.size(); ++k)
            if (aim[k] <= 0.0)
                way = std::min(way, simplex.weights[k] / (simplex.weights[k] - aim[k]));
        for (std::size_t k = 0; k < aim.size(); ++k)
            simplex.weights[k] += way * (aim[k] - simplex.weights[k]);
        if (way >= 1.0) return;
        const auto least = std::min_element(simplex.weights.begin(), simplex.weights.end());
        simplex.points.erase(simplex.points.begin() + (least - simplex.weights.begin()));
        simplex.weights.erase(least);
    }
}

/// The way from p to the nearest point of the hull of the corners.
Point way_to_hull(const Point& p, const std::vector<Point>& corners, double size) {
    Simplex simplex{{difference(corners[0], p)}, {1.0}};
    constexpr int most_steps = 200;  // some ten do
    for (int step = 0; step < most_steps; ++step) {
        const Point x = simplex.sum();
        const Point* nearest = nullptr;
        double least = product(x, x) - 0.1 * flat * size * std::sqrt(product(x, x));
        for (const Point& corner : corners)
            if (const double along = product(x, difference(corner, p)); along < least) {
                least = along;
                nearest = &corner;
            }
        if (nearest == nullptr) return x;
        simplex.points.push_back(difference(*nearest, p));
        simplex.weights.push_back(0.0);
        settle(simplex);
    }
    return simplex.sum();
}

/// The point farthest along d. Of several within rounding, as on a face across d, the one whose
/// coordinates come last: that is a corner of the face.
Point farthest(const std::vector<Point>& points, const Point& d, double size) {
    const double rounding = 0.1 * flat * size * std::sqrt(product(d, d));
    double most = -INFINITY;
    for (const Point& p : points) most = std::max(most, product(p, d));
    Point last{-INFINITY, 0, 0};
    for (const Point& p : points)
        if (product(p, d) >= most - rounding) last = std::max(last, p);
    return last;
}

double size_of(const std::vector<Point>& points) {
    Point low = points[0], high = points[0];
    for (const Point& p : points)
        for (std::size_t i = 0; i < 3; ++i) {
            low[i] = std::min(low[i], p[i]);
            high[i] = std::max(high[i], p[i]);
        }
    const Point across = difference(high, low);
    return std::sqrt(product(across, across));
}

}  // namespace

std::vector<Point> hull_corners(const Mesh& mesh, std::size_t most) {
    const double size = size_of(mesh.points);
    std::vector<Point> corners{farthest(mesh.points, {1, 0, 0}, size)};
    for (const Point& p : mesh.points)
        while (corners.size() <= most) {
            const Point way = way_to_hull(p, corners, size);
            if (std::sqrt(product(way, way)) <= flat * size) break;
            const Point corner = farthest(mesh.points, {-way[0], -way[1], -way[2]}, size);
            if (std::find(corners.begin(), corners.end(), corner) != corners.end()) break;
            corners.push_back(corner);
        }
    return corners;
}

}  // namespace lacon::shape
