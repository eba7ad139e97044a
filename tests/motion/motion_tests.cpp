// Helpers of the motion tests: runs that must end well, events, columns.
#include "motion_tests.hpp"

#include <algorithm>
#include <numbers>
#include <stdexcept>

namespace lacon::motions {

Mechanism load(const std::string& file, const Settings& settings) {
    return Mechanism::load(std::string(LACON_SOURCE_DIR) + "/models/" + file, settings);
}

Motion run_well(const Mechanism& mechanism, const RunOptions& options) {
    Motion motion = run(mechanism, options);
    EXPECT_TRUE(motion.status) << options.method << ": " << motion.status.message;
    for (const auto& column : motion.columns)
        for (const double value : column) EXPECT_TRUE(std::isfinite(value)) << options.method;
    return motion;
}

double last(const Motion& motion, const std::string& column) {
    return motion.column(column).back();
}

double worst_error(const Motion& motion, const std::string& column,
                   const std::function<long double(long double)>& expected) {
    const std::vector<double>& t = motion.column("t");
    const std::vector<double>& x = motion.column(column);
    long double worst = 0.0L;
    for (std::size_t i = 0; i < t.size(); ++i)
        worst = std::max(worst, std::abs(x[i] - expected(t[i])));
    return static_cast<double>(worst);
}

std::vector<double> event_times(const Motion& motion, const std::string& kind,
                                const std::string& name) {
    std::vector<double> times;
    for (const MotionEvent& event : motion.summary.events)
        if (event.kind == kind && (name.empty() || event.name == name)) times.push_back(event.t);
    return times;
}

double energy_error(const Motion& motion) {
    return motion.summary.worst.energy / motion.summary.energy_scale;
}

// ---- elliptic functions

Jacobi jacobi(long double u, long double k) {
    constexpr int rounds = 8;  // quadratic convergence: enough for any k below 1 − 1e-9
    long double a[rounds + 1], c[rounds + 1];
    a[0] = 1.0L;
    c[0] = k;
    long double b = std::sqrt(1.0L - k * k);
    for (int i = 0; i < rounds; ++i) {
        a[i + 1] = 0.5L * (a[i] + b);
        c[i + 1] = 0.5L * (a[i] - b);
        b = std::sqrt(a[i] * b);
    }
    long double phi = std::ldexp(a[rounds] * u, rounds);
    for (int i = rounds; i > 0; --i) phi = 0.5L * (phi + std::asin(c[i] / a[i] * std::sin(phi)));
    const long double sn = std::sin(phi);
    return {sn, std::cos(phi), std::sqrt(1.0L - k * k * sn * sn)};
}

long double quarter_period(long double k) {
    long double a = 1.0L, b = std::sqrt(1.0L - k * k);
    for (int i = 0; i < 8; ++i) {
        const long double mean = 0.5L * (a + b);
        b = std::sqrt(a * b);
        a = mean;
    }
    return 0.5L * std::numbers::pi_v<long double> / a;
}

long double pendulum_angle(long double amplitude, long double w, long double t) {
    const long double k = std::sin(0.5L * amplitude);
    return 2.0L * std::asin(k * jacobi(w * t + quarter_period(k), k).sn);
}

// ---- extrapolation

namespace {

void add(Vector& y, long double factor, const Vector& x) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
}

/// Gragg's modified midpoint rule: n substeps over H.
Vector midpoint(const Slope& slope, long double t, const Vector& y, const Vector& first,
                long double H, int n) {
    const long double h = H / n;
    Vector before = y, now = y;
    add(now, h, first);
    for (int i = 1; i < n; ++i) {
        Vector next = before;
        add(next, 2.0L * h, slope(t + i * h, now));
        before = std::move(now);
        now = std::move(next);
    }
    const Vector end = slope(t + H, now);
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = 0.5L * (now[i] + before[i] + h * end[i]);
    return now;
}

/// One step, extrapolated until two neighbours of the table agree; false where the table is too
/// short for H.
bool extrapolate(const Slope& slope, long double t, long double H, Vector& y) {
    constexpr int most = 14;
    constexpr long double enough = 1e-18L;
    const Vector first = slope(t, y);
    std::vector<Vector> row;
    for (int k = 0; k < most; ++k) {
        const int n = 2 * (k + 1);
        std::vector<Vector> next{midpoint(slope, t, y, first, H, n)};
        for (int j = 1; j <= k; ++j) {
            const long double ratio = static_cast<long double>(n) / (2 * (k - j + 1));
            Vector better = next[j - 1];
            add(better, 1.0L / (ratio * ratio - 1.0L), next[j - 1]);
            add(better, -1.0L / (ratio * ratio - 1.0L), row[j - 1]);
            next.push_back(std::move(better));
        }
        if (k > 2) {
            long double change = 0.0L;
            for (std::size_t i = 0; i < y.size(); ++i)
                change = std::max(
                    change, std::abs(next[k][i] - next[k - 1][i]) / std::max(1.0L, std::abs(y[i])));
            if (change <= enough) {
                y = next[k];
                return true;
            }
        }
        row = std::move(next);
    }
    return false;
}

/// Steps to `to` exactly; `H` is the step of the last time and is adapted.
void advance(const Slope& slope, long double& t, long double to, long double& H, Vector& y) {
    while (t < to) {
        const bool is_last = H >= (to - t) * (1.0L - 1e-15L);
        const long double h = is_last ? to - t : H;
        if (extrapolate(slope, t, h, y)) {
            t = is_last ? to : t + h;
            if (!is_last) H *= 1.2L;
        } else {
            H = 0.6L * h;
            if (H < 1e-9L) throw std::runtime_error("the reference solution does not converge");
        }
    }
}

}  // namespace

std::vector<Vector> reference_at(const Slope& slope, long double from, Vector y,
                                 const std::vector<double>& times) {
    std::vector<Vector> result;
    long double H = 0.05L, t = from;
    for (const double time : times) {
        advance(slope, t, time, H, y);
        result.push_back(y);
    }
    return result;
}

std::vector<double> reference_zeros(const Slope& slope, long double from, Vector y, long double to,
                                    const std::function<long double(const Vector&)>& watch) {
    std::vector<double> zeros;
    constexpr long double grid = 0.02L;  // two zeros nearer than this would be missed
    long double H = grid, t = from, before = watch(y);
    while (t < to) {
        const long double start = t;
        const Vector y0 = y;
        advance(slope, t, std::min(to, start + grid), H, y);
        const long double now = watch(y);
        if ((before < 0.0L) != (now < 0.0L)) {
            long double a = start, b = t;
            for (int round = 0; round < 60; ++round) {
                const long double middle = 0.5L * (a + b);
                Vector inner = y0;
                long double clock = start, step = grid;
                advance(slope, clock, middle, step, inner);
                ((watch(inner) < 0.0L) == (before < 0.0L) ? a : b) = middle;
            }
            zeros.push_back(static_cast<double>(b));
        }
        before = now;
    }
    return zeros;
}

}  // namespace lacon::motions
