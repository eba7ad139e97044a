// One case of the hunt: a model, how it is asked, and what came of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hunt/dice.hpp"
#include "hunt/model.hpp"

/// What the hunt tries: a model, how the engine shall compute it, and what came of it.
namespace hunt {

/// x = length_i X, t = origin + time τ, energies times `energy`: the same motion in other units, or
/// backwards (time < 0).
struct Units {
    std::vector<double> length = {};  // of each coordinate; empty: all 1
    double time = 1.0, origin = 0.0, energy = 1.0;
};

/// How the engine computes. Everything here must leave the motion as it is.
struct Plan {
    std::string method = "auto", solver = "auto";
    double tolerance = 1e-10;
    bool interpret = true;
    Wording wording = {};
    std::uint64_t repeat = 0;  // constraints said once more, in other words
    /// The rows of M q'' = Q as the oracle derives them, in place of energies and forces.
    bool written_out = false;
    bool back = false;      // there and back again
    bool ensemble = false;  // as one of several motions that run side by side
    Units units = {};
};

enum class Road { state, motion, start, contact_state, contact_motion, control };

struct Case {
    std::string kind = {};
    std::uint64_t seed = 0;
    Road road = Road::motion;
    Model model = {};
    Plan plan = {};
    double t = 0.0;  // road state: the time; q and v are the model's start values
    /// A second model of the same motion, which the oracle follows in place of the first; compared
    /// are pairs of expressions.
    std::vector<Model> second = {};
    struct Pair {
        int first = 0, second = 0;  // nodes of the two trees, in coordinates and velocities
    };
    std::vector<Pair> pairs = {};
    /// Road state: errors are judged by the norms of rows and of all coordinates, not one by one.
    bool by_norms = false;
    bool laws_only = false;  // road contact_motion: no other motion is right enough to compare with
    double weakest = 1e-6;   // how near to singular the reference may come
};

enum class Result { agreed, refused, failed, unsuited };

struct Verdict {
    Result result = Result::agreed;
    /// Failed: what disagrees. Refused: the message of the engine. Unsuited: why the oracle has no
    /// answer.
    std::string what;
    double error = 0.0, allowed = 0.0;  // of what agreed worst, or failed
};

Verdict check(const Case& one);
Verdict check_state(const Case& one);
Verdict check_motion(const Case& one);
Verdict check_start(const Case& one);
Verdict check_contact_state(const Case& one);
Verdict check_contact_motion(const Case& one);
Verdict check_control(const Case& one);

/// The text the engine is given: units and repeated constraints are in it.
Model varied(const Case& one);
Model in_units(const Model& model, const Units& units);
Model repeated(const Model& model, std::uint64_t seed);
/// The command line that shows it.
std::string command_of(const Case& one);

/// A smaller case that fails as well; the same where none does.
Case shrink(const Case& failing, const std::function<bool(const Case&)>& fails);

}  // namespace hunt
