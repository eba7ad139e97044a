// The names of methods and impact laws, and the few functions of Model that are not inline.
#include "model/model.hpp"

#include "lacon/names.hpp"

namespace lacon::inline model {

std::span<const std::string_view> method_names() {
    return names_of<MethodKind>().subspan(1);
}

std::span<const std::string_view> impact_law_names() {
    return names_of<ImpactLaw>().subspan(1);
}

std::span<const std::string_view> color_names() {
    static constexpr std::string_view names[] = {"black", "blue",   "brown", "cyan",   "gray",
                                                 "green", "orange", "pink",  "purple", "red",
                                                 "teal",  "white",  "yellow"};
    return names;
}

std::string Model::display_name() const {
    if (!title.empty()) return title;
    std::string name = source.name();
    if (const auto slash = name.find_last_of('/'); slash != std::string::npos)
        name.erase(0, slash + 1);
    if (const auto dot = name.find_last_of('.'); dot != std::string::npos && dot > 0)
        name.erase(dot);
    return name;
}

void Model::shrink() {
    graph.shrink();
    forms.shrink();
    const auto shrink_all = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
    shrink_all(coordinates, parameters, particles, bodies, joints, body_forces, torques, kinetic,
               potential, dissipation, forces, particle_forces, equations, constraints, frictions,
               dry_frictions, nonideal, particle_nonideal, requirements, start, observed, events,
               outputs, state_outputs, drawings, shapes);
}

}  // namespace lacon::model
