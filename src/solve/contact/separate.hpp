// Splits a contact problem into parts that share no coordinate, and puts their solutions together.
#pragma once

#include <vector>

#include "lacon/contact.hpp"

namespace lacon::solving::inline contact {

/// What acts on each other by the masses, the two-sided rows, the contacts and the frictions. The
/// numbers are those of the whole, increasing.
struct Part {
    std::vector<std::size_t> coordinates, two_sided, one_sided, frictions;
};

/// All coordinates that no contact and no friction concerns are one part.
std::vector<Part> parts_of(const ContactProblem& problem);

/// A part as a problem of its own.
class PartProblem {
public:
    PartProblem(const ContactProblem& whole, const Part& part);

    ContactProblem problem() const;
    /// What is known of the whole, for this part; none where it does not fit.
    const ContactSolution* warm(const ContactSolution* whole);

private:
    const Part& part_;
    Matrix M_, A_, N_;
    std::vector<double> Q_, b_, d_, weight_A_, weight_N_;
    std::vector<ContactFriction> friction_;
    ContactSolution warm_;
};

/// As `solve`, for impulses: Q is a momentum, and bodies whose velocities M⁻¹ Q meet their rows as
/// they are keep them.
ContactSolution solve_impulses(const ContactProblem& problem, const SolveOptions& options);

/// The solution of the whole from those of its parts: the first that has none decides.
class Joint {
public:
    explicit Joint(const ContactProblem& whole);
    void take(const Part& part, ContactSolution solution);
    ContactSolution solution;
};

}  // namespace lacon::solving::contact
