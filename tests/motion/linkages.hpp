// Parallelograms that pass their flat positions, with their exact motion.
#pragma once

#include "motion_tests.hpp"

/// Linkages with one degree of freedom s and singular positions. Each is a model in Cartesian
/// coordinates that knows nothing of s, and its reduced equation I(s) s'' + I_1(s) s'^2/2 = −V_1(s)
/// for the reference integrator.
namespace lacon::motions {

struct Linkage {
    Mechanism mechanism;
    Slope reduced;                                  // of (s, s')
    Vector start;                                   // s, s'
    std::function<long double(long double)> place;  // of s: the value of `column`
    std::string column;
    std::function<long double(long double)> singular;  // changes its sign at singular positions
    std::vector<double> crossings(double end) const;
};

/// Two arms of length 1 hinged 2 apart and a coupler, hanging; s from the downward vertical,
/// started at s = s0 with rate s1.
Linkage parallelogram(double s1, bool redundant = false, double mass_ratio = 2.0, double s0 = 0.8,
                      const std::string& gravity = "(0, -9.81)");
/// Crank and rod of length 1, slider on the x axis: folded where the crank is upright; s is the
/// crank's angle from the x axis.
Linkage slider_crank(double s1);
/// Ground and crank 1, coupler and rocker 0.6; s is the angle of the rocker. Folded where the crank
/// lies on the ground.
Linkage kite(double s1);
/// `cells` parallelograms side by side, all arms parallel.
Linkage ladder(int cells, double s1);

/// A method and what it is to reach.
struct Passer {
    std::string method;
    double tolerance, error;
    RunOptions options(double end) const {
        return {.end = end,
                .every = end / 1000.0,
                .tolerance = tolerance,
                .method = method,
                .step = 0.002};
    }
};
void PrintTo(const Passer& passer, std::ostream* out);

/// Every row within `error` of the reduced equation's solution.
void expect_follows(const Motion& motion, const Linkage& linkage, double error);
/// Every singular position of the reduced equation's solution is reported once, to `error`, and
/// nothing else; at least `count`.
void expect_crossings(const Motion& motion, const Linkage& linkage, double error,
                      std::size_t count);

}  // namespace lacon::motions
