// Tests whole steps by one factorization and halves pieces only where a row may have turned round.
// `look` finds the dependent sets at such a place with coarser and coarser rank tolerances.
#include "large/motion/singular_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "locate/golden.hpp"
#include "locate/singular_search.hpp"

namespace lacon::inline large {

void SparseSingularSearch::land() {
    const auto A = field_.equations.A();
    end_.A.assign(A.begin(), A.end());
    end_.dropped = field_.factor.dropped();
    end_.rank = field_.factor.rank();
    end_.careful = field_.factor.was_careful();
    end_.weakest = field_.factor.smallest_kept();
    usual_ = std::max(usual_, end_.weakest);
}

void SparseSingularSearch::rows_at(const Clock& time, double tau, std::vector<double>& A) {
    if (between_.numbers.empty()) between_ = field_.system.empty_equations();
    method_->at(tau, state_);
    state_.t = time.after(tau).now();
    field_.assembler.equations(state_, between_);
    const auto found = between_.A();
    A.assign(found.begin(), found.end());
}

std::optional<std::size_t> SparseSingularSearch::turned(std::span<const double> before,
                                                        std::span<const double> behind) {
    ++field_.counters.factorizations;
    return field_.factor.turned({before, behind, begin_.dropped, begin_.careful || end_.careful});
}

/// From a singular position on: to where short pieces can be made again.
double SparseSingularSearch::leave(const Clock& time, double h, double from) {
    for (double gap = 10.0 * shortest; from + gap < 1.0; gap *= 1.5) {
        rows_at(time, (from + gap) * h, from_);
        // A little further, so that the two places differ.
        rows_at(time, std::min(1.0, from + 1.1 * gap) * h, to_);
        if (!turned(from_, to_)) return from + gap;
    }
    return 1.0;
}

// A step that ends so near a singular position that rounding decides on the branch by which it is
// left comes to it, whatever the rows do behind.
std::vector<SparseSingularSearch::Place> SparseSingularSearch::search(const Method& method,
                                                                      const Clock& time, double h) {
    method_ = &method;
    std::vector<Place> found;
    if (begin_.rank == 0) return found;
    search_vanishing_rows(time, h, found);
    if (!field_.factor.tells_turns()) return found;
    const double near = std::min(SparseFactor::least_turned,
                                 1e-4 * usual_);  // less where they are that weak throughout
    if (begin_.weakest >= near && end_.weakest < near) {
        const auto row = field_.factor.turned({end_.A, end_.A, begin_.dropped, false});
        found.push_back({h, row.value_or(0)});
    }
    if (!turned(begin_.A, end_.A)) return found;  // nearly always
    from_ = begin_.A;
    double from = 0.0, length = 0.5;  // of the step
    while (from < 1.0) {
        const double to = std::min(1.0, from + length);
        if (to < 1.0) rows_at(time, to * h, to_);
        const auto row = turned(from_, to < 1.0 ? to_ : end_.A);
        length = (row ? 0.5 : 2.0) * (to - from);
        if (!row) {
            from = to;
            std::swap(from_, to_);
        } else if (length < shortest) {
            const double behind = leave(time, h, from);
            found.push_back({0.5 * (from + behind) * h, *row});
            from = behind;
            length = shortest;
        }
    }
    std::sort(found.begin(), found.end(),
              [](const Place& one, const Place& other) { return one.tau < other.tau; });
    return found;
}

double SparseSingularSearch::length_of(std::span<const double> A, std::size_t row) const {
    const SparsePattern& rows = *field_.system.rows;
    double most = 0.0;
    for (std::size_t e = rows.begin[row]; e < rows.begin[row + 1]; ++e)
        most = std::max(most, std::abs(A[e]));
    return most;
}

// A length that falls to zero and grows again like the square of the time is at one of three places
// below 0.12 of the largest of them, wherever its zero lies; higher powers are lower.
void SparseSingularSearch::search_vanishing_rows(const Clock& time, double h,
                                                 std::vector<Place>& found) {
    constexpr double much = 0.2;
    rows_at(time, 0.5 * h, from_);
    for (std::size_t row = 0; row < field_.system.m; ++row) {
        const double begin = length_of(begin_.A, row), middle = length_of(from_, row),
                     end = length_of(end_.A, row);
        const double least = std::min({begin, middle, end});
        if (!(least < much * std::max({begin, middle, end}))) continue;
        const double from = least == end && least < begin && least < middle ? 0.5 * h : 0.0;
        const double to = least == begin && least < end && least < middle ? 0.5 * h : h;
        if (const auto tau = vanishes(time, row, from, to)) found.push_back({*tau, row});
    }
}

/// Where, amid the step, a row vanishes. Most that are short for a while do not: a few places tell.
std::optional<double> SparseSingularSearch::vanishes(const Clock& time, std::size_t row,
                                                     double from, double to) {
    constexpr double few = 0.03, falls = 0.2;  // of the piece: 8 places; of the length in there
    const auto length = [&](double tau) {
        rows_at(time, tau, to_);
        return length_of(to_, row);
    };
    const double near = lowest_place(length, from, to, few * (to - from));
    const double least = length(near);
    const double beside = few * (to - from);
    // Ten times as far off: there a row that vanishes has a length again.
    if (!(least <= falls * std::max(length(std::max(from, near - 10.0 * beside)),
                                    length(std::min(to, near + 10.0 * beside)))))
        return std::nullopt;
    // To 1e-12 of the piece, the shortest piece that is looked at.
    const double tau = lowest_place(length, std::max(from, near - beside),
                                    std::min(to, near + beside), 1e-12 * (to - from));
    const double most = std::max(length_of(begin_.A, row), length_of(end_.A, row));
    if (!is_amid(tau, to) || !(length(tau) <= SingularSearch::singular_tol * most))
        return std::nullopt;
    return tau;
}

/// Rows that are short beside what they are at one end of the step: a factorization scales them up
/// again.
std::vector<DependentSet> SparseSingularSearch::vanished(std::span<const double> A) const {
    constexpr double part = 1e-5;
    std::vector<DependentSet> sets;
    for (std::size_t row = 0; row < field_.system.m; ++row)
        if (length_of(A, row) <= part * std::max(length_of(begin_.A, row), length_of(end_.A, row)))
            sets.push_back({{row}, {1.0}});
    return sets;
}

std::optional<SparseSingularSearch::Position> SparseSingularSearch::look(const Clock& time,
                                                                         const Place& place) {
    std::size_t rank = 0;
    const auto sets_at = [&](double tau, double rank_tol) -> std::vector<DependentSet> {
        SolveOptions options = field_.options.solve;
        options.rank_tol = rank_tol;
        rows_at(time, tau, to_);
        ++field_.counters.factorizations;
        rank = 0;
        if (field_.factor.factor(between_.M(), between_.A(), options) != Outcome::ok) return {};
        rank = field_.factor.rank();
        return field_.factor.dependent(between_.b(), options.consistency_tol);
    };
    const double t = time.after(place.tau).now();
    rows_at(time, place.tau, to_);
    if (std::vector<DependentSet> sets = vanished(to_); !sets.empty())
        return Position{t, begin_.rank - std::min(begin_.rank, sets.size()), std::move(sets)};
    // From the finest at which the rank falls to 1e-3, where everything near is dependent.
    for (const double tol : std::array{SingularSearch::singular_tol, 1e-6, 1e-5, 1e-4, 1e-3}) {
        const std::vector<DependentSet> usual = sets_at(0.0, tol);
        const std::size_t before = rank;
        std::vector<DependentSet> sets = sets_at(place.tau, tol);
        if (rank >= before) continue;
        std::erase_if(sets, [&](const DependentSet& set) {
            return std::any_of(usual.begin(), usual.end(),
                               [&](const DependentSet& other) { return other.rows == set.rows; });
        });
        return Position{t, begin_.rank - std::min(begin_.rank, before - rank), std::move(sets)};
    }
    return std::nullopt;
}

}  // namespace lacon::large
