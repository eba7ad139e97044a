// Compiles expressions to a program whose inputs are looked up by role. Formulas share one program
// for each form.
#include "mechanics/numbers/values.hpp"

#include "expr/traverse.hpp"

namespace lacon::inline mechanics {

ExpressionValues::ExpressionValues(const DerivedModel& details, const SymbolRoles& roles,
                                   std::span<const Expr> expressions)
    : details_(details) {
    const std::vector<Expr> symbols = symbols_in(details.model.graph, expressions);
    for (const Expr symbol : symbols) roles_.push_back(roles.of(symbol));
    program_ = Program(details.model.graph, symbols, expressions);
    slots_.resize(program_.slot_count());
}

namespace {

double value_at(const DerivedModel& details, const SymbolRole& role, const State& state) {
    switch (role.kind) {
        case SymbolRole::Kind::parameter: return details.parameters[role.number];
        case SymbolRole::Kind::q: return state.q[role.number];
        case SymbolRole::Kind::v: return state.v[role.number];
        default: return state.t;
    }
}

}  // namespace

std::vector<double> ExpressionValues::at(const State& state) {
    inputs_.clear();
    for (const SymbolRole& role : roles_) inputs_.push_back(value_at(details_, role, state));
    std::vector<double> results(program_.output_count());
    program_.run<double>(inputs_, slots_, results);
    return results;
}

double FormulaValues::at(const Formula& formula, const State& state) {
    const Forms& forms = details_.model.forms;
    const Forms::Form& form = forms.form(formula.form);
    programs_.resize(forms.size());
    Program& program = programs_[formula.form];
    if (program.output_count() == 0) program = Program(forms.graph(), form.inputs, form.roots);
    inputs_.clear();
    for (const Expr symbol : forms.symbols_of(formula))
        inputs_.push_back(value_at(details_, roles_.of(symbol), state));
    const std::span<const double> constants = forms.constants_of(formula);
    inputs_.insert(inputs_.end(), constants.begin(), constants.end());
    slots_.resize(program.slot_count());
    double value = 0.0;
    program.run<double>(inputs_, slots_, {&value, 1});
    return value;
}

void DerivedModel::weigh() {
    find_idle_frictions();
    std::vector<Expr> given;
    for (const ConstraintRow& row : model.constraints)
        if (row.weight) given.push_back(*row.weight);
    weights.clear();
    if (given.empty()) return;
    const std::vector<double> values = ExpressionValues(*this, given).at({});  // of parameters only
    auto value = values.begin();
    for (const ConstraintRow& row : model.constraints)
        weights.push_back(row.weight ? *value++ : 1.0);
}

void DerivedModel::find_idle_frictions() {
    idle_frictions.clear();
    if (model.dry_frictions.empty()) return;
    const SymbolRoles roles(model);
    const auto moves = [&](Expr e) {
        using enum SymbolRole::Kind;
        return roles.uses(e, {q, v, time});
    };
    for (const FrictionPart& part : system.frictions) {
        const std::vector<Expr> bounds{part.kinetic, part.at_rest};
        const bool varies = !part.fixed || moves(bounds[0]) || moves(bounds[1]);
        const auto vanish = [](const std::vector<double>& values) {
            return values[0] <= 0.0 && values[1] <= 0.0;
        };
        idle_frictions.push_back(!varies && vanish(ExpressionValues(*this, roles, bounds).at({})));
    }
}

}  // namespace lacon::mechanics
