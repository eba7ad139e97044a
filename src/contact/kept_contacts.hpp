// Contacts without friction at one state after another: what was decided last is tried again.
#pragma once

#include <span>
#include <vector>

#include "contact/modes.hpp"
#include "mechanics/numbers/assemble.hpp"
#include "solve/dense/constrained/steady_solve.hpp"

namespace lacon::inline contact {

/// Solves M q'' = Q + Aᵀ λ with the contacts closed that were closed before, and checks whether
/// that is the answer of the law of contact here too: pressing forces, gaps that do not close. With
/// independent rows there is no other one. Everything else, also a close case, is for `Contacts`.
/// For mechanisms without friction, nonideal forces and controls. `whole` must outlive it.
class KeptContacts {
public:
    explicit KeptContacts(const DerivedModel& whole) : whole_(whole) {}

    /// Takes what has been decided at a state: of each row of the model.
    void keep(std::span<const ContactState> states);
    void forget() { is_known_ = false; }

    /// At a state with these equations and residuals of all rows. False where it is not clear.
    /// Allocates nothing as long as the same contacts are closed.
    bool run(const State& state, const Equations& equations, const Residuals& residuals,
             const SolveOptions& options);
    std::span<const double> acceleration() const { return steady_.acceleration(); }  // (n)
    std::span<const double> multipliers() const { return multipliers_; }             // of all rows
    std::size_t rank() const { return steady_.rank(); }

private:
    bool are_where_they_were(const State& state, const Residuals& residuals);
    bool holds(const Equations& equations) const;

    const DerivedModel& whole_;
    bool is_known_ = false;
    std::vector<std::size_t> rows_;       // in force
    std::vector<bool> works_;             // of each row: it is one of them
    std::vector<std::size_t> separates_;  // one-sided rows that touch and are not
    Matrix A_;
    std::vector<double> b_, weight_, multipliers_;
    solving::SteadySolve steady_;
};

}  // namespace lacon::contact
