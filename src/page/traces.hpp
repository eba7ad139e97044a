// Curves and surfaces on which constraints hold a point, as points and triangles.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "page/page_columns.hpp"
#include "scene/scene.hpp"

namespace lacon::inline page {

/// A curve or surface at one time, or at several: between them its points move on straight lines.
/// Points are whole numbers of `unit` from `low`.
struct Trace {
    std::string name;
    std::size_t row = 0;  // of the constraint
    bool one_sided = false, surface = false, closed = false;
    std::array<double, 3> low{};
    double unit = 1.0;
    std::vector<double> times;
    std::vector<std::vector<std::int32_t>> frames;  // three numbers a point
    std::vector<std::uint32_t> triangles;           // of a surface, by numbers of points
};

struct Traces {
    std::vector<Trace> all;
    std::vector<std::string> left_out;  // sentences
};

/// Traces what can be: curves from the place of the motion on, in either direction; surfaces that
/// are a height over a disk around the motion. Within a box around the motion.
Traces trace(const DerivedModel& details, const Scene& scene, const PageColumns& columns,
             const RowStates& rows);

}  // namespace lacon::page
