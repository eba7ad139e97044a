// Runs the expressions on values that carry bounds of their rounding errors (BasicRounded). Results
// of a solve are taken as right to 1e-13 of their size.
#include "code/watch_code.hpp"

#include "code/row_code.hpp"

namespace lacon::inline code {

using kernel::Code;
using kernel::Value;

Code watch_code(const DerivedModel& details, const SmoothSystem& smooth, const CodeOptions& options,
                const Observables& events) {
    using RoundedValue = BasicRounded<Value>;
    Code code;
    code.most_nodes = most_step_nodes;
    ModelCode model(details, smooth, options, code);
    code.input_count = static_cast<std::uint32_t>(model.at.count);
    const StateValues state = input_state(model.at, details.system.coordinate_count, code);
    std::vector<RoundedValue> all = model.surfaces(state);

    ObservedCode observed(details, options, model, state, code);
    std::vector<RoundedValue> inputs, slots(events.program().slot_count()),
        values(events.program().output_count());
    for (const Observables::Input& input : events.inputs()) {
        const Value value = observed.input(input);
        inputs.push_back(Observables::is_solved(input)
                             ? RoundedValue(value, Value(Observables::solved_error) * abs(value))
                             : RoundedValue::input(value));
    }
    events.program().run<RoundedValue>(inputs, slots, values);
    all.insert(all.end(), values.begin(), values.end());
    for (const RoundedValue& one : all) {
        code.outputs.push_back(one.value.id_in(code));
        code.outputs.push_back(one.error.id_in(code));
    }
    code.outputs.push_back(observed.fine().id_in(code));
    check_step_length(code.order().size());
    return code;
}

}  // namespace lacon::code
