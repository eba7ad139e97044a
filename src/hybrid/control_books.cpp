// Integrals over a step, by Gauss's quadrature, and the largest values along a motion.
#include "hybrid/control_books.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid/quadrature.hpp"

namespace lacon::inline hybrid {

ControlBooks::ControlBooks(ControlledPlant& plant, Account& account)
    : plant_(plant), account_(account) {
    for (const auto& one : account) {
        at_step_begin_.push_back(one.effort);
        at_step_begin_.push_back(one.work);
    }
}

ControlBooks::Rates ControlBooks::rates(const State& state) {
    Rates rates(2 * account_.size(), NAN);  // not known where there are no efforts
    const Evaluation at = plant_.evaluation(state);
    for (std::size_t k = 0; k < at.controls.size(); ++k) {
        rates[2 * k] = at.controls[k].cost;
        rates[2 * k + 1] = at.controls[k].power;
    }
    return rates;
}

ControlBooks::Rates ControlBooks::integral(const Path& path, const Clock& begin, double length) {
    Rates sum(2 * account_.size(), 0.0);
    quadrature(path, begin, length, [&](const State& state, double weight) {
        const Rates at = rates(state);
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += weight * at[k];
    });
    return sum;
}

void ControlBooks::note_step(const Path& path, const Clock& begin) {
    path_ = path;
    step_begin_ = begin;
    for (std::size_t k = 0; k < account_.size(); ++k) {
        at_step_begin_[2 * k] = account_[k].effort;
        at_step_begin_[2 * k + 1] = account_[k].work;
    }
    const Rates more = integral(path, begin, path.length);
    for (std::size_t k = 0; k < account_.size(); ++k) {
        account_[k].effort += more[2 * k];
        account_[k].work += more[2 * k + 1];
    }
}

void ControlBooks::note_extremes(const State& state) {
    const Evaluation at = plant_.evaluation(state);
    const auto note = [&](double value, double& most, double& when) {
        if (!(value > most)) return;
        most = value;
        when = state.t;
    };
    for (std::size_t k = 0; k < at.controls.size(); ++k) {
        double force = 0.0, error = 0.0, missed = 0.0;
        for (const double f : at.controls[k].force) force += f * f;
        for (const ControlReport::Row& row : at.controls[k].rows) {
            error += row.error * row.error;
            missed += row.missed * row.missed;
        }
        MotionSummary::Control& one = account_[k];
        if (one.name.empty()) {
            one.name = at.controls[k].name;
            one.error_first = std::sqrt(error);
        }
        one.error_last = std::sqrt(error);
        note(std::sqrt(force), one.force_most, one.force_most_t);
        note(std::sqrt(error), one.error_most, one.error_most_t);
        note(std::sqrt(missed), one.missed_most, one.missed_most_t);
    }
}

void ControlBooks::row(const State& state, std::span<double> out) {
    const double length = path_.at ? Clock{state.t, 0.0}.since(step_begin_) : 0.0;
    const Rates more = length > 0.0 ? integral(path_, step_begin_, std::min(length, path_.length))
                                    : Rates(2 * out.size(), 0.0);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = at_step_begin_[2 * k] + more[2 * k];
}

}  // namespace lacon::hybrid
