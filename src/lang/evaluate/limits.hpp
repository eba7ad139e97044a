// What a model may ask for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lacon::lang {

/// What a model may ask for, so that none can exhaust time or memory: a member or repetition takes
/// some 200 bytes with all that is made of it, a step some 50 ns. Expressions have a limit of their
/// own (Graph).
struct Limits {
    std::size_t repetitions = 40'000'000;  // members of families, and statements repeated by `for`
    std::int64_t members = 20'000'000;     // of one range of an index
    std::int64_t range = 40'000'000;       // values of one loop
    std::size_t steps = 2'000'000'000;     // evaluated parts of expressions
};

}  // namespace lacon::lang

namespace lacon {
using lang::Limits;
}  // namespace lacon
