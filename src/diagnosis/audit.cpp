// The result of a solve against what theory says of it (theory 1 to 4), by roads that did not lead
// to it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/text.hpp"
#include "diagnosis/diagnose.hpp"
#include "diagnosis/in_force.hpp"
#include "diagnosis/power.hpp"
#include "diagnosis/subspace.hpp"
#include "lacon/reference.hpp"
#include "solve/dense/constrained/constrained_factor.hpp"
#include "solve/dense/constrained/least_change.hpp"
#include "state/evaluate.hpp"

namespace lacon::diagnosis {

namespace {

constexpr double exact_tol = 1e-9;     // of what only rounding separates from zero
constexpr double residual_tol = 1e-8;  // of constraints: what a start search and `--at` are allowed
constexpr double gauss_tol = 1e-12;    // of Gauss's function, where errors enter squared
constexpr double papers_tol = 1e-7;    // of the papers' formulas, which square the condition
constexpr std::size_t random_directions = 16;
// Coordinates beyond which singular values of everything cost too much.
constexpr std::size_t most_papers = 60;

Vector product(const Matrix& A, const Vector& x) {
    Vector y(A.rows(), 0.0);
    for (std::size_t i = 0; i < A.rows(); ++i) y[i] = inner(A.row(i), x);
    return y;
}

class Auditing {
public:
    Auditing(const DerivedModel& whole, const Evaluation& at, const DiagnosisOptions& options)
        : whole_(whole),
          at_(at),
          options_(options),
          here_(rows_in_force(whole, at.state, options.solve)),
          forces_(reported_forces(at)),
          qdd_(at.solution.acceleration) {
        const Matrix& M = at_.M;
        applied_ = at_.Q;  // the efforts of controls are forces like others
        for (std::size_t i = 0; i < at_.control_force.size(); ++i)
            applied_[i] += at_.control_force[i];
        impressed_ = applied_;
        const Vector c = forces_.nonideal;
        for (std::size_t i = 0; i < impressed_.size(); ++i) impressed_[i] += c[i];
        inertia_ = product(M, qdd_);
        force_size_ = std::max({largest(inertia_), largest(impressed_), largest(forces_.ideal)});
        choose_directions();
    }

    Audit run() {
        equation_of_motion();
        rows();
        gauss();
        virtual_work();
        power();
        papers();
        contact();
        return std::move(audit_);
    }

private:
    void line(std::string name, double value, double tolerance, std::string text) {
        audit_.lines.push_back(
            {std::move(name), value, tolerance, value <= tolerance, std::move(text)});  // NaN fails
    }
    static double scaled(double value, double size) {
        return value == 0.0 ? 0.0 : std::abs(value) / size;
    }

    /// Random displacements that the rows in force allow: what is left of any when the rows have
    /// taken theirs, by inertia.
    void choose_directions() {
        std::mt19937_64 random(options_.solve.seed);
        std::normal_distribution<double> normal;
        const Matrix& A = here_.equations.A;
        ConstrainedFactor factor;
        const bool factored =
            A.rows() > 0 && factor.factor(at_.M, A, options_.solve) == Outcome::ok;
        const Vector at_rest(A.rows(), 0.0);
        Vector lambda(A.rows());
        for (std::size_t k = 0; k < random_directions; ++k) {
            Vector x(qdd_.size());
            for (double& xi : x) xi = normal(random);
            const double before = largest(x);
            for (int twice = 0; twice < 2 && A.rows() > 0; ++twice) {
                if (factored) {
                    const Vector push = product(at_.M, x);
                    factor.solve({at_.M, A, 1}, push, at_rest, x, lambda);
                    continue;
                }
                const Vector off = least_change(at_.M, A, product(A, x), options_.solve);
                for (std::size_t i = 0; i < off.size(); ++i) x[i] -= off[i];
            }
            if (largest(x) > 1e-6 * before && is_allowed(x)) feasible_.push_back(std::move(x));
        }
    }

    /// Whether the rows in force are met by a displacement: what is not shows nothing.
    bool is_allowed(const Vector& x) const {
        constexpr double rounding = 1e-10;
        const Matrix& A = here_.equations.A;
        for (std::size_t r = 0; r < A.rows(); ++r) {
            double sum = 0.0, size = 0.0;
            for (std::size_t j = 0; j < x.size(); ++j) {
                sum += A(r, j) * x[j];
                size += std::abs(A(r, j)) * largest(x);
            }
            if (std::abs(sum) > rounding * size) return false;
        }
        return true;
    }

    void equation_of_motion() {
        double worst = 0.0;
        for (std::size_t i = 0; i < qdd_.size(); ++i)
            worst = std::max(worst,
                             scaled(inertia_[i] - impressed_[i] - forces_.ideal[i], force_size_));
        line("equation of motion", worst, exact_tol,
             fmt::format("M q'' = Q + A^T lambda + c{}, by coordinates",
                         at_.control_force.empty() ? "" : " + F u"));
    }

    void rows() {
        const Matrix& A = here_.equations.A;
        double worst = 0.0;
        const double fastest = std::max(largest(qdd_), largest(at_.solution.a));
        for (std::size_t r = 0; r < A.rows(); ++r) {
            double size = std::abs(here_.equations.b[r]), sum = -here_.equations.b[r];
            for (std::size_t j = 0; j < A.cols(); ++j) {
                sum += A(r, j) * qdd_[j];
                size += std::abs(A(r, j)) * fastest;
            }
            worst = std::max(worst, scaled(sum, size));
        }
        line("accelerations", worst, residual_tol, "A q'' = b, by rows in force");
        double position = 0.0, velocity = 0.0;
        const double q = std::max(1e-6, largest(at_.state.q)),
                     v = std::max(1e-6, largest(at_.state.v));
        for (std::size_t r = 0; r < at_.constraints.size(); ++r) {
            const ConstraintReport& report = at_.constraints[r];
            if (whole_.model.constraints[r].sense != ConstraintRow::Sense::equal ||
                whole_.system.stabilized[r])
                continue;
            double length = 0.0;
            for (std::size_t j = 0; j < qdd_.size(); ++j) length += std::abs(at_.A(r, j));
            if (length == 0.0) length = 1.0;
            if (report.level == Level::position)
                position = std::max(position, scaled(report.residual, length * q));
            if (report.level != Level::acceleration)
                velocity = std::max(velocity, scaled(report.velocity_residual, length * v));
        }
        line("positions", position, residual_tol, "residuals of constraints at position level");
        line("velocities", velocity, residual_tol, "residuals of constraints at velocity level");
    }

    /// G(x) up to a constant: xᵀ M x − 2 xᵀ (Q + c), which also serves where M is singular.
    double gaussian(const Vector& x) const {
        return inner(x, product(at_.M, x)) - 2.0 * inner(x, impressed_);
    }

    /// At each feasible direction, of the steps tried the one that lowers Gauss's function most:
    /// none may.
    void gauss() {
        const double here = gaussian(qdd_);
        const double size = std::abs(inner(qdd_, inertia_)) +
                            2.0 * force_size_ * largest(qdd_) * static_cast<double>(qdd_.size());
        double worst = 0.0;
        std::size_t tried = 0;
        for (const Vector& z : feasible_) {
            const double curvature = inner(z, product(at_.M, z));
            if (!(curvature > 0.0)) continue;
            double slope = 0.0;
            for (std::size_t i = 0; i < z.size(); ++i)
                slope += z[i] * (inertia_[i] - impressed_[i]);
            const double unit =
                std::sqrt(std::max(std::abs(inner(qdd_, inertia_)), 1e-300) / curvature);
            for (const double step : {-slope / curvature, unit, -unit, 1e-3 * unit, -1e-3 * unit}) {
                Vector x = qdd_;
                for (std::size_t i = 0; i < x.size(); ++i) x[i] += step * z[i];
                worst = std::max(worst, scaled(std::max(0.0, here - gaussian(x)), size));
                ++tried;
            }
        }
        line(
            "Gauss's function", worst, gauss_tol,
            fmt::format("largest decrease of Gauss's function over {} other feasible accelerations",
                        tried));
    }

    void virtual_work() {
        double worst = 0.0;
        for (const Vector& z : feasible_) {
            double work = 0.0, size = 0.0;
            for (std::size_t i = 0; i < z.size(); ++i) {
                work += z[i] * (inertia_[i] - impressed_[i]);
                size += std::abs(z[i]) * force_size_;
            }
            worst = std::max(worst, scaled(work, size));
        }
        line("virtual work", worst, exact_tol,
             fmt::format("v^T (M q'' - Q - c) = 0 for {} random v with A v = 0", feasible_.size()));
    }

    void power() {
        std::string why;
        const auto balance = power_balance(whole_, at_, why);
        if (!balance) {
            audit_.skipped.push_back(why);
            return;
        }
        std::string text = fmt::format(
            "d/dt of the energy along the motion is {}; of applied forces {}, of constraints {}",
            rounded(balance->rate, 6), rounded(balance->applied, 6),
            rounded(balance->constraint, 6));
        if (balance->nonideal != 0.0)
            text += fmt::format(", of nonideal forces {}", rounded(balance->nonideal, 6));
        if (balance->explicit_time != 0.0)
            text += fmt::format(", by explicit time {}", rounded(balance->explicit_time, 6));
        line("power", scaled(balance->mismatch(), balance->size), exact_tol, std::move(text));
    }

    void papers() {
        if (qdd_.size() > most_papers || at_.solution.a.empty()) {
            audit_.skipped.push_back(at_.solution.a.empty()
                                         ? "published formulas not checked: M is singular"
                                         : "published formulas not checked: too many coordinates");
            return;
        }
        Matrix A = here_.equations.A;
        Vector b = here_.equations.b;
        scale_rows(A, b);
        const reference::Problem problem{at_.M, applied_, A, b, options_.solve.rank_tol};
        const Vector by_papers = reference::acceleration_p5(problem, forces_.nonideal);
        double size = std::max(largest(qdd_), largest(at_.solution.a)), off = 0.0;
        for (std::size_t i = 0; i < qdd_.size(); ++i)
            off = std::max(off, std::abs(qdd_[i] - by_papers[i]));
        if (!(scaled(off, size) <= papers_tol) && papers_fail(A)) {
            audit_.skipped.push_back(
                "published formulas not checked: masses differ so much that double precision does "
                "not carry them");
            return;
        }
        // The formula takes q'' from the free acceleration, and is rounded by that.
        const double free = largest(at_.solution.a);
        const std::string beside =
            free > 1e3 * largest(qdd_)
                ? fmt::format(", beside a free acceleration of {}", rounded(free, 3))
                : "";
        line("papers", scaled(off, size), papers_tol,
             "q'' against P5 33 (with c = 0, P1 5a)" + beside);
    }

    /// Rows of B of length 1: what the formulas give does not depend on it, but their rank decision
    /// does. Light masses make some rows of B very long.
    void scale_rows(Matrix& A, Vector& b) const {
        ConstrainedFactor factor;
        if (factor.factor(at_.M, A, options_.solve) != Outcome::ok) return;
        Vector one(A.rows(), 0.0), x(qdd_.size());
        Vector lengths;
        for (std::size_t i = 0; i < A.rows(); ++i) {
            one[i] = 1.0;
            factor.push(one, x);
            one[i] = 0.0;
            lengths.push_back(std::sqrt(inner(A.row(i), x)));
        }
        for (std::size_t i = 0; i < A.rows(); ++i) {
            if (!(lengths[i] > 0.0) || !std::isfinite(lengths[i])) continue;
            for (double& entry : A.row(i)) entry /= lengths[i];
            b[i] /= lengths[i];
        }
    }

    /// Whether the formulas cannot be trusted at these rows: rounding grows by the square of the
    /// condition of B, and may decide its rank too. The solve does not go through B there.
    bool papers_fail(const Matrix& A) const {
        constexpr double unit = 2.2e-16;
        double light = INFINITY, heavy = 0.0;  // B has the square root of their ratio
        for (std::size_t i = 0; i < at_.M.rows(); ++i) {
            light = std::min(light, at_.M(i, i));
            heavy = std::max(heavy, at_.M(i, i));
        }
        if (unit * heavy > papers_tol * light) return true;
        std::vector<double> singular;
        if (ConstrainedFactor().singular_values(at_.M, A, singular) != Outcome::ok) return true;
        const std::size_t rank = at_.solution.rank;
        if (rank == 0 || rank > singular.size()) return rank > 0;
        const double weakest = singular[rank - 1] / singular[0];
        return unit > papers_tol * weakest * weakest;
    }

    void contact() {
        if (!at_.certificate) return;
        const ContactSolution::Certificate& c = *at_.certificate;
        line("contacts", std::max({c.primal, c.dual, c.complementarity}), residual_tol,
             "unilateral constraints and Coulomb's law: violation and complementarity");
    }

    const DerivedModel& whole_;
    const Evaluation& at_;
    const DiagnosisOptions& options_;
    InForce here_;
    ReportedForces forces_;
    Vector qdd_, applied_, impressed_, inertia_;
    double force_size_ = 0.0;
    Vectors feasible_;
    Audit audit_;
};

}  // namespace

Audit audit(const DerivedModel& details, const Evaluation& at, const DiagnosisOptions& options) {
    if (!at.status) return {at.status, {}, {}};
    return Auditing(details, at, options).run();
}

}  // namespace lacon::diagnosis

namespace lacon {

bool Audit::ok() const {
    return status &&
           std::all_of(lines.begin(), lines.end(), [](const AuditLine& line) { return line.ok; });
}

Audit audit(const Mechanism& mechanism, const Evaluation& at, const DiagnosisOptions& options) {
    return audit(mechanism.details(), at, options);
}

Audit audit(const Mechanism& mechanism, const State& state, const DiagnosisOptions& options) {
    return audit(mechanism, mechanism.evaluate(state, options.solve), options);
}

}  // namespace lacon
