// Runs the recurrences of expr/series_rules.hpp on kernel::Value. `Early` has orders 0 to 2 as
// values, `Later` reads all lower orders from memory. To save memory, only series that some code
// reads are stored, and a multiple of another series is read through that one.
#include "code/series_code.hpp"

#include <stdexcept>

#include "expr/series_rules.hpp"

namespace lacon::inline code {

using kernel::Code;
using kernel::Value;

namespace {

std::vector<bool> input_kinds(std::size_t coordinates, std::size_t constants) {
    std::vector<bool> varies(2 * coordinates + 1, true);
    varies.resize(varies.size() + constants, false);
    return varies;
}

Value order_number(std::uint32_t shift, Code& code) {
    return {code, code.order_number(shift)};
}

}  // namespace

SeriesCode::SeriesCode(const DerivedModel& details, const SmoothSystem& smooth,
                       const CodeOptions& options)
    : details_(details),
      smooth_(smooth),
      at_(details, smooth),
      n_(details.system.coordinate_count),
      union_(input_kinds(n_, details.parameters.size() + smooth.branch_count)) {
    const System& system = details.system;
    const auto parameters = static_cast<Slot>(2 * n_ + 1),
               branches = parameters + static_cast<Slot>(details.parameters.size());
    for (std::size_t number = 0; number < system.elements.size(); ++number) {
        const Element& element = system.elements[number];
        const Shape& shape = system.shapes[element.shape];
        const SmoothShape& own = smooth.shapes[element.shape];
        const std::uint32_t* leaf = system.leaves.data() + element.leaves;
        std::vector<Slot> inputs;
        for (std::size_t i = 0; i < shape.coordinates; ++i) inputs.push_back(q(leaf[i]));
        for (std::size_t i = 0; i < shape.coordinates; ++i) inputs.push_back(v(leaf[i]));
        inputs.push_back(t());
        for (std::size_t i = 0; i < shape.parameters; ++i) {
            const std::uint32_t p = leaf[shape.coordinates + i];
            const bool is_input = !options.varies.empty() && options.varies[p];
            inputs.push_back(is_input ? parameters + p : union_.constant(details.parameters[p]));
        }
        for (std::size_t i = 0; i < own.decisions.size(); ++i)
            inputs.push_back(branches + smooth.first_branch[number] + static_cast<Slot>(i));
        Part part{element, own, union_.add(own.dynamics_series, inputs)};
        if (own.own_order) {
            part.residual = union_.add(own.residual_series, inputs)[0];
            part.residual_varies = varies(part.residual);
        }
        parts_.push_back(std::move(part));
    }
    const SeriesProgram& all = program();
    on_positions_.assign(all.slot_count(), true);
    made_by_.assign(all.slot_count(), -1);
    for (std::size_t i = 0; i < n_; ++i) on_positions_[v(i)] = false;
    for (std::size_t i = 0; i < all.instructions().size(); ++i) {
        const SeriesProgram::Instruction& in = all.instructions()[i];
        bool on = true;
        for (std::uint32_t o = 0; o < in.count; ++o)
            on = on && on_positions_[all.operands(in)[o].slot];
        const std::size_t end =
            i + 1 < all.instructions().size() ? all.instructions()[i + 1].target : all.slot_count();
        for (std::size_t slot = in.target; slot < end; ++slot) on_positions_[slot] = on;
        made_by_[in.target] = static_cast<std::int64_t>(i);
    }
    early_.resize(all.slot_count() + n_ + system.row_count());
}

/// What both codes have in common: a coefficient at the order in the making.
template <class Context>
void SeriesCode::pass(Of what, Context& context, const Values& inputs) {
    const bool positions = what == Of::positions;
    for (std::size_t i = 0; i < n_; ++i) context.values[positions ? q(i) : v(i)] = inputs[i];
    if (positions) context.values[t()] = context.time();
    const SeriesRules<Value, Context> rules(program(), context);
    for (const SeriesProgram::Instruction& in : program().instructions())
        if (!in.constant && on_positions_[in.target] == positions) rules.go_on(in);
}

// ---- in `begin`

struct SeriesCode::Early {
    SeriesCode& s;
    bool positions;
    std::size_t k;
    Values values;

    Value time() const { return k == 1 ? 1.0 : 0.0; }
    Value first(Slot x) const { return s.early_[x][0]; }
    Value now(Slot x) const {
        return k == 0 || s.hangs_on_positions(x) != positions ? s.early_[x][k] : values[x];
    }
    Value inner(Slot x, Slot y) const { return k == 2 ? s.early_[x][1] * s.early_[y][1] : Value(); }
    Value weighted(Slot x, Slot y) const { return inner(x, y); }
    Value product(Slot x, Slot y) const {
        return inner(x, y) +
               (x == y ? Value(2.0) * first(x) * now(x) : first(x) * now(y) + now(x) * first(y));
    }
    Value order() const { return static_cast<double>(k); }
    Value vanishes(Slot, Slot) const { return 0.0; }
    double number(Slot x) const {
        if (!s.early_[x][0].is_number())
            throw std::runtime_error("an exponent that differs between members is not compiled");
        return s.early_[x][0].number();
    }
    void put(Slot x, const Value& value) { (k == 0 ? s.early_[x][0] : values[x]) = value; }
};

void SeriesCode::first_order(const StateValues& state, Code& code) {
    const auto input = [&](std::size_t i) {
        return Value(code, code.input(static_cast<std::uint32_t>(i)));
    };
    for (std::size_t i = 0; i < n_; ++i) {
        early_[q(i)][0] = state.q[i];
        early_[v(i)][0] = early_[q(i)][1] = state.v[i];
    }
    early_[t()] = {state.t, 1.0, 0.0};
    const std::size_t parameters = 2 * n_ + 1, branches = parameters + details_.parameters.size();
    for (std::size_t i = 0; i < details_.parameters.size(); ++i)
        early_[parameters + i][0] = input(at_.parameters + i);
    for (std::size_t i = 0; i < smooth_.branch_count; ++i)
        early_[branches + i][0] = input(at_.branches + i);
    Early context{*this, true, 0, {}};
    const SeriesRules<Value, Early> rules(program(), context);
    for (const SeriesProgram::Instruction& in : program().instructions()) rules.begin(in);
}

SeriesCode::Values SeriesCode::early_order(Of what, std::size_t order, const Values& inputs,
                                           bool trial) {
    Early context{*this, what == Of::positions, order, Values(program().slot_count())};
    pass(what, context, inputs);
    for (Slot slot = 0; !trial && slot < program().slot_count(); ++slot)
        if (varies(slot) && on_positions_[slot] == context.positions)
            early_[slot][order] = context.values[slot];
    return std::move(context.values);
}

// ---- in `next`

struct SeriesCode::Later {
    SeriesCode& s;
    bool positions;
    Code& code;
    Values values;
    std::uint32_t shift = positions ? 2 : 1;

    Value time() const { return 0.0; }
    Value first(Slot x) const { return s.carried(s.early_[x][0], code); }
    Value now(Slot x) const {
        return s.hangs_on_positions(x) == positions ? values[x] : s.coefficient(x, shift, code);
    }
    Value inner(Slot x, Slot y) const { return s.inner(x, y, shift, code); }
    Value weighted(Slot x, Slot y) const { return s.weighted(x, y, shift, code); }
    Value product(Slot x, Slot y) const {
        return inner(x, y) +
               (x == y ? Value(2.0) * first(x) * now(x) : first(x) * now(y) + now(x) * first(y));
    }
    Value order() const { return order_number(shift, code); }
    Value vanishes(Slot, Slot) const { return 0.0; }
    double number(Slot x) const { return s.early_[x][0].number(); }
    void put(Slot x, const Value& value) { values[x] = value; }
};

SeriesCode::Values SeriesCode::order(Of what, const Values& inputs, Code& next) {
    Later context{*this, what == Of::positions, next, Values(program().slot_count())};
    pass(what, context, inputs);
    return std::move(context.values);
}

Value SeriesCode::carried(const Value& value, Code& code) {
    if (value.is_number()) return value.number();
    const std::uint32_t id = value.id_in(*begin);
    if ((*begin)[id].op == kernel::Do::input) return {code, code.input((*begin)[id].a)};
    const auto [found, is_new] =
        carried_.try_emplace(id, static_cast<std::uint32_t>(begin->outputs.size()));
    if (is_new) begin->outputs.push_back(id);
    return {code, code.input(found->second)};
}

/// What a series is a multiple of, but for order 0.
SeriesCode::Scaled SeriesCode::base_of(Slot slot, Code& next) {
    Scaled result{slot, 1.0};
    while (result.slot < made_by_.size() && made_by_[result.slot] >= 0) {
        const SeriesProgram::Instruction& in =
            program().instructions()[static_cast<std::size_t>(made_by_[result.slot])];
        const SeriesProgram::Operand* arg = program().operands(in);
        std::uint32_t varying = 0, last = 0;
        for (std::uint32_t i = 0; i < in.count; ++i)
            if (arg[i].varies) ++varying, last = i;
        if (varying != 1) break;
        if (in.kind == SeriesProgram::Kind::linear) result.factor = result.factor * arg[last].k;
        else if (in.kind == SeriesProgram::Kind::multiply)
            result.factor = result.factor * carried(early_[arg[1 - last].slot][0], next);
        else break;
        result.slot = arg[last].slot;
    }
    return result;
}

SeriesCode::Slot SeriesCode::place(Slot slot, Layout layout) {
    return places_.try_emplace({slot, layout}, static_cast<Slot>(places_.size())).first->second;
}

SeriesCode::Slot SeriesCode::keep(Slot slot) {
    return *kept_.insert(place(slot, Layout::forwards)).first;
}

Value SeriesCode::coefficient(Slot slot, std::uint32_t shift, Code& next) {
    const Scaled base = base_of(slot, next);
    return base.factor * Value(next, next.coefficient(place(base.slot, Layout::forwards), shift));
}

Value SeriesCode::inner(Slot x, Slot y, std::uint32_t shift, Code& next) {
    const Scaled a = base_of(std::min(x, y), next), b = base_of(std::max(x, y), next);
    const Slot first = std::min(a.slot, b.slot), second = std::max(a.slot, b.slot);
    return a.factor * b.factor *
           Value(next, next.inner(place(first, Layout::forwards), place(second, Layout::backwards),
                                  shift));
}

Value SeriesCode::weighted(Slot x, Slot y, std::uint32_t shift, Code& next) {
    const Scaled a = base_of(x, next), b = base_of(y, next);
    return a.factor * b.factor *
           Value(next, next.inner(place(a.slot, Layout::weighted), place(b.slot, Layout::backwards),
                                  shift));
}

// ---- memory

std::size_t SeriesCode::early_orders(Slot slot) const {
    if (slot >= program().slot_count()) return 1;
    return on_positions_[slot] ? 3 : 2;
}

void SeriesCode::add_store(Slot slot, Layout layout, const std::map<Slot, Latest>& latest,
                           Code& next) {
    const Slot where = place(slot, layout);
    const auto add = [&](Code& code, std::uint32_t shift, const Value& value) {
        code.series.stores.push_back(
            {where, shift, layout == Layout::backwards, value.id_in(code)});
    };
    for (std::size_t k = layout == Layout::forwards ? 0 : 1; k < early_orders(slot); ++k)
        add(*begin, static_cast<std::uint32_t>(k),
            layout == Layout::weighted ? Value(static_cast<double>(k)) * early_[slot][k]
                                       : early_[slot][k]);
    const auto found = latest.find(slot);
    if (found == latest.end()) return;
    const auto [shift, value] = found->second;
    add(next, shift, layout == Layout::weighted ? order_number(shift, next) * value : value);
}

void SeriesCode::add_stores(const std::map<Slot, Latest>& latest,
                            std::span<const Code* const> readers, Code& next) {
    std::set<std::pair<Slot, Layout>> done;
    for (bool grows = true; grows;) {
        std::set<Slot> read = kept_;
        const auto look_at = [&](const Code& code) {
            for (const std::uint32_t id : code.order()) {
                const kernel::Node& node = code[id];
                if (node.op == kernel::Do::coefficient || node.op == kernel::Do::inner)
                    read.insert(node.a);
                if (node.op == kernel::Do::inner) read.insert(node.b);
            }
        };
        look_at(next);
        for (const Code* reader : readers) look_at(*reader);
        grows = false;
        for (const auto& [what, where] : places_) {
            if (!read.contains(where) || !done.insert(what).second) continue;
            add_store(what.first, what.second, latest, next);
            grows = true;
        }
    }
}

}  // namespace lacon::code
