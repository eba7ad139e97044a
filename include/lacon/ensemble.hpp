// Run many motions at once, in vector lanes and threads.
#pragma once

#include <optional>
#include <span>

#include "lacon/motion.hpp"

namespace lacon {

/// One motion of many: a mechanism with its parameter values, and where it starts.
struct Member {
    Mechanism mechanism;
    std::optional<State> guess =
        {};  // instead of the model's start values: moved to the nearest consistent state
};

/// Options that RunOptions also has mean the same and have the same defaults: those not given come
/// from the `simulate` statement of the first member.
struct EnsembleOptions {
    std::optional<double> begin = {}, end = {}, every = {}, tolerance = {};
    Named<MethodKind> method = {};  // lanes are for taylor, dop853 and dopri5, and so is `auto`
    /// Whether the states at begin, begin + every, …, end are kept. This does not change the
    /// motion.
    bool rows = false;
    /// Motions side by side in a register or two: 1, 2, 4, 8, 16; 0: one register.
    std::size_t lanes = 0;
    std::size_t threads = 0;  // 0: as many as there are cores
    SolveOptions solve = {};
    /// Lanes are dense: members in lanes do not ask whether sparse matrices would cost less, and
    /// with `sparse` there are none.
    Named<Solver> solver = {};
    bool interpret = false;
    Named<CodeTarget> target = {};
    bool cache = true;
};

struct MemberMotion {
    Status status;
    State final;
    std::vector<State> rows = {};  // with EnsembleOptions::rows
    std::size_t steps = 0, rejected = 0;
    double position = 0.0, velocity = 0.0;  // largest scaled constraint residual at any step
    bool in_lanes =
        false;  // all of it in lanes; else the careful driver of `run` did it from the start
};

struct EnsembleMotion {
    std::vector<MemberMotion> members;  // in the order given
    CodeSummary code;
    double wall_seconds = 0.0;
};

/// Integrates every member from its start to the end. Members whose equations differ from the first
/// only in numbers run in lanes, each with its own step size. A member that comes near a singular
/// position, meets a decision or an event, or fails a check is repeated by the driver of `run`, and
/// so are all other members. The first member determines the code. Apart from that a result does
/// not depend on the other members, the lanes or the threads, not even in the last bit. Throws
/// std::invalid_argument for invalid options.
LACON_EXPORT EnsembleMotion run_ensemble(std::span<const Member> members,
                                         const EnsembleOptions& options);

}  // namespace lacon
