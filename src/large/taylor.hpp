#pragma once

#include <memory>

#include "large/assembly.hpp"
#include "large/series.hpp"
#include "motion/clock.hpp"
#include "motion/taylor_control.hpp"

namespace lacon {

/// The Taylor method for large systems: src/motion/taylor.cpp with the elements side by side in lanes and the sparse solve. One
/// factorization serves all orders of a step. Holds the series of the last step and, once `expand` was asked, of the next.
class LargeTaylor {
public:
    LargeTaylor(LargeAssembler& assembler, double tolerance);

    /// Finds the series at a state. `factor` was made there or nearby; `at` gets M and A of the state itself. False where a
    /// coefficient is not finite.
    bool expand(const State& state, const SparseFactor& factor, LargeEquations& at);
    /// Whether the acceleration where the last step ended after h is what its own polynomial promised.
    bool continues(const State& state, double h) const;
    /// From now on the last step is the one expanded.
    void take();
    /// How long that step may be.
    double length(double limit) const;
    void at(double tau, State& out) const;

    std::size_t order() const { return control_.order; }
    const std::vector<double>& acceleration() const { return acceleration_; }  // at the state expanded
    const std::vector<double>& multipliers() const { return multipliers_; }    // likewise
    std::size_t bytes() const;

private:
    /// The program of a shape, of its entries and, where it is used at its own order, its residual, with what elements keep.
    struct Work {
        const Batch* batch = nullptr;
        const SmoothShape* shape = nullptr;
        std::unique_ptr<SeriesUnion> joined;
        const SeriesProgram* program = nullptr;
        SeriesStorage storage;
        std::vector<std::uint32_t> slots;  // of the series entries
        std::vector<double> factors;       // with which the slot is taken: what is but a multiple of another is not kept twice
        std::vector<std::uint32_t> first;  // of each entry, the first one with the same slot
        std::vector<std::uint32_t> entry;  // of each series entry its number among the dynamics' entries
        std::uint32_t residual = 0;        // slot
        bool needs_lambda = false, needs_a = false, varies = false;
        std::size_t lambda_at = 0, a_at = 0, pack_size = 0;  // places in a pack
        std::vector<Lanes> memory;

        bool is_constant(std::size_t o) const { return program->is_constant_slot(slots[o]); }
    };
    /// Order-major: coefficient k of coordinate i of q at k * n + i.
    using Series = std::vector<double>;

    void fill_inputs(const Work& work, std::size_t pack, std::size_t k, bool unknown);
    void join(Work& work);
    static void find_multiples(Work& work);
    void look_ahead(Work& work, std::size_t pack, std::size_t k);
    void keep_known(Work& work, std::size_t pack, std::size_t k);
    void add(Work& work, std::size_t pack, std::size_t k, LargeEquations& at);
    void gather(std::size_t k, LargeEquations& at);
    double order_size(std::size_t k) const;

    LargeAssembler& assembler_;
    const LargeSystem& system_;
    TaylorControl control_;
    std::size_t orders_;  // of q: 0 … p + 1
    std::vector<Work> works_;
    Series now_, next_;
    std::vector<Lanes> transient_, sums_;
    State base_;
    std::vector<double> f_, r_, x_, lambda_;
    std::vector<double> acceleration_, multipliers_;
};

}  // namespace lacon
