// The oracle's motion without contacts.
#pragma once

#include <string>

#include "hunt/equations.hpp"

/// The oracle's motion: Gragg's midpoint rule extrapolated (Bulirsch and Stoer) in 256 bits, with
/// steps that resolve what is narrow, decisions located to 1e-30, and single impacts by Newton's
/// law.
namespace hunt {

struct ReferenceOptions {
    double tolerance = 1e-20;  // of a step, relative above 1 and absolute below
    double weakest = 1e-8;  // pivots of [M Aᵀ; A 0] below this end it: the motion would say little
    std::size_t most = 60'000;  // evaluations
};

/// A zero of an event's expression, not a jump.
struct Crossing {
    std::size_t event = 0;
    Real t;
    double speed = 0.0;  // at which the expression passes through 0
};

struct Reference {
    std::string why;          // it ended before the last time; empty where not
    std::vector<Point> rows;  // at the times asked for
    std::vector<Crossing> crossings;
    std::size_t switches = 0, impacts = 0;
    double weakest = 1.0;  // pivot on the way
    bool fine() const { return why.empty(); }
};

/// The nearest state that meets the constraints, where `guess` almost does; the reason where there
/// is none.
std::string make_consistent(const Model& model, Point& guess);

/// From a consistent state to each of the increasing times.
Reference follow(const Model& model, const Point& from, const std::vector<double>& times,
                 const ReferenceOptions& options = {});

}  // namespace hunt
