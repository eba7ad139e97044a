// Four or more elements of one shape share one code and run side by side in its lanes. All others
// go into a single code, which adds up its own terms and merges like ones.
#include "code/element_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

namespace lacon::inline code {

namespace {

using kernel::Code;
using kernel::Do;
using kernel::Value;

// Of one code: compiled in two seconds, with all effort in twenty.
constexpr std::size_t most_element_operations = 300'000;
constexpr std::size_t fewest_in_lanes = 4;  // elements of one shape

class Writer {
public:
    Writer(const DerivedModel& details, const SmoothSystem& smooth)
        : details_(details), system_(details.system), smooth_(smooth), at_(details, smooth) {}

    /// The only elements of their shapes: all in one code, that adds them up itself.
    ElementCode single(const std::vector<std::size_t>& elements);
    /// Many elements of one shape.
    ElementCode many(const std::vector<std::size_t>& elements, std::size_t lanes);

private:
    const Shape& shape_of(std::size_t element) const {
        return system_.shapes[system_.elements[element].shape];
    }
    const SmoothShape& smooth_of(std::size_t element) const {
        return smooth_.shapes[system_.elements[element].shape];
    }

    std::vector<std::uint32_t> inputs_of(std::size_t element) const;
    std::vector<Value> run(std::size_t element, const std::vector<Value>& inputs) const;
    std::optional<Item> item_of(std::size_t element, const Entry& entry) const;

    const DerivedModel& details_;
    const System& system_;
    const SmoothSystem& smooth_;
    const KernelInputs at_;
};

/// Which of the model's inputs an element's program takes: q, q', t, parameters, branches.
std::vector<std::uint32_t> Writer::inputs_of(std::size_t number) const {
    const Shape& shape = shape_of(number);
    const std::uint32_t* leaf = system_.leaves.data() + system_.elements[number].leaves;
    std::vector<std::uint32_t> result;
    const auto put = [&](std::size_t input) {
        result.push_back(static_cast<std::uint32_t>(input));
    };
    for (std::size_t i = 0; i < shape.coordinates; ++i) put(at_.q + leaf[i]);
    for (std::size_t i = 0; i < shape.coordinates; ++i) put(at_.v + leaf[i]);
    put(at_.t);
    for (std::size_t i = 0; i < shape.parameters; ++i)
        put(at_.parameters + leaf[shape.coordinates + i]);
    for (std::size_t i = 0; i < smooth_of(number).decisions.size(); ++i)
        put(at_.branches + smooth_.first_branch[number] + i);
    return result;
}

std::vector<Value> Writer::run(std::size_t number, const std::vector<Value>& inputs) const {
    const Program& program = smooth_of(number).dynamics;
    std::vector<Value> slots(program.slot_count()), outputs(program.output_count());
    program.run<Value>(inputs, slots, outputs);
    return outputs;
}

std::optional<Item> Writer::item_of(std::size_t number, const Entry& entry) const {
    const Element& element = system_.elements[number];
    const std::uint32_t* leaf = system_.leaves.data() + element.leaves;
    const auto row = static_cast<std::size_t>(element.row);
    switch (entry.target) {
        case Entry::Target::mass: {
            const auto [low, high] = std::minmax(leaf[entry.i], leaf[entry.j]);
            return Item{Entry::Target::mass, high, low};
        }
        case Entry::Target::mass_single:
            if (leaf[entry.i] < leaf[entry.j]) return std::nullopt;
            return Item{Entry::Target::mass, leaf[entry.i], leaf[entry.j]};
        case Entry::Target::force: return Item{Entry::Target::force, leaf[entry.i], 0};
        case Entry::Target::row: return Item{Entry::Target::row, row, leaf[entry.j]};
        case Entry::Target::right: return Item{Entry::Target::right, row, 0};
        default: return std::nullopt;
    }
}

/// A sum in the making, with like terms taken together: what every particle of a chain adds to the
/// same entry of M differs in its mass only.
class Sum {
public:
    void add(const Code& code, std::uint32_t id) {
        std::vector<std::pair<std::uint32_t, double>> open{{id, 1.0}};
        // A sum of sums that are shared may have more terms than anyone wants.
        constexpr std::size_t most_terms = 1000;
        for (std::size_t taken = 0; !open.empty(); ++taken) {
            auto [term, factor] = open.back();
            open.pop_back();
            const kernel::Node& node = code[term];
            const bool splits = (node.op == Do::add || node.op == Do::sub) && taken < most_terms;
            if (node.op == Do::neg) open.emplace_back(node.a, -factor);
            else if (node.op == Do::mul && code.is_constant(node.a))
                open.emplace_back(node.b, factor * code[node.a].value);
            else if (node.op == Do::mul && code.is_constant(node.b))
                open.emplace_back(node.a, factor * code[node.b].value);
            else if (splits)
                open.insert(open.end(),
                            {{node.b, node.op == Do::sub ? -factor : factor}, {node.a, factor}});
            else take(term, factor);
        }
    }
    Value value(Code& code) const {
        Value result;
        for (const auto& [term, factor] : terms_) result += Value(factor) * Value(code, term);
        return result;
    }

private:
    void take(std::uint32_t term, double factor) {
        const auto [place, is_new] = places_.emplace(term, terms_.size());
        if (is_new) terms_.emplace_back(term, factor);
        else terms_[place->second].second += factor;
    }

    std::vector<std::pair<std::uint32_t, double>> terms_;  // in the order of their first use
    std::map<std::uint32_t, std::size_t> places_;
};

void check_length(const Code& code) {
    const std::size_t operations = code.order().size();
    if (operations > most_element_operations)
        throw std::runtime_error(
            fmt::format("{} operations in elements of unique structure: at most {} are compiled",
                        operations, most_element_operations));
}

ElementCode Writer::single(const std::vector<std::size_t>& elements) {
    ElementCode result;
    Code& code = result.code;
    std::map<Item, Sum> sums;
    std::map<std::uint32_t, std::uint32_t> numbers;  // of the inputs that are used
    for (const std::size_t number : elements) {
        std::vector<Value> inputs;
        for (const std::uint32_t input : inputs_of(number)) {
            if (input >= at_.parameters && input < at_.branches) {
                inputs.emplace_back(details_.parameters[input - at_.parameters]);
                continue;
            }
            const auto [place, is_new] =
                numbers.emplace(input, static_cast<std::uint32_t>(numbers.size()));
            if (is_new) result.inputs.push_back(input);
            inputs.emplace_back(code, code.input(place->second));
        }
        const std::vector<Value> values = run(number, inputs);
        for (std::size_t o = 0; o < values.size(); ++o)
            if (const auto item = item_of(number, smooth_of(number).entries[o]);
                item && !values[o].is(0.0))
                sums[*item].add(code, values[o].id_in(code));
    }
    for (const auto& [item, sum] : sums) {
        result.outputs.push_back({0, code.outputs.size(), 0, item});
        code.outputs.push_back(sum.value(code).id_in(code));
    }
    code.input_count = static_cast<std::uint32_t>(result.inputs.size());
    check_length(code);
    return result;
}

ElementCode Writer::many(const std::vector<std::size_t>& elements, std::size_t lanes) {
    ElementCode result;
    result.lanes = lanes;
    result.runs = (elements.size() + lanes - 1) / lanes;
    Code& code = result.code;
    std::vector<std::vector<std::uint32_t>> inputs;
    for (const std::size_t number : elements) inputs.push_back(inputs_of(number));
    std::vector<std::size_t> varying;  // the others are parameters of one value
    std::vector<Value> values;
    for (std::size_t i = 0; i < inputs[0].size(); ++i) {
        const bool is_parameter = inputs[0][i] >= at_.parameters && inputs[0][i] < at_.branches;
        const auto value = [&](const std::vector<std::uint32_t>& in) {
            return details_.parameters[in[i] - at_.parameters];
        };
        if (is_parameter && std::all_of(inputs.begin(), inputs.end(), [&](const auto& in) {
                return value(in) == value(inputs[0]);
            })) {
            values.emplace_back(value(inputs[0]));
            continue;
        }
        values.emplace_back(code, code.input(static_cast<std::uint32_t>(varying.size())));
        varying.push_back(i);
    }
    code.input_count = static_cast<std::uint32_t>(varying.size());
    // A run that is not full has its last element several times.
    const auto element_at = [&](std::size_t run, std::size_t lane) {
        return std::min(run * lanes + lane, elements.size() - 1);
    };
    for (std::size_t r = 0; r < result.runs; ++r)
        for (const std::size_t i : varying)
            for (std::size_t l = 0; l < lanes; ++l)
                result.inputs.push_back(inputs[element_at(r, l)][i]);

    const std::vector<Value> outputs = run(elements[0], values);
    std::vector<std::size_t> used;  // outputs that are not zero
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        if (outputs[o].is(0.0)) continue;
        used.push_back(o);
        code.outputs.push_back(outputs[o].id_in(code));
    }
    for (std::size_t e = 0; e < elements.size(); ++e)
        for (std::size_t u = 0; u < used.size(); ++u)
            if (const auto item = item_of(elements[e], smooth_of(elements[e]).entries[used[u]]))
                result.outputs.push_back({e / lanes, u, e % lanes, *item});
    check_length(code);
    return result;
}

}  // namespace

std::vector<ElementCode> element_codes(const DerivedModel& details, const SmoothSystem& smooth,
                                       std::size_t lanes) {
    std::vector<std::vector<std::size_t>> of_shape(details.system.shapes.size());
    for (std::size_t e = 0; e < details.system.elements.size(); ++e)
        of_shape[details.system.elements[e].shape].push_back(e);
    Writer writer(details, smooth);
    std::vector<ElementCode> result;
    std::vector<std::size_t> rest;
    for (const auto& elements : of_shape) {
        if (elements.size() < fewest_in_lanes)
            rest.insert(rest.end(), elements.begin(), elements.end());
        else result.push_back(writer.many(elements, lanes));
    }
    if (!rest.empty()) result.push_back(writer.single(rest));
    return result;
}

}  // namespace lacon::code
