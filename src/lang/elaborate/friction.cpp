// Reads the friction of a constraint and finds the particle it acts on: the one named, or the only
// one whose position contains all coordinates of the constraint.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "lang/elaborate/elaborator.hpp"

/// `friction MU [static MUS] [on PARTICLE | slip VELOCITY]` on a constraint whose rows are in the
/// model already.
namespace lacon::lang {

namespace {

std::vector<std::size_t> sorted_once(std::vector<std::size_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

}  // namespace

void Elaborator::friction(const FrictionModifier& modifier, MemberId constraint) {
    Friction friction;
    friction.constraint = evaluator_.names.name_of(constraint);
    friction.rows = evaluator_.names.rows_of(constraint);
    friction.span = syntax_.span(modifier.tokens);
    bool sound = read_coefficients(modifier, friction);
    if (modifier.slip != none) {
        const auto velocity = slip(modifier.slip);
        sound = sound && velocity;
        if (velocity) friction.slip = *velocity;
    } else {
        friction.particle = sliding_particle(modifier, friction);
        sound = sound && friction.particle;
    }
    if (sound) model_.frictions.push_back(std::move(friction));
}

bool Elaborator::read_coefficients(const FrictionModifier& modifier, Friction& friction) {
    const auto kinetic = not_negative(modifier.kinetic, "the coefficient of friction");
    if (kinetic) friction.kinetic = *kinetic;
    if (modifier.at_rest == none) return kinetic.has_value();
    friction.at_rest = not_negative(modifier.at_rest, "the coefficient of static friction");
    if (!kinetic || !friction.at_rest) return false;
    const auto sliding = known_number(*kinetic), resting = known_number(*friction.at_rest);
    if (sliding && resting && *resting < *sliding)
        diagnostics_.warning(
            syntax_.span(modifier.at_rest),
            fmt::format("the coefficient of static friction, {}, is below that of sliding, {}",
                        shortest(*resting), shortest(*sliding)));
    return true;
}

std::optional<Expr> Elaborator::not_negative(NodeId node, const std::string& what,
                                             std::string hint) {
    const Span place = syntax_.span(node);
    const auto value = scalar(node, what);
    if (!value || refuse_acceleration({&*value, 1}, what, place)) return std::nullopt;
    const auto number = known_number(*value);
    if (!number || *number >= 0) return value;
    diagnostics_.error(place,
                       fmt::format("{} cannot be negative, but it is {}", what, shortest(*number)),
                       std::move(hint));
    return std::nullopt;
}

std::optional<Components> Elaborator::slip(NodeId node) {
    constexpr std::string_view what = "the velocity of sliding";
    const Span place = syntax_.span(node);
    const Value value = evaluator_.evaluate(node);
    if (value.is_bad()) return std::nullopt;
    if (value.is_truth() || value.parts.size() > 3) {
        diagnostics_.error(
            place, fmt::format("{} has 1 to 3 components, but this is {}", what, describe(value)));
        return std::nullopt;
    }
    Components velocity = evaluator_.arithmetic.components(value);
    if (refuse_acceleration(velocity, what, place)) return std::nullopt;
    if (std::any_of(velocity.begin(), velocity.end(),
                    [&](Expr part) { return (uses_.of(part) & Uses::velocity) != 0; }))
        return velocity;
    diagnostics_.error(place, fmt::format("{} contains no velocity", what),
                       "write it with primes, as in slip x' + R*th'");
    return std::nullopt;
}

/// The particle named with `on`, or the only one that the constraint can be about.
std::optional<std::size_t> Elaborator::sliding_particle(const FrictionModifier& modifier,
                                                        const Friction& friction) {
    constexpr EntityKind kinds[] = {EntityKind::particle};
    for (const std::size_t row : friction.rows) {
        if ((uses_.of(model_.forms.expression(model_.constraints[row].value, model_.graph)) &
             (Uses::velocity | Uses::acceleration)) == 0)
            continue;
        diagnostics_.error(friction.span,
                           fmt::format("friction acts on a particle where the constraint is at "
                                       "position level; '{}' is not",
                                       model_.constraints[row].name),
                           "give the velocity of sliding: friction MU slip VELOCITY");
        return std::nullopt;
    }
    if (modifier.particle.name == none) return only_particle(friction);
    const MemberId member = find_target(modifier.particle, kinds, "a particle");
    if (member == none || evaluator_.names.members[member].slot == none) return std::nullopt;
    return evaluator_.names.members[member].slot;
}

/// The only particle whose position contains all coordinates of the constraint.
std::optional<std::size_t> Elaborator::only_particle(const Friction& friction) {
    std::vector<std::size_t> with_all, with_any;
    bool first = true;
    for (const std::size_t coordinate : coordinates_of(friction)) {
        const std::vector<std::size_t>& with_this = particles_with(coordinate);
        const auto lacks_this = [&](std::size_t p) {
            return !std::binary_search(with_this.begin(), with_this.end(), p);
        };
        if (first) with_all = with_this;
        else std::erase_if(with_all, lacks_this);
        with_any.insert(with_any.end(), with_this.begin(), with_this.end());
        first = false;
    }
    if (with_all.size() == 1) return with_all.front();
    refuse_unclear(friction, with_all.empty() ? sorted_once(with_any) : with_all, with_all.empty());
    return std::nullopt;
}

void Elaborator::refuse_unclear(const Friction& friction, std::span<const std::size_t> candidates,
                                bool none_fits) {
    std::vector<std::string> names;
    for (const std::size_t candidate : candidates)
        names.push_back(model_.particles[candidate].name);
    const std::string_view why =
        none_fits ? "no position contains all coordinates of the constraint"
                  : "several positions contain all coordinates of the constraint";
    diagnostics_.error(
        friction.span,
        fmt::format("the particle on which the friction of '{}' acts is not clear: {}",
                    friction.constraint, why),
        names.empty()
            ? "give the velocity of sliding: friction MU slip VELOCITY"
            : fmt::format("name {}, as in 'on {}', or give the velocity of sliding: slip VELOCITY",
                          names.size() == 1 ? "it" : "one of " + quoted_list(names),
                          names.front()));
}

/// The coordinates that a constraint uses, by value or derivative; each once.
std::vector<std::size_t> Elaborator::coordinates_of(const Friction& friction) {
    Components values;
    for (const std::size_t row : friction.rows)
        values.push_back(model_.forms.expression(model_.constraints[row].value, model_.graph));
    return coordinates_in(values);
}

std::vector<std::size_t> Elaborator::coordinates_in(std::span<const Expr> values) const {
    std::vector<std::size_t> coordinates;
    for (const Expr symbol : symbols_in(model_.graph, values)) {
        const std::uint32_t number = model_.graph.symbol_index(symbol);
        if (number < coordinate_of_.size() && coordinate_of_[number] != none)
            coordinates.push_back(coordinate_of_[number]);
    }
    return sorted_once(std::move(coordinates));
}

const std::vector<std::size_t>& Elaborator::particles_with(std::size_t coordinate) {
    if (particles_with_.empty()) {
        particles_with_.resize(model_.coordinates.size());
        for (std::size_t i = 0; i < model_.particles.size(); ++i)
            for (const std::size_t used :
                 coordinates_in(model_.forms.symbols_of(model_.particles[i].position)))
                particles_with_[used].push_back(i);
    }
    return particles_with_[coordinate];
}

}  // namespace lacon::lang
