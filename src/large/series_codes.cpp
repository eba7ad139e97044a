// Writes the series recurrences of a shape, with the sums that multiply lower orders of λ and q''
// by A and M (theory 7, Taylor coefficients), as code that works on a pack's memory.
#include <map>
#include <set>

#include "expr/series_rules.hpp"
#include "large/shape_series.hpp"

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
    constexpr Slot k = 1;                     // shift of order k
    const auto lower = [&](Slot x, Slot y) {  // Σ_{1 ≤ j ≤ k} x_j y_{k−j}
        return Value(code, code.inner(x, y, k)) +
               Value(code, code.coefficient(x, k)) *
                   Value(code, code.item(static_cast<Slot>(s.storage.at(y, 0))));
    };
    for (std::size_t o = 0; o < s.slots.size(); ++o) {
        const Entry entry = s.smooth.series_entries[o];
        const bool is_row = entry.target == Target::row;
        if (s.is_constant(o) ||
            !(is_row || entry.target == Target::mass || entry.target == Target::mass_single))
            continue;
        const Slot x = s.storage.history(s.slots[o]);
        const Value factor = s.factors[o];
        if (is_row) {
            outputs.add(To::force, entry.j, factor * lower(x, s.lambda()));
            if (!s.smooth.own_order) outputs.add(To::row, 0, -(factor * lower(x, s.a(entry.j))));
            continue;
        }
        outputs.add(To::force, entry.i, -(factor * lower(x, s.a(entry.j))));
        if (entry.target == Target::mass && entry.i != entry.j)
            outputs.add(To::force, entry.j, -(factor * lower(x, s.a(entry.i))));
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
