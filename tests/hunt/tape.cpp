// Expressions as a list of operations, with derivatives, for the oracle.
#include "hunt/tape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace hunt {

// ---- spline: curvatures m_i from the tridiagonal system of continuous slopes, m = 0 at both ends

Spline::Spline(const Table& table)
    : x_(table.x.begin(), table.x.end()), y_(table.y.begin(), table.y.end()) {
    const std::size_t n = x_.size();
    curvature_.assign(n, Real(0.0));
    Reals diagonal(n, Real(1.0)), right(n, Real(0.0));
    for (std::size_t i = 1; i + 1 < n; ++i) {
        const Real before = x_[i] - x_[i - 1], after = x_[i + 1] - x_[i];
        diagonal[i] = Real(2.0) * (before + after);
        right[i] = Real(6.0) * ((y_[i + 1] - y_[i]) / after - (y_[i] - y_[i - 1]) / before);
        if (i > 1) {
            const Real factor = before / diagonal[i - 1];
            diagonal[i].take(factor, before);
            right[i].take(factor, right[i - 1]);
        }
    }
    for (std::size_t i = n - 2; i >= 1; --i) {
        curvature_[i] = right[i];
        if (i + 2 < n) curvature_[i].take(x_[i + 1] - x_[i], curvature_[i + 1]);
        curvature_[i] /= diagonal[i];
    }
}

int Spline::piece(const Real& x) const {
    return static_cast<int>(
               std::ranges::upper_bound(x_, x, [](const Real& a, const Real& b) { return a < b; }) -
               x_.begin()) -
           1;
}

Real Spline::value(const Real& x, int piece, int order) const {
    if (piece < 0 || piece + 1 >= static_cast<int>(x_.size()) || order > 3) return 0.0;
    const std::size_t i = static_cast<std::size_t>(piece);
    const Real h = x_[i + 1] - x_[i], s = x - x_[i];
    const Real third = (curvature_[i + 1] - curvature_[i]) / h;
    const Real slope =
        (y_[i + 1] - y_[i]) / h - h * (Real(2.0) * curvature_[i] + curvature_[i + 1]) / 6.0;
    switch (order) {
        case 0: return y_[i] + s * (slope + s * (curvature_[i] / 2.0 + s * third / 6.0));
        case 1: return slope + s * (curvature_[i] + s * third / 2.0);
        case 2: return curvature_[i] + s * third;
        default: return third;
    }
}

// ---- tape

namespace {

bool decides(Op op) {
    return op == Op::abs || op == Op::sign || op == Op::min || op == Op::max || op == Op::above ||
           op == Op::inside || op == Op::spline;
}

}  // namespace

Tape::Tape(const Tree& tree, const std::vector<int>& outputs, const std::vector<Table>& tables) {
    std::vector<bool> needed(tree.size(), false);
    for (const int node : outputs) needed[static_cast<std::size_t>(node)] = true;
    for (std::size_t i = tree.size(); i-- > 0;)
        if (needed[i])
            for (const int arg : tree[static_cast<int>(i)].args)
                needed[static_cast<std::size_t>(arg)] = true;
    std::vector<std::size_t> place(tree.size(), 0);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        if (!needed[i]) continue;
        place[i] = steps_.size();
        Step step{tree[static_cast<int>(i)], {}, -1};
        for (const int arg : step.node.args)
            step.args.push_back(place[static_cast<std::size_t>(arg)]);
        if (decides(step.node.op)) {
            step.decision = static_cast<int>(decisions_.size());
            decisions_.push_back(steps_.size());
        }
        steps_.push_back(std::move(step));
    }
    for (const int node : outputs) outputs_.push_back(place[static_cast<std::size_t>(node)]);
    for (const Table& table : tables) splines_.emplace_back(table);
    value_.assign(steps_.size(), Real(0.0));
}

void Tape::evaluate(const Point& at, const Modes* modes) {
    for (std::size_t i = 0; i < steps_.size(); ++i) value_[i] = compute(steps_[i], at, modes);
}

Real Tape::compute(const Step& step, const Point& at, const Modes* modes) const {
    const auto x = [&](std::size_t k) -> const Real& { return value_[step.args[k]]; };
    const int mode = step.decision < 0  ? 0
                     : modes != nullptr ? (*modes)[static_cast<std::size_t>(step.decision)]
                                        : mode_of(step);
    switch (step.node.op) {
        case Op::number: return step.node.value;
        case Op::time: return at.t;
        case Op::coordinate: return at.q[static_cast<std::size_t>(step.node.index)];
        case Op::velocity: return at.v[static_cast<std::size_t>(step.node.index)];
        case Op::acceleration: return 0.0;
        case Op::add: return x(0) + x(1);
        case Op::sub: return x(0) - x(1);
        case Op::mul: return x(0) * x(1);
        case Op::div: return x(0) / x(1);
        case Op::power:
            return step.node.value == 2.0 ? Real::by(mpfr_sqr, x(0))
                                          : Real::by(mpfr_pow, x(0), step.node.value);
        case Op::neg: return -x(0);
        case Op::sin: return Real::by(mpfr_sin, x(0));
        case Op::cos: return Real::by(mpfr_cos, x(0));
        case Op::tan: return Real::by(mpfr_tan, x(0));
        case Op::asin: return Real::by(mpfr_asin, x(0));
        case Op::atan: return Real::by(mpfr_atan, x(0));
        case Op::sinh: return Real::by(mpfr_sinh, x(0));
        case Op::cosh: return Real::by(mpfr_cosh, x(0));
        case Op::tanh: return Real::by(mpfr_tanh, x(0));
        case Op::exp: return Real::by(mpfr_exp, x(0));
        case Op::log: return Real::by(mpfr_log, x(0));
        case Op::sqrt: return Real::by(mpfr_sqrt, x(0));
        case Op::hypot: return Real::by(mpfr_hypot, x(0), x(1));
        case Op::atan2: return Real::by(mpfr_atan2, x(0), x(1));
        case Op::abs: return mode == 1 ? x(0) : -x(0);
        case Op::sign: return mode == 1 ? 1.0 : -1.0;
        case Op::max: return mode == 1 ? x(0) : x(1);
        case Op::min: return mode == 1 ? x(1) : x(0);
        case Op::above: return mode == 1 ? x(2) : x(3);
        case Op::inside: return mode == 1 ? x(3) : x(4);
        case Op::spline:
            return splines_[static_cast<std::size_t>(step.node.index)].value(
                x(0), mode, static_cast<int>(step.node.value));
    }
    throw std::logic_error("an operation without a value");
}

int Tape::mode_of(const Step& step) const {
    const auto x = [&](std::size_t k) -> const Real& { return value_[step.args[k]]; };
    switch (step.node.op) {
        case Op::abs:
        case Op::sign: return x(0) > 0.0 ? 1 : 0;
        case Op::inside: return x(0) <= x(1) ? 0 : x(0) < x(2) ? 1 : 2;
        case Op::spline: return splines_[static_cast<std::size_t>(step.node.index)].piece(x(0));
        default: return x(0) > x(1) ? 1 : 0;
    }
}

Modes Tape::modes() const {
    Modes result;
    for (const std::size_t i : decisions_) result.push_back(mode_of(steps_[i]));
    return result;
}

Reals Tape::margins(const Modes& modes) const {
    Reals result;
    for (std::size_t k = 0; k < decisions_.size(); ++k) {
        const Step& step = steps_[decisions_[k]];
        const auto x = [&](std::size_t j) -> const Real& { return value_[step.args[j]]; };
        const int mode = modes[k];
        if (step.node.op == Op::inside) {
            result.push_back(mode == 0 ? x(1) - x(0) : x(0) - (mode == 1 ? x(1) : x(2)));
            if (mode == 1) result.push_back(x(2) - x(0));
        } else if (step.node.op == Op::spline) {
            const Spline& spline = splines_[static_cast<std::size_t>(step.node.index)];
            if (mode >= 0) result.push_back(x(0) - spline.point(mode));
            if (mode + 1 < static_cast<int>(spline.points()))
                result.push_back(spline.point(mode + 1) - x(0));
        } else {
            const Real difference =
                step.node.op == Op::abs || step.node.op == Op::sign ? x(0) : x(0) - x(1);
            result.push_back(mode == 1 ? difference : -difference);
        }
    }
    return result;
}

// ---- rounding errors of doubles: |∂f/∂x| e_x + |∂f/∂y| e_y + u |f|

void Tape::bound_errors() {
    error_.assign(steps_.size(), 0.0);
    for (std::size_t i = 0; i < steps_.size(); ++i) error_[i] = error_of(steps_[i], i);
}

double Tape::error_of(const Step& step, std::size_t i) const {
    constexpr double u = std::numeric_limits<double>::epsilon();
    if (step.args.empty()) return 0.0;
    const auto x = [&](std::size_t k) { return value_[step.args[k]].nearest(); };
    const auto e = [&](std::size_t k) { return error_[step.args[k]]; };
    const double z = value_[i].nearest(), own = u * std::abs(z);
    const double power = step.node.value;
    switch (step.node.op) {
        case Op::add:
        case Op::sub: return e(0) + e(1) + own;
        case Op::mul: return std::abs(x(0)) * e(1) + std::abs(x(1)) * e(0) + own;
        case Op::div: return (e(0) + std::abs(z) * e(1)) / std::abs(x(1)) + own;
        case Op::power:
            return e(0) == 0.0
                       ? own
                       : std::abs(power) * std::pow(std::abs(x(0)), power - 1.0) * e(0) + own;
        case Op::sin:
        case Op::cos: return e(0) + own;
        case Op::tan: return (1.0 + z * z) * e(0) + own;
        case Op::asin: return e(0) / std::sqrt(std::max(1e-300, 1.0 - x(0) * x(0))) + own;
        case Op::sinh:
        case Op::cosh: return std::cosh(x(0)) * e(0) + own;
        case Op::exp: return std::abs(z) * e(0) + own;
        case Op::log: return e(0) / std::abs(x(0)) + own;
        case Op::sqrt: return e(0) == 0.0 ? own : e(0) / (2.0 * std::abs(z)) + own;
        case Op::atan2:
            return (std::abs(x(1)) * e(0) + std::abs(x(0)) * e(1)) / (x(0) * x(0) + x(1) * x(1)) +
                   own;
        case Op::hypot: return e(0) + e(1) + own;
        case Op::min:
        case Op::max: return std::max(e(0), e(1)) + own;
        case Op::above: return std::max(e(2), e(3)) + own;
        case Op::inside: return std::max(e(3), e(4)) + own;
        case Op::sign: return 0.0;
        case Op::spline: {
            const Spline& spline = splines_[static_cast<std::size_t>(step.node.index)];
            const Real at = value_[step.args[0]];
            return std::abs(
                       spline.value(at, spline.piece(at), static_cast<int>(power) + 1).nearest()) *
                       e(0) +
                   10.0 * own;
        }
        default: return e(0) + own;  // neg, abs, atan, tanh: slopes of at most 1
    }
}

}  // namespace hunt
