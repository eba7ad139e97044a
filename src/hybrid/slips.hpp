// The velocities of what slides in a mode.
#pragma once

#include <memory>
#include <span>

#include "code/fast_rows.hpp"
#include "contact/modes.hpp"
#include "mechanics/numbers/assemble.hpp"

namespace lacon::inline hybrid {

/// The rows of slip of the frictions that slide, as a system of their own. Frictions are numbered
/// as in the whole mechanism. `mode` and `modes` must outlive it.
class Slips {
public:
    Slips(const DerivedModel& mode, const ContactModes& modes);

    bool is_empty() const { return !rows_; }
    /// Decisions within the velocities are those at this place from now on; the first place counts.
    void settle(const State& place);
    bool is_settled() const { return is_settled_; }

    /// Velocities at a state, for `along`.
    void take(const State& state) {
        if (!code_ || !code_->run(state, now_)) assembler_->residuals(state, now_);
    }
    /// By code from here on, where no decisions are within them. Throws as CompiledResiduals.
    void compile(const kernel::CompileOptions& compile) {
        if (!smooth_)
            code_ = std::make_unique<CompiledResiduals>(*rows_, *smooth_of(*rows_), compile);
    }
    /// The speed of a friction along the direction in which it began to slide.
    double along(std::size_t friction) const;
    /// How fast it slides at a state, in any direction, beside the largest velocity (at least 1).
    double relative_speed(const State& state, std::size_t friction);

    /// The rows across the directions of sliding and their values, one behind the other, as
    /// MethodOptions::still has them: what slides without speed and acceleration moves as it did
    /// when it stuck, but for what is along its direction.
    std::vector<std::vector<double>> across(const State& state,
                                            std::span<const double> acceleration);

private:
    std::span<const double> velocity(std::size_t friction) const;
    const double* direction(std::size_t friction) const;

    const DerivedModel& whole_;
    const ContactModes& modes_;
    std::shared_ptr<DerivedModel> rows_;    // kept with the mode
    std::unique_ptr<SmoothSystem> smooth_;  // where decisions are within them
    std::unique_ptr<Assembler> assembler_;
    std::unique_ptr<CompiledResiduals> code_;  // where there is some
    Residuals now_;
    bool is_settled_ = false;
};

}  // namespace lacon::hybrid
