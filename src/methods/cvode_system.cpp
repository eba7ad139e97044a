// Slopes and their errors as CVODE needs them.
#include "methods/cvode_system.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "methods/methods.hpp"
#include "solve/dense/matrix/square.hpp"

namespace lacon::inline methods {

void CvodeSystem::put(const State& state, N_Vector y) const {
    const std::size_t n = this->n();
    std::copy(state.q.begin(), state.q.end(), N_VGetArrayPointer(y));
    std::copy(state.v.begin(), state.v.end(), N_VGetArrayPointer(y) + n);
}
void CvodeSystem::take(N_Vector y, State& state) const {
    const std::size_t n = this->n();
    const double* values = N_VGetArrayPointer(y);
    state.q.assign(values, values + n);
    state.v.assign(values + n, values + 2 * n);
}
State& CvodeSystem::state_at(double t, N_Vector y) {
    take(y, state_);
    state_.t = origin.after(t).now();
    return state_;
}

// ---- what CVODE asks for

int CvodeSystem::slope(double t, N_Vector y, N_Vector y_dot) {
    const std::size_t n = this->n();
    State& state = state_at(t, y);
    double* out = N_VGetArrayPointer(y_dot);
    const bool pulls = kind_.projects && !kind_.is_stiff;
    const State raw = pulls ? state : State{};
    if (pulls && projector_.project(state) != Outcome::ok) return 1;
    std::copy(state.v.begin(), state.v.end(), out);
    if (!field_.acceleration(state, {out + n, n})) return 1;  // recoverable: a shorter step may do
    if (!pulls) return 0;
    for (std::size_t i = 0; i < n; ++i) {
        out[i] += pull * (state.q[i] - raw.q[i]);
        out[n + i] += pull * (state.v[i] - raw.v[i]);
    }
    return 0;
}

namespace {

/// CVODE forms its error estimates from differences of the values themselves: what rounding
/// leaves of these is no error.
constexpr double rounding_floor = 0.5 * cvode_floor;

}  // namespace

/// One over the error that a step may have: half a tolerance each of a value and of 1, and what
/// rounding does within a step as long as the last one.
int CvodeSystem::weights(N_Vector y, N_Vector weight) const {
    constexpr double gain = 4.0;
    const std::size_t n = this->n();
    const double* values = N_VGetArrayPointer(y);
    double* out = N_VGetArrayPointer(weight);
    for (std::size_t i = 0; i < 2 * n; ++i) {
        double noise = 0.0;
        if (!field_.noise.empty()) {
            const double time = std::min(length_, memory_of(i % n));
            noise = gain * (i < n ? length_ * field_.noise[i] + time * time * field_.noise[n + i]
                                  : time * field_.noise[i]);
        }
        if (!jitter_.empty()) noise += gain * jitter_in(i);
        const double size = std::abs(values[i]);
        out[i] = 1.0 / (std::max(0.5 * kind_.tolerance, rounding_floor) * size +
                        0.5 * kind_.tolerance + noise);
        if (!std::isfinite(out[i])) return -1;
    }
    return 0;
}

/// In a step as long as the last one. Projection is part of a step of bdf, but of the slope of
/// adams: there positions feel the velocities, and the pull to the constraints.
double CvodeSystem::jitter_in(std::size_t i) const {
    if (kind_.is_stiff) return jitter_[i];
    return length_ * (pull * jitter_[i] + (i < n() ? jitter_[n() + i] : 0.0));
}

/// How long a velocity remembers an acceleration: something stiff forgets it at once.
double CvodeSystem::memory_of(std::size_t i) const {
    if (!kind_.is_stiff || derivatives_.rows() != n()) return INFINITY;
    const double rate =
        std::abs(derivatives_(i, n() + i)) + std::sqrt(std::abs(derivatives_(i, i)));
    return 1.0 / rate;
}

/// Every projection is only as good as rounding lets it be, however short the step: velocities
/// of 1 m/s on a circle of 1 m at 1e8 m turn by 1e-8 m/s with the last place of the positions.
void CvodeSystem::look_at_jitter(double t, N_Vector y) {
    // Near a singular position the bounds are far above what rounding does.
    constexpr double weak = 0.01;
    if (projector_.factor().weakest() <= weak) return jitter_.clear();
    std::vector<double> found, velocities;
    const State& state = state_at(t, y);
    projector_.rounding_across(state, false, found);
    projector_.rounding_across(state, true, velocities);
    found.insert(found.end(), velocities.begin(), velocities.end());
    // It turns with the motion: of a coordinate of a pendulum it vanishes twice a swing.
    constexpr double fades = 0.8;
    jitter_.resize(found.size(), 0.0);
    for (std::size_t i = 0; i < found.size(); ++i)
        jitter_[i] = std::max(found[i], fades * jitter_[i]);
}

int CvodeSystem::jacobian(double t, N_Vector y, SUNMatrix J) {
    const std::size_t n = this->n();
    // Beyond the border of a decision there may be none; Newton's method then goes without.
    if (!acceleration_jacobian(field_, state_at(t, y), derivatives_))
        derivatives_ = Matrix(n, 2 * n);
    SUNMatZero(J);
    for (std::size_t i = 0; i < n; ++i) {
        SM_ELEMENT_D(J, static_cast<sunindextype>(i), static_cast<sunindextype>(n + i)) = 1.0;
        for (std::size_t j = 0; j < 2 * n; ++j)
            SM_ELEMENT_D(J, static_cast<sunindextype>(n + i), static_cast<sunindextype>(j)) =
                derivatives_(i, j);
    }
    return 0;
}

/// M + h C + h² K of each coordinate by itself: the inertia that an implicit step of length h
/// meets.
void CvodeSystem::resist(const State& state) {
    double h = 0.0;
    CVodeGetCurrentStep(cvode_.memory(), &h);
    own_resistance(field_, state, resistance_);
    projector_.added_mass.resize(n());
    for (std::size_t i = 0; i < n(); ++i) {
        const double added = h * (resistance_.damping[i] + h * resistance_.stiffness[i]);
        projector_.added_mass[i] = std::isfinite(added) ? std::max(0.0, added) : 0.0;
    }
}

/// correction: what brings y back to the constraints. The error estimate loses its part across
/// them in the same way.
int CvodeSystem::project(double t, N_Vector y, N_Vector correction, N_Vector error) {
    if (!kind_.projects) {
        N_VConst(0.0, correction);
        if (error) remove_stiff_part(error);
        return 0;
    }
    const std::size_t n = this->n();
    State moved = state_at(t, y);
    resist(moved);
    if (projector_.project(moved) != Outcome::ok) return 1;
    double* out = N_VGetArrayPointer(correction);
    const double* from = N_VGetArrayPointer(y);
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = moved.q[i] - from[i];
        out[n + i] = moved.v[i] - from[n + i];
    }
    if (!error) return 0;
    // Near a singular position J is large, and nothing need be stiff.
    constexpr double weak = 0.01;
    if (projector_.factor().weakest() > weak) remove_stiff_part(error);
    remove_across(error);
    return 0;
}
void CvodeSystem::remove_across(N_Vector error) {
    const std::size_t n = this->n();
    double* e = N_VGetArrayPointer(error);
    for (double* part : {e, e + n}) projector_.remove_across({part, n}, part != e);
}

/// What a step gets wrong along a stiff spring is taken back within it, and yet the estimate
/// for the velocity there is far above all that matters to the motion. (I − γJ)⁻¹, which
/// Newton's method has factored, takes this part away and leaves what is not stiff (Hairer,
/// Wanner: Solving ODEs II, IV.8).
void CvodeSystem::remove_stiff_part(N_Vector error) {
    if (SUNLinSolSolve(cvode_.linear(), cvode_.matrix(), cvode_.scratch, error, 0.0) == 0)
        N_VScale(1.0, cvode_.scratch, error);
}

// ---- errors

/// The size of an error of a step that has been taken, along the constraints.
double CvodeSystem::over_tolerance(N_Vector error) {
    if (kind_.is_stiff && kind_.projects) remove_across(error);
    if (weights(cvode_.y, cvode_.scratch) != 0) return INFINITY;
    return N_VWrmsNorm(error, cvode_.scratch);
}

/// h (p' − f(t, p)) of CVODE's polynomial p, over the tolerance; infinite where there is no f.
double CvodeSystem::left_inside(double t, double h, double allowed) {
    CVodeGetDky(cvode_.memory(), t, 0, cvode_.within);
    if (this->slope(t, cvode_.within, cvode_.scratch) != 0) return INFINITY;
    CVodeGetDky(cvode_.memory(), t, 1, cvode_.within);
    N_VLinearSum(h, cvode_.within, -h, cvode_.scratch, cvode_.within);
    const std::size_t n = this->n();
    const double* values = N_VGetArrayPointer(cvode_.within);
    const std::vector<double> rest(values, values + 2 * n);
    if (kind_.is_stiff) remove_stiff_part(cvode_.within);
    const double size = over_tolerance(cvode_.within);
    if (size <= allowed || !kind_.is_stiff) return size;
    // Where something very stiff turns with the motion, its direction at the end of the step is
    // another one.
    CVodeGetDky(cvode_.memory(), t, 0, cvode_.within);
    if (!corrected(t, rest)) return size;
    return over_tolerance(cvode_.within);
}

/// (I − γ ∂f/∂y)⁻¹ rest at the state in cvode_.within, by its part for the velocities.
bool CvodeSystem::corrected(double t, const std::vector<double>& rest) {
    const std::size_t n = this->n();
    double gamma = 0.0;
    Matrix J;
    CVodeGetCurrentGamma(cvode_.memory(), &gamma);
    if (!acceleration_jacobian(field_, state_at(t, cvode_.within), J)) return false;
    Matrix newton(n, n);
    std::vector<double> right(n);
    for (std::size_t i = 0; i < n; ++i) {
        right[i] = rest[n + i];
        for (std::size_t k = 0; k < n; ++k) {
            newton(i, k) = (i == k ? 1.0 : 0.0) - gamma * (J(i, n + k) + gamma * J(i, k));
            right[i] += gamma * J(i, k) * rest[k];
        }
    }
    const SquareSolution velocities = solve_square(newton, right);
    if (!(velocities.determinant != 0.0)) return false;
    double* out = N_VGetArrayPointer(cvode_.within);
    for (std::size_t i = 0; i < n; ++i) {
        out[n + i] = velocities.x[i];
        out[i] = rest[i] + gamma * velocities.x[i];
    }
    return true;
}

// ---- the first step

/// CVODE's own first step depends on where the run ends; this one does not. The rule by rates
/// of single coordinates fails in large units, where one that stands at zero and moves fast
/// asks for next to nothing; then it is the step after which the first neglected term, y''
/// h²/2, is some tolerances. y'' is told by two slopes, over a time in which the motion changes
/// by a small part of its own size: not by single coordinates, which may stand at zero and move
/// fast.
std::optional<double> CvodeSystem::first_step(N_Vector y) {
    const std::size_t n = this->n();
    if (this->slope(0.0, y, cvode_.scratch) != 0) return std::nullopt;
    const std::vector<double> slope(N_VGetArrayPointer(cvode_.scratch),
                                    N_VGetArrayPointer(cvode_.scratch) + 2 * n);
    const std::vector<double> begin(N_VGetArrayPointer(y), N_VGetArrayPointer(y) + 2 * n);
    double rate = 1e-6;  // 1/s
    const auto part = [n](const std::vector<double>& values, std::size_t first) {
        return largest(std::span(values).subspan(first, n));
    };
    // A motion of a size q with accelerations q'' has velocities of about √(q q''), also where
    // it begins at rest.
    const double size = std::max(1.0, part(begin, 0)), acceleration = part(slope, n);
    rate = std::max(rate, part(slope, 0) / size);
    rate = std::max(rate, acceleration / std::max({1.0, part(begin, n),
                                                   std::sqrt(size) * std::sqrt(acceleration)}));
    // 1e-5 of the shortest time that the values tell; on a stiff or narrow motion a hundredth
    // of it, up to eight times. Not critical: CVODE adapts the first step.
    double probe = 1e-5 / rate, bend = 0.0;  // s, 1/s²
    constexpr int most_tries = 8;
    bool found = false;
    for (int i = 0; i < most_tries && !found; ++i, probe *= 0.01)
        found = bend_over(probe, begin, slope, bend);
    const double tolerance = std::max(kind_.tolerance, cvode_floor);
    // A motion that is fast beside its size may be straight for long: at 1e6 m/s from zero, the
    // first step would be below what the clock of the run tells.
    constexpr double usual_probe = 1e-5, further = 100.0;  // s, at a speed of its size a second
    constexpr double straight = 1e-2;                      // tolerances that are left of straight
    while (found && probe * further <= usual_probe) {
        const double longer = further * probe;
        double bent = 0.0;
        if (bend * longer * longer > straight * tolerance || !bend_over(longer, begin, slope, bent))
            break;
        if (bent * longer * longer > straight * tolerance) break;
        probe = longer;
        bend = bent;
    }
    const double by_bend =
        std::min(10.0 * probe, 0.1 * std::sqrt(tolerance / std::max(bend, 1e-300)));
    // The usual rule, by single coordinates, unless it is out of all proportion.
    double single = 1e-6;
    for (std::size_t i = 0; i < 2 * n; ++i)
        single = std::max(single, std::abs(slope[i]) / error_scale(begin[i]));
    const double usual = 0.1 * std::sqrt(tolerance) / single;
    return usual >= 1e-2 * by_bend ? usual : by_bend;
}
/// The largest |y''| by its error scale, from the slopes `time` apart. False where there is
/// none.
bool CvodeSystem::bend_over(double time, const std::vector<double>& begin,
                            const std::vector<double>& slope, double& bend) {
    for (std::size_t i = 0; i < begin.size(); ++i)
        N_VGetArrayPointer(cvode_.last)[i] = begin[i] + time * slope[i];
    if (this->slope(time, cvode_.last, cvode_.scratch) != 0) return false;
    bend = 0.0;
    for (std::size_t i = 0; i < begin.size(); ++i)
        bend = std::max(bend, std::abs(N_VGetArrayPointer(cvode_.scratch)[i] - slope[i]) /
                                  (time * error_scale(begin[i])));
    return std::isfinite(bend);
}

}  // namespace lacon::methods
