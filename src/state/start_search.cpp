// One loop over the levels, and one report of a level that could not be met.
#include "state/start_search.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "state/family_names.hpp"

namespace lacon::inline state {

namespace {

constexpr std::size_t most_amounts = 8;  // that a message lists
constexpr double clearly_unmet = 1e-6;   // beside the largest residual

/// Notes the rows that are off and says by how much: "'rod' by 0.1, 'bar' by 2".
std::string note_unmet(const DerivedModel& details, LevelSearches& searches, Start& start) {
    const std::vector<std::size_t> rows = searches.rows();
    const std::vector<double> r = searches.residuals_left();
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (std::abs(r[i]) <= clearly_unmet * largest(r)) continue;
        start.unmet.push_back({details.constraint_names[rows[i]], r[i]});
        if (start.unmet.size() <= most_amounts)
            text += fmt::format("{}'{}' by {}", text.empty() ? "" : ", ", start.unmet.back().name,
                                rounded(r[i], 4));
    }
    if (start.unmet.size() > most_amounts)
        text += fmt::format(" and {} more", start.unmet.size() - most_amounts);
    return text;
}

/// Why a level could not be met: a set that contradicts itself, else the rows left unmet and what
/// was tried. Both are noted in `start`.
Status failure(const DerivedModel& details, bool velocity, LevelSearches& searches, Start& start) {
    if (Status hindrance = searches.hindrance(); !hindrance) return hindrance;
    const char* level = velocity ? "velocity" : "position";
    const std::string left = note_unmet(details, searches, start);
    Status status{Outcome::no_start, {}, {}};
    for (const Start::Unmet& one : start.unmet) status.names.push_back(one.name);

    const std::vector<std::vector<std::size_t>> sets = searches.conflicts();
    if (sets.empty()) {
        const LevelSearches::Tried tried = searches.tried();
        status.message = fmt::format("no start state found at {} level{}; left unmet: {}{}", level,
                                     tried.how, left, tried.where);
        return status;
    }
    std::vector<bool> concerned(details.constraint_names.size(), false);
    for (const std::vector<std::size_t>& set : sets) {
        if (set.size() < 2) continue;
        start.conflicts.emplace_back();
        for (const std::size_t row : set) {
            concerned[row] = true;
            start.conflicts.back().push_back(details.constraint_names[row]);
        }
    }
    if (start.conflicts.empty()) {
        status.message = fmt::format(
            "no start state meets the constraints at {} level; left unmet: {}", level, left);
        return status;
    }
    status = {Outcome::conflict, {}, {}};
    for (std::size_t row = 0; row < concerned.size(); ++row)
        if (concerned[row]) status.names.push_back(details.constraint_names[row]);
    status.message = fmt::format(
        "constraints {} conflict at {} level: no state {}meets them all; the best compromise "
        "misses {}",
        ranges_text(status.names), level, searches.proves_conflicts() ? "" : "was found that ",
        left);
    return status;
}

}  // namespace

std::vector<std::size_t> rows_of_level(const DerivedModel& details, bool velocity,
                                       bool with_stabilized, const std::vector<bool>& held) {
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < details.system.row_count(); ++r) {
        const Level level = details.system.levels[r];
        const bool one_sided = details.model.constraints[r].sense != ConstraintRow::Sense::equal;
        const bool takes_part =
            one_sided ? !held.empty() && held[r]
                      : level == Level::position || (velocity && level == Level::velocity);
        if (takes_part && (with_stabilized || !details.system.stabilized[r])) rows.push_back(r);
    }
    return rows;
}

Start find_start(const DerivedModel& details, const StatedStart& guessed, LevelSearches& searches) {
    StatedStart now = guessed;
    Start start;
    for (const bool velocity : {false, true}) {
        if (!searches.find(velocity, now)) {
            start.status = failure(details, velocity, searches, start);
            break;
        }
        if (!velocity) searches.unwind(guessed.state, now.state);
    }
    start.state = now.state;
    Residuals residuals;
    searches.residuals(start.state, residuals);  // of all rows, stabilized ones too
    for (std::size_t r = 0; r < residuals.value.size(); ++r) {
        if (details.model.constraints[r].sense != ConstraintRow::Sense::equal) continue;
        if (details.system.levels[r] == Level::position)
            start.position_residual =
                std::max(start.position_residual, std::abs(residuals.value[r]));
        start.velocity_residual =
            std::max(start.velocity_residual, std::abs(residuals.velocity[r]));
    }
    note_moves(details, guessed.state, start);
    return start;
}

}  // namespace lacon::state
