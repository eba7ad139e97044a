// Branch and bound. With the forces f = E z that the assumptions leave, in units in which all rows
// have length 1, a branch has an answer only if some z meets
//     N ≥ 0,   at_rest · load ± τ ≥ 0 of what may stick,   u ≥ 0 of every normal, u = 0 of closed
//     rate = 0 of what sticks,   direction · rate ≥ 0 of what slips,   u = PᵀP E z − g.
// That is a problem of least distance. Where its shortest z misses N u = 0 or the law of friction,
// the contact that misses it most is what is assumed next.
#include "solve/contact/friction/branches.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::solving::inline contact {

namespace {

// Beyond as many branches the search is given up: some seconds with twenty contacts.
constexpr std::size_t most_branches = 4000;
// Of the largest force or rate: what misses the law by less is for `settle` to judge.
constexpr double met = 1e-9;

enum class Row { any, open, closed };
enum class Rub { any, sticks, forward, backward };

struct Assumed {
    std::vector<Row> rows;  // of each normal
    std::vector<Rub> rubs;  // of each friction that does not slide yet
};

class Tree {
public:
    Tree(const FrictionProblem& problem, const Trial& like)
        : problem_(problem), space_(problem.space), like_(like) {
        length_ = space_.length.unaryExpr([](double x) { return x > 0.0 ? x : 1.0; });
        const MatrixX unit = space_.P * length_.cwiseInverse().asDiagonal();
        gram_ = unit.transpose() * unit;
        g_ = space_.g.cwiseQuotient(length_);
        size_ = space_.size.cwiseQuotient(length_);
    }

    static bool takes(const FrictionProblem& problem) {
        for (std::size_t k = 0; k < problem.count(); ++k)
            if (!problem.is_one_sided(k) || problem.space.dimension(k) != 1) return false;
        return true;
    }

    Branches run() {
        Branches result;
        const Assumed none{std::vector<Row>(static_cast<std::size_t>(space_.normals), Row::any),
                           std::vector<Rub>(problem_.count(), Rub::any)};
        descend(none, result);
        result.complete = !result.found && !given_up_;
        return result;
    }

private:
    struct Bounds {
        std::vector<VectorX> coefficients;
        std::vector<double> bound, size;
        void add(VectorX row, double least, double of) {
            coefficients.push_back(std::move(row));
            bound.push_back(least);
            size.push_back(of);
        }
    };
    struct Missed {
        double by = 0.0;
        bool is_row = true;
        std::size_t which = 0;
    };

    void descend(const Assumed& assumed, Branches& result);
    std::optional<VectorX> forces(const Assumed& assumed) const;
    MatrixX effects(const Assumed& assumed) const;
    void bound(const Assumed& assumed, const MatrixX& E, Bounds& bounds) const;
    Missed worst(const Assumed& assumed, const VectorX& f) const;
    std::vector<Assumed> choices(const Assumed& assumed, const Missed& missed,
                                 const VectorX& f) const;
    Trial trial_of(const VectorX& f) const;

    auto row(std::size_t k) const { return static_cast<std::size_t>(problem_.row(k)); }
    // Of the friction on a unit normal force, in units of unit rows.
    double per_load(std::size_t k, double coefficient) const {
        return coefficient * problem_.friction(k).scale * length_(space_.first[k]) /
               length_(problem_.row(k));
    }

    const FrictionProblem& problem_;
    const ContactSpace& space_;
    const Trial& like_;
    VectorX length_, g_, size_;
    MatrixX gram_;
    std::size_t branches_ = 0;
    bool given_up_ = false;
};

// f = E z: a column for each normal that may press, with the friction of what slips on it, and for
// each friction that may stick.
MatrixX Tree::effects(const Assumed& assumed) const {
    MatrixX E = MatrixX::Zero(space_.count(), space_.count());
    std::vector<Index> column(assumed.rows.size(), -1);
    Index count = 0;
    for (std::size_t i = 0; i < assumed.rows.size(); ++i) {
        if (assumed.rows[i] == Row::open) continue;
        column[i] = count;
        E(static_cast<Index>(i), count++) = 1.0;
    }
    for (std::size_t k = 0; k < problem_.count(); ++k) {
        if (column[row(k)] < 0) continue;
        const ContactFriction& friction = problem_.friction(k);
        const Rub rub = assumed.rubs[k];
        if (!problem_.slides(k) && (rub == Rub::any || rub == Rub::sticks)) {
            E(space_.first[k], count++) = 1.0;
            continue;
        }
        const double direction = problem_.slides(k)    ? friction.direction[0]
                                 : rub == Rub::forward ? 1.0
                                                       : -1.0;
        E(space_.first[k], column[row(k)]) -= per_load(k, friction.kinetic) * direction;
    }
    return E.leftCols(count);
}

void Tree::bound(const Assumed& assumed, const MatrixX& E, Bounds& bounds) const {
    const MatrixX rates = gram_ * E;
    const auto add_rate = [&](Index i, double side) {
        bounds.add(side * rates.row(i).transpose(), side * g_(i), size_(i));
    };
    for (std::size_t r = 0; r < assumed.rows.size(); ++r) {
        const Index i = static_cast<Index>(r);
        if (assumed.rows[r] != Row::open) bounds.add(E.row(i).transpose(), 0.0, 0.0);
        add_rate(i, 1.0);
        if (assumed.rows[r] == Row::closed) add_rate(i, -1.0);
    }
    for (std::size_t k = 0; k < problem_.count(); ++k) {
        if (problem_.slides(k) || assumed.rows[row(k)] == Row::open) continue;
        const Index first = space_.first[k];
        const Rub rub = assumed.rubs[k];
        if (rub == Rub::forward || rub == Rub::backward) {
            add_rate(first, rub == Rub::forward ? 1.0 : -1.0);
            continue;
        }
        const VectorX limit =
            per_load(k, problem_.friction(k).at_rest) * E.row(problem_.row(k)).transpose();
        bounds.add(limit - E.row(first).transpose(), 0.0, 0.0);
        bounds.add(limit + E.row(first).transpose(), 0.0, 0.0);
        if (rub != Rub::sticks) continue;
        add_rate(first, 1.0);
        add_rate(first, -1.0);
    }
}

// The shortest that meet what is assumed; none where nothing does.
std::optional<VectorX> Tree::forces(const Assumed& assumed) const {
    const MatrixX E = effects(assumed);
    Bounds bounds;
    bound(assumed, E, bounds);
    const Index count = static_cast<Index>(bounds.bound.size());
    MatrixX K(E.cols(), count);
    for (Index i = 0; i < count; ++i) K.col(i) = bounds.coefficients[static_cast<std::size_t>(i)];
    const VectorX g = to_eigen(bounds.bound), size = to_eigen(bounds.size);
    const DistanceSolution shortest =
        least_distance({K, g, size, space_.rank_tol, space_.consistency_tol});
    if (shortest.conflict) return std::nullopt;
    return VectorX(E * shortest.y);
}

Tree::Missed Tree::worst(const Assumed& assumed, const VectorX& f) const {
    const VectorX rate = gram_ * f - g_;
    const double force = std::max(f.cwiseAbs().maxCoeff(), 1e-300),
                 speed = std::max(rate.cwiseAbs().maxCoeff(), size_.maxCoeff());
    Missed most;
    const auto note = [&](double by, bool is_row, std::size_t which) {
        if (by > most.by) most = {by, is_row, which};
    };
    for (std::size_t i = 0; i < assumed.rows.size(); ++i) {
        const Index at = static_cast<Index>(i);
        if (assumed.rows[i] == Row::any) note(std::min(f(at) / force, rate(at) / speed), true, i);
    }
    for (std::size_t k = 0; k < problem_.count(); ++k) {
        if (problem_.slides(k) || assumed.rubs[k] != Rub::any) continue;
        const Index at = space_.first[k];
        const double limit = per_load(k, problem_.friction(k).kinetic) * f(problem_.row(k));
        const double against = rate(at) > 0.0 ? f(at) + limit : limit - f(at);
        note(std::min(std::abs(rate(at)) / speed, std::abs(against) / force), false, k);
    }
    return most;
}

// What is likelier comes first.
std::vector<Assumed> Tree::choices(const Assumed& assumed, const Missed& missed,
                                   const VectorX& f) const {
    std::vector<Assumed> all;
    if (missed.is_row) {
        for (const Row row : {Row::closed, Row::open}) {
            all.push_back(assumed);
            all.back().rows[missed.which] = row;
        }
        return all;
    }
    const double rate = (gram_ * f - g_)(space_.first[missed.which]);
    const Rub along = rate > 0.0 ? Rub::forward : Rub::backward,
              other = rate > 0.0 ? Rub::backward : Rub::forward;
    for (const Rub rub : {Rub::sticks, along, other}) {
        all.push_back(assumed);
        all.back().rubs[missed.which] = rub;
    }
    return all;
}

Trial Tree::trial_of(const VectorX& f) const {
    const VectorX rate = gram_ * f - g_;
    const double force = met * f.cwiseAbs().maxCoeff(),
                 speed = met * std::max(rate.cwiseAbs().maxCoeff(), size_.maxCoeff());
    Trial trial = like_;
    for (std::size_t i = 0; i < trial.closed.size(); ++i)
        trial.closed[i] = f(static_cast<Index>(i)) > force;
    for (std::size_t k = 0; k < problem_.count(); ++k) {
        if (problem_.slides(k)) continue;
        const double along = rate(space_.first[k]);
        const bool slips = std::abs(along) > speed;
        trial.friction_states[k] = slips ? FrictionState::slips : FrictionState::sticks;
        trial.resistance[k] = 0.0;
        if (slips) trial.direction[k] = VectorX::Constant(1, along > 0.0 ? 1.0 : -1.0);
    }
    return trial;
}

void Tree::descend(const Assumed& assumed, Branches& result) {
    if (given_up_ || ++branches_ > most_branches) {
        given_up_ = true;
        return;
    }
    const std::optional<VectorX> f = forces(assumed);
    if (!f) return;
    const Missed missed = worst(assumed, *f);
    if (missed.by <= met) {
        result.found = settle(problem_, trial_of(*f));
        given_up_ = given_up_ || !result.found;
        return;
    }
    for (const Assumed& next : choices(assumed, missed, *f)) {
        descend(next, result);
        if (result.found || given_up_) return;
    }
}

}  // namespace

Branches branch(const FrictionProblem& problem, const Trial& like) {
    if (!Tree::takes(problem)) return {};
    return Tree(problem, like).run();
}

}  // namespace lacon::solving::contact
