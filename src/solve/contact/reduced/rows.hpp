// The working set of the contact solver: a QR decomposition of independent columns.
#pragma once

#include <algorithm>
#include <vector>

#include "solve/dense/matrix/eigen_forms.hpp"

namespace lacon::solving::inline contact {

/// Independent columns of P (k × h), kept as P_set = Q R while single ones come and go. A column
/// depends on the set where its part off the set's span is at most `tol` of its length: P itself is
/// decomposed, so its condition is not squared.
class IndependentRows {
public:
    IndependentRows(const MatrixX& P, double tol);

    struct Parts {
        VectorX along;  // (members)
        VectorX off;    // (k)
        bool depends = false;
    };
    Parts parts(const VectorX& p) const;  ///< p = P_set along + off, off orthogonal to the set

    bool add(Index i);  ///< false, and nothing changes, where it depends
    void add(Index i, const Parts& parts);
    void remove(Index position);
    void clear();

    const std::vector<Index>& members() const { return members_; }
    bool has(Index i) const {
        return std::find(members_.begin(), members_.end(), i) != members_.end();
    }
    Index count() const { return static_cast<Index>(members_.size()); }

    VectorX onto(const VectorX& y) const;  ///< Qᵀ y
    MatrixX onto(const MatrixX& Y) const;  ///< Qᵀ Y
    VectorX reach(
        const VectorX& g) const;  ///< R⁻ᵀ g: what Qᵀ y has to be where P_setᵀ y = g (members)
    VectorX least_norm(const VectorX& g) const;  ///< the shortest y with P_setᵀ y = g
    VectorX forces(const VectorX& y) const;  ///< f (members) with P_set f = y, for y of their span

private:
    const MatrixX* P_;
    double tol_;
    MatrixX Q_, R_;  // the first count() columns are in use
    std::vector<Index> members_;
};

}  // namespace lacon::solving::contact
