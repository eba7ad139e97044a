// Samples the smallest singular value of B = A L⁻ᵀ along the step and finds its minima by golden
// section. Full sampling is done only where a direction is weak or has turned round. A vanishing
// row is found by its length.
#include "locate/singular_search.hpp"

#include <algorithm>
#include <cmath>

#include "locate/bisection.hpp"
#include "locate/golden.hpp"
#include "solve/dense/constrained/dependence.hpp"

namespace lacon::inline locate {

/// The singular value of the last direction that is independent at generic positions, relative to
/// the largest.
double SingularSearch::weakness(double tau) {
    method_->at(tau, state_);
    state_.t = begin_.after(tau).now();
    if (!field_.equations(state_, equations_)) return 0.0;
    if (factor_.singular_values(equations_.M, equations_.A, singular_) != Outcome::ok) return 0.0;
    return rank_ <= singular_.size() ? singular_[rank_ - 1] : 0.0;
}

double SingularSearch::length_of_row(double tau) {
    method_->at(tau, state_);
    state_.t = begin_.after(tau).now();
    if (!field_.equations(state_, equations_)) return 0.0;
    double square = 0.0;
    for (const double a : equations_.A.row(row_)) square += a * a;
    return std::sqrt(square);
}

/// To the accuracy of the times.
double SingularSearch::lowest(double from, double to, double (SingularSearch::*measure)(double)) {
    return lowest_place([&](double tau) { return (this->*measure)(tau); }, from, to,
                        1e-13 * std::max(1.0, std::abs(begin_.now())));
}

std::optional<double> SingularSearch::ahead(const Method& method, const Clock& begin,
                                            const DenseProjector& here, double usual) {
    if (here.factor().rank() < 2) return std::nullopt;
    const auto& direction = here.factor().weakest_direction();
    if (direction.u.empty()) return std::nullopt;
    const auto reciprocal_condition = [&](double tau) {
        method.at(tau, state_);
        state_.t = begin.after(tau).now();
        field_.assembler.rows(state_, equations_.A);
        const double value = direction.at(equations_.A);
        return std::isfinite(value) ? value : 1.0;
    };
    // Where the motion turns round near a singular position it passes twice within a short time.
    const int samples = here.factor().weakest() < std::min(0.2, 0.7 * usual) ? 24 : 4;
    double left = 0.0;
    for (int i = 1; i <= samples; ++i) {
        double right = 2.0 * method.reach() * i / samples;
        if (reciprocal_condition(right) > 0.0) {
            left = right;
            continue;
        }
        int round = 0;
        return bisect(
                   {left, right}, [&](double tau) { return !(reciprocal_condition(tau) > 0.0); },
                   [&](const Bracket&) { return round++ < 20; })
            .behind;
    }
    return std::nullopt;
}

namespace {

/// What a row asks of the velocities, ∂φ/∂t, and the size of the terms it is computed from.
struct Asked {
    double value = 0.0, size = 0.0;
};

Asked asked_by_row(const DenseField& field, std::size_t r, const Matrix& A,
                   const Residuals& residuals, const State& state) {
    const System& system = field.details.system;
    Asked asked;
    if (system.stabilized[r] || system.levels[r] == Level::acceleration)
        return asked;  // asks for no velocity
    asked.value = residuals.velocity[r];
    for (std::size_t j = 0; j < state.v.size(); ++j) {
        asked.value -= A(r, j) * state.v[j];
        asked.size += std::abs(A(r, j) * state.v[j]);
    }
    return asked;
}

double unless_rounding(const Asked& asked) {
    // A sum of n products is rounded to about n units in the last place; 1e-11 is that of 1e5.
    constexpr double rounding = 1e-11;
    return std::abs(asked.value) > rounding * asked.size ? std::abs(asked.value) : 0.0;
}

}  // namespace

double asked_along_weakest(DenseField& field, const ConstrainedFactor& factor, const State& state) {
    const std::vector<double>& u = factor.weakest_direction().u;
    if (u.empty()) return 0.0;
    Matrix A;
    Residuals residuals;
    field.assembler.rows(state, A);
    field.assembler.residuals(state, residuals);
    Asked asked;
    for (std::size_t r = 0; r < field.m(); ++r) {
        const Asked by_row = asked_by_row(field, r, A, residuals, state);
        asked.value += u[r] * by_row.value;
        asked.size += std::abs(u[r]) * by_row.size;
    }
    return unless_rounding(asked);
}

/// |∂φ/∂t| of a single row: where the row vanishes and this does not, velocities grow without
/// bound.
double SingularSearch::asked_by(std::size_t row, const State& state) {
    Residuals residuals;
    field_.assembler.rows(state, equations_.A);
    field_.assembler.residuals(state, residuals);
    return unless_rounding(asked_by_row(field_, row, equations_.A, residuals, state));
}

/// Looked at right before it: there all directions still count, and what is asked has fallen with
/// the reciprocal condition, or has not.
bool SingularSearch::is_end_of_reach(const Method& method, const Base& base, double tau,
                                     std::optional<std::size_t> row) {
    constexpr double before = 0.99, much = 0.1;
    method.at(before * tau, state_);
    state_.t = base.time.after(before * tau).now();
    if (row) {
        const double first = asked_by(*row, base.state);
        return first > 0.0 && asked_by(*row, state_) > much * first;
    }
    if (!field_.equations(state_, equations_)) return false;
    if (field_.factor(factor_, equations_.M, equations_.A, field_.options.solve) != Outcome::ok)
        return false;
    const double first = asked_along_weakest(field_, dense(base.projector).factor(), base.state);
    return first > 0.0 && asked_along_weakest(field_, factor_, state_) > much * first;
}

Critical SingularSearch::critical(const Method& method, const Base& base, double tau) {
    State near;
    method.at(tau, near);
    near.t = base.time.after(tau).now();
    return critical_.look(near, base.state, tau);
}

namespace {

/// Whether a row turns by more than 60°. Two crossings of one direction need that, out and back.
bool rows_turn_far(const Matrix& before, const Matrix& behind) {
    constexpr double cosine = 0.5;
    for (std::size_t r = 0; r < before.rows(); ++r) {
        double product = 0.0, first = 0.0, last = 0.0;
        for (std::size_t j = 0; j < before.cols(); ++j) {
            product += before(r, j) * behind(r, j);
            first += before(r, j) * before(r, j);
            last += behind(r, j) * behind(r, j);
        }
        if (product < cosine * std::sqrt(first * last)) return true;
    }
    return false;
}

}  // namespace

SingularSearch::Found SingularSearch::search(const Method& method, const Base& base, double until,
                                             const DenseProjector& behind) {
    Found found;
    const DenseProjector& before = dense(base.projector);
    rank_ = before.factor().rank();
    method_ = &method;
    begin_ = base.time;
    search_vanishing_rows(until, before, behind, found.passed);
    if (rank_ < 2) return found;  // a single direction is its own measure
    constexpr double weak = 0.05;
    constexpr std::size_t most_rows = 100;  // beyond, singular values of all directions take long
    const auto direction = before.factor().weakest_direction();
    const auto turns_between = [&](const Matrix& from, const Matrix& to) {
        return field_.m() <= most_rows && turns(before.equations().M, from, to, rank_);
    };
    const Matrix &first = before.equations().A, &last = behind.equations().A;
    bool turned = (!direction.u.empty() && direction.at(last) < 0.0) || turns_between(first, last);
    if (!turned && rows_turn_far(first, last)) {  // too far for the ends alone to tell
        method_->at(0.5 * until, state_);
        state_.t = begin_.after(0.5 * until).now();
        field_.assembler.rows(state_, equations_.A);
        turned = turns_between(first, equations_.A) || turns_between(equations_.A, last);
    }
    if (!turned && std::min(before.factor().weakest(), behind.factor().weakest()) > weak)
        return found;
    const bool is_weak_throughout =
        field_.details.whole ||
        before.factor().weakest() < 10.0 * singular_tol;  // weak at the base already
    if (is_weak_throughout && !turned && hardly_turns(until, before)) return found;
    const std::size_t samples = turned ? 32 : 16;
    std::vector<double> at(samples + 1), value(samples + 1);
    for (std::size_t i = 0; i <= samples; ++i) {
        at[i] = until * static_cast<double>(i) / static_cast<double>(samples);
        value[i] = weakness(at[i]);
    }
    for (std::size_t i = 0; i <= samples; ++i) {
        const double left = i > 0 ? value[i - 1] : 2.0, right = i < samples ? value[i + 1] : 2.0;
        if (value[i] > left || value[i] >= right) continue;
        const double from = at[i > 0 ? i - 1 : 0], to = at[std::min(samples, i + 1)];
        const double tau = lowest(from, to, &SingularSearch::weakness);
        // At the begin or end of the step a decreasing value is no minimum: the neighbour step has
        // it, if anyone.
        if (tau <= 1e-9 * until || tau >= until * (1.0 - 1e-9)) continue;
        const bool turns = flips(from, to);
        take_lowest(base, {tau, weakness(tau), std::min(value.front(), value.back()), turns},
                    found);
    }
    return found;
}

bool SingularSearch::flips(double left, double right) {
    method_->at(left, state_);
    state_.t = begin_.after(left).now();
    if (!field_.equations(state_, equations_)) return false;
    if (field_.factor(factor_, equations_.M, equations_.A, field_.options.solve) != Outcome::ok ||
        factor_.rank() < rank_)
        return false;
    method_->at(right, state_);
    state_.t = begin_.after(right).now();
    field_.assembler.rows(state_, equations_.A);
    return factor_.weakest_direction().at(equations_.A) < 0.0;
}

/// A position at which the smallest singular value is lowest. A step that resolves a near miss sees
/// the value fall by less than half: it is no longer than the distance to where the series ends,
/// which the value measures.
void SingularSearch::take_lowest(const Base& base, const Lowest& lowest, Found& found) {
    constexpr double resolved = 0.2;
    if (lowest.depth > resolved * lowest.beside) return;
    const Matrix A = equations_.A, M = equations_.M;
    SingularCrossing crossing{lowest.tau, 0, {}, {}, {}};
    if (lowest.flips) crossing.critical = critical(*method_, base, lowest.tau);
    using Kind = Critical::Kind;
    const Kind kind = crossing.critical.kind;
    if (kind == Kind::missed) found.leaps = true;
    if (kind == Kind::missed || (kind == Kind::unknown && lowest.depth > singular_tol)) return;
    // By a polynomial that just misses it the position is only nearly singular.
    const double tol = std::max(singular_tol, 2.0 * lowest.depth);
    for (const double s : singular_) crossing.rank += s > tol ? 1 : 0;
    crossing.rank = std::min(crossing.rank, rank_);
    SolveOptions coarse;
    coarse.rank_tol = tol;
    crossing.sets = dependent_sets({A, equations_.b, &M}, coarse);
    crossing.rows = rows_of(crossing.sets);
    found.passed.push_back(std::move(crossing));
}

/// Whether the rows turn so little within the step, beside the reciprocal condition of their
/// weakest direction, that none can vanish: a singular value changes by no more than the matrix
/// does. Piles of contacts have weak directions throughout, and search for nothing at every step.
bool SingularSearch::hardly_turns(double until, const DenseProjector& before) {
    constexpr int samples = 4;
    constexpr double much = 0.05;  // of the weakest direction; M may stretch it
    const Matrix& first = before.equations().A;
    for (int i = 1; i <= samples; ++i) {
        const double tau = until * i / samples;
        method_->at(tau, state_);
        state_.t = begin_.after(tau).now();
        field_.assembler.rows(state_, equations_.A);
        double square = 0.0;
        for (std::size_t r = 0; r < field_.m(); ++r) {
            double change = 0.0, size = 0.0;
            for (std::size_t j = 0; j < field_.n(); ++j) {
                const double difference = equations_.A(r, j) - first(r, j);
                change += difference * difference;
                size += first(r, j) * first(r, j);
            }
            if (change > 0.0) square += change / size;
        }
        if (!(std::sqrt(square) < much * before.factor().weakest())) return false;
    }
    return true;
}

/// Rows that vanish on the way, whether they come out turned round or not. Between few places the
/// length of one that does has a minimum, well below its largest.
void SingularSearch::search_vanishing_rows(double until, const DenseProjector& before,
                                           const DenseProjector& behind,
                                           std::vector<SingularCrossing>& found) {
    constexpr std::size_t pieces = 4;
    // Of the largest length: a row that vanishes within falls far below it between five places.
    constexpr double much = 0.2;
    std::vector<Matrix> A(pieces + 1);
    for (std::size_t i = 1; i < pieces; ++i) {
        method_->at(until * static_cast<double>(i) / pieces, state_);
        state_.t = begin_.after(until * static_cast<double>(i) / pieces).now();
        field_.assembler.rows(state_, A[i]);
    }
    A[0] = before.equations().A;
    A[pieces] = behind.equations().A;
    for (row_ = 0; row_ < field_.m(); ++row_) {
        std::vector<double> length;
        for (const Matrix& rows : A) {
            double square = 0.0;
            for (const double x : rows.row(row_)) square += x * x;
            length.push_back(std::sqrt(square));
        }
        const double most = *std::max_element(length.begin(), length.end());
        const auto turned = [&](std::size_t i, std::size_t j) {
            double product = 0.0;
            for (std::size_t k = 0; k < field_.n(); ++k) product += A[i](row_, k) * A[j](row_, k);
            return product < 0.0;
        };
        for (std::size_t i = 0; i < pieces; ++i) {
            const double lesser = std::min(length[i], length[i + 1]);
            const bool lowest = lesser < much * most && (i == 0 || length[i - 1] >= lesser) &&
                                (i + 2 > pieces || length[i + 2] >= lesser);
            if (lowest || turned(i, i + 1))
                take_vanishing_row(until * static_cast<double>(i) / pieces, until, most, found);
        }
    }
}

/// In the piece that begins at `from`, of a step of length `until`; `most`: the largest length of
/// the row.
void SingularSearch::take_vanishing_row(double from, double until, double most,
                                        std::vector<SingularCrossing>& found) {
    const double tau =
        lowest(from, std::min(until, from + 0.25 * until), &SingularSearch::length_of_row);
    // A zero at an end of the step is that of the step beside it (as BeginBorder::part).
    if (!(length_of_row(tau) <= singular_tol * most) || tau <= 1e-9 * until ||
        tau >= until * (1.0 - 1e-9))
        return;
    // Found already, in the piece before: the minimum is known to about 1e-8 only.
    if (!found.empty() && found.back().rows == std::vector{row_} &&
        tau - found.back().tau <= 1e-6 * until)
        return;
    std::fill_n(equations_.A.row(row_).begin(), field_.n(), 0.0);
    SolveOptions coarse;
    coarse.rank_tol = singular_tol;
    const bool known = factor_.factor(equations_.M, equations_.A, coarse) == Outcome::ok;
    if (known && factor_.rank() < rank_)
        found.push_back({tau, factor_.rank(), {row_}, {{{row_}, {1.0}}}, {}});
}

}  // namespace lacon::locate
