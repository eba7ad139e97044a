// A pendulum of length 1 must fall as q'' = -g sin q.

#include <cmath>
#include <cstdio>
#include <lacon/mechanism.hpp>

int main() {
    const double g = 9.81, angle = 0.7;
    const auto pendulum = lacon::Mechanism::parse(R"(
coord q
particle bob at (sin(q), -cos(q)) mass 2
gravity (0, -9.81)
start q = 0.7
)");
    const auto at = pendulum.evaluate(pendulum.start().state);
    if (!at.status) return std::puts(at.status.message.c_str()), 1;
    const double error = at.solution.acceleration[0] + g * std::sin(angle);
    std::printf("q'' + g sin q = %g\n", error);
    return std::abs(error) < 1e-13 ? 0 : 1;
}
