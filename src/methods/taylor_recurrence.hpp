// The recurrence of the Taylor method, the same for interpreted, compiled and sparse systems.
#pragma once

#include "mechanics/system/system.hpp"

namespace lacon::inline methods {

/// What one varying entry of order k puts on the right-hand sides of (theory 7, last)
///     M₀ a_k − A₀ᵀ λ_k = Q_k − Σ_{j≥1} M_j a_{k−j} + Σ_{j≥1} A_jᵀ λ_{k−j},
///     A₀ a_k = b_k − Σ_{j≥1} A_j a_{k−j}.
/// A row that is used at its own order (SmoothShape::own_order) has φ of that order on the right
/// instead. Of an element's numbers, `terms` gives, as numbers, as lanes or as code:
///     term()            the entry's own order k,
///     acceleration(j)   Σ_{l≥1} (entry)_l (a_j)_{k−l},
///     multiplier()      Σ_{l≥1} (entry)_l λ_{k−l} of the element's row,
/// and takes to_force(i, sign, x), to_row(sign, x).
template <class Terms>
void add_order(const Entry& entry, bool own_order, Terms&& terms) {
    switch (entry.target) {
        case Entry::Target::mass:
        case Entry::Target::mass_single:
            terms.to_force(entry.i, -1, terms.acceleration(entry.j));
            if (entry.target == Entry::Target::mass && entry.i != entry.j)
                terms.to_force(entry.j, -1, terms.acceleration(entry.i));
            break;
        case Entry::Target::row:
            terms.to_force(entry.j, 1, terms.multiplier());
            if (!own_order) terms.to_row(-1, terms.acceleration(entry.j));
            break;
        case Entry::Target::force: terms.to_force(entry.i, 1, terms.term()); break;
        case Entry::Target::right: terms.to_row(1, terms.term()); break;
        default: break;
    }
}

/// Whether an entry belongs to M or A, which are those of order 0.
inline bool is_of_matrix(Entry::Target target) {
    return target == Entry::Target::mass || target == Entry::Target::mass_single ||
           target == Entry::Target::row;
}

}  // namespace lacon::methods
