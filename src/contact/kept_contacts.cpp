// The conditions of the law of contact, f ≥ 0, N q'' ≥ d, f (N q'' − d) = 0 (theory 3.8), checked
// with room to spare.
#include "contact/kept_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contacts.hpp"

namespace lacon::inline contact {

namespace {

/// Of the largest force or of the terms of a row: what is nearer to its border is not clear. The
/// contact solver judges at 1e-10 and 1e-12.
constexpr double clear = 1e-8;

}  // namespace

void KeptContacts::keep(std::span<const ContactState> states) {
    is_known_ = true;
    rows_.clear();
    works_.assign(states.size(), false);
    for (std::size_t r = 0; r < states.size(); ++r) {
        if (states[r] == ContactState::idle) is_known_ = false;  // forces may be shared
        works_[r] = states[r] == ContactState::working;
        if (works_[r]) rows_.push_back(r);
    }
    separates_.reserve(states.size());
    A_ = Matrix(rows_.size(), whole_.system.coordinate_count);
    b_.resize(rows_.size());
    weight_.clear();
    if (!whole_.weights.empty())
        for (const std::size_t r : rows_) weight_.push_back(whole_.weights[r]);
    multipliers_.resize(states.size());
}

bool KeptContacts::run(const State& state, const Equations& equations, const Residuals& residuals,
                       const SolveOptions& options) {
    if (!is_known_ || !are_where_they_were(state, residuals)) return false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        std::copy_n(equations.A.row(rows_[i]).begin(), A_.cols(), A_.row(i).begin());
        b_[i] = equations.b[rows_[i]];
    }
    if (!steady_.run({equations.M, equations.Q, A_, b_, {}, weight_}, options)) return false;
    std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i)
        multipliers_[rows_[i]] = steady_.multipliers()[i];
    return holds(equations);
}

/// Whether those closed before touch and neither approach nor separate; notes which others touch.
bool KeptContacts::are_where_they_were(const State& state, const Residuals& residuals) {
    const double length = Contacts::position_scale(state), speed = Contacts::velocity_scale(state);
    separates_.clear();
    for (std::size_t r = 0; r < works_.size(); ++r) {
        const int side = side_of(whole_.model.constraints[r]);
        if (side == 0) continue;
        const bool is_position = whole_.system.levels[r] == Level::position;
        const double gap = side * residuals.value[r], rate = side * residuals.velocity[r];
        const double slow = Contacts::rate_tol * speed;
        const bool touches = gap <= Contacts::gap_tol * (is_position ? length : speed) &&
                             !(is_position && rate > slow);
        if (touches && is_position && rate < -slow) return false;  // an impact comes first
        if (works_[r] && !touches) return false;
        if (!works_[r] && touches) separates_.push_back(r);
    }
    return true;
}

bool KeptContacts::holds(const Equations& equations) const {
    double largest = 0.0;
    bool presses = false;
    for (const double x : multipliers_) largest = std::max(largest, std::abs(x));
    for (const std::size_t r : rows_) {
        const int side = side_of(whole_.model.constraints[r]);
        presses = presses || side != 0;
        if (side != 0 && !(side * multipliers_[r] > clear * largest)) return false;
    }
    // Forces that depend on each other are shared by the law.
    if (presses && rank() < rows_.size()) return false;
    for (const std::size_t r : separates_) {
        double opens = -equations.b[r], terms = std::abs(equations.b[r]);
        for (std::size_t j = 0; j < equations.A.cols(); ++j) {
            opens += equations.A(r, j) * acceleration()[j];
            terms += std::abs(equations.A(r, j) * acceleration()[j]);
        }
        if (!(side_of(whole_.model.constraints[r]) * opens > clear * terms)) return false;
    }
    return true;
}

}  // namespace lacon::contact
