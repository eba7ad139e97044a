// Precomputed lists of how the entries of the matrix to be eliminated follow from M and A.
#pragma once

#include <span>
#include <vector>

#include "solve/sparse/tree.hpp"

namespace lacon::solving::inline sparse {

/// How the entries of the matrix that is eliminated come about: entry e = base[source[e]] + Σ of
/// its terms, each a short dot product of two runs of `factor`. One list of numbers, computed once
/// for a pattern.
struct Assembly {
    struct Term {
        Place a, b, length;  // Σ factor[a + k] factor[b + k], k < length
    };
    std::vector<Place> source;      // of base, or `nowhere`; empty: no entry has one
    std::vector<Place> first_term;  // (entries + 1); empty: no entry has terms
    std::vector<Term> terms;
    Place run = 0;  // the length of every term, 0 where they differ

    /// T: double, or Twofold for products without rounding.
    template <class T>
    void evaluate(std::span<const double> base, std::span<const double> factor,
                  std::span<T> out) const;
    /// Between two factors x and y, without a base: dot products ½ Σ (x_a y_b + y_a x_b).
    template <class T>
    void evaluate_between(std::span<const double> x, std::span<const double> y,
                          std::span<T> out) const;
    /// Entries in another order: the new entry e is the old one from[e].
    void reorder(const std::vector<Place>& from);
    void finish();  // finds `run`
};

}  // namespace lacon::solving::sparse
