// The models of models/large at sizes that dense matrices still take, by both roads; they are the
// same at any size.

#include "lacon/motion.hpp"
#include "model_tests.hpp"
#include "runs.hpp"

namespace lacon::models {
namespace {

/// Laguerre polynomials L_0(z) … L_n(z).
std::vector<double> laguerre(std::size_t n, double z) {
    std::vector<double> L{1.0, 1.0 - z};
    for (std::size_t k = 1; k < n; ++k) {
        const auto j = static_cast<double>(k);
        L.push_back(((2.0 * j + 1.0 - z) * L[k] - j * L[k - 1]) / (j + 1.0));
    }
    return L;
}

/// The least zero of L_n.
double least_zero(std::size_t n) {
    double low = 0.0, high = 2.0 / static_cast<double>(n);  // it lies near 1.446/n
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (low + high);
        (laguerre(n, middle)[n] > 0.0 ? low : high) = middle;
    }
    return low;
}

/// At a state, with sparse matrices.
Evaluation evaluated(const Mechanism& m, const State& state) {
    return m.evaluate(state, {}, Solver::sparse);
}

/// A state of the chain with beads at x (from the top) and links of the right length below each
/// other.
State hanging(const Mechanism& m, const std::vector<double>& x) {
    const std::size_t N = x.size();
    const double l = m.parameter("l");
    State state{0.0, std::vector<double>(2 * N), std::vector<double>(2 * N)};
    for (std::size_t i = 0; i < N; ++i) {
        const double dx = x[i] - (i > 0 ? x[i - 1] : 0.0);
        state.q[i] = x[i];
        state.q[N + i] = (i > 0 ? state.q[N + i - 1] : 0.0) - std::sqrt(l * l - dx * dx);
    }
    return state;
}

TEST(LongChainModel, BeadsFallFreelyAtFirst) {
    const Mechanism m = load("large/chain.lac", {{"N", 300.0}});
    const Evaluation at = evaluated(m, m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    for (std::size_t i = 0; i < 300; ++i) {
        expect_close(at.solution.acceleration[i], 0.0);
        expect_close(at.solution.acceleration[300 + i], -m.parameter("g"));
    }
}

TEST(LongChainModel, AtRestEachLinkCarriesTheBeadsBelowIt) {
    constexpr std::size_t N = 300;
    const Mechanism m = load("large/chain.lac", {{"N", static_cast<double>(N)}});
    const Evaluation at = evaluated(m, hanging(m, std::vector<double>(N, 0.0)));
    ASSERT_TRUE(at.status) << at.status.message;
    const double weight = m.parameter("m") * m.parameter("g");
    for (std::size_t i = 0; i < N; ++i) {
        const auto below = static_cast<double>(N - i);
        expect_close(at.solution.multipliers[i], -weight * below, weight * N);
        expect_close(at.solution.acceleration[i], 0.0);
        expect_close(at.solution.acceleration[N + i], 0.0, m.parameter("g") * N);
    }
}

TEST(LongChainModel, SmallOscillationsAreBernoullis) {
    for (const std::size_t N : {3U, 50U, 400U}) {
        const Mechanism m = load("large/chain.lac", {{"N", static_cast<double>(N)}});
        const double z = least_zero(N), w2 = z * m.parameter("g") / m.parameter("l"), size = 1e-5;
        const std::vector<double> L = laguerre(N, z);
        std::vector<double> x;
        for (std::size_t i = 1; i <= N; ++i) x.push_back(size * L[N - i]);
        const Evaluation at = evaluated(m, hanging(m, x));
        ASSERT_TRUE(at.status) << at.status.message;
        for (std::size_t i = 0; i < N;
             ++i)  // what is left out is of the order of the squared slope
            EXPECT_NEAR(at.solution.acceleration[i], -w2 * x[i], 1e-7 * w2 * size)
                << "bead " << i + 1 << " of " << N;
    }
}

TEST(NetModel, OfTwoByTwoKnotsSwingsAsAPendulum) {
    const Mechanism m = load("large/net.lac", {{"N", 2.0}});
    RunOptions options;
    options.end =
        1.8540746773013719 *
        std::sqrt(m.parameter("l") / m.parameter("g"));  // K(1/√2): a quarter of the swing
    options.tolerance = 1e-13;
    for (const char* solver : {"sparse", "dense"}) {
        SCOPED_TRACE(solver);
        options.solver = solver;
        const Motion motion = run(m, options);
        ASSERT_TRUE(motion.status) << motion.status.message;
        const double l = m.parameter("l"), speed = std::sqrt(2.0 * m.parameter("g") * l);
        const State& end = motion.summary.final;
        for (const std::size_t free : {0U, 2U}) {  // knot[1,1], knot[2,1]
            EXPECT_NEAR(end.q[4 + free], end.q[4 + free + 1], 1e-10);
            EXPECT_NEAR(end.q[8 + free], end.q[8 + free + 1] - l, 1e-10);
            EXPECT_NEAR(end.v[free], 0.0, 1e-10);
            EXPECT_NEAR(end.v[4 + free], speed, 1e-10);
        }
    }
}

TEST(NetModel, LinksSaidTwiceAreFoundAndChangeNothing) {
    const Mechanism once = load("large/net.lac", {{"N", 22.0}}),
                    twice = load("large/net.lac", {{"N", 22.0}, {"D", 3.0}});
    const State state = once.start().state;
    const Evaluation a = evaluated(once, state), b = evaluated(twice, state);
    ASSERT_TRUE(a.status) << a.status.message;
    ASSERT_TRUE(b.status) << b.status.message;
    EXPECT_EQ(a.solution.rank, once.constraints().size());
    EXPECT_EQ(b.solution.rank, a.solution.rank);
    EXPECT_EQ(twice.constraints().size(), once.constraints().size() + 9);
    ASSERT_EQ(b.solution.dependent.size(), 9U);
    for (const DependentSet& set : b.solution.dependent) {
        ASSERT_EQ(set.rows.size(), 2U);
        EXPECT_TRUE(twice.constraints()[set.rows[1]].starts_with("again["));
    }
    for (std::size_t i = 0; i < a.solution.acceleration.size(); ++i)
        EXPECT_NEAR(b.solution.acceleration[i], a.solution.acceleration[i], 1e-9);
}

TEST(NetModel, ItsCornersCarryWhatMovesItsCentre) {
    const Mechanism m = load("large/net.lac", {{"N", 12.0}});
    const Evaluation at = evaluated(m, m.start().state);
    ASSERT_TRUE(at.status) << at.status.message;
    const std::size_t count = 144;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double sum = axis == 2 ? static_cast<double>(count) * m.parameter("g") : 0.0;
        for (std::size_t i = 0; i < count; ++i) sum += at.solution.acceleration[axis * count + i];
        // Of left.x, .y, .z and right.x, .y, .z.
        const double corners = at.solution.multipliers[axis] + at.solution.multipliers[3 + axis];
        expect_close(m.parameter("m") * sum, corners, 144.0 * m.parameter("m") * m.parameter("g"));
    }
}

}  // namespace
}  // namespace lacon::models
