// Controls: at the start and at every row of a run the efforts are those of least cost, and the
// error of a requirement follows its own law, φ'' + A φ' + B φ = 0, whose solution is known.

#include <algorithm>
#include <cmath>
#include <complex>
#include <ctime>

#include "hunt/control_law.hpp"
#include "hunt/engine.hpp"
#include "lacon/motion.hpp"

namespace hunt {
namespace {

constexpr double most_cpu_seconds = 10.0;
// Of the largest effort: a state is right to the tolerance, and efforts amplify it by gains.
constexpr double effort_part = 1e-7;

double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// φ(t) of φ'' + A φ' + B φ = 0, or of φ' + A φ = 0.
double decayed(const std::vector<double>& gain, double phi, double rate, double t) {
    if (gain.size() == 1) return phi * std::exp(-gain[0] * t);
    const std::complex<double> root =
        std::sqrt(std::complex<double>(gain[0] * gain[0] / 4.0 - gain[1]));
    const double half = gain[0] / 2.0, slope = rate + half * phi;
    const std::complex<double> z = root * t;
    const std::complex<double> part =
        std::abs(z) < 1e-6 ? t * (1.0 + z * z / 6.0) : std::sinh(z) / root;
    return std::exp(-half * t) * (phi * std::cosh(z) + slope * part).real();
}

class Control {
public:
    Control(const Case& one, const lacon::Mechanism& mechanism)
        : one_(one),
          model_(one.model),
          mechanism_(mechanism),
          oracle_(model_),
          order_(order_of(model_, mechanism)) {}

    Verdict at_start() {
        const lacon::Start start = mechanism_.start();
        if (!start.status) return {Result::refused, start.status.message};
        const lacon::Evaluation found = mechanism_.evaluate(start.state);
        oracle_.evaluate(point(start.state.t, start.state.q, start.state.v));
        const ControlEquations::Answer expected = oracle_.answer();
        if (!expected.why.empty()) return {Result::unsuited, expected.why};
        if (!found.status)
            return {Result::refused, "though there are efforts: " + found.status.message};
        for (std::size_t k = 0; k < expected.u.size(); ++k)
            compare_effort(found.efforts[place_of(k)], expected.u, k, start.state.t);
        for (std::size_t i = 0; i < expected.a.size(); ++i)
            limit(abs(Real(found.solution.acceleration[order_.coordinate[i]]) - expected.a[i])
                      .nearest(),
                  1e-8 * largest(expected.a),
                  "acceleration of " + model_.names[i] + " at the start: expected " +
                      shortest(expected.a[i].nearest()));
        return verdict_;
    }

    Verdict along() {
        const double begin = cpu_seconds();
        bool slow = false;
        const lacon::RunOptions options{.every = (model_.end - model_.begin) / 20.0,
                                        .tolerance = one_.plan.tolerance,
                                        .method = one_.plan.method,
                                        .interpret = one_.plan.interpret,
                                        .cache = false};
        const lacon::Motion motion = lacon::run(mechanism_, options, [&](const lacon::StepView&) {
            slow = cpu_seconds() - begin > most_cpu_seconds;
            return !slow;
        });
        if (slow) return {Result::refused, "slow: the run took more than 10 s"};
        if (!motion.status) return {Result::refused, motion.status.message};
        const std::vector<double>& t = motion.column("t");
        steps_ = motion.summary.steps;
        for (std::size_t k = 0; k < t.size() && verdict_.result == Result::agreed; ++k) {
            std::vector<double> q, v;
            for (const std::string& name : mechanism_.coordinates()) {
                q.push_back(motion.column(name)[k]);
                v.push_back(motion.column(name + "'")[k]);
            }
            oracle_.evaluate(point(t[k], q, v));
            const ControlEquations::Answer expected = oracle_.answer();
            if (!expected.why.empty()) return {Result::unsuited, expected.why};
            for (std::size_t j = 0; j < expected.u.size(); ++j)
                compare_effort(motion.column("effort." + mechanism_.actuators()[place_of(j)])[k],
                               expected.u, j, t[k]);
            errors(k, t[k] - t[0]);
        }
        return verdict_;
    }

private:
    Point point(double t, const std::vector<double>& q, const std::vector<double>& v) const {
        Point at{Real(t), {}, {}};
        for (const std::size_t from : order_.coordinate) {
            at.q.emplace_back(q[from]);
            at.v.emplace_back(v[from]);
        }
        return at;
    }
    std::size_t place_of(std::size_t actuator) const {
        const std::string& name =
            model_.actuators.empty() ? model_.names[actuator] : model_.actuators[actuator].name;
        return static_cast<std::size_t>(std::ranges::find(mechanism_.actuators(), name) -
                                        mechanism_.actuators().begin());
    }
    static double largest(const Reals& values) {
        double most = 1.0;
        for (const Real& value : values) most = std::max(most, std::abs(value.nearest()));
        return most;
    }
    void limit(double off, double allowed, const std::string& what) {
        if (verdict_.result == Result::failed) return;
        verdict_.error = std::max(verdict_.error, off / allowed);
        verdict_.allowed = 1.0;
        if (off <= allowed) return;
        verdict_.result = Result::failed;
        verdict_.what = what + ", off by " + shortest(Dice::rounded(off));
    }
    void compare_effort(double found, const Reals& expected, std::size_t k, double t) {
        limit(abs(Real(found) - expected[k]).nearest(), effort_part * largest(expected),
              "effort " + std::to_string(k) + " at t = " + shortest(t) + ": found " +
                  shortest(found) + ", expected " + shortest(expected[k].nearest()));
    }

    /// Where nothing is limited or one-sided. One-sided requirements that begin well inside stay
    /// there, by their gains.
    void errors(std::size_t k, double t) {
        const bool limited =
            std::ranges::any_of(model_.actuators, [](const auto& one) { return one.limit > 0.0; });
        for (std::size_t c = 0; c < model_.controls.size() && !limited; ++c) {
            const Model::Control& control = model_.controls[c];
            const double phi = oracle_.error(c).nearest(), rate = oracle_.error_rate(c).nearest();
            if (k == 0) first_.emplace_back(phi, rate);
            const double allowed = 100.0 * std::max(one_.plan.tolerance, 1e-13) *
                                   static_cast<double>(steps_ + 10) *
                                   (1.0 + std::abs(first_[c].first) + std::abs(first_[c].second));
            if (control.one_sided) {
                const bool inside =
                    first_[c].first >= 0.0 &&
                    first_[c].second + control.gain[0] / 2.0 * first_[c].first >= 0.0;
                if (inside)
                    limit(-phi, allowed,
                          "requirement " + control.name + " at t = " + shortest(t) + " is broken");
                continue;
            }
            const double expected = decayed(control.gain, first_[c].first, first_[c].second, t);
            limit(std::abs(phi - expected), allowed,
                  "error of " + control.name + " at t = " + shortest(t) + ": found " +
                      shortest(phi) + ", expected " + shortest(expected));
        }
    }

    const Case& one_;
    const Model& model_;
    const lacon::Mechanism& mechanism_;
    ControlEquations oracle_;
    Order order_;
    Verdict verdict_;
    std::vector<std::pair<double, double>> first_;
    std::size_t steps_ = 0;
};

}  // namespace

Verdict check_control(const Case& one) {
    const Engine engine(varied(one), one.plan);
    if (!engine.mechanism) return {Result::refused, engine.why};
    Control control(one, *engine.mechanism);
    const Verdict start = control.at_start();
    return start.result == Result::agreed ? control.along() : start;
}

}  // namespace hunt
