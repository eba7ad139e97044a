// Whether a rigid body can have the inertia that is given: no principal moment is negative, and
// none is larger than the sum of the other two.
#include <fmt/format.h>

#include "base/text.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace lacon::lang {

namespace {

/// xx, yy, zz, xy, xz, yz
using Symmetric = std::array<double, 6>;

/// Whether a + margin is positive definite: all its leading minors are positive (Sylvester).
bool is_positive(const Symmetric& a, double margin) {
    const double x = a[0] + margin, y = a[1] + margin, z = a[2] + margin;
    const double xy = a[3], xz = a[4], yz = a[5];
    return x > 0 && x * y - xy * xy > 0 &&
           x * (y * z - yz * yz) - xy * (xy * z - yz * xz) + xz * (xy * yz - y * xz) > 0;
}

}  // namespace

void Elaborator::check_inertia(const BodyValue& body, Span place) {
    // Of the sum of the moments: digits that people leave out of tables.
    constexpr double tolerance = 1e-5;
    Symmetric inertia;
    for (std::size_t i = 0; i < 6; ++i) {
        const auto number = known_number(body.inertia[i]);
        if (!number) return;
        inertia[i] = *number;
    }
    const double sum = inertia[0] + inertia[1] + inertia[2];
    if (!(sum > 0) || body.planar) return;
    if (!is_positive(inertia, tolerance * sum)) {
        diagnostics_.error(place,
                           fmt::format("the inertia of '{}' is negative about some axis: its "
                                       "products are too large",
                                       body.name),
                           "the order is (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), about the centre of mass");
        return;
    }
    Symmetric second = {sum / 2 - inertia[0], sum / 2 - inertia[1], sum / 2 - inertia[2],
                        -inertia[3],          -inertia[4],          -inertia[5]};
    // What comes of an imported file is reported by its reader: "line 7 of 'arm.urdf'".
    const bool imported = diagnostics_.line_text(place.begin, *syntax_.source).ends_with('\'');
    if (is_positive(second, tolerance * sum) || imported) return;
    diagnostics_.warning(
        place,
        fmt::format("no rigid body has the inertia of '{}': one principal moment is larger than "
                    "the sum of the others",
                    body.name),
        "it is used as given; about any point but the centre of mass, moments are larger");
}

}  // namespace lacon::lang
