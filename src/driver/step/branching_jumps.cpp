// What a turned decision may ask for: other branches beside it, and jumps of positions and
// velocities.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "contact/modes.hpp"
#include "driver/step/branching.hpp"
#include "state/verdict.hpp"

namespace lacon::inline driver {

/// Takes the decisions beside one that has jumped anew, by the motion a little later.
void Branching::settle_others(std::size_t branch, const Clock& time) {
    const double ahead = std::max(1e-10 * parts_.steppers.now().length(),
                                  1e-13 * std::max(1.0, std::abs(time.now())));
    State state = run_.step.raw_end_state;
    state.t = time.now() + ahead;
    for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] += ahead * state.v[i];
    parts_.watch.settle_beside(state, branch);
}

/// Whether an element is a row that holds by the laws of contact: of a closed contact, or of
/// friction that sticks; or the slip of one that slides.
bool Branching::is_law_row(const Element& element) const {
    const DerivedModel& details = run_.details;
    if (element.row == Element::watched_only) return true;
    if (element.row < 0 || !details.whole) return false;
    const std::size_t row = details.rows[static_cast<std::size_t>(element.row)];
    const auto& constraints = details.whole->model.constraints;
    return row >= constraints.size() || side_of(constraints[row]) != 0;
}

std::size_t Branching::turned_row() const {
    const Element& element = run_.field.smooth.owner_of(last_, run_.details.system).element;
    if (element.row < 0) return ~std::size_t{0};  // the slip of something that slides
    return run_.details.rows[static_cast<std::size_t>(element.row)];
}

/// Where a turned decision leaves positions that no motion reaches: fails with the constraints that
/// jump.
bool Branching::jumps_too_far(const State& before, const std::string& decision) {
    constexpr double jump_tol = 1e-7;  // of what a coordinate of 1 would do
    Residuals residuals;
    run_.field.residuals(before, residuals);
    std::vector<std::size_t> rows;
    double most = 0.0;
    for (std::size_t r = 0; r < run_.field.m(); ++r) {
        if (run_.details.system.levels[r] != Level::position ||
            std::abs(residuals.value[r]) <= jump_tol)
            continue;
        rows.push_back(r);
        most = std::max(most, std::abs(residuals.value[r]));
    }
    if (rows.empty()) return false;
    const std::vector<std::string> names = names_of(run_.details, rows);
    run_.fail(
        before,
        {Outcome::conflict,
         fmt::format("at the switch '{}' at t = {} constraint {} jumps by {}, and no position "
                     "nearby meets it",
                     decision, rounded(before.t, 12), quoted_list(names), rounded(most, 3)),
         names});
    return true;
}

/// A decision in a constraint may ask for more than it should. A position that has to jump is no
/// motion; a velocity that has to jump is an impact, with the least change in the metric of M.
bool Branching::note_jump(const State& before, const std::string& decision) {
    if (!run_.plan.projects()) return true;
    // Of the largest coordinate or velocity. Between what a projection corrects after a step (1e-9
    // and less) and what a model means by a jump; not critical.
    constexpr double jump_tol = 1e-7;
    const auto largest = [](const std::vector<double>& a, const std::vector<double>& b) {
        // At least 1e-6, so that rounding of values near zero is not taken for a jump.
        double jump = 0.0, size = 1e-6;
        for (std::size_t i = 0; i < a.size(); ++i) {
            jump = std::max(jump, std::abs(a[i] - b[i]));
            size = std::max(size, std::abs(b[i]));
        }
        return std::pair(jump, jump > jump_tol * size);
    };
    const State& end_state = run_.step.end_state;
    const auto [position, leaps] = largest(before.q, end_state.q);
    const auto [velocity, kicks] = largest(before.v, end_state.v);
    if (!leaps && !kicks) return true;
    Residuals residuals;
    run_.field.residuals(before, residuals);
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < run_.field.m(); ++r) {
        const double off = leaps && run_.details.system.levels[r] == Level::position
                               ? residuals.value[r]
                               : residuals.velocity[r];
        if (std::abs(off) > jump_tol * (leaps ? position : velocity)) rows.push_back(r);
    }
    const std::vector<std::string> names = names_of(run_.details, rows);
    if (leaps)
        return run_.fail(before, {Outcome::conflict,
                                  fmt::format("at the switch '{}' at t = {} constraint {} requires "
                                              "a position jump of {}, which no motion can make",
                                              decision, rounded(before.t, 12), quoted_list(names),
                                              rounded(position, 3)),
                                  names});
    MotionEvent event{before.t, "impact", fmt::format("{}", fmt::join(names, ", "))};
    event.constraints = names;
    run_.add_event(std::move(event));
    return true;
}

}  // namespace lacon::driver
