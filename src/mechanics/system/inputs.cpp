// The inputs of programs over a shape.
#include "mechanics/system/inputs.hpp"

namespace lacon::inline mechanics {

std::vector<Expr> inputs_of(const System& system, const Shape& shape) {
    std::vector<Expr> inputs;
    const auto take = [&](const std::vector<Expr>& from, std::size_t count) {
        inputs.insert(inputs.end(), from.begin(),
                      from.begin() + static_cast<std::ptrdiff_t>(count));
    };
    take(system.q, shape.coordinates);
    take(system.v, shape.coordinates);
    inputs.push_back(system.t);
    take(system.p, shape.parameters);
    return inputs;
}

}  // namespace lacon::mechanics
