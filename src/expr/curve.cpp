// Cubics through points. With h_i = x_{i+1} − x_i and d_i = (y_{i+1} − y_i) / h_i:
//   natural   the second derivatives m_i solve
//             h_{i−1} m_{i−1} + 2 (h_{i−1} + h_i) m_i + h_i m_{i+1} = 6 (d_i − d_{i−1}),
//             with m = 0 at both ends, or around in a circle where the curve repeats;
//   monotone  the slopes at the points are weighted harmonic means of d_{i−1} and d_i, and 0 where
//             these differ in sign (Fritsch & Butland 1984), so that no piece leaves the range of
//             its two points.
#include "expr/curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace lacon::inline expr {

namespace {

using Numbers = std::vector<double>;

struct Differences {
    Numbers h, d;
};

Differences differences(std::span<const double> x, std::span<const double> y) {
    Differences result;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        result.h.push_back(x[i + 1] - x[i]);
        result.d.push_back((y[i + 1] - y[i]) / result.h.back());
    }
    return result;
}

/// A tridiagonal system with dominant diagonal: below[i] z[i−1] + diagonal[i] z[i] + above[i]
/// z[i+1] = right[i].
Numbers solve_tridiagonal(const Numbers& below, Numbers diagonal, const Numbers& above,
                          Numbers right) {
    const std::size_t n = diagonal.size();
    for (std::size_t i = 1; i < n; ++i) {
        const double factor = below[i] / diagonal[i - 1];
        diagonal[i] -= factor * above[i - 1];
        right[i] -= factor * right[i - 1];
    }
    for (std::size_t i = n; i-- > 0;) {
        if (i + 1 < n) right[i] -= above[i] * right[i + 1];
        right[i] /= diagonal[i];
    }
    return right;
}

Numbers natural_curvatures(const Differences& s) {
    const std::size_t pieces = s.h.size();
    Numbers m(pieces + 1, 0.0);
    if (pieces < 2) return m;
    Numbers below, diagonal, above, right;
    for (std::size_t i = 1; i < pieces; ++i) {
        below.push_back(s.h[i - 1]);
        diagonal.push_back(2.0 * (s.h[i - 1] + s.h[i]));
        above.push_back(s.h[i]);
        right.push_back(6.0 * (s.d[i] - s.d[i - 1]));
    }
    const Numbers inner = solve_tridiagonal(below, diagonal, above, right);
    std::copy(inner.begin(), inner.end(), m.begin() + 1);
    return m;
}

/// The matrix has two corners more, taken away as one product of vectors (Sherman and Morrison).
Numbers periodic_curvatures(const Differences& s) {
    const std::size_t n = s.h.size();
    Numbers m(n + 1, 0.0);
    if (n == 1) return m;
    Numbers below, diagonal, above, right;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t before = i == 0 ? n - 1 : i - 1;
        below.push_back(s.h[before]);
        diagonal.push_back(2.0 * (s.h[before] + s.h[i]));
        above.push_back(s.h[i]);
        right.push_back(6.0 * (s.d[i] - s.d[before]));
    }
    Numbers z;
    if (n == 2) {  // both neighbours are the same point
        m[0] = right[0] / (s.h[0] + s.h[1]);
        m[1] = -m[0];
    } else {
        const double corner = s.h[n - 1], g = -diagonal[0];
        diagonal[0] -= g;
        diagonal[n - 1] -= corner * corner / g;
        Numbers u(n, 0.0);
        u[0] = g;
        u[n - 1] = corner;
        z = solve_tridiagonal(below, diagonal, above, right);
        const Numbers w = solve_tridiagonal(below, diagonal, above, u);
        const double share = (z[0] + corner / g * z[n - 1]) / (1.0 + w[0] + corner / g * w[n - 1]);
        for (std::size_t i = 0; i < n; ++i) m[i] = z[i] - share * w[i];
    }
    m[n] = m[0];
    return m;
}

double harmonic_slope(double h0, double h1, double d0, double d1) {
    if (d0 == 0.0 || d1 == 0.0 || std::signbit(d0) != std::signbit(d1)) return 0.0;
    const double w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

/// Of the parabola through the three points at an end, no steeper than keeps the piece monotone.
double end_slope(double h0, double h1, double d0, double d1) {
    const double slope = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (slope == 0.0 || d0 == 0.0 || std::signbit(slope) != std::signbit(d0)) return 0.0;
    if (std::signbit(d0) != std::signbit(d1) && std::abs(slope) > 3.0 * std::abs(d0))
        return 3.0 * d0;
    return slope;
}

Numbers monotone_slopes(const Differences& s, bool periodic) {
    const std::size_t n = s.h.size();
    Numbers slopes(n + 1, s.d[0]);
    for (std::size_t i = 1; i < n; ++i)
        slopes[i] = harmonic_slope(s.h[i - 1], s.h[i], s.d[i - 1], s.d[i]);
    if (periodic) {
        slopes[0] = slopes[n] = harmonic_slope(s.h[n - 1], s.h[0], s.d[n - 1], s.d[0]);
    } else if (n > 1) {
        slopes[0] = end_slope(s.h[0], s.h[1], s.d[0], s.d[1]);
        slopes[n] = end_slope(s.h[n - 1], s.h[n - 2], s.d[n - 1], s.d[n - 2]);
    }
    return slopes;
}

}  // namespace

Curve::Curve(std::string name, std::vector<double> x, std::span<const double> y, Form form,
             Beyond beyond)
    : name_(std::move(name)), x_(std::move(x)), form_(form), beyond_(beyond) {
    const bool increases = std::adjacent_find(x_.begin(), x_.end(), [](double a, double b) {
                               return !(a < b);
                           }) == x_.end();
    const auto finite = [](double a) { return std::isfinite(a); };
    if (x_.size() < 2 || x_.size() != y.size() || !increases ||
        !std::all_of(x_.begin(), x_.end(), finite) || !std::all_of(y.begin(), y.end(), finite))
        throw std::invalid_argument(
            "a curve needs two points or more, with finite numbers and increasing arguments");
    const bool periodic = beyond == Beyond::repeat;
    if (periodic && y.front() != y.back())
        throw std::invalid_argument("a repeated curve must end with its first value");
    first_value_ = y.front();
    last_value_ = y.back();
    const Differences s = differences(x_, y);
    pieces_.resize(s.h.size());
    const Numbers m = form == Form::monotone ? Numbers()
                      : periodic             ? periodic_curvatures(s)
                                             : natural_curvatures(s);
    const Numbers slopes = form == Form::monotone ? monotone_slopes(s, periodic) : Numbers();
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const double h = s.h[i], d = s.d[i];
        if (form == Form::natural)
            pieces_[i] = {{y[i], d - h * (2.0 * m[i] + m[i + 1]) / 6.0, m[i] / 2.0,
                           (m[i + 1] - m[i]) / (6.0 * h)}};
        else
            pieces_[i] = {{y[i], slopes[i], (3.0 * d - 2.0 * slopes[i] - slopes[i + 1]) / h,
                           (slopes[i] + slopes[i + 1] - 2.0 * d) / (h * h)}};
    }
}

bool Curve::covers(double x) const {
    if (beyond_ != Beyond::refuse) return std::isfinite(x);
    // Of the whole range: the time of a run that ends with the data may be that much off.
    constexpr double rounding = 1e-12;
    const double slack = rounding * (last() - first());
    return x >= first() - slack && x <= last() + slack;
}

double Curve::wrapped(double x) const {
    const double period = last() - first();
    const double moved = x - period * std::floor((x - first()) / period);
    return std::clamp(moved, first(), std::nextafter(last(), first()));
}

Curve::Place Curve::place_of(double x) const {
    if (!covers(x)) return {nullptr, 0.0};
    if (beyond_ == Beyond::repeat) x = wrapped(x);
    const bool outside = x < first() || x >= last();
    if (outside && (beyond_ == Beyond::hold || beyond_ == Beyond::zero)) return {nullptr, 0.0};
    const auto above =
        static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), x) - x_.begin());
    const std::size_t i = std::clamp<std::size_t>(above, 1, pieces_.size()) - 1;
    return {&pieces_[i], x - x_[i]};
}

double Curve::at(unsigned order, double x) const {
    const auto [piece, u] = place_of(x);
    if (!piece) {
        if (!covers(x)) return std::numeric_limits<double>::quiet_NaN();
        if (order > 0 || beyond_ == Beyond::zero) return 0.0;
        return x < first() ? first_value_ : last_value_;
    }
    double value = 0.0;
    for (unsigned k = degree + 1; k-- > order;) {
        double factor = 1.0;
        for (unsigned j = 0; j < order; ++j) factor *= k - j;
        value = value * u + factor * piece->c[k];
    }
    return value;
}

double Curve::size_at(unsigned order, double x) const {
    const auto [piece, u] = place_of(x);
    if (!piece) return std::abs(at(order, x));
    double size = 0.0;
    for (unsigned k = degree + 1; k-- > order;) {
        double factor = 1.0;
        for (unsigned j = 0; j < order; ++j) factor *= k - j;
        size = size * std::abs(u) + factor * std::abs(piece->c[k]);
    }
    return size;
}

bool Curve::is_continuous(unsigned order) const {
    const unsigned within = form_ == Form::natural ? 2 : 1;
    if (order > within) return false;
    switch (beyond_) {
        case Beyond::hold: return order == 0;
        case Beyond::zero: return order == 0 && first_value_ == 0.0 && last_value_ == 0.0;
        default: return true;
    }
}

Curve::Around Curve::knots_around(double x) const {
    constexpr double none = std::numeric_limits<double>::infinity();
    const double inside = beyond_ == Beyond::repeat ? wrapped(x) : x;
    const double moved = x - inside;
    const auto above = std::upper_bound(x_.begin(), x_.end(), inside);
    return {above == x_.begin() ? -none : *(above - 1) + moved,
            above == x_.end() ? none : *above + moved};
}

}  // namespace lacon::expr
