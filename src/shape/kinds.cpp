// The table of the kinds of shapes.
#include <algorithm>
#include <iterator>
#include <string>

#include "shape/shape.hpp"

namespace lacon::shape {

namespace {

constexpr KindFacts all_kinds[] = {
    {"sphere", 1, false, true, "shape sphere R"},
    {"box", 3, false, true, "shape box (LX, LY, LZ)"},
    {"capsule", 2, false, true, "shape capsule R, L"},
    {"cylinder", 2, false, true, "shape cylinder R, L"},
    {"ellipsoid", 3, false, true, "shape ellipsoid (A, B, C)"},
    {"plane", 0, false, false, "shape plane"},
    {"mesh", 0, false, true, "shape mesh \"file.stl\" [scale S]"},
    {"disk", 1, true, true, "shape disk R"},
    {"rectangle", 2, true, true, "shape rectangle (LX, LY)"},
    {"line", 0, true, false, "shape line"},
};

}  // namespace

const KindFacts& facts_of(Kind kind) {
    return all_kinds[static_cast<std::size_t>(kind)];
}

std::optional<Kind> kind_named(std::string_view name) {
    const auto* found = std::find_if(std::begin(all_kinds), std::end(all_kinds),
                                     [&](const KindFacts& facts) { return facts.name == name; });
    if (found == std::end(all_kinds)) return std::nullopt;
    return static_cast<Kind>(found - std::begin(all_kinds));
}

std::vector<std::string> kind_names(bool planar) {
    std::vector<std::string> names;
    for (const KindFacts& facts : all_kinds)
        if (facts.planar == planar) names.emplace_back(facts.name);
    return names;
}

}  // namespace lacon::shape
