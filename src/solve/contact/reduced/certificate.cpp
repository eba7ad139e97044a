// The conditions a solution has to meet (theory 3.8, 4.5), from the numbers of the problem: nothing
// of how it was found is used.
#include <algorithm>
#include <cmath>

#include "solve/contact/reduced/report.hpp"
#include "solve/dense/constrained/parts.hpp"

namespace lacon::solving::inline contact {

namespace {

VectorX all_forces(const ContactSpace& space, const ContactSolution& solution) {
    VectorX f(space.count());
    f.head(space.normals) = to_eigen(solution.forces);
    for (std::size_t k = 0; k < solution.friction.size(); ++k)
        f.segment(space.first[k], space.dimension(k)) = to_eigen(solution.friction[k]);
    return f;
}

double relative(double value, double size) {
    return size > 0.0 ? value / size : 0.0;
}

// M x − Q − Aᵀ λ − Hᵀ f, coordinates by the root of their mass, relative to the largest term.
double force_residual(const ContactProblem& problem, const ContactSpace& space,
                      const ContactSolution& solution) {
    const MatrixX M = to_eigen(problem.M);
    const VectorX x = to_eigen(solution.x), Q = to_eigen(problem.Q),
                  f = all_forces(space, solution);
    VectorX rest = M * x - Q - space.H.transpose() * f;
    VectorX size =
        M.cwiseAbs() * x.cwiseAbs() + Q.cwiseAbs() + space.H.cwiseAbs().transpose() * f.cwiseAbs();
    if (problem.A.rows() > 0) {
        const MatrixX A = to_eigen(problem.A);
        const VectorX lambda = to_eigen(solution.multipliers);
        rest -= A.transpose() * lambda;
        size += A.cwiseAbs().transpose() * lambda.cwiseAbs();
    }
    if (rest.size() == 0) return 0.0;
    const VectorX mass =
        M.diagonal().unaryExpr([](double m) { return m > 0.0 ? 1.0 / std::sqrt(m) : 1.0; });
    return relative(rest.cwiseAbs().cwiseProduct(mass).maxCoeff(),
                    size.cwiseProduct(mass).maxCoeff());
}

class Judge {
public:
    Judge(const ContactProblem& problem, const ContactSpace& space, const ContactSolution& solution)
        : problem_(problem), space_(space), solution_(solution), f_(all_forces(space, solution)) {
        const VectorX x = to_eigen(solution.x);
        rate_ = space.H * x - space.goal;
        // As in `solve`: a row's rounding is that of the whole motion's length along it.
        size_ =
            space.size + space.H.cwiseAbs() * x.cwiseAbs() + space.length * (space.P * f_).norm();
        push_ = f_.cwiseAbs().cwiseProduct(space.length);
        largest_ = push_.size() > 0 ? push_.maxCoeff() : 0.0;
    }

    void judge_rows(ContactSolution::Certificate& certificate) const {
        if (problem_.A.rows() > 0) {
            const MatrixX A = to_eigen(problem_.A);
            const VectorX x = to_eigen(solution_.x), b = to_eigen(problem_.b);
            const VectorX size = balanced_size(A, b, x) + A.cwiseAbs() * space_.x0.cwiseAbs();
            for (Index i = 0; i < A.rows(); ++i)
                worsen(certificate.primal, relative(std::abs(A.row(i).dot(x) - b(i)), size(i)));
        }
        for (Index i = 0; i < space_.normals; ++i) {
            worsen(certificate.primal, relative(-rate_(i), size_(i)));
            worsen(certificate.dual, relative(-f_(i) * space_.length(i), largest_));
            worsen(certificate.complementarity,
                   relative(push_(i), largest_) * std::abs(relative(rate_(i), size_(i))));
        }
    }

    void judge_friction(std::size_t k, ContactSolution::Certificate& certificate) const {
        const ContactFriction& friction = problem_.friction[k];
        const Index first = space_.first[k], dimension = space_.dimension(k);
        const double length = space_.length.segment(first, dimension).maxCoeff();
        const double load = load_of(friction, f_, to_eigen(solution_.multipliers));
        const VectorX tau = f_.segment(first, dimension), rate = rate_.segment(first, dimension);
        const double size = size_.segment(first, dimension).maxCoeff(),
                     force = std::max(largest_, load * length);
        worsen(certificate.dual, relative((tau.norm() - friction.at_rest * load) * length, force));
        if (solution_.friction_states[k] == FrictionState::sticks)
            worsen(certificate.complementarity, relative(rate.norm(), size));
        if (solution_.friction_states[k] != FrictionState::slips) return;
        const VectorX direction = to_eigen(solution_.direction[k]);
        worsen(certificate.complementarity,
               relative((tau + friction.kinetic * load * direction).norm() * length, force));
        if (friction.direction.empty())
            worsen(certificate.complementarity,
                   relative((rate - rate.norm() * direction).norm(), size));
    }

private:
    static void worsen(double& value, double by) { value = std::max(value, by); }

    const ContactProblem& problem_;
    const ContactSpace& space_;
    const ContactSolution& solution_;
    VectorX f_, rate_, size_, push_;
    double largest_ = 0.0;
};

}  // namespace

void certify(const ContactProblem& problem, const ContactSpace& space, ContactSolution& solution) {
    const Judge judge(problem, space, solution);
    ContactSolution::Certificate certificate;
    certificate.dual = force_residual(problem, space, solution);
    judge.judge_rows(certificate);
    for (std::size_t k = 0; k < problem.friction.size(); ++k) judge.judge_friction(k, certificate);
    solution.certificate = certificate;
}

}  // namespace lacon::solving::contact
