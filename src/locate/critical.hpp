// Tells a singular position from a near miss, at the critical point of the constraints nearby.
#pragma once

#include <optional>

#include "methods/field.hpp"
#include "solve/dense/rank/critical.hpp"

namespace lacon::inline locate {

/// What constraints on positions do near a place where a direction of them seems to vanish. At the
/// critical point nearby, where uᵀ ∂φ/∂(q, t) = 0 for the weak directions u and the others are met,
/// uᵀ φ is zero where the constraints are singular. The motion then goes straight on. Where uᵀ φ is
/// not zero the constraints form two branches that do not touch, and the motion turns from one
/// course to the other, within about √|uᵀ φ|. Near the critical point uᵀ φ depends on errors of the
/// place by their squares only, so it is known to the rounding of φ.
struct Critical {
    enum class Kind {
        unknown,    ///< no such point found: constraints on velocities, or a touch of higher order
        singular,   ///< uᵀ φ is within its rounding of zero
        missed,     ///< it is not, clearly
        undecided,  ///< it is not, but rounding would decide on which side of it the computed
                    ///< motion passes
    };
    Kind kind = Kind::unknown;
    double gap = 0.0;       // |uᵀ φ| of the direction that misses by most
    double rounding = 0.0;  // of it
    double reciprocal_condition =
        0.0;         // the smallest singular value of the motion there, relative to the largest
    double t = 0.0;  // of the critical point
    std::vector<std::size_t> rows;  // with a part in the directions

    /// Below this many roundings a gap that is not zero cannot be followed.
    static constexpr double clear = 16.0;
};

class CriticalSearch {
public:
    explicit CriticalSearch(DenseField& field);

    /// `near`: a state near the place, `base`: where the step began, tau before it.
    Critical look(const State& near, const State& base, double tau);

private:
    /// A place to search from; `limit`: the reciprocal condition below which directions vanish
    /// together.
    struct From {
        const State& near;
        double tau = 0.0, speed = 0.0;
        std::size_t rank = 0;
        double limit = 0.0;
    };
    Critical search(const From& from);
    void take_bounds(const State& state);
    double least_rounding(const State& state);
    bool depends_on_time(const State& state, double tau);
    void take_place(const State& state);
    void second_derivatives(const State& state, double tau);
    Critical judge(double reciprocal_condition) const;

    DenseField& field_;
    std::vector<std::size_t> rows_;  // on positions, without `stabilize`
    bool timed_ = false;             // whether φ depends on time
    Equations equations_;
    Residuals residuals_;
    ConstrainedFactor factor_;
    CriticalRows critical_;
    Matrix A_, all_, later_;
    std::vector<double> phi_, rate_, bounds_;
    std::vector<Matrix> second_;
};

}  // namespace lacon::locate
