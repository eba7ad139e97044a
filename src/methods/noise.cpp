// Rounding bounds run through the elements, then through the constrained solve for up to 200
// unknowns; beyond that, masses and row lengths give a rough bound. With controls or forces that
// depend on loads, noise is sampled and estimated from high differences.
#include "methods/noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/numbers.hpp"
#include "expr/rounded.hpp"
#include "mechanics/system/inputs.hpp"
#include "methods/method.hpp"

namespace lacon::inline methods {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr std::size_t places = 8;

/// What errors of Q (n) and b (m) do to the accelerations (n) at most: those of the constrained
/// motion, so that a light coordinate which a heavy one leads along has the errors of that one.
/// False where it takes too long, or there is no answer.
bool constrained_noise(DenseField& field, const State& at, const std::vector<double>& force,
                       const std::vector<double>& turned, const std::vector<double>& right,
                       std::vector<double>& noise) {
    constexpr std::size_t most = 200;  // solves: some milliseconds
    const std::size_t n = field.n(), m = field.m();
    if (m == 0 || n + m > most) return false;
    Equations equations;
    ConstrainedFactor factor;
    const DenseField::Counters counters = field.counters;
    const bool is_defined = field.equations(at, equations);
    field.counters = counters;
    if (!is_defined ||
        field.factor(factor, equations.M, equations.A, field.options.solve) != Outcome::ok)
        return false;
    std::vector<double> f(n, 0.0), r(m, 0.0), x(n), lambda(m), sum(n, 0.0);
    const auto add = [&](double& source, double error) {
        if (!(error > 0.0) || !std::isfinite(error)) return;
        source = error;
        factor.solve(f, r, x, lambda);
        source = 0.0;
        for (std::size_t i = 0; i < n; ++i) sum[i] += std::abs(x[i]);
    };
    // Near a singular position the bounds are far above what rounding does, and would hide errors:
    // there are none where rows are 1e-2 from dependent.
    constexpr double weak = 1e-2;
    if (factor.weakest() <= weak) {
        noise.assign(n, 0.0);
        return true;
    }
    for (std::size_t i = 0; i < n; ++i) add(f[i], force[i] + turned[i]);
    for (std::size_t i = 0; i < m; ++i) add(r[i], right[i]);
    noise = std::move(sum);
    return true;
}

/// What rounding may do to the accelerations (n), by bounds that the equations carry along: of the
/// state itself, known to half a unit in the last place, and of every operation.
std::vector<double> rounding_of(DenseField& field, const State& at, std::span<const double> a,
                                std::span<const double> multipliers) {
    const System& system = field.details.system;
    const std::size_t n = field.n(), m = system.row_count();
    std::vector<double> force(n, 0.0), mass(n, 0.0), right(m, 0.0), squares(m, 0.0);
    std::vector<double> turned(n, 0.0);  // forces of constraints, with their rows
    struct Part {
        std::size_t row, column;
        double value;
    };
    std::vector<Part> parts;
    std::vector<Rounded> inputs, slots, outputs;
    for (std::size_t number = 0; number < system.elements.size(); ++number) {
        const Element& element = system.elements[number];
        const Shape& shape = system.shapes[element.shape];
        const SmoothShape& smooth = field.smooth.shapes[element.shape];
        const std::uint32_t* leaf = system.leaves.data() + element.leaves;
        inputs.clear();
        append_inputs(
            inputs, shape, leaf, TimeInput::before_parameters,
            InputValues{[&](std::size_t i) { return Rounded::input(at.q[i]); },
                        [&](std::size_t i) { return Rounded::input(at.v[i]); },
                        Rounded::input(at.t),
                        [&](std::size_t i) { return Rounded(field.details.parameters[i]); }});
        for (std::size_t i = 0; i < smooth.decisions.size(); ++i)
            inputs.emplace_back(field.assembler.branches[field.smooth.first_branch[number] + i]);
        slots.assign(smooth.dynamics.slot_count(), Rounded());
        outputs.assign(smooth.dynamics.output_count(), Rounded());
        smooth.dynamics.run<Rounded>(inputs, slots, outputs);
        const auto row = static_cast<std::size_t>(element.row);
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            const Entry entry = smooth.entries[o];
            const Rounded& value = outputs[o];
            switch (entry.target) {
                case Entry::Target::mass:
                case Entry::Target::mass_single:
                    force[leaf[entry.i]] += value.error * std::abs(a[leaf[entry.j]]);
                    if (entry.i == entry.j) mass[leaf[entry.i]] += value.value;
                    else if (entry.target == Entry::Target::mass)
                        force[leaf[entry.j]] += value.error * std::abs(a[leaf[entry.i]]);
                    break;
                case Entry::Target::force: force[leaf[entry.i]] += value.error; break;
                case Entry::Target::row:
                    right[row] += value.error * std::abs(a[leaf[entry.j]]);
                    turned[leaf[entry.j]] += value.error * std::abs(multipliers[row]);
                    squares[row] += value.value * value.value;
                    parts.push_back({row, leaf[entry.j], std::abs(value.value)});
                    break;
                case Entry::Target::right: right[row] += value.error; break;
                default: break;
            }
        }
    }
    std::vector<double> noise(n, 0.0);
    if (!constrained_noise(field, at, force, turned, right, noise)) {
        for (std::size_t i = 0; i < n; ++i)
            noise[i] = mass[i] > 0.0 ? (force[i] + turned[i]) / mass[i] : 0.0;
        for (const Part& part : parts)
            if (squares[part.row] > 0.0)
                noise[part.column] += right[part.row] * part.value / squares[part.row];
    }
    for (double& x : noise)
        if (!std::isfinite(x)) x = 0.0;
    return noise;
}

/// From one place to the next: some units in the last place, and a part of one that is far from
/// none and from a whole. With nearly a whole number of them all places would be rounded alike, and
/// a motion that comes to such values would seem to have no noise there.
double move_of(double value, std::size_t i) {
    if (value == 0.0 || !std::isfinite(value)) return 0.0;
    const double share = 0.6180339887498949 * static_cast<double>(i + 1);
    // 4.3 to 4.7: as the head says, some units, and never nearly a whole number of them.
    const double units = 4.3 + 0.4 * (share - std::floor(share));
    return units * std::ldexp(epsilon, std::ilogb(value));
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

/// The same for what has no such bounds, as the efforts of controls: the accelerations (n) at eight
/// places some units in the last place apart lie on a smooth curve but for rounding, and their
/// sixth and seventh differences are all rounding (Moré, Wild: Estimating computational noise, SIAM
/// J. Sci. Comput. 33). Zero where one of them does not exist.
std::vector<double> sampled_noise(DenseField& field, const State& at, double side) {
    const std::size_t n = field.n();
    State state = at;
    std::vector<double> a(n), noise(n, 0.0);
    std::vector<std::array<double, places>> values(n);
    for (std::size_t j = 0; j < places; ++j) {
        const double x = side * static_cast<double>(j);
        state.t = at.t + x * move_of(at.t, 2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            state.q[i] = at.q[i] + x * move_of(at.q[i], i);
            state.v[i] = at.v[i] + x * move_of(at.v[i], n + i);
        }
        if (!field.acceleration(state, a)) return noise;
        for (std::size_t i = 0; i < n; ++i) values[i][j] = a[i];
    }
    for (std::size_t i = 0; i < n; ++i) noise[i] = noise_in(values[i]);
    return noise;
}

/// A jump, as of a decision or of a direction where hardly anything slides, looks like noise where
/// the places lie across it: what is rounding is so on both sides.
std::vector<double> sampled_noise(DenseField& field, const State& at) {
    std::vector<double> noise = sampled_noise(field, at, 1.0);
    const std::vector<double> other = sampled_noise(field, at, -1.0);
    constexpr double share = 0.5;  // of the largest that is met among so few places
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = std::min(noise[i], other[i]) / share;
    return noise;
}

}  // namespace

std::vector<double> measure_noise(DenseField& field, const State& at) {
    const std::size_t n = field.n();
    std::vector<double> noise(2 * n, 0.0), a(n), multipliers(field.m(), 0.0);
    if (!field.acceleration(at, a)) return noise;
    const bool is_sampled = field.controller || !field.loads.is_empty();
    const DenseField::Counters counters = field.counters;
    if (!is_sampled && field.m() > 0 && !field.solve(at, a, multipliers)) return noise;
    field.counters = counters;
    const std::vector<double> found =
        is_sampled ? sampled_noise(field, at) : rounding_of(field, at, a, multipliers);
    for (std::size_t i = 0; i < n; ++i) {
        noise[i] = epsilon * std::abs(at.v[i]);
        noise[n + i] = found[i];
    }
    return noise;
}

std::vector<double> measure_noise(DenseField& field, const State& at, double ahead) {
    const std::size_t n = field.n();
    std::vector<double> noise = measure_noise(field, at), a(n);
    // What is sampled takes many evaluations.
    if (!(ahead > 0.0) || field.controller || !field.loads.is_empty() || !field.acceleration(at, a))
        return noise;
    for (const double part : {0.4, 1.0}) {
        const double time = part * ahead;
        State there = at;
        there.t += time;
        for (std::size_t i = 0; i < n; ++i) {
            there.q[i] += time * (at.v[i] + 0.5 * time * a[i]);
            there.v[i] += time * a[i];
        }
        const std::vector<double> found = measure_noise(field, there);
        for (std::size_t i = 0; i < 2 * n; ++i) noise[i] = std::max(noise[i], found[i]);
    }
    return noise;
}

double noise_over_tolerance(std::span<const double> sizes, const State& state, double length,
                            double tolerance) {
    double worst = 0.0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double value = i < state.q.size() ? state.q[i] : state.v[i - state.q.size()];
        worst = std::max(worst, length * sizes[i] / (tolerance * error_scale(value)));
    }
    return worst;
}

void NoiseWatch::note(double step) {
    longest = std::max(step, longest);
}

bool NoiseWatch::is_due(std::size_t steps, std::size_t rejected) const {
    constexpr std::size_t many = 8, share = 4;
    const std::size_t lately = rejected - std::min(rejected, not_taken);
    return steps >= due || (lately > many && share * lately > steps - taken);
}

void NoiseWatch::measure(Field& field, const State& state, double tolerance, std::size_t steps,
                         std::size_t rejected) {
    // It changes slowly as a rule, but not where something begins to slide: what is left of a noise
    // that has fallen would let steps with any error pass. Then it is measured again with the next
    // step.
    constexpr std::size_t shortest_pause = 32, longest_pause = 256;
    constexpr double ahead = 2.0;  // of the longest step: it will hold for some steps
    constexpr double near = 1e-3;  // of what matters: then it may ahead
    constexpr double changes = 2.0;
    constexpr double matters = 0.02;
    constexpr double fades = 0.95;  // what was found before: it comes again within an oscillation
    constexpr double spread = 16;   // of single measurements: three numbers each
    const std::vector<double> before = std::move(field.noise);
    field.noise = field.rounding(state, 0.0);
    if (noise_over_tolerance(field.noise, state, longest, tolerance) > near * matters)
        field.noise = field.rounding(state, ahead * longest);
    bool fell = false, rose = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double known = spread * std::max(field.noise[i], epsilon);
        fell = fell || before[i] > known;
        rose = rose || field.noise[i] > changes * before[i];
        field.noise[i] = std::max(field.noise[i], std::min(fades * before[i], known));
    }
    const double over = noise_over_tolerance(field.noise, state, longest, tolerance);
    const bool is_used = over > matters;
    if (is_used && (before.empty() || fell || rose)) pause = 1;
    else if (is_used) pause = std::min(2 * pause, longest_pause);
    else pause = std::clamp(2 * pause, shortest_pause, longest_pause);
    due = steps + pause;
    taken = steps;
    not_taken = rejected;
    longest = 0.0;
    if (!(over > matters)) field.noise.clear();
}

bool NoiseWatch::learn(Field& field, const State& from, const State& to, double tolerance) {
    constexpr std::size_t longest_pause = 64;  // steps refused
    constexpr double matters = 0.1;            // tolerances
    constexpr double more = 1.25;              // times what was known: else nothing is learned
    if (unasked > 0) {
        --unasked;
        return false;
    }
    std::vector<double> found = field.rounding(from, 0.0);
    const std::vector<double> there = field.rounding(to, 0.0);
    field.noise.resize(found.size(), 0.0);
    bool learned = false;
    for (std::size_t i = 0; i < found.size(); ++i) {
        found[i] = std::max(found[i], there[i]);
        if (!(found[i] > more * field.noise[i])) found[i] = 0.0;
    }
    learned = noise_over_tolerance(found, from, to.t - from.t, tolerance) > matters;
    if (learned)
        for (std::size_t i = 0; i < found.size(); ++i)
            field.noise[i] = std::max(field.noise[i], found[i]);
    in_vain = learned ? 0 : std::min(2 * in_vain + 1, longest_pause);
    unasked = in_vain;
    if (learned) {
        due = 0;
        pause = 1;
    } else if (largest(field.noise) == 0.0) {
        field.noise.clear();
    }
    return learned;
}

void NoiseWatch::renew(Field& field, std::size_t steps, std::size_t rejected) {
    field.noise.clear();
    *this = {steps + 1, 0, steps, rejected, 0.0, 0, 0};
}

std::vector<double> NoiseWatch::kept(const Field& field) const {
    std::vector<double> kept{longest};
    for (const std::size_t count : {due, pause, taken, not_taken, unasked, in_vain})
        kept.push_back(static_cast<double>(count));
    kept.insert(kept.end(), field.noise.begin(), field.noise.end());
    return kept;
}

void NoiseWatch::recall(const std::vector<double>& kept, Field& field) {
    constexpr std::size_t numbers = 7;
    if (kept.size() < numbers) return;
    longest = kept[0];
    std::size_t at = 1;
    for (std::size_t* count : {&due, &pause, &taken, &not_taken, &unasked, &in_vain})
        *count = static_cast<std::size_t>(kept[at++]);
    field.noise.assign(kept.begin() + numbers, kept.end());
    if (field.noise.size() != 2 * field.n()) field.noise.clear();
}

}  // namespace lacon::methods
