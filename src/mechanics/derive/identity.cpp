// Evaluates both expressions at random points in [−1.5, 1.5] and stops after 8 points that agree to
// 1e-9. The seed is fixed, so the answer is reproducible. This is a test, not a proof.
#include "mechanics/derive/identity.hpp"

#include <cmath>
#include <random>

#include "expr/program.hpp"
#include "expr/traverse.hpp"

namespace lacon::inline mechanics {

bool numerically_equal(const Graph& graph, Expr a, Expr b) {
    if (a == b) return true;
    const Expr both[] = {a, b};
    const std::vector<Expr> symbols = symbols_in(graph, both);
    const Program program(graph, symbols, both);
    std::vector<double> inputs(symbols.size()), slots(program.slot_count());
    double values[2];
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(-1.5, 1.5);
    int agreed = 0;
    for (int trial = 0; trial < 40 && agreed < 8; ++trial) {
        for (double& x : inputs) x = uniform(random);
        program.run<double>(inputs, slots, values);
        if (!std::isfinite(values[0]) || !std::isfinite(values[1])) continue;
        if (std::abs(values[0] - values[1]) >
            1e-9 * (1.0 + std::abs(values[0]) + std::abs(values[1])))
            return false;
        ++agreed;
    }
    return agreed > 0;
}

}  // namespace lacon::mechanics
