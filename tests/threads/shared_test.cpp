// One mechanism, built once, that many threads use at the same time. What is made from it on first
// use (code, kernels, sparse patterns) is shared. Each thread gets the numbers it gets alone.
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "lacon/simulation.hpp"

namespace lacon {
namespace {

const char* const chain =
    "param N = 4\nparam g = 9.81\ncoord x[1..N], y[1..N]\n"
    "let P[0] = (0, 0)\nlet P[i] = (x[i], y[i]) for i in 1..N\n"
    "particle bob[i] at P[i] mass 1 for i in 1..N\ngravity (0, -g)\n"
    "constraint rod[i]: norm(P[i] - P[i-1]) = 1 for i in 1..N\n"
    "start x[i] = i for i in 1..N\nstart y[i] ~ 0 for i in 1..N\noutput energy\n";

/// What `work` gives in several threads that begin at the same moment.
template <class Work>
auto in_threads(Work work) {
    constexpr std::size_t count = 4;
    std::vector<decltype(work())> results(count);
    std::latch begin(count);
    {
        std::vector<std::jthread> threads;
        for (auto& result : results)
            threads.emplace_back([&] {
                begin.arrive_and_wait();
                result = work();
            });
    }
    return results;
}

template <class Work>
void expect_as_alone(Work work) {
    const auto together = in_threads(work);
    const auto alone = work();
    for (const auto& one : together) EXPECT_EQ(one, alone);
}

/// The numbers of a state.
std::vector<double> numbers(const State& state) {
    std::vector<double> all{state.t};
    all.insert(all.end(), state.q.begin(), state.q.end());
    all.insert(all.end(), state.v.begin(), state.v.end());
    return all;
}

TEST(SharedMechanism, IsRunByManyThreadsToTheSameBits) {
    for (const char* method : {"taylor", "dop853", "adams"}) {
        const Mechanism mechanism = Mechanism::parse(chain);
        expect_as_alone([&] {
            return numbers(
                run(mechanism, {.end = 1.0, .tolerance = 1e-9, .method = method}).summary.final);
        });
    }
}

TEST(SharedMechanism, HasItsCodeCompiledAgainWhereItIsCalledOften) {
    const Mechanism mechanism = Mechanism::parse(chain, "chain", {{"N", 12}});
    const RunOptions options{.end = 3.0, .method = "rk4", .step = 4e-4};  // 30,000 calls
    expect_as_alone([&] { return numbers(run(mechanism, options).summary.final); });
}

TEST(SharedMechanism, IsRunByTheSparseSolveToo) {
    const Mechanism mechanism = Mechanism::parse(chain, "chain", {{"N", 60}});
    expect_as_alone([&] {
        return numbers(
            run(mechanism, {.end = 0.2, .tolerance = 1e-9, .solver = "sparse"}).summary.final);
    });
}

TEST(SharedMechanism, IsEvaluatedByManyThreads) {
    const Mechanism mechanism = Mechanism::parse(chain);
    expect_as_alone(
        [&] { return mechanism.evaluate(mechanism.start().state).solution.acceleration; });
}

TEST(SharedMechanism, GetsOtherValuesInEachThread) {
    const Mechanism mechanism = Mechanism::parse(chain);
    expect_as_alone([&] {
        const Mechanism other = mechanism.with_parameters({{"g", 1.62}});
        return numbers(run(other, {.end = 1.0, .tolerance = 1e-9}).summary.final);
    });
}

TEST(SharedMechanism, IsSimulatedCopiedAndInterrupted) {
    const Mechanism mechanism = Mechanism::parse(chain);
    expect_as_alone([&] {
        Simulation simulation(mechanism, {.end = 1.0, .tolerance = 1e-9});
        simulation.propagate_until(0.5);
        Simulation copy = simulation;
        std::jthread other([&] { simulation.interrupt(); });
        copy.run();
        return numbers(copy.state());
    });
}

}  // namespace
}  // namespace lacon
