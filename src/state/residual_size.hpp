// When a residual counts as zero.
#pragma once

#include <cmath>

#include "mechanics/numbers/assemble.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::inline state {

/// First-order bounds on the rounding errors of the residuals of all rows: every input known to
/// half a unit in its last place, every operation rounded once. Decisions go by values.
void residual_rounding(const DerivedModel& details, const State& state, Residuals& out);

/// How large a residual r is beside its own equation. With ρ, the bound on its rounding error, and
/// u, half a unit in the last place of 1, ρ/u is the size of the terms it is computed from. What
/// the values may move it by is Σ_j |A_ij| max(|x_j|, extent of x): at a place where the values are
/// huge, or a derivative is, that says nothing about the equation, so that both have to be small.
struct ResidualSize {
    double by_values = 0.0;  // |r| / Σ_j |A_ij| max(|x_j|, extent)
    double by_terms = 0.0;   // |r| u / ρ
    double size = 0.0;       // the larger; at most `met_tol` where r is no more than rounding

    // Residuals are a sum of products, right to 1e-16 times their number: 1e-11 leaves room for
    // 1e5.
    static constexpr double met_tol = 1e-11;
    bool is_met() const { return size <= met_tol; }
    /// `values`: Σ_j |A_ij| max(|x_j|, extent), 0 where nothing moves r; `zeros`: of it, what comes
    /// of values that are zero beside the extent.
    static ResidualSize of(double r, double rounding, double values, double zeros);
    static bool is_zero(double x, double extent) { return std::abs(x) <= 1e-12 * extent; }
};

}  // namespace lacon::state
