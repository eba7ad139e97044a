// Joins the programs of φ and A where they share work, finds constants and entries that are
// multiples of others, and decides which series must be kept.
#include "large/elements/shape_series.hpp"

#include <algorithm>

#include "expr/series_rules.hpp"
#include "locate/features.hpp"

namespace lacon::inline large {

using EntryTarget = Entry::Target;

ShapeSeries::ShapeSeries(const SparseSystem& system, const Batch& b)
    : batch(b),
      shape(system.details.system.shapes[b.shape]),
      smooth(system.smooth->shapes[b.shape]) {
    if (smooth.own_order && shape.level == Level::position) ahead = 2;
    join();
    find_constants(system);
    find_multiples();
    std::vector<std::uint32_t> kept = read_entries();
    find_features(system);
    for (const Feature& feature : features) kept.push_back(feature.operand);
    storage = SeriesStorage(*program, constants, kept,
                            (needs_lambda ? 1 : 0) + (needs_a ? shape.coordinates : 0));
}

/// A row used at its own order has φ and A in one program: what they share is computed once, and A
/// is known before it is asked for.
void ShapeSeries::join() {
    if (!smooth.own_order) {
        program = &smooth.dynamics_series;
        for (std::size_t o = 0; o < smooth.series_entries.size(); ++o)
            slots.push_back(program->slot(o));
        return;
    }
    std::vector<bool> input_varies;
    std::vector<std::uint32_t> inputs;
    for (std::uint32_t i = 0; i < smooth.residual_series.input_count(); ++i) {
        input_varies.push_back(!smooth.residual_series.is_constant_slot(i));
        inputs.push_back(i);
    }
    joined_ = std::make_unique<SeriesUnion>(input_varies);
    slots = joined_->add(smooth.dynamics_series, inputs);
    residual = joined_->add(smooth.residual_series, inputs)[0];
    program = &joined_->program();
}

/// Order 0 of the constants, where parameters that all elements share are numbers, and the others
/// are not.
void ShapeSeries::find_constants(const SparseSystem& system) {
    struct Numbers {
        std::vector<kernel::Value> values;
        const kernel::Value& first(std::uint32_t slot) const { return values[slot]; }
        double number(std::uint32_t slot) const {
            return values[slot].number();
        }  // a batch has one exponent (exponent_inputs)
        kernel::Value now(std::uint32_t slot) const { return values[slot]; }
        void put(std::uint32_t slot, const kernel::Value& value) { values[slot] = value; }
    };
    kernel::Code code;
    Numbers numbers;
    const System& all = system.details.system;
    const std::uint32_t* leaf = all.leaves.data() + all.elements[batch.elements[0]].leaves;
    const std::size_t parameters = 2 * shape.coordinates + 1;
    for (std::size_t slot = 0; slot < program->slot_count(); ++slot) {
        const std::size_t p = slot - parameters;
        if (slot >= parameters && slot < program->input_count() && p < shape.parameters &&
            batch.uniform[p])
            numbers.values.emplace_back(system.details.parameters[leaf[shape.coordinates + p]]);
        else numbers.values.emplace_back(code, code.input(static_cast<std::uint32_t>(slot)));
    }
    const SeriesRules<kernel::Value, Numbers> rules(*program, numbers);
    for (const SeriesProgram::Instruction& in : program->instructions())
        if (in.constant && in.kind != SeriesProgram::Kind::data) rules.begin(in);
    for (const kernel::Value& value : numbers.values)
        constants.push_back(value.is_number() ? std::optional(value.number()) : std::nullopt);
}

/// The two ends of a rod have the same entries of A but for the sign.
void ShapeSeries::find_multiples() {
    for (std::size_t o = 0; o < slots.size(); ++o) {
        double factor = 1.0;
        for (const SeriesProgram::Instruction& in : program->instructions()) {
            const bool is_multiple = in.kind == SeriesProgram::Kind::linear && in.count == 1 &&
                                     in.value == 0.0 && !in.constant;
            if (in.target != slots[o] || !is_multiple) continue;
            factor = program->operands(in)[0].k;
            slots[o] = program->operands(in)[0].slot;
            break;
        }
        factors.push_back(factor);
        const auto same =
            std::find(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(o), slots[o]);
        first.push_back(static_cast<std::uint32_t>(same - slots.begin()));
    }
}

void ShapeSeries::find_features(const SparseSystem& system) {
    features = features_of(*program);
    std::erase_if(features, [](const Feature& f) {
        return !hides(f.kind) || f.kind == Feature::Kind::signal;
    });
    if (smooth.own_order) drop_held(system.details, batch.shape, *program, residual, features);
    for (Feature& f : features)
        if (f.kind == Feature::Kind::power && f.known == 0.0)
            f.known = constants[f.exponent].value();  // one for a batch
}

/// What the entries need; the slots that are to be kept for them.
std::vector<std::uint32_t> ShapeSeries::read_entries() {
    std::vector<std::uint32_t> kept;
    auto next = smooth.entries.begin();
    for (std::size_t o = 0; o < smooth.series_entries.size(); ++o) {
        const Entry& of = smooth.series_entries[o];
        next = std::find_if(next, smooth.entries.end(), [&](const Entry& e) {
            return e.target == of.target && e.i == of.i && e.j == of.j;
        });
        entry.push_back(static_cast<std::uint32_t>(next++ - smooth.entries.begin()));
        if (is_constant(o)) continue;
        varies = true;
        if (of.target == EntryTarget::mass || of.target == EntryTarget::mass_single) needs_a = true;
        else if (of.target == EntryTarget::row) needs_lambda = true;
        else continue;
        if (of.target == EntryTarget::row && !smooth.own_order) needs_a = true;
        kept.push_back(slots[o]);
    }
    return kept;
}

}  // namespace lacon::large
