// Compares programs, entries and leaf numbers, not expressions.
#include "ensemble/same_system.hpp"

#include <algorithm>

namespace lacon::inline ensemble {

namespace {

bool same_entry(const Entry& a, const Entry& b) {
    return a.target == b.target && a.i == b.i && a.j == b.j;
}

bool same_shape(const Shape& a, const Shape& b) {
    const auto same = [](const Derived& x, const Derived& y) {
        return std::equal(x.entries.begin(), x.entries.end(), y.entries.begin(), y.entries.end(),
                          same_entry);
    };
    return a.coordinates == b.coordinates && a.parameters == b.parameters && a.level == b.level &&
           a.dynamics_program == b.dynamics_program && a.residuals_program == b.residuals_program &&
           same(a.dynamics, b.dynamics) && same(a.residuals, b.residuals);
}

bool same_element(const Element& a, const Element& b) {
    return a.shape == b.shape && a.leaves == b.leaves && a.row == b.row;
}

}  // namespace

bool same_equations(const DerivedModel& a, const DerivedModel& b) {
    const System &x = a.system, &y = b.system;
    return &a == &b || (a.parameters.size() == b.parameters.size() &&
                        x.coordinate_count == y.coordinate_count && x.levels == y.levels &&
                        x.stabilized == y.stabilized && x.leaves == y.leaves &&
                        std::equal(x.elements.begin(), x.elements.end(), y.elements.begin(),
                                   y.elements.end(), same_element) &&
                        std::equal(x.shapes.begin(), x.shapes.end(), y.shapes.begin(),
                                   y.shapes.end(), same_shape));
}

}  // namespace lacon::ensemble
