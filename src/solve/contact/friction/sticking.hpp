// The forces of a trial that the motion does not fix, shared so that all cones hold.
#pragma once

#include "solve/contact/friction/flaws.hpp"
#include "solve/contact/reduced/share.hpp"

namespace lacon::solving::inline contact {

/// The forces that may be shared out anew: of closed rows that touch, each with the friction of
/// what slips under it, and of all that sticks.
class StickingShare {
public:
    StickingShare(const FrictionProblem& problem, const Trial& trial, const Balanced& balanced)
        : problem_(problem), trial_(trial), balanced_(balanced) {
        choose();
        build();
    }

    Judged run();

    const std::vector<Index>& rows() const { return rows_; }
    const std::vector<std::size_t>& stuck() const { return stuck_; }
    VectorX force_of(Index column) const { return E_.col(column); }

private:
    void choose();
    void build();
    ForceCone cone_of(std::size_t k, std::size_t choice) const;
    std::size_t choices(std::size_t k) const;
    Share first_that_holds(ShareProblem& share) const;
    void find_flaws(const VectorX& v, const ShareProblem& share, Judged& judged) const;

    const FrictionProblem& problem_;
    const Trial& trial_;
    const Balanced& balanced_;
    std::vector<Index> rows_;         // of H
    std::vector<Index> column_;       // of each row of H: its place among them, or −1
    std::vector<std::size_t> stuck_;  // frictions
    MatrixX E_;                       // (h × t)
    VectorX fixed_;                   // (h): forces that stay
    VectorX v_;                       // (t)
};

}  // namespace lacon::solving::contact
