// The constrained solve by compiled loops over blocks, for problems too large for straight-line
// code. It eliminates [M Aᵀ; A 0] as constrained.hpp does, and makes the same checks.
#pragma once

#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "kernel/dense_call.hpp"
#include "kernel/kernel.hpp"

namespace lacon::kernel {

/// What is known of a constrained problem (constrained.hpp) before its numbers are.
struct DensePlan {
    std::size_t n = 0, m = 0;
    std::vector<std::size_t> dropped;  // rows that depend on the others, in order
    std::vector<double> floor;         // Problem::floor (m)
    bool refined = true;
    double clear = 0.0, rank_tol = 1e-10;
    bool beside = false;  // Elimination::beside
    /// Entries of M (its lower half counts) and A that need not be zero.
    struct Place {
        std::size_t row, column;
    };
    std::vector<Place> mass, rows;
};

/// The loops, for problems of every size. Immutable, as Kernel.
class DenseKernel {
public:
    /// Throws as compile() does.
    explicit DenseKernel(const CompileOptions& options);

    void run(const DenseCall& call) const {
        reinterpret_cast<void (*)(const DenseCall*)>(loaded_->entry())(&call);
    }
    const CompileOptions& options() const { return options_; }
    const CompileReport& report() const { return report_; }

private:
    CompileOptions options_;
    CompileReport report_;
    std::unique_ptr<const Loaded> loaded_;
};

/// Solves constrained problems of one structure as constrained.cpp does, with the same checks, but
/// by loops: for problems that straight-line code is too long for. Blocks of zeros are left out,
/// single zeros are not. Holds its memory: one for each thread.
class Dense {
public:
    /// Throws std::runtime_error where there is no memory for it.
    Dense(const DensePlan& plan, std::shared_ptr<const DenseKernel> kernel);

    /// Where an item of lane 0 stands in numbers(), the next lanes behind it: M_ij with i ≥ j, Q_i,
    /// A_ij, b_i. All are zero at first.
    std::size_t mass_at(std::size_t i, std::size_t j) const { return (j * stride_ + i) * lanes_; }
    std::size_t force_at(std::size_t i) const { return right_at_ + i * lanes_; }
    std::size_t row_at(std::size_t i, std::size_t j) const {
        return (j * stride_ + place_[i]) * lanes_;
    }
    std::size_t right_at(std::size_t i) const { return right_at_ + place_[i] * lanes_; }
    double* numbers() { return memory_.get(); }

    /// The numbers stay as they are.
    void run() { kernel_->run(call_); }
    bool fine(std::size_t lane = 0) const { return call_.fine[lane] == 1.0; }
    double x(std::size_t j, std::size_t lane = 0) const { return call_.z[j * lanes_ + lane]; }
    double lambda(std::size_t i, std::size_t lane = 0) const;

    std::size_t lanes() const { return lanes_; }
    const DenseKernel& kernel() const { return *kernel_; }

private:
    struct Free {
        void operator()(double* memory) const { std::free(memory); }
    };
    void find_blocks(const DensePlan& plan);
    void lay_out(const DensePlan& plan);

    std::shared_ptr<const DenseKernel> kernel_;
    std::size_t lanes_, block_, stride_ = 0, right_at_ = 0;
    std::vector<std::size_t> place_;  // of each row of A among the rows of P
    std::vector<std::int64_t> below_, below_begin_, below_kept_, below_dropped_, above_,
        above_begin_;
    std::unique_ptr<double[], Free> memory_;
    DenseCall call_;
};

}  // namespace lacon::kernel
