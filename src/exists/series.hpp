// Verified Taylor coefficients of the motion, for steps by verified boxes.
#pragma once

#include <vector>

#include "exists/bordered.hpp"
#include "expr/series.hpp"
#include "interval/jet.hpp"
#include "interval/matrix.hpp"
#include "solve/verified/verified.hpp"

namespace lacon::inline existence {

/// Taylor coefficients of the motion over a box of states, with every rounding outward (theory 7,
/// last): of each order k
///     K₀ z_k = r_k − Σ_{0<j≤k} K_j z_{k−j},   v_{k+1} = z_k/(k+1),   q_{k+1} = v_k/(k+1),
/// K and r as in BoxField.
class BoxSeries {
public:
    BoxSeries(const DerivedModel& details, const std::vector<std::size_t>& rows);

    /// x_k of x = (q, q') (2n) for k = 0 … order, of the motions through all states (x, t); empty
    /// where something may be undefined, not smooth, or the rows dependent. As Jet with the
    /// derivatives by x, that is, by the inputs whose rates are set.
    template <class T>
    std::vector<std::vector<T>> coefficients(const std::vector<T>& x, const T& t,
                                             std::size_t order);

private:
    template <class T>
    struct Work;

    Bordered system_;
    std::vector<SeriesProgram> programs_;  // of the shapes
    VerifiedFactor factor_;
};

}  // namespace lacon::existence
