// Others on the matrices that bench_large has written: bench_large_rivals FILE SOLVER [without]
// `without`: the rows said twice are left out. Each on one thread; what depends on the pattern
// alone is not timed. Prints one line of JSON: the seconds of a factorization and a solve, and how
// well A q'' = b holds. SuiteSparse is under the GPL in part, so this is a program of its own, and
// nothing of Lacon is in it.

#include <Eigen/Sparse>
#include <cstdio>
#include <functional>
#include <map>

#include "large_problem.hpp"
#ifdef LACON_SUITESPARSE
#include <cholmod.h>
#include <SuiteSparseQR.hpp>
#endif

namespace {

using Vector = std::vector<double>;
using Sparse = Eigen::SparseMatrix<double>;

struct Answer {
    double symbolic = 0.0, factor = 0.0, solve = 0.0;
    Vector acceleration;
};

double seconds_of(const std::function<void()>& what) {
    const auto begin = std::chrono::steady_clock::now();
    what();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// What regularization adds to the diagonal of S = A M⁻¹ Aᵀ: 1e-10 of its largest entry.
double slight(const LargeProblem& p) {
    double most = 0.0;
    for (std::size_t i = 0; i < p.m; ++i) {
        double sum = 0.0;
        for (std::size_t e = p.begin[i]; e < p.begin[i + 1]; ++e)
            sum += p.A[e] * p.A[e] / p.mass[p.column[e]];
        most = std::max(most, sum);
    }
    return 1e-10 * most;
}

/// [M Aᵀ; A −δ], all of it or its lower triangle.
Sparse bordered(const LargeProblem& p, double delta, bool lower) {
    std::vector<Eigen::Triplet<double, int>> entries;
    const int n = static_cast<int>(p.n);
    for (int i = 0; i < n; ++i) entries.emplace_back(i, i, p.mass[static_cast<std::size_t>(i)]);
    for (std::size_t i = 0; i < p.m; ++i) {
        const int row = n + static_cast<int>(i);
        entries.emplace_back(row, row, -delta);
        for (std::size_t e = p.begin[i]; e < p.begin[i + 1]; ++e) {
            entries.emplace_back(row, static_cast<int>(p.column[e]), p.A[e]);
            if (!lower) entries.emplace_back(static_cast<int>(p.column[e]), row, p.A[e]);
        }
    }
    const auto size = static_cast<Eigen::Index>(p.n + p.m);
    Sparse K(size, size);
    K.setFromTriplets(entries.begin(), entries.end());
    return K;
}

template <class Solver>
Answer by_eigen(const LargeProblem& p, double delta, bool lower) {
    const Sparse K = bordered(p, delta, lower);
    Eigen::VectorXd right(K.rows()), x;
    std::copy(p.Q.begin(), p.Q.end(), right.data());
    std::copy(p.b.begin(), p.b.end(), right.data() + p.n);
    Answer answer;
    Solver solver;
    answer.symbolic = seconds_of([&] { solver.analyzePattern(K); });
    answer.factor = best_seconds([&] {
        solver.factorize(K);
        if (solver.info() != Eigen::Success) throw std::runtime_error("a pivot is zero");
    });
    answer.solve = best_seconds([&] { x = solver.solve(right); });
    answer.acceleration.assign(x.data(), x.data() + p.n);
    return answer;
}

Answer eigen_lu(const LargeProblem& p) {
    return by_eigen<Eigen::SparseLU<Sparse, Eigen::COLAMDOrdering<int>>>(p, 0.0, false);
}
Answer eigen_ldlt(const LargeProblem& p) {
    return by_eigen<Eigen::SimplicialLDLT<Sparse, Eigen::Lower>>(p, 0.0, true);
}
Answer eigen_ldlt_regularized(const LargeProblem& p) {
    return by_eigen<Eigen::SimplicialLDLT<Sparse, Eigen::Lower>>(p, slight(p), true);
}

#ifdef LACON_SUITESPARSE

/// Bᵀ = M^(−1/2) Aᵀ (n × m, by columns) and e = b − A a, a = M⁻¹ Q.
struct Scaled {
    const LargeProblem& p;
    cholmod_common common{};
    cholmod_sparse* Bt = nullptr;
    cholmod_dense* e = nullptr;

    explicit Scaled(const LargeProblem& problem) : p(problem) {
        cholmod_l_start(&common);
        common.print = 0;
        Bt = cholmod_l_allocate_sparse(p.n, p.m, p.A.size(), 1, 1, 0, CHOLMOD_REAL, &common);
        std::copy(p.begin.begin(), p.begin.end(), static_cast<SuiteSparse_long*>(Bt->p));
        std::copy(p.column.begin(), p.column.end(), static_cast<SuiteSparse_long*>(Bt->i));
        e = cholmod_l_allocate_dense(p.m, 1, p.m, CHOLMOD_REAL, &common);
        scale();
    }
    Scaled(const Scaled&) = delete;
    Scaled& operator=(const Scaled&) = delete;
    ~Scaled() {
        cholmod_l_free_sparse(&Bt, &common);
        cholmod_l_free_dense(&e, &common);
        cholmod_l_finish(&common);
    }
    void scale() {
        auto* values = static_cast<double*>(Bt->x);
        for (std::size_t i = 0; i < p.A.size(); ++i)
            values[i] = p.A[i] / std::sqrt(p.mass[p.column[i]]);
        auto* right = static_cast<double*>(e->x);
        for (std::size_t i = 0; i < p.m; ++i) {
            right[i] = p.b[i];
            for (std::size_t k = p.begin[i]; k < p.begin[i + 1]; ++k)
                right[i] -= p.A[k] * p.Q[p.column[k]] / p.mass[p.column[k]];
        }
    }
};

Answer cholmod(const LargeProblem& p, double delta) {
    Scaled s(p);
    cholmod_common* c = &s.common;
    c->supernodal = CHOLMOD_SUPERNODAL;
    c->quick_return_if_not_posdef = 1;
    cholmod_sparse* B = cholmod_l_transpose(s.Bt, 1, c);
    cholmod_factor* L = nullptr;
    Answer answer;
    answer.symbolic = seconds_of([&] { L = cholmod_l_analyze(B, c); });
    double beta[2] = {delta, 0.0};
    answer.factor = best_seconds([&] {  // of B Bᵀ + δ, which is formed on the way
        s.scale();
        cholmod_l_free_sparse(&B, c);
        B = cholmod_l_transpose(s.Bt, 1, c);
        cholmod_l_factorize_p(B, beta, nullptr, 0, L, c);
        if (c->status != CHOLMOD_OK) throw std::runtime_error("not positive definite");
    });
    answer.acceleration.resize(p.n);
    answer.solve = best_seconds([&] {
        cholmod_dense* lambda = cholmod_l_solve(CHOLMOD_A, L, s.e, c);
        const auto* l = static_cast<const double*>(lambda->x);
        Vector force = p.Q;
        for (std::size_t i = 0; i < p.m; ++i)
            for (std::size_t k = p.begin[i]; k < p.begin[i + 1]; ++k)
                force[p.column[k]] += p.A[k] * l[i];
        for (std::size_t j = 0; j < p.n; ++j) answer.acceleration[j] = force[j] / p.mass[j];
        cholmod_l_free_dense(&lambda, c);
    });
    cholmod_l_free_sparse(&B, c);
    cholmod_l_free_factor(&L, c);
    return answer;
}
Answer cholmod_plain(const LargeProblem& p) {
    return cholmod(p, 0.0);
}
Answer cholmod_regularized(const LargeProblem& p) {
    return cholmod(p, slight(p));
}

/// y = M^(1/2) (q'' − a) is the shortest with B y = e: by the orthogonal factors of Bᵀ.
Answer spqr(const LargeProblem& p) {
    Scaled s(p);
    cholmod_common* c = &s.common;
    SuiteSparseQR_factorization<double>* QR = nullptr;
    Answer answer;
    answer.symbolic =
        seconds_of([&] { QR = SuiteSparseQR_symbolic<double>(SPQR_ORDERING_DEFAULT, 1, s.Bt, c); });
    answer.factor = best_seconds([&] {
        s.scale();
        if (SuiteSparseQR_numeric<double>(SPQR_DEFAULT_TOL, s.Bt, QR, c) == 0)
            throw std::runtime_error("no factorization");
    });
    answer.acceleration.resize(p.n);
    answer.solve = best_seconds([&] {
        cholmod_dense* u = SuiteSparseQR_solve<double>(SPQR_RTX_EQUALS_ETB, QR, s.e, c);
        cholmod_dense* y = SuiteSparseQR_qmult<double>(SPQR_QX, QR, u, c);
        const auto* values = static_cast<const double*>(y->x);
        for (std::size_t j = 0; j < p.n; ++j)
            answer.acceleration[j] = p.Q[j] / p.mass[j] + values[j] / std::sqrt(p.mass[j]);
        cholmod_l_free_dense(&u, c);
        cholmod_l_free_dense(&y, c);
    });
    SuiteSparseQR_free<double>(&QR, c);
    return answer;
}

#endif

const std::map<std::string, Answer (*)(const LargeProblem&)> solvers = {
    {"eigen_lu", eigen_lu},
    {"eigen_ldlt", eigen_ldlt},
    {"eigen_ldlt_regularized", eigen_ldlt_regularized},
#ifdef LACON_SUITESPARSE
    {"cholmod", cholmod_plain},
    {"cholmod_regularized", cholmod_regularized},
    {"spqr", spqr},
#endif
};

double difference(const Vector& a, const Vector& b) {
    double most = 0.0, size = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(a[i] - b[i]));
        size = std::max(size, std::abs(b[i]));
        if (std::isnan(a[i])) return a[i];
    }
    return most / size;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3)
        return std::fprintf(stderr, "usage: bench_large_rivals FILE SOLVER [without]\n"), 2;
    const auto solver = solvers.find(argv[2]);
    if (solver == solvers.end()) return std::printf(R"({"outcome": "missing"})"), 0;
    try {
        LargeProblem problem = LargeProblem::read(argv[1]);
        if (argc > 3) problem.drop_planted();
        const Answer answer = solver->second(problem);
        std::printf(
            R"({"outcome": "ok", "symbolic": %.6g, "factor": %.6g, "solve": %.6g, "residual": "%.3g", "off": "%.3g"})",
            answer.symbolic, answer.factor, answer.solve, problem.residual(answer.acceleration),
            difference(answer.acceleration, problem.answer));
    } catch (const std::exception& error) {
        std::printf(R"({"outcome": "%s"})", error.what());
    }
}
