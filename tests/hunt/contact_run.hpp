// A run with contacts, and its check against the oracle's motion.
#pragma once

#include "hunt/case.hpp"
#include "hunt/contact_follow.hpp"
#include "lacon/motion.hpp"

/// A run of the engine with contacts, and what its rows and events must obey.
namespace hunt {

struct ContactRun {
    lacon::Status status;
    std::string refused;  // the model itself was
    bool slow = false;
    std::size_t steps = 0;
    std::vector<Point> rows;
    std::vector<Reals> a;           // q'' of each row
    std::vector<Reals> multiplier;  // of each row and constraint
    std::vector<ContactEvent> events;
    double lost = 0.0, gained = 0.0;  // energy
    std::vector<double> scale_q, scale_v;
};

/// The model with columns of multipliers and accelerations, run at a tolerance.
ContactRun run_contacts(const Case& one, double tolerance);

/// Events in an order that does not depend on rounding: those of one moment by kind and name. What
/// a contact does in the moment in which it closes is left out: it is part of the closing.
std::vector<ContactEvent> in_order(std::vector<ContactEvent> events);
/// What differs between two such lists; empty where nothing does. Times may be off by `within`;
/// only the first `most` count.
std::string difference(const std::vector<ContactEvent>& found,
                       const std::vector<ContactEvent>& expected, double within, std::size_t most);

/// The laws of contact, friction, energy and momentum at every row.
Verdict check_laws(const Case& one, const ContactRun& run);

}  // namespace hunt
