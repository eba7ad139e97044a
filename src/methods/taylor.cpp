// The Taylor method. With M, Q, A, b as power series along the motion, order k of
//     M q'' = Q + Aᵀ λ,   A q'' = b
// is a constrained problem with the matrices of order 0 and lower orders on the right (theory 7,
// last):
//     M₀ a_k − A₀ᵀ λ_k = Q_k − Σ_{j≥1} M_j a_{k−j} + Σ_{j≥1} A_jᵀ λ_{k−j},   A₀ a_k = b_k − Σ_{j≥1}
//     A_j a_{k−j}.
// A position constraint is used at its own order instead: φ_{k+2} = A₀ q_{k+2} + (φ_{k+2} of the
// lower orders) = 0, and a velocity constraint likewise, φ_{k+1} = 0.
#include <algorithm>
#include <cmath>
#include <limits>

#include "expr/feature.hpp"
#include "methods/methods.hpp"
#include "methods/noise.hpp"
#include "methods/taylor_control.hpp"
#include "methods/taylor_recurrence.hpp"

namespace lacon::inline methods {

namespace {

using Target = Entry::Target;

/// Coefficients of q to order p + 1 and of v, a, λ to order p, p − 1, p − 1: item i has its own at
/// i * stride.
struct TaylorSeries {
    std::vector<double> q, v, a, lambda;
};

/// A feature of the equations (expr/feature.hpp), and where the series of its program are.
struct PlacedFeature {
    Feature feature;
    std::size_t at;
};

/// The motion from a state on as power series, order by order. `field` must outlive it.
class TaylorExpansion {
public:
    TaylorExpansion(DenseField& field, std::size_t order);

    /// False where there is no series.
    bool expand(const Base& base);
    TaylorSeries coefficients;  // of the last expansion

    std::size_t stride() const { return stride_; }
    /// The features that a step might jump over; `work` has the series of their programs.
    std::vector<PlacedFeature> features() const;
    const double* work() const { return work_.data(); }

private:
    void set_inputs(std::size_t element, double* work, std::size_t k, bool unknown) const;
    void look_ahead(std::size_t k);
    void gather(std::size_t k);
    struct Terms;
    void scatter(const Element& element, const SmoothShape& smooth, const double* work,
                 std::size_t k);

    DenseField& field_;
    std::size_t order_;                                   // p
    std::size_t stride_;                                  // p + 2
    std::vector<std::size_t> dynamics_at_, residual_at_;  // of each element, into work_
    std::vector<double> work_;
    double t0_ = 0.0;
    Matrix M_, A_;
    std::vector<double> f_, r_, x_, lambda_;
};

TaylorExpansion::TaylorExpansion(DenseField& field, std::size_t order)
    : field_(field), order_(order), stride_(order + 2) {
    const System& system = field.details.system;
    std::size_t total = 0;
    for (const Element& element : system.elements) {
        const SmoothShape& shape = field.smooth.shapes[element.shape];
        dynamics_at_.push_back(total);
        total += (shape.dynamics_series.slot_count() + 1) * stride_;
        residual_at_.push_back(total);
        if (shape.own_order) total += (shape.residual_series.slot_count() + 1) * stride_;
    }
    work_.assign(total, 0.0);
    for (auto* x : {&coefficients.q, &coefficients.v, &coefficients.a})
        x->assign(field.n() * stride_, 0.0);
    coefficients.lambda.assign(field.m() * stride_, 0.0);
    M_ = Matrix(field.n(), field.n());
    A_ = Matrix(field.m(), field.n());
    f_.resize(field.n());
    x_.resize(field.n());
    r_.resize(field.m());
    lambda_.resize(field.m());
}

std::vector<PlacedFeature> TaylorExpansion::features() const {
    std::vector<PlacedFeature> features;
    const System& system = field_.details.system;
    for (std::size_t e = 0; e < system.elements.size(); ++e) {
        const SmoothShape& shape = field_.smooth.shapes[system.elements[e].shape];
        const auto add = [&](const SeriesProgram& program, std::size_t at) {
            for (const Feature& feature : features_of(program))
                if (hides(feature.kind) && feature.kind != Feature::Kind::signal)
                    features.push_back({feature, at});
        };
        add(shape.dynamics_series, dynamics_at_[e]);
        if (shape.own_order) add(shape.residual_series, residual_at_[e]);
    }
    return features;
}

/// Order k of an element's inputs; where it is `unknown` yet, zero in its place.
void TaylorExpansion::set_inputs(std::size_t number, double* work, std::size_t k,
                                 bool unknown) const {
    const System& system = field_.details.system;
    const Element& element = system.elements[number];
    const Shape& shape = system.shapes[element.shape];
    const std::uint32_t* leaf = system.leaves.data() + element.leaves;
    const std::size_t c = shape.coordinates;
    const bool q_unknown = unknown && shape.level == Level::position, v_unknown = unknown;
    for (std::size_t i = 0; i < c; ++i)
        work[i * stride_ + k] = q_unknown ? 0.0 : coefficients.q[leaf[i] * stride_ + k];
    if (k <= order_)
        for (std::size_t i = 0; i < c; ++i)
            work[(c + i) * stride_ + k] = v_unknown ? 0.0 : coefficients.v[leaf[i] * stride_ + k];
    work[2 * c * stride_ + k] = k == 0 ? t0_ : k == 1 ? 1.0 : 0.0;
    if (k > 0) return;
    for (std::size_t i = 0; i < shape.parameters; ++i)
        work[(2 * c + 1 + i) * stride_] = field_.details.parameters[leaf[c + i]];
    const std::size_t first = field_.smooth.first_branch[number],
                      branches = field_.smooth.shapes[element.shape].decisions.size();
    for (std::size_t i = 0; i < branches; ++i)
        work[(2 * c + 1 + shape.parameters + i) * stride_] = field_.assembler.branches[first + i];
}

/// The rows used at their own order: r_i from φ of order k + 2 (position) or k + 1 (velocity)
/// without its leading term.
void TaylorExpansion::look_ahead(std::size_t k) {
    const System& system = field_.details.system;
    for (std::size_t e = 0; e < system.elements.size(); ++e) {
        const Element& element = system.elements[e];
        const SmoothShape& shape = field_.smooth.shapes[element.shape];
        if (!shape.own_order) continue;
        double* work = work_.data() + residual_at_[e];
        const std::size_t ahead = system.shapes[element.shape].level == Level::position ? 2 : 1;
        for (std::size_t order = k == 0 ? 0 : k + ahead - 1; order < k + ahead;
             ++order) {  // now known
            set_inputs(e, work, order, false);
            shape.residual_series.order(order, work, stride_);
        }
        set_inputs(e, work, k + ahead, true);
        shape.residual_series.order(k + ahead, work, stride_);
        const double phi = shape.residual_series.is_constant(0)
                               ? 0.0
                               : work[shape.residual_series.slot(0) * stride_ + k + ahead];
        const auto k1 = static_cast<double>(k + 1);
        r_[static_cast<std::size_t>(element.row)] = -phi * (ahead == 2 ? k1 * (k1 + 1.0) : k1);
    }
}

/// An element's part of the right-hand sides, for add_order.
struct TaylorExpansion::Terms {
    TaylorExpansion& all;
    std::size_t k, row;
    const std::uint32_t* leaf;
    const double* series;  // of the entry

    double term() const { return series[k]; }
    double acceleration(std::uint32_t j) const {
        return lower(all.coefficients.a.data() + leaf[j] * all.stride_);
    }
    double multiplier() const { return lower(all.coefficients.lambda.data() + row * all.stride_); }
    void to_force(std::uint32_t i, int sign, double x) { all.f_[leaf[i]] += sign * x; }
    void to_row(int sign, double x) { all.r_[row] += sign * x; }

private:
    double lower(const double* other) const {  // Σ_{j≥1} series_j other_{k−j}
        double sum = 0.0;
        for (std::size_t j = 1; j <= k; ++j) sum += series[j] * other[k - j];
        return sum;
    }
};

/// Adds an element's part of order k; at order 0 it also fills M₀ and A₀.
void TaylorExpansion::scatter(const Element& element, const SmoothShape& smooth, const double* work,
                              std::size_t k) {
    const std::uint32_t* leaf = field_.details.system.leaves.data() + element.leaves;
    const auto row = static_cast<std::size_t>(element.row);
    for (std::size_t o = 0; o < smooth.series_entries.size(); ++o) {
        const Entry entry = smooth.series_entries[o];
        const double* series = work + smooth.dynamics_series.slot(o) * stride_;
        if (k == 0 && is_of_matrix(entry.target)) {
            const std::size_t i = leaf[entry.i], j = leaf[entry.j];
            if (entry.target == Target::row) {
                A_(row, j) += series[0];
                continue;
            }
            M_(i, j) += series[0];
            if (entry.target == Target::mass && i != j) M_(j, i) += series[0];
        } else if (k == 0 || !smooth.dynamics_series.is_constant(o)) {
            add_order(entry, smooth.own_order, Terms{*this, k, row, leaf, series});
        }
    }
}

void TaylorExpansion::gather(std::size_t k) {
    std::fill(f_.begin(), f_.end(), 0.0);
    std::fill(r_.begin(), r_.end(), 0.0);
    if (k == 0) {
        std::fill(M_.data(), M_.data() + M_.rows() * M_.cols(), 0.0);
        std::fill(A_.data(), A_.data() + A_.rows() * A_.cols(), 0.0);
    }
    look_ahead(k);
    const System& system = field_.details.system;
    for (std::size_t e = 0; e < system.elements.size(); ++e) {
        const SmoothShape& shape = field_.smooth.shapes[system.elements[e].shape];
        double* work = work_.data() + dynamics_at_[e];
        set_inputs(e, work, k, false);
        shape.dynamics_series.order(k, work, stride_);
        scatter(system.elements[e], shape, work, k);
    }
}

bool TaylorExpansion::expand(const Base& base) {
    const std::size_t n = field_.n(), m = field_.m();
    t0_ = base.time.now();
    for (std::size_t i = 0; i < n; ++i) {
        coefficients.q[i * stride_] = base.state.q[i];
        coefficients.v[i * stride_] = coefficients.q[i * stride_ + 1] = base.state.v[i];
    }
    ++field_.counters.evaluations;
    for (std::size_t k = 0; k < order_; ++k) {
        gather(k);
        dense(base.projector).factor().solve({M_, A_, 1}, f_, r_, x_, lambda_);
        const auto k1 = static_cast<double>(k + 1);
        for (std::size_t i = 0; i < n; ++i) {
            coefficients.a[i * stride_ + k] = x_[i];
            coefficients.v[i * stride_ + k + 1] = x_[i] / k1;
            coefficients.q[i * stride_ + k + 2] = x_[i] / (k1 * (k1 + 1.0));
            if (!std::isfinite(x_[i])) return false;
        }
        for (std::size_t i = 0; i < m; ++i) coefficients.lambda[i * stride_ + k] = lambda_[i];
    }
    return true;
}

class Taylor : public Method {
public:
    Taylor(DenseField& field, const MethodOptions& options)
        : field_(field),
          control_(options.tolerance, options.series_tolerance),
          next_(field, control_.order),
          features_(next_.features()),
          now_(next_.coefficients) {}

    bool begin(const Base& base, bool fresh) override;
    bool advance(double limit) override;
    double reach() const override { return std::max(length_, reach_); }
    double clear() const override { return std::min(clear_, length_); }
    std::size_t adaptive_order() const override { return control_.order; }
    bool lacks_series() const override { return lacks_series_; }
    void at(double tau, State& out) const override;

private:
    bool continues(const Base& base) const;
    bool is_noise(const Base& base);
    double order_size(std::size_t k) const;
    double radius(std::size_t from, std::size_t to) const;
    double clear_length() const;

    DenseField& field_;
    TaylorControl control_;
    TaylorExpansion next_;  // where the next step begins
    std::vector<PlacedFeature> features_;
    TaylorSeries now_;  // of the last step
    bool taken_up_ = true, lacks_series_ = false;
    double usual_ = 0.0, reach_ = 0.0, clear_ = 0.0;
    Clock begin_, next_begin_;
};

/// Whether the acceleration at the end of the last step is the one that the step's own polynomial
/// promised.
bool Taylor::continues(const Base& base) const {
    const double h = base.time.since(begin_);
    if (h > 1.0001 * usual_)
        return true;  // over a singular position the highest orders promise nothing
    for (std::size_t i = 0; i < field_.n(); ++i) {
        const double* a = now_.a.data() + i * next_.stride();
        const auto promise =
            TaylorControl::promise(control_.order, h, [&](std::size_t k) { return a[k]; });
        const double found = next_.coefficients.a[i * next_.stride()];
        const double allowed =
            promise.allowed(found, control_.tolerance / h, error_scale(base.state.v[i]));
        const double noise =
            field_.noise.empty() ? 0.0 : TaylorControl::noise_slack * field_.noise[field_.n() + i];
        if (std::abs(found - promise.value) > allowed + noise) return false;
    }
    return true;
}

/// Whether what a step lacks to `continues` is rounding: then the noise is known from here on.
bool Taylor::is_noise(const Base& base) {
    std::vector<double> noise = measure_noise(field_, base.state);
    std::swap(noise, field_.noise);
    if (continues(base)) return true;
    std::swap(noise, field_.noise);
    return false;
}

bool Taylor::begin(const Base& base, bool fresh) {
    lacks_series_ = !next_.expand(base);
    if (lacks_series_) return false;
    if (!fresh && !continues(base) && !is_noise(base)) {
        ++rejected;
        return false;
    }
    next_begin_ = base.time;
    taken_up_ = false;
    return true;
}

/// The largest coefficient of order k, each by its error scale.
double Taylor::order_size(std::size_t k) const {
    double size = 0.0;
    for (std::size_t i = 0; i < field_.n(); ++i) {
        const double* q = now_.q.data() + i * next_.stride();
        const double* v = now_.v.data() + i * next_.stride();
        size = std::max(
            {size, std::abs(q[k]) / error_scale(q[0]), std::abs(v[k]) / error_scale(v[0])});
    }
    return size;
}

/// How far the series reaches, as |x_k| ~ 1/R^k: the smallest R that the orders `from` … `to` tell.
double Taylor::radius(std::size_t from, std::size_t to) const {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t k = from; k <= to; ++k) {
        const double size = order_size(k);
        if (size > 0.0)
            smallest = std::min(smallest, std::pow(size, -1.0 / static_cast<double>(k)));
    }
    return smallest;
}

/// How far every operand of a feature stays within reach of its series. The highest orders of rows
/// are not complete, and not needed.
double Taylor::clear_length() const {
    double length = length_;
    for (const auto& [feature, at] : features_) {
        const double* series = next_.work() + at + feature.operand * next_.stride();
        const double exponent = feature.known != 0.0
                                    ? feature.known
                                    : next_.work()[at + feature.exponent * next_.stride()];
        length = length_within({series, control_.order}, 1,
                               reach_of(feature.kind, series[0], exponent, control_.order), length);
    }
    return length;
}

bool Taylor::advance(double limit) {
    if (!taken_up_) {  // only now is the last step over
        std::swap(now_, next_.coefficients);
        begin_ = next_begin_;
    }
    taken_up_ = true;
    const auto sizes = control_.sizes([&](std::size_t k) { return order_size(k); });
    length_ = usual_ = std::min(control_.length(sizes), limit);
    clear_ = clear_length();

    // Near a singular position the high orders are amplified rounding, across the constraints,
    // while the middle ones still tell how far the motion itself reaches: |x_k| ~ C / R^k gives h =
    // R (tolerance / C)^(1/p). What projection takes back leaves its square behind.
    const std::size_t middle = control_.order / 2;
    double far = radius(middle - 1, middle) *
                 std::pow(control_.tolerance, 1.0 / static_cast<double>(control_.order));
    for (std::size_t i = 0; i < sizes.size();
         ++i)  // more than two of them: rounding may leave some of them zero
        if (sizes[i] > 0.0)
            far = std::min(far, std::pow(0.1 * std::sqrt(control_.tolerance) / sizes[i],
                                         1.0 / static_cast<double>(control_.first_size() + i)));
    reach_ = std::min(far, limit);
    return length_ > 0.0;
}

void Taylor::at(double tau, State& out) const {
    const std::size_t n = field_.n();
    out.q.resize(n);
    out.v.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double* q = now_.q.data() + i * next_.stride();
        const double* v = now_.v.data() + i * next_.stride();
        double position = q[control_.order + 1], speed = v[control_.order];
        for (std::size_t k = control_.order + 1; k-- > 0;) position = position * tau + q[k];
        for (std::size_t k = control_.order; k-- > 0;) speed = speed * tau + v[k];
        out.q[i] = position;
        out.v[i] = speed;
    }
}

}  // namespace

std::unique_ptr<Method> make_taylor(DenseField& field, const MethodOptions& options) {
    return std::make_unique<Taylor>(field, options);
}

}  // namespace lacon::methods
