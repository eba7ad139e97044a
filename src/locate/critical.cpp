// Newton's method for the critical point, with uᵀ ∂²φ/∂(q, t)² of the weak directions u. The gap
// uᵀ φ there is compared with a bound on its own rounding.
#include "locate/critical.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline locate {

namespace {

/// A parameter that has been rounded when it was read or computed; few digits, as of 1 or 2.5, are
/// meant as they are.
Rounded parameter(double x) {
    constexpr double digits = 1 << 20;
    return x * digits == std::floor(x * digits) ? Rounded(x) : Rounded::input(x);
}

}  // namespace

CriticalSearch::CriticalSearch(DenseField& field) : field_(field) {
    const System& system = field.details.system;
    for (std::size_t r = 0; r < system.row_count(); ++r)
        if (system.levels[r] == Level::position && !system.stabilized[r]) rows_.push_back(r);
}

/// φ, A and ∂φ/∂t of the rows on positions.
void CriticalSearch::take_place(const State& state) {
    const std::size_t n = field_.n();
    State still = state;  // φ' at rest is ∂φ/∂t
    std::fill(still.v.begin(), still.v.end(), 0.0);
    field_.assembler.rows(still, all_);
    field_.assembler.residuals(still, residuals_);
    A_ = Matrix(rows_.size(), n);
    phi_.resize(rows_.size());
    rate_.resize(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        std::copy_n(all_.row(rows_[i]).begin(), n, A_.row(i).begin());
        phi_[i] = residuals_.value[rows_[i]];
        rate_[i] = residuals_.velocity[rows_[i]];
    }
}

/// Of uᵀ φ by (q, t), for each weak direction. By time they are differences: Newton's method needs
/// no more.
void CriticalSearch::second_derivatives(const State& state, double tau) {
    const std::size_t n = field_.n(), k = critical_.weak_count();
    second_.assign(k, Matrix(n + 1, n + 1));
    std::vector<std::ptrdiff_t> number(field_.m(), -1);
    for (std::size_t i = 0; i < rows_.size(); ++i)
        number[rows_[i]] = static_cast<std::ptrdiff_t>(i);
    field_.assembler.rates(state, [&](const Assembler::Rates& rates) {
        if (rates.element.row < 0 || rates.column >= n) return;
        const std::ptrdiff_t row = number[static_cast<std::size_t>(rates.element.row)];
        if (row < 0) return;
        for (std::size_t o = 0; o < rates.values.size(); ++o) {
            if (rates.entries[o].target != Entry::Target::row || rates.values[o] == 0.0) continue;
            for (std::size_t i = 0; i < k; ++i)
                second_[i](rates.leaf[rates.entries[o].j], rates.column) +=
                    critical_.combination(i)[static_cast<std::size_t>(row)] * rates.values[o];
        }
    });
    if (!timed_) return;
    // Of the way to the place: the difference of rows errs by 1e-4 of their change, which the
    // iteration corrects, and its rounding is 1e-12.
    const double step = 1e-4 * tau;
    State later = state;
    std::fill(later.v.begin(), later.v.end(), 0.0);
    later.t = state.t + step;
    field_.assembler.rows(later, later_);
    field_.assembler.residuals(later, residuals_);
    for (std::size_t r = 0; r < rows_.size(); ++r)
        for (std::size_t i = 0; i < k; ++i) {
            const double u = critical_.combination(i)[r] / step;
            for (std::size_t j = 0; j < n; ++j) {
                const double change = u * (later_(rows_[r], j) - A_(r, j));
                second_[i](j, n) += change;
                second_[i](n, j) += change;
            }
            second_[i](n, n) += u * (residuals_.velocity[rows_[r]] - rate_[r]);
        }
}

/// By uᵀ φ of every direction.
Critical CriticalSearch::judge(double reciprocal_condition) const {
    constexpr double zero = 2.0;  // roundings
    Critical found;
    found.kind = Critical::Kind::singular;
    found.reciprocal_condition = reciprocal_condition;
    double worst = -1.0;
    std::vector<double> parts(rows_.size(), 0.0);
    for (std::size_t i = 0; i < critical_.weak_count(); ++i) {
        const std::vector<double>& u = critical_.combination(i);
        double gap = 0.0, rounding = 0.0;
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            gap += u[r] * phi_[r];
            rounding += std::abs(u[r]) * bounds_[rows_[r]];
            double length = 0.0;
            for (std::size_t j = 0; j < field_.n(); ++j)
                length = std::max(length, std::abs(A_(r, j)));
            parts[r] = std::max(parts[r], std::abs(u[r]) * length);
        }
        const double ratio = std::abs(gap) / std::max(rounding, 1e-300);  // not by zero
        if (ratio <= worst) continue;
        worst = ratio;
        found.gap = std::abs(gap);
        found.rounding = rounding;
    }
    if (worst > zero)
        found.kind = worst < Critical::clear ? Critical::Kind::undecided : Critical::Kind::missed;
    const double most = *std::max_element(parts.begin(), parts.end());
    for (std::size_t r = 0; r < rows_.size(); ++r)
        // Rows with less than 1e-6 of the combination are in it by rounding.
        if (parts[r] > 1e-6 * most) found.rows.push_back(rows_[r]);
    return found;
}

bool CriticalSearch::depends_on_time(const State& state, double tau) {
    State later = state;
    later.t += 0.5 * tau;
    std::fill(later.v.begin(), later.v.end(), 0.0);
    field_.assembler.residuals(later, residuals_);
    bool found = std::any_of(rate_.begin(), rate_.end(), [](double x) { return x != 0.0; });
    for (const std::size_t r : rows_) found = found || residuals_.velocity[r] != 0.0;
    return found;
}

/// Bounds on the rounding of φ at a critical point, that of parameters included. That of
/// coordinates has no part in it, as the combinations of rows have no slope.
void CriticalSearch::take_bounds(const State& state) {
    const DerivedModel& details = field_.details;
    bounds_.assign(field_.m(), 0.0);
    std::vector<Rounded> inputs, slots, outputs;
    for (std::size_t number = 0; number < details.system.elements.size(); ++number) {
        const Element& element = details.system.elements[number];
        const Program& code = field_.smooth.shapes[element.shape].residuals;
        if (element.row < 0 || code.output_count() == 0) continue;
        const Shape& shape = details.system.shapes[element.shape];
        const std::uint32_t* leaf = details.system.leaves.data() + element.leaves;
        inputs.clear();
        for (std::size_t i = 0; i < shape.coordinates; ++i)
            inputs.push_back(Rounded(state.q[leaf[i]]));
        for (std::size_t i = 0; i < shape.coordinates; ++i)
            inputs.push_back(Rounded(state.v[leaf[i]]));
        inputs.push_back(Rounded(state.t));
        for (std::size_t i = 0; i < shape.parameters; ++i)
            inputs.push_back(parameter(details.parameters[leaf[shape.coordinates + i]]));
        const std::size_t first = field_.smooth.first_branch[number];
        for (std::size_t i = 0; i < field_.smooth.shapes[element.shape].decisions.size(); ++i)
            inputs.push_back(Rounded(field_.assembler.branches[first + i]));
        slots.resize(code.slot_count());
        outputs.resize(code.output_count());
        code.run<Rounded>(inputs, slots, outputs);
        for (std::size_t o = 0; o < outputs.size(); ++o)
            if (shape.residuals.entries[o].target == Entry::Target::residual)
                bounds_[static_cast<std::size_t>(element.row)] += outputs[o].error;
    }
}

/// Of uᵀ φ, of the direction that has the least.
double CriticalSearch::least_rounding(const State& state) {
    take_bounds(state);
    double least = INFINITY;
    for (std::size_t i = 0; i < critical_.weak_count(); ++i) {
        double sum = 0.0;
        for (std::size_t r = 0; r < rows_.size(); ++r)
            sum += std::abs(critical_.combination(i)[r]) * bounds_[rows_[r]];
        least = std::min(least, sum);
    }
    return least;
}

Critical CriticalSearch::search(const From& from) {
    constexpr int most_steps = 12;
    constexpr double far = 0.5;  // of the way to the place
    State place = from.near;
    double moved = 0.0;
    std::size_t directions = 0;
    for (int round = 0; round < most_steps; ++round) {
        take_place(place);
        if (round == 0) timed_ = depends_on_time(place, from.tau);
        if (!critical_.factor({equations_.M, A_, rate_, from.speed, from.rank, from.limit}))
            return {};
        if (round == 0) directions = critical_.weak_count();
        if (directions == 0 || critical_.weak_count() != directions) return {};
        second_derivatives(place, from.tau);
        const CriticalRows::Step step = critical_.step(phi_, second_);
        moved += step.length;
        if (!(moved < far * from.speed * from.tau)) return {};
        // A tenth of the rounding that the gap is compared with: what is left does not matter.
        if (step.rest <= 0.1 * least_rounding(place)) {
            Critical found = judge(step.reciprocal_condition);
            found.t = place.t;
            return found;
        }
        for (std::size_t j = 0; j < field_.n(); ++j) place.q[j] += step.change[j];
        if (timed_) place.t += step.change[field_.n()];
    }
    return {};
}

Critical CriticalSearch::look(const State& near, const State& base, double tau) {
    if (rows_.size() < 2) return {};
    take_place(base);
    if (!field_.equations(base, equations_)) return {};
    const Outcome outcome =
        field_.factor(factor_, equations_.M, A_, field_.options.solve, RowSet::positions);
    if ((outcome != Outcome::ok && outcome != Outcome::undetermined) || factor_.rank() < 2)
        return {};
    double square = 0.0;  // |v|² in the metric
    for (std::size_t i = 0; i < field_.n(); ++i)
        for (std::size_t j = 0; j < field_.n(); ++j)
            square += near.v[i] * equations_.M(i, j) * near.v[j];
    if (!(square > 0.0)) return {};
    // Directions may vanish together, or one soon after the other.
    for (const double limit : {0.05, 1e-3, 1e-5})
        if (Critical found = search({near, tau, std::sqrt(square), factor_.rank(), limit});
            found.kind != Critical::Kind::unknown)
            return found;
    return {};
}

}  // namespace lacon::locate
