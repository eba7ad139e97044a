// SUNDIALS CVODE (Hindmarsh et al. 2005) for y = (q, q'): backward differentiation with Newton's
// method, our Jacobian and our projection; Adams with functional iteration, on the projected field
// with a weak pull back to the constraints, since CVODE projects for backward differentiation only.
// Its time counts from the last restart, so that it keeps all its digits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "methods/cvode_system.hpp"
#include "methods/methods.hpp"
#include "solve/dense/matrix/square.hpp"

namespace lacon::inline methods {

namespace {

void ignore_messages(int, const char*, const char*, char*, void*) {}

}  // namespace

void CvodeObjects::create(bool stiff, const Calls& calls) {
    memory_ = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, context_);
    if (!memory_) throw std::bad_alloc();
    CVodeSetErrHandlerFn(memory_, ignore_messages, nullptr);
    CVodeInit(memory_, calls.slope, 0.0, y);
    CVodeSetUserData(memory_, calls.self);
    CVodeWFtolerances(memory_, calls.weights);
    CVodeSetMaxNumSteps(memory_, -1);
    if (!stiff) {
        nonlinear_ = SUNNonlinSol_FixedPoint(y, 0, context_);
        CVodeSetNonlinearSolver(memory_, nonlinear_);
        return;
    }
    matrix_ = SUNDenseMatrix(size_, size_, context_);
    linear_ = SUNLinSol_Dense(y, matrix_, context_);
    CVodeSetLinearSolver(memory_, linear_, matrix_);
    CVodeSetJacFn(memory_, calls.jacobian);
    // Stiff directions turn with the motion: with the Jacobian of some steps ago Newton's method
    // ends before it has converged along them, and what it leaves looks like an error of the steps
    // that follow.
    CVodeSetLSetupFrequency(memory_, 1);
    CVodeSetJacEvalFrequency(memory_, 1);
    if (calls.projection) CVodeSetProjFn(memory_, calls.projection);
}

void CvodeObjects::forget() {
    if (memory_) CVodeFree(&memory_);
    if (linear_) SUNLinSolFree(linear_);
    if (matrix_) SUNMatDestroy(matrix_);
    if (nonlinear_) SUNNonlinSolFree(nonlinear_);
    memory_ = nullptr;
    linear_ = nullptr;
    matrix_ = nullptr;
    nonlinear_ = nullptr;
}

namespace {

/// The steps of CVODE as those of a method: where one ends, when it begins anew, and what is asked
/// of it inside.
class Cvode : public Method {
public:
    Cvode(bool stiff, DenseField& field, const MethodOptions& options, bool projects)
        : field_(field),
          cvode_(2 * field.n()),
          system_({stiff, projects && field.m() > 0, options.tolerance}, field, cvode_, length_) {}

    bool begin(const Base& base, bool fresh) override {
        // The method goes on from its own history, unless the step was cut or it is time to begin
        // anew.
        const bool cut = fresh || std::abs(base.time.since(system_.origin) - now_) >
                                      1e-12 * std::max(std::abs(now_), length_);
        restart_ = cut || since_.steps >= steps_before_restart;
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
            system_.origin = next_time_;
            now_ = 0.0;
            since_.steps = 0;
            system_.pull = 0.0;
            since_.fails = 0;
            since_.last_step = 0.0;
            system_.forget_jitter();
            system_.put(next_state_, cvode_.y);
            create();
            const std::optional<double> first = system_.first_step(cvode_.y);
            if (!first) return false;
            since_.first_step = *first;
            CVodeSetInitStep(cvode_.memory(), since_.first_step);
            restart_ = false;
        }
        limit = std::min(limit, until_ - now_);
        before_ = now_;
        N_VScale(1.0, cvode_.y, cvode_.last);
        far_ = now_ + limit;
        if (!take_step()) return false;
        length_ = whole_ = is_cut_ ? limit : now_ - before_;
        if (is_cut_) system_.origin = system_.origin.after(far_ - now_);  // rounding of the time
        ++since_.steps;
        gap_.clear();
        if (system_.projects() && since_.steps % steps_between_looks == 1)
            system_.look_at_jitter(now_, cvode_.y);
        // How fast the constraints pull: much slower than the steps, and the same for long, since a
        // change would look like an error.
        if (since_.steps % 100 == 20)
            CVodeGetLastStep(cvode_.memory(), &system_.pull), system_.pull = 0.05 / system_.pull;
        // (Along a stiff spring bdf refuses steps whose error it takes back.)
        if (count_rejected() > 0 && !system_.is_stiff()) learn_noise(now_ - before_);
        return true;
    }

    void at(double tau, State& out) const override {
        if (tau >= whole_) {  // CVODE does not tell what is beyond
            system_.take(cvode_.y, out);
            return;
        }
        // CVODE's time has lost the last digits of tau: they are made up for by the slope.
        const double t = std::min(before_ + tau, now_), part = t - before_,
                     lost = (before_ - (t - part)) + (tau - part);
        CVodeGetDky(cvode_.memory(), t, 0, cvode_.scratch);
        system_.take(cvode_.scratch, out);
        if (lost != 0.0) {
            CVodeGetDky(cvode_.memory(), t, 1, cvode_.scratch);
            for (std::size_t i = 0; i < field_.n(); ++i) {
                out.q[i] += lost * N_VGetArrayPointer(cvode_.scratch)[i];
                out.v[i] += lost * N_VGetArrayPointer(cvode_.scratch)[field_.n() + i];
            }
        }
        join_last_step(tau, out);
    }

    bool can_retake() const override { return true; }
    std::size_t adaptive_order() const override { return 5; }
    const std::vector<double>& added_mass() const override { return system_.added_mass(); }
    std::span<const double> jitter() const override {
        return system_.is_stiff() ? system_.jitter() : std::span<const double>();
    }
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
            const int outcome =
                CVode(cvode_.memory(), now_ + no_stop, cvode_.y, &now_, CV_ONE_STEP);
            is_cut_ = outcome == CV_TSTOP_RETURN || now_ >= far_;
            if (is_too_long(outcome) && beginnings++ < most_beginnings) {
                const double shorter = learn_noise(since_.first_step) ? 1.0 : 1e-2;
                begin_anew(shorter * since_.first_step);
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
        double next = since_.first_step;
        if (since_.steps > 0 && is_cut_) CVodeGetLastStep(cvode_.memory(), &next);
        else if (since_.steps > 0) CVodeGetCurrentStep(cvode_.memory(), &next);
        const double end = now_ + next;
        constexpr double units = 64.0 * std::numeric_limits<double>::epsilon();
        const double rounding = units * std::max(std::abs(system_.origin.now()), now_);
        const double stop = std::abs(end - far_) <= rounding ? end
                            : end > far_ || is_cut_          ? far_
                                                             : now_ + no_stop;
        CVodeSetStopTime(cvode_.memory(), stop);
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
        const double h = now_ - before_, last = since_.last_step;
        if (!(h > 0.0)) return 1.0;
        since_.last_step = h;
        CVodeGetEstLocalErrors(cvode_.memory(), cvode_.within);
        if (system_.is_stiff()) system_.remove_stiff_part(cvode_.within);
        const double difference = system_.over_tolerance(cvode_.within);
        const bool is_telling = difference > hardly;
        if (is_telling && !is_cut_ && h <= as_long * last) return 1.0;
        // Of smooth motions, what the equations leave of a step inside (by h) is below 5
        // tolerances, of stiff ones below 20, and far less where the difference at the end is.
        const double allowed = is_telling ? 100.0 : 10.0;
        constexpr double places[] = {0.3819660112501051, 0.7071067811865476};  // 2 − Φ, 1/√2
        double most = 0.0;
        for (const double place : places) {
            const double left = system_.left_inside(before_ + place * h, h, allowed);
            if (!(left <= most)) most = left;
            if (is_telling) break;
        }
        if (most <= allowed) return 1.0;
        // A beginning has an error of the second order.
        return std::isfinite(most) ? std::clamp(1.0 / std::sqrt(most), 1e-3, 0.25) : 1e-2;
    }
    /// CVODE's polynomial misses the begin of its step by some of the tolerance: what turned at the
    /// end of the last step would seem not yet to have. The difference fades out towards the end.
    void join_last_step(double tau, State& out) const {
        const std::size_t n = field_.n();
        if (gap_.empty()) {
            gap_.resize(2 * n);
            CVodeGetDky(cvode_.memory(), before_, 0, cvode_.scratch);
            for (std::size_t i = 0; i < 2 * n; ++i)
                gap_[i] =
                    N_VGetArrayPointer(cvode_.last)[i] - N_VGetArrayPointer(cvode_.scratch)[i];
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

    static constexpr std::size_t steps_between_looks = 8;

    void create() {
        cvode_.forget();
        CvodeObjects::Calls calls{slope, weights, jacobian, nullptr, &system_};
        if (system_.uses_projection()) calls.projection = projection;
        cvode_.create(system_.is_stiff(), calls);
    }
    static CvodeSystem& system_of(void* self) { return *static_cast<CvodeSystem*>(self); }
    static int slope(double t, N_Vector y, N_Vector y_dot, void* self) {
        return system_of(self).slope(t, y, y_dot);
    }
    static int weights(N_Vector y, N_Vector weight, void* self) {
        return system_of(self).weights(y, weight);
    }
    static int jacobian(double t, N_Vector y, N_Vector, SUNMatrix J, void* self, N_Vector, N_Vector,
                        N_Vector) {
        return system_of(self).jacobian(t, y, J);
    }
    static int projection(double t, N_Vector y, N_Vector correction, double, N_Vector error,
                          void* self) {
        return system_of(self).project(t, y, correction, error);
    }

    std::size_t count_rejected() {
        long fails = 0;
        CVodeGetNumErrTestFails(cvode_.memory(), &fails);
        const auto more = static_cast<std::size_t>(fails - since_.fails);
        rejected += more;
        since_.fails = fails;
        return more;
    }
    /// As Field::learns_noise, of a step of this length from where the last one began.
    bool learn_noise(double length) {
        if (!field_.noise_asked) return false;
        State from = next_state_;
        system_.take(cvode_.last, from);
        from.t = system_.origin.after(before_).now();
        State to = from;
        to.t += length;
        for (std::size_t i = 0; i < to.q.size(); ++i) to.q[i] += length * to.v[i];
        return field_.learns_noise(from, to);
    }
    static bool is_too_long(int outcome) {
        return outcome == CV_ERR_FAILURE || outcome == CV_CONV_FAILURE || outcome == CV_TOO_CLOSE ||
               outcome == CV_RHSFUNC_FAIL || outcome == CV_REPTD_RHSFUNC_ERR ||
               outcome == CV_PROJFUNC_FAIL || outcome == CV_REPTD_PROJFUNC_ERR;
    }
    /// At the end of the last step, without history.
    void begin_anew(double first_step) {
        count_rejected();
        N_VScale(1.0, cvode_.last, cvode_.y);
        system_.origin = system_.origin.after(before_);
        far_ -= before_;
        until_ -= before_;
        now_ = before_ = 0.0;
        since_.steps = 0;
        system_.pull = 0.0;
        since_.fails = 0;
        since_.last_step = 0.0;
        create();
        since_.first_step = first_step;
        CVodeSetInitStep(cvode_.memory(), since_.first_step);
    }

    DenseField& field_;
    CvodeObjects cvode_;
    CvodeSystem system_;
    State next_state_;  // where the next step begins
    Clock next_time_;
    double now_ = 0.0, before_ = 0.0;
    double far_ = 0.0;     // a time of CVODE's at which the step ends at the latest
    bool is_cut_ = false;  // it has ended there
    double whole_ = 0.0;   // the last step, wherever it is made to end
    // From its polynomial to the begin of the last step (2n); empty: not asked for yet.
    mutable std::vector<double> gap_;
    struct {
        double first_step = 0.0;
        std::size_t steps = 0;
        double last_step = 0.0;  // of CVODE's own
        long fails = 0;
    } since_;                  // the last beginning
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
