#include "mechanics/shape.hpp"

#include <algorithm>
#include <bit>

#include "expr/traverse.hpp"

namespace lacon {

ElementStore::ElementStore(const Model& model, const SymbolRoles& roles, System& system, Diagnostics& diagnostics)
    : model_(model), roles_(roles), system_(system), diagnostics_(diagnostics) {}

/// The structure of the roots with leaves numbered by first use: equal keys are equal shapes.
ElementStore::Signature ElementStore::signature_of(const RawElement& element) const {
    Signature s;
    const auto local = [](std::vector<std::uint32_t>& list, std::uint32_t number) {
        const auto found = std::find(list.begin(), list.end(), number);
        const auto index = static_cast<std::uint64_t>(found - list.begin());
        if (found == list.end()) list.push_back(number);
        return index;
    };
    for (const std::size_t c : element.first_coordinates) local(s.coordinates, static_cast<std::uint32_t>(c));
    s.key = {static_cast<std::uint64_t>(element.kind), element.variant, s.coordinates.size()};

    ExprMap<std::uint64_t> number_of;
    std::uint64_t next = 0;
    for (const Expr e : postorder(model_.graph, element.roots)) {
        number_of.insert(e, next++);
        s.key.push_back(static_cast<std::uint64_t>(model_.graph.op(e)));
        if (model_.graph.is_symbol(e)) {
            const SymbolRole leaf = roles_.of(e);
            s.key.push_back(static_cast<std::uint64_t>(leaf.kind));
            if (leaf.is_coordinate()) s.key.push_back(local(s.coordinates, leaf.number));
            else if (leaf.kind == SymbolRole::Kind::parameter) s.key.push_back(local(s.parameters, leaf.number));
            else if (leaf.kind == SymbolRole::Kind::multiplier) s.key.push_back(local(s.rows, leaf.number));
            continue;
        }
        s.key.push_back(std::bit_cast<std::uint64_t>(model_.graph.value(e)));
        s.key.push_back(model_.graph.args(e).size());
        for (const Arg& arg : model_.graph.args(e)) {
            s.key.push_back(number_of.at(arg.expr));
            s.key.push_back(std::bit_cast<std::uint64_t>(arg.k));
        }
    }
    for (const Expr root : element.roots) s.key.push_back(number_of.at(root));
    return s;
}

LocalShape ElementStore::localize(const RawElement& element, const Signature& signature) {
    while (system_.q.size() < signature.coordinates.size()) {
        const std::string number = std::to_string(system_.q.size());
        system_.q.push_back(system_.graph.symbol("q" + number));
        system_.v.push_back(system_.graph.symbol("v" + number));
        system_.a.push_back(system_.graph.symbol("a" + number));
    }
    while (system_.p.size() < signature.parameters.size())
        system_.p.push_back(system_.graph.symbol("p" + std::to_string(system_.p.size())));
    while (system_.l.size() < signature.rows.size())
        system_.l.push_back(system_.graph.symbol("l" + std::to_string(system_.l.size())));

    ExprMap<Expr> to_local;
    to_local.insert(model_.time, system_.t);
    for (std::size_t i = 0; i < signature.coordinates.size(); ++i) {
        const Coordinate& c = model_.coordinates[signature.coordinates[i]];
        to_local.insert(c.q, system_.q[i]);
        to_local.insert(c.v, system_.v[i]);
        to_local.insert(c.a, system_.a[i]);
    }
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
        const std::size_t number = signature.parameters[i], known = model_.parameters.size();
        to_local.insert(number < known ? model_.parameters[number].symbol : model_.directions[number - known], system_.p[i]);
    }
    for (std::size_t i = 0; i < signature.rows.size(); ++i) to_local.insert(model_.multipliers[signature.rows[i]], system_.l[i]);

    const auto first = [&](const std::vector<Expr>& symbols) {
        return std::vector<Expr>(symbols.begin(), symbols.begin() + static_cast<std::ptrdiff_t>(signature.coordinates.size()));
    };
    return {element.kind,     substitute(model_.graph, system_.graph, element.roots, to_local),
            first(system_.q), first(system_.v),
            first(system_.a), signature.parameters.size(),
            element.variant,  signature.rows.size()};
}

std::optional<std::uint32_t> ElementStore::shape_for(const RawElement& element, const Signature& signature) {
    const auto [found, fresh] = shapes_.try_emplace(signature.key);
    if (!fresh) return found->second;
    const LocalShape local = localize(element, signature);
    Shape shape;
    shape.coordinates = signature.coordinates.size();
    shape.parameters = signature.parameters.size();
    shape.multipliers = signature.rows.size();
    if (const auto error = derive_shape(system_, local, shape)) {
        diagnostics_.error(element.origin.span, element.origin.what + " " + error->message, error->hint);
        return std::nullopt;
    }
    std::vector<Expr> inputs = local.q;
    inputs.insert(inputs.end(), local.v.begin(), local.v.end());
    inputs.insert(inputs.end(), system_.p.begin(), system_.p.begin() + static_cast<std::ptrdiff_t>(shape.parameters));
    inputs.push_back(system_.t);
    shape.dynamics_program = Program(system_.graph, inputs, shape.dynamics.values);
    shape.residuals_program = Program(system_.graph, inputs, shape.residuals.values);
    shape.energies_program = Program(system_.graph, inputs, shape.energies.values);
    inputs.insert(inputs.end(), system_.l.begin(), system_.l.begin() + static_cast<std::ptrdiff_t>(shape.multipliers));
    shape.nonideal_program = Program(system_.graph, inputs, shape.nonideal.values);
    found->second = static_cast<std::uint32_t>(system_.shapes.size());
    system_.shapes.push_back(std::move(shape));
    return found->second;
}

void ElementStore::add(RawElement element) {
    const Signature signature = signature_of(element);
    const std::optional<std::uint32_t> shape = shape_for(element, signature);
    if (!shape) return;
    const auto leaves = static_cast<std::uint32_t>(system_.leaves.size());
    system_.leaves.insert(system_.leaves.end(), signature.coordinates.begin(), signature.coordinates.end());
    system_.leaves.insert(system_.leaves.end(), signature.parameters.begin(), signature.parameters.end());
    system_.leaves.insert(system_.leaves.end(), signature.rows.begin(), signature.rows.end());
    const auto origin = static_cast<std::uint32_t>(system_.origins.size());
    system_.origins.push_back(std::move(element.origin));
    const Element placed{*shape, leaves, element.row, origin};
    if (element.kind == ElementKind::nonideal) {
        system_.nonideal.push_back({placed, element.friction, element.friction < 0 && system_.shapes[*shape].multipliers == 0});
    } else if (element.row >= static_cast<std::int32_t>(system_.row_count())) {
        system_.slip_elements.push_back(placed);
    } else {
        system_.elements.push_back(placed);
        if (element.row >= 0) system_.levels[static_cast<std::size_t>(element.row)] = system_.shapes[*shape].level;
    }
}

}  // namespace lacon
