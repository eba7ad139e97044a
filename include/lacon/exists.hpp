// Prove existence and uniqueness of the motion (P4 Thm 1 and 2), with h = min(D, b)/(1 + μ √dim),
// and follow the motion by verified boxes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lacon/mechanism.hpp"

/// Existence and uniqueness of the motion (theory 5), rigorously: bounds are rounded outward, and
/// proven statements hold for the equations as derived, with the doubles in them as exact numbers.
///
///     const auto pendulum = lacon::Mechanism::load("models/pendulum.lac");
///     const lacon::Existence existence = lacon::exists(pendulum);
///     if (existence.status) use(existence.h);
namespace lacon {

struct ExistsOptions {
    /// Half width of the box G₁, of all coordinates and velocities; chosen to maximize h.
    std::optional<double> radius = {};
    std::optional<double> span = {};   // its half width in time; as the radius
    std::optional<double> until = {};  // continue to this time by verified boxes
    /// Maximum number of boxes to split into; 10000, fewer for large models.
    std::optional<std::size_t> budget = {};
    double tightness = 0.02;   // of the bound: relative to a value that is reached
    std::size_t samples = 24;  // states at which a dependence is tested that symbols do not prove
    SolveOptions solve = {};
    /// Reports the current task and its progress (0 to 1; negative: unknown). False ends it with
    /// Outcome::interrupted.
    std::function<bool(const std::string& what, double done)> progress = {};
};

/// Why a constraint that is not needed stays so.
struct Dropped {
    std::string name;               // of the row
    std::vector<std::string> from;  // rows that it follows from
    bool proven = false;            // by symbols; else tested at `samples` states
    std::size_t samples = 0, held = 0;
    std::string text;
};

/// The way as far as verified boxes go.
struct Verified {
    double until = 0.0;             // the motion exists, is unique and of constant rank up to here
    bool complete = false;          // that is as far as was asked
    std::size_t boxes = 0;          // steps
    std::vector<double> low, high;  // where the state is then (2n): q, q'
    std::string why;                // not complete: the reason
    struct Step {
        double t = 0.0;
        double width = 0.0;  // largest uncertainty of a coordinate or velocity there
    };
    std::vector<Step> steps;
};

struct Existence {
    /// ok; unproven with the reason (also where a test shows another rank); or why there is no
    /// start state.
    Status status;
    State centre;
    double off = 0.0;  // by how much it breaks constraints on positions or velocities
    double radius = 0.0, span = 0.0;  // of G₁
    bool chosen = false;              // whether they were
    double D = 0.0;                   // distance to the boundary
    std::size_t dimension = 0;        // 2n
    double mu = 0.0;                  // proven: no component of the right-hand side is larger
    double mu_reached = 0.0;          // and one is as large as this somewhere
    /// min(D, span) / (1 + mu √dimension), rounded down: the motion exists for |t − t₀| < h.
    double h = 0.0;
    double h_box = 0.0;  // the same by components: min(span, radius / largest |f_i|); at least h
    bool differentiable = false;  // proven: theorem 2, so the motion is unique
    bool unique = false;          // also where the right-hand side is only Lipschitz
    std::size_t rank = 0;
    std::vector<std::string> rows;  // independent constraints: proven to stay so in G₁
    std::vector<Dropped> dropped;   // the others: the motion is that without them
    /// All of them are proven to stay dependent. Else this is tested only, and theorem 1 rests on
    /// it.
    bool rank_proven = false;
    std::size_t boxes = 0;
    std::optional<Verified> verified;
    std::vector<std::string> proven, tested;  // in words
};

LACON_EXPORT Existence exists(const Mechanism& mechanism, const ExistsOptions& options = {});
/// From a state that is taken as it is.
LACON_EXPORT Existence exists(const Mechanism& mechanism, const State& centre,
                              const ExistsOptions& options = {});

}  // namespace lacon
