// One program computes all channels, so what they share is computed once.
#include "scene/channels.hpp"

namespace lacon::inline scene {

SceneMaker::SceneMaker(const DerivedModel& d, const PictureNotes& n, Scene& s)
    : details(d), notes(n), model(d.model), roles(d.model), scene(s), graph(s.graph) {}

Channel SceneMaker::channel(Expr e) {
    const auto next = static_cast<Channel>(scene.channels.size());
    if (known_.insert(e, next)) scene.channels.push_back(e);
    return known_.at(e);
}

Spot SceneMaker::place(const Vector3& v) {
    return {channel(v[0]), channel(v[1]), channel(v[2])};
}

Vector3 SceneMaker::in_space(std::span<const Expr> components) const {
    Vector3 result{graph.zero(), graph.zero(), graph.zero()};
    for (std::size_t i = 0; i < std::min<std::size_t>(3, components.size()); ++i)
        result[i] = components[i];
    return result;
}

std::vector<std::size_t> SceneMaker::coordinates_of(Expr e) const {
    std::vector<std::size_t> numbers;
    for (const Expr symbol : symbols_in(graph, {&e, 1}))
        if (const SymbolRole role = roles.of(symbol); role.is_coordinate())
            numbers.push_back(role.number);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

bool SceneMaker::is_known(Expr e) const {
    using Kind = SymbolRole::Kind;
    for (const Expr symbol : symbols_in(graph, {&e, 1})) {
        const Kind kind = roles.of(symbol).kind;
        if (kind == Kind::other || kind == Kind::a || kind == Kind::multiplier) return false;
    }
    return true;
}

double SceneMaker::number(Expr e) const {
    const std::vector<Expr> symbols = symbols_in(graph, {&e, 1});
    std::vector<double> inputs;
    for (const Expr symbol : symbols) {
        const SymbolRole role = roles.of(symbol);
        if (role.kind != SymbolRole::Kind::parameter) return std::nan("");
        inputs.push_back(details.parameters[role.number]);
    }
    const Program program(graph, symbols, {&e, 1});
    std::vector<double> slots(program.slot_count());
    double value = 0.0;
    program.run<double>(inputs, slots, {&value, 1});
    return value;
}

Expr SceneMaker::multiplier(std::size_t row) {
    const auto [known, is_new] = multipliers_.try_emplace(row);
    if (is_new) {
        known->second = graph.symbol(model.constraints[row].name + ".multiplier");
        scene.multipliers.emplace_back(known->second, row);
    }
    return known->second;
}

double value_of(const SymbolRole& role, const DerivedModel& details, const State& state) {
    switch (role.kind) {
        case SymbolRole::Kind::parameter: return details.parameters[role.number];
        case SymbolRole::Kind::q: return state.q[role.number];
        case SymbolRole::Kind::v: return state.v[role.number];
        default: return state.t;
    }
}

SceneValues::SceneValues(const DerivedModel& details, const Graph& graph,
                         std::span<const Expr> expressions)
    : details_(details) {
    const SymbolRoles roles(details.model);
    const std::vector<Expr> symbols = symbols_in(graph, expressions);
    for (const Expr symbol : symbols) roles_.push_back(roles.of(symbol));
    program_ = Program(graph, symbols, expressions);
    slots_.resize(program_.slot_count());
}

void SceneValues::at(const State& state, std::span<double> out) {
    inputs_.clear();
    for (const SymbolRole& role : roles_) inputs_.push_back(value_of(role, details_, state));
    program_.run<double>(inputs_, slots_, out);
}

}  // namespace lacon::scene
