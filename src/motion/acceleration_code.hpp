#pragma once

#include "kernel/constrained.hpp"
#include "mechanics/smooth.hpp"

namespace lacon {

/// Where the inputs of a model's compiled functions stand: q (n), q' (n), t, parameters, modes, and the floors of the rows (m).
struct KernelInputs {
    KernelInputs(const SystemDetails& details, const SmoothSystem& smooth);

    std::size_t q = 0, v = 0, t = 0, parameters = 0, modes = 0, floors = 0, count = 0;
};

/// What is taken as known while code is written.
struct CodeOptions {
    std::vector<bool> varies;     // parameters that are inputs; the others, and all where this is empty, are numbers in the code
    std::vector<bool> dependent;  // rows that depend on others (kernel::Elimination::dropped); none where this is empty
    bool refined = true;          // kernel::Elimination::refined
    double rank_tol = 1e-10;
};

/// M, Q, A, b as code, decisions by modes.
kernel::Problem problem_code(const SystemDetails& details, const SmoothSystem& smooth, const CodeOptions& options,
                             kernel::Code& code);

/// State in, constrained acceleration out: outputs q'' (n), λ (m), fine (1 or 0).
kernel::Code acceleration_code(const SystemDetails& details, const SmoothSystem& smooth, const CodeOptions& options);

}  // namespace lacon
