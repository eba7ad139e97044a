#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/rounded.hpp"
#include "lacon/matrix.hpp"
#include "mechanics/system.hpp"

namespace lacon {

/// M q'' = Q, A q'' = b at one state. Entries of A and b that are no larger than the rounding of what they were computed from are
/// zero: a row that vanishes but for rounding must not be scaled up to a constraint.
struct Equations {
    Matrix M;               // (n × n)
    std::vector<double> Q;  // (n)
    Matrix A;               // (m × n)
    std::vector<double> b;  // (m)
};

struct Residuals {
    std::vector<double> value;     // φ (m); 0 for rows at acceleration level
    std::vector<double> velocity;  // φ' of position rows, φ of velocity rows (m); 0 for rows at acceleration level
};

struct Energies {
    double kinetic = 0.0, potential = 0.0;
};

/// Evaluates a system's elements by the interpreter and adds them up. Holds workspace: one for each thread.
class Assembler {
public:
    /// `parameters`: values in the model's order. Both must outlive the assembler.
    Assembler(const System& system, std::span<const double> parameters);

    void equations(const State& state, Equations& out);
    void residuals(const State& state, Residuals& out);
    Energies energies(const State& state);

    /// The first element whose value was not finite in the last call, as its origin's number.
    std::optional<std::uint32_t> not_finite() const { return not_finite_; }

private:
    template <class Scatter>
    void each(const Program Shape::*program, const State& state, const Scatter& scatter);

    const System& system_;
    std::span<const double> parameters_;
    void run(const Program& code, bool is_row);

    std::vector<double> inputs_, slots_, outputs_;
    std::vector<Rounded> rounded_inputs_, rounded_slots_, rounded_outputs_;
    std::optional<std::uint32_t> not_finite_;
};

}  // namespace lacon
