// The oracle's M, Q, A, b of a model, by derivatives of its own.
#pragma once

#include <optional>

#include "hunt/model.hpp"
#include "hunt/tape.hpp"

/// Lagrange's equations with constraints as the oracle sees them: derived by its own rules, solved
/// by elimination with full pivoting of [M Aᵀ; A 0] in 256 bits.
namespace hunt {

/// Row-major.
struct Square {
    explicit Square(std::size_t size) : n(size), entries(size * size, Real(0.0)) {}
    Real& operator()(std::size_t i, std::size_t j) { return entries[i * n + j]; }
    const Real& operator()(std::size_t i, std::size_t j) const { return entries[i * n + j]; }
    std::size_t n;
    Reals entries;
};

/// x with K x = right, by elimination with full pivoting; `weakest` is the smallest pivot beside
/// the largest. Nothing where a pivot is below 1e-60 of the largest.
std::optional<Reals> solve(Square K, Reals right, double* weakest = nullptr);
/// Numbers of rows of the m × n matrix that are independent (pivots above 1e-30 of the largest of
/// rows of unit length).
std::vector<std::size_t> independent_rows(const std::vector<Reals>& rows);

/// Nodes of the formulas of M (n × n), Q (n), A (m × n), b, φ and φ' (m), T + V.
struct Derived {
    std::vector<int> M, Q, A, b, residual, rate;
    int energy = 0;
};
Derived derive(const Model& model);
/// Total time derivative with accelerations left out: Σ ∂f/∂q v + ∂f/∂t. (Where f has velocities,
/// what they add is A q''.)
Term rate_of(const Model& model, const Term& f);

class Equations {
public:
    /// With values of further nodes, for extra().
    explicit Equations(const Model& model, const std::vector<int>& extra = {});

    /// Everything at a state; with `modes` decisions are frozen.
    void evaluate(const Point& at, const Modes* modes = nullptr) { tape_.evaluate(at, modes); }
    Tape& tape() { return tape_; }
    std::size_t n() const { return n_; }
    std::size_t m() const { return m_; }

    const Real& M(std::size_t i, std::size_t j) const { return tape_[M_at(i, j)]; }
    const Real& Q(std::size_t i) const { return tape_[n_ * n_ + i]; }
    const Real& A(std::size_t r, std::size_t j) const { return tape_[A_at(r, j)]; }
    const Real& b(std::size_t r) const { return tape_[b_at(r)]; }
    const Real& residual(std::size_t r) const { return tape_[b_at(r) + m_]; }  // φ
    const Real& rate(std::size_t r) const {
        return tape_[b_at(r) + 2 * m_];
    }  // φ' at position level, φ at velocity level
    const Real& energy() const { return tape_[b_at(0) + 3 * m_]; }  // T + V
    const Real& narrow(std::size_t k) const { return tape_[b_at(0) + 3 * m_ + 1 + 2 * k]; }
    const Real& narrow_rate(std::size_t k) const { return tape_[b_at(0) + 3 * m_ + 2 + 2 * k]; }
    const Real& event(std::size_t k) const { return tape_[events_at_ + k]; }
    const Real& extra(std::size_t k) const { return tape_[extra_at_ + k]; }
    std::size_t M_at(std::size_t i, std::size_t j) const {
        return i * n_ + j;
    }  // numbers of outputs of the tape
    std::size_t Q_at(std::size_t i) const { return n_ * n_ + i; }
    std::size_t A_at(std::size_t r, std::size_t j) const { return n_ * n_ + n_ + r * n_ + j; }
    std::size_t b_at(std::size_t r) const { return n_ * n_ + n_ + m_ * n_ + r; }

    /// The rows of equality whose A is independent at the state last evaluated, or of those of one
    /// level only.
    std::vector<std::size_t> independent(int level = -1) const;
    /// [M Aᵀ; A 0] of these rows; the metric may be the unit matrix instead of M.
    Square kkt(const std::vector<std::size_t>& rows, bool unit_metric = false) const;
    /// q'' and the multipliers of these rows, at the state last evaluated: q'' (n), then −λ.
    std::optional<Reals> accelerate(const std::vector<std::size_t>& rows,
                                    double* weakest = nullptr) const;

private:
    std::vector<int> outputs_of(const Model& model);

    std::size_t n_ = 0, m_ = 0, events_at_ = 0, extra_at_ = 0;
    std::vector<int> levels_;
    std::vector<bool> one_sided_;
    Tape tape_;
};

}  // namespace hunt
