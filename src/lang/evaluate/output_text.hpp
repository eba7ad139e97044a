// Names output columns by their text, with loop indices replaced by numbers.
#pragma once

#include "lang/evaluate/evaluator.hpp"

namespace lacon::lang {

/// An expression and its tokens, outer brackets included.
struct WrittenExpression {
    NodeId node = none;
    TokenRange tokens;
};

/// The canonical text of an expression with the loop indices, which must be running, replaced by
/// their values: `P[i-1].x` is `P[0].x`, and `i*x` is `1*x`.
std::string text_with_indices(Evaluator& evaluator, const Syntax& syntax, WrittenExpression written,
                              const Loops& loops);

}  // namespace lacon::lang
