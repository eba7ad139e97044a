// How far below zero what a contact monitor watches may be, as it begins there by rounding, and
// when that ends; and how a checkpoint keeps it.
#include <algorithm>
#include <cmath>

#include "hybrid/contact_monitor.hpp"

namespace lacon::inline hybrid {

/// What has clearly risen above zero has no more to spare.
void ContactMonitor::spend_spare(const State& state) {
    if (std::none_of(spare_.begin(), spare_.end(), [](double x) { return x > 0.0; })) return;
    constexpr double clearly = 4.0;
    for (std::size_t i = 0; i < spent_at_.size(); ++i)
        if (spent_at_[i] <= state.t) spare_[i] = 0.0;
    spent_at_.clear();
    for (std::size_t i = 0; i < watched_.size(); ++i) {
        const bool rests = watched_[i].what == Watching::gap &&
                           modes_.contact_states[watched_[i].number] == ContactState::idle;
        if (spare_[i] > 0.0 && !rests && value(state, i) > clearly * spare_[i]) spare_[i] = 0.0;
    }
}

/// A slip that begins and ends within one step is not to end late: where its speed has clearly
/// risen on the way there, from its greatest value on nothing is spared.
void ContactMonitor::spend_within(const Path& path, const Clock& begin) {
    spent_at_.clear();
    step_begin_ = begin.now();
    std::vector<std::size_t> begins;
    for (std::size_t i = 0; i < watched_.size(); ++i)
        if (watched_[i].what == Watching::speed && spare_[i] > 0.0) begins.push_back(i);
    if (begins.empty()) return;
    constexpr double clearly = 4.0;  // as behind a step
    std::vector<double> most(watched_.size(), 0.0), times(watched_.size(), INFINITY);
    State state;
    for (const double tau : ChebyshevFit::nodes(path.length)) {
        path.at(tau, state);
        state.t = begin.after(tau).now();
        slip_assembler_->residuals(state, slip_);
        for (const std::size_t i : begins) {
            const double now = speed(watched_[i].number);
            if (!(now > most[i]) || !(now > clearly * spare_[i])) continue;
            most[i] = now;
            times[i] = state.t;
        }
    }
    spent_at_ = std::move(times);
}

/// It fades, as what is searched should be smooth.
double ContactMonitor::spare_at(std::size_t i, double t) const {
    if (i >= spent_at_.size() || !std::isfinite(spent_at_[i])) return spare_[i];
    const double ahead = (spent_at_[i] - t) / (spent_at_[i] - step_begin_);
    return ahead > 0.0 ? spare_[i] * std::pow(std::min(ahead, 1.0), 4) : 0.0;
}

std::vector<double> ContactMonitor::memory() const {
    std::vector<double> memory = spare_;
    memory.push_back(piece_begin_);
    for (const Left& one : leaving_) {
        memory.push_back(static_cast<double>(one.row));
        memory.push_back(one.t);
    }
    return memory;
}

void ContactMonitor::recall(const std::vector<double>& memory) {
    const std::size_t own = std::min(watched_.size(), memory.size());
    is_new_piece_ = false;
    spare_.assign(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(own));
    spare_.resize(watched_.size(), 0.0);
    if (memory.size() > own) piece_begin_ = memory[own];
    leaving_.clear();
    for (std::size_t i = own + 1; i + 1 < memory.size(); i += 2)
        leaving_.push_back({static_cast<std::size_t>(memory[i]), memory[i + 1]});
}

}  // namespace lacon::hybrid
