// Helpers of the control tests: runs, tracking errors, efforts.
#pragma once

#include <random>

#include "models/model_tests.hpp"
#include "motion/motion_tests.hpp"

/// The models of models/control/ against their closed forms, at random states and along runs.
namespace lacon::controls {

using models::acceleration_of;
using models::expect_close;
using models::load;
using models::Plane;
using models::Space;
using models::squared;
using models::state_of;
using models::Values;

const ControlReport& control_of(const Evaluation& at, std::string_view name);
/// Of an actuator, by all controls.
double effort_of(const Mechanism& mechanism, const Evaluation& at, std::string_view actuator);
/// Evaluates, and expects an answer.
Evaluation evaluate_well(const Mechanism& mechanism, const State& state);
void expect_forces(const std::vector<double>& actual, const std::vector<double>& expected,
                   double scale, const std::string& what);

/// The text of a file of models/control/ with one piece of it, which must be there, replaced.
std::string text_with(const std::string& file, const std::string& piece,
                      const std::string& replacement);

/// A critically damped error that was e0 and changed at the rate v0.
inline double entry(double e0, double v0, double w, double t) {
    return (e0 + (v0 + w * e0) * t) * std::exp(-w * t);
}

/// Numbers for random states; each test has its own seed.
class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    double operator()(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(engine_);
    }

private:
    std::mt19937_64 engine_;
};

/// A point on a Kepler orbit that is at its pericentre, on the positive x axis, at t = 0.
Plane kepler_position(double semi_major_axis, double eccentricity, double mu, double t);

}  // namespace lacon::controls
