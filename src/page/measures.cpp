// The force of a constraint on a particle whose place has coordinates as components is its
// generalized force on them. That of a constraint `A = B` between points is its multipliers, on A.
#include "page/measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "state/evaluate.hpp"

namespace lacon::inline page {

namespace {

constexpr std::size_t largest_system = 300;  // coordinates and rows: a dense solve takes 10 ms
constexpr std::size_t most_arrows = 2000, most_rows_listed = 200;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// What an arrow is computed from.
struct ArrowSource {
    std::vector<std::size_t> rows;  // of constraints; empty: of a control
    std::size_t control = 0;
    std::array<std::optional<std::size_t>, 3> coordinates;  // of the particle
    std::size_t anchored = 0;                               // rows of an anchor: multipliers count
};

class Measuring {
public:
    Measuring(const DerivedModel& details, const Scene& scene, const SolveOptions& options)
        : details_(details),
          model_(details.model),
          scene_(scene),
          roles_(model_),
          options_(options) {
        find_groups();
        find_arrows();
        for (const char* name : {"kinetic", "potential", "energy change"}) add(name, "energy");
        if (model_.constraints.empty()) return;
        add("position residual", "residual");
        add("velocity residual", "residual");
        add("rank", "rank");
        add("reciprocal condition", "condition");
        if (model_.constraints.size() > most_rows_listed) return;
        for (const ConstraintRow& row : model_.constraints) add(row.name, "multiplier");
    }

    void take(const State& state) {
        const Evaluation at = evaluate_without_outputs(details_, state, options_);
        std::size_t next = 0;
        const auto put = [&](double value) {
            result_.columns[next++].values.push_back(static_cast<float>(value));
        };
        const double energy = at.kinetic + at.potential;
        if (!first_energy_) first_energy_ = energy;
        put(at.kinetic);
        put(at.potential);
        put(energy - *first_energy_);
        if (!model_.constraints.empty()) {
            put(worst(at, [](const ConstraintReport& one) { return one.residual; }));
            put(worst(at, [](const ConstraintReport& one) { return one.velocity_residual; }));
            put(static_cast<double>(at.solution.rank));
            put(reciprocal_condition(at.solution));
            // Where there is no answer, there may be no report either.
            for (std::size_t i = 0; next < result_.columns.size(); ++i)
                put(i < at.constraints.size() ? at.constraints[i].multiplier : double{nan});
        }
        for (std::size_t i = 0; i < sources_.size(); ++i) take_arrow(i, at);
    }

    Measures finish() { return std::move(result_); }

private:
    void add(const std::string& name, const std::string& group) {
        result_.columns.push_back({name, group, {}});
    }

    /// NAME.x and NAME.y belong to NAME.
    void find_groups() {
        for (std::size_t i = 0; i < model_.constraints.size(); ++i) {
            const std::string& name = model_.constraints[i].name;
            const bool is_part = name.size() > 2 && name[name.size() - 2] == '.';
            const std::string stem = is_part ? name.substr(0, name.size() - 2) : name;
            if (!is_part || groups_.empty() || groups_.back().first != stem)
                groups_.push_back({stem, {}});
            groups_.back().second.push_back(i);
        }
    }

    void find_arrows() {
        struct Target {
            Spot at;
            std::array<std::optional<std::size_t>, 3> coordinates;
            bool is_free = false;
        };
        std::vector<Target> targets;
        std::vector<std::vector<std::size_t>> by_coordinate(model_.coordinates.size());
        for (const SceneItem& item : scene_.items) {
            if (!item.particle) continue;
            Target target{item.places[0], {}};
            for (std::size_t i = 0; i < 3; ++i) {
                const Expr part = scene_.channels[item.places[0][i]];
                if (!scene_.graph.is_symbol(part)) continue;
                const SymbolRole role = roles_.of(part);
                if (role.kind != SymbolRole::Kind::q) continue;
                target.coordinates[i] = role.number;
                by_coordinate[role.number].push_back(targets.size());
            }
            targets.push_back(target);
        }
        const auto add_arrows = [&](const std::string& name, const char* kind,
                                    const ArrowSource& source,
                                    const std::vector<std::size_t>& coordinates) {
            std::vector<std::size_t> on;
            for (const std::size_t c : coordinates)
                on.insert(on.end(), by_coordinate[c].begin(), by_coordinate[c].end());
            std::sort(on.begin(), on.end());
            on.erase(std::unique(on.begin(), on.end()), on.end());
            for (const std::size_t i : on) {
                ArrowSource own = source;
                own.coordinates = targets[i].coordinates;
                add_arrow(name, kind, targets[i].at, own);
            }
            return !on.empty();
        };
        for (const auto& [name, rows] : groups_) {
            const bool one_sided = model_.constraints[rows[0]].sense != ConstraintRow::Sense::equal;
            const char* kind = one_sided ? "contact" : "constraint";
            if (add_arrows(name, kind, {rows, 0, {}, 0}, coordinates_of(rows))) continue;
            for (const Anchor& anchor : scene_.anchors)
                if (anchor.row == rows[0])
                    add_arrow(name, kind, anchor.at, {rows, 0, {}, anchor.rows});
        }
        for (std::size_t i = 0; i < model_.controls.size(); ++i) {
            std::vector<std::size_t> coordinates;
            for (const std::size_t k : model_.controls[i].actuators)
                for (const Actuator::Part& part : model_.actuators[k].direction)
                    coordinates.push_back(part.coordinate);
            add_arrows(model_.controls[i].name, "control", {{}, i, {}, 0}, coordinates);
        }
    }

    void add_arrow(const std::string& name, const char* kind, const Spot& at,
                   const ArrowSource& source) {
        if (sources_.size() >= most_arrows) return;
        result_.arrows.push_back({name, kind, at, result_.arrow_columns.size()});
        result_.arrow_columns.resize(result_.arrow_columns.size() + 3);
        sources_.push_back(source);
    }

    std::vector<std::size_t> coordinates_of(const std::vector<std::size_t>& rows) const {
        std::vector<std::size_t> result;
        for (const std::size_t r : rows)
            for (const Expr symbol : model_.forms.symbols_of(model_.constraints[r].value))
                if (const SymbolRole role = roles_.of(symbol); role.is_coordinate())
                    result.push_back(role.number);
        return result;
    }

    void take_arrow(std::size_t number, const Evaluation& at) {
        const ArrowSource& source = sources_[number];
        const bool is_known = source.rows.empty() ? source.control < at.controls.size()
                                                  : source.rows.back() < at.constraints.size();
        for (std::size_t i = 0; i < 3; ++i)
            result_.arrow_columns[3 * number + i].push_back(
                is_known ? static_cast<float>(component(source, i, at)) : nan);
    }

    static double component(const ArrowSource& source, std::size_t i, const Evaluation& at) {
        if (source.anchored > 0)
            return i < source.anchored ? at.constraints[source.rows[i]].multiplier : 0.0;
        if (!source.coordinates[i]) return 0.0;
        const std::size_t coordinate = *source.coordinates[i];
        const auto part = [&](const std::vector<double>& force, double otherwise) {
            return coordinate < force.size() ? force[coordinate] : otherwise;
        };
        if (source.rows.empty()) return part(at.controls[source.control].force, nan);
        double sum = 0.0;
        for (const std::size_t r : source.rows)
            sum += part(at.constraints[r].force, nan) + part(at.constraints[r].friction_force, 0.0);
        return sum;
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
                   ? nan
                   : solution.singular[solution.rank - 1];
    }

    const DerivedModel& details_;
    const Model& model_;
    const Scene& scene_;
    SymbolRoles roles_;
    SolveOptions options_;
    std::vector<std::pair<std::string, std::vector<std::size_t>>> groups_;
    std::vector<ArrowSource> sources_;
    std::optional<double> first_energy_;
    Measures result_;
};

}  // namespace

Measures measure(const DerivedModel& details, const Scene& scene, std::span<const State> states,
                 const SolveOptions& options) {
    const std::size_t size = details.coordinate_names.size() + details.constraint_names.size();
    if (size > largest_system) {
        Measures none;
        none.left_out = fmt::format(
            "forces, energies, residuals and ranks: the model has {} coordinates and constraints, "
            "and they are computed for up to {}",
            size, largest_system);
        return none;
    }
    Measuring measuring(details, scene, options);
    for (const State& state : states) measuring.take(state);
    return measuring.finish();
}

}  // namespace lacon::page
