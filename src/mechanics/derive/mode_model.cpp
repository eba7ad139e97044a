// Makes a mode by copying the system and keeping the rows in force, renumbered. Multipliers of
// rows that are not in force become `no_row`. Nothing is derived again.
#include "mechanics/derive/mode_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "expr/traverse.hpp"

namespace lacon::inline mechanics {

bool DerivedModel::has_contacts() const {
    for (std::size_t f = 0; f < system.frictions.size(); ++f)
        if (!is_idle(f)) return true;
    return std::any_of(
        model.constraints.begin(), model.constraints.end(),
        [](const ConstraintRow& row) { return row.sense != ConstraintRow::Sense::equal; });
}

namespace {

/// The name of a row of slip: "floor.slip", or "floor.slip.x" of several.
std::string slip_name(const System& system, std::size_t number) {
    for (const FrictionPart& friction : system.frictions) {
        if (number < friction.slip || number >= friction.slip + friction.slip_count) continue;
        const std::size_t component = number - friction.slip;
        return friction.name +
               (friction.slip_count == 1 ? ".slip" : fmt::format(".slip.{}", "xyz"[component]));
    }
    return "slip";
}

class ModeModelMaking {
public:
    ModeModelMaking(const DerivedModel& whole, const ModeRows& rows)
        : whole_(whole),
          from_(whole.system),
          rows_(rows),
          place_(from_.row_count() + from_.slip_elements.size(), none) {
        for (std::size_t i = 0; i < rows.rows.size(); ++i)
            place_[rows.rows[i]] = static_cast<std::uint32_t>(i);
    }

    std::unique_ptr<DerivedModel> run() {
        const auto system = std::make_shared<System>(from_);
        auto mode_model = std::make_unique<DerivedModel>(whole_.shared_model, system);
        mode_model->name = whole_.name;
        mode_model->parameters = whole_.parameters;
        mode_model->coordinate_names = whole_.coordinate_names;
        mode_model->whole = &whole_;
        mode_model->control_names = whole_.control_names;
        mode_model->actuator_names = whole_.actuator_names;
        mode_model->servo = whole_.servo;
        mode_model->effort_source = whole_.effort_source;
        mode_model->rows = rows_.rows;
        System& to = *system;
        to.levels.clear();
        to.stabilized.clear();
        to.elements.clear();
        to.slip_elements.clear();
        to.nonideal.clear();
        to.dry_forces.clear();
        to.dry_nonideal.clear();
        const std::size_t m = from_.row_count();
        for (const std::size_t row : rows_.rows) {
            to.levels.push_back(row < m ? from_.levels[row] : Level::velocity);
            to.stabilized.push_back(row < m && from_.stabilized[row]);
            mode_model->constraint_names.push_back(row < m ? whole_.constraint_names[row]
                                                           : slip_name(from_, row - m));
            if (!whole_.weights.empty())
                mode_model->weights.push_back(row < m ? whole_.weights[row] : 1.0);
        }
        for (const auto* elements : {&from_.elements, &from_.slip_elements})
            for (const Element& element : *elements) take(element, to);
        for (const NonidealElement& element : from_.nonideal) take(element, to);
        for (const NonidealElement& force : from_.dry_forces)
            if (slides(force.friction)) to.elements.push_back(force.element);
        for (const NonidealElement& bound : from_.dry_bounds)
            if (!slides(bound.friction))
                watch(bound.element, from_.shapes[bound.element.shape].nonideal.values, to);
        for (const NonidealElement& force : from_.dry_nonideal)
            if (slides(force.friction)) to.nonideal.push_back(force);
        for (const std::size_t f : rows_.slides) watch(from_.frictions[f], to);
        return mode_model;
    }

private:
    static constexpr std::uint32_t none = NonidealElement::no_row;

    void take(Element element, System& to) const {
        if (element.row >= 0) {
            const std::uint32_t place = place_[static_cast<std::size_t>(element.row)];
            if (place == none) return;
            element.row = static_cast<std::int32_t>(place);
        }
        to.elements.push_back(element);
    }

    bool slides(std::int32_t friction) const {
        return std::find(rows_.slides.begin(), rows_.slides.end(),
                         static_cast<std::size_t>(friction)) != rows_.slides.end();
    }

    void take(NonidealElement element, System& to) const {
        if (element.friction >= 0 && !slides(element.friction)) return;
        const Shape& shape = from_.shapes[element.element.shape];
        const std::uint32_t first =
            element.element.leaves +
            static_cast<std::uint32_t>(shape.coordinates + shape.parameters);
        for (std::size_t i = 0; i < shape.multipliers; ++i)
            to.leaves[first + i] = place_[from_.leaves[first + i]];
        to.nonideal.push_back(element);
    }

    /// What slides has no row, but where a decision turns within its slip the velocity of sliding
    /// jumps: elements that add nothing to the equations have these decisions.
    void watch(const FrictionPart& friction, System& to) const {
        for (Element element : from_.slip_elements) {
            const auto number = static_cast<std::size_t>(element.row) - from_.row_count();
            if (number < friction.slip || number >= friction.slip + friction.slip_count) continue;
            watch(element, from_.shapes[element.shape].residuals.values, to);
        }
    }

    /// The decisions within values of an element, which adds nothing to the equations. A bound of
    /// dry friction that jumps may let go of what it holds, so where it does is found too.
    void watch(Element element, const std::vector<Expr>& values, System& to) const {
        const Shape& like = from_.shapes[element.shape];
        const auto decides = [&](Expr e) {
            return is_decision(from_.graph.op(e)) || from_.graph.op(e) == Op::atan2;
        };
        const std::vector<Expr> all = postorder(from_.graph, values);
        if (std::none_of(all.begin(), all.end(), decides)) return;
        Shape shape;
        shape.coordinates = like.coordinates;
        shape.parameters = like.parameters;
        shape.level = like.level;
        for (const Expr value : values) shape.dynamics.put({Entry::Target::residual, 0, 0}, value);
        std::vector<Expr> inputs;
        const auto take = [&](const std::vector<Expr>& symbols, std::size_t count) {
            inputs.insert(inputs.end(), symbols.begin(),
                          symbols.begin() + static_cast<std::ptrdiff_t>(count));
        };
        take(from_.q, shape.coordinates);
        take(from_.v, shape.coordinates);
        take(from_.p, shape.parameters);
        inputs.push_back(from_.t);
        shape.dynamics_program = Program(to.graph, inputs, shape.dynamics.values);
        element.shape = static_cast<std::uint32_t>(to.shapes.size());
        element.row = Element::watched_only;
        to.shapes.push_back(std::move(shape));
        to.elements.push_back(element);
    }

    const DerivedModel& whole_;
    const System& from_;
    const ModeRows& rows_;
    std::vector<std::uint32_t> place_;  // of the whole's rows in the mode
};

}  // namespace

std::unique_ptr<DerivedModel> make_mode_model(const DerivedModel& whole, const ModeRows& rows) {
    return ModeModelMaking(whole, rows).run();
}

}  // namespace lacon::mechanics
