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
#include "methods/taylor_recurrence.hpp"
#include "methods/taylor_steps.hpp"

namespace lacon::inline methods {

namespace {

using Target = Entry::Target;

/// Coefficients of q to order p + 1 and of v, a, λ to order p, p − 1, p − 1: item i has its own at
/// i * stride.
struct TaylorSeries {
    std::vector<double> q, v, a, lambda;
};

/// Order k of coordinate i, for largest_of_order and keeps_promise.
struct TaylorOrders {
    const TaylorSeries& series;
    std::size_t stride;
    double q(std::size_t k, std::size_t i) const { return series.q[i * stride + k]; }
    double v(std::size_t k, std::size_t i) const { return series.v[i * stride + k]; }
    double a(std::size_t k, std::size_t i) const { return series.a[i * stride + k]; }
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
    void look_ahead_at(std::size_t k);
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
void TaylorExpansion::look_ahead_at(std::size_t k) {
    const System& system = field_.details.system;
    for (std::size_t e = 0; e < system.elements.size(); ++e) {
        const Element& element = system.elements[e];
        const SmoothShape& shape = field_.smooth.shapes[element.shape];
        if (!shape.own_order) continue;
        double* work = work_.data() + residual_at_[e];
        const std::size_t ahead = orders_ahead(system.shapes[element.shape].level);
        look_ahead(k, ahead, [&](std::size_t order, bool unknown) {
            set_inputs(e, work, order, unknown);
            shape.residual_series.order(order, work, stride_);
        });
        const double phi = shape.residual_series.is_constant(0)
                               ? 0.0
                               : work[shape.residual_series.slot(0) * stride_ + k + ahead];
        r_[static_cast<std::size_t>(element.row)] = -phi * leading_factor(ahead, k);
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
    look_ahead_at(k);
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
    const auto gathered = [&](std::size_t k) {
        gather(k);
        return true;
    };
    const auto solve = [&](std::size_t) {
        dense(base.projector).factor().solve({M_, A_, 1}, f_, r_, x_, lambda_);
    };
    const auto keep = [&](std::size_t k) {
        const auto k1 = static_cast<double>(k + 1);
        for (std::size_t i = 0; i < n; ++i) {
            coefficients.a[i * stride_ + k] = x_[i];
            coefficients.v[i * stride_ + k + 1] = x_[i] / k1;
            coefficients.q[i * stride_ + k + 2] = x_[i] / (k1 * (k1 + 1.0));
            if (!std::isfinite(x_[i])) return false;
        }
        for (std::size_t i = 0; i < m; ++i) coefficients.lambda[i * stride_ + k] = lambda_[i];
        return true;
    };
    return each_order(order_, gathered, solve, keep);
}

class Taylor final : public TaylorSteps {
public:
    Taylor(DenseField& field, const MethodOptions& options)
        : field_(field),
          control_(options.tolerance, options.series_tolerance),
          next_(field, control_.order),
          features_(next_.features()),
          now_(next_.coefficients) {}

    double reach() const override { return std::max(length_, reach_); }
    double clear() const override { return std::min(clear_, length_); }
    std::size_t adaptive_order() const override { return control_.order; }
    void at(double tau, State& out) const override;

private:
    Expansion expand(const Base& base) override {
        return next_.expand(base) ? Expansion::found : Expansion::lacking;
    }
    bool continues(const Base& base, double h) override;
    void take() override { std::swap(now_, next_.coefficients); }
    void choose_length(double limit) override;

    TaylorOrders orders() const { return {now_, next_.stride()}; }
    bool promised(const Base& base, double h) const;
    double radius(std::size_t from, std::size_t to) const;
    double clear_length() const;

    DenseField& field_;
    TaylorControl control_;
    TaylorExpansion next_;  // where the next step begins
    std::vector<PlacedFeature> features_;
    TaylorSeries now_;  // of the last step
    double usual_ = 0.0, reach_ = 0.0, clear_ = 0.0;
};

bool Taylor::promised(const Base& base, double h) const {
    const std::span<const double> noise(field_.noise);
    return keeps_promise(control_, orders(),
                         {base.state.v, h, noise.empty() ? noise : noise.subspan(field_.n())},
                         [&](std::size_t i) { return next_.coefficients.a[i * next_.stride()]; });
}

/// A step that lacks no more than rounding goes on too: the noise is known from here on.
bool Taylor::continues(const Base& base, double h) {
    // A step over a singular position is longer than usual, and there the highest orders promise
    // nothing. 1e-4 is far above the rounding of times, and not critical.
    if (h > 1.0001 * usual_ || promised(base, h)) return true;
    std::vector<double> noise = measure_noise(field_, base.state);
    std::swap(noise, field_.noise);
    if (promised(base, h)) return true;
    std::swap(noise, field_.noise);
    return false;
}

/// How far the series reaches, as |x_k| ~ 1/R^k: the smallest R that the orders `from` … `to` tell.
double Taylor::radius(std::size_t from, std::size_t to) const {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t k = from; k <= to; ++k) {
        const double size = largest_of_order(orders(), field_.n(), k);
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

void Taylor::choose_length(double limit) {
    const auto sizes =
        control_.sizes([&](std::size_t k) { return largest_of_order(orders(), field_.n(), k); });
    length_ = usual_ = std::min(control_.length(sizes), limit);
    clear_ = clear_length();

    // Near a singular position the high orders are amplified rounding, across the constraints,
    // while the middle ones still tell how far the motion itself reaches: |x_k| ~ C / R^k gives h =
    // R (tolerance / C)^(1/p). What projection takes back leaves its square behind; a tenth of its
    // root is room.
    const std::size_t middle = control_.order / 2;
    double far = radius(middle - 1, middle) *
                 std::pow(control_.tolerance, 1.0 / static_cast<double>(control_.order));
    // Of more than two orders: rounding may leave some of them zero.
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] > 0.0)
            far = std::min(far, std::pow(0.1 * std::sqrt(control_.tolerance) / sizes[i],
                                         1.0 / static_cast<double>(control_.first_size() + i)));
    reach_ = std::min(far, limit);
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
