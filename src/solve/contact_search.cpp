// How many motions the law of friction allows.
#include "solve/contact_search.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace lacon::solving {

namespace {

constexpr double same_motion = 1e-8;     // of the length of y
constexpr std::size_t most_sliding = 6;  // contacts, of which all combinations are tried
constexpr std::size_t most_cases = 4096;

bool drives(const FrictionProblem& problem, std::size_t k) {
    return problem.slides(k) && problem.friction(k).kinetic > 0.0 &&
           (problem.slip_columns(k) * to_eigen(problem.friction(k).direction)).norm() > 0.0;
}

void add_if_new(std::vector<Settled>& motions, Settled motion) {
    for (const Settled& other : motions) {
        const VectorX& y = other.balanced.y;
        const double size = y.norm() + motion.balanced.y.norm();
        if ((y - motion.balanced.y).norm() <= same_motion * size) return;
    }
    motions.push_back(std::move(motion));
}

// Loads that answer each other by less than themselves: then N = |constant + slope f(N)| is a contraction.
bool is_contraction(const FrictionProblem& problem, const Settled& settled) {
    const Index count = static_cast<Index>(problem.count());
    MatrixX gain = MatrixX::Zero(count, count);
    for (std::size_t l = 0; l < problem.count(); ++l) {
        if (!drives(problem, l)) continue;
        VectorX force = VectorX::Zero(problem.space.count());
        force.segment(problem.space.first[l], problem.space.dimension(l)) =
            problem.friction(l).kinetic * to_eigen(problem.friction(l).direction);
        // What sticks holds against it: its forces answer as well.
        const VectorX held = -settled.balanced.set.parts(problem.space.P * force).along;
        for (Index j = 0; j < held.size(); ++j) force(settled.balanced.set.members()[j]) += held(j);
        for (std::size_t k = 0; k < problem.count(); ++k) {
            if (drives(problem, k)) gain(static_cast<Index>(k), static_cast<Index>(l)) = (problem.slope[k] * force).norm();
        }
    }
    return gain.rowwise().sum().maxCoeff() < 1.0 || gain.colwise().sum().maxCoeff() < 1.0;
}

// The answer of all one-sided rows to their forces with the friction of what slides, off the rows that stick: positive definite
// on what the forces can do, and nothing where they do nothing.
bool is_definite(const FrictionProblem& problem, const Settled& settled) {
    const ContactSpace& space = problem.space;
    MatrixX C = space.P.leftCols(space.normals);
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (!drives(problem, k)) continue;
        const ContactFriction& friction = problem.friction(k);
        C.col(problem.row(k)) -= friction.kinetic * friction.scale * (problem.slip_columns(k) * to_eigen(friction.direction));
    }
    MatrixX P = space.P.leftCols(space.normals);
    IndependentRows grips(space.P, space.rank_tol);
    for (const Index i : settled.balanced.set.members()) {
        if (i >= space.normals) grips.add(i);
    }
    for (Index j = 0; j < P.cols(); ++j) {
        P.col(j) = grips.parts(P.col(j)).off;
        C.col(j) = grips.parts(C.col(j)).off;
    }
    Eigen::ColPivHouseholderQR<MatrixX> qr(P.transpose());
    qr.setThreshold(space.rank_tol);
    const MatrixX basis = qr.householderQ() * MatrixX::Identity(P.cols(), P.cols());
    const Index rank = qr.rank();
    const MatrixX idle = C * basis.rightCols(P.cols() - rank);
    if (idle.size() > 0 && idle.cwiseAbs().maxCoeff() > same_motion * C.cwiseAbs().maxCoeff()) return false;
    const MatrixX answer = (P * basis.leftCols(rank)).transpose() * (C * basis.leftCols(rank));
    if (answer.size() == 0) return true;
    const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(answer + answer.transpose(), Eigen::EigenvaluesOnly);
    return eigen.eigenvalues()(0) > 1e-12 * eigen.eigenvalues().cwiseAbs().maxCoeff();
}

// A second direction in which a two-sided load may be found: opposite, or where its own friction presses it.
VectorX other_pressing(const FrictionProblem& problem, const Trial& trial, std::size_t k) {
    if (problem.constant[k].size() == 1) return -trial.pressing[k];
    if (problem.friction(k).direction.empty()) return -trial.pressing[k];
    const VectorX along =
        problem.slope[k].middleCols(problem.space.first[k], problem.space.dimension(k)) * to_eigen(problem.friction(k).direction);
    return along.norm() > 0.0 ? VectorX(-along.normalized()) : VectorX(-trial.pressing[k]);
}

/// One assumption that is varied: the number of its values, and how each is put.
struct Choice {
    enum class Of { normal, grip, pressing } of;
    std::size_t which;
    std::size_t values;
};

void put(const FrictionProblem& problem, const Trial& like, const Choice& choice, std::size_t value, Trial& trial) {
    const std::size_t k = choice.which;
    switch (choice.of) {
        case Choice::Of::normal: trial.closed[k] = value == 1; return;
        case Choice::Of::pressing: trial.pressing[k] = value == 0 ? like.pressing[k] : other_pressing(problem, like, k); return;
        case Choice::Of::grip: break;
    }
    trial.grip[k] = value == 0 ? Grip::sticks : Grip::slips;
    trial.resistance[k] = 0.0;
    if (value > 0) trial.direction[k] = (value == 1 ? 1.0 : -1.0) * VectorX::Unit(problem.space.dimension(k), 0);
}

std::vector<Choice> all_choices(const FrictionProblem& problem) {
    std::vector<Choice> choices;
    for (Index i = 0; i < problem.space.normals; ++i) choices.push_back({Choice::Of::normal, static_cast<std::size_t>(i), 2});
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (!problem.slides(k)) choices.push_back({Choice::Of::grip, k, problem.space.dimension(k) == 1 ? 3u : 2u});
        if (!problem.is_one_sided(k)) choices.push_back({Choice::Of::pressing, k, 2});
    }
    return choices;
}

std::size_t case_count(const std::vector<Choice>& choices) {
    std::size_t count = 1;
    for (const Choice& choice : choices) count = std::min(count * choice.values, most_cases + 1);
    return count;
}

Trial case_of(const FrictionProblem& problem, const Trial& like, const std::vector<Choice>& choices, std::size_t number) {
    Trial trial = like;
    for (const Choice& choice : choices) {
        put(problem, like, choice, number % choice.values, trial);
        number /= choice.values;
    }
    return trial;
}

bool sticks_more(const Settled& one, const Settled& other) {
    bool more = false;
    for (std::size_t k = 0; k < one.trial.grip.size(); ++k) {
        const bool here = one.trial.grip[k] == Grip::sticks, there = other.trial.grip[k] == Grip::sticks;
        if (there && !here) return false;
        more = more || (here && !there);
    }
    return more;
}

}  // namespace

bool is_surely_unique(const FrictionProblem& problem, const Settled& settled) {
    bool one_sided = false, two_sided = false;
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (!drives(problem, k)) continue;
        (problem.is_one_sided(k) ? one_sided : two_sided) = true;
    }
    if (!one_sided && !two_sided) return true;
    if (!two_sided) return is_definite(problem, settled);
    return problem.space.normals == 0 && is_contraction(problem, settled);
}

std::vector<Settled> other_motions(const FrictionProblem& problem, const Settled& settled) {
    std::vector<Choice> choices;
    Frozen frozen{std::vector<bool>(settled.trial.closed.size(), false), std::vector<bool>(problem.count(), false)};
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (!drives(problem, k)) continue;
        if (!problem.is_one_sided(k)) {
            choices.push_back({Choice::Of::pressing, k, 2});
            frozen.loads[k] = true;
        } else if (const auto row = static_cast<std::size_t>(problem.row(k)); !frozen.normals[row]) {
            choices.push_back({Choice::Of::normal, row, 2});
            frozen.normals[row] = true;
        }
    }
    std::vector<Settled> motions{settled};
    if (choices.size() > most_sliding) return motions;
    for (std::size_t number = 0; number < case_count(choices); ++number) {
        std::optional<Settled> found = settle(problem, case_of(problem, settled.trial, choices, number), 0, frozen);
        if (found) add_if_new(motions, std::move(*found));
    }
    return motions;
}

Enumeration try_all(const FrictionProblem& problem, const Trial& like) {
    const std::vector<Choice> choices = all_choices(problem);
    Enumeration result;
    if (case_count(choices) > most_cases) return result;
    result.complete = true;
    std::vector<Settled> found;
    for (std::size_t number = 0; number < case_count(choices); ++number) {
        std::optional<Settled> one = settled(problem, case_of(problem, like, choices, number));
        if (one) add_if_new(found, std::move(*one));
    }
    for (const Settled& one : found) {
        const auto dominates = [&](const Settled& other) { return sticks_more(other, one); };
        if (std::none_of(found.begin(), found.end(), dominates)) result.found.push_back(one);
    }
    return result;
}

std::vector<std::size_t> differing(const FrictionProblem& problem, const std::vector<Settled>& motions) {
    std::vector<std::size_t> frictions;
    for (std::size_t k = 0; k < problem.count(); ++k) {
        const auto tau = [&](const Settled& motion) {
            return VectorX(motion.judged.f.segment(problem.space.first[k], problem.space.dimension(k)));
        };
        const auto differs = [&](const Settled& motion) {
            const VectorX one = tau(motion), other = tau(motions.front());
            return (one - other).norm() > same_motion * (one.norm() + other.norm());
        };
        if (std::any_of(motions.begin(), motions.end(), differs)) frictions.push_back(k);
    }
    return frictions;
}

}  // namespace lacon::solving
