// How many motions the law of friction allows.
#include "solve/contact/friction/search.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "solve/contact/friction/screen.hpp"

namespace lacon::solving::inline contact {

namespace {

constexpr double same_motion = 1e-8;     // of the length of y
constexpr double same_rates = 1e-10;     // of the size of the rates: as rows that touch
constexpr std::size_t most_sliding = 6;  // contacts, of which all combinations are tried
// Five contacts at rest in the plane; where nothing else has found a motion, seven.
constexpr std::size_t most_cases = 1024, most_cases_at_last = 16384;

// Whether it slides with a force that depends on loads.
bool drives(const FrictionProblem& problem, std::size_t k) {
    return problem.slides(k) && !problem.is_fixed(k) && problem.friction(k).kinetic > 0.0 &&
           (problem.slip_columns(k) * to_eigen(problem.friction(k).direction)).norm() > 0.0;
}

// By the length of y, or, where that is rounding itself, by what the rates of the rows are rounded
// to.
bool is_same(const FrictionProblem& problem, const VectorX& one, const VectorX& other) {
    const double size = one.norm() + other.norm();
    if ((one - other).norm() <= same_motion * size) return true;
    const ContactSpace& space = problem.space;
    const VectorX apart = (space.P.transpose() * (one - other)).cwiseAbs();
    return ((space.size + size * space.length) * same_rates - apart).minCoeff() >= 0.0;
}

bool sticks(const FrictionProblem& problem, const Trial& trial, std::size_t k) {
    return trial.friction_states[k] == FrictionState::sticks && trial.touches(problem, k);
}

std::size_t count_sticking(const FrictionProblem& problem, const Trial& trial) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < problem.count(); ++k) count += sticks(problem, trial, k) ? 1u : 0u;
    return count;
}

// Of assumptions with the same motion the one in which most sticks: what is said to slip at no rate
// sticks as well.
void add_if_new(const FrictionProblem& problem, std::vector<Settled>& motions, Settled motion) {
    for (Settled& other : motions) {
        if (!is_same(problem, other.balanced.y, motion.balanced.y)) continue;
        if (count_sticking(problem, motion.trial) > count_sticking(problem, other.trial))
            other = std::move(motion);
        return;
    }
    motions.push_back(std::move(motion));
}

// Loads that answer each other by less than themselves: then N = |constant + slope f(N)| is a
// contraction.
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
            if (drives(problem, k))
                gain(static_cast<Index>(k), static_cast<Index>(l)) =
                    (problem.slope[k] * force).norm();
        }
    }
    return gain.rowwise().sum().maxCoeff() < 1.0 || gain.colwise().sum().maxCoeff() < 1.0;
}

// The answer of all one-sided rows to their forces with the friction of what slides, off the rows
// that stick: positive definite on what the forces can do, and nothing where they do nothing.
bool is_definite(const FrictionProblem& problem, const Settled& settled) {
    const ContactSpace& space = problem.space;
    MatrixX C = space.P.leftCols(space.normals);
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (!drives(problem, k)) continue;
        const ContactFriction& friction = problem.friction(k);
        C.col(problem.row(k)) -= friction.kinetic * friction.scale *
                                 (problem.slip_columns(k) * to_eigen(friction.direction));
    }
    MatrixX P = space.P.leftCols(space.normals);
    IndependentRows stuck(space.P, space.rank_tol);
    for (const Index i : settled.balanced.set.members()) {
        if (i >= space.normals) stuck.add(i);
    }
    for (Index j = 0; j < P.cols(); ++j) {
        P.col(j) = stuck.parts(P.col(j)).off;
        C.col(j) = stuck.parts(C.col(j)).off;
    }
    Eigen::ColPivHouseholderQR<MatrixX> qr(P.transpose());
    qr.setThreshold(space.rank_tol);
    const MatrixX basis = qr.householderQ() * MatrixX::Identity(P.cols(), P.cols());
    const Index rank = qr.rank();
    const MatrixX idle = C * basis.rightCols(P.cols() - rank);
    if (idle.size() > 0 && idle.cwiseAbs().maxCoeff() > same_motion * C.cwiseAbs().maxCoeff())
        return false;
    const MatrixX answer = (P * basis.leftCols(rank)).transpose() * (C * basis.leftCols(rank));
    if (answer.size() == 0) return true;
    const Eigen::SelfAdjointEigenSolver<MatrixX> eigen(answer + answer.transpose(),
                                                       Eigen::EigenvaluesOnly);
    // 1e-12 of the largest: definite by more than the rounding of the products.
    return eigen.eigenvalues()(0) > 1e-12 * eigen.eigenvalues().cwiseAbs().maxCoeff();
}

// A second direction in which a two-sided load may be found: opposite, or where its own friction
// presses it.
VectorX other_pressing(const FrictionProblem& problem, const Trial& trial, std::size_t k) {
    if (problem.constant[k].size() == 1) return -trial.pressing[k];
    if (problem.friction(k).direction.empty()) return -trial.pressing[k];
    const VectorX along =
        problem.slope[k].middleCols(problem.space.first[k], problem.space.dimension(k)) *
        to_eigen(problem.friction(k).direction);
    return along.norm() > 0.0 ? VectorX(-along.normalized()) : VectorX(-trial.pressing[k]);
}

/// One assumption that is varied: the number of its values, and how each is put.
struct Choice {
    enum class Of { normal, friction_states, pressing } of;
    std::size_t which;
    std::size_t values;
};

void put(const FrictionProblem& problem, const Trial& like, const Choice& choice, std::size_t value,
         Trial& trial) {
    const std::size_t k = choice.which;
    switch (choice.of) {
        case Choice::Of::normal: trial.closed[k] = value == 1; return;
        case Choice::Of::pressing:
            trial.pressing[k] = value == 0 ? like.pressing[k] : other_pressing(problem, like, k);
            return;
        case Choice::Of::friction_states: break;
    }
    trial.friction_states[k] = value == 0 ? FrictionState::sticks : FrictionState::slips;
    trial.resistance[k] = 0.0;
    if (value > 0)
        trial.direction[k] =
            (value == 1 ? 1.0 : -1.0) * VectorX::Unit(problem.space.dimension(k), 0);
}

/// The assumptions about an island: of a contact that is open, what would slip does not count.
class Cases {
public:
    Cases(const FrictionProblem& problem, const Island& island, const Trial& like,
          std::size_t most = most_cases)
        : problem_(problem), like_(like), screen_(problem, island) {
        for (const Index i : island.normals)
            choices_.push_back({Choice::Of::normal, static_cast<std::size_t>(i), 2});
        for (const std::size_t k : island.frictions) {
            if (!problem.slides(k))
                choices_.push_back(
                    {Choice::Of::friction_states, k, problem.space.dimension(k) == 1 ? 3u : 2u});
            if (!problem.is_one_sided(k) && !problem.is_fixed(k))
                choices_.push_back({Choice::Of::pressing, k, 2});
        }
        // With those that are left out: 6 instead of 4 a contact.
        const std::size_t few = most * 16;
        for (const Choice& choice : choices_) count_ = std::min(count_ * choice.values, few + 1);
        are_few_ = count_ <= few && distinct(island, most) <= most;
    }

    bool are_few() const { return are_few_; }

    /// Those without flaw whose motions differ from each other and from what is `found`, behind
    /// that.
    std::vector<Settled> motions(std::vector<Settled> found) const {
        Trial trial = like_;
        for (std::size_t number = 0; number < count_; ++number) {
            if (!take(number, trial) || !screen_.is_plausible(trial)) continue;
            std::optional<Settled> one = settled(problem_, trial);
            if (one) add_if_new(problem_, found, std::move(*one));
        }
        return found;
    }

private:
    std::size_t distinct(const Island& island, std::size_t most) const {
        std::vector<std::size_t> stuck(static_cast<std::size_t>(problem_.space.normals), 1);
        std::size_t count = 1;
        const auto multiply = [most](std::size_t& product, std::size_t by) {
            product = std::min(product * by, most + 1);
        };
        for (const Choice& choice : choices_) {
            const bool of_row =
                choice.of == Choice::Of::friction_states && problem_.is_one_sided(choice.which);
            if (of_row)
                multiply(stuck[static_cast<std::size_t>(problem_.row(choice.which))],
                         choice.values);
            else if (choice.of != Choice::Of::normal) multiply(count, choice.values);
        }
        for (const Index i : island.normals)
            multiply(count, stuck[static_cast<std::size_t>(i)] + 1);
        return count;
    }

    /// Puts the case of a number into a trial; false where that says no more than another one.
    bool take(std::size_t number, Trial& trial) const {
        for (const Choice& choice : choices_) {
            const std::size_t value = number % choice.values;
            if (choice.of == Choice::Of::friction_states && value > 0 &&
                !trial.touches(problem_, choice.which))
                return false;
            put(problem_, like_, choice, value, trial);
            number /= choice.values;
        }
        return true;
    }

    const FrictionProblem& problem_;
    const Trial& like_;
    Screen screen_;
    std::vector<Choice> choices_;
    std::size_t count_ = 1;
    bool are_few_ = true;
};

Island whole(const FrictionProblem& problem) {
    Island all;
    for (Index i = 0; i < problem.space.normals; ++i) all.normals.push_back(i);
    for (std::size_t k = 0; k < problem.count(); ++k) all.frictions.push_back(k);
    return all;
}

bool slides_somewhere(const FrictionProblem& problem, const Island& island) {
    return std::any_of(island.frictions.begin(), island.frictions.end(),
                       [&](std::size_t k) { return problem.slides(k); });
}

bool rests(const FrictionProblem& problem, const Island& island, const Trial& trial) {
    return !slides_somewhere(problem, island) &&
           std::all_of(island.normals.begin(), island.normals.end(),
                       [&](Index i) { return trial.closed[static_cast<std::size_t>(i)]; }) &&
           std::all_of(island.frictions.begin(), island.frictions.end(), [&](std::size_t k) {
               return trial.friction_states[k] == FrictionState::sticks;
           });
}

std::optional<Settled> rest_of(const FrictionProblem& problem, const Island& island,
                               const Trial& like) {
    if (slides_somewhere(problem, island)) return std::nullopt;
    Trial trial = like;
    for (const Index i : island.normals) trial.closed[static_cast<std::size_t>(i)] = true;
    for (const std::size_t k : island.frictions) trial.friction_states[k] = FrictionState::sticks;
    return settled(problem, std::move(trial));
}

// Rows that touch in a motion, pressed or not.
std::vector<bool> touching(const FrictionProblem& problem, const Settled& motion) {
    std::vector<bool> rows;
    for (Index i = 0; i < problem.space.normals; ++i)
        rows.push_back(problem.normals.touches(motion.balanced.y, i));
    return rows;
}

// Whether the same rows touch and press under what slides already.
bool slides_alike(const FrictionProblem& problem, const Settled& one, const Settled& other) {
    const std::vector<bool> here = touching(problem, one), there = touching(problem, other);
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (!problem.slides(k)) continue;
        const bool same = problem.is_one_sided(k)
                              ? here[static_cast<std::size_t>(problem.row(k))] ==
                                    there[static_cast<std::size_t>(problem.row(k))]
                              : one.trial.pressing[k].dot(other.trial.pressing[k]) > 0.0;
        if (!same) return false;
    }
    return true;
}

// Whether all that is at rest sticks in `one` and not in `other`; or nothing differs but what it
// takes more to start than to keep going, and that sticks.
bool sticks_more(const FrictionProblem& problem, const Settled& one, const Settled& other) {
    bool all_stick = true, differs = false;
    bool only_gains = touching(problem, one) == touching(problem, other);
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (problem.slides(k)) continue;
        const bool holds = sticks(problem, one.trial, k), held = sticks(problem, other.trial, k);
        all_stick = all_stick && holds;
        differs = differs || holds != held;
        const bool same =
            holds == held && (holds || one.trial.direction[k].dot(other.trial.direction[k]) > 0.0);
        only_gains = only_gains &&
                     (same || (holds && problem.friction(k).at_rest > problem.friction(k).kinetic));
    }
    return differs && (all_stick || only_gains);
}

// What rests in a motion: of each one-sided row and each two-sided friction whether nothing moves
// there. What slides already does not.
std::vector<bool> resting(const FrictionProblem& problem, const Settled& motion) {
    std::vector<bool> rests = touching(problem, motion);
    for (std::size_t k = 0; k < problem.count(); ++k) {
        const double rate = problem.slip_rate(k, motion.balanced.y).norm();
        const bool stays =
            !problem.slides(k) &&
            rate <= problem.space.consistency_tol * problem.rate_size(k, motion.balanced.y);
        if (problem.is_one_sided(k)) {
            const auto row = static_cast<std::size_t>(problem.row(k));
            rests[row] = rests[row] && stays;
        } else {
            rests.push_back(stays);
        }
    }
    return rests;
}

// Whether all that rests in `other` rests in `one`, and something else as well.
bool rests_more(const FrictionProblem& problem, const Settled& one, const Settled& other) {
    const std::vector<bool> here = resting(problem, one), there = resting(problem, other);
    for (std::size_t i = 0; i < here.size(); ++i)
        if (there[i] && !here[i]) return false;
    return here != there;
}

// Whether the law prefers `one`.
bool precedes(const FrictionProblem& problem, const Settled& one, const Settled& other) {
    return slides_alike(problem, one, other) &&
           (sticks_more(problem, one, other) || rests_more(problem, one, other));
}

std::vector<Settled> preferred(const FrictionProblem& problem,
                               const std::vector<Settled>& motions) {
    std::vector<Settled> left;
    for (const Settled& one : motions) {
        const auto beats = [&](const Settled& other) { return precedes(problem, other, one); };
        if (std::none_of(motions.begin(), motions.end(), beats)) left.push_back(one);
    }
    return left;
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
    Frozen frozen{std::vector<bool>(settled.trial.closed.size(), false),
                  std::vector<bool>(problem.count(), false)};
    for (std::size_t k = 0; k < problem.count(); ++k) {
        if (!drives(problem, k)) continue;
        if (!problem.is_one_sided(k)) {
            choices.push_back({Choice::Of::pressing, k, 2});
            frozen.loads[k] = true;
        } else if (const auto row = static_cast<std::size_t>(problem.row(k));
                   !frozen.normals[row]) {
            choices.push_back({Choice::Of::normal, row, 2});
            frozen.normals[row] = true;
        }
    }
    std::vector<Settled> motions{settled};
    if (choices.size() > most_sliding) return motions;
    for (std::size_t number = 0; number < std::size_t{1} << choices.size(); ++number) {
        Trial trial = settled.trial;
        for (std::size_t i = 0; i < choices.size(); ++i)
            put(problem, settled.trial, choices[i], (number >> i) & 1u, trial);
        std::optional<Settled> found = settle(problem, std::move(trial), 0, frozen);
        if (found) add_if_new(problem, motions, std::move(*found));
    }
    return motions;
}

std::optional<Settled> rest(const FrictionProblem& problem, const Trial& like) {
    return rest_of(problem, whole(problem), like);
}

Settled with_islands_at_rest(const FrictionProblem& problem, const std::vector<Island>& islands,
                             Settled motion) {
    for (const Island& island : islands) {
        if (rests(problem, island, motion.trial)) continue;
        if (std::optional<Settled> resting = rest_of(problem, island, motion.trial))
            motion = std::move(*resting);
    }
    return motion;
}

Lawful lawful(const FrictionProblem& problem, const std::vector<Island>& islands, Settled found) {
    Lawful result;
    for (const Island& island : islands) {
        if (rests(problem, island, found.trial) || has_weak_friction(problem, island)) continue;
        const Cases cases(problem, island, found.trial);
        result.complete = result.complete && cases.are_few();
        if (!cases.are_few()) continue;
        std::vector<Settled> motions = preferred(problem, cases.motions({found}));
        if (motions.size() > 1) return {result.complete, std::move(motions)};
        found = std::move(motions.front());
    }
    result.motions.push_back(std::move(found));
    return result;
}

Enumeration try_all(const FrictionProblem& problem, const Trial& like) {
    const Island all = whole(problem);
    const Cases cases(problem, all, like, most_cases_at_last);
    if (!cases.are_few()) return {};
    return {true, preferred(problem, cases.motions({}))};
}

std::vector<std::size_t> differing(const FrictionProblem& problem,
                                   const std::vector<Settled>& motions) {
    std::vector<std::size_t> frictions;
    for (std::size_t k = 0; k < problem.count(); ++k) {
        const auto tau = [&](const Settled& motion) {
            return VectorX(
                motion.judged.f.segment(problem.space.first[k], problem.space.dimension(k)));
        };
        const auto differs = [&](const Settled& motion) {
            const VectorX one = tau(motion), other = tau(motions.front());
            return (one - other).norm() > same_motion * (one.norm() + other.norm());
        };
        if (std::any_of(motions.begin(), motions.end(), differs)) frictions.push_back(k);
    }
    return frictions;
}

}  // namespace lacon::solving::contact
