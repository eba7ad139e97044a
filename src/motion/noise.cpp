#include "motion/noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "motion/method.hpp"

namespace lacon {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr std::size_t places = 8;

/// From one place to the next: as the motion goes, and by some units in the last place at least, not a whole number of them.
/// Coordinates that hardly move round differently then too, as they do within a step.
double move_of(double value, double rate, std::size_t i) {
    const double share = 0.6180339887498949 * static_cast<double>(i + 1);
    const double least = (3.0 + 4.0 * (share - std::floor(share))) * epsilon * std::abs(value);
    return std::copysign(std::max(std::abs(rate), least), rate);
}

/// Four times the usual size of the noise in equally spaced values.
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
    return 4.0 * std::sqrt(sum / 3.0);
}

/// What the accelerations show at places `s`, 2 s, … in time from a state (n); for 0, some units in the last place apart. False
/// where one of them does not exist.
bool noise_along(Field& field, const State& at, std::span<const double> acceleration, double s, std::vector<double>& noise) {
    const std::size_t n = field.n();
    const double t = move_of(at.t, s, 2 * n);
    State move = at, state = at;
    for (std::size_t i = 0; i < n; ++i) {
        move.q[i] = move_of(at.q[i], s * at.v[i], i);
        move.v[i] = move_of(at.v[i], s * acceleration[i], n + i);
    }
    std::vector<double> a(n);
    std::vector<std::array<double, places>> values(n);
    for (std::size_t j = 0; j < places; ++j) {
        const auto x = static_cast<double>(j + 1);
        state.t = at.t + x * t;
        for (std::size_t i = 0; i < n; ++i) {
            state.q[i] = at.q[i] + x * (move.q[i] + 0.5 * x * s * s * acceleration[i]);
            state.v[i] = at.v[i] + x * move.v[i];
        }
        if (!field.acceleration(state, a)) return false;
        for (std::size_t i = 0; i < n; ++i) values[i][j] = a[i];
    }
    noise.resize(n);
    for (std::size_t i = 0; i < n; ++i) noise[i] = noise_in(values[i]);
    return true;
}

/// The same before and behind the state: the less counts, as something steep is on one side of it, and rounding on both.
bool noise_around(Field& field, const State& at, std::span<const double> acceleration, double s, std::vector<double>& noise) {
    std::vector<double> before;
    if (!noise_along(field, at, acceleration, s, noise) || !noise_along(field, at, acceleration, -s, before)) return false;
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = std::min(noise[i], before[i]);
    return true;
}

}  // namespace

std::vector<double> measure_noise(Field& field, const State& at, double last, double longest) {
    const std::size_t n = field.n();
    std::vector<double> noise(2 * n, 0.0), a(n), found, closer;
    if (!field.acceleration(at, a) || !noise_along(field, at, a, 0.0, found)) return noise;
    for (std::size_t i = 0; i < n; ++i) {
        noise[i] = epsilon * std::abs(at.v[i]);
        noise[n + i] = found[i];
    }
    double size = 0.0;
    for (const double x : a) size = std::max(size, std::abs(x));
    // Offsets in expressions, (1e8 + x) − 1e8, may round alike there. Over a part of the step they do not, and what is smooth
    // tells itself: its differences are 64 times less at half the distance. Rounding is small beside what is rounded.
    constexpr double falls = 8.0, small = 1e-6;
    const std::pair<double, double> parts[] = {{last / 8.0, last / 16.0}, {longest / 256.0, longest / 4096.0}};
    for (const auto& [wide, near] : parts) {
        if (!noise_around(field, at, a, wide, found) || !noise_around(field, at, a, near, closer)) continue;
        for (std::size_t i = 0; i < n; ++i)
            if (falls * closer[i] > found[i] && found[i] < small * size)
                noise[n + i] = std::max(noise[n + i], std::min(closer[i], found[i]));
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
    last = step;
    longest = std::max(step, longest);
}

bool NoiseWatch::is_due(std::size_t steps, std::size_t rejected) const {
    constexpr std::size_t many = 8, share = 4;
    const std::size_t lately = rejected - std::min(rejected, not_taken);
    return steps >= due || (lately > many && share * lately > steps - taken);
}

void NoiseWatch::measure(Field& field, const State& state, double tolerance, std::size_t steps, std::size_t rejected) {
    // The measuring takes about as long as five steps. It changes slowly where there is some.
    constexpr std::size_t shortest_pause = 32, longest_pause = 256;
    constexpr double matters = 0.02;
    // A single measurement may find hardly any, where values happen to round alike: what was found before fades slowly, and
    // places are not always equally far apart.
    constexpr double fades = 0.8, other_length = 0.73;
    const std::vector<double> before = std::move(field.noise);
    field.noise = measure_noise(field, state, last * (++measured % 2 == 0 ? 1.0 : other_length), longest);
    for (std::size_t i = 0; i < before.size(); ++i) field.noise[i] = std::max(field.noise[i], fades * before[i]);
    const double over = noise_over_tolerance(field.noise, state, longest, tolerance);
    pause = over > matters && before.empty() ? shortest_pause : std::clamp(2 * pause, shortest_pause, longest_pause);
    due = steps + pause;
    taken = steps;
    not_taken = rejected;
    longest = 0.0;
    if (!(over > matters)) field.noise.clear();
}

std::vector<double> NoiseWatch::kept(const Field& field) const {
    std::vector<double> kept{last, longest};
    for (const std::size_t count : {due, pause, measured, taken, not_taken}) kept.push_back(static_cast<double>(count));
    kept.insert(kept.end(), field.noise.begin(), field.noise.end());
    return kept;
}

void NoiseWatch::recall(const std::vector<double>& kept, Field& field) {
    constexpr std::size_t numbers = 7;
    if (kept.size() < numbers) return;
    last = kept[0];
    longest = kept[1];
    std::size_t at = 2;
    for (std::size_t* count : {&due, &pause, &measured, &taken, &not_taken}) *count = static_cast<std::size_t>(kept[at++]);
    field.noise.assign(kept.begin() + numbers, kept.end());
    if (field.noise.size() != 2 * field.n()) field.noise.clear();
}

}  // namespace lacon
