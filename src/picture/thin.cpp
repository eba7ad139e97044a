// Cuts a curve at gaps. Each piece is then thinned by columns of the picture where x never falls,
// and by distance where it does.
#include "picture/thin.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline picture {

namespace {

constexpr std::size_t picture_columns = points_per_curve / 4;
constexpr double half_pixel = 1.0 / 2000.0;  // of the picture's width, about

std::vector<Piece> pieces_of(std::span<const double> x, std::span<const double> y) {
    std::vector<Piece> pieces;
    bool gap = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool drawn = drawable(x[i]) && drawable(y[i]);
        if (drawn && gap) pieces.emplace_back();
        if (drawn) pieces.back().push_back({x[i], y[i]});
        gap = !drawn;
    }
    return pieces;
}

std::size_t count(const std::vector<Piece>& pieces) {
    std::size_t points = 0;
    for (const Piece& piece : pieces) points += piece.size();
    return points;
}

/// First, lowest, highest and last of the points, in their order, each once.
void keep_outline(std::span<const Point> points, Piece& kept) {
    const auto [low, high] = std::minmax_element(points.begin(), points.end(),
                                                 [](auto& a, auto& b) { return a.y < b.y; });
    std::ptrdiff_t chosen[] = {0, low - points.begin(), high - points.begin(),
                               std::ssize(points) - 1};
    std::sort(std::begin(chosen), std::end(chosen));
    std::ptrdiff_t last = -1;
    for (const std::ptrdiff_t i : chosen) {
        if (i != last) kept.push_back(points[static_cast<std::size_t>(i)]);
        last = i;
    }
}

Piece by_columns(const Piece& piece, const Extent& x) {
    const auto column = [&](const Point& p) {
        return static_cast<std::size_t>((p.x - x.low) / x.width() *
                                        static_cast<double>(picture_columns));
    };
    Piece kept;
    for (std::size_t begin = 0; begin < piece.size();) {
        std::size_t end = begin + 1;
        while (end < piece.size() && column(piece[end]) == column(piece[begin])) ++end;
        keep_outline(std::span(piece).subspan(begin, end - begin), kept);
        begin = end;
    }
    return kept;
}

/// `reach`: in x and y, relative to the picture.
Piece by_distance(const Piece& piece, const Extent& x, const Extent& y, double reach) {
    const auto near = [&](const Point& a, const Point& b) {
        return std::abs(a.x - b.x) <= reach * x.width() && std::abs(a.y - b.y) <= reach * y.width();
    };
    Piece kept{piece.front()};
    for (const Point& p : piece)
        if (!near(p, kept.back())) kept.push_back(p);
    if (kept.back() != piece.back()) kept.push_back(piece.back());
    return kept;
}

}  // namespace

std::vector<Piece> thinned(std::span<const double> x, std::span<const double> y) {
    std::vector<Piece> pieces = pieces_of(x, y);
    if (count(pieces) <= points_per_curve) return pieces;
    const Extent width = extent_of(x), height = extent_of(y);
    Point last{width.low, 0.0};
    bool rising = width.width() > 0.0;
    for (const Piece& piece : pieces)
        for (const Point& p : piece) {
            rising = rising && p.x >= last.x;
            last = p;
        }
    std::vector<Piece> thin;
    if (rising) {
        for (const Piece& piece : pieces) thin.push_back(by_columns(piece, width));
        return thin;
    }
    for (double reach = half_pixel; reach < 1.0; reach *= 2) {
        thin.clear();
        for (const Piece& piece : pieces) thin.push_back(by_distance(piece, width, height, reach));
        if (count(thin) <= points_per_path) break;
    }
    return thin;
}

}  // namespace lacon::picture
