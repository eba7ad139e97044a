#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/series.hpp"
#include "mechanics/details.hpp"

/// A system between two decisions is smooth: every if, abs, sign, min, max keeps the branch it has taken. Here the decisions are
/// taken out of the elements and become inputs, the modes; whoever integrates holds them fixed within a step and turns them over
/// where the motion crosses the decision's surface.
namespace lacon {

/// One decision of a shape: its mode is `high` where the surface is positive, else `low`.
struct Decision {
    Expr node;     // as written: abs(x), x < y, min(x, y), … (in System::graph)
    Expr surface;  // in SmoothSystem::graph, over the shape's symbols and the modes of the decisions before it
    double low = 0.0, high = 1.0;
};

/// A shape's programs with its modes as further inputs, behind those of the shape: q (k), q' (k), t — parameters (p), modes (d).
struct SmoothShape {
    std::vector<Decision> decisions;
    Program dynamics, residuals, surfaces;
    std::vector<Entry> entries;  // of `dynamics`
    /// For power series. A row used at its own order leaves b out and has φ in `residual_series` instead.
    SeriesProgram dynamics_series, residual_series;
    std::vector<Entry> series_entries;
    bool own_order = false;
};

struct SmoothSystem {
    std::vector<SmoothShape> shapes;        // as System::shapes
    std::vector<std::uint32_t> first_mode;  // of each element, into the modes
    std::size_t mode_count = 0;

    /// Whose mode it is, and the decision behind it.
    struct Owner {
        const Element& element;
        const Decision& decision;
    };
    Owner owner_of(std::size_t mode, const System& system) const;
};

/// With alpha > 0, position and velocity constraints without a `stabilize` of their own enter after Baumgarte: φ'' + 2αφ' + α²φ =
/// 0, φ' + αφ = 0. Otherwise they enter power series at their own order.
SmoothSystem smooth(const System& system, double alpha = 0.0);

/// A decision of an element in the model's names: "abs(x - 1)".
std::string text_of(const SystemDetails& details, const Element& element, const Decision& decision);

}  // namespace lacon
