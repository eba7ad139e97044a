// The values that hold a point, and their slopes, as functions of its place and of time.
#pragma once

#include <array>
#include <vector>

#include "expr/program.hpp"
#include "scene/scene.hpp"

namespace lacon::inline page {

using TracePoint = std::array<double, 3>;

class TraceValues {
public:
    /// `details` must outlive it.
    TraceValues(const DerivedModel& details, const Scene& scene, const SceneTrace& trace);

    /// Values and slopes at a place; components that rest are not looked at.
    void at(const TracePoint& place, double t);
    std::size_t count() const { return count_; }
    double value(std::size_t i) const { return out_[i]; }
    /// 0 along components that rest.
    TracePoint slope(std::size_t i) const;
    bool moves() const { return moves_; }  // with time
    /// Onto all values = 0 by the shortest steps; false where that fails.
    bool project(TracePoint& place, double t, double size);
    /// Along the curve on which two or one values stay as they are: of length 1, or 0.
    TracePoint tangent() const;

private:
    const DerivedModel& details_;
    std::array<bool, 3> free_{};
    std::size_t count_ = 0;
    bool moves_ = false;
    Program program_;
    struct Input {
        int axis = -1;  // of the place; −1: `role`
        SymbolRole role;
    };
    std::vector<Input> inputs_;
    std::vector<double> numbers_, slots_, out_;
};

}  // namespace lacon::page
