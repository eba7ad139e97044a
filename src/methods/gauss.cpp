// Gauss–Legendre collocation with three stages (order 6, symmetric, symplectic for unconstrained
// systems) with symmetric projection (Hairer, Lubich, Wanner: Geometric Numerical Integration,
// V.4): with the same push μ along the constraints before and after,
//     ỹ₀ = y₀ + M⁻¹Aᵀ(y₀) μ,   ỹ₁ = Φ_h(ỹ₀),   y₁ = ỹ₁ + M⁻¹Aᵀ(y₁) μ,   φ(y₁) = 0.
// The step is the same forwards and backwards in time, so that energy does not drift over very long
// runs. For constraints on positions; with others in the model, the driver's projection alone
// brings the end back.
#include <algorithm>
#include <array>
#include <cmath>

#include "methods/methods.hpp"
#include "methods/noise.hpp"

namespace lacon::inline methods {

namespace {

constexpr std::size_t stages = 3;
const double root15 = std::sqrt(15.0);
const std::array<std::array<double, stages>, stages> tableau_a{{
    {5.0 / 36, 2.0 / 9 - root15 / 15, 5.0 / 36 - root15 / 30},
    {5.0 / 36 + root15 / 24, 2.0 / 9, 5.0 / 36 - root15 / 24},
    {5.0 / 36 + root15 / 30, 2.0 / 9 + root15 / 15, 5.0 / 36},
}};
const std::array<double, stages> tableau_b{5.0 / 18, 4.0 / 9, 5.0 / 18};
const std::array<double, stages> tableau_c{0.5 - root15 / 10, 0.5, 0.5 + root15 / 10};

class Gauss : public Method {
public:
    Gauss(DenseField& field, const MethodOptions& options, bool projects)
        : field_(field), step_(options.step), end_projector_(field, false) {
        const auto& levels = field.details.system.levels;
        const auto& stabilized = field.details.system.stabilized;
        symmetric_ = projects && !levels.empty() &&
                     std::all_of(levels.begin(), levels.end(),
                                 [](Level l) { return l == Level::position; }) &&
                     std::none_of(stabilized.begin(), stabilized.end(), [](bool s) { return s; });
        for (auto& k : slopes_) k.resize(field.n());
        push_q_.assign(field.m(), 0.0);
        push_v_ = push_q_;
    }

    bool begin(const Base& base, bool) override {
        next_ = &base;
        next_a_.resize(field_.n());
        State state = base.state;
        return field_.acceleration(state, next_a_);
    }

    bool advance(double limit) override {
        if (next_) {
            from_ = {next_->time, next_->state, next_a_, &dense(next_->projector)};
            next_ = nullptr;
        }
        has_end_slope_ = false;
        // A last step of less than 1e-3 would be all rounding: the one before is stretched over it.
        length_ = limit - step_ < 1e-3 * step_ ? limit : step_;
        for (auto& k : slopes_) k = from_.a;
        std::fill(push_q_.begin(), push_q_.end(), 0.0);
        std::fill(push_v_.begin(), push_v_.end(), 0.0);
        return symmetric_ ? symmetric_step() : collocate(from_.state, y1_);
    }

    void at(double tau, State& out) const override {
        if (tau == length_) {
            out.q = y1_.q;
            out.v = y1_.v;
            return;
        }
        if (!has_end_slope_) {
            a1_.resize(field_.n());
            field_.acceleration(y1_, a1_);
            has_end_slope_ = true;
        }
        // Quintic through q, q', q'' at both ends; the velocity is its derivative.
        const std::size_t n = field_.n();
        const double h = length_, s = tau / h;
        out.q.resize(n);
        out.v.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double d0 = h * from_.state.v[i], d1 = h * y1_.v[i], e0 = h * h * from_.a[i],
                         e1 = h * h * a1_[i];
            const double rise = y1_.q[i] - from_.state.q[i];
            const double c3 = 10.0 * rise - 6.0 * d0 - 4.0 * d1 - 1.5 * e0 + 0.5 * e1;
            const double c4 = -15.0 * rise + 8.0 * d0 + 7.0 * d1 + 1.5 * e0 - e1;
            const double c5 = 6.0 * rise - 3.0 * (d0 + d1) - 0.5 * (e0 - e1);
            out.q[i] = from_.state.q[i] + s * (d0 + s * (0.5 * e0 + s * (c3 + s * (c4 + s * c5))));
            out.v[i] = (d0 + s * (e0 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h;
        }
    }

private:
    /// Φ_h: the stages by repeated substitution, from the slopes of the last try on.
    bool collocate(const State& from, State& to) {
        const std::size_t n = field_.n();
        const double h = length_;
        State stage;
        stage.q.resize(n);
        stage.v.resize(n);
        std::vector<double> fresh(n);
        constexpr int most_rounds = 100;
        double last = 1e300;
        bool settled = false;
        for (int round = 0; round < most_rounds && !settled; ++round) {
            double change = 0.0, size = 0.0;
            for (std::size_t s = 0; s < stages; ++s) {
                for (std::size_t i = 0; i < n; ++i) {
                    // q' at the stages is v, itself collocated: q = q₀ + c h v₀ + h² Σ (a²)_sj K_j.
                    double dv = 0.0, dq = 0.0;
                    for (std::size_t j = 0; j < stages; ++j) {
                        dv += tableau_a[s][j] * slopes_[j][i];
                        double inner = 0.0;
                        for (std::size_t l = 0; l < stages; ++l)
                            inner += tableau_a[j][l] * slopes_[l][i];
                        dq += tableau_a[s][j] * inner;
                    }
                    stage.v[i] = from.v[i] + h * dv;
                    stage.q[i] = from.q[i] + h * (tableau_c[s] * from.v[i] + h * dq);
                }
                stage.t = from_.time.after(tableau_c[s] * h).now();
                if (!field_.acceleration(stage, fresh)) return false;
                for (std::size_t i = 0; i < n; ++i) {
                    change = std::max(change, std::abs(fresh[i] - slopes_[s][i]));
                    size = std::max(size, std::abs(fresh[i]));
                }
                slopes_[s] = fresh;
            }
            // To the last places (1e-15), or as far as the iteration goes: below 1e-12 it may stop
            // falling by rounding. The symmetry of the method needs both stages to that.
            settled = change <= 1e-15 * size || (change <= 1e-12 * size && change >= 0.5 * last);
            if (!settled && round > 3 && change >= 0.5 * last) settled = is_noise(from, change);
            if (!std::isfinite(change) || (round > 20 && change > 2.0 * last)) return false;
            last = change;
        }
        if (!settled) return false;
        to = from;
        for (std::size_t i = 0; i < n; ++i) {
            double dv = 0.0, dq = 0.0;
            for (std::size_t s = 0; s < stages; ++s) {
                dv += tableau_b[s] * slopes_[s][i];
                dq += tableau_b[s] * (1.0 - tableau_c[s]) * slopes_[s][i];
            }
            to.v[i] = from.v[i] + h * dv;
            to.q[i] = from.q[i] + h * (from.v[i] + h * dq);
        }
        to.t = from_.time.after(h).now();
        return true;
    }

    /// Whether accelerations that no longer settle do so by rounding alone. It is measured once a
    /// step at most.
    bool is_noise(const State& at, double change) {
        if (noise_begin_ != from_.time.now()) {
            field_.noise = measure_noise(field_, at);
            noise_begin_ = from_.time.now();
        }
        // The noise is a usual size, not a bound: ten times it is still noise. Not critical.
        constexpr double slack = 10.0;
        const auto first = field_.noise.begin() + static_cast<std::ptrdiff_t>(field_.n());
        return change <= slack * *std::max_element(first, field_.noise.end());
    }

    bool symmetric_step() {
        const std::size_t n = field_.n(), m = field_.m();
        std::vector<double> x(n), lambda(m), right(m), zero(n, 0.0);
        Residuals residuals;
        constexpr int most_rounds = 12;
        double last = 1e300;
        for (int round = 0; round < most_rounds; ++round) {
            State from = from_.state;
            from_.projector->factor().push(push_q_, x);
            for (std::size_t i = 0; i < n; ++i) from.q[i] += x[i];
            from_.projector->factor().push(push_v_, x);
            for (std::size_t i = 0; i < n; ++i) from.v[i] += x[i];
            if (!collocate(from, y1_)) return false;
            State unmoved = y1_;
            if (end_projector_.project(unmoved) != Outcome::ok) return false;
            const ConstrainedFactor& end = end_projector_.factor();
            end.push(push_q_, x);
            for (std::size_t i = 0; i < n; ++i) y1_.q[i] += x[i];
            end.push(push_v_, x);
            for (std::size_t i = 0; i < n; ++i) y1_.v[i] += x[i];
            field_.assembler.residuals(y1_, residuals);
            double worst = 0.0;
            const auto correct = [&](const std::vector<double>& r, std::vector<double>& push) {
                for (std::size_t i = 0; i < m; ++i) {
                    right[i] = -0.5 * r[i];
                    worst = std::max(worst, std::abs(r[i]));
                }
                end.solve(zero, right, x, lambda);
                for (std::size_t i = 0; i < m; ++i) push[i] += lambda[i];
            };
            correct(residuals.value, push_q_);
            correct(residuals.velocity, push_v_);
            if (!(worst < 0.3 * last)) break;  // rounding is reached
            last = worst;
        }
        return true;
    }

    DenseField& field_;
    double step_;
    bool symmetric_ = false;
    DenseProjector end_projector_;
    const Base* next_ = nullptr;
    std::vector<double> next_a_;
    /// Where the step begins.
    struct {
        Clock time;
        State state;
        std::vector<double> a;  // acceleration
        const DenseProjector* projector = nullptr;
    } from_;
    State y1_;  // where it ends
    std::vector<double> push_q_, push_v_;
    std::array<std::vector<double>, stages> slopes_;
    mutable std::vector<double> a1_;
    mutable bool has_end_slope_ = false;
    double noise_begin_ = -INFINITY;  // when noise was last measured
};

}  // namespace

std::unique_ptr<Method> make_gauss(DenseField& field, const MethodOptions& options, bool projects) {
    return std::make_unique<Gauss>(field, options, projects);
}

}  // namespace lacon::methods
