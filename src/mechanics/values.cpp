#include "mechanics/values.hpp"

#include "expr/traverse.hpp"

namespace lacon {

ExpressionValues::ExpressionValues(const SystemDetails& details, const SymbolRoles& roles, std::span<const Expr> expressions)
    : details_(details) {
    const std::vector<Expr> symbols = symbols_in(details.model.graph, expressions);
    for (const Expr symbol : symbols) roles_.push_back(roles.of(symbol));
    program_ = Program(details.model.graph, symbols, expressions);
    slots_.resize(program_.slot_count());
}

std::vector<double> ExpressionValues::at(const State& state) {
    inputs_.clear();
    for (const SymbolRole& role : roles_) {
        switch (role.kind) {
            case SymbolRole::Kind::parameter: inputs_.push_back(details_.parameters[role.number]); break;
            case SymbolRole::Kind::q: inputs_.push_back(state.q[role.number]); break;
            case SymbolRole::Kind::v: inputs_.push_back(state.v[role.number]); break;
            default: inputs_.push_back(state.t); break;
        }
    }
    std::vector<double> results(program_.output_count());
    program_.run<double>(inputs_, slots_, results);
    return results;
}

void SystemDetails::weigh() {
    std::vector<Expr> given;
    for (const ConstraintRow& row : model.constraints)
        if (row.weight) given.push_back(*row.weight);
    weights.clear();
    if (given.empty()) return;
    const std::vector<double> values = ExpressionValues(*this, given).at({});  // of parameters only
    auto value = values.begin();
    for (const ConstraintRow& row : model.constraints) weights.push_back(row.weight ? *value++ : 1.0);
}

}  // namespace lacon
