// Residuals beside the rounding of the terms that they are computed from.
#include "state/residual_size.hpp"

#include <algorithm>

#include "expr/rounded.hpp"
#include "mechanics/system/inputs.hpp"

namespace lacon::inline state {

void residual_rounding(const DerivedModel& details, const State& state, Residuals& out) {
    const System& system = details.system;
    std::vector<Rounded> inputs, slots, outputs;
    out.value.assign(system.row_count(), 0.0);
    out.velocity.assign(system.row_count(), 0.0);
    for (const Element& element : system.elements) {
        const Shape& shape = system.shapes[element.shape];
        const Program& program = shape.residuals_program;
        if (program.output_count() == 0) continue;
        const std::uint32_t* leaf = system.leaves.data() + element.leaves;
        const auto row = static_cast<std::size_t>(element.row);
        inputs.clear();
        append_inputs(
            inputs, shape, leaf, TimeInput::last,
            InputValues{[&](std::size_t i) { return Rounded::input(state.q[i]); },
                        [&](std::size_t i) { return Rounded::input(state.v[i]); },
                        Rounded::input(state.t),
                        [&](std::size_t i) { return Rounded::input(details.parameters[i]); }});
        slots.resize(program.slot_count());
        outputs.resize(program.output_count());
        program.run<Rounded>(inputs, slots, outputs);
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            const bool is_value = shape.residuals.entries[o].target == Entry::Target::residual;
            (is_value ? out.value : out.velocity)[row] += outputs[o].error;
        }
    }
}

ResidualSize ResidualSize::of(double r, double rounding, double values, double zeros) {
    constexpr double unit = Rounded::unit;
    constexpr double rounded = 4.0;  // first-order bounds, of elementary functions right to 1 unit
    constexpr double last_places = 64.0;  // of the extent: what steps leave of a value that is zero
    constexpr double near = 1e-3;  // beyond, a large bound is no excuse: it may be all cancellation
    const bool is_known = std::isfinite(rounding) && rounding > 0.0;
    ResidualSize size;
    size.by_values = std::abs(r) / (values > 0.0 ? values : 1.0);
    size.by_terms = is_known ? std::abs(r) * (unit / rounding) : 0.0;
    size.size = std::abs(r) <= last_places * unit * zeros ? size.by_values
                                                          : std::max(size.by_values, size.by_terms);
    if (is_known && std::abs(r) <= rounded * rounding && size.by_values <= near)
        size.size = std::min(size.size, met_tol);
    return size;
}

}  // namespace lacon::state
