// The Taylor method of large systems: all orders of a step from one sparse factorization of
// [M Aᵀ; A 0] (theory 7).
#pragma once

#include <memory>

#include "large/elements/assembly.hpp"
#include "large/elements/series.hpp"
#include "methods/clock.hpp"
#include "methods/taylor_steps.hpp"

namespace lacon::inline large {

/// The Taylor method for large systems: src/methods/taylor.cpp with the elements side by side in
/// lanes and the sparse solve. One factorization serves all orders of a step. Holds the series of
/// the last step and, once `expand` was asked, of the next.
class SparseTaylor {
public:
    SparseTaylor(SparseAssembler& assembler, double tolerance);

    /// Finds the series at a state. `factor` was made there or nearby; `at` gets M and A of the
    /// state itself. False where a coefficient is not finite.
    bool expand(const State& state, const SparseFactor& factor, SparseEquations& at);
    /// From now on by machine code, where there is some.
    void compile(const SparseKernels& kernels);
    double compile_seconds() const;
    /// Whether the acceleration where the last step ended after h is what its own polynomial
    /// promised.
    bool continues(const State& state, double h) const;
    /// Where there is no series, whether there is an acceleration.
    bool has_acceleration() const { return answer_.has_value(); }
    /// From now on the last step is the one expanded.
    void take();
    /// How long that step may be. To be asked before `expand` is.
    double length(double limit) const;
    void at(double tau, State& out) const;

    std::size_t order() const { return control_.order; }
    // At the state expanded.
    const std::vector<double>& acceleration() const { return answer_->acceleration; }
    const std::vector<double>& multipliers() const { return answer_->multipliers; }
    std::size_t bytes() const;

private:
    /// The series of a batch, with what its packs keep.
    struct Work {
        Work(const SparseSystem& system, const Batch& batch) : series(system, batch) {}
        ShapeSeries series;
        std::vector<Lanes> memory;
        std::size_t pack_size = 0;

        std::shared_ptr<const SparseKernels::Series> compiled;
        std::optional<kernel::Tiered> known, sums;

        const Lanes* pack(std::size_t number) const { return memory.data() + number * pack_size; }
        Lanes* pack(std::size_t number) { return memory.data() + number * pack_size; }
    };
    /// Order-major: coefficient k of coordinate i of q at k * n + i.
    using Series = std::vector<double>;
    /// For largest_of_order and keeps_promise.
    struct View {
        const Series& coefficients;
        std::size_t n;
        double q(std::size_t k, std::size_t i) const { return coefficients[k * n + i]; }
        double v(std::size_t k, std::size_t i) const {
            return static_cast<double>(k + 1) * q(k + 1, i);
        }
        double a(std::size_t k, std::size_t i) const {
            return static_cast<double>((k + 1) * (k + 2)) * q(k + 2, i);
        }
    };

    void fill_inputs(const Work& work, std::size_t pack, std::size_t k, bool unknown);
    void look_ahead_at(Work& work, std::size_t pack, std::size_t k);
    void keep_known(Work& work, std::size_t pack, std::size_t k);
    struct Terms;
    void add(Work& work, std::size_t pack, std::size_t k, SparseEquations& at);
    void interpret(Work& work, std::size_t k, SparseEquations& at);
    void run_compiled(Work& work, std::size_t k);
    void fill_inputs(const Work& work, std::size_t pack, std::size_t k);
    void add(const Work& work, std::size_t pack, std::size_t k,
             std::span<const SeriesCodes::Sum> sums);
    void gather(std::size_t k, SparseEquations& at);
    bool all_orders(const SparseFactor& factor, SparseEquations& at);
    double clear_length(double length) const;

    SparseAssembler& assembler_;
    const SparseSystem& system_;
    TaylorControl control_;
    std::size_t orders_;  // of q: 0 … p + 1
    std::vector<Work> works_;
    Series now_, next_;
    struct {
        std::vector<Lanes> transient, sums, outputs;
    } lanes_;                  // workspace
    bool interprets_ = false;  // for now, whatever is compiled
    State base_;
    std::vector<double> f_, r_, x_, lambda_;
    struct Answer {
        std::vector<double> acceleration, multipliers;
    };
    std::optional<Answer> answer_;  // of order 0 at the state expanded, where there is one
};

}  // namespace lacon::large
