// One factorization for all right-hand sides of the constrained problem. In the metric of the mass
// (theory 2.7), with y = L⁻¹ D f:
//     definite M                   x_s = y + B⁺ (r − B y),   Bᵀ λ = x_s − y
//     semidefinite M (theory 7)    x = p + Z (Zᵀ M Z)⁻¹ Zᵀ (f − M p),   A p = r,   Aᵀ λ = M x − f,
//                                  Z the null space of A
//     very unequal (grading.hpp)   [M −Aᵀ; A 0] itself
// Blocks that nothing joins are factored apart (blocks.hpp).
#include "solve/dense/constrained/constrained_factor.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "solve/dense/constrained/blocks.hpp"
#include "solve/dense/constrained/grading.hpp"
#include "solve/dense/constrained/massless.hpp"
#include "solve/dense/constrained/saddle.hpp"
#include "solve/dense/matrix/mass_metric.hpp"
#include "solve/dense/rank/dropped_rows.hpp"
#include "solve/dense/rank/row_space.hpp"

namespace lacon::solving::inline dense {

struct ConstrainedFactor::Parts {
    // The mass matrix that `mass` belongs to. Where it stays the same it is not factored again.
    Matrix last_M;
    MassMetric mass;
    std::variant<RowSpace, DroppedRows> rows;
    std::optional<Massless> massless;  // where M is semidefinite
    Grading grading;
    std::optional<Saddle> saddle;  // where masses are very unequal and it has been needed
    MatrixX A;
    Index rank = 0;
    double gap = 0.0;
    double weakest = 1.0;
    std::vector<double> rest_f, rest_r, more_x, more_lambda;
    std::optional<Direction> direction;  // where it was asked for
    Blocks blocks;                       // where there are several: all is asked of them
    std::vector<double> singular;        // of them

    template <class Rows>
    void take(Rows found) {
        rank = found.rank;
        gap = found.gap;
        weakest = rank > 0 ? found.singular[static_cast<std::size_t>(rank) - 1] : 1.0;
        rows = std::move(found);
    }

    const std::vector<Index>& unneeded() const {
        return std::visit(
            [](const auto& found) -> const std::vector<Index>& { return found.unneeded; }, rows);
    }
    /// What goes with a vector of the space in which the rank was decided.
    VectorX motion(const VectorX& w) const {
        if (grading.scale) return grading.scale->cwiseProduct(w);
        return massless ? VectorX(massless->d.cwiseProduct(w)) : mass.acceleration(w);
    }
    Reaction by_saddle(const VectorX& f, const VectorX& r) {
        if (!saddle) saddle.emplace(mass.given, A, kept_rows(A.rows(), unneeded()));
        const auto* space = std::get_if<RowSpace>(&rows);
        Saddle::Answer answer = saddle->solve(f, space ? consistent_part(*space, r) : r);
        if (space && rank < A.rows())  // the same choice of multipliers as RowSpace makes
            answer.lambda = space->s.cwiseProduct(
                space->V * (space->V.transpose() * answer.lambda.cwiseQuotient(space->s)));
        return {std::move(answer.x), std::move(answer.lambda)};
    }
};

ConstrainedFactor::ConstrainedFactor() : parts_(std::make_unique<Parts>()) {}
ConstrainedFactor::~ConstrainedFactor() = default;
ConstrainedFactor::ConstrainedFactor(ConstrainedFactor&&) noexcept = default;
ConstrainedFactor& ConstrainedFactor::operator=(ConstrainedFactor&&) noexcept = default;

namespace {

bool same(MatrixView a, MatrixView b) {
    return a.rows() == b.rows() && a.cols() == b.cols() &&
           std::equal(a.data(), a.data() + a.rows() * a.cols(), b.data());
}

}  // namespace

Outcome ConstrainedFactor::factor(MatrixView M, MatrixView A, const SolveOptions& options) {
    Parts& p = *parts_;
    const auto finite = [](MatrixView X) {
        return std::all_of(X.data(), X.data() + X.rows() * X.cols(),
                           [](double x) { return std::isfinite(x); });
    };
    if (!finite(M) || !finite(A)) return Outcome::undefined;
    p.direction.reset();
    if (p.blocks.split(M, A)) {
        const Outcome outcome = p.blocks.factor(M, A, options);
        if (outcome == Outcome::ok || outcome == Outcome::undetermined)
            p.singular = p.blocks.singular();
        return outcome;
    }
    if (!same(M, p.last_M)) {
        p.mass = measure(to_eigen(M));
        p.last_M.reset(M.rows(), M.cols());
        std::copy(M.data(), M.data() + M.rows() * M.cols(), p.last_M.data());
    }
    if (p.mass.kind == MassMetric::Kind::indefinite) return Outcome::indefinite;
    p.A = A.rows() == 0 ? MatrixX(0, static_cast<Index>(M.rows())) : to_eigen(A);
    p.massless.reset();
    p.saddle.reset();
    p.grading = grade(p.mass, p.A);
    using Path = SolveOptions::Path;
    const Path path = options.path == Path::ldlt ? Path::automatic : options.path;
    if (p.grading.scale) {
        p.take(
            decide_rank(p.grading.scale->asDiagonal() * p.A.transpose(), path, options.rank_tol));
        const bool definite = p.mass.kind == MassMetric::Kind::definite;
        return definite || undetermined(p.mass, p.A, options.rank_tol).empty()
                   ? Outcome::ok
                   : Outcome::undetermined;
    }
    if (p.mass.kind == MassMetric::Kind::semidefinite) {
        p.massless.emplace(p.mass, p.A, path, options.rank_tol);
        p.take(p.massless->rows);
        return p.massless->is_determined() ? Outcome::ok : Outcome::undetermined;
    }
    const MatrixX Bt = p.mass.rows(p.A);
    const double tol = p.mass.rank_tol(options.rank_tol);
    if (options.path == Path::ldlt) {
        DroppedRows dropped = drop_rows(Bt, tol);
        if (dropped.sure(tol)) {
            p.take(std::move(dropped));
            return Outcome::ok;
        }
    }
    p.take(decide_rank(Bt, path, tol));
    return Outcome::ok;
}

Outcome ConstrainedFactor::singular_values(const Matrix& M, const Matrix& A,
                                           std::vector<double>& values) {
    Parts& p = *parts_;
    const bool is_known =
        p.blocks.is_empty() && same(M, p.last_M) && p.mass.kind == MassMetric::Kind::definite;
    if (is_known && has_many_singular_values(A)) {
        const MatrixX rows = to_eigen(A);
        if (!rows.allFinite()) return Outcome::undefined;
        if (!grade(p.mass, rows).scale) {
            values = singular_values_of(p.mass.rows(rows));
            return Outcome::ok;
        }
    }
    SolveOptions all;
    all.path = SolveOptions::Path::svd;
    // Every singular value counts, down to rounding.
    all.rank_tol = 1e-16;
    const Outcome outcome = factor(M, A, all);
    if (outcome == Outcome::ok) values = singular();
    return outcome;
}

void ConstrainedFactor::solve(std::span<const double> f, std::span<const double> r,
                              std::span<double> x, std::span<double> lambda) const {
    Parts& p = *parts_;
    if (!p.blocks.is_empty()) return p.blocks.solve(f, r, x, lambda);
    const VectorX force = to_eigen(f);
    Eigen::Map<VectorX> motion(x.data(), static_cast<Index>(x.size()));
    Eigen::Map<VectorX> multipliers(lambda.data(), static_cast<Index>(lambda.size()));
    const auto take = [&](const Reaction& reaction) {
        motion = reaction.x;
        multipliers = reaction.lambda;
    };
    if (p.grading.scale) return take(p.by_saddle(force, to_eigen(r)));
    if (p.massless) {
        motion = p.massless->solve(force, to_eigen(r));
        multipliers = p.massless->multipliers(motion, force);
        return;
    }
    const VectorX y = p.mass.scaled_force(force);
    motion = p.mass.acceleration(y);
    if (p.A.rows() == 0) return;
    VectorX missing = to_eigen(r);
    missing.noalias() -= p.A * motion;
    const Reaction reaction =
        std::visit([&](const auto& rows) { return rows.reaction(missing); }, p.rows);
    if (!p.grading.is_level() && p.grading.drowns(y, y + reaction.x))
        return take(p.by_saddle(force, to_eigen(r)));
    motion += p.mass.acceleration(reaction.x);
    multipliers = reaction.lambda;
}

double ConstrainedFactor::solve(const Nearby& exact, std::span<const double> f,
                                std::span<const double> r, std::span<double> x,
                                std::span<double> lambda) const {
    Parts& p = *parts_;
    const std::size_t n = f.size(), m = r.size();
    solve(f, r, x, lambda);
    p.rest_f.resize(n);
    p.rest_r.resize(m);
    p.more_x.resize(n);
    p.more_lambda.resize(m);
    double worst = 0.0;
    for (int round = 0;; ++round) {
        worst = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            double rest = f[i];
            for (std::size_t j = 0; j < n; ++j) rest -= exact.M(i, j) * x[j];
            p.rest_f[i] = rest;
        }
        for (std::size_t i = 0; i < m; ++i) {
            double rest = r[i], size = std::abs(r[i]);
            for (std::size_t j = 0; j < n; ++j) {
                const double term = exact.A(i, j) * x[j];
                rest -= term;
                size += std::abs(term);
                p.rest_f[j] += exact.A(i, j) * lambda[i];
            }
            p.rest_r[i] = rest;
            if (size > 0.0) worst = std::max(worst, std::abs(rest) / size);
        }
        if (round >= exact.corrections) return worst;
        solve(p.rest_f, p.rest_r, p.more_x, p.more_lambda);
        for (std::size_t i = 0; i < n; ++i) x[i] += p.more_x[i];
        for (std::size_t i = 0; i < m; ++i) lambda[i] += p.more_lambda[i];
    }
}

void ConstrainedFactor::push(std::span<const double> lambda, std::span<double> x) const {
    const Parts& p = *parts_;
    if (!p.blocks.is_empty()) return p.blocks.push(lambda, x);
    VectorX moved = VectorX::Zero(static_cast<Index>(x.size()));
    if (p.mass.kind == MassMetric::Kind::definite && p.A.rows() > 0)
        moved = p.mass.acceleration(p.mass.scaled_force(p.A.transpose() * to_eigen(lambda)));
    std::copy(moved.begin(), moved.end(), x.begin());
}

std::size_t ConstrainedFactor::rank() const {
    if (!parts_->blocks.is_empty()) return parts_->blocks.rank();
    return static_cast<std::size_t>(parts_->rank);
}
double ConstrainedFactor::gap() const {
    return parts_->blocks.is_empty() ? parts_->gap : parts_->blocks.gap();
}
double ConstrainedFactor::weakest() const {
    return parts_->blocks.is_empty() ? parts_->weakest : parts_->blocks.weakest();
}

const std::vector<double>& ConstrainedFactor::singular() const {
    if (!parts_->blocks.is_empty()) return parts_->singular;
    return std::visit([](const auto& rows) -> const std::vector<double>& { return rows.singular; },
                      parts_->rows);
}

const ConstrainedFactor::Direction& ConstrainedFactor::weakest_direction() const {
    Parts& p = *parts_;
    if (p.direction) return *p.direction;
    if (!p.blocks.is_empty()) return p.direction.emplace(p.blocks.weakest_direction());
    Direction& direction = p.direction.emplace();
    const auto* rows = std::get_if<RowSpace>(&p.rows);
    if (p.rank == 0 || !rows) return direction;
    const Eigen::JacobiSVD<MatrixX> svd(rows->T, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const VectorX w = rows->U * svd.matrixU().col(p.rank - 1),
                  u = rows->V * svd.matrixV().col(p.rank - 1);
    direction.w = to_std(p.motion(w));
    direction.u = to_std(rows->s.cwiseProduct(u));
    direction.parts = to_std(u);
    direction.reciprocal_condition = svd.singularValues()(p.rank - 1) / svd.singularValues()(0);
    return direction;
}

double ConstrainedFactor::Direction::at(const Matrix& A) const {
    double total = 0.0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        double row = 0.0;
        for (std::size_t j = 0; j < w.size(); ++j) row += A(i, j) * w[j];
        total += u[i] * row;
    }
    return total;
}

}  // namespace lacon::solving::dense
