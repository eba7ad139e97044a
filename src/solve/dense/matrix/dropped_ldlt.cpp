// S = L D Lᵀ with dropped pivots: with S⁻ from it, q'' = a + M⁻¹ Aᵀ S⁻ (b − A a), S = A M⁻¹ Aᵀ, is
// P1 5a for any g-inverse S⁻.
#include "solve/dense/matrix/dropped_ldlt.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::solving::inline dense {

DroppedLdlt factor_dropping(std::span<const double> S, std::size_t m) {
    DroppedLdlt f;
    factor_dropping(S, m, f);
    return f;
}

void factor_dropping(std::span<const double> S, std::size_t m, DroppedLdlt& f) {
    f.m = m;
    f.L.assign(m * m, 0.0);
    f.pivots.assign(m, 0.0);
    f.inverse.assign(m, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
        double* row = f.L.data() + i * m;  // first L_ij d_j, then L_ij
        double pivot = S[i * m + i];
        for (std::size_t j = 0; j < i; ++j) {
            const double* other = f.L.data() + j * m;
            double sum = S[i * m + j];
            for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
            row[j] = f.inverse[j] == 0.0 ? 0.0 : sum;
        }
        for (std::size_t j = 0; j < i; ++j) {
            const double l = row[j] * f.inverse[j];
            pivot -= l * row[j];
            row[j] = l;
        }
        f.pivots[i] = pivot;
        f.inverse[i] = pivot > DroppedLdlt::drop_tol ? 1.0 / pivot : 0.0;
    }
}

std::size_t DroppedLdlt::rank() const {
    return m - static_cast<std::size_t>(std::count(inverse.begin(), inverse.end(), 0.0));
}

bool DroppedLdlt::clear() const {
    return std::none_of(pivots.begin(), pivots.end(), [](double pivot) {
        return std::abs(pivot) > drop_tol / clearance && pivot < drop_tol * clearance;
    });
}

void DroppedLdlt::solve(std::span<double> r) const {
    for (std::size_t i = 0; i < m; ++i) {
        if (inverse[i] == 0.0) {
            r[i] = 0.0;
            continue;
        }
        for (std::size_t k = 0; k < i; ++k) r[i] -= L[i * m + k] * r[k];
    }
    for (std::size_t i = 0; i < m; ++i) r[i] *= inverse[i];
    for (std::size_t i = m; i-- > 0;) {
        if (inverse[i] == 0.0) continue;
        for (std::size_t k = 0; k < i; ++k) r[k] -= L[i * m + k] * r[i];
    }
}

}  // namespace lacon::solving::dense
