// The constrained solve as code:  M x = Q + Aᵀ λ,  A x = b  (P1 5a, theory 2.1), by elimination
// without pivoting. Each check becomes a number in the code; where one fails, the caller uses the
// careful solve.
#pragma once

#include <vector>

#include "kernel/articulated.hpp"

namespace lacon::kernel {

/// A constrained problem whose numbers are not known yet:  M x = Q + Aᵀ λ,  A x = b,  all
/// row-major.
struct Problem {
    std::size_t n = 0, m = 0;
    std::vector<Value> M, Q, A, b;
    /// (m) A row with A M⁻¹ Aᵀ below this counts as nearly vanished, and is not `fine`; nor is one
    /// above Bounds::light times this, where M is not constant.
    std::vector<Value> floor;
    /// Bodies whose entries are not in M: beside what these make, M has only diagonal entries in
    /// their coordinates. Nor is in Q what they add to it.
    std::vector<BodyTree> trees;
    /// W, by row, or empty: then M + AᵀWA is eliminated instead of M. It has the same constrained
    /// motion and is definite where [M; A] has full rank (theory 7), also if M is not. Without
    /// trees.
    std::vector<double> weight;
};

/// What is decided on the host, once.
struct Elimination {
    std::vector<std::size_t> coordinates;  // order in which M is eliminated (n)
    std::vector<std::size_t> rows;         // order of the rows that are kept
    /// Rows that depend on the kept ones; checked at every evaluation.
    std::vector<std::size_t> dropped;
    bool refined = true;  // A x = b is refined once; else it must come out right by itself
    double clear = 0.0;   // pivots of S below this part of the diagonal are not `fine`
    /// For states beside those that meet the constraints, of rows that depend on each other only
    /// there (methods/lasting_rank.hpp): the dropped ones need not quite be in the span of the
    /// others. What a step comes to is to be judged where it ends.
    bool beside = false;
};
/// An order that leaves few entries (smallest degree first), and rows dropped as told.
Elimination choose_elimination(const Problem& problem, const std::vector<bool>& is_dependent,
                               bool refined);

/// Where the checks of a solution have their limits, here as in loops (dense.hpp).
struct Bounds {
    Bounds(std::size_t m, const Elimination& e, double rank_tol);

    double definite;  // pivots of M this much below its diagonal are for the careful path to judge
    double wide;      // kept rows must be clearly independent: pivots of S beside its diagonal
    /// Dropped rows must be clearly dependent: the square of what is left of them, beside their
    /// size.
    double narrow;
    /// What may be left of A x = b. A refinement leaves about the square of what was left before
    /// it.
    double met;
    double met_dropped = 1e-10;
    /// Rows that are so much longer (in squares) than the floor: where M is not constant a light
    /// direction may have come up in it. Floors are 1e-16 of the rows at the start.
    double light = 1e22;
};

struct Solved {
    std::vector<Value> x, lambda;  // (n), (m); 0 for dropped rows
    Value fine;                    // 1 where every check holds, else 0 and x must not be used
};

/// Symmetric, as L D Lᵀ with unit L; indices are places in the elimination order.
struct Ldl {
    std::size_t n = 0;
    std::vector<Value> L;  // (n × n), strictly lower
    std::vector<Value> pivot, inverse;

    const Value& l(std::size_t i, std::size_t j) const { return L[i * n + j]; }
};

/// M and S = A M⁻¹ Aᵀ as L D Lᵀ without pivoting.
class Factored {
public:
    Factored(const Problem& problem, Elimination elimination, double rank_tol);

    /// Q of the problem, or with the same trees of bodies, whose share is added to it.
    /// x, with one refinement of A x = b where that is wanted, and checks: pivots of M and S clear
    /// of the rank tolerance, dropped rows still in the span of the others, the constraints met.
    Solved solve(const std::vector<Value>& Q, const std::vector<Value>& b) const;
    /// Without the check that the kept rows are met: S is positive definite, and with pivots well
    /// clear of zero (Elimination::clear) the elimination cannot but meet them. Where that is
    /// refined, it is checked all the same.
    Solved solve_clear(const std::vector<Value>& Q, const std::vector<Value>& b) const;
    /// The same without the checks, and without what the trees add to Q.
    Solved solve_unchecked(const std::vector<Value>& Q, const std::vector<Value>& b) const;
    /// The checks that need no right-hand side.
    const Value& regular() const { return regular_; }
    /// The squares of the lengths of the kept rows in the metric of M⁻¹.
    const std::vector<Value>& sizes() const { return size_; }
    /// Whether no singular position lies between here and where the rows were `before` (an A): the
    /// determinant of A_before M⁻¹ Aᵀ over the kept rows is the sum of the products of all their
    /// minors, which all change sign there. 1 where its pivots are positive.
    Value continues(const std::vector<Value>& before) const;
    /// The same in another code: every number is replaced by what `move` makes of it.
    template <class Move>
    Factored moved(const Move& move) const {
        Factored result = *this;
        for (auto* values : {&result.A_, &result.floor_, &result.mass_.L, &result.mass_.pivot,
                             &result.mass_.inverse, &result.S_.L, &result.S_.pivot,
                             &result.S_.inverse, &result.size_})
            for (Value& value : *values) value = move(value);
        for (auto* rows : {&result.W_, &result.Wd_})
            for (auto& row : *rows)
                for (Value& value : row) value = move(value);
        for (Articulated& tree : result.trees_) tree.change(move);
        result.regular_ = move(regular_);
        return result;
    }

private:
    struct Attempt;
    Attempt attempt(const std::vector<Value>& Q, const std::vector<Value>& b, bool own) const;
    Solved checked(const Attempt& attempt, const std::vector<Value>& b, bool residuals) const;
    void factor_mass(const Problem& problem);
    std::vector<Value> with_weights(std::vector<Value> Q, const std::vector<Value>& b) const;
    void factor_tree(const BodyTree& tree, const std::vector<Value>& M);
    void forward_mass(std::vector<Value>& x, bool own = false) const;
    void backward_mass(std::vector<Value>& x) const;
    void make_rows();
    void check_rows();
    std::vector<Value> reduced(std::vector<Value> row) const;
    std::vector<Value> permuted(const std::vector<Value>& x) const;
    std::vector<Value> multipliers(std::vector<Value> right) const;
    void push(std::vector<Value>& y, const std::vector<Value>& lambda) const;
    std::vector<Value> acceleration(std::vector<Value> y) const;
    std::vector<Value> missing(const std::vector<Value>& x, const std::vector<Value>& b,
                               const std::vector<std::size_t>& rows) const;
    Value met(const std::vector<Value>& rest, const std::vector<Value>& b,
              const std::vector<std::size_t>& rows, const Value& squares, double tolerance) const;
    void require(const Value& holds) { regular_ = when_both(regular_, holds); }

    std::size_t n_ = 0, m_ = 0;
    std::vector<Value> A_, floor_;
    std::vector<double> weight_;
    Elimination e_;
    Bounds bounds_;
    Ldl mass_, S_;                            // of M without the trees, but with their pivots
    std::vector<Articulated> trees_;          // over places in the elimination order
    std::vector<std::size_t> place_;          // of each coordinate there
    std::vector<std::vector<Value>> W_, Wd_;  // rows A L⁻ᵀ, and times D⁻¹ (m of n)
    std::vector<Value> size_;                 // diagonal of S
    Value regular_ = 1.0;
    bool constant_mass_ = true;
};

}  // namespace lacon::kernel
