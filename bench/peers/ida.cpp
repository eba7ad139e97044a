// SUNDIALS IDA on the equations of index 1, with their exact Jacobian. The unknowns are the joints'
// positions q, velocities v and one multiplier a bar; φ = |d|²/2 for the bar d between two joints,
// so A(q) is linear in q:
//
//     q' = v,   M v' = Q + A(q)ᵀ λ,   A(q) v' + A(v) v = 0
//
// Drift off the constraints is left as it is. Uniform bars have the constant mass matrix m/6 [2 1;
// 1 2] of their ends.

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <memory>
#include <stdexcept>

#include "peer.hpp"

namespace {

using peer::Task;

struct Linkage {
    int n = 0, m = 0;             // joints; bars
    std::vector<double> M;        // n × n, the same in x and y
    std::vector<double> weights;  // mass at a joint, as gravity sees it
    std::vector<int> from, to;    // of a bar; −1: a fixed point
    std::vector<double> start;    // x, y, x', y'
    double ground = 0.0;  // the fixed point of the last bar is (ground, 0), of the first (0, 0)

    explicit Linkage(const Task& task) {
        n = task.is_chain ? static_cast<int>(task.masses.size()) : 2;
        M.resize(n * n);
        weights.resize(n);
        if (task.is_chain) {
            for (int i = 0; i < n; ++i) {
                M[i * n + i] = weights[i] = task.masses[i];
                from.push_back(i - 1);
                to.push_back(i);
            }
        } else {
            ground = task.bars.ground;
            from = {-1, 0, -1};
            to = {0, 1, 1};
            const double masses[] = {task.bars.crank, task.bars.coupler, task.bars.rocker};
            for (int k = 0; k < 3; ++k)
                for (const int i : {from[k], to[k]})
                    if (i >= 0) {
                        weights[i] += task.bars.density * masses[k] / 2;
                        for (const int j : {from[k], to[k]})
                            if (j >= 0)
                                M[i * n + j] += task.bars.density * masses[k] / (i == j ? 3 : 6);
                    }
        }
        m = static_cast<int>(from.size());
        const auto angles = task.start();
        start = peer::joints(task, angles.q, angles.v);
    }

    int size() const { return 4 * n + m; }
    /// The part along `axis` of bar k: of a position, velocity or acceleration given as x, y.
    double along(const double* s, int k, int axis, bool is_position) const {
        const double fixed = is_position && axis == 0 && k > 0 ? ground : 0.0;
        return s[axis * n + to[k]] - (from[k] < 0 ? fixed : s[axis * n + from[k]]);
    }
};

int residual(double /*t*/, N_Vector y, N_Vector rate, N_Vector result, void* user) {
    const auto& is = *static_cast<const Linkage*>(user);
    const int n = is.n;
    const double *q = N_VGetArrayPointer(y), *v = q + 2 * n, *lambda = q + 4 * n,
                 *dq = N_VGetArrayPointer(rate), *dv = dq + 2 * n;
    double *r = N_VGetArrayPointer(result), *force = r + 2 * n, *closing = r + 4 * n;
    for (int i = 0; i < 2 * n; ++i) r[i] = dq[i] - v[i];
    for (int axis = 0; axis < 2; ++axis)
        for (int i = 0; i < n; ++i) {
            double sum = axis == 1 ? is.weights[i] * peer::gravity : 0.0;
            for (int j = 0; j < n; ++j) sum += is.M[i * n + j] * dv[axis * n + j];
            force[axis * n + i] = sum;
        }
    for (int k = 0; k < is.m; ++k) {
        closing[k] = 0.0;
        for (int axis = 0; axis < 2; ++axis) {
            const double d = is.along(q, k, axis, true), rate_d = is.along(v, k, axis, false);
            closing[k] += d * is.along(dv, k, axis, false) + rate_d * rate_d;
            force[axis * n + is.to[k]] -= d * lambda[k];
            if (is.from[k] >= 0) force[axis * n + is.from[k]] += d * lambda[k];
        }
    }
    return 0;
}

int jacobian(double /*t*/, double c, N_Vector y, N_Vector rate, N_Vector, SUNMatrix J, void* user,
             N_Vector, N_Vector, N_Vector) {
    const auto& is = *static_cast<const Linkage*>(user);
    const int n = is.n, v0 = 2 * n, l0 = 4 * n;
    const double *q = N_VGetArrayPointer(y), *v = q + v0, *lambda = q + l0,
                 *dv = N_VGetArrayPointer(rate) + v0;
    SUNMatZero(J);
    const auto at = [&](int row, int column) -> double& { return SM_ELEMENT_D(J, row, column); };
    for (int i = 0; i < 2 * n; ++i) at(i, i) = c, at(i, v0 + i) = -1.0;
    for (int axis = 0; axis < 2; ++axis) {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                at(v0 + axis * n + i, v0 + axis * n + j) = c * is.M[i * n + j];
        for (int k = 0; k < is.m; ++k) {
            const double d = is.along(q, k, axis, true);
            const std::pair<int, double> ends[] = {{is.to[k], 1.0}, {is.from[k], -1.0}};
            for (const auto& [i, sign] : ends) {
                if (i < 0) continue;
                const int p = axis * n + i;
                at(v0 + p, l0 + k) -= sign * d;
                at(l0 + k, v0 + p) += sign * (c * d + 2.0 * is.along(v, k, axis, false));
                at(l0 + k, p) += sign * is.along(dv, k, axis, false);
                for (const auto& [j, other] : ends)
                    if (j >= 0) at(v0 + p, axis * n + j) -= sign * other * lambda[k];
            }
        }
    }
    return 0;
}

void check(int flag, const char* what) {
    if (flag < 0) throw std::runtime_error(std::string(what) + ": " + IDAGetReturnFlagName(flag));
}

/// IDA with all it needs, at a start made consistent by itself.
class Solver {
public:
    explicit Solver(const Task& task) : linkage_(task), end_(task.end) {
        const int n = linkage_.n, size = linkage_.size();
        SUNContext_Create(nullptr, &context_);
        for (N_Vector* vector : {&y_, &rate_, &y0_, &rate0_, &kind_}) {
            *vector = N_VNew_Serial(size, context_);
            N_VConst(0.0, *vector);
        }
        std::copy(linkage_.start.begin(), linkage_.start.end(), N_VGetArrayPointer(y0_));
        std::copy(linkage_.start.begin() + 2 * n, linkage_.start.end(), N_VGetArrayPointer(rate0_));
        std::fill_n(N_VGetArrayPointer(kind_), 4 * n, 1.0);  // the multipliers have no derivative
        memory_ = IDACreate(context_);
        IDASetErrFile(memory_, nullptr);
        check(IDAInit(memory_, residual, 0.0, y0_, rate0_), "init");
        IDASStolerances(memory_, task.value, task.value);
        IDASetUserData(memory_, &linkage_);
        IDASetMaxNumSteps(memory_, 10'000'000);
        IDASetId(memory_, kind_);
        IDASetSuppressAlg(memory_, true);
        matrix_ = SUNDenseMatrix(size, size, context_);
        linear_ = SUNLinSol_Dense(y_, matrix_, context_);
        IDASetLinearSolver(memory_, linear_, matrix_);
        IDASetJacFn(memory_, jacobian);
        check(IDACalcIC(memory_, IDA_YA_YDP_INIT, 1e-3), "start");
        check(IDAGetConsistentIC(memory_, y0_, rate0_), "start");
    }
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;
    ~Solver() {
        IDAFree(&memory_);
        SUNLinSolFree(linear_);
        SUNMatDestroy(matrix_);
        for (N_Vector vector : {y_, rate_, y0_, rate0_, kind_}) N_VDestroy(vector);
        SUNContext_Free(&context_);
    }

    std::vector<double> run() {
        double t = 0.0;
        check(IDAReInit(memory_, 0.0, y0_, rate0_), "start");
        check(IDASetStopTime(memory_, end_), "stop");
        check(IDASolve(memory_, end_, &t, y_, rate_, IDA_NORMAL), "run");
        const double* end = N_VGetArrayPointer(y_);
        return {end, end + 4 * linkage_.n};
    }

private:
    Linkage linkage_;
    double end_ = 0.0;
    SUNContext context_ = nullptr;
    N_Vector y_ = nullptr, rate_ = nullptr, y0_ = nullptr, rate0_ = nullptr, kind_ = nullptr;
    void* memory_ = nullptr;
    SUNMatrix matrix_ = nullptr;
    SUNLinearSolver linear_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
    return peer::report(argc, argv, [](const Task& task) {
        return [solver = std::make_shared<Solver>(task)] { return solver->run(); };
    });
}
