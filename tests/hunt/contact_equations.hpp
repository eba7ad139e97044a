// The oracle's equations of motion with contacts, in 256 bits.
#pragma once

#include "hunt/contact_law.hpp"
#include "hunt/equations.hpp"

/// The equations of a model with contacts and friction at a state, as the oracle sees them.
///
///     M q'' = Q + Aᵀ λ + Σ N_i n_i + Σ T_i w_i,   A q'' = b   (rows without friction that are
///                                                 equations)
///
/// n_i is the row of contact i in A; w_i = ∂s_i/∂q' of its velocity of sliding s_i.
namespace hunt {

/// How each row of a model that is a contact, or rubs, is taken; of other rows it means nothing.
using FrictionModes = std::vector<Mode>;

class ContactEquations {
public:
    /// `push`: a constant generalized force beside the model's.
    explicit ContactEquations(const Model& model, Reals push = {});

    void evaluate(const Point& at, const Modes* modes = nullptr) { equations_.evaluate(at, modes); }
    Equations& equations() { return equations_; }
    const Equations& equations() const { return equations_; }
    const std::vector<std::size_t>& contacts() const { return contacts_; }  // their rows

    Real slip(std::size_t row) const { return equations_.extra(place_[row]); }
    Real slip_rest(std::size_t row) const {
        return equations_.extra(place_[row] + 1);
    }  // s' where q'' = 0
    Real press(std::size_t row) const { return equations_.extra(place_[row] + 2); }
    Real tangent(std::size_t row, std::size_t j) const {
        return equations_.extra(place_[row] + 3 + j);
    }

    /// The law for accelerations of these rows, or for velocities behind an impact; `moves` are the
    /// signs of sliding. Nothing where M and the equations do not determine the rest, or an
    /// equation may take any part of a load.
    std::optional<ContactLaw> law(const std::vector<std::size_t>& rows,
                                  const std::vector<int>& moves) const;
    std::optional<ContactLaw> impact(
        const std::vector<std::size_t>& rows, const Reals& v,
        const std::vector<bool>& settled = {}) const;  // without restitution
    /// q'' (or v⁺) of forces f that a law gave.
    Reals answer(const std::vector<std::size_t>& rows, const ContactAnswer& answer,
                 const Reals* v = nullptr) const;

    /// q'' and the forces of each row (multiplier, friction) in these modes.
    struct Solution {
        Reals a;
        std::vector<Real> multiplier, friction;  // (m)
    };
    std::optional<Solution> accelerate(const FrictionModes& grips,
                                       const std::vector<int>& sides) const;

private:
    struct Columns {
        Reals free;                  // what happens without contacts
        std::vector<Reals> of_unit;  // what forces of 1 do, 2 for each contact
    };
    std::optional<Columns> columns(const std::vector<std::size_t>& rows, const Reals* v) const;
    bool loads_are_unique(const std::vector<std::size_t>& rows) const;
    std::optional<ContactLaw> law_of(const std::vector<std::size_t>& rows, const Reals* v) const;
    Reals direction(std::size_t row, bool is_friction) const;
    Real Q(std::size_t i) const {
        return push_.empty() ? equations_.Q(i) : equations_.Q(i) + push_[i];
    }
    Reals free_right(const Reals* v) const;

    const Model& model_;
    Equations equations_;
    Reals push_;
    std::vector<std::size_t> contacts_, place_;
};

}  // namespace hunt
