// The system as CVODE sees it: slopes, error weights, Jacobian and projection of y = (q, q').
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "methods/cvode_objects.hpp"
#include "methods/jacobian.hpp"
#include "methods/method.hpp"

namespace lacon::inline methods {

/// What CVODE asks of the equations, and what the size of an error is. Times are CVODE's, which
/// count from `origin`. `cvode`, `field` and `length` must outlive it.
class CvodeSystem {
public:
    struct Kind {
        bool is_stiff, projects;
        double tolerance;
    };
    /// `length`: of the last step, as the method has it.
    CvodeSystem(const Kind& kind, DenseField& field, CvodeObjects& cvode, const double& length)
        : kind_(kind), field_(field), cvode_(cvode), length_(length), projector_(field, true) {
        state_.q.resize(field.n());
        state_.v.resize(field.n());
    }

    Clock origin;
    double pull = 0.0;  // 1/s, back to the constraints, of Adams

    bool is_stiff() const { return kind_.is_stiff; }
    /// Whether CVODE's own projection is used: free motion too has the error estimate by it.
    bool uses_projection() const { return kind_.is_stiff && (kind_.projects || field_.m() == 0); }
    bool projects() const { return kind_.projects; }
    const std::vector<double>& added_mass() const { return projector_.added_mass; }

    void put(const State& state, N_Vector y) const;
    void take(N_Vector y, State& state) const;

    // As CVODE asks for them: 0 where all is well, above 0 where a shorter step may do.
    int slope(double t, N_Vector y, N_Vector y_dot);
    int weights(N_Vector y, N_Vector weight) const;
    int jacobian(double t, N_Vector y, SUNMatrix J);
    int project(double t, N_Vector y, N_Vector correction, N_Vector error);

    /// The length of a first step from a state, by values; none where there are no slopes.
    /// Overwrites scratch and last.
    std::optional<double> first_step(N_Vector y);
    /// The size of an error of a step that has been taken, along the constraints, over the
    /// tolerance. Both overwrite scratch.
    double over_tolerance(N_Vector error);
    void remove_stiff_part(N_Vector error);
    /// h (p' − f(t, p)) of CVODE's polynomial p, over the tolerance; infinite where there is no f.
    /// Overwrites within and scratch.
    double left_inside(double t, double h, double allowed);
    /// What rounding does to projections at a state counts in the weights from here on, and no
    /// more.
    void look_at_jitter(double t, N_Vector y);
    void forget_jitter() { jitter_.clear(); }
    std::span<const double> jitter() const { return jitter_; }

private:
    std::size_t n() const { return field_.n(); }
    State& state_at(double t, N_Vector y);
    bool bend_over(double time, const std::vector<double>& begin, const std::vector<double>& slope,
                   double& bend);
    bool corrected(double t, const std::vector<double>& rest);
    void remove_across(N_Vector error);
    void resist(const State& state);
    double memory_of(std::size_t i) const;
    double jitter_in(std::size_t i) const;

    Kind kind_;
    DenseField& field_;
    CvodeObjects& cvode_;
    const double& length_;
    DenseProjector projector_;
    State state_;
    Matrix derivatives_;
    Resistance resistance_;
    std::vector<double> jitter_;  // of y where it is projected (2n), by rounding; or empty
};

}  // namespace lacon::methods
