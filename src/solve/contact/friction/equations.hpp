// The Newton iteration behind `balance` (trial.hpp). Free slip directions and loads with several
// components make the equations of a trial nonlinear.
#pragma once

#include "solve/contact/friction/trial.hpp"

namespace lacon::solving::inline contact {

/// Linear equations for z at a point (τ, ν, pressing) of the ones that are not.
class Equations {
public:
    Equations(const FrictionProblem& problem, Trial& trial, Balanced& balanced);

    bool is_linear() const { return linear_; }

    /// With `hold` the ν stay, else they follow from |τ| = kinetic · load. False where the
    /// equations are singular.
    bool step(bool hold);

    /// By how much a creeping step would change the ν, the largest logarithm; sets them so.
    double creep();

    /// Whether |τ| = kinetic · load, by the largest force, against the slip: ν > 0.
    bool meets_limits() const;
    void return_to_creeping();  ///< with the ν it left

    double change() const { return change_; }

private:
    struct Free {
        std::size_t k = 0;
        Index tau = 0, nu = 0, load = -1;  // unknowns; the load is none where it is an idle row's
        VectorX at;                        // τ
        double crept = 0.0;                // ν
    };

    void lay_out();
    Index load_unknown(std::size_t k) const;
    void assemble(bool hold, MatrixX& J, VectorX& right) const;
    void take(const VectorX& z);

    const FrictionProblem& problem_;
    Trial& trial_;
    Balanced& out_;
    std::vector<Free> free_;
    VectorX z_;
    double change_ = 0.0;
    bool linear_ = true;
};

/// J z = right with rows and columns scaled to a largest entry of 1, and one refinement; false
/// where J is singular.
bool solve_scaled(MatrixX J, const VectorX& right, VectorX& z);

}  // namespace lacon::solving::contact
