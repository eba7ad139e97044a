// Leaves out the last row of each set, meets all others by Gauss–Newton and measures how far that
// last row is off. States sampled nearby tell whether the others fix its value or only bound it.
#include "diagnosis/start_conflicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/text.hpp"
#include "diagnosis/nearby.hpp"
#include "mechanics/derive/mode_model.hpp"
#include "mechanics/numbers/values.hpp"
#include "state/row_names.hpp"
#include "state/verdict.hpp"

namespace lacon::diagnosis {

namespace {

class Contradiction {
public:
    Contradiction(const DerivedModel& whole, const Start& start, const DiagnosisOptions& options)
        : whole_(whole),
          start_(start),
          options_(options),
          assembler_(whole.system, whole.parameters) {}

    std::vector<Dependency> all() {
        std::vector<std::vector<std::size_t>> sets;
        std::vector<bool> left_out(whole_.system.row_count(), false);
        for (const std::vector<std::string>& names : start_.conflicts) {
            sets.push_back(rows_named(names));
            left_out[sets.back().back()] = true;
        }
        ModeRows rows;
        for (std::size_t r = 0; r < left_out.size(); ++r)
            if (!left_out[r] && whole_.model.constraints[r].sense == ConstraintRow::Sense::equal)
                rows.rows.push_back(r);
        others_ = make_mode_model(whole_, rows);
        std::vector<Dependency> found;
        for (const auto& set : sets) found.push_back(one(set));
        return found;
    }

private:
    std::vector<std::size_t> rows_named(const std::vector<std::string>& names) const {
        std::vector<std::size_t> rows;
        for (std::size_t r = 0; r < whole_.constraint_names.size(); ++r)
            if (std::find(names.begin(), names.end(), whole_.constraint_names[r]) != names.end())
                rows.push_back(r);
        return rows;
    }

    bool is_velocity(const std::vector<std::size_t>& set) {
        Residuals residuals;
        assembler_.residuals(start_.state, residuals);
        return std::all_of(set.begin(), set.end(), [&](std::size_t r) {
            return whole_.system.levels[r] != Level::position ||
                   std::abs(residuals.value[r]) <= 1e-9;
        });
    }

    double residual(const State& state, std::size_t row, bool velocity) {
        Residuals residuals;
        assembler_.residuals(state, residuals);
        return (velocity ? residuals.velocity : residuals.value)[row];
    }

    /// Whether the others leave no choice: the last row is off by the same amount in every state
    /// nearby that meets them.
    bool is_fixed(const State& state, std::size_t row, bool velocity) {
        NearbyStates nearby(*others_, state, options_.solve);
        nearby.free = false;  // it is no matter whether it moves
        std::mt19937_64 random(options_.solve.seed);
        const double here = residual(state, row, velocity);
        for (int i = 0; i < 6; ++i) {
            const auto other = nearby.sample(1e-2, random);
            if (other && std::abs(residual(*other, row, velocity) - here) >
                             1e-8 * std::max(1.0, std::abs(here)))
                return false;
        }
        return true;
    }

    /// The rows of a set but the last, in words.
    struct Others {
        std::string names;  // "'rod' and 'bar'"
        bool several;
    };

    Dependency one(const std::vector<std::size_t>& set) {
        const std::size_t last = set.back();
        const bool velocity = is_velocity(set);
        Dependency found;
        for (const std::size_t r : set) found.names.push_back(whole_.constraint_names[r]);
        found.level = velocity ? Level::velocity : Level::position;
        found.verdict = Verdict::conflict;
        const ShortNames list = short_names(whole_.constraint_names, {set.begin(), set.end() - 1});
        const Others others{quoted_list(list.names), list.names.size() > 1};
        const std::string& name = whole_.constraint_names[last];

        State state = start_.state;
        const auto is_one_sided = [&](std::size_t r) {
            return whole_.model.constraints[r].sense != ConstraintRow::Sense::equal;
        };
        if (std::any_of(set.begin(), set.end(), is_one_sided) || !meet_others(state, velocity)) {
            found.mismatch = std::abs(residual(start_.state, last, velocity));
            found.text = fmt::format(
                "'{}' and {} contradict each other: '{}' has the residual {} at the best "
                "compromise",
                name, others.names, name, rounded(found.mismatch, 4));
            return found;
        }
        const double off = residual(state, last, velocity);
        found.mismatch = std::abs(off);
        // 1e-9: what the search leaves of residuals that can be met.
        if (found.mismatch <= 1e-9) found.text = held_text(name, others, found.mismatch);
        else tell_required(found, others, state, last);
        return found;
    }

    bool meet_others(State& state, bool velocity) const {
        NearbyStates nearby(*others_, state, options_.solve);
        Residuals met;
        met.value.assign(others_->system.row_count(), 0.0);
        met.velocity = met.value;
        return nearby.meet(state, met, velocity);
    }

    /// Of rows that can be met together after all.
    std::string held_text(const std::string& name, const Others& others, double mismatch) const {
        const auto is_held = [](const StartValue& value) { return !value.guess; };
        if (std::any_of(whole_.model.start.begin(), whole_.model.start.end(), is_held))
            return fmt::format(
                "'{}' and {} can be met together, but not with the start values fixed by '='", name,
                others.names);
        return fmt::format("'{}' and {} contradict each other by {}", name, others.names,
                           rounded(mismatch, 3));
    }

    /// What the last row requires where the others are met, and what they allow, as far as its
    /// right side is a number there.
    void tell_required(Dependency& found, const Others& others, const State& state,
                       std::size_t last) {
        const bool velocity = found.level == Level::velocity;
        const double off = residual(state, last, velocity);
        const std::string as = velocity ? " (as velocities)" : "";
        const std::string& name = whole_.constraint_names[last];
        const ConstraintRow& row = whole_.model.constraints[last];
        const bool own_level = whole_.system.levels[last] == found.level;
        const SymbolRoles roles(whole_.model);
        const auto moves = [&](const Formula& formula) {
            const std::span<const Expr> symbols = whole_.model.forms.symbols_of(formula);
            return std::any_of(symbols.begin(), symbols.end(),
                               [&](Expr s) { return roles.of(s).is_coordinate(); });
        };
        if (!own_level || !row.right || moves(*row.right)) {
            found.text =
                fmt::format("'{}' has the residual {} where {} {}{}", name, rounded(off, 4),
                            others.names, others.several ? "hold" : "holds", as);
            return;
        }
        const std::string verb = is_fixed(state, last, velocity)
                                     ? others.several ? "already fix" : "already fixes"
                                 : others.several ? "allow nothing nearer than"
                                                  : "allows nothing nearer than";
        found.asked = FormulaValues(whole_, roles).at(*row.right, state);
        found.fixed = *found.asked + off;
        const auto [asked, fixed] = told_apart(*found.asked, *found.fixed);
        found.text = fmt::format("'{}' requires {} where {} {} {}{}", name, asked, others.names,
                                 verb, fixed, as);
    }

    const DerivedModel& whole_;
    const Start& start_;
    const DiagnosisOptions& options_;
    Assembler assembler_;
    std::unique_ptr<DerivedModel> others_;  // the constraints without the last of each set
};

}  // namespace

std::vector<Dependency> start_conflicts(const DerivedModel& whole, const Start& start,
                                        const DiagnosisOptions& options) {
    if (start.conflicts.empty()) return {};
    return Contradiction(whole, start, options).all();
}

}  // namespace lacon::diagnosis
