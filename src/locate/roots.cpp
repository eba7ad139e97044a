// Isolation of real roots by exclusion: on an interval, |c₀| > Σ|c_k| of the Chebyshev coefficients
// proves that there is none, and the same for the derivative that there is at most one. What
// neither proves is halved.
#include "locate/roots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace lacon::inline locate {

namespace {

constexpr std::size_t N = ChebyshevFit::degree;

/// cos(π j / N)
double cosine(std::size_t j) {
    static const std::array<double, 2 * N> table = [] {
        std::array<double, 2 * N> t{};
        for (std::size_t i = 0; i < t.size(); ++i)
            t[i] = std::cos(std::numbers::pi * static_cast<double>(i) / N);
        return t;
    }();
    return table[j % (2 * N)];
}

/// Chebyshev coefficients on [-1, 1] from values at cos(π j / N), j = N … 0 (increasing points).
std::vector<double> coefficients_of(std::span<const double> values) {
    std::vector<double> c(N + 1, 0.0);
    for (std::size_t k = 0; k <= N; ++k) {
        double sum = 0.0;
        for (std::size_t j = 0; j <= N; ++j) {
            const double weight = j == 0 || j == N ? 0.5 : 1.0;
            sum += weight * values[N - j] * cosine(j * k);
        }
        c[k] = sum * 2.0 / N * (k == 0 || k == N ? 0.5 : 1.0);
    }
    return c;
}

/// The points, on [0, 1].
double node(std::size_t j) {
    return 0.5 * (1.0 - cosine(j));
}

double clenshaw(std::span<const double> c, double x) {
    double b1 = 0.0, b2 = 0.0;
    for (std::size_t k = c.size(); k-- > 1;) {
        const double b0 = 2.0 * x * b1 - b2 + c[k];
        b2 = b1;
        b1 = b0;
    }
    return x * b1 - b2 + c[0];
}

std::vector<double> derivative_of(std::span<const double> c) {
    std::vector<double> d(c.size() + 1, 0.0);
    for (std::size_t k = c.size() - 1; k-- > 0;)
        d[k] = d[k + 2] + 2.0 * static_cast<double>(k + 1) * c[k + 1];
    d[0] *= 0.5;
    d.resize(std::max<std::size_t>(1, c.size() - 1));
    return d;
}

bool keeps_sign(std::span<const double> c, double slack) {
    double rest = slack;
    for (std::size_t k = 1; k < c.size(); ++k) rest += std::abs(c[k]);
    return std::abs(c[0]) > rest;
}

/// Where a polynomial on [-1, 1] changes its sign, in order.
std::vector<double> sign_changes(std::span<const double> polynomial) {
    constexpr double noise = 4e-15;     // of the values, relative to the largest coefficient
    constexpr double shortest = 1e-11;  // interval
    std::vector<double> found;
    double size = 0.0;
    for (const double c : polynomial) size = std::max(size, std::abs(c));
    struct Piece {
        double from, to;
    };
    std::vector<Piece> open{{-1.0, 1.0}};
    std::vector<double> values(N + 1);
    while (!open.empty()) {  // from left to right
        const Piece piece = open.back();
        open.pop_back();
        const double width = piece.to - piece.from;
        for (std::size_t j = 1; j < N; ++j)
            values[j] = clenshaw(polynomial, piece.from + width * node(j));
        values[0] =
            clenshaw(polynomial, piece.from);  // the very points that the neighbour pieces have
        values[N] = clenshaw(polynomial, piece.to);
        const std::vector<double> c = coefficients_of(values);
        if (keeps_sign(c, noise * size)) continue;
        // Around a multiple root the polynomial is all noise on a wide interval: halving it would
        // not end.
        const bool vanishes = std::all_of(values.begin(), values.end(), [&](double y) {
            return std::abs(y) <= 8.0 * noise * size;
        });
        if (width <= shortest || vanishes || keeps_sign(derivative_of(c), noise * size)) {
            const double left = values[0], right = values[N];
            if ((left < 0.0) == (right < 0.0)) continue;
            const double guess = piece.from + width * left / (left - right);
            found.push_back(refine_root([&](double x) { return clenshaw(polynomial, x); },
                                        piece.from, piece.to, guess));
            continue;
        }
        const double middle =
            piece.from + 0.4999 * width;  // not where symmetric functions have their roots
        open.push_back({middle, piece.to});
        open.push_back({piece.from, middle});
    }
    return found;
}

}  // namespace

std::vector<double> ChebyshevFit::nodes(double h) {
    std::vector<double> x(N + 1);
    for (std::size_t j = 0; j <= N; ++j) x[j] = h * node(j);
    x[N] = h;
    return x;
}

ChebyshevFit::ChebyshevFit(std::span<const double> values, double h, double noise)
    : values_(values.begin(), values.end()),
      coefficients_(coefficients_of(values)),
      h_(h),
      noise_(noise) {
    for (const double v : values)
        size_ = std::isfinite(v) ? std::max(size_, std::abs(v)) : std::abs(v);
}

bool ChebyshevFit::is_resolved() const {
    const double tail = std::abs(coefficients_[N]) + std::abs(coefficients_[N - 1]);
    // The last two coefficients bound the error of a fit that converges: to 1e-7 of the values.
    // Roots are refined on the function itself; the fit only has to find them all. Not critical.
    return tail <= std::max(1e-7 * size_, noise_);
}

double ChebyshevFit::value(double x) const {
    return clenshaw(coefficients_, 2.0 * x / h_ - 1.0);
}

/// Between two extrema the polynomial is monotone and has one zero or none; an extremum that is
/// zero but for rounding is a touch, or a crossing where the sign differs on its sides. A zero at
/// either end is left to the neighbour steps, who see the other side.
std::vector<ChebyshevFit::Root> ChebyshevFit::roots() const {
    std::vector<Root> found;
    if (!(size_ > 0.0) || !std::isfinite(size_)) return found;
    const double zero = std::max(zero_tol * size_, noise_);
    if (keeps_sign(coefficients_, zero)) return found;
    struct Point {
        double at;
        int sign;
    };
    const auto sign_at = [&](double x) {
        const double y = value(x);
        return std::abs(y) <= zero ? 0 : y > 0.0 ? 1 : -1;
    };
    std::vector<Point> points{{0.0, sign_at(0.0)}};
    for (const double x : sign_changes(derivative_of(coefficients_))) {
        const double at = 0.5 * h_ * (x + 1.0);
        if (at > 0.0 && at < h_) points.push_back({at, sign_at(at)});
    }
    points.push_back({h_, sign_at(h_)});
    std::size_t last = 0;  // the last point with a sign
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (points[i].sign == 0) continue;
        const int before = points[last].sign;
        const std::size_t zeros = i - last - 1;
        if (before != 0 && zeros > 0) {
            found.push_back(
                {0.5 * (points[last + 1].at + points[i - 1].at), before == points[i].sign, true});
        } else if (before != 0 && before != points[i].sign) {
            const double guess = 0.5 * (points[last].at + points[i].at);
            found.push_back({refine_root([&](double x) { return value(x); }, points[last].at,
                                         points[i].at, guess),
                             false});
        }
        last = i;
    }
    return found;
}

double refine_root(const std::function<double(double)>& f, double a, double b, double guess) {
    double fa = f(a), fb = f(b);
    if (fa == 0.0) return a;
    // Two units in the last place.
    const auto is_narrow = [&] { return b - a <= 4e-16 * std::max(std::abs(a), std::abs(b)); };
    while (fb == 0.0) {  // zero from somewhere on, as behind a jump: where that begins
        const double middle = 0.5 * (a + b), fm = f(middle);
        if (is_narrow() || middle <= a || middle >= b) return b;
        if (fm == 0.0 || (fm < 0.0) != (fa < 0.0)) {
            b = middle;
            fb = fm;
        } else {
            a = middle;
            fa = fm;
        }
    }
    if ((fa < 0.0) == (fb < 0.0) || std::isnan(fa) || std::isnan(fb)) return guess;
    double x = guess > a && guess < b ? guess : 0.5 * (a + b);
    for (int round = 0; round < 100; ++round) {
        const double fx = f(x);
        const double width = b - a;
        if (fx == 0.0) return x;
        ((fx < 0.0) == (fa < 0.0) ? a : b) = x;
        ((fx < 0.0) == (fa < 0.0) ? fa : fb) = fx;
        if (is_narrow()) break;
        x = a + (b - a) * fa / (fa - fb);
        // A millionth of the bracket away from its ends, which are known. Not critical.
        const double margin = 1e-3 * (b - a);
        // A secant that keeps one end forever is slow: every time the bracket has not halved,
        // bisect. So too where the function overflows.
        if (b - a > 0.5 * width || !std::isfinite(fa - fb)) x = 0.5 * (a + b);
        else x = std::clamp(x, a + margin * 1e-3, b - margin * 1e-3);
        if (x <= a || x >= b)
            x = 0.5 * (a + b);  // the margin is below rounding already, the bracket not yet
        if (x <= a || x >= b) break;
    }
    return b;
}

}  // namespace lacon::locate
