// What efforts do and cost (theory 3.5 with actuators): with R the accelerations of efforts 1 under
// A q'' = 0,
//     C q'' = C q''₀ + T u,   T = C R,   cost |y|² for u = W y,   B = T W.
// With every coordinate actuated and Gauss's measure as the cost, W = L (M = L Lᵀ) and B = C L⁻ᵀ:
// B⁺ r is then the control force of P2 33 in scaled form.
#include "solve/control/reach.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <limits>

namespace lacon::solving::inline control {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

MatrixX rows_or_none(MatrixView A, Index cols) {
    return A.rows() == 0 ? MatrixX(0, cols) : to_eigen(A);
}

}  // namespace

SolveOptions::Path orthogonal_path(const SolveOptions& options) {
    return options.path == SolveOptions::Path::ldlt ? SolveOptions::Path::automatic : options.path;
}

ControlledMotion::ControlledMotion(const ControlProblem& problem,
                                   const ControlSurroundings& surroundings,
                                   const SolveOptions& options)
    : problem_(problem), options_(options), surroundings_(surroundings) {
    outcome = factor_.factor(problem.M, problem.A, options);
    if (outcome == Outcome::ok && !surroundings.load_rows.empty()) couple();
    double residual = 0.0;
    if (outcome == Outcome::ok) uncontrolled = move(to_eigen(problem.Q), &residual).acceleration;
    if (outcome == Outcome::no_force) return;
    if (outcome != Outcome::ok || residual > options.consistency_tol) {
        outcome =
            solve(ConstrainedProblem{problem.M, problem.Q, problem.A, problem.b}, options).outcome;
    }
    if (outcome == Outcome::ok) mass = measure(to_eigen(problem.M));
}

ControlledMotion::Motion ControlledMotion::move(const VectorX& force, double* residual) const {
    Motion motion{VectorX(force.size()), VectorX(static_cast<Index>(problem_.b.size()))};
    const std::span<const double> f(force.data(), problem_.Q.size());
    const std::span<double> x(motion.acceleration.data(), problem_.Q.size());
    const std::span<double> lambda(motion.multipliers.data(), problem_.b.size());
    const double left =
        factor_.solve(ConstrainedFactor::Nearby{problem_.M, problem_.A}, f, problem_.b, x, lambda);
    if (residual) *residual = left;
    add_loads(motion);
    return motion;
}

// With (x, λ) under a force alone and (X, Λ) those under the columns of K: λ_L = (λ + Λ λ_L)_L, and
// x + X λ_L is the motion.
void ControlledMotion::couple() {
    const std::size_t n = problem_.Q.size(), m = problem_.b.size(),
                      loads = surroundings_.load_rows.size();
    moved_by_loads_.resize(static_cast<Index>(n), static_cast<Index>(loads));
    held_by_loads_.resize(static_cast<Index>(m), static_cast<Index>(loads));
    const std::vector<double> zero(m);
    std::vector<double> force(n);
    for (std::size_t j = 0; j < loads; ++j) {
        for (std::size_t i = 0; i < n; ++i) force[i] = (*surroundings_.load_rates)(i, j);
        const auto column = static_cast<Index>(j);
        factor_.solve(force, zero, {moved_by_loads_.col(column).data(), n},
                      {held_by_loads_.col(column).data(), m});
    }
    MatrixX own = MatrixX::Identity(static_cast<Index>(loads), static_cast<Index>(loads));
    for (std::size_t i = 0; i < loads; ++i)
        own.row(static_cast<Index>(i)) -=
            held_by_loads_.row(static_cast<Index>(surroundings_.load_rows[i]));
    own_loads_.compute(own);
    // Painlevé's: loads that answer to themselves have no bound.
    constexpr double threshold = 1e-12;
    if (!own.allFinite() || !(own_loads_.rcond() > threshold)) outcome = Outcome::no_force;
}

void ControlledMotion::add_loads(Motion& motion) const {
    if (surroundings_.load_rows.empty()) return;
    VectorX loads(own_loads_.rows());
    for (Index i = 0; i < loads.size(); ++i)
        loads(i) = motion.multipliers(
            static_cast<Index>(surroundings_.load_rows[static_cast<std::size_t>(i)]));
    loads = own_loads_.solve(loads).eval();
    motion.acceleration += moved_by_loads_ * loads;
    motion.multipliers += held_by_loads_ * loads;
}

VectorX ControlledMotion::response(Index effort) const {
    const std::size_t n = problem_.Q.size(), m = problem_.b.size();
    VectorX force(static_cast<Index>(n));
    Motion motion{VectorX(static_cast<Index>(n)), VectorX(static_cast<Index>(m))};
    for (std::size_t i = 0; i < n; ++i)
        force(static_cast<Index>(i)) = problem_.F(i, static_cast<std::size_t>(effort));
    const std::vector<double> zero(m);
    factor_.solve({force.data(), n}, zero, {motion.acceleration.data(), n},
                  {motion.multipliers.data(), m});
    add_loads(motion);
    return motion.acceleration;
}

VectorX ControlledMotion::force(const VectorX& u) const {
    VectorX force = to_eigen(problem_.Q);
    if (u.size() > 0) force += to_eigen(problem_.F) * u;
    return force;
}

ControlledMotion::Motion ControlledMotion::under(const VectorX& u) const {
    return move(force(u), nullptr);
}

// The part of λ in the column space of A. It needs a rank of its own, of rows as they are; where
// that is another one than the rank of the constraints, whose rows are scaled, the longer way is
// taken.
VectorX ControlledMotion::least_multipliers(const Motion& motion, const VectorX& u) const {
    if (factor_.rank() == problem_.b.size()) return motion.multipliers;
    const MatrixX A = to_eigen(problem_.A) * mass.d.asDiagonal();
    const RowSpace columns = decide_rank_of_scaled(A, VectorX::Ones(A.cols()),
                                                   orthogonal_path(options_), options_.rank_tol);
    const bool same_rank = columns.rank == static_cast<Index>(factor_.rank());
    if (same_rank || !surroundings_.load_rows.empty())
        return columns.U * (columns.U.transpose() * motion.multipliers);
    const std::vector<double> Q = to_std(force(u));
    const ConstrainedSolution least =
        solve(ConstrainedProblem{problem_.M, Q, problem_.A, problem_.b}, options_);
    return least.outcome == Outcome::ok ? to_eigen(least.multipliers) : motion.multipliers;
}

namespace {

struct EffortCost {
    Outcome outcome = Outcome::ok;
    MatrixX W;  // (p × q): u = W y costs |y|²
    // (p × (p − q)) An orthonormal basis of the efforts that exert no force, orthogonal to W.
    MatrixX idle;
};

// The efforts of these actuators in Gauss's measure, G = L⁻¹ F: G S = U T Vᵀ, S making columns of
// unit length, and u = S V T⁻¹ y costs |U y|². Of all u with the same force the shortest is taken.
EffortCost gauss_cost(const MatrixX& G, const SolveOptions& options, double tol) {
    const RowSpace forces = decide_rank(G, orthogonal_path(options), tol);
    const Index p = G.cols(), q = forces.rank;
    EffortCost cost;
    cost.W = MatrixX(p, 0);
    cost.idle = MatrixX::Identity(p, p);
    if (q == 0) return cost;
    const MatrixX inverse = forces.T.triangularView<Eigen::Lower>().solve(MatrixX::Identity(q, q));
    cost.W = forces.s.asDiagonal() * (forces.V * inverse);
    cost.idle = MatrixX(p, p - q);
    if (q == p) return cost;
    const MatrixX all =
        Eigen::HouseholderQR<MatrixX>(forces.V).householderQ() * MatrixX::Identity(p, p);
    const MatrixX cancelling = forces.s.asDiagonal() * all.rightCols(p - q);
    cost.idle =
        Eigen::HouseholderQR<MatrixX>(cancelling).householderQ() * MatrixX::Identity(p, p - q);
    cost.W -= cost.idle * (cost.idle.transpose() * cost.W);
    return cost;
}

// N = D⁻¹ L Lᵀ D⁻¹: u = D L⁻ᵀ y costs |y|².
EffortCost weighted_cost(const MatrixX& N) {
    EffortCost cost;
    const MassMetric metric = measure(N);
    if (metric.kind != MassMetric::Kind::definite) {
        cost.outcome = Outcome::indefinite;
        return cost;
    }
    const Index p = N.rows();
    cost.idle = MatrixX(p, 0);
    cost.W = metric.rows(MatrixX::Identity(p, p)).transpose();
    return cost;
}

EffortCost cost_of(const ControlProblem& problem, const ControlledMotion& motion,
                   const MatrixX& forces, const SolveOptions& options) {
    const Index p = static_cast<Index>(problem.F.cols());
    std::vector<Index> gauss, weighted;
    for (Index j = 0; j < p; ++j) {
        const bool free = problem.gauss.empty() ? problem.N == nullptr
                                                : problem.gauss[static_cast<std::size_t>(j)];
        (free ? gauss : weighted).push_back(j);
    }
    EffortCost cost;
    if (!gauss.empty() && motion.mass.kind != MassMetric::Kind::definite) {
        cost.outcome = Outcome::undetermined;
        return cost;
    }
    EffortCost mine{Outcome::ok, MatrixX(0, 0), MatrixX(0, 0)}, given = mine;
    if (!gauss.empty())
        mine =
            gauss_cost(forces(Eigen::all, gauss), options, motion.mass.rank_tol(options.rank_tol));
    if (!weighted.empty()) given = weighted_cost(to_eigen(*problem.N)(weighted, weighted));
    cost.outcome = given.outcome;
    if (cost.outcome != Outcome::ok) return cost;
    cost.W = MatrixX::Zero(p, given.W.cols() + mine.W.cols());
    cost.idle = MatrixX::Zero(p, mine.idle.cols());
    cost.W(weighted, Eigen::seqN(0, given.W.cols())) = given.W;
    cost.W(gauss, Eigen::seqN(given.W.cols(), mine.W.cols())) = mine.W;
    cost.idle(gauss, Eigen::all) = mine.idle;
    return cost;
}

// T = C R (k × p), and what its rounding comes from: the whole lengths of a row and a force in the
// metric of the mass; where M is singular, the terms.
struct Responses {
    MatrixX T, noise;
    VectorX length;  // of the rows (k)
};

Responses responses(const MatrixX& C, const ControlledMotion& motion, const MatrixX& forces,
                    Index p) {
    // A sum and two triangular solves: some dozens of roundings.
    constexpr double rounding = 64.0 * std::numeric_limits<double>::epsilon();
    const bool definite = motion.mass.kind == MassMetric::Kind::definite;
    Responses found{MatrixX(C.rows(), p), MatrixX(C.rows(), p), VectorX()};
    found.length = definite ? VectorX(motion.mass.rows(C).colwise().norm())
                            : VectorX((C * motion.mass.d.asDiagonal()).rowwise().norm());
    for (Index j = 0; j < p; ++j) {
        const VectorX x = motion.response(j);
        found.noise.col(j) =
            definite ? VectorX(found.length * (forces.col(j).norm() * motion.mass.condition))
                     : VectorX(C.cwiseAbs() * x.cwiseAbs());
        const VectorX column = C * x;
        found.T.col(j) =
            (column.array().abs() <= rounding * found.noise.col(j).array()).select(0.0, column);
    }
    return found;
}

// The coordinates x: W and the idle efforts in comparable units.
void take_coordinates(Reach& reach, const Responses& found, const EffortCost& cost) {
    const Index p = cost.W.rows(), q = cost.W.cols(), k = found.T.rows();
    reach.costly = q;
    reach.s = VectorX::Ones(k);
    for (Index i = 0; i < k; ++i)
        if (found.length(i) > 0.0) reach.s(i) = 1.0 / found.length(i);
    MatrixX TW = found.T * cost.W;
    const double norm = (reach.s.asDiagonal() * TW).norm();
    reach.unit = norm > 0.0 ? norm : 1.0;
    TW /= reach.unit;
    for (Index i = 0; i < k; ++i)
        if (reach.s(i) * TW.row(i).norm() <= reach.tol) TW.row(i).setZero();
    reach.X = MatrixX::Zero(p, p);
    reach.X.leftCols(q) = cost.W / reach.unit;
    const double scale =
        q > 0 ? reach.X.leftCols(q).norm() / std::sqrt(static_cast<double>(q)) : 1.0;
    reach.X.rightCols(p - q) = scale * cost.idle;
    reach.B = MatrixX::Zero(k, p);
    reach.B.leftCols(q) = TW;
}

}  // namespace

Reach reach_of(const ControlProblem& problem, const ControlledMotion& motion,
               const ControlSurroundings& surroundings, const SolveOptions& options) {
    const Index n = static_cast<Index>(problem.M.rows()), p = static_cast<Index>(problem.F.cols());
    const Index k = static_cast<Index>(problem.d.size());
    Reach reach;
    MatrixX C = rows_or_none(problem.C, n);
    VectorX d = to_eigen(problem.d);
    reach.one_sided.assign(problem.d.size(), false);
    for (Index i = 0; i < k && !problem.sense.empty(); ++i) {
        const int sense = problem.sense[static_cast<std::size_t>(i)];
        reach.one_sided[static_cast<std::size_t>(i)] = sense != 0;
        if (sense < 0) {
            C.row(i) *= -1.0;
            d(i) *= -1.0;
        }
    }
    const bool definite = motion.mass.kind == MassMetric::Kind::definite;
    const MatrixX forces =
        definite && p > 0 ? motion.mass.rows(to_eigen(problem.F).transpose()) : MatrixX(n, p);
    const EffortCost cost = cost_of(problem, motion, forces, options);
    reach.outcome = cost.outcome;
    if (reach.outcome != Outcome::ok) return reach;
    reach.tol = motion.mass.rank_tol(options.rank_tol);
    reach.r = d - C * motion.uncontrolled;
    reach.size = d.cwiseAbs() + C.cwiseAbs() * motion.uncontrolled.cwiseAbs();
    const Responses found = responses(C, motion, forces, p);
    reach.noise = found.noise;
    const double length =
        definite ? motion.mass.scaled_force(to_eigen(problem.Q)).norm() * motion.mass.condition
                 : 0.0;
    reach.weight = length * found.length;
    // As SolveOptions::consistency_tol says: below 100 places a row counts as met.
    constexpr double rounding = 100.0 * std::numeric_limits<double>::epsilon();
    reach.balance = surroundings.contacts_hold ? 1.0 : rounding / options.consistency_tol;
    take_coordinates(reach, found, cost);
    reach.rows = decide_rank_of_scaled((reach.s.asDiagonal() * reach.B).transpose(), reach.s,
                                       orthogonal_path(options), reach.tol);
    reach.low = problem.low.empty() ? VectorX::Constant(p, -infinity) : to_eigen(problem.low);
    reach.high = problem.high.empty() ? VectorX::Constant(p, infinity) : to_eigen(problem.high);
    return reach;
}

}  // namespace lacon::solving::control
