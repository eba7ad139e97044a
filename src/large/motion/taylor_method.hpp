// Taylor series of large systems as a method of integration.
#pragma once

#include <memory>

#include "large/elements/kernels.hpp"
#include "methods/method.hpp"

namespace lacon::inline large {

class SparseField;

/// `kernels`: machine code for the series; none where they are interpreted. The seconds that
/// compiling takes are added to `compile_seconds`.
std::unique_ptr<Method> make_sparse_taylor(SparseField& field, const MethodOptions& options,
                                           const SparseKernels* kernels, double& compile_seconds);

/// Takes steps from where there are no series.
std::unique_ptr<Method> make_sparse_backup(SparseField& field, const MethodOptions& options);

}  // namespace lacon::large
