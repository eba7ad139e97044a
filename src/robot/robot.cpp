// Sums of inertias, poses as drawn, and the check of moments of inertia.
#include "robot/robot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace lacon::inline robot {

namespace {

// Moments in files have some six digits; a flat body meets its inequality with equality.
constexpr double triangle_tolerance = 1e-5;

}  // namespace

Inertia operator+(const Inertia& a, const Inertia& b) {
    const double mass = a.mass + b.mass;
    if (mass == 0) return {0, {}, a.tensor + b.tensor};
    const Vector center = (1 / mass) * (a.mass * a.center + b.mass * b.center);
    return {mass, center,
            a.tensor + b.tensor + a.mass * of_point(a.center - center) +
                b.mass * of_point(b.center - center)};
}

std::size_t Robot::link_of(std::size_t joint) const {
    for (std::size_t i = 0; i < links.size(); ++i)
        if (std::find(links[i].joints.begin(), links[i].joints.end(), joint) !=
            links[i].joints.end())
            return i;
    return no_link;
}

Pose drawn_pose(const Robot& robot, std::size_t link) {
    Pose pose;
    for (; link != no_link; link = robot.links[link].parent) pose = robot.links[link].pose * pose;
    return pose;
}

void check_inertias(const Robot& robot, Report& report) {
    for (const Link& link : robot.links) {
        Vector moments = principal(link.inertia.tensor).moments;
        std::sort(moments.begin(), moments.end());
        if (moments[0] < -triangle_tolerance * moments[2])
            report.error(link.place,
                         fmt::format("the inertia of '{}' has the negative principal moment {}: "
                                     "no body can move with it",
                                     link.name, rounded(moments[0])));
        else if (moments[0] + moments[1] < moments[2] * (1 - triangle_tolerance))
            report.warning(link.place,
                           fmt::format("no rigid body has the inertia of '{}': of its principal "
                                       "moments {}, {} and {} the largest is more than the sum of "
                                       "the others",
                                       link.name, rounded(moments[0]), rounded(moments[1]),
                                       rounded(moments[2])),
                           "the model has it as it is given");
    }
}

}  // namespace lacon::robot
