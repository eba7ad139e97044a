// The commands `check` and `eval` for systems that are solved with sparse matrices.
#pragma once

#include "command.hpp"
#include "large/evaluate.hpp"

/// `check` and `eval` of large systems: what can be told without a dense matrix.
namespace lacon::app {

int check_large(const Loaded& loaded, const CheckOptions& options);
int eval_large(const Loaded& loaded, const StateOptions& options);

}  // namespace lacon::app
