// Written by hand in minimal coordinates, as well as it can be: angles of a chain with the number
// of links known to the compiler, or the crank's angle alone; Boost.Odeint's fehlberg78. The method
// `reference` does the same in long double.
//
//     chain:     Σ_j μ_ij l_j (cos(θ_i − θ_j) θ_j'' + sin(θ_i − θ_j) θ_j'²) = −μ_ii g cos θ_i,
//                μ_ij = masses at or below both
//     four-bar:  I(a) a'' + I_1(a) a'²/2 = −V_1(a),   _1: the derivative by a

#include <array>
#include <boost/numeric/odeint.hpp>
#include <stdexcept>

#include "peer.hpp"

namespace {

using peer::Task;

template <int N, class Real>
struct ChainField {
    using State = std::array<Real, 2 * N>;
    Real mu[N], l[N];

    explicit ChainField(const Task& task) {
        Real below = 0;
        for (int i = N - 1; i >= 0; --i) {
            mu[i] = below += Real(task.masses[i]);
            l[i] = task.lengths[i];
        }
    }

    void operator()(const State& s, State& rate, Real /*t*/) const {
        using std::cos, std::sin;
        Real c[N], si[N], L[N][N], a[N];
        for (int i = 0; i < N; ++i) c[i] = cos(s[i]), si[i] = sin(s[i]);
        for (int i = 0; i < N; ++i) {  // the matrix of the angles times l, and its right side
            a[i] = -mu[i] * Real(peer::gravity) * c[i] * l[i];
            for (int j = 0; j < N; ++j) {
                const Real weight = (i > j ? mu[i] : mu[j]) * l[i] * l[j];
                a[i] -= weight * (si[i] * c[j] - c[i] * si[j]) * s[N + j] * s[N + j];
                if (j <= i) L[i][j] = weight * (c[i] * c[j] + si[i] * si[j]);
            }
        }
        for (int j = 0; j < N; ++j)  // L D Lᵀ; above the diagonal L D
            for (int i = j; i < N; ++i) {
                for (int k = 0; k < j; ++k) L[i][j] -= L[i][k] * L[k][j];
                if (i > j) {
                    L[j][i] = L[i][j];
                    L[i][j] /= L[j][j];
                }
            }
        for (int i = 0; i < N; ++i)
            for (int k = 0; k < i; ++k) a[i] -= L[i][k] * a[k];
        for (int i = N - 1; i >= 0; --i) {
            a[i] /= L[i][i];
            for (int k = i + 1; k < N; ++k) a[i] -= L[k][i] * a[k];
        }
        for (int i = 0; i < N; ++i) rate[i] = s[N + i], rate[N + i] = a[i];
    }
};

template <class Real>
struct FourBarField {
    using State = std::array<Real, 2>;
    Task::FourBar bars;

    explicit FourBarField(const Task& task) : bars(task.bars) {}

    void operator()(const State& s, State& rate, Real /*t*/) const {
        using std::cos, std::sin;
        const Real l1 = bars.crank, l2 = bars.coupler, l3 = bars.rocker, rho = bars.density,
                   ca = cos(s[0]), sa = sin(s[0]);
        const auto [cb, sb, cc, sc, b_1, c_1] = peer::close(bars, ca, sa);
        const Real sin_ca = sc * ca - cc * sa, cos_ca = cc * ca + sc * sa,
                   sin_ba = sb * ca - cb * sa, cos_ba = cb * ca + sb * sa;
        const Real sin_cb = sc * cb - cc * sb, cos_cb = cc * cb + sc * sb, square = sin_cb * sin_cb;
        const Real b_2 =
            -l1 / l2 * (cos_ca * (c_1 - 1) * sin_cb - sin_ca * cos_cb * (c_1 - b_1)) / square;
        const Real c_2 =
            -l1 / l3 * (cos_ba * (b_1 - 1) * sin_cb - sin_ba * cos_cb * (c_1 - b_1)) / square;
        const Real m2 = rho * l2, I1 = rho * l1 * l1 * l1 / 3, I2 = rho * l2 * l2 * l2 / 3,
                   I3 = rho * l3 * l3 * l3 / 3;
        const Real I =
            I1 + m2 * l1 * l1 + I2 * b_1 * b_1 + I3 * c_1 * c_1 + m2 * l1 * l2 * b_1 * cos_ba;
        const Real half_I_1 = I2 * b_1 * b_2 + I3 * c_1 * c_2 +
                              m2 * l1 * l2 * (b_2 * cos_ba - b_1 * sin_ba * (b_1 - 1)) / 2;
        const Real moments = rho * l1 * l1 * ca / 2 + rho * l3 * l3 * cc * c_1 / 2 +
                             m2 * (l1 * ca + l2 * cb * b_1 / 2);
        rate = {s[1], -(half_I_1 * s[1] * s[1] + Real(peer::gravity) * moments) / I};
    }
};

template <class DenseField, class Real>
std::vector<double> integrate(const Task& task, const DenseField& field) {
    using State = typename DenseField::State;
    namespace odeint = boost::numeric::odeint;
    constexpr std::size_t n = std::tuple_size_v<State> / 2;
    const peer::Angles start = task.start();
    State s;
    for (std::size_t i = 0; i < n; ++i) s[i] = start.q[i], s[n + i] = start.v[i];
    const auto tolerance = static_cast<Real>(task.value);
    const auto stepper =
        odeint::make_controlled<odeint::runge_kutta_fehlberg78<State, Real>>(tolerance, tolerance);
    odeint::integrate_adaptive(stepper, std::cref(field), s, Real(0), static_cast<Real>(task.end),
                               Real(0.01));
    std::vector<Real> q(s.begin(), s.begin() + n), v(s.begin() + n, s.end());
    if (!task.is_chain) {
        const auto at = peer::close(task.bars, std::cos(q[0]), std::sin(q[0]));
        q.insert(q.end(), {std::atan2(at.sin_b, at.cos_b), std::atan2(at.sin_c, at.cos_c)});
        v.insert(v.end(), {at.b_1 * v[0], at.c_1 * v[0]});
    }
    return peer::joints(task, q, v);
}

template <class Real>
std::vector<double> run(const Task& task) {
    if (!task.is_chain) return integrate<FourBarField<Real>, Real>(task, FourBarField<Real>(task));
    switch (task.masses.size()) {
        case 2: return integrate<ChainField<2, Real>, Real>(task, ChainField<2, Real>(task));
        case 5: return integrate<ChainField<5, Real>, Real>(task, ChainField<5, Real>(task));
        case 10: return integrate<ChainField<10, Real>, Real>(task, ChainField<10, Real>(task));
        default: throw std::invalid_argument("chains of 2, 5 and 10 links only");
    }
}

}  // namespace

int main(int argc, char** argv) {
    return peer::report(argc, argv, [](const Task& task) {
        return [&task] {
            return task.method == "reference" ? run<long double>(task) : run<double>(task);
        };
    });
}
