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

/// The orders of a series, one after the other: `gather(k)` adds up the right-hand sides of order k
/// from the orders below, `solve(k)` solves them with the matrices of order 0, `keep(k)` makes the
/// next orders of q and q' of what was found. False where `gather` or `keep` gives false.
template <class Gather, class Solve, class Keep>
bool each_order(std::size_t order, const Gather& gather, const Solve& solve, const Keep& keep) {
    for (std::size_t k = 0; k < order; ++k) {
        if (!gather(k)) return false;
        solve(k);
        if (!keep(k)) return false;
    }
    return true;
}

/// A row that is used at its own order looks ahead: with order k of the accelerations goes order
/// k + 2 of φ where it is about positions, k + 1 where it is about velocities.
inline std::size_t orders_ahead(Level level) {
    return level == Level::position ? 2 : 1;
}
/// `run(order, unknown)` computes an order of φ: those that are known now, then the one ahead, with
/// zero in place of its unknown leading term.
template <class Run>
void look_ahead(std::size_t k, std::size_t ahead, const Run& run) {
    for (std::size_t order = k == 0 ? 0 : k + ahead - 1; order < k + ahead; ++order)
        run(order, false);
    run(k + ahead, true);
}
/// By which φ of that order is divided in its leading term, A₀ a_k: q'' = a is q of order k + 2 and
/// q' of order k + 1.
inline double leading_factor(std::size_t ahead, std::size_t k) {
    const auto k1 = static_cast<double>(k + 1);
    return ahead == 2 ? k1 * (k1 + 1.0) : k1;
}

/// Whether an entry belongs to M or A, which are those of order 0.
inline bool is_of_matrix(Entry::Target target) {
    return target == Entry::Target::mass || target == Entry::Target::mass_single ||
           target == Entry::Target::row;
}

}  // namespace lacon::methods
