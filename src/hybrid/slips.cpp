// Slip W q' of sliding frictions, by a mode model of the slip rows alone.
#include "hybrid/slips.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contacts.hpp"
#include "hybrid/slip_axes.hpp"

namespace lacon::inline hybrid {

Slips::Slips(const DerivedModel& mode, const ContactModes& modes)
    : whole_(*mode.whole), modes_(modes) {
    ModeRows sliding;
    for (std::size_t f = 0; f < modes.friction_states.size(); ++f) {
        const FrictionPart& part = whole_.system.frictions[f];
        if (modes.friction_states[f] == FrictionState::slips)
            for (std::size_t i = 0; i < part.slip_count; ++i)
                sliding.rows.push_back(whole_.system.row_count() + part.slip + i);
    }
    if (sliding.rows.empty()) return;
    rows_ = make_mode_model(whole_, sliding);
    rows_->parameters = mode.parameters;
    const auto& elements = mode.system.elements;
    if (std::any_of(elements.begin(), elements.end(),
                    [](const Element& e) { return e.row == Element::watched_only; }))
        smooth_ = std::make_unique<SmoothSystem>(smooth(rows_->system));
    assembler_ = smooth_ ? std::make_unique<Assembler>(rows_->system, rows_->parameters, *smooth_)
                         : std::make_unique<Assembler>(rows_->system, rows_->parameters);
}

void Slips::settle(const State& place) {
    if (smooth_) assembler_->settle(place);
    is_settled_ = true;
}

std::span<const double> Slips::velocity(std::size_t friction) const {
    const FrictionPart& part = whole_.system.frictions[friction];
    const std::size_t row = whole_.system.row_count() + part.slip;
    const auto first = static_cast<std::size_t>(
        std::lower_bound(rows_->rows.begin(), rows_->rows.end(), row) - rows_->rows.begin());
    return std::span(now_.velocity).subspan(first, part.slip_count);
}

const double* Slips::direction(std::size_t friction) const {
    return modes_.directions.data() +
           (whole_.system.frictions[friction].direction - whole_.model.parameters.size());
}

double Slips::along(std::size_t friction) const {
    const std::span<const double> slip = velocity(friction);
    const double* d = direction(friction);
    double along = 0.0;
    for (std::size_t i = 0; i < slip.size(); ++i) along += slip[i] * d[i];
    return along;
}

double Slips::relative_speed(const State& state, std::size_t friction) {
    take(state);
    double square = 0.0;
    for (const double s : velocity(friction)) square += s * s;
    return std::sqrt(square) / Contacts::velocity_scale(state);
}

/// Slip has W a = b at first, and W a' = b' − W' a, by differences over a short time.
std::vector<std::vector<double>> Slips::across(const State& state,
                                               std::span<const double> acceleration) {
    // Rounding over it is 1e-10, and what is beyond the first order 1e-6.
    constexpr double short_time = 1e-6;
    State ahead = state;
    ahead.t += short_time;
    for (std::size_t j = 0; j < state.v.size(); ++j) {
        ahead.q[j] += short_time * state.v[j];
        ahead.v[j] += short_time * acceleration[j];
    }
    Equations now, then;
    assembler_->equations(state, now);
    assembler_->equations(ahead, then);
    if (assembler_->not_finite()) return {};
    const Matrix& W = now.A;
    std::vector<double> rates(W.rows());
    for (std::size_t row = 0; row < W.rows(); ++row) {
        double change = then.b[row] - now.b[row];
        for (std::size_t j = 0; j < W.cols(); ++j)
            change -= (then.A(row, j) - W(row, j)) * acceleration[j];
        rates[row] = change / (ahead.t - state.t);
    }
    SlipAxes axes;
    std::size_t row = 0;
    for (std::size_t f = 0; f < modes_.friction_states.size(); ++f) {
        if (modes_.friction_states[f] != FrictionState::slips) continue;
        const std::size_t count = whole_.system.frictions[f].slip_count;
        axes.add({direction(f), count}, W, row, rates);
        row += count;
    }
    return axes.slopes();
}

}  // namespace lacon::hybrid
