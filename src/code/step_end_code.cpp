// Two rounds of δq = K₁ (−φ), then two of δq' = K₁ (−φ') (P1 5c), all with one factorization. The
// number of rounds is fixed because straight-line code cannot loop. If a scaled residual above
// 1e-12 is left, the step is refused.
#include "code/step_end_code.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace lacon::inline code {

using kernel::Value;

namespace {

using Vector = std::vector<Value>;

class StepEndWriter {
public:
    StepEndWriter(const System& system, ModelCode& model, Arrival& arrival)
        : system_(system), model_(model), a_(arrival), n_(arrival.problem.n) {}

    void run(kernel::Code& code) {
        StateValues& state = a_.state;
        constexpr int rounds = 2;
        for (int round = 0; round < rounds; ++round)
            correct(model_.residuals(state).value, state.q, true);
        for (int round = 0; round < rounds; ++round)
            correct(model_.residuals(state).velocity, state.v, false);
        const ModelCode::Off off = model_.residuals(state);
        const Left position = left(off.value, state.q, true),
                   velocity = left(off.velocity, state.v, false);
        constexpr double met = 1e-12;  // as Projector::met_tol
        const Value fine = when_both(a_.fine, when_both(when_less_equal(position.scaled, met),
                                                        when_less_equal(velocity.scaled, met)));
        const ModelCode::Energy energy = model_.energies(state);
        Vector all = state.q;
        all.insert(all.end(), state.v.begin(), state.v.end());
        all.insert(all.end(), {a_.error, fine, position.scaled, velocity.scaled, position.absolute,
                               velocity.absolute, energy.kinetic, energy.potential});
        for (const Value& value : all) code.outputs.push_back(value.id_in(code));
    }

private:
    bool counts(std::size_t row, bool positions) const {
        if (system_.stabilized[row]) return false;
        return system_.levels[row] == Level::position ||
               (!positions && system_.levels[row] == Level::velocity);
    }

    /// Rows that do not count at this level stay as they are: their right-hand side is zero.
    void correct(const Vector& off, Vector& x, bool positions) {
        Vector b(a_.problem.m);
        for (std::size_t r = 0; r < b.size(); ++r)
            if (counts(r, positions)) b[r] = -off[r];
        const kernel::Solved solved = a_.factored.solve_unchecked(Vector(n_), b);
        for (std::size_t j = 0; j < n_; ++j) x[j] += solved.x[j];
    }

    struct Left {
        Value scaled, absolute;
    };
    Left left(const Vector& off, const Vector& x, bool positions) const {
        Left worst;
        // As state/nearest_search.cpp: a start at zero has no size of its own.
        Value extent = 1e-6;
        for (const Value& value : x) extent = max(extent, abs(value));
        for (std::size_t r = 0; r < a_.problem.m; ++r) {
            if (!counts(r, positions)) continue;
            Value size;
            for (std::size_t j = 0; j < n_; ++j) size += abs(a_.problem.A[r * n_ + j]);
            worst.scaled = max(worst.scaled, abs(off[r]) / (size * extent));
            worst.absolute = max(worst.absolute, abs(off[r]));
        }
        return worst;
    }

    const System& system_;
    ModelCode& model_;
    Arrival& a_;
    std::size_t n_;
};

}  // namespace

void check_step_size(const System& system) {
    constexpr std::size_t most_unknowns = 120;
    const std::size_t unknowns = system.coordinate_count + system.row_count();
    if (unknowns > most_unknowns)
        throw std::runtime_error(
            fmt::format("{} coordinates and constraints: a straight-line step takes at most {}",
                        unknowns, most_unknowns));
}

void check_step_length(std::size_t operations) {
    constexpr std::size_t most_operations = 60'000;
    if (operations > most_operations)
        throw std::runtime_error(fmt::format("{} operations: a straight-line step takes at most {}",
                                             operations, most_operations));
}

StateValues write_step_end(const System& system, ModelCode& model, Arrival arrival,
                           kernel::Code& code) {
    StepEndWriter(system, model, arrival).run(code);
    return std::move(arrival.state);
}

}  // namespace lacon::code
