// A trial costs some ten microseconds here, and a hundred where it is solved and judged with care.
#include "solve/contact/friction/screen.hpp"

#include <Eigen/LU>
#include <cmath>

namespace lacon::solving::inline contact {

namespace {

constexpr double clearly = 1e-6;  // beside the largest force or rate: what is judged with care
                                  // is rounding of 1e-10 at most
constexpr double nearly_singular = 1e-7;  // pivots: then forces may be shared, or are inexact

}  // namespace

Screen::Screen(const FrictionProblem& problem, const Island& island)
    : problem_(problem), island_(island) {
    const ContactSpace& space = problem.space;
    for (const std::size_t k : island.frictions)
        is_usable_ = is_usable_ && problem.is_one_sided(k) && space.dimension(k) == 1;
    const std::vector<Index> rows = island.rows(space);
    length_ = space.length(rows);
    is_usable_ = is_usable_ && length_.size() > 0 && length_.minCoeff() > 0.0;
    if (!is_usable_) return;
    const MatrixX P = space.P(Eigen::all, rows) * length_.cwiseInverse().asDiagonal();
    gram_ = P.transpose() * P;
    g_ = space.g(rows).cwiseQuotient(length_);
    place_.assign(static_cast<std::size_t>(space.count()), -1);
    for (std::size_t i = 0; i < rows.size(); ++i)
        place_[static_cast<std::size_t>(rows[i])] = static_cast<Index>(i);
}

Screen::Forces Screen::forces_of(const Trial& trial) const {
    const ContactSpace& space = problem_.space;
    Forces forces{MatrixX::Zero(g_.size(), g_.size()), {}};
    std::vector<Index> column(static_cast<std::size_t>(space.normals), -1);
    for (const Index i : island_.normals) {
        if (!trial.closed[static_cast<std::size_t>(i)]) continue;
        const Index place = place_[static_cast<std::size_t>(i)];
        column[static_cast<std::size_t>(i)] = static_cast<Index>(forces.members.size());
        forces.E(place, column[static_cast<std::size_t>(i)]) = 1.0;
        forces.members.push_back(place);
    }
    for (const std::size_t k : island_.frictions) {
        const auto row = static_cast<std::size_t>(problem_.row(k));
        if (!trial.closed[row]) continue;
        const Index place = place_[static_cast<std::size_t>(space.first[k])];
        if (trial.friction_states[k] == FrictionState::sticks) {
            forces.E(place, static_cast<Index>(forces.members.size())) = 1.0;
            forces.members.push_back(place);
            continue;
        }
        const ContactFriction& friction = problem_.friction(k);
        const double per_load = friction.kinetic * friction.scale * trial.direction[k](0);
        forces.E(place, column[row]) -= per_load * length_(place) / length_(place_[row]);
    }
    forces.E.conservativeResize(Eigen::NoChange, static_cast<Index>(forces.members.size()));
    return forces;
}

bool Screen::keeps_law(const Trial& trial, const VectorX& f) const {
    const ContactSpace& space = problem_.space;
    const VectorX rate = gram_ * f - g_;
    const double force = clearly * f.cwiseAbs().maxCoeff();
    const double speed = clearly * (g_.cwiseAbs().maxCoeff() + f.cwiseAbs().sum());
    for (const Index i : island_.normals) {
        const Index place = place_[static_cast<std::size_t>(i)];
        const bool closed = trial.closed[static_cast<std::size_t>(i)];
        if (closed ? f(place) < -force : rate(place) < -speed) return false;
    }
    for (const std::size_t k : island_.frictions) {
        const auto row = static_cast<std::size_t>(problem_.row(k));
        if (!trial.closed[row]) continue;
        const Index place = place_[static_cast<std::size_t>(space.first[k])];
        const ContactFriction& friction = problem_.friction(k);
        const double per_load =
            friction.at_rest * friction.scale * length_(place) / length_(place_[row]);
        if (trial.friction_states[k] == FrictionState::sticks) {
            if (std::abs(f(place)) > per_load * f(place_[row]) + force * (1.0 + per_load))
                return false;
        } else if (!problem_.slides(k) && rate(place) * trial.direction[k](0) < -speed) {
            return false;
        }
    }
    return true;
}

bool Screen::is_plausible(const Trial& trial) const {
    if (!is_usable_) return true;
    const Forces forces = forces_of(trial);
    VectorX f = VectorX::Zero(g_.size());
    if (!forces.members.empty()) {
        const MatrixX answer = gram_(forces.members, Eigen::all) * forces.E;
        const Eigen::PartialPivLU<MatrixX> lu(answer);
        const VectorX pivots = lu.matrixLU().diagonal().cwiseAbs();
        if (!(pivots.minCoeff() > nearly_singular * pivots.maxCoeff())) return true;
        f = forces.E * lu.solve(g_(forces.members));
    }
    return keeps_law(trial, f);
}

}  // namespace lacon::solving::contact
