// Order and step size of the Taylor method, the same for interpreted, compiled and large systems.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace lacon::inline methods {

/// Order and step of the Taylor method, after Jorba & Zou (2005).
struct TaylorControl {
    /// `for_order`: the tolerance that the order is for; 0: the one that is wanted.
    explicit TaylorControl(double wanted, double for_order = 0.0)
        : tolerance(std::max(wanted, 1e-16)),
          order(order_for(for_order > 0.0 ? for_order : tolerance)) {}
    static std::size_t order_for(double tolerance) {
        // Jorba and Zou (2005) take −½ log(tolerance) + 1. A little more is not critical: it trades
        // work for each order against longer steps, which also share one factorization and one
        // projection.
        return static_cast<std::size_t>(
            std::ceil(2.0 - 0.6 * std::log(std::max(tolerance, 1e-16))));
    }

    double tolerance;
    std::size_t order;  // p

    /// The acceleration at the end of a step may differ from the one that its series promised by so
    /// many tolerances, and by so many times what rounding alone does to it (DenseField::noise).
    static constexpr double promise_slack = 1e3, noise_slack = 10.0;
    /// Of the terms: their rounding.
    static constexpr double promise_rounding = 1e-13;
    /// Of the acceleration: what a step may be off by without a visible change of the motion. What
    /// a series misses (a jump, a kink) is far above.
    static constexpr double promise_share = 1e-8;

    /// One component of the acceleration at the end of a step, summed up from its series; T is a
    /// number or code for one.
    template <class T>
    struct Promise {
        T value, size;  // Σ a_k hᵏ and Σ |a_k| hᵏ
        /// By how much the acceleration `found` there may be off. `share`: tolerance / h; `scale`:
        /// the error scale of the velocity.
        T allowed(const T& found, const T& share, const T& scale) const {
            using std::abs;
            const T there = abs(found);
            return T(promise_slack) * (share * scale + T(promise_rounding) * (size + there)) +
                   T(promise_share) * there;
        }
    };
    /// `coefficient(k)` gives a_k.
    template <class T, class Coefficient>
    static Promise<T> promise(std::size_t order, const T& h, const Coefficient& coefficient) {
        using std::abs;
        Promise<T> sum{T(0.0), T(0.0)};
        for (std::size_t k = order; k-- > 0;) {
            const T a = coefficient(k);
            sum.value = sum.value * h + a;
            sum.size = sum.size * h + abs(a);
        }
        return sum;
    }

    /// The sizes of the orders from this one to p decide on the step.
    std::size_t first_size() const { return first_size(order); }
    static std::size_t first_size(std::size_t order) { return std::max<std::size_t>(order, 7) - 5; }

    /// `size_of(k)`: the largest coefficient of order k, by error scale.
    template <class SizeOf>
    std::vector<double> sizes(const SizeOf& size_of) const {
        std::vector<double> all;
        for (std::size_t k = first_size(); k <= order; ++k) all.push_back(size_of(k));
        return all;
    }

    /// The step; `sizes`: the largest coefficient of each of these orders, by error scale.
    double length(std::span<const double> sizes) const {
        double h = std::numeric_limits<double>::infinity(), reach = h;  // their logarithms
        const double tol = std::log(tolerance), p = static_cast<double>(order);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (!(sizes[i] > 0.0)) continue;
            const auto k = static_cast<double>(first_size() + i);
            if (k < p - 1.0) reach = std::min(reach, -std::log(sizes[i]) / k);
            else h = std::min(h, (tol - std::log(sizes[i])) / k);
        }
        // Series with gaps: released from rest on the level, a chain has every fourth order only,
        // and the last two may tell nothing.
        constexpr double slack = 0.18;  // log 1.2, so that it counts where there are gaps only
        return std::exp(std::min(h, reach + slack + tol / (p - 1.0)) - 0.7 / (p - 1.0));
    }
};

}  // namespace lacon::methods
