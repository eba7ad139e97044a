// SUNDIALS CVODE (Hindmarsh et al. 2005) for y = (q, q'): backward differentiation with Newton's
// method, our Jacobian and our projection; Adams with functional iteration, on the projected field
// with a weak pull back to the constraints, since CVODE projects for backward differentiation only.
// Its time counts from the last restart, so that it keeps all its digits.
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/numbers.hpp"
#include "methods/jacobian.hpp"
#include "methods/methods.hpp"
#include "solve/dense/matrix/square.hpp"

namespace lacon::inline methods {

namespace {

void ignore_messages(int, const char*, const char*, char*, void*) {}

class Cvode : public Method {
public:
    Cvode(bool stiff, DenseField& field, const MethodOptions& options, bool projects)
        : stiff_(stiff),
          projects_(projects && field.m() > 0),
          field_(field),
          tolerance_(options.tolerance),
          projector_(field, true) {
        const auto size = static_cast<sunindextype>(2 * field.n());
        SUNContext_Create(nullptr, &context_);
        y_ = N_VNew_Serial(size, context_);
        scratch_ = N_VNew_Serial(size, context_);
        last_ = N_VNew_Serial(size, context_);
        within_ = N_VNew_Serial(size, context_);
        if (!context_ || !y_ || !scratch_ || !last_ || !within_) throw std::bad_alloc();
        state_.q.resize(field.n());
        state_.v.resize(field.n());
    }
    ~Cvode() override {
        forget();
        N_VDestroy(y_);
        N_VDestroy(scratch_);
        N_VDestroy(last_);
        N_VDestroy(within_);
        SUNContext_Free(&context_);
    }
    Cvode(const Cvode&) = delete;
    Cvode& operator=(const Cvode&) = delete;

    bool begin(const Base& base, bool fresh) override {
        // The method goes on from its own history, unless the step was cut or it is time to begin
        // anew.
        const bool cut = fresh || std::abs(base.time.since(origin_) - now_) >
                                      1e-12 * std::max(std::abs(now_), length_);
        restart_ = cut || steps_ >= steps_before_restart;
        // Of the time: what CVODE has to step is then no more than rounding.
        constexpr double reached = 1e-12;
        if (restart_ || until_ - now_ <= reached * std::max(std::abs(now_), length_))
            until_ = INFINITY;
        advanced_ = false;
        next_time_ = base.time;
        next_state_ = base.state;
        return true;
    }

    bool advance(double limit) override {
        const bool retakes = advanced_;
        advanced_ = true;
        if (restart_ || retakes) {
            // What comes into reach within a step is in the history already: a shorter step from
            // the same place begins anew. Up to where that one may go it is not asked for again.
            until_ = retakes ? limit : INFINITY;
            if (retakes) length_ = 0.0;
            origin_ = next_time_;
            now_ = 0.0;
            steps_ = 0;
            pull_ = 0.0;
            fails_ = 0;
            last_step_ = 0.0;
            jitter_.clear();
            put(next_state_, y_);
            forget();
            create();
            if (!find_first_step()) return false;
            CVodeSetInitStep(memory_, first_step_);
            restart_ = false;
        }
        limit = std::min(limit, until_ - now_);
        before_ = now_;
        N_VScale(1.0, y_, last_);
        far_ = now_ + limit;
        if (!take_step()) return false;
        length_ = whole_ = is_cut_ ? limit : now_ - before_;
        if (is_cut_) origin_ = origin_.after(far_ - now_);  // rounding of the time
        ++steps_;
        gap_.clear();
        if (stiff_ && projects_ && steps_ % steps_between_looks == 1) look_at_jitter();
        // How fast the constraints pull: much slower than the steps, and the same for long, since a
        // change would look like an error.
        if (steps_ % 100 == 20) CVodeGetLastStep(memory_, &pull_), pull_ = 0.05 / pull_;
        count_rejected();
        return true;
    }

    void at(double tau, State& out) const override {
        if (tau >= whole_) {  // CVODE does not tell what is beyond
            take(y_, out);
            return;
        }
        // CVODE's time has lost the last digits of tau: they are made up for by the slope.
        const double t = std::min(before_ + tau, now_), part = t - before_,
                     lost = (before_ - (t - part)) + (tau - part);
        CVodeGetDky(memory_, t, 0, scratch_);
        take(scratch_, out);
        if (lost != 0.0) {
            CVodeGetDky(memory_, t, 1, scratch_);
            for (std::size_t i = 0; i < field_.n(); ++i) {
                out.q[i] += lost * N_VGetArrayPointer(scratch_)[i];
                out.v[i] += lost * N_VGetArrayPointer(scratch_)[field_.n() + i];
            }
        }
        join_last_step(tau, out);
    }

    bool can_retake() const override { return true; }
    std::size_t adaptive_order() const override { return 5; }
    const std::vector<double>& added_mass() const override { return projector_.added_mass; }
    bool is_resumable() const override { return restart_; }

private:
    /// Forwards; nothing of a step may depend on where the run ends.
    static constexpr double no_stop = 1e12;  // s

    /// CVODE's own step, or what becomes of it where it does not do. At the foot of something steep
    /// CVODE gives up after some shorter tries; a new beginning with a much shorter step may do.
    bool take_step() {
        constexpr int most_beginnings = 6, most_looks = 20;
        for (int beginnings = 0, looks = 0;;) {
            set_stop();
            const int outcome = CVode(memory_, now_ + no_stop, y_, &now_, CV_ONE_STEP);
            is_cut_ = outcome == CV_TSTOP_RETURN || now_ >= far_;
            if (is_too_long(outcome) && beginnings++ < most_beginnings) {
                // As the tries for a first step: 1e-12 of it after all beginnings.
                constexpr double shorter = 1e-2;
                begin_anew(shorter * first_step_);
                continue;
            }
            if (outcome != CV_SUCCESS && outcome != CV_TSTOP_RETURN) return false;
            const double shorter = shorter_for_inside();
            if (shorter >= 1.0) return true;
            if (field_.stopped || looks++ == most_looks) return false;
            ++rejected;
            begin_anew(shorter * (now_ - before_));
        }
    }

    /// CVODE is told of a stop only where its step may go beyond, since it shortens the step behind
    /// one that ends just before a stop: what is left up to there would be all that it takes beyond
    /// a knot, too. Where its step ends at the place but for rounding of the time, as between
    /// equally spaced knots, the stop is where it ends. (Behind a stop CVODE does not tell whether
    /// its next step is longer than the last.)
    void set_stop() {
        double next = first_step_;
        if (steps_ > 0 && is_cut_) CVodeGetLastStep(memory_, &next);
        else if (steps_ > 0) CVodeGetCurrentStep(memory_, &next);
        const double end = now_ + next;
        // CVODE itself takes a time within 100 units in the last place for the stop.
        constexpr double units = 64.0 * std::numeric_limits<double>::epsilon();
        const double rounding = units * std::max(std::abs(origin_.now()), now_);
        stop_ = std::abs(end - far_) <= rounding ? end
                : end > far_ || is_cut_          ? far_
                                                 : now_ + no_stop;
        CVodeSetStopTime(memory_, stop_);
    }

    /// A step is accepted on a single number: how far its end is from where the history has put it.
    /// Where a force vanishes at the places that the history knows and at the end, as sin(πt) in a
    /// step from 0 to 1 or a signal at its knots, that difference says nothing of what is between.
    /// So steps that the history cannot vouch for are compared with the equations inside: those
    /// that are longer than the last one (the first one too), those that end where something else
    /// wants it, and those with hardly any difference at their end. 1: all is well; else the part
    /// of its length that the step should have.
    double shorter_for_inside() {
        constexpr double as_long = 1.2;  // steps that grow do so by 1.5 at least
        constexpr double hardly = 1e-3;  // of the tolerance; a step is made for 1e-2 or more
        const double h = now_ - before_, last = last_step_;
        if (!(h > 0.0)) return 1.0;
        last_step_ = h;
        CVodeGetEstLocalErrors(memory_, within_);
        if (stiff_) remove_stiff_part(within_);
        const double difference = over_tolerance(within_);
        const bool is_telling = difference > hardly;
        if (is_telling && !is_cut_ && h <= as_long * last) return 1.0;
        // Of smooth motions, what the equations leave of a step inside (by h) is below 5
        // tolerances, of stiff ones below 20, and far less where the difference at the end is.
        const double allowed = is_telling ? 100.0 : 10.0;
        constexpr double places[] = {0.3819660112501051, 0.7071067811865476};  // 2 − Φ, 1/√2
        double most = 0.0;
        for (const double place : places) {
            const double left = left_inside(before_ + place * h, h, allowed);
            if (!(left <= most)) most = left;
            if (is_telling) break;
        }
        if (most <= allowed) return 1.0;
        // A beginning has an error of the second order.
        return std::isfinite(most) ? std::clamp(1.0 / std::sqrt(most), 1e-3, 0.25) : 1e-2;
    }
    /// h (p' − f(t, p)) of CVODE's polynomial p, over the tolerance; infinite where there is no f.
    double left_inside(double t, double h, double allowed) {
        CVodeGetDky(memory_, t, 0, within_);
        if (slope_at(t, within_, scratch_) != 0) return INFINITY;
        CVodeGetDky(memory_, t, 1, within_);
        N_VLinearSum(h, within_, -h, scratch_, within_);
        const std::size_t n = field_.n();
        const double* values = N_VGetArrayPointer(within_);
        const std::vector<double> rest(values, values + 2 * n);
        if (stiff_) remove_stiff_part(within_);
        const double size = over_tolerance(within_);
        if (size <= allowed || !stiff_) return size;
        // Where something very stiff turns with the motion, its direction at the end of the step is
        // another one.
        CVodeGetDky(memory_, t, 0, within_);
        if (!corrected(t, rest)) return size;
        return over_tolerance(within_);
    }
    /// (I − γ ∂f/∂y)⁻¹ rest at the state in within_, by its part for the velocities.
    bool corrected(double t, const std::vector<double>& rest) {
        const std::size_t n = field_.n();
        double gamma = 0.0;
        Matrix J;
        CVodeGetCurrentGamma(memory_, &gamma);
        if (!acceleration_jacobian(field_, state_at(t, within_), J)) return false;
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
        double* out = N_VGetArrayPointer(within_);
        for (std::size_t i = 0; i < n; ++i) {
            out[n + i] = velocities.x[i];
            out[i] = rest[i] + gamma * velocities.x[i];
        }
        return true;
    }
    /// The size of an error of a step that has been taken, along the constraints.
    double over_tolerance(N_Vector error) {
        if (stiff_ && projects_) remove_across(error);
        if (weights_at(y_, scratch_) != 0) return INFINITY;
        return N_VWrmsNorm(error, scratch_);
    }

    /// CVODE's polynomial misses the begin of its step by some of the tolerance: what turned at the
    /// end of the last step would seem not yet to have. The difference fades out towards the end.
    void join_last_step(double tau, State& out) const {
        const std::size_t n = field_.n();
        if (gap_.empty()) {
            gap_.resize(2 * n);
            CVodeGetDky(memory_, before_, 0, scratch_);
            for (std::size_t i = 0; i < 2 * n; ++i)
                gap_[i] = N_VGetArrayPointer(last_)[i] - N_VGetArrayPointer(scratch_)[i];
        }
        const double left = 1.0 - tau / whole_, weight = left * left * left;
        for (std::size_t i = 0; i < n; ++i) {
            out.q[i] += weight * gap_[i];
            out.v[i] += weight * gap_[n + i];
        }
    }

    /// Nothing but the state is needed to go on from a restart: a run is cut into such pieces
    /// always, so that one that was interrupted goes on with the same bits.
    static constexpr std::size_t steps_before_restart = 2000;

    /// CVODE as new, at y_: one that is only set back remembers more than its state.
    void create() {
        const auto size = static_cast<sunindextype>(2 * field_.n());
        memory_ = CVodeCreate(stiff_ ? CV_BDF : CV_ADAMS, context_);
        if (!memory_) throw std::bad_alloc();
        CVodeSetErrHandlerFn(memory_, ignore_messages, nullptr);
        CVodeInit(memory_, slope, 0.0, y_);
        CVodeSetUserData(memory_, this);
        CVodeWFtolerances(memory_, weights);
        CVodeSetMaxNumSteps(memory_, -1);
        if (stiff_) {
            matrix_ = SUNDenseMatrix(size, size, context_);
            linear_ = SUNLinSol_Dense(y_, matrix_, context_);
            CVodeSetLinearSolver(memory_, linear_, matrix_);
            CVodeSetJacFn(memory_, jacobian);
            // Stiff directions turn with the motion: with the Jacobian of some steps ago Newton's
            // method ends before it has converged along them, and what it leaves looks like an
            // error of the steps that follow.
            CVodeSetLSetupFrequency(memory_, 1);
            CVodeSetJacEvalFrequency(memory_, 1);
            if (projects_ || field_.m() == 0)
                CVodeSetProjFn(memory_, projection);  // free motion too: it has the error estimate
        } else {
            nonlinear_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
            CVodeSetNonlinearSolver(memory_, nonlinear_);
        }
    }
    /// CVODE's own first step depends on where the run ends; this one does not. The rule by rates
    /// of single coordinates fails in large units, where one that stands at zero and moves fast
    /// asks for next to nothing; then it is the step after which the first neglected term, y''
    /// h²/2, is some tolerances. y'' is told by two slopes, over a time in which the motion changes
    /// by a small part of its own size: not by single coordinates, which may stand at zero and move
    /// fast.
    bool find_first_step() {
        const std::size_t n = field_.n();
        if (slope_at(0.0, y_, scratch_) != 0) return false;
        const std::vector<double> slope(N_VGetArrayPointer(scratch_),
                                        N_VGetArrayPointer(scratch_) + 2 * n);
        const std::vector<double> begin(N_VGetArrayPointer(y_), N_VGetArrayPointer(y_) + 2 * n);
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
        const double tolerance = std::max(tolerance_, cvode_floor);
        // CVODE begins with order 1, whose error is h² |y''|/2; a tenth of what that allows.
        const double by_bend =
            std::min(10.0 * probe, 0.1 * std::sqrt(tolerance / std::max(bend, 1e-300)));
        // The usual rule, by single coordinates, unless it is out of all proportion.
        double single = 1e-6;
        for (std::size_t i = 0; i < 2 * n; ++i)
            single = std::max(single, std::abs(slope[i]) / error_scale(begin[i]));
        const double usual = 0.1 * std::sqrt(tolerance) / single;
        first_step_ = usual >= 1e-2 * by_bend ? usual : by_bend;
        return true;
    }
    /// The largest |y''| by its error scale, from the slopes `time` apart. False where there is
    /// none.
    bool bend_over(double time, const std::vector<double>& begin, const std::vector<double>& slope,
                   double& bend) {
        for (std::size_t i = 0; i < begin.size(); ++i)
            N_VGetArrayPointer(last_)[i] = begin[i] + time * slope[i];
        if (slope_at(time, last_, scratch_) != 0) return false;
        bend = 0.0;
        for (std::size_t i = 0; i < begin.size(); ++i)
            bend = std::max(bend, std::abs(N_VGetArrayPointer(scratch_)[i] - slope[i]) /
                                      (time * error_scale(begin[i])));
        return std::isfinite(bend);
    }

    void count_rejected() {
        long fails = 0;
        CVodeGetNumErrTestFails(memory_, &fails);
        rejected += static_cast<std::size_t>(fails - fails_);
        fails_ = fails;
    }
    static bool is_too_long(int outcome) {
        return outcome == CV_ERR_FAILURE || outcome == CV_CONV_FAILURE || outcome == CV_TOO_CLOSE ||
               outcome == CV_RHSFUNC_FAIL || outcome == CV_REPTD_RHSFUNC_ERR ||
               outcome == CV_PROJFUNC_FAIL || outcome == CV_REPTD_PROJFUNC_ERR;
    }
    /// At the end of the last step, without history.
    void begin_anew(double first_step) {
        count_rejected();
        N_VScale(1.0, last_, y_);
        origin_ = origin_.after(before_);
        far_ -= before_;
        until_ -= before_;
        now_ = before_ = 0.0;
        steps_ = 0;
        pull_ = 0.0;
        fails_ = 0;
        last_step_ = 0.0;
        forget();
        create();
        first_step_ = first_step;
        CVodeSetInitStep(memory_, first_step_);
    }
    void forget() {
        if (memory_) CVodeFree(&memory_);
        if (linear_) SUNLinSolFree(linear_);
        if (matrix_) SUNMatDestroy(matrix_);
        if (nonlinear_) SUNNonlinSolFree(nonlinear_);
        memory_ = nullptr;
        linear_ = nullptr;
        matrix_ = nullptr;
        nonlinear_ = nullptr;
    }

    void put(const State& state, N_Vector y) const {
        const std::size_t n = field_.n();
        std::copy(state.q.begin(), state.q.end(), N_VGetArrayPointer(y));
        std::copy(state.v.begin(), state.v.end(), N_VGetArrayPointer(y) + n);
    }
    void take(N_Vector y, State& state) const {
        const std::size_t n = field_.n();
        const double* values = N_VGetArrayPointer(y);
        state.q.assign(values, values + n);
        state.v.assign(values + n, values + 2 * n);
    }
    State& state_at(double t, N_Vector y) {
        take(y, state_);
        state_.t = origin_.after(t).now();
        return state_;
    }

    /// CVODE forms its error estimates from differences of the values themselves: what rounding
    /// leaves of these is no error.
    static constexpr double rounding_floor = 0.5 * cvode_floor;
    /// One over the error that a step may have: half a tolerance each of a value and of 1, and what
    /// rounding does within a step as long as the last one.
    static int weights(N_Vector y, N_Vector weight, void* self) {
        return static_cast<Cvode*>(self)->weights_at(y, weight);
    }
    int weights_at(N_Vector y, N_Vector weight) const {
        constexpr double gain = 4.0;
        const std::size_t n = field_.n();
        const double* values = N_VGetArrayPointer(y);
        double* out = N_VGetArrayPointer(weight);
        for (std::size_t i = 0; i < 2 * n; ++i) {
            double noise = 0.0;
            if (!field_.noise.empty()) {
                const double time = std::min(length_, memory_of(i % n));
                noise =
                    gain * (i < n ? length_ * field_.noise[i] + time * time * field_.noise[n + i]
                                  : time * field_.noise[i]);
            }
            if (!jitter_.empty()) noise += gain * jitter_[i];
            const double size = std::abs(values[i]);
            out[i] = 1.0 /
                     (std::max(0.5 * tolerance_, rounding_floor) * size + 0.5 * tolerance_ + noise);
            if (!std::isfinite(out[i])) return -1;
        }
        return 0;
    }
    /// Every projection is only as good as rounding lets it be, however short the step: velocities
    /// of 1 m/s on a circle of 1 m at 1e8 m turn by 1e-8 m/s with the last place of the positions.
    void look_at_jitter() {
        jitter_.clear();
        // Near a singular position the bounds are far above what rounding does.
        constexpr double weak = 0.01;
        if (projector_.factor().weakest() <= weak) return;
        std::vector<double> velocities;
        const State& state = state_at(now_, y_);
        projector_.rounding_across(state, false, jitter_);
        projector_.rounding_across(state, true, velocities);
        jitter_.insert(jitter_.end(), velocities.begin(), velocities.end());
    }
    static constexpr std::size_t steps_between_looks = 64;

    /// How long a velocity remembers an acceleration: something stiff forgets it at once.
    double memory_of(std::size_t i) const {
        if (!stiff_ || derivatives_.rows() != field_.n()) return INFINITY;
        const double rate =
            std::abs(derivatives_(i, field_.n() + i)) + std::sqrt(std::abs(derivatives_(i, i)));
        return 1.0 / rate;
    }

    static int slope(double t, N_Vector y, N_Vector y_dot, void* self) {
        return static_cast<Cvode*>(self)->slope_at(t, y, y_dot);
    }
    int slope_at(double t, N_Vector y, N_Vector y_dot) {
        const std::size_t n = field_.n();
        State& state = state_at(t, y);
        double* out = N_VGetArrayPointer(y_dot);
        const bool pulls = projects_ && !stiff_;
        const State raw = pulls ? state : State{};
        if (pulls && projector_.project(state) != Outcome::ok) return 1;
        std::copy(state.v.begin(), state.v.end(), out);
        if (!field_.acceleration(state, {out + n, n}))
            return 1;  // recoverable: a shorter step may do
        if (!pulls) return 0;
        for (std::size_t i = 0; i < n; ++i) {
            out[i] += pull_ * (state.q[i] - raw.q[i]);
            out[n + i] += pull_ * (state.v[i] - raw.v[i]);
        }
        return 0;
    }

    static int jacobian(double t, N_Vector y, N_Vector, SUNMatrix J, void* self, N_Vector, N_Vector,
                        N_Vector) {
        return static_cast<Cvode*>(self)->jacobian_at(t, y, J);
    }
    int jacobian_at(double t, N_Vector y, SUNMatrix J) {
        const std::size_t n = field_.n();
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
    void resist(const State& state) {
        double h = 0.0;
        CVodeGetCurrentStep(memory_, &h);
        own_resistance(field_, state, resistance_);
        projector_.added_mass.resize(field_.n());
        for (std::size_t i = 0; i < field_.n(); ++i) {
            const double added = h * (resistance_.damping[i] + h * resistance_.stiffness[i]);
            projector_.added_mass[i] = std::isfinite(added) ? std::max(0.0, added) : 0.0;
        }
    }

    /// correction: what brings y back to the constraints. The error estimate loses its part across
    /// them in the same way.
    static int projection(double t, N_Vector y, N_Vector correction, double, N_Vector error,
                          void* self) {
        return static_cast<Cvode*>(self)->project_at(t, y, correction, error);
    }
    int project_at(double t, N_Vector y, N_Vector correction, N_Vector error) {
        if (!projects_) {
            N_VConst(0.0, correction);
            if (error) remove_stiff_part(error);
            return 0;
        }
        const std::size_t n = field_.n();
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
    void remove_across(N_Vector error) {
        const std::size_t n = field_.n();
        double* e = N_VGetArrayPointer(error);
        for (double* part : {e, e + n}) projector_.remove_across({part, n}, part != e);
    }

    /// What a step gets wrong along a stiff spring is taken back within it, and yet the estimate
    /// for the velocity there is far above all that matters to the motion. (I − γJ)⁻¹, which
    /// Newton's method has factored, takes this part away and leaves what is not stiff (Hairer,
    /// Wanner: Solving ODEs II, IV.8).
    void remove_stiff_part(N_Vector error) {
        if (SUNLinSolSolve(linear_, matrix_, scratch_, error, 0.0) == 0)
            N_VScale(1.0, scratch_, error);
    }

    bool stiff_, projects_;
    DenseField& field_;
    double tolerance_;
    DenseProjector projector_;
    SUNContext context_ = nullptr;
    N_Vector y_ = nullptr, scratch_ = nullptr, last_ = nullptr, within_ = nullptr;
    void* memory_ = nullptr;
    SUNMatrix matrix_ = nullptr;
    SUNLinearSolver linear_ = nullptr;
    SUNNonlinearSolver nonlinear_ = nullptr;
    State state_, next_state_;
    Clock origin_, next_time_;
    Matrix derivatives_;
    Resistance resistance_;
    std::vector<double> jitter_;  // of y where it is projected (2n), by rounding; or empty
    double now_ = 0.0, before_ = 0.0;
    double far_ = 0.0;        // a time of CVODE's at which the step ends at the latest
    double stop_ = 0.0;       // the same, as CVODE is told
    bool is_cut_ = false;     // it has ended there
    double last_step_ = 0.0;  // of CVODE's own since the last beginning
    // From its polynomial to the begin of the last step (2n); empty: not asked for yet.
    mutable std::vector<double> gap_;
    double whole_ = 0.0;  // the last step, wherever it is made to end
    std::size_t steps_ = 0;
    double pull_ = 0.0;        // 1/s
    double first_step_ = 0.0;  // of the last beginning
    long fails_ = 0;
    double until_ = INFINITY;  // a time of CVODE's up to which a retaken step was asked to go
    bool restart_ = true;
    bool advanced_ = false;  // since the last `begin`
};

}  // namespace

std::unique_ptr<Method> make_cvode(bool stiff, DenseField& field, const MethodOptions& options,
                                   bool projects) {
    return std::make_unique<Cvode>(stiff, field, options, projects);
}

}  // namespace lacon::methods
