// The friction problem after elimination of M and A: loads as functions of the contact forces f.
#pragma once

#include <vector>

#include "solve/contact/reduced/report.hpp"
#include "solve/contact/reduced/space.hpp"

namespace lacon::solving::inline contact {

/// A contact problem with friction, eliminated, and what its loads depend on: |constant + slope f|,
/// which is linear in f along a given direction.
struct FrictionProblem {
    FrictionProblem(const ContactProblem& problem, const ContactSpace& eliminated);

    const ContactProblem& given;
    const ContactSpace& space;
    NormalRows normals;
    std::vector<VectorX> constant;  // of each friction (d); d is 1 for one-sided loads
    std::vector<MatrixX> slope;     // (d × h)
    std::vector<bool> load_unique;  // not so where rows of A that press depend on others

    std::size_t count() const { return given.friction.size(); }
    const ContactFriction& friction(std::size_t k) const { return given.friction[k]; }
    bool is_one_sided(std::size_t k) const { return given.friction[k].one_sided.has_value(); }
    bool is_fixed(std::size_t k) const { return given.friction[k].fixed; }
    Index row(std::size_t k) const { return static_cast<Index>(*given.friction[k].one_sided); }
    bool slides(std::size_t k) const {
        return !given.friction[k].direction.empty();
    }  ///< with a direction that is given
    /// Begins to slip in a direction that only the motion tells.
    bool is_free(std::size_t k) const {
        return !slides(k) && space.dimension(k) > 1 && given.friction[k].kinetic > 0.0;
    }

    MatrixX slip_columns(std::size_t k) const {
        return space.P.middleCols(space.first[k], space.dimension(k));
    }
    VectorX slip_rate(std::size_t k, const VectorX& y) const;
    double rate_size(std::size_t k, const VectorX& y) const;  ///< what its rounding comes from
    VectorX load_vector(std::size_t k, const VectorX& f) const {
        return constant[k] + slope[k] * f;
    }
    double load(std::size_t k, const VectorX& f) const;
    double largest_push(
        const VectorX& f) const;  ///< the largest force, each by the length of its row
};

}  // namespace lacon::solving::contact
