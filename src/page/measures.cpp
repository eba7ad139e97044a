// Evaluates a run again at the rows of its page, as `lacon eval` does.
#include "page/measures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "state/evaluate.hpp"

namespace lacon::inline page {

namespace {

constexpr std::size_t most_rows_listed = 200;
constexpr float none = std::numeric_limits<float>::quiet_NaN();

class Measuring {
public:
    explicit Measuring(const Model& model) : model_(model) {
        for (const char* name : {"kinetic", "potential", "energy change"}) add(name, "energy");
        if (model_.constraints.empty()) return;
        add("position residual", "residual");
        add("velocity residual", "residual");
        add("rank", "rank");
        add("reciprocal condition", "condition");
        if (model_.constraints.size() > most_rows_listed) return;
        for (const ConstraintRow& row : model_.constraints) add(row.name, "multiplier");
    }

    void take(const Evaluation& at) {
        std::size_t next = 0;
        const auto put = [&](double value) {
            columns[next++].values.push_back(static_cast<float>(value));
        };
        const double energy = at.kinetic + at.potential;
        if (!first_energy_) first_energy_ = energy;
        put(at.kinetic);
        put(at.potential);
        put(energy - *first_energy_);
        if (model_.constraints.empty()) return;
        put(worst(at, [](const ConstraintReport& one) { return one.residual; }));
        put(worst(at, [](const ConstraintReport& one) { return one.velocity_residual; }));
        put(static_cast<double>(at.solution.rank));
        put(reciprocal_condition(at.solution));
        // Where there is no answer, there may be no report either.
        for (std::size_t i = 0; next < columns.size(); ++i)
            put(i < at.constraints.size() ? at.constraints[i].multiplier : double{none});
    }

    std::vector<Measure> columns;

private:
    void add(const std::string& name, const std::string& group) {
        columns.push_back({name, group, {}});
    }

    template <class Value>
    static double worst(const Evaluation& at, const Value& value) {
        double most = 0.0;
        for (const ConstraintReport& one : at.constraints) {
            const bool is_open = one.contact == ContactKind::open;
            if (!is_open) most = std::max(most, std::abs(value(one)));
        }
        return most;
    }

    /// The smallest singular value that counts, relative to the largest.
    static double reciprocal_condition(const ConstrainedSolution& solution) {
        return solution.rank == 0 || solution.singular.size() < solution.rank
                   ? double{none}
                   : solution.singular[solution.rank - 1];
    }

    const Model& model_;
    std::optional<double> first_energy_;
};

/// Whether rows and coordinates of both have the same numbers, so that one evaluation serves both.
bool are_alike(const Measured& measured) {
    return measured.details.coordinate_names == measured.pictured.coordinate_names &&
           measured.details.constraint_names == measured.pictured.constraint_names;
}

}  // namespace

std::size_t measured_size(const DerivedModel& details) {
    return details.coordinate_names.size() + details.constraint_names.size();
}

Measures measure(const Measured& measured, const Scene& scene, const SolveOptions& options) {
    Measures result;
    const std::size_t size = measured_size(measured.details);
    if (size > largest_measured) {
        result.left_out = fmt::format(
            "forces, energies, residuals and ranks: the model has {} coordinates and constraints, "
            "and they are computed for up to {}",
            size, largest_measured);
        return result;
    }
    Measuring measuring(measured.details.model);
    Arrows arrows(measured.pictured, scene);
    const bool alike = are_alike(measured);
    for (std::size_t i = 0; i < measured.states.size(); ++i) {
        const Evaluation at =
            evaluate_without_outputs(measured.details, measured.states[i], options);
        measuring.take(at);
        if (alike) arrows.take(at);
        else
            arrows.take(
                evaluate_without_outputs(measured.pictured, measured.pictured_states[i], options));
    }
    result.columns = std::move(measuring.columns);
    result.arrows = std::move(arrows.arrows);
    result.arrow_columns = std::move(arrows.columns);
    return result;
}

}  // namespace lacon::page
