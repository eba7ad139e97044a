// The smooth system between two decisions, and the surfaces where decisions change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/series.hpp"
#include "mechanics/system/derived_model.hpp"

/// A system between two decisions is smooth: every if, abs, sign, min, max, floor keeps the branch
/// it has taken. Here the decisions are taken out of the elements and become inputs, the branches;
/// whoever integrates holds them fixed within a step and turns them over where the motion crosses
/// the decision's surface.
namespace lacon::inline mechanics {

/// One decision of a shape: its branch is `high` where the surface is positive, else `low`.
///
/// floor(x) has a border at every whole number. It is two decisions that count: with branches u and
/// d its value is u − d, and their surfaces are (u − d) + 1 − x and x − (u − d), both positive as
/// long as the value is right. Where one of them falls to zero its branch grows. Of such, `low` and
/// `high` are both 1 (of u) or −1 (of d).
///
/// atan2(y, x) jumps where y changes its sign while x < 0. It is two decisions. The first has its
/// low branch on the left side, with a margin, so that angles that stay below 2.5 never cross a
/// border; the second tells there which side y is on, and is settled anew where the first one
/// turns. By them the angle is measured from another axis, and goes on smoothly beyond the cut.
struct Decision {
    Expr node;  // as written: abs(x), x < y, min(x, y), floor(x), … (in System::graph)
    /// In the graph of its shape, over the shape's symbols and the branches of the decisions before
    /// it.
    Expr surface;
    double low = 0.0, high = 1.0;
    bool is_guard = false;  // it says whether the next decision counts, and settles that one anew
    bool is_told = true;    // its turn is an event of the motion

    bool counts() const { return low == high; }
    bool counts_down() const { return counts() && low < 0.0; }
    /// The branch at a state, by the surface there; of those that count, by the surface with their
    /// own branch and those behind it 0.
    double settled(double value) const;
    /// The side that goes with it.
    int side(double value) const { return value < 0.0 && !counts() ? -1 : 1; }
    /// The branch of one that counts, behind a zero of its surface, which has this value there (0
    /// but for rounding, or where another decision made x jump).
    double counted(double branch, double value) const;
};

/// A shape's programs with its branches as further inputs, behind those of the shape: q (k), q'
/// (k), t — parameters (p), branches (d).
struct SmoothShape {
    std::vector<Decision> decisions;
    Program dynamics, residuals, surfaces;
    std::vector<Entry> entries;  // of `dynamics`
    /// For power series. A row used at its own order leaves b out and has φ in `residual_series`
    /// instead.
    SeriesProgram dynamics_series, residual_series;
    std::vector<Entry> series_entries;
    bool own_order = false;
    Program articulation;  // Articulation::values; empty where there is none, or decisions
};

struct SmoothSystem {
    std::vector<SmoothShape> shapes;          // as System::shapes
    std::vector<std::uint32_t> first_branch;  // of each element, into the branches
    std::size_t branch_count = 0;

    /// Whose branch it is, and the decision behind it.
    struct Owner {
        const Element& element;
        const Decision& decision;
    };
    Owner owner_of(std::size_t branch, const System& system) const;
    std::size_t element_of(std::size_t branch) const;  ///< its number
};

/// Takes the branches that the decisions of one element have at a state. Those inside others come
/// first: `surface(branch)` gives the value of one surface at the state, with the branches taken so
/// far; `take(branch, decision, value)` hears of each. `but` keeps the branch that it has.
template <class Surface, class Take>
void settle_element(const SmoothSystem& smooth, const System& system, std::size_t element,
                    std::vector<double>& branches, const Surface& surface, const Take& take,
                    std::size_t but) {
    const auto& decisions = smooth.shapes[system.elements[element].shape].decisions;
    const std::size_t first = smooth.first_branch[element];
    for (std::size_t d = 0; d < decisions.size(); ++d)
        if (decisions[d].counts() && first + d != but) branches[first + d] = 0.0;
    for (std::size_t d = 0; d < decisions.size(); ++d) {
        if (first + d == but) continue;
        const double value = surface(first + d);
        branches[first + d] = decisions[d].settled(value);
        take(first + d, decisions[d], value);
    }
}

/// With alpha > 0, position and velocity constraints without a `stabilize` of their own enter after
/// Baumgarte: φ'' + 2αφ' + α²φ = 0, φ' + αφ = 0. Otherwise they enter power series at their own
/// order.
SmoothSystem smooth(const System& system, double alpha = 0.0);

/// A decision of an element in the model's names: "abs(x - 1)".
std::string text_of(const DerivedModel& details, const Element& element, const Decision& decision);

}  // namespace lacon::mechanics
