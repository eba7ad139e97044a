// The numbers at a state, added up over the elements: M, Q, A and b of  M q'' = Q,  A q'' = b
// (theory 1), residuals φ and φ', energies, and the non-ideal force c (theory 4.1).
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/dual.hpp"
#include "expr/rounded.hpp"
#include "lacon/matrix.hpp"
#include "mechanics/derive/smooth.hpp"

namespace lacon::inline mechanics {

/// M q'' = Q, A q'' = b at one state. Entries of A and b that are no larger than the rounding of
/// what they were computed from are zero: a row that vanishes but for rounding must not be scaled
/// up to a constraint.
struct Equations {
    Matrix M;               // (n × n)
    std::vector<double> Q;  // (n)
    Matrix A;               // (m × n)
    std::vector<double> b;  // (m)
};

struct Residuals {
    std::vector<double> value;  // φ (m); 0 for rows at acceleration level
    /// φ' of position rows, φ of velocity rows (m); 0 for rows at acceleration level.
    std::vector<double> velocity;
};

struct Energies {
    double kinetic = 0.0, potential = 0.0;
};

/// Evaluates a system's elements by the interpreter and adds them up. Holds workspace: one for each
/// thread.
class Assembler {
public:
    /// `parameters`: values in the model's order. Both must outlive the assembler.
    Assembler(const System& system, std::span<const double> parameters);
    /// The same with decisions by branches instead of values (not for energies); `smooth` must
    /// outlive the assembler too.
    Assembler(const System& system, std::span<const double> parameters, const SmoothSystem& smooth);

    std::vector<double> branches;  // of a smooth system (its branch_count)
    bool zeroes_rounding = true;   // in A and b; costs about as much again

    void equations(const State& state, Equations& out);
    /// A alone (m × n), with what rounding leaves in it.
    void rows(const State& state, Matrix& A);
    void residuals(const State& state, Residuals& out);
    /// The same of some elements (by number, increasing) alone; rows that none of them belongs to
    /// are 0.
    void residuals(const State& state, const std::vector<std::size_t>& elements, Residuals& out);
    /// Σ_j |A_ij| of the rows of some elements; 0 of others.
    void row_sums(const State& state, const std::vector<std::size_t>& elements,
                  std::vector<double>& sums);
    Energies energies(const State& state);
    /// The first value of an element that is only watched, by branches.
    double watched(std::size_t element, const State& state);
    /// The surfaces of all decisions of a smooth system (branch_count), in the order of the
    /// branches, those inside others first; with bounds on their rounding errors.
    void surfaces(const State& state, std::vector<Rounded>& out);
    /// Takes the branches of a smooth system that its decisions have at a state.
    void settle(const State& state);
    /// How the equations change with one coordinate or velocity: `take(Rates)` with values those of
    /// SmoothShape::entries, column < n for a coordinate, else n + the coordinate of a velocity.
    /// Smooth systems only.
    struct Rates {
        const Element& element;
        std::span<const Entry> entries;
        const std::uint32_t* leaf;
        std::size_t column;
        std::span<const double> values;
    };
    template <class Take>
    void rates(const State& state, const Take& take);

    /// c (n) of constraints that are not ideal, at multipliers (m) that need not be those of the
    /// state: all of it, or what is not in Q.
    enum class Part { all, beside_force };
    void nonideal(const State& state, std::span<const double> multipliers, std::vector<double>& c,
                  Part part);
    /// The same of each element apart: `take(element, coordinates, values)`.
    template <class Take>
    void each_nonideal(const State& state, std::span<const double> multipliers, const Take& take);
    /// ∂c/∂λ of one row (n).
    void nonideal_rate(const State& state, std::span<const double> multipliers, std::size_t row,
                       std::vector<double>& rate);

    /// The first element whose value was not finite in the last call, as its origin's number.
    std::optional<std::uint32_t> not_finite() const { return not_finite_; }

private:
    template <class Scatter>
    void each(const Program Shape::*program, const Program SmoothShape::*smooth_program,
              const State& state, const Scatter& scatter);
    template <class Scatter>
    void one(std::size_t number, const Program Shape::*program,
             const Program SmoothShape::*smooth_program, const State& state,
             const Scatter& scatter);
    void add_residuals(const Element& element, const Shape& shape, Residuals& out) const;
    void gather(std::size_t number, const State& state, bool by_branches);
    void gather(const Element& element, const State& state, bool by_branches);
    void gather(const NonidealElement& element, const State& state,
                std::span<const double> multipliers);
    void run(const Program& code, bool is_row);
    void run_rounded(const Program& code);

    const System& system_;
    std::span<const double> parameters_;
    const SmoothSystem* smooth_ = nullptr;
    std::vector<double> inputs_, slots_, outputs_;
    std::vector<Rounded> rounded_inputs_, rounded_slots_, rounded_outputs_;
    std::vector<Dual> dual_inputs_, dual_slots_, dual_outputs_;
    std::optional<std::uint32_t> not_finite_;
};

template <class Take>
void Assembler::each_nonideal(const State& state, std::span<const double> multipliers,
                              const Take& take) {
    not_finite_.reset();
    for (const NonidealElement& element : system_.nonideal) {
        gather(element, state, multipliers);
        run(system_.shapes[element.element.shape].nonideal_program, false);
        for (const double x : outputs_)
            if (!std::isfinite(x) && !not_finite_) not_finite_ = element.element.origin;
        take(element, system_.leaves.data() + element.element.leaves,
             std::span<const double>(outputs_));
    }
}

template <class Take>
void Assembler::rates(const State& state, const Take& take) {
    const std::size_t n = system_.coordinate_count;
    for (std::size_t number = 0; number < system_.elements.size(); ++number) {
        const Element& element = system_.elements[number];
        const Shape& shape = system_.shapes[element.shape];
        const Program& code = smooth_->shapes[element.shape].dynamics;
        const std::uint32_t* leaf = system_.leaves.data() + element.leaves;
        gather(number, state, true);
        dual_inputs_.assign(inputs_.begin(), inputs_.end());
        dual_slots_.resize(code.slot_count());
        dual_outputs_.resize(code.output_count());
        outputs_.resize(code.output_count());
        for (std::size_t i = 0; i < 2 * shape.coordinates; ++i) {
            dual_inputs_[i].rate = 1.0;
            code.run<Dual>(dual_inputs_, dual_slots_, dual_outputs_);
            dual_inputs_[i].rate = 0.0;
            for (std::size_t o = 0; o < outputs_.size(); ++o) outputs_[o] = dual_outputs_[o].rate;
            const bool velocity = i >= shape.coordinates;
            take(Rates{element, smooth_->shapes[element.shape].entries, leaf,
                       velocity ? n + leaf[i - shape.coordinates] : leaf[i], outputs_});
        }
    }
}

}  // namespace lacon::mechanics
