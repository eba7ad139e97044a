// Splits contacts into groups that can be searched one by one, with a sufficient condition for a
// unique motion.
#pragma once

#include <vector>

#include "solve/contact/reduced/loads.hpp"

namespace lacon::solving::inline contact {

/// Contacts that act on each other, by their rows or by their loads. What happens in one island
/// does not depend on the others.
struct Island {
    std::vector<Index> normals;
    std::vector<std::size_t> frictions;

    std::vector<Index> rows(const ContactSpace& space) const;  ///< of H
};

std::vector<Island> islands_of(const FrictionProblem& problem);

/// Whether friction is too weak to drive its own loads in an island, whatever its contacts do: then
/// one motion at most satisfies the law. With two motions, δ their difference, |δy|² = Σ δf δu +
/// δτ·δs, of which δf δu ≤ 0 and δτ·δs ≤ μ |δf| |δs|; and δf = D·δy with the dual basis D of the
/// columns of P, δs = P_Wᵀ δy. With w = ½ μ |D| |P_W| and the directions of both,
///     μ |δf| |δs| ≤ w ((D·δy)²/|D|² + |P_Wᵀ δy|²/|P_W|²):
/// one motion at most where the matrix of the sum of these squares has no eigenvalue of 1 or more.
/// Friction with a fixed bound has δτ·δs ≤ 0, and adds nothing.
/// Not known where rows depend on each other, where two-sided rows press, or where it takes more to
/// begin to slip than to go on.
bool has_weak_friction(const FrictionProblem& problem, const Island& island);

}  // namespace lacon::solving::contact
