// Writes the series recurrences of a shape, with the sums that multiply lower orders of λ and q''
// by A and M (theory 7, Taylor coefficients), as code that works on a pack's memory.
#include <map>
#include <set>

#include "expr/series_rules.hpp"
#include "large/elements/shape_series.hpp"
#include "methods/taylor_recurrence.hpp"

namespace lacon::inline large {

namespace {

using kernel::Code;
using kernel::Value;
using Slot = std::uint32_t;
using Target = Entry::Target;

/// What power series are for SeriesRules: at order k + shift, everything below in memory.
struct SeriesAsCode {
    const ShapeSeries& s;
    Code& code;
    std::uint32_t shift;
    std::vector<Value> values;

    SeriesAsCode(const ShapeSeries& series, Code& c, std::uint32_t order)
        : s(series), code(c), shift(order), values(series.program->slot_count()) {}

    Slot history(Slot x) const { return s.storage.history(x); }
    Value first(Slot x) const {
        if (s.constants[x]) return *s.constants[x];
        const bool is_kept = history(x) != SeriesStorage::none;
        return {code, code.item(is_kept ? static_cast<Slot>(s.storage.at(history(x), 0))
                                        : s.storage.first(x))};
    }
    Value now(Slot x) const { return values[x]; }
    Value inner(Slot x, Slot y) const { return {code, code.inner(history(x), history(y), shift)}; }
    Value weighted(Slot x, Slot y) const {
        return {code, code.weighted(history(x), history(y), shift)};
    }
    Value product(Slot x, Slot y) const {
        return inner(x, y) +
               (x == y ? Value(2.0) * first(x) * now(x) : first(x) * now(y) + now(x) * first(y));
    }
    Value order() const { return {code, code.order_number(shift)}; }
    Value vanishes(Slot, Slot) const {
        return 0.0;
    }  // else the result is not finite, and the interpreter is asked
    double number(Slot x) const { return s.constants[x].value(); }
    void put(Slot x, const Value& value) { values[x] = value; }

    void run() {
        const SeriesRules<Value, SeriesAsCode> rules(*s.program, *this);
        for (const SeriesProgram::Instruction& in : s.program->instructions())
            if (!in.constant) rules.go_on(in);
    }
};

/// Outputs by where they go.
struct Outputs {
    std::map<std::pair<SeriesCodes::Sum::To, Slot>, Value> sums;

    void add(SeriesCodes::Sum::To to, Slot i, const Value& value) { sums[{to, i}] += value; }
    void give(Code& code, std::vector<SeriesCodes::Sum>& out) const {
        for (const auto& [where, value] : sums) {
            if (value.is(0.0)) continue;
            code.outputs.push_back(value.id_in(code));
            out.push_back({where.first, where.second});
        }
    }
};

void set_layout(const ShapeSeries& series, Code& code) {
    code.series.side_by_side = static_cast<Slot>(series.storage.width());
    code.series.items = static_cast<Slot>(series.storage.firsts());
}

/// Everything at the highest order known, and λ and a of the last solve, which stands two orders
/// below at most.
void write_known(const ShapeSeries& s, SeriesCodes& out) {
    Code& code = out.known;
    const auto c = static_cast<Slot>(s.shape.coordinates);
    const auto shift = static_cast<Slot>(s.ahead);
    const auto input = [&](Slot i) { return Value(code, code.input(i)); };
    SeriesAsCode now(s, code, shift);
    for (Slot i = 0; i < 2 * c + 1; ++i) now.values[i] = input(i);
    now.run();
    for (Slot slot = 0; slot < s.program->slot_count(); ++slot)
        if (now.history(slot) != SeriesStorage::none && !s.program->is_constant_slot(slot))
            code.series.stores.push_back(
                {now.history(slot), shift, false, now.values[slot].id_in(code)});
    if (s.needs_lambda) code.series.stores.push_back({s.lambda(), 0, false, code.input(2 * c + 1)});
    for (Slot i = 0; s.needs_a && i < c; ++i)
        code.series.stores.push_back({s.a(i), 0, false, code.input(2 * c + 2 + i)});
    Outputs outputs;
    for (std::size_t o = 0; o < s.slots.size(); ++o) {
        const Entry entry = s.smooth.series_entries[o];
        if (s.is_constant(o)) continue;
        const Value value = Value(s.factors[o]) * now.values[s.slots[o]];
        if (entry.target == Target::force) outputs.add(SeriesCodes::Sum::To::force, entry.i, value);
        if (entry.target == Target::right) outputs.add(SeriesCodes::Sum::To::row, 0, value);
    }
    outputs.give(code, out.known_outputs);
}

/// What lower orders put on the right-hand sides, for add_order; the entry's own order is in
/// `known`.
struct SumTerms {
    using To = SeriesCodes::Sum::To;
    const ShapeSeries& series;
    Code& code;
    Outputs& outputs;
    Slot entry;
    Value factor;

    Value term() const { return {}; }
    Value acceleration(Slot j) const { return lower(series.a(j)); }
    Value multiplier() const { return lower(series.lambda()); }
    void to_force(Slot i, int sign, const Value& x) { put(To::force, i, sign, x); }
    void to_row(int sign, const Value& x) { put(To::row, 0, sign, x); }

private:
    void put(To to, Slot i, int sign, const Value& x) {
        const Value value = factor * x;
        outputs.add(to, i, sign > 0 ? value : -value);
    }
    Value lower(Slot other) const {  // Σ_{1 ≤ j ≤ k} x_j y_{k−j}
        constexpr Slot k = 1;        // shift of order k
        return Value(code, code.inner(entry, other, k)) +
               Value(code, code.coefficient(entry, k)) *
                   Value(code, code.item(static_cast<Slot>(series.storage.at(other, 0))));
    }
};

/// The residual one order ahead, and what the lower orders of λ and a give with the varying entries
/// of A and M.
void write_sums(const ShapeSeries& s, SeriesCodes& out) {
    using To = SeriesCodes::Sum::To;
    Code& code = out.sums;
    const auto c = static_cast<Slot>(s.shape.coordinates);
    Outputs outputs;
    if (s.smooth.own_order && !s.program->is_constant_slot(s.residual)) {
        SeriesAsCode ahead(s, code, static_cast<Slot>(s.ahead) + 1);
        for (Slot i = 0; s.ahead == 1 && i < c; ++i)
            ahead.values[i] = Value(code, code.input(3 * c + 2 + i));
        ahead.run();
        outputs.add(To::residual, 0, ahead.values[s.residual]);
    }
    for (std::size_t o = 0; o < s.slots.size(); ++o) {
        const Entry entry = s.smooth.series_entries[o];
        if (!s.is_constant(o) && is_of_matrix(entry.target))
            add_order(entry, s.smooth.own_order,
                      SumTerms{s, code, outputs, s.storage.history(s.slots[o]), s.factors[o]});
    }
    outputs.give(code, out.sums_outputs);
}

}  // namespace

SeriesCodes::SeriesCodes(const ShapeSeries& series) {
    set_layout(series, known);
    set_layout(series, sums);
    write_known(series, *this);
    write_sums(series, *this);
    std::set<std::uint32_t> read;
    for (const Code* code : {&known, &sums})
        for (const std::uint32_t id : code->order())
            if ((*code)[id].op == kernel::Do::input) read.insert((*code)[id].a);
    inputs.assign(read.begin(), read.end());
    known.input_count = sums.input_count =
        static_cast<std::uint32_t>(4 * series.shape.coordinates + 2);
}

}  // namespace lacon::large
