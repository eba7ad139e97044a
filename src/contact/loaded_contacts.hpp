// Contacts together with `nonideal` forces that depend on their loads (theory 4.5).
#pragma once

#include <functional>
#include <vector>

#include "lacon/contact.hpp"

namespace lacon::inline contact {

/// Contacts under forces c that depend on the forces of constraints, by `nonideal` statements: λ =
/// F(λ), with F(λ) the multipliers that the contacts answer c(λ) with. F is linear but for signs,
/// for what is closed and for what slips, so Newton's method with slopes by differences ends after
/// a step from the right side of all of them.
struct LoadedContacts {
    std::function<ContactSolution(const std::vector<double>&)> solve;        // under c(λ)
    std::function<std::vector<double>(const ContactSolution&)> multipliers;  // λ of all rows
    std::vector<std::size_t> rows;                                           // that c depends on
    std::vector<int> side;  // of each of them: 0 where it may pull and push

    struct Answer {
        ContactSolution solution;
        std::vector<double> multipliers;
    };
    /// All that are found from loads of every sign (of up to six rows), small and large. Where
    /// there are none: what the contacts say without the loads, if that is not `ok`.
    std::vector<Answer> all(ContactSolution& without) const;

private:
    std::optional<Answer> from(std::vector<double> guess) const;
    bool slopes(const std::vector<double>& at, const std::vector<double>& value, Matrix& J) const;
    std::vector<std::vector<double>> starts(const std::vector<double>& size) const;
};

}  // namespace lacon::contact
