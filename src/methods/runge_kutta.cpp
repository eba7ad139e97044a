// Explicit Runge–Kutta methods for y = (q, q'), y' = (q', q''): the step, its error and its
// interpolant from a Tableau.
#include <algorithm>
#include <cmath>

#include "methods/methods.hpp"
#include "methods/step_control.hpp"

namespace lacon::inline methods {

namespace {

class RungeKutta : public Method {
public:
    RungeKutta(const Tableau& tableau, DenseField& field, const MethodOptions& options)
        : tableau_(tableau),
          field_(field),
          options_(options),
          size_(2 * field.n()),
          slopes_(tableau.all_stages) {
        for (auto& slope : slopes_) slope.resize(size_);
        y_.resize(size_);
        next_.y = next_.slope = end_ = y_;
        state_.q.resize(field.n());
        state_.v.resize(field.n());
    }

    bool begin(const Base& base, bool fresh) override {
        std::copy(base.state.q.begin(), base.state.q.end(), next_.y.begin());
        std::copy(base.state.v.begin(), base.state.v.end(),
                  next_.y.begin() + static_cast<std::ptrdiff_t>(field_.n()));
        next_.time = base.time;
        if (!slope_at(base.time.now(), next_.y, next_.slope)) return false;
        if (fresh) {
            control_.step = is_fixed() ? options_.step : first_step();
            control_.last_error = 1.0;
        }
        taken_up_ = false;
        return true;
    }

    bool advance(double limit) override {
        if (!taken_up_) take_up();
        interpolates_ = false;
        for (;;) {
            const double h = std::min(control_.step, limit);
            // A last step of almost nothing would be all rounding: the one before is stretched over
            // it.
            length_ = limit - h < 1e-3 * h && is_fixed() ? limit : h;
            if (!(begin_.after(length_).since(begin_) > 0.0)) return false;
            whole_ = length_;
            const bool defined = try_step(length_);
            if (is_fixed()) return defined;
            // 1e30: larger than any error, so that the step is rejected and becomes a tenth.
            double error = defined ? error_size() : 1e30;
            while (defined && !(error <= 1.0) && learns_noise()) error = error_size();
            if (error <= 1.0) {
                control_.accept(length_, error, tableau_.order);
                return true;
            }
            ++rejected;
            control_.reject(length_, error, tableau_.order);
        }
    }

    bool retrace(const Base& base, double length) override {
        const StepControl kept = control_;
        if (!begin(base, false)) return false;
        take_up();
        interpolates_ = false;
        length_ = whole_ = length;
        control_ = kept;
        return try_step(length);
    }

    void at(double tau, State& out) const override {
        const std::size_t n = field_.n();
        out.q.resize(n);
        out.v.resize(n);
        if (tau == whole_) {
            std::copy_n(end_.begin(), n, out.q.begin());
            std::copy_n(end_.begin() + static_cast<std::ptrdiff_t>(n), n, out.v.begin());
            return;
        }
        complete_interpolant();
        const double theta = tau / whole_;
        for (std::size_t i = 0; i < size_; ++i) {
            double sum = 0.0;
            for (std::size_t j = tableau_.degree; j-- > 0;)
                sum = (sum + powers_[i * tableau_.degree + j]) * theta;
            (i < n ? out.q[i] : out.v[i - n]) = y_[i] + whole_ * sum;
        }
    }

    bool can_retake() const override { return true; }
    std::size_t adaptive_order() const override {
        return is_fixed() ? 0 : static_cast<std::size_t>(tableau_.order);
    }

    std::vector<double> memory() const override { return control_.memory(); }
    void recall(const std::vector<double>& memory) override {
        control_ = StepControl::recalled(memory);
    }

private:
    using Vector = std::vector<double>;
    bool is_fixed() const { return tableau_.e.empty(); }

    bool slope_at(double t, const Vector& y, Vector& slope) const {
        const std::size_t n = field_.n();
        std::copy_n(y.begin(), n, state_.q.begin());
        std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n), n, state_.v.begin());
        state_.t = t;
        std::copy_n(state_.v.begin(), n, slope.begin());
        return field_.acceleration(state_, std::span(slope).subspan(n));
    }

    bool stage(std::size_t s, double h) const {
        Vector& y = stage_y_;
        y = y_;
        for (std::size_t j = 0; j < s; ++j) {
            const double a = h * tableau_.a_at(s, j);
            if (a == 0.0) continue;
            for (std::size_t i = 0; i < size_; ++i) y[i] += a * slopes_[j][i];
        }
        return slope_at(begin_.after(tableau_.c[s] * h).now(), y, slopes_[s]);
    }

    bool try_step(double h) {
        for (std::size_t s = 1; s < tableau_.stages; ++s)
            if (!stage(s, h)) return false;
        for (std::size_t i = 0; i < size_; ++i) {
            double sum = 0.0;
            for (std::size_t s = 0; s < tableau_.stages; ++s) sum += tableau_.b[s] * slopes_[s][i];
            end_[i] = y_[i] + h * sum;
            if (!std::isfinite(end_[i])) return false;
        }
        return is_fixed() || slope_at(begin_.after(h).now(), end_, slopes_[tableau_.stages]);
    }

    double estimate(std::span<const double> weights, std::size_t i) const {
        double sum = 0.0;
        for (std::size_t s = 0; s < weights.size(); ++s) sum += weights[s] * slopes_[s][i];
        return sum;
    }

    /// What rounding may have added to the estimate. The stages of q' have that of q'' within them.
    double noise_in(std::size_t i) const {
        if (field_.noise.empty()) return 0.0;
        const double gain = tableau_.noise_gain(),
                     within = i < field_.n() ? gain * field_.noise[i + field_.n()] : 0.0;
        return length_ * (gain * field_.noise[i] + length_ * within);
    }

    /// The largest error over its tolerance.
    double error_size() const {
        double worst = 0.0;
        for (std::size_t i = 0; i < size_; ++i) {
            double scale = options_.tolerance * std::max(error_scale(y_[i]), error_scale(end_[i]));
            scale += noise_share * noise_in(i);
            const double e = std::abs(estimate(tableau_.e, i)) * length_ / scale;
            double error = e;
            if (!tableau_.e3.empty() && e > 0.0) {
                const double e3 = std::abs(estimate(tableau_.e3, i)) * length_ / scale;
                // Hairer's combination of the two estimates of dop853 (Hairer, Nørsett, Wanner I,
                // II.10).
                error = e * e / std::hypot(e, 0.1 * e3);
            }
            if (!(error <= worst)) worst = error;
        }
        return worst;
    }

    bool learns_noise() {
        const auto at = [&](const Vector& y, double t) {
            const auto middle = y.begin() + static_cast<std::ptrdiff_t>(field_.n());
            return State{t, {y.begin(), middle}, {middle, y.end()}};
        };
        return field_.noise_asked &&
               field_.learns_noise(at(y_, begin_.now()), at(end_, begin_.after(length_).now()));
    }

    /// Hairer's rule: a step whose first two derivatives change y by about 1 % of its scale,
    /// brought to the order.
    double first_step() {
        double d0 = 0.0, d1 = 0.0, d2 = 0.0;
        for (std::size_t i = 0; i < size_; ++i) {
            d0 = std::max(d0, std::abs(next_.y[i]) / error_scale(next_.y[i]));
            d1 = std::max(d1, std::abs(next_.slope[i]) / error_scale(next_.y[i]));
        }
        const double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
        Vector y = next_.y, slope(size_);
        for (std::size_t i = 0; i < size_; ++i) y[i] += h0 * next_.slope[i];
        if (!slope_at(next_.time.after(h0).now(), y, slope)) return 1e-3 * h0;
        for (std::size_t i = 0; i < size_; ++i)
            d2 = std::max(d2, std::abs(slope[i] - next_.slope[i]) / error_scale(next_.y[i]) / h0);
        const double rate = std::max(d1, d2);
        const double h1 = rate <= 1e-15 ? std::max(1e-6, 1e-3 * h0)
                                        : std::pow(0.01 * options_.tolerance / rate,
                                                   1.0 / (tableau_.order + 1.0));
        return std::min(100.0 * h0, std::max(h1, 1e-12));
    }

    /// The stages that only the interpolant needs, on first use.
    void complete_interpolant() const {
        if (interpolates_) return;
        const std::size_t first = is_fixed() ? tableau_.stages : tableau_.stages + 1;
        if (is_fixed()) slope_at(begin_.after(whole_).now(), end_, slopes_[first]);
        for (std::size_t s = is_fixed() ? first + 1 : first; s < tableau_.all_stages; ++s)
            stage(s, whole_);
        powers_.assign(size_ * tableau_.degree, 0.0);
        for (std::size_t s = 0; s < tableau_.all_stages; ++s)
            for (std::size_t i = 0; i < size_; ++i)
                for (std::size_t j = 0; j < tableau_.degree; ++j)
                    powers_[i * tableau_.degree + j] +=
                        slopes_[s][i] * tableau_.p[s * tableau_.degree + j];
        interpolates_ = true;
    }

    /// Where a step begins: y = (q, q') and its slope.
    struct Beginning {
        Vector y, slope;
        Clock time;
    };
    /// The next step begins there: only now is the last one over.
    void take_up() {
        y_ = next_.y;
        slopes_[0] = next_.slope;
        begin_ = next_.time;
        taken_up_ = true;
    }

    const Tableau& tableau_;
    DenseField& field_;
    MethodOptions options_;
    std::size_t size_;
    // K of each stage; the interpolant's are filled when asked for.
    mutable std::vector<Vector> slopes_;
    mutable Vector powers_;  // of the interpolant (2n × degree); a step is looked into often
    Vector y_, end_;
    Clock begin_;
    Beginning next_;
    StepControl control_;
    bool taken_up_ = true;
    mutable bool interpolates_ = false;
    double whole_ = 0.0;  // the step as it was taken, wherever it is made to end
    mutable State state_;
    mutable Vector stage_y_;
};

}  // namespace

std::unique_ptr<Method> make_runge_kutta(const Tableau& tableau, DenseField& field,
                                         const MethodOptions& options) {
    return std::make_unique<RungeKutta>(tableau, field, options);
}

}  // namespace lacon::methods
