// Constraints that no state meets: where the interval of a residual over a box does not contain
// zero, no state of the box meets it. Boxes that may hold one are cut in two. What is shown is
// shown; what is not may still be so.
#include "state/disproof.hpp"
#include "mechanics/system/inputs.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline state {

namespace {

constexpr double far_out = 1e60;  // squares and cubes of it are still numbers
constexpr double narrow = 1e-10;  // of the scale: boxes that small are not cut any more

}  // namespace

Disproof::Disproof(const DerivedModel& details, const StatedStart& start, bool velocity,
                   double scale)
    : details_(details),
      start_(start),
      velocity_(velocity),
      scale_(std::isfinite(scale) && scale > 0.0 ? scale : 1.0),
      elements_(details.system.row_count()) {
    const std::vector<double>& values = velocity ? start.state.v : start.state.q;
    const std::vector<bool>& fixed = velocity ? start.fixed_v : start.fixed_q;
    for (std::size_t i = 0; i < values.size(); ++i)
        whole_.push_back(fixed[i] ? Interval(values[i]) : Interval(-far_out, far_out));
    const System& system = details.system;
    for (std::size_t number = 0; number < system.elements.size(); ++number)
        if (const std::int32_t row = system.elements[number].row;
            row >= 0 && static_cast<std::size_t>(row) < elements_.size())
            elements_[static_cast<std::size_t>(row)].push_back(number);
}

/// q, q', parameters, t of an element as inputs.
void Disproof::gather(std::size_t element, const Box& box) {
    const System& system = details_.system;
    const Shape& shape = system.shapes[system.elements[element].shape];
    const std::uint32_t* leaf = system.leaves.data() + system.elements[element].leaves;
    const State& state = start_.state;
    inputs_.clear();
    append_inputs(
        inputs_, shape, leaf, TimeInput::last,
        InputValues{[&](std::size_t i) { return velocity_ ? Interval(state.q[i]) : box[i]; },
                    [&](std::size_t i) { return velocity_ ? box[i] : Interval(state.v[i]); },
                    Interval(state.t),
                    [&](std::size_t i) { return Interval(details_.parameters[i]); }});
}

void Disproof::run(const Program& program, std::size_t element, const Box& box) {
    gather(element, box);
    slots_.resize(program.slot_count());
    outputs_.resize(program.output_count());
    program.run<Interval>(inputs_, slots_, outputs_);
}

bool Disproof::may_hold(std::size_t row, const Box& box) {
    Interval sum(0.0);
    for (const std::size_t number : elements_[row]) {
        const Shape& shape = details_.system.shapes[details_.system.elements[number].shape];
        run(shape.residuals_program, number, box);
        for (std::size_t o = 0; o < outputs_.size(); ++o)
            if ((shape.residuals.entries[o].target != Entry::Target::residual) == velocity_)
                sum = sum + outputs_[o];
    }
    // The residual must be off by more than its own rounding: the numbers of the model are doubles,
    // not what was meant by them.
    const double rounding =
        1e-12 * std::max(1.0, std::abs(sum.low) < far_out ? std::abs(sum.low) : 1.0);
    if (!sum.is_defined()) return true;
    const ConstraintRow::Sense sense = details_.model.constraints[row].sense;
    return (sense == ConstraintRow::Sense::at_least || sum.low <= rounding) &&
           (sense == ConstraintRow::Sense::at_most || sum.high >= -rounding);
}

/// Along the side that is longest, counted in powers where it is beyond the scale; false where all
/// that matter are short.
bool Disproof::cut(const Box& box, const std::vector<bool>& matters, Box& first,
                   Box& second) const {
    double longest = narrow;
    std::size_t side = box.size();
    for (std::size_t i = 0; i < box.size(); ++i) {
        if (!matters[i]) continue;
        const double length = std::asinh(box[i].high / scale_) - std::asinh(box[i].low / scale_);
        if (length > longest) longest = length, side = i;
    }
    if (side == box.size()) return false;
    const double middle =
        scale_ *
        std::sinh(0.5 * (std::asinh(box[side].high / scale_) + std::asinh(box[side].low / scale_)));
    if (!(middle > box[side].low && middle < box[side].high)) return false;
    first = second = box;
    first[side] = Interval(box[side].low, middle);
    second[side] = Interval(middle, box[side].high);
    return true;
}

bool Disproof::excludes(const std::vector<std::size_t>& rows, std::size_t most_boxes) {
    std::vector<bool> matters(whole_.size(), false);
    for (const std::size_t row : rows)
        for (const std::size_t number : elements_[row]) {
            const Element& element = details_.system.elements[number];
            for (std::size_t i = 0; i < details_.system.shapes[element.shape].coordinates; ++i) {
                const std::size_t j = details_.system.leaves[element.leaves + i];
                matters[j] = !whole_[j].is_point();
            }
        }
    std::vector<Box> left{whole_};
    for (std::size_t count = 0; !left.empty(); ++count) {
        if (count >= most_boxes) return false;
        const Box box = std::move(left.back());
        left.pop_back();
        if (!std::all_of(rows.begin(), rows.end(),
                         [&](std::size_t row) { return may_hold(row, box); }))
            continue;
        Box first, second;
        if (!cut(box, matters, first, second)) return false;
        left.push_back(std::move(first));
        left.push_back(std::move(second));
    }
    return true;
}

bool Disproof::is_affine(std::size_t row) {
    for (const std::size_t number : elements_[row]) {
        const Shape& shape = details_.system.shapes[details_.system.elements[number].shape];
        run(shape.dynamics_program, number, whole_);
        for (std::size_t o = 0; o < outputs_.size(); ++o) {
            if (shape.dynamics.entries[o].target != Entry::Target::row) continue;
            // 1e-12: rows that are the same everywhere in the box but for outward rounding.
            if (!outputs_[o].is_defined() || outputs_[o].width() > 1e-12 * outputs_[o].magnitude())
                return false;
        }
    }
    return true;
}

}  // namespace lacon::state
