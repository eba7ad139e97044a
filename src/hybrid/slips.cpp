// Slip W q' of sliding frictions, by a mode model of the slip rows alone.
#include "hybrid/slips.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contacts.hpp"
#include "solve/dense/matrix/square.hpp"

namespace lacon::inline hybrid {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// The direction itself, and unit vectors across it.
std::vector<std::vector<double>> basis(std::span<const double> d) {
    std::vector<std::vector<double>> all{{d.begin(), d.end()}};
    for (std::size_t i = 0; i < d.size() && all.size() < d.size(); ++i) {
        std::vector<double> e(d.size(), 0.0);
        e[i] = 1.0;
        for (const std::vector<double>& other : all) {
            const double share = other[i];
            for (std::size_t k = 0; k < e.size(); ++k) e[k] -= share * other[k];
        }
        const double length = std::sqrt(dot(e, e));
        // Less is an axis that lies along the others; of three orthogonal ones two have more.
        if (length < 0.5) continue;
        for (double& x : e) x /= length;
        all.push_back(std::move(e));
    }
    return all;
}

/// The directions along and across the sliding of all frictions that begin to slide, as velocities
/// of the coordinates: those of least size that slide by given amounts along all axes, w = Bᵀ (B
/// Bᵀ)⁻¹ s, with the rows B of slip along the axes.
class SlipAxes {
public:
    /// A friction that slides along `d`; its rows of slip begin at `row` of W. W a' = rates.
    void add(std::span<const double> d, const Matrix& W, std::size_t row,
             std::span<const double> rates);
    /// One for each direction across, as MethodOptions::still.
    std::vector<std::vector<double>> slopes() const;

private:
    struct Axis {
        std::vector<double> row;  // of the slip along the axis
        double rate = 0.0;
        bool is_along = false;
    };
    std::vector<double> velocities(std::span<const double> slips) const;

    std::vector<Axis> axes_;
};

void SlipAxes::add(std::span<const double> d, const Matrix& W, std::size_t row,
                   std::span<const double> rates) {
    double largest = 0.0;
    for (const std::vector<double>& e : basis(d)) {
        Axis axis{std::vector<double>(W.cols(), 0.0), 0.0, largest == 0.0};
        for (std::size_t k = 0; k < e.size(); ++k) {
            axis.rate += e[k] * rates[row + k];
            for (std::size_t j = 0; j < W.cols(); ++j) axis.row[j] += e[k] * W(row + k, j);
        }
        const double size = std::sqrt(dot(axis.row, axis.row));
        // The slip has no such component, but for rounding: it is the normal of a contact.
        constexpr double nothing = 1e-9;
        if (size <= nothing * largest) continue;
        largest = std::max(largest, size);
        axes_.push_back(std::move(axis));
    }
}

/// Empty where the slips depend on each other.
std::vector<double> SlipAxes::velocities(std::span<const double> slips) const {
    Matrix products(axes_.size(), axes_.size());
    for (std::size_t i = 0; i < axes_.size(); ++i)
        for (std::size_t k = 0; k < axes_.size(); ++k)
            products(i, k) = dot(axes_[i].row, axes_[k].row);
    const SquareSolution solution = solve_square(products, slips);
    if (solution.determinant == 0.0) return {};
    std::vector<double> w(axes_.front().row.size(), 0.0);
    for (std::size_t i = 0; i < axes_.size(); ++i)
        for (std::size_t j = 0; j < w.size(); ++j) w[j] += solution.x[i] * axes_[i].row[j];
    constexpr double met = 1e-6;  // far above rounding, far below 1
    for (std::size_t i = 0; i < axes_.size(); ++i)
        if (!(std::abs(dot(axes_[i].row, w) - slips[i]) <= met)) return {};
    return w;
}

std::vector<std::vector<double>> SlipAxes::slopes() const {
    std::vector<double> slips;
    for (const Axis& axis : axes_) slips.push_back(axis.is_along ? 1.0 : 0.0);
    if (axes_.empty()) return {};
    const std::vector<double> along = velocities(slips);
    std::vector<std::vector<double>> all;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        if (axes_[i].is_along) continue;
        std::vector<double> slope = axes_[i].row;
        slope.push_back(axes_[i].rate);
        if (!along.empty()) {
            std::vector<double> only(axes_.size(), 0.0);
            only[i] = 1.0;
            const std::vector<double> across = velocities(only);
            if (!across.empty()) {
                slope.insert(slope.end(), along.begin(), along.end());
                slope.insert(slope.end(), across.begin(), across.end());
            }
        }
        all.push_back(std::move(slope));
    }
    return all;
}

}  // namespace

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
    rows_ = mode.memo.get<DerivedModel>(
        "slips", [&] { return std::shared_ptr<DerivedModel>(make_mode_model(whole_, sliding)); });
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
