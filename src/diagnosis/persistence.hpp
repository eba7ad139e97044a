// Whether a dependency of constraint rows is structural or belongs to one position only, decided at
// states sampled nearby.
#pragma once

#include "diagnosis/in_force.hpp"
#include "diagnosis/subspace.hpp"
#include "lacon/diagnosis.hpp"

namespace lacon::diagnosis {

/// M and A at states sampled nearby.
struct Samples {
    struct One {
        Matrix M, A;
        std::size_t rank = 0;
        bool decided = true;
    };
    std::vector<One> all;  // at distances from 1e-3 to 1e-1 of the largest coordinate
    /// At 1e-5: for limits of null directions; only where the rank here is lower.
    std::vector<One> close;
    std::string why;     // where there are none: the reason
    bool alone = false;  // the rows allow no other state nearby
    std::size_t generic_rank = 0;
};
Samples sample_nearby(const InForce& here, const State& state, std::size_t rank,
                      const DiagnosisOptions& options);

/// Whether a set of rows depends on each other in the states sampled.
struct Lasting {
    Persistence persistence = Persistence::untested;
    std::size_t sampled = 0, dependent_in = 0;
    std::string why;
};
Lasting persistence_of(const std::vector<std::size_t>& rows, const Samples& samples,
                       const SolveOptions& options);

/// The sets of a state, chosen so that those that last come first and all others are momentary. As
/// given where nothing was sampled or the given ones are such already.
std::vector<DependentSet> lasting_first(const InForce& here, const std::vector<DependentSet>& given,
                                        const Samples& samples, const SolveOptions& options);

/// What moves here but not nearby, where the rank here is lower.
std::optional<SingularPosition> singular_position(const InForce& here, std::size_t rank,
                                                  const Samples& samples);

}  // namespace lacon::diagnosis
