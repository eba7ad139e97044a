// The evaluator beside Mechanism::evaluate, for every kind of model; and that it allocates nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <random>

#include "lacon/mechanism.hpp"

namespace {

std::atomic<std::size_t> allocations = 0;

void* counted(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size ? size : 1)) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
    return counted(size);
}
void* operator new[](std::size_t size) {
    return counted(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size ? size : 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size ? size : 1);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace lacon {
namespace {

const char* const hanging_chain =
    "param N = 6\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) mass 1 + 0.1*i for i in "
    "1..N\ngravity (0, -9.81)\nconstraint first: x[1]^2 + y[1]^2 = 1\n"
    "constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 for i in 2..N\n"
    "start x[i] ~ 0.8*i for i in 1..N\nstart y[i] ~ -0.6*i for i in 1..N\n"
    "start x[i]' ~ 0.1*i for i in 1..N\n";
/// The same rod three times, of different weights.
const char* const thrice =
    "coord x, y\nparticle bob at (x, y) mass 2\ngravity (0, -10)\n"
    "constraint a: x^2 + y^2 = 1 weight 1\nconstraint b: 3*x^2 + 3*y^2 = 3 weight 2\n"
    "constraint c: x^2 = 1 - y^2 weight 4\nstart x = 0.6, y ~ -0.8, x' = 1\n";

void expect_near(std::span<const double> a, std::span<const double> b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    double size = 1.0;
    for (const double x : b) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * size) << i;
}

void expect_same_answer(const Evaluator& fast, const Evaluation& at) {
    ASSERT_TRUE(at.status);
    expect_near(fast.acceleration(), at.solution.acceleration, 1e-11);
    expect_near(fast.multipliers(), at.solution.multipliers, 1e-11);
    EXPECT_EQ(fast.rank(), at.solution.rank);
    std::vector<double> force = at.solution.constraint_force;
    for (std::size_t i = 0; i < at.solution.nonideal_force.size(); ++i)
        force[i] += at.solution.nonideal_force[i];
    expect_near(fast.constraint_force(), force, 1e-11);
    expect_near(fast.Q(), at.Q, 0.0);
    expect_near(fast.b(), at.b, 0.0);
}

TEST(Evaluator, GivesTheNumbersOfEvaluateForEveryModelWithAStart) {
    std::size_t compared = 0;
    for (const auto& file : std::filesystem::directory_iterator(LACON_SOURCE_DIR "/models")) {
        if (file.path().extension() != ".lac") continue;
        const Mechanism mechanism = Mechanism::load(file.path());
        if (mechanism.coordinates().size() > 200) continue;  // many seconds of careful solves
        const Start start = mechanism.start();
        if (!start.status) continue;
        SCOPED_TRACE(file.path());
        Evaluator fast(mechanism);
        const Evaluation at = mechanism.evaluate(start.state);
        EXPECT_EQ(fast.evaluate(start.state), static_cast<bool>(at.status));
        EXPECT_EQ(fast.status().outcome, at.status.outcome);
        if (at.status) expect_same_answer(fast, at);
        if (at.status) ++compared;
    }
    EXPECT_GT(compared, 20U);
}

TEST(Evaluator, RedundantRowsShareTheForceByTheirWeights) {
    const Mechanism mechanism = Mechanism::parse(thrice);
    const State state = mechanism.start().state;
    Evaluator fast(mechanism);
    ASSERT_TRUE(fast.evaluate(state));
    EXPECT_EQ(fast.rank(), 1U);
    expect_same_answer(fast, mechanism.evaluate(state));
}

TEST(Evaluator, ViewsHaveTheShapesOfTheEquations) {
    const Mechanism mechanism = Mechanism::parse(hanging_chain);
    const Evaluation at = mechanism.evaluate(mechanism.start().state);
    Evaluator fast(mechanism);
    ASSERT_TRUE(fast.evaluate(at.state));
    ASSERT_EQ(fast.M().rows(), 12U);
    ASSERT_EQ(fast.A().rows(), 6U);
    ASSERT_EQ(fast.A().cols(), 12U);
    EXPECT_TRUE(std::ranges::equal(fast.M().values(), MatrixView(at.M).values()));
    EXPECT_TRUE(std::ranges::equal(fast.A().row(3), at.A.row(3)));
}

TEST(Evaluator, AllocatesNothingAfterTheFirstCall) {
    for (const char* text : {hanging_chain, thrice}) {
        const Mechanism mechanism = Mechanism::parse(text);
        State state = mechanism.start().state;
        Evaluator fast(mechanism);
        ASSERT_TRUE(fast.evaluate(state));
        std::mt19937 random(1);
        std::uniform_real_distribution<double> push(-1.0, 1.0);
        const std::size_t before = allocations;
        bool fine = true;
        for (int i = 0; i < 100; ++i) {
            for (double& v : state.v) v += 1e-3 * push(random);
            state.v[1] = -state.q[0] * state.v[0] / state.q[1];  // on the first constraint
            fine = fast.evaluate(state) && fine;
        }
        EXPECT_EQ(allocations - before, 0U);
        EXPECT_TRUE(fine);
    }
}

/// Two blocks on a floor. The second is pulled up by x newtons: beyond 10 it lifts.
const char* const two_blocks =
    "coord y1, y2, x\nparticle a at (x, y1) mass 2\nparticle b at (x, y2) mass 1\n"
    "gravity (0, -10)\nforce y2 = x\nconstraint one: y1 >= 0\nconstraint two: y2 >= 0\n"
    "start y1 = 0, y2 = 0, x = 1\n";

TEST(Evaluator, WithContactsThatStayClosedAllocatesNothingEither) {
    const Mechanism mechanism = Mechanism::parse(two_blocks);
    State state = mechanism.start().state;
    Evaluator fast(mechanism);
    ASSERT_TRUE(fast.evaluate(state)) << fast.status().message;
    const std::size_t before = allocations;
    for (int i = 0; i < 10; ++i) {
        state.q[2] += 0.5;
        ASSERT_TRUE(fast.evaluate(state));
        EXPECT_NEAR(fast.multipliers()[0], 20.0, 1e-12);
        EXPECT_NEAR(fast.multipliers()[1], 10.0 - state.q[2], 1e-12);
        EXPECT_NEAR(fast.acceleration()[1], 0.0, 1e-12);
    }
    EXPECT_EQ(allocations - before, 0U);
}

TEST(Evaluator, DecidesAnewWhereAContactOpensOrCloses) {
    const Mechanism mechanism = Mechanism::parse(two_blocks);
    State state = mechanism.start().state;
    Evaluator fast(mechanism);
    for (const double x : {1.0, 9.0, 10.0, 11.0, 12.0, 10.0, 9.0}) {
        state.q[2] = x;
        ASSERT_TRUE(fast.evaluate(state)) << x;
        EXPECT_NEAR(fast.acceleration()[1], std::max(0.0, x - 10.0), 1e-12) << x;
        EXPECT_NEAR(fast.multipliers()[1], std::max(0.0, 10.0 - x), 1e-12) << x;
        expect_same_answer(fast, mechanism.evaluate(state));
    }
    state.q[1] = 0.1;  // above the floor
    ASSERT_TRUE(fast.evaluate(state));
    EXPECT_NEAR(fast.acceleration()[1], -1.0, 1e-12);
}

TEST(Evaluator, OfALargeSystemAllocatesNothingEither) {
    const Mechanism chain = Mechanism::parse(hanging_chain, "chain", Settings{{"N", 60.0}});
    State state = chain.start().state;
    Evaluator sparse(chain, {}, Solver::sparse);
    ASSERT_TRUE(sparse.evaluate(state)) << sparse.status().message;
    EXPECT_TRUE(sparse.is_sparse());
    const Evaluation at = chain.evaluate(state, {}, Solver::dense);
    expect_near(sparse.acceleration(), at.solution.acceleration, 1e-10);
    expect_near(sparse.multipliers(), at.solution.multipliers, 1e-10);
    ASSERT_EQ(sparse.sparse_A().rows, 60U);
    const std::size_t before = allocations;
    for (int i = 0; i < 10; ++i) {
        state.v[7] += 1e-3;
        ASSERT_TRUE(sparse.evaluate(state));
    }
    EXPECT_EQ(allocations - before, 0U);
}

TEST(Evaluator, SaysWhatIsWrongWhereThereIsNoAnswer) {
    const Mechanism torn =
        Mechanism::parse("coord x\nkinetic x'^2/2\nconstraint a: x'' = 1\nconstraint b: x'' = 2\n");
    Evaluator fast(torn);
    EXPECT_FALSE(fast.evaluate(0.0, std::vector<double>{0.0}, std::vector<double>{0.0}));
    EXPECT_EQ(fast.status().outcome, Outcome::conflict);
    EXPECT_TRUE(fast.acceleration().empty());
    EXPECT_THROW(fast.evaluate(State{}), std::invalid_argument);
}

TEST(Evaluation, OfALargeMechanismHasSparseMatricesAndTheSameReports) {
    const Mechanism chain = Mechanism::parse(hanging_chain);
    const State state = chain.start().state;
    const Evaluation dense = chain.evaluate(state),
                     sparse = chain.evaluate(state, {}, Solver::sparse);
    ASSERT_TRUE(sparse.status);
    EXPECT_TRUE(sparse.is_sparse);
    EXPECT_EQ(sparse.M.rows(), 0U);
    ASSERT_EQ(sparse.sparse_A.rows, 6U);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(sparse.constraints[i].name, dense.constraints[i].name);
        EXPECT_NEAR(sparse.constraints[i].multiplier, dense.constraints[i].multiplier, 1e-9);
        for (std::size_t e = sparse.sparse_A.begin[i]; e < sparse.sparse_A.begin[i + 1]; ++e)
            EXPECT_EQ(sparse.sparse_A.value[e], dense.A(i, sparse.sparse_A.column[e]));
    }
    expect_near(sparse.solution.acceleration, dense.solution.acceleration, 1e-11);
}

}  // namespace
}  // namespace lacon
