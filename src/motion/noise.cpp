#include "motion/noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "motion/method.hpp"

namespace lacon {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Two places are this part of a step apart: the sixth differences of what is smooth are then below 1e-12 of its own.
constexpr double narrow = 0.01;
/// Where steps have become so short that offsets in expressions ((1e8 + x) − 1e8) round alike at places so near, the whole step
/// tells. What is smooth is not mistaken for noise: its sixth differences are 64 times as large at twice the distance.
constexpr double wide = 0.12, widest = 2.0;
constexpr std::size_t places = 8;

/// From one place to the next: as the motion goes, and by some units in the last place at least, not a whole number of them.
/// Coordinates that hardly move round differently then too, as they do within a step.
double move_of(double value, double rate, std::size_t i) {
    const double share = 0.6180339887498949 * static_cast<double>(i + 1);
    const double least = (3.0 + 4.0 * (share - std::floor(share))) * epsilon * std::abs(value);
    return std::copysign(std::max(std::abs(rate), least), rate);
}

/// Twice the usual size of the noise in equally spaced values.
double noise_in(const std::array<double, places>& values) {
    // Differences of order k of independent noise are √(2k choose k) times as large as it.
    constexpr double sixth = 924.0, seventh = 3432.0;
    std::array<double, places> d = values;
    double sum = 0.0;
    for (std::size_t k = 1; k < places; ++k) {
        for (std::size_t j = 0; j + k < places; ++j) d[j] = d[j + 1] - d[j];
        if (k == 6) sum += (d[0] * d[0] + d[1] * d[1]) / sixth;
        if (k == 7) sum += d[0] * d[0] / seventh;
    }
    return 2.0 * std::sqrt(sum / 3.0);
}

/// From the accelerations at places `h` apart.
bool noise_at(Field& field, const State& at, double h, std::vector<double>& noise) {
    const std::size_t n = field.n();
    std::vector<double> a(n);
    noise.assign(n, 0.0);
    if (!field.acceleration(at, a)) return false;
    State move = at, state = at;
    move.t = move_of(at.t, h, 2 * n);
    for (std::size_t i = 0; i < n; ++i) {
        move.q[i] = move_of(at.q[i], h * at.v[i], i);
        move.v[i] = move_of(at.v[i], h * a[i], n + i);
    }
    std::vector<std::array<double, places>> values(n);
    for (std::size_t j = 0; j < places; ++j) {
        const auto x = static_cast<double>(j);
        state.t = at.t + x * move.t;
        for (std::size_t i = 0; i < n; ++i) {
            state.q[i] = at.q[i] + x * move.q[i];
            state.v[i] = at.v[i] + x * move.v[i];
        }
        if (!field.acceleration(state, a)) return false;
        for (std::size_t i = 0; i < n; ++i) values[i][j] = a[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
        // Something steep between the places is no noise: rounding is small beside what is rounded.
        constexpr double most = 1e-4;
        double size = 0.0;
        for (const double x : values[i]) size = std::max(size, std::abs(x));
        const double found = noise_in(values[i]);
        noise[i] = found <= most * size ? found : 0.0;
    }
    return true;
}

}  // namespace

std::vector<double> measure_noise(Field& field, const State& at, double length) {
    const std::size_t n = field.n();
    std::vector<double> noise(2 * n, 0.0), near, half, whole, a(n);
    if (!noise_at(field, at, narrow * length, near)) return noise;
    for (std::size_t i = 0; i < n; ++i) {
        noise[i] = epsilon * std::abs(at.v[i]);
        noise[n + i] = near[i];
    }
    if (!field.acceleration(at, a)) return noise;
    for (const double apart : {wide, widest}) {
        if (!noise_at(field, at, 0.5 * apart * length, half) || !noise_at(field, at, apart * length, whole)) continue;
        constexpr double falls = 8.0, small = 1e-6;  // beyond a step, what is smooth may be large
        for (std::size_t i = 0; i < n; ++i)
            if (falls * half[i] > whole[i] && (apart < 1.0 || whole[i] < small * std::abs(a[i])))
                noise[n + i] = std::max(noise[n + i], std::min(half[i], whole[i]));
    }
    return noise;
}

double noise_over_tolerance(const std::vector<double>& sizes, const State& state, double length, double tolerance) {
    double worst = 0.0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double value = i < state.q.size() ? state.q[i] : state.v[i - state.q.size()];
        worst = std::max(worst, length * sizes[i] / (tolerance * error_scale(value)));
    }
    return worst;
}

void NoiseWatch::note(double step) {
    constexpr double forgets = 0.9;  // a step that an event or the end of the run has cut is not the usual one
    length = std::max(step, forgets * length);
}

void NoiseWatch::measure(Field& field, const State& state, double tolerance, std::size_t steps) {
    // The measuring takes about as long as a step. Where there is noise, it is measured again and again, as it changes.
    constexpr std::size_t shortest_pause = 32, longest_pause = 1024;
    constexpr double matters = 0.02;
    // A single measurement may find hardly any, where values happen to round alike: what was found before fades slowly, and
    // places are not always equally far apart.
    constexpr double fades = 0.8, other_length = 0.73;
    const std::vector<double> before = std::move(field.noise);
    field.noise = measure_noise(field, state, ++measured % 2 == 0 ? length : other_length * length);
    for (std::size_t i = 0; i < before.size(); ++i) field.noise[i] = std::max(field.noise[i], fades * before[i]);
    const double over = noise_over_tolerance(field.noise, state, length, tolerance);
    pause = over > matters ? shortest_pause : std::clamp(2 * pause, shortest_pause, longest_pause);
    due = steps + pause;
    if (!(over > matters)) field.noise.clear();
}

std::vector<double> NoiseWatch::kept(const Field& field) const {
    std::vector<double> kept{static_cast<double>(due), static_cast<double>(pause), static_cast<double>(measured), length};
    kept.insert(kept.end(), field.noise.begin(), field.noise.end());
    return kept;
}

void NoiseWatch::recall(const std::vector<double>& kept, Field& field) {
    if (kept.size() < 4) return;
    due = static_cast<std::size_t>(kept[0]);
    pause = static_cast<std::size_t>(kept[1]);
    measured = static_cast<std::size_t>(kept[2]);
    length = kept[3];
    field.noise.assign(kept.begin() + 4, kept.end());
    if (field.noise.size() != 2 * field.n()) field.noise.clear();
}

}  // namespace lacon
