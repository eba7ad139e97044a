// What a run needs to go on with the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "code/compiled.hpp"
#include "contact/modes.hpp"
#include "driver/backend/condition_watch.hpp"
#include "methods/clock.hpp"

namespace lacon::inline driver {

/// The weakest direction of the constraints at some time.
struct WeakDirection {
    double reciprocal_condition = 0.0,
           asked = 0.0;  // ConstrainedFactor::weakest, asked_along_weakest
};

/// Careful steps before compiled ones are tried again, the more the oftener they were refused.
struct Pause {
    std::size_t left = 0, length = 0;
};

/// A contact that rests without being needed and whose gap grows, since this time.
struct LeftContact {
    std::size_t row = 0;
    double t = 0.0;
};

/// How many steps a mode has lasted, each time that it was in force.
struct ModeLength {
    std::uint64_t mode = 0;  // a hash of its rows
    std::size_t steps = 0;
};

/// What a run needs to go on with the same bits.
struct Snapshot {
    Clock time;
    State state;                   // where the last step ended, before projection
    std::vector<double> branches;  // of decisions
    std::vector<int> sides;
    std::vector<double> memory;  // of the method
    std::uint64_t next_row = 0;  // number of the next row on the grid
    std::uint64_t rows = 0;      // rows given out so far
    double last_row = 0.0;       // time of the last one
    double potential_low = 0.0, potential_high = 0.0, kinetic_high = 0.0,
           usual_reciprocal_condition = 0.0;
    WeakDirection far;
    KernelChoice kernel;
    std::size_t code_at = 0;           // the step from which on there is code of the mode,
    bool waits_for_code = false;       //   and whether the run has not come to it
    bool in_compiled_segment = false;  // `state` then lies on the constraints
    Pause pause;
    std::vector<State> trail;  // where its last steps began, the oldest first
    bool passes = false;       // Taylor steps over a singular position instead of the method's
    MotionSummary summary;
    ConditionAccount condition;  // of runs that are diagnosed
    /// What is in force of contacts, and what the monitors of the mode know.
    struct Contact {
        ContactModes modes;              // empty where that cannot change
        bool forces_unique = true;       // of the mode
        double first_step = INFINITY;    // the most that the next step may be
        std::vector<double> allowances;  // of what is watched
        double piece_begin = 0.0;        // since then no decision has turned
        std::vector<LeftContact> leaving;
        std::size_t begin_step = 0;  // of the run, with which the mode began
        std::vector<ModeLength> lengths;
    } contact = {};
    /// The same of controls.
    struct Controls {
        std::optional<ControlSet> in_force;
        double usual_step = 0.0;
        std::vector<double> allowances;
    } controls = {};
    /// What checkpoints up to version 11 have instead of the entries of `contact`: modes and memory
    /// of the monitor as lists of numbers, which only the mechanism tells apart. Empty: newer.
    struct Packed {
        std::vector<double> modes, memory;
    };
    std::optional<Packed> packed = {};
    double border = 0.0;           // BeginBorder's at `time`
    std::size_t since_strong = 0;  // of sparse runs: steps since the one at which `trail` is
    bool dense = false;  // the run began with the sparse backend and is now with the dense one
    struct Handover {
        std::size_t count = 0;  // how often it has gone over,
        double first = 0.0;     //   and when for the first time
        std::vector<double>
            memory;  // of the sparse backend: `memory`, and the usual reciprocal condition
    } handover = {};
    double growth =
        INFINITY;  // the most that the next step may be, as steps grow by a bounded factor
    std::vector<double> noise = {};  // NoiseWatch::kept
};

}  // namespace lacon::driver
