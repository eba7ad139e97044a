// What each control does at a state, in the model's terms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "control/controller.hpp"

namespace lacon::inline control {

namespace {

using Row = ControlSet::Row;

/// φ of a row as its tracking error: of a one-sided row what it lacks.
double error_of(const ConstraintRow& row, double phi) {
    if (row.sense == ConstraintRow::Sense::at_least) return std::min(0.0, phi);
    return row.sense == ConstraintRow::Sense::at_most ? std::max(0.0, phi) : phi;
}

/// Efforts by control: what its own rows call for; and what is left of an actuator's effort,
/// because rows of other controls or a limit had a part in it, evenly between those it serves:
/// controls whose rows call for something of it, or all where none does.
Matrix divided(const Model& model, const ControlSolution* solution,
               const std::vector<double>& efforts) {
    const std::size_t controls = model.controls.size();
    Matrix parts(controls, efforts.size());
    for (std::size_t i = 0; i < efforts.size(); ++i) {
        double rest = efforts[i];
        std::vector<std::size_t> all, calling;
        for (std::size_t k = 0; k < controls; ++k) {
            const auto& own = model.controls[k].actuators;
            if (std::find(own.begin(), own.end(), i) == own.end()) continue;
            all.push_back(k);
            if (!solution || solution->shares.rows() == 0) continue;
            for (const std::size_t row : model.controls[k].rows)
                parts(k, i) += solution->shares(row, i);
            if (parts(k, i) == 0.0) continue;
            calling.push_back(k);
            rest -= parts(k, i);
        }
        const auto& served = calling.empty() ? all : calling;
        for (const std::size_t k : served) parts(k, i) += rest / static_cast<double>(served.size());
    }
    return parts;
}

/// uᵀ N u of weighted efforts, and Gauss's measure f·M⁻¹ f of the force f of the others.
double cost_of(std::span<const double> efforts, const Actuators& actuators, const Matrix& M) {
    const std::size_t n = M.rows();
    double cost = 0.0;
    std::vector<double> f(n, 0.0);
    for (std::size_t i = 0; i < efforts.size(); ++i) {
        for (std::size_t j = 0; j < efforts.size(); ++j)
            cost += efforts[i] * actuators.N(i, j) * efforts[j];
        if (!actuators.gauss()[i]) continue;
        for (std::size_t j = 0; j < n; ++j) f[j] += actuators.F(j, i) * efforts[i];
    }
    if (std::all_of(f.begin(), f.end(), [](double x) { return x == 0.0; })) return cost;
    const ConstrainedSolution free = solve({M, f, Matrix(0, n), {}}, {});
    for (std::size_t j = 0; j < free.acceleration.size(); ++j) cost += f[j] * free.acceleration[j];
    return cost;
}

class Reporting {
public:
    Reporting(Controller& controller, const State& state, std::span<const double> acceleration,
              Evaluation& at)
        : controller_(controller),
          state_(state),
          acceleration_(acceleration),
          at_(at),
          model_(controller.plant().model),
          solution_(controller.solution()),
          residuals_(controller.residuals(state)) {}

    void run() {
        const bool solved = !acceleration_.empty();
        Matrix parts;
        if (solved) {
            at_.efforts = controller_.efforts();
            at_.control_force = controller_.force();
            parts = divided(model_, solution_, controller_.efforts());
        }
        for (std::size_t k = 0; k < model_.controls.size(); ++k) {
            ControlReport report;
            report.name = model_.controls[k].name;
            for (const std::size_t row : model_.controls[k].rows)
                report.rows.push_back(row_report(row));
            if (solved) add_efforts(model_.controls[k], parts.row(k), report);
            at_.controls.push_back(std::move(report));
        }
    }

private:
    ControlReport::Row row_report(std::size_t row) const {
        const System& servo = controller_.plant().servo->system;
        const ConstraintRow& required = model_.requirements[row];
        ControlReport::Row one;
        one.name = required.name;
        one.level = servo.levels[servo.row_count() - model_.requirements.size() + row];
        one.error = error_of(required, residuals_.value[row]);
        one.velocity_error = residuals_.velocity[row];
        one.missed = solution_ && row < solution_->missed.size() ? solution_->missed[row] : nan;
        if (!acceleration_.empty()) one.missed = missed(row);
        if (one.level == Level::acceleration) {
            one.error = one.missed;
            one.velocity_error = nan;
        }
        if (!solution_) return one;
        if (row < solution_->set.rows.size()) {
            const Row now = solution_->set.rows[row];
            const bool one_sided = required.sense != ConstraintRow::Sense::equal;
            one.state = now == Row::missed && one.missed != 0.0 ? "missed"
                        : !one_sided                            ? ""
                        : now == Row::bound                     ? "bound"
                                                                : "idle";
        }
        const auto one_sided = [&](std::size_t r) {
            return model_.requirements[r].sense != ConstraintRow::Sense::equal;
        };
        for (const DependentSet& set :
             solution_->dependent)  // what only may not be exceeded is not the same twice
            if (set.rows.size() > 1 && std::none_of(set.rows.begin(), set.rows.end(), one_sided))
                one.redundant = one.redundant ||
                                std::find(set.rows.begin(), set.rows.end(), row) != set.rows.end();
        return one;
    }

    /// By the plant, which need not be what the controller believes.
    double missed(std::size_t row) const {
        double missed = -controller_.required_values()[row], scale = std::abs(missed);
        for (std::size_t j = 0; j < acceleration_.size(); ++j) {
            const double term = controller_.required_rows()(row, j) * acceleration_[j];
            missed += term;
            scale += std::abs(term);
        }
        constexpr double met = 1e-8;  // SolveOptions::consistency_tol
        return std::abs(missed) <= met * scale ? 0.0 : error_of(model_.requirements[row], missed);
    }

    void add_efforts(const Control& control, std::span<const double> efforts,
                     ControlReport& report) const {
        const Actuators& actuators = controller_.actuators();
        const std::size_t n = state_.v.size();
        report.force.assign(n, 0.0);
        for (const std::size_t i : control.actuators) {
            const signed char limit =
                solution_ && i < solution_->set.limits.size() ? solution_->set.limits[i] : 0;
            report.efforts.push_back({model_.actuators[i].name, efforts[i],
                                      limit < 0   ? "low"
                                      : limit > 0 ? "high"
                                                  : ""});
            for (std::size_t j = 0; j < n; ++j) report.force[j] += actuators.F(j, i) * efforts[i];
        }
        for (std::size_t j = 0; j < n; ++j) report.power += report.force[j] * state_.v[j];
        report.cost = cost_of(efforts, actuators, at_.M);
    }

    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    Controller& controller_;
    const State& state_;
    std::span<const double> acceleration_;
    Evaluation& at_;
    const Model& model_;
    const ControlSolution* solution_;
    const Residuals residuals_;
};

}  // namespace

void report_controls(Controller& controller, const State& state,
                     std::span<const double> acceleration, Evaluation& at) {
    Reporting(controller, state, acceleration, at).run();
}

}  // namespace lacon::control
