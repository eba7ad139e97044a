// Turns contacts between shapes into one-sided constraints, one for each point at which they may
// touch, with friction against the sliding of the bodies' points there.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace lacon::lang {

void Elaborator::contacts(const ContactStatement& statement, const Statement& whole) {
    for (const MemberId member : members_of(whole)) {
        const std::size_t before = diagnostics_.error_count();
        const std::size_t first = model_.constraints.size();
        evaluator_.within(member, [&] {
            if (statement.friction.kinetic != none) return contact(statement, member);
            passing([&] {
                contact(statement, member);
                Components held;
                if (first < model_.constraints.size())
                    if (const auto& e = model_.constraints[first].restitution) held.push_back(*e);
                return held;
            });
        });
        if (diagnostics_.error_count() > before) break;
    }
}

void Elaborator::contact(const ContactStatement& statement, MemberId member) {
    const auto a = touching_body(statement.first), b = touching_body(statement.second);
    if (!a || !b) return;
    const Span place{syntax_.span(statement.first.tokens).begin,
                     syntax_.span(statement.second.tokens).end};
    if (*a == *b) {
        diagnostics_.error(place, "a body has no contact with itself",
                           "in a family leave such pairs out: for i in 1..N, j in i+1..N");
        return;
    }
    ConstraintRow row;  // what all rows have in common
    row.sense = ConstraintRow::Sense::at_least;
    row.span = evaluator_.names.place_of(member);
    if (statement.restitution != none) row.restitution = restitution(statement.restitution);
    Friction friction;
    friction.span = syntax_.span(statement.friction.tokens);
    const bool rubs = statement.friction.kinetic != none;
    if (rubs && !read_coefficients(statement.friction, friction)) return;
    const auto points = points_of_contact(statement, *a, *b, place);
    if (!points) return;
    const std::string name = evaluator_.names.name_of(member);
    evaluator_.names.members[member].slot = static_cast<std::uint32_t>(model_.constraints.size());
    evaluator_.names.members[member].row_count = static_cast<std::uint32_t>(points->size());
    const std::size_t dimensions = evaluator_.bodies.planar ? 2 : 3;
    for (std::size_t i = 0; i < points->size(); ++i) {
        const shape::ContactPoint& point = (*points)[i];
        row.name = points->size() == 1 ? name : fmt::format("{}[{}]", name, i + 1);
        row.value = kept({point.gap});
        const std::size_t errors = diagnostics_.error_count();
        check_row(row, point.gap, "contact");
        if (diagnostics_.error_count() > errors) return;
        friction.constraint = row.name;
        friction.rows = {model_.constraints.size()};
        friction.slip.assign(point.slip.begin(), point.slip.begin() + dimensions);
        friction.normal.assign(point.normal.begin(), point.normal.begin() + dimensions);
        model_.constraints.push_back(row);
        note_contact(point, model_.constraints.size() - 1);
        if (rubs) model_.frictions.push_back(friction);
    }
}

std::optional<std::ptrdiff_t> Elaborator::touching_body(const Target& target) {
    const auto body = joined_body(target);
    if (!body || shapes_.contains(*body)) return body;
    const std::string_view text = syntax_.source->text(syntax_.span(target.tokens));
    if (!diagnostics_.has_errors())
        diagnostics_.error(syntax_.span(target.tokens),
                           fmt::format("'{}' has no shape, so nothing can touch it", text),
                           *body == Body::ground
                               ? fmt::format("give it one: body ground shape {}",
                                             evaluator_.bodies.planar ? "line" : "plane")
                               : "add 'shape ...' to its body statement");
    return std::nullopt;
}

std::optional<std::vector<shape::ContactPoint>> Elaborator::points_of_contact(
    const ContactStatement& statement, std::ptrdiff_t a, std::ptrdiff_t b, Span place) {
    shape::ContactOptions options;
    if (statement.points != none) {
        const auto count = evaluator_.whole(statement.points, "the number of points of a rim");
        if (!count) return std::nullopt;
        constexpr std::int32_t least = 3, most = 100;
        if (*count < least || *count > most) {
            diagnostics_.error(syntax_.span(statement.points),
                               fmt::format("a rim takes {} to {} contact points, but {} are given",
                                           least, most, *count));
            return std::nullopt;
        }
        const auto is_cylinder = [](const shape::Shape& one) {
            return one.kind == shape::Kind::cylinder;
        };
        if (std::none_of(shapes_.at(a).begin(), shapes_.at(a).end(), is_cylinder) &&
            std::none_of(shapes_.at(b).begin(), shapes_.at(b).end(), is_cylinder)) {
            diagnostics_.error(syntax_.span(statement.points),
                               "'points' is for the rims of cylinders, and neither body has one");
            return std::nullopt;
        }
        options.rim_points = static_cast<std::size_t>(*count);
    }
    const auto carrier_a = carrier_of(a, place), carrier_b = carrier_of(b, place);
    if (!carrier_a || !carrier_b) return std::nullopt;
    std::vector<shape::ContactPoint> all;
    try {
        for (const shape::Shape& first : shapes_.at(a))
            for (const shape::Shape& second : shapes_.at(b)) {
                auto points = shape::contact_points(model_.graph, *carrier_a, first, *carrier_b,
                                                    second, options);
                all.insert(all.end(), points.begin(), points.end());
            }
    } catch (const shape::NoGap& refused) {
        diagnostics_.error(place, refused.what(), refused.hint);
        return std::nullopt;
    }
    return all;
}

/// How a body stands and moves.
std::optional<shape::Carrier> Elaborator::carrier_of(std::ptrdiff_t body, Span place) {
    const Motion& motion = evaluator_.bodies.motion(body);
    if (body == Body::ground) return shape::fixed_carrier(model_.graph);
    const Vector3& p = motion.frame.p;
    const Value rate = evaluator_.time_derivative(Value::of_vector({p[0], p[1], p[2]}), place);
    if (rate.is_bad()) return std::nullopt;
    return shape::Carrier{
        {p, motion.frame.R}, {rate.parts[0], rate.parts[1], rate.parts[2]}, motion.omega};
}

}  // namespace lacon::lang
