// Entry points of the generator for the dense solve by loops.
#pragma once

#include <llvm/IR/Module.h>

#include "kernel/generate.hpp"

namespace lacon::kernel {

/// Adds the function `kernel` of Form::dense and its parts to a module.
void emit_dense(const Request& request, llvm::Module& module);
/// Of these the elimination:  void eliminate(const DenseCall*, columns of blocks: first, last,
/// dropped rows too, double* squares).
llvm::Function* emit_dense_factor(const Request& request, llvm::Module& module);

}  // namespace lacon::kernel
