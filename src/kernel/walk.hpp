// Straight-line code without a compiler: a loop over its operations.
#pragma once

#include "kernel/code.hpp"
#include "kernel/target.hpp"

namespace lacon::kernel {

/// Runs code of one lane operation by operation, to the same bits as the machine code for a target:
/// what a compiler would take longer for than the code runs, and what runs until it is ready.
/// Immutable; any number of threads may run it, each with its own workspace.
class Walk {
public:
    /// Not of series side by side. The processor must have the target's instructions.
    Walk(const Code& code, Isa isa);

    std::size_t work_size() const { return work_; }
    std::size_t operations() const { return steps_.size(); }
    /// As a kernel of one lane (generate.hpp).
    void run(const double* in, double* out, double* work, const void* const* functions,
             double* series, std::uint64_t k) const;

    struct Operation {
        Do op = Do::constant;
        Function function = Function::none;
        bool minus_product = false, minus_addend = false;  // of an fma
        std::uint32_t a = 0, b = 0, c = 0;                 // places in the workspace
        std::uint32_t to = 0;                              // of sin: cos comes behind it
    };
    struct Sum {                                  // Σ_{0<j<k+shift} x_j y_{k+shift−j}
        std::size_t forwards = 0, backwards = 0;  // where x_0 and y_{shift} stand
        std::uint32_t shift = 0, to = 0;
    };
    struct Place {  // of the memory of series, k in this direction from `at`
        std::size_t at = 0;
        bool backwards = false;
        std::uint32_t value = 0;  // in the workspace
    };

private:
    template <bool fused>
    void walk(const double* in, double* out, double* work, const void* const* functions,
              double* series, std::uint64_t k) const;
    void walk_fused(const double* in, double* out, double* work, const void* const* functions,
                    double* series, std::uint64_t k) const;
    friend class WalkMaking;

    Isa isa_;
    std::size_t inputs_ = 0, work_ = 0;
    std::vector<double> constants_;  // the begin of the workspace; inputs come behind them
    std::vector<std::pair<std::uint32_t, std::uint32_t>> orders_;  // k + first, to
    std::vector<Place> loads_, stores_;
    std::vector<Sum> sums_;
    std::vector<Operation> steps_;
    std::vector<std::uint32_t> outputs_;
};

}  // namespace lacon::kernel
