// Who takes the next step: the method of the run, or one that stands in for it.
#pragma once

#include "driver/backend/guard.hpp"
#include "driver/plan/choose.hpp"
#include "driver/step/limits.hpp"

namespace lacon::inline driver {

/// Who takes the next step: the method of the run, or one that stands in for it where it cannot:
/// Taylor steps over singular positions and around near misses of them, a Runge–Kutta method where
/// there is no Taylor series, an implicit one where a mode begins stiff.
class Steppers {
public:
    Steppers(RunContext& run, StepLimits& limits) : run_(run), limits_(limits) {}

    /// The method of the run; its tolerance is the method's own where none is given.
    void choose_method(const MethodChoice& choice);
    const MethodTraits& traits() const { return *traits_; }
    /// Makes it; to be called when its equations are compiled.
    void make_method();
    /// The mode begins stiff: an implicit method leads on until it is no more. `still`: as
    /// MethodOptions::still.
    void begin_stiff(std::vector<std::vector<double>> still, std::vector<double> rate);

    Method& method() const { return *method_; }
    Method& now() const { return *now_; }
    bool is_usual() const { return now_ == method_.get(); }
    bool is_passing() const { return passer_ && now_ == passer_.get(); }
    bool is_resolving() const { return resolver_ && now_ == resolver_.get(); }
    bool begins_stiff() const { return begins_stiff_; }
    bool is_resumable() const;
    /// The last step of who has taken it.
    StepPath path() const {
        return {[method = now_](double tau, State& out) { method->at(tau, out); }, now_->length()};
    }

    /// Who takes the step that begins at the base.
    void choose(SingularGuard& guard);
    /// Finds a step of at most `limit`, whoever can.
    bool advance(double limit);
    /// Takes the stand for the next step where this one ends; it still knows this one.
    bool prepare(const Clock& time, bool fresh);
    /// The step lands where there is no series, and is right to its end: another one goes on.
    bool lacks_series(double tau);

    bool take_passer();
    bool take_resolver(double limit);
    bool take_backup(const Base& base);

    std::size_t rejected() const { return method_ ? method_->rejected : 0; }

private:
    bool leads_out(double limit);

    RunContext& run_;
    StepLimits& limits_;
    const MethodTraits* traits_ = nullptr;
    std::unique_ptr<Method> method_;    // of the run
    std::unique_ptr<Method> passer_;    // Taylor steps over singular positions
    std::unique_ptr<Method> resolver_;  // Taylor steps around a near miss of a singular position
    std::unique_ptr<Method> backup_;    // where a Taylor series does not exist
    std::unique_ptr<Method> starter_;   // where a mode begins stiff
    Method* now_ = nullptr;             // the one of them in use
    bool lacks_series_ = false;  // at the end of the last step: the next one is another method's
    bool begins_stiff_ = false;  // the mode, and it is still so
};

}  // namespace lacon::driver
