// Numbers the leaves of an element by first use, and derives a new shape over local symbols only if
// its structure is not known yet. Builds the shape's programs for the interpreter.
#include "mechanics/derive/shape.hpp"

#include <algorithm>
#include <stdexcept>

#include "expr/traverse.hpp"

namespace lacon::inline mechanics {

namespace {

/// The number's place in the list, where it is added if it is new.
std::uint32_t local(std::vector<std::uint32_t>& list, std::uint32_t number) {
    const auto found = std::find(list.begin(), list.end(), number);
    const auto index = static_cast<std::uint32_t>(found - list.begin());
    if (found == list.end()) list.push_back(number);
    return index;
}

}  // namespace

ElementStore::ElementStore(const Model& model, const SymbolRoles& roles, System& system,
                           Diagnostics& diagnostics)
    : model_(model), roles_(roles), system_(system), diagnostics_(diagnostics) {}

/// The structure of the roots with leaves numbered by first use, into signature_.
void ElementStore::read(const RawElement& element) {
    Signature& s = signature_;
    for (auto* list : {&s.coordinates, &s.parameters, &s.rows}) list->clear();
    for (const std::size_t c : element.first_coordinates)
        local(s.coordinates, static_cast<std::uint32_t>(c));
    std::vector<std::uint64_t>& key = s.structure.key;
    key.assign({static_cast<std::uint64_t>(element.kind), element.variant, s.coordinates.size()});
    read_structure(model_.graph, element.roots, s.structure);
    for (const Expr symbol : s.structure.symbols) {
        const SymbolRole leaf = roles_.of(symbol);
        key.push_back(static_cast<std::uint64_t>(leaf.kind));
        if (leaf.is_coordinate()) key.push_back(local(s.coordinates, leaf.number));
        else if (leaf.kind == SymbolRole::Kind::parameter)
            key.push_back(local(s.parameters, leaf.number));
        else if (leaf.kind == SymbolRole::Kind::multiplier)
            key.push_back(local(s.rows, leaf.number));
    }
}

void ElementStore::make_symbols(std::size_t parameters) {
    while (system_.q.size() < signature_.coordinates.size()) {
        const std::string number = std::to_string(system_.q.size());
        system_.q.push_back(system_.graph.symbol("q" + number));
        system_.v.push_back(system_.graph.symbol("v" + number));
        system_.a.push_back(system_.graph.symbol("a" + number));
    }
    while (system_.p.size() < parameters)
        system_.p.push_back(system_.graph.symbol("p" + std::to_string(system_.p.size())));
    while (system_.l.size() < signature_.rows.size())
        system_.l.push_back(system_.graph.symbol("l" + std::to_string(system_.l.size())));
}

/// The system's symbols for those of the element.
std::vector<Expr> ElementStore::local_symbols() const {
    const Signature& s = signature_;
    const auto place = [](const std::vector<std::uint32_t>& list, std::uint32_t number) {
        return static_cast<std::size_t>(std::find(list.begin(), list.end(), number) - list.begin());
    };
    std::vector<Expr> symbols;
    for (const Expr symbol : s.structure.symbols) {
        const SymbolRole leaf = roles_.of(symbol);
        switch (leaf.kind) {
            case SymbolRole::Kind::q:
                symbols.push_back(system_.q[place(s.coordinates, leaf.number)]);
                break;
            case SymbolRole::Kind::v:
                symbols.push_back(system_.v[place(s.coordinates, leaf.number)]);
                break;
            case SymbolRole::Kind::a:
                symbols.push_back(system_.a[place(s.coordinates, leaf.number)]);
                break;
            case SymbolRole::Kind::parameter:
                symbols.push_back(system_.p[place(s.parameters, leaf.number)]);
                break;
            case SymbolRole::Kind::multiplier:
                symbols.push_back(system_.l[place(s.rows, leaf.number)]);
                break;
            case SymbolRole::Kind::time: symbols.push_back(system_.t); break;
            case SymbolRole::Kind::other:
                throw std::logic_error("ElementStore: symbol '" + model_.graph.name(symbol) +
                                       "' has no role");
        }
    }
    return symbols;
}

LocalShape ElementStore::localize(const RawElement& element, const std::vector<bool>& is_leaf) {
    const Signature& s = signature_;
    const auto constants =
        static_cast<std::size_t>(std::count(is_leaf.begin(), is_leaf.end(), true));
    make_symbols(s.parameters.size() + constants);
    const auto first = [&](const std::vector<Expr>& symbols) {
        return std::vector<Expr>(
            symbols.begin(), symbols.begin() + static_cast<std::ptrdiff_t>(s.coordinates.size()));
    };
    const std::vector<Expr> symbols = local_symbols();
    ExprMap<Expr> to_local;
    for (std::size_t i = 0; i < symbols.size(); ++i)
        to_local.insert(s.structure.symbols[i], symbols[i]);
    const Leaves leaves{symbols, std::span(system_.p).subspan(s.parameters.size(), constants)};
    return {element.kind,
            constants == 0
                ? substitute(model_.graph, system_.graph, element.roots, to_local)
                : with_leaves(model_.graph, system_.graph, element.roots, leaves, is_leaf),
            first(system_.q),
            first(system_.v),
            first(system_.a),
            s.parameters.size() + constants,
            element.variant,
            s.rows.size(),
            element.tree};
}

std::optional<std::uint32_t> ElementStore::derived(const RawElement& element,
                                                   const std::vector<bool>& is_leaf) {
    const LocalShape local = localize(element, is_leaf);
    Shape shape;
    shape.coordinates = signature_.coordinates.size();
    shape.parameters = local.parameters;
    shape.multipliers = signature_.rows.size();
    if (const auto error = derive_shape(system_, local, shape)) {
        diagnostics_.error(place_of(model_, element.origin),
                           text_of(model_, element.origin) + " " + error->message, error->hint);
        return std::nullopt;
    }
    std::vector<Expr> inputs = local.q;
    inputs.insert(inputs.end(), local.v.begin(), local.v.end());
    inputs.insert(inputs.end(), system_.p.begin(),
                  system_.p.begin() + static_cast<std::ptrdiff_t>(shape.parameters));
    inputs.push_back(system_.t);
    shape.dynamics_program = Program(system_.graph, inputs, shape.dynamics.values);
    shape.residuals_program = Program(system_.graph, inputs, shape.residuals.values);
    shape.energies_program = Program(system_.graph, inputs, shape.energies.values);
    inputs.insert(inputs.end(), system_.l.begin(),
                  system_.l.begin() + static_cast<std::ptrdiff_t>(shape.multipliers));
    shape.nonideal_program = Program(system_.graph, inputs, shape.nonideal.values);
    system_.shapes.push_back(std::move(shape));
    return static_cast<std::uint32_t>(system_.shapes.size() - 1);
}

const ElementStore::Shapes::Variant& ElementStore::variant_for(const RawElement& element) {
    Shapes& known = shapes_[signature_.structure.key];
    if (const auto* found = known.find(signature_.structure.constants)) return *found;
    Shapes::Variant& fresh = known.add(signature_.structure.constants);
    fresh.made = derived(element, fresh.is_leaf);
    return fresh;
}

void ElementStore::add(const RawElement& element) {
    read(element);
    const Shapes::Variant& variant = variant_for(element);
    if (!variant.made) return;
    const Signature& s = signature_;
    const auto leaves = static_cast<std::uint32_t>(system_.leaves.size());
    system_.leaves.insert(system_.leaves.end(), s.coordinates.begin(), s.coordinates.end());
    system_.leaves.insert(system_.leaves.end(), s.parameters.begin(), s.parameters.end());
    const std::size_t first_constant = model_.parameters.size() + model_.directions.size();
    for (std::size_t i = 0; i < variant.is_leaf.size(); ++i) {
        if (!variant.is_leaf[i]) continue;
        system_.leaves.push_back(
            static_cast<std::uint32_t>(first_constant + system_.constants.size()));
        system_.constants.push_back(s.structure.constants[i]);
    }
    system_.leaves.insert(system_.leaves.end(), s.rows.begin(), s.rows.end());
    const auto origin = static_cast<std::uint32_t>(system_.origins.size());
    system_.origins.push_back(element.origin);
    const Element placed{*variant.made, leaves, element.row, origin};
    const Shape& shape = system_.shapes[*variant.made];
    if (element.dry != RawElement::Dry::no) {
        auto& list = element.dry == RawElement::Dry::force      ? system_.dry_forces
                     : element.dry == RawElement::Dry::nonideal ? system_.dry_nonideal
                                                                : system_.dry_bounds;
        list.push_back({placed, element.friction, true});
    } else if (element.kind == ElementKind::nonideal) {
        system_.nonideal.push_back(
            {placed, element.friction, element.friction < 0 && shape.multipliers == 0});
    } else if (element.row >= static_cast<std::int32_t>(system_.row_count())) {
        system_.slip_elements.push_back(placed);
    } else {
        system_.elements.push_back(placed);
        if (element.row >= 0) system_.levels[static_cast<std::size_t>(element.row)] = shape.level;
    }
}

}  // namespace lacon::mechanics
