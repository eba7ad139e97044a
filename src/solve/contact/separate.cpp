// Bodies that do not touch each other have nothing to do with each other: what their contacts do is
// found part by part, which costs far less than all at once.
#include "solve/contact/separate.hpp"

#include <algorithm>
#include <numeric>

#include "solve/dense/matrix/joined.hpp"

namespace lacon::solving::inline contact {

namespace {

constexpr std::size_t none = ~std::size_t{0};

/// Coordinates that rows join.
class JoinedCoordinates : public Joined {
public:
    using Joined::join;
    using Joined::Joined;
    /// Joins those that a row is about to `first` (or each other); the first of all, or `none`.
    std::size_t join_row(std::span<const double> row, std::size_t first = none) {
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (row[j] == 0.0) continue;
            if (first == none) first = j;
            join(j, first);
        }
        return first;
    }
    std::size_t join_rows(const MatrixView& rows, std::size_t first = none) {
        for (std::size_t i = 0; i < rows.rows(); ++i) first = join_row(rows.row(i), first);
        return first;
    }
};

std::vector<double> picked(std::span<const double> values, const std::vector<std::size_t>& which) {
    std::vector<double> result;
    if (values.empty()) return result;
    for (const std::size_t i : which) result.push_back(values[i]);
    return result;
}

Matrix picked(const MatrixView& matrix, const std::vector<std::size_t>& rows,
              const std::vector<std::size_t>& columns) {
    Matrix result(rows.size(), columns.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) result(i, j) = matrix(rows[i], columns[j]);
    return result;
}

std::size_t place_in(const std::vector<std::size_t>& list, std::size_t one) {
    return static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), one) - list.begin());
}

}  // namespace

std::vector<Part> parts_of(const ContactProblem& problem) {
    const std::size_t n = problem.M.rows();
    JoinedCoordinates joined(n);
    for (std::size_t i = 0; i < n; ++i) joined.join_row(problem.M.row(i), i);
    // Of each row and friction a coordinate that it is about; rows of zeros are about none.
    std::vector<std::size_t> two_sided, one_sided, frictions;
    for (std::size_t i = 0; i < problem.A.rows(); ++i)
        two_sided.push_back(joined.join_row(problem.A.row(i)));
    for (std::size_t i = 0; i < problem.N.rows(); ++i)
        one_sided.push_back(joined.join_row(problem.N.row(i)));
    for (const ContactFriction& friction : problem.friction) {
        std::size_t first = joined.join_rows(friction.W);
        if (friction.one_sided) first = joined.join_row(problem.N.row(*friction.one_sided), first);
        for (const std::size_t row : friction.two_sided)
            first = joined.join_row(problem.A.row(row), first);
        frictions.push_back(first);
    }
    std::vector<std::size_t> number(n, none);
    std::vector<Part> parts;
    const auto concerned = [&](const std::vector<std::size_t>& about) {
        for (const std::size_t j : about)
            if (j != none && number[joined.root(j)] == none) {
                number[joined.root(j)] = parts.size();
                parts.emplace_back();
            }
    };
    concerned(one_sided);
    concerned(frictions);
    const std::size_t free = parts.size();
    parts.emplace_back();
    const auto part_of = [&](std::size_t j) -> Part& {
        const std::size_t which = j == none ? none : number[joined.root(j)];
        return parts[which == none ? free : which];
    };
    for (std::size_t j = 0; j < n; ++j) part_of(j).coordinates.push_back(j);
    for (std::size_t i = 0; i < two_sided.size(); ++i) part_of(two_sided[i]).two_sided.push_back(i);
    for (std::size_t i = 0; i < one_sided.size(); ++i) part_of(one_sided[i]).one_sided.push_back(i);
    for (std::size_t k = 0; k < frictions.size(); ++k) part_of(frictions[k]).frictions.push_back(k);
    const Part& last = parts.back();
    if (last.coordinates.empty() && last.two_sided.empty() && last.one_sided.empty() &&
        last.frictions.empty())
        parts.pop_back();
    return parts;
}

PartProblem::PartProblem(const ContactProblem& whole, const Part& part)
    : part_(part),
      M_(picked(whole.M, part.coordinates, part.coordinates)),
      A_(picked(whole.A, part.two_sided, part.coordinates)),
      N_(picked(whole.N, part.one_sided, part.coordinates)),
      Q_(picked(whole.Q, part.coordinates)),
      b_(picked(whole.b, part.two_sided)),
      d_(picked(whole.d, part.one_sided)),
      weight_A_(picked(whole.weight_A, part.two_sided)),
      weight_N_(picked(whole.weight_N, part.one_sided)) {
    for (const std::size_t k : part.frictions) {
        ContactFriction friction = whole.friction[k];
        std::vector<std::size_t> all(friction.W.rows());
        std::iota(all.begin(), all.end(), std::size_t{0});
        friction.W = picked(friction.W, all, part.coordinates);
        if (friction.one_sided) friction.one_sided = place_in(part.one_sided, *friction.one_sided);
        for (std::size_t& row : friction.two_sided) row = place_in(part.two_sided, row);
        friction_.push_back(std::move(friction));
    }
}

ContactProblem PartProblem::problem() const {
    return {M_, Q_, A_, b_, N_, d_, friction_, weight_A_, weight_N_};
}

const ContactSolution* PartProblem::warm(const ContactSolution* whole) {
    if (!whole) return nullptr;
    for (const std::size_t i : part_.one_sided) {
        if (i >= whole->contact_states.size()) return nullptr;
        warm_.contact_states.push_back(whole->contact_states[i]);
    }
    for (const std::size_t k : part_.frictions) {
        if (k >= whole->friction_states.size() || k >= whole->direction.size()) return nullptr;
        warm_.friction_states.push_back(whole->friction_states[k]);
        warm_.direction.push_back(whole->direction[k]);
    }
    return &warm_;
}

Joint::Joint(const ContactProblem& whole) {
    solution.x.resize(whole.M.rows());
    solution.multipliers.resize(whole.A.rows());
    solution.forces.resize(whole.N.rows());
    solution.contact_states.resize(whole.N.rows(), ContactSolution::ContactState::open);
    const std::size_t count = whole.friction.size();
    solution.friction.resize(count);
    solution.friction_states.resize(count, ContactSolution::FrictionState::none);
    solution.direction.resize(count);
    solution.friction_rows.resize(count);
}

void Joint::take(const Part& part, ContactSolution of) {
    if (of.outcome != Outcome::ok) {
        const bool rows = of.outcome == Outcome::conflict;
        for (std::size_t& one : of.concerned) one = (rows ? part.one_sided : part.frictions)[one];
        solution = std::move(of);
        return;
    }
    for (std::size_t j = 0; j < part.coordinates.size(); ++j)
        solution.x[part.coordinates[j]] = of.x[j];
    for (std::size_t i = 0; i < part.two_sided.size(); ++i)
        solution.multipliers[part.two_sided[i]] = of.multipliers[i];
    for (std::size_t i = 0; i < part.one_sided.size(); ++i) {
        solution.forces[part.one_sided[i]] = of.forces[i];
        solution.contact_states[part.one_sided[i]] = of.contact_states[i];
    }
    for (std::size_t i = 0; i < part.frictions.size(); ++i) {
        const std::size_t k = part.frictions[i];
        solution.friction[k] = std::move(of.friction[i]);
        solution.friction_states[k] = of.friction_states[i];
        solution.direction[k] = std::move(of.direction[i]);
        solution.friction_rows[k] = std::move(of.friction_rows[i]);
    }
    solution.forces_unique = solution.forces_unique && of.forces_unique;
    ContactSolution::Certificate& worst = solution.certificate;
    worst.primal = std::max(worst.primal, of.certificate.primal);
    worst.dual = std::max(worst.dual, of.certificate.dual);
    worst.complementarity = std::max(worst.complementarity, of.certificate.complementarity);
}

}  // namespace lacon::solving::contact
