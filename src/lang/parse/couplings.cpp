// The table of couplings.
#include "lang/parse/couplings.hpp"

namespace lacon::lang {

namespace {

const std::vector<CouplingFacts>& coupling_table() {
    static const std::vector<CouplingFacts> table = {
        {"gear",
         Coupling::gear,
         true,
         true,
         {"ratio", "radius", "offset", "on", "axis"},
         "joint mesh: gear shaft to wheel ratio -1/3"},
        {"belt",
         Coupling::belt,
         true,
         true,
         {"ratio", "radius", "offset", "on", "axis"},
         "joint drive: belt motor to drum radius 0.1, 0.3"},
        {"rack",
         Coupling::rack,
         true,
         true,
         {"radius", "offset", "on", "axis"},
         "joint steering: rack pinion to bar radius 0.02"},
        {"cam",
         Coupling::cam,
         true,
         true,
         {"lift"},
         "joint push: cam shaft to valve lift 0.01*(1 - cos(shaft))"},
        {"rolling",
         Coupling::rolling,
         false,
         true,
         {"radius", "at", "axis"},
         "joint tyre: rolling wheel on ground radius 0.3 axis (0, 1, 0)"},
        {"parallel",
         Coupling::parallel,
         false,
         true,
         {"axis"},
         "joint level: parallel ground to tray axis (0, 0, 1)"},
        {"distance",
         Coupling::distance,
         false,
         true,
         {"at", "length"},
         "joint rod: distance crank to piston at (1, 0, 0), (0, 0, 0) length 2"},
        {"point_on_line",
         Coupling::point_on_line,
         false,
         true,
         {"at", "axis"},
         "joint slot: point_on_line lever to pin at (0, 0, 0), (0, 0, 0) axis (1, 0, 0)"},
        {"point_on_plane",
         Coupling::point_on_plane,
         false,
         false,
         {"at", "axis"},
         "joint foot: point_on_plane ground to leg at (0, 0, 0), (0, 0, -1) axis (0, 0, 1)"},
        {"point_on_curve",
         Coupling::point_on_curve,
         false,
         true,
         {"at", "curve"},
         "joint rail: point_on_curve ground to car curve (rail, rail^2, 0)"},
    };
    return table;
}

}  // namespace

const CouplingFacts* find_coupling(std::string_view word) {
    for (const CouplingFacts& facts : coupling_table())
        if (facts.word == word) return &facts;
    return nullptr;
}

std::vector<std::string> coupling_names() {
    std::vector<std::string> names;
    for (const CouplingFacts& facts : coupling_table()) names.emplace_back(facts.word);
    return names;
}

std::vector<std::pair<std::string_view, Span>> given_modifiers(const Syntax& syntax,
                                                               const JointStatement& s) {
    std::vector<std::pair<std::string_view, Span>> given;
    const std::pair<std::string_view, NodeId> values[] = {{"at", s.at},
                                                          {"axis", s.axis},
                                                          {"turned", s.turned},
                                                          {"pitch", s.pitch},
                                                          {"ratio", s.ratio},
                                                          {"radius", s.radius},
                                                          {"offset", s.offset},
                                                          {"length", s.length},
                                                          {"lift", s.lift},
                                                          {"curve", s.curve},
                                                          {"range", s.low},
                                                          {"restitution", s.restitution},
                                                          {"damping", s.damping},
                                                          {"stiffness", s.stiffness},
                                                          {"armature", s.armature},
                                                          {"friction", s.friction},
                                                          {"motor", s.motor_value}};
    for (const auto& [word, node] : values)
        if (node != none) given.emplace_back(word, syntax.span(node));
    if (s.carrier.name != none) given.emplace_back("on", syntax.span(s.carrier.tokens));
    if (s.mimic.name != none) given.emplace_back("mimic", syntax.span(s.mimic.tokens));
    if (s.by_constraints != none)
        given.emplace_back("by constraints", syntax.tokens[s.by_constraints].span);
    return given;
}

}  // namespace lacon::lang
