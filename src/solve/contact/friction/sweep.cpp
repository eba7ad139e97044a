// Projected Gauss–Seidel: each normal force to where its row is met or the force is zero, each
// friction to its cone.
#include "solve/contact/friction/sweep.hpp"

#include <algorithm>

namespace lacon::solving::inline contact {

namespace {

class Sweep {
public:
    explicit Sweep(const FrictionProblem& problem)
        : problem_(problem),
          f_(VectorX::Zero(problem.space.count())),
          y_(VectorX::Zero(problem.space.P.rows())) {}

    void run() {
        constexpr int sweeps = 1000;
        // Of the largest force: a guess for the search, which decides. Not critical.
        constexpr double still = 1e-12;
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            const VectorX before = f_;
            for (Index i = 0; i < problem_.space.normals; ++i) move_normal(i);
            for (std::size_t k = 0; k < problem_.count(); ++k) move_friction(k);
            if ((f_ - before).cwiseAbs().maxCoeff() <= still * f_.cwiseAbs().maxCoeff()) return;
        }
    }

    void read(Trial& trial) const {
        // Forces that the sweeps left at zero but for their rounding.
        const double least = 1e-9 * problem_.largest_push(f_);
        for (Index i = 0; i < problem_.space.normals; ++i)
            trial.closed[static_cast<std::size_t>(i)] = f_(i) * problem_.space.length(i) > least;
        for (std::size_t k = 0; k < problem_.count(); ++k) {
            const VectorX load = problem_.load_vector(k, f_);
            if (!problem_.is_one_sided(k) && load.norm() > 0.0)
                trial.pressing[k] = load.normalized();
            if (problem_.slides(k)) continue;
            // At the cone itself it slips: 1e-6 is more than the sweeps leave. Not critical.
            constexpr double inside = 1.0 - 1e-6;
            const VectorX tau = f_.segment(problem_.space.first[k], problem_.space.dimension(k));
            const bool sticks =
                tau.norm() <= inside * problem_.friction(k).at_rest * problem_.load(k, f_) ||
                tau.norm() == 0.0;
            trial.friction_states[k] = sticks ? FrictionState::sticks : FrictionState::slips;
            trial.resistance[k] = 0.0;
            if (!sticks) trial.direction[k] = -tau.normalized();
        }
    }

private:
    void move_normal(Index i) {
        const ContactSpace& space = problem_.space;
        const double square = space.length(i) * space.length(i);
        if (!(square > 0.0)) return;
        const double force = std::max(0.0, f_(i) + (space.g(i) - space.P.col(i).dot(y_)) / square);
        y_ += (force - f_(i)) * space.P.col(i);
        f_(i) = force;
    }

    void move_friction(std::size_t k) {
        const MatrixX columns = problem_.slip_columns(k);
        auto tau = f_.segment(problem_.space.first[k], problem_.space.dimension(k));
        const double load = std::max(0.0, problem_.load(k, f_)), square = columns.squaredNorm();
        if (!(square > 0.0)) return;
        VectorX wanted;
        if (problem_.slides(k)) {
            wanted =
                -problem_.friction(k).kinetic * load * to_eigen(problem_.friction(k).direction);
        } else {
            wanted = tau - problem_.slip_rate(k, y_) / square;
            const double limit = problem_.friction(k).at_rest * load;
            if (wanted.norm() > limit) wanted *= limit / wanted.norm();
        }
        y_ += columns * (wanted - tau);
        tau = wanted;
    }

    const FrictionProblem& problem_;
    VectorX f_, y_;
};

}  // namespace

Trial swept(const FrictionProblem& problem, Trial trial) {
    Sweep sweep(problem);
    sweep.run();
    sweep.read(trial);
    return trial;
}

}  // namespace lacon::solving::contact
