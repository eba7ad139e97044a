// When an allowance for rounding ends.
#include "hybrid/allowances.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline hybrid {

void Allowances::reset(std::size_t count) {
    spare_.assign(count, 0.0);
    spent_at_.clear();
}

void Allowances::recall(const std::vector<double>& kept) {
    const std::size_t own = std::min(spare_.size(), kept.size());
    std::fill(spare_.begin(), spare_.end(), 0.0);
    std::copy_n(kept.begin(), own, spare_.begin());
}

void Allowances::spend(const State& end, const Value& value,
                       const std::function<bool(std::size_t i)>& keeps) {
    if (std::none_of(spare_.begin(), spare_.end(), [](double x) { return x > 0.0; })) return;
    for (std::size_t i = 0; i < spent_at_.size(); ++i)
        if (spent_at_[i] <= end.t) spare_[i] = 0.0;
    spent_at_.clear();
    for (std::size_t i = 0; i < spare_.size(); ++i)
        if (spare_[i] > 0.0 && !keeps(i) && value(end, i) > clearly * spare_[i]) spare_[i] = 0.0;
}

void Allowances::look(const Path& path, const Clock& begin, std::span<const std::size_t> of,
                      const Value& value) {
    spent_at_.clear();
    step_begin_ = begin.now();
    if (of.empty()) return;
    std::vector<double> most(spare_.size(), 0.0), times(spare_.size(), INFINITY);
    State state;
    for (const double tau : ChebyshevFit::nodes(path.length)) {
        path.at(tau, state);
        state.t = begin.after(tau).now();
        for (const std::size_t i : of) {
            const double now = value(state, i);
            if (!(now > most[i]) || !(now > clearly * spare_[i])) continue;
            most[i] = now;
            times[i] = state.t;
        }
    }
    spent_at_ = std::move(times);
}

double Allowances::at(std::size_t i, double t) const {
    if (i >= spent_at_.size() || !std::isfinite(spent_at_[i])) return spare_[i];
    const double ahead = (spent_at_[i] - t) / (spent_at_[i] - step_begin_);
    return ahead > 0.0 ? spare_[i] * std::pow(std::min(ahead, 1.0), 4) : 0.0;
}

}  // namespace lacon::hybrid
