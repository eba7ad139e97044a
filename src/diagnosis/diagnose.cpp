// Runs the diagnosis in order: the rows in force, the rank, dependent sets and whether they last,
// singular positions, conflicts of start values, and which reactions are unique (theory 3.6, 3.7).
#include "diagnosis/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/text.hpp"
#include "diagnosis/persistence.hpp"
#include "diagnosis/start_conflicts.hpp"
#include "diagnosis/words.hpp"
#include "solve/dense/constrained/dependence.hpp"
#include "state/evaluate.hpp"
#include "state/row_names.hpp"
#include "state/start.hpp"
#include "state/verdict.hpp"

namespace lacon::diagnosis {

namespace {

class Diagnosing {
public:
    Diagnosing(const DerivedModel& whole, const Evaluation& at, const DiagnosisOptions& options)
        : whole_(whole),
          at_(at),
          options_(options),
          here_(rows_in_force(whole, at.state, options.solve)) {
        const Equations& e = here_.equations;
        solution_ = here_.mode_model || !has_rank(at.solution)
                        ? solve({e.M, e.Q, e.A, e.b}, options.solve)
                        : at.solution;
    }

    void run(const Start* start, Diagnosis& d) {
        name_coordinates(d);
        if (!has_rank(solution_)) return;
        d.rank = rank();
        if (!solution_.dependent.empty()) {
            const Samples samples = sample_nearby(here_, at_.state, solution_.rank, options_);
            sets_ = lasting_first(here_, solution_.dependent, samples, options_.solve);
            for (const DependentSet& set : sets_) d.dependent.push_back(dependency(set, samples));
            d.singular = singular_position(here_, solution_.rank, samples);
            if (d.singular)
                d.singular->text =
                    singular_text(whole_.coordinate_names, *d.singular, solution_.rank);
        }
        if (start) add_start_conflicts(*start, d);
        if (d.status && at_.solution.outcome == Outcome::ok) add_reactions(d);
    }

private:
    const std::vector<std::string>& names() const { return here_.details->constraint_names; }

    void name_coordinates(Diagnosis& d) const {
        for (const std::size_t i : solution_.undetermined)
            d.undetermined.push_back(whole_.coordinate_names[i]);
        if (solution_.outcome != Outcome::indefinite) return;
        d.indefinite.push_back(whole_.coordinate_names[solution_.indefinite_row]);
        if (solution_.indefinite_col != solution_.indefinite_row)
            d.indefinite.push_back(whole_.coordinate_names[solution_.indefinite_col]);
    }

    RankFinding rank() const {
        RankFinding found;
        found.rows = here_.equations.A.rows();
        found.rank = solution_.rank;
        found.degrees_of_freedom = whole_.coordinate_names.size() - found.rank;
        if (found.rank > 0) found.smallest_kept = solution_.singular[found.rank - 1];
        if (found.rank < solution_.singular.size())
            found.largest_dropped = solution_.singular[found.rank];
        found.gap = solution_.gap;
        found.tolerance = solution_.rank_tol;
        found.decided = solution_.rank_decided;
        found.scaling = scaling_text(found, options_.solve.rank_tol);
        return found;
    }

    /// Of two rows that are taken for parallel (Dependency::apart). Entries that agree to some last
    /// places are the same.
    double apart(const DependentSet& set) const {
        if (set.rows.size() != 2) return 0.0;
        constexpr double last_places = 64.0 * std::numeric_limits<double>::epsilon();
        const Matrix& A = here_.equations.A;
        double square = 0.0, length = 0.0;
        bool differ = false;
        for (std::size_t j = 0; j < A.cols(); ++j) {
            const double one = set.coefficients[0] * A(set.rows[0], j),
                         other = set.coefficients[1] * A(set.rows[1], j), left = one + other;
            differ |= std::abs(left) > last_places * std::max(std::abs(one), std::abs(other));
            square += left * left;
            length += one * one;
        }
        return differ ? std::sqrt(square / length) : 0.0;
    }

    Dependency dependency(const DependentSet& set, const Samples& samples) const {
        Dependency d;
        for (const std::size_t r : set.rows) d.names.push_back(names()[r]);
        d.coefficients = set.coefficients;
        d.verdict = set.undecided  ? Verdict::undecided
                    : set.conflict ? Verdict::conflict
                                   : Verdict::consistent;
        d.mismatch = set.mismatch;
        if (d.verdict != Verdict::consistent) {
            d.asked = set.asked;
            d.fixed = set.fixed;
        }
        const Lasting lasting = persistence_of(set.rows, samples, options_.solve);
        d.persistence = lasting.persistence;
        d.sampled = lasting.sampled;
        d.dependent_in = lasting.dependent_in;
        d.why = lasting.why;
        switch (d.verdict) {
            case Verdict::consistent:
                d.text = describe(*here_.details, set);
                d.apart = apart(set);
                if (d.apart > 0.0)
                    d.text += fmt::format(
                        " up to {} of their length, which is below the rank tolerance {}",
                        rounded(d.apart, 2), rounded(solution_.rank_tol, 2));
                break;
            case Verdict::conflict: d.text = describe_conflict(*here_.details, set); break;
            case Verdict::undecided:
                if (const auto [asked, fixed] = told_apart(set.asked, set.fixed);
                    set.conflict && asked == fixed) {
                    d.text = describe_conflict(*here_.details, set);
                    break;
                }
                d.text = fmt::format(
                    "{} depend on each other, but whether they conflict is undecided: the relative "
                    "mismatch is {}, the tolerance {}",
                    quoted_list(short_names(names(), set.rows).names), rounded(set.mismatch, 2),
                    rounded(options_.solve.consistency_tol, 2));
                break;
        }
        d.text += persistence_text(d, samples.alone);
        return d;
    }

    /// Rows that agree in their accelerations may contradict each other in positions or velocities.
    void add_start_conflicts(const Start& start, Diagnosis& d) const {
        for (Dependency& conflict : start_conflicts(whole_, start, options_)) {
            const auto same = std::find_if(
                d.dependent.begin(), d.dependent.end(),
                [&](const Dependency& other) { return other.names == conflict.names; });
            if (same == d.dependent.end()) {
                d.dependent.push_back(std::move(conflict));
                continue;
            }
            conflict.coefficients = same->coefficients;
            conflict.persistence = same->persistence;
            conflict.sampled = same->sampled;
            conflict.dependent_in = same->dependent_in;
            conflict.why = same->why;
            *same = std::move(conflict);
        }
    }

    /// Contacts that depend on each other, with all that is closed: their forces are not unique,
    /// though the rows in force, chosen from them, are independent.
    void add_contact_sets(std::vector<DependentSet>& sets, std::vector<std::size_t>& rows) const {
        for (std::size_t r = 0; r < at_.constraints.size(); ++r) {
            const ConstraintReport& report = at_.constraints[r];
            const bool two_sided = whole_.model.constraints[r].sense == ConstraintRow::Sense::equal;
            if (two_sided || (report.contact != ContactKind::open && !report.contact.empty()))
                rows.push_back(r);
        }
        const Matrix A = rows_of_matrix(at_.A, rows);
        const std::vector<double> b = entries_of(at_.b, rows);
        sets = dependent_sets(DependenceProblem{A, b, &at_.M}, options_.solve);
    }

    void add_reactions(Diagnosis& d) const {
        const bool contacts = !at_.forces_unique;
        std::vector<DependentSet> sets = sets_;
        std::vector<std::size_t> closed;
        Matrix A = here_.equations.A;
        std::vector<std::string> row_names = names();
        if (contacts) {
            add_contact_sets(sets, closed);
            A = rows_of_matrix(at_.A, closed);
            row_names.clear();
            for (const std::size_t r : closed) row_names.push_back(whole_.constraint_names[r]);
        }
        const std::vector<std::size_t> dependent = rows_of(sets);
        for (const NamedRows& constraint : constraints_of(row_names)) {
            Reaction reaction;
            reaction.name = constraint.name;
            for (const std::size_t r : constraint.rows) {
                reaction.rows.push_back(row_names[r]);
                reaction.row_unique.push_back(
                    !std::binary_search(dependent.begin(), dependent.end(), r));
            }
            reaction.unique = force_is_unique(sets, A, constraint.rows);
            d.reactions.push_back(std::move(reaction));
        }
        for (const DependentSet& set : sets) {
            NullForce force;
            for (const std::size_t r : set.rows) force.names.push_back(row_names[r]);
            force.coefficients = set.coefficients;
            d.null_forces.push_back(std::move(force));
        }
        if (sets.empty()) return;
        const bool weighted =
            std::any_of(whole_.model.constraints.begin(), whole_.model.constraints.end(),
                        [](const ConstraintRow& row) { return row.weight.has_value(); });
        d.convention =
            fmt::format("{}minimum-norm values are reported", weighted ? "weighted " : "");
    }

    const DerivedModel& whole_;
    const Evaluation& at_;
    const DiagnosisOptions& options_;
    InForce here_;
    ConstrainedSolution solution_;
    std::vector<DependentSet> sets_;
};

}  // namespace

Diagnosis diagnose(const DerivedModel& details, const Evaluation& at, const Start* start,
                   const DiagnosisOptions& options) {
    Diagnosis d;
    d.state = at.state;
    d.status = start && !start->status ? start->status : at.status;
    if (start) d.start = *start;
    if (at.status.outcome == Outcome::too_large || at.status.outcome == Outcome::undefined)
        return d;
    Diagnosing(details, at, options).run(start, d);
    return d;
}

}  // namespace lacon::diagnosis

namespace lacon {

Diagnosis diagnose(const Mechanism& mechanism, const DiagnosisOptions& options) {
    const Start start = mechanism.start(options.solve);
    return diagnose(mechanism.details(), mechanism.evaluate(start.state, options.solve), &start,
                    options);
}

Diagnosis diagnose(const Mechanism& mechanism, const State& state,
                   const DiagnosisOptions& options) {
    return diagnose(mechanism.details(), mechanism.evaluate(state, options.solve), nullptr,
                    options);
}

}  // namespace lacon
