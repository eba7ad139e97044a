// Runs the recurrences of power series over intervals, or over jets for the derivatives by the
// initial state. One verified factorization of K₀ serves all orders.
#include "exists/series.hpp"

#include <algorithm>
#include <limits>

#include "expr/series_rules.hpp"
#include "mechanics/system/inputs.hpp"
#include "methods/taylor_recurrence.hpp"

namespace lacon::inline existence {

namespace {

/// The coefficients of all slots of a program, for SeriesRules.
template <class T>
struct SeriesOf {
    std::size_t k;
    T* work;
    std::size_t stride;

    const T* series(std::uint32_t slot) const { return work + slot * stride; }
    T first(std::uint32_t slot) const { return series(slot)[0]; }
    T now(std::uint32_t slot) const { return series(slot)[k]; }
    /// Not a number, so that what is made from it is undefined, where rounding leaves more than
    /// one.
    double number(std::uint32_t slot) const {
        const Interval x = value_of(first(slot));
        return x.is_point() ? x.low : std::numeric_limits<double>::quiet_NaN();
    }
    T order() const { return T(static_cast<double>(k)); }
    void put(std::uint32_t slot, const T& value) { work[slot * stride + k] = value; }
    T inner(std::uint32_t x, std::uint32_t y) const { return sum(x, y, 1); }
    T product(std::uint32_t x, std::uint32_t y) const { return sum(x, y, 0); }
    T weighted(std::uint32_t x, std::uint32_t y) const {
        T total(0.0);
        for (std::size_t j = 1; j < k; ++j)
            total = total + T(static_cast<double>(j)) * (series(x)[j] * series(y)[k - j]);
        return total;
    }
    T vanishes(std::uint32_t slot, std::uint32_t) const {
        const T* a = series(slot);
        return T(std::all_of(a, a + k + 1, [](const T& x) { return is_zero(x); }) ? 1.0 : 0.0);
    }

private:
    static const Interval& value_of(const Interval& x) { return x; }
    static const Interval& value_of(const Jet& x) { return x.value; }
    static bool is_zero(const T& x) {
        if constexpr (std::is_same_v<T, Jet>)
            if (!x.rates.empty()) return false;
        return value_of(x).low == 0.0 && value_of(x).high == 0.0;
    }
    T sum(std::uint32_t x, std::uint32_t y, std::size_t from) const {
        const T *a = series(x), *b = series(y);
        T total(0.0);
        if (x != y) {
            for (std::size_t j = from; j + from <= k; ++j) total = total + a[j] * b[k - j];
            return total;
        }
        for (std::size_t j = from; 2 * j < k; ++j) total = total + a[j] * a[k - j];
        total = T(2.0) * total;
        if (k % 2 == 0 && k / 2 >= from) total = total + whole_power(a[k / 2], 2);
        return total;
    }
};

bool is_fine(const Interval& x) {
    return x.is_defined() && x.smoothness == Smoothness::smooth;
}
bool is_fine(const Jet& x) {
    return is_fine(x.value) && std::all_of(x.rates.begin(), x.rates.end(),
                                           [](const Interval& r) { return r.is_defined(); });
}

/// An entry of K, of some order.
template <class T>
struct Term {
    std::size_t i, j;
    T value;
};

void solve_order(const VerifiedFactor& factor, const std::vector<Term<Interval>>&,
                 std::vector<Interval>& r, std::vector<Interval>& z) {
    factor.solve(r, z);
}

/// The derivatives follow from K₀ ∂z = ∂r − ∂K₀ z.
void solve_order(const VerifiedFactor& factor, const std::vector<Term<Jet>>& K, std::vector<Jet>& r,
                 std::vector<Jet>& z) {
    const std::size_t size = r.size();
    std::vector<Interval> right(size), column(size);
    std::size_t directions = 0;
    for (std::size_t i = 0; i < size; ++i) {
        right[i] = r[i].value;
        directions = std::max(directions, r[i].rates.size());
    }
    for (const auto& term : K) directions = std::max(directions, term.value.rates.size());
    factor.solve(right, column);
    for (std::size_t i = 0; i < size; ++i) {
        z[i].value = column[i];
        z[i].rates.assign(directions, Interval(0.0));
    }
    for (std::size_t d = 0; d < directions; ++d) {
        for (std::size_t i = 0; i < size; ++i)
            right[i] = d < r[i].rates.size() ? r[i].rates[d] : Interval(0.0);
        for (const auto& term : K)
            if (d < term.value.rates.size())
                right[term.i] = right[term.i] - term.value.rates[d] * z[term.j].value;
        factor.solve(right, column);
        for (std::size_t i = 0; i < size; ++i) z[i].rates[d] = column[i];
    }
}

IntervalMatrix matrix_of(const std::vector<Term<Interval>>& terms, std::size_t size) {
    IntervalMatrix K(size, size);
    for (const auto& term : terms) K(term.i, term.j) = K(term.i, term.j) + term.value;
    return K;
}
IntervalMatrix matrix_of(const std::vector<Term<Jet>>& terms, std::size_t size) {
    IntervalMatrix K(size, size);
    for (const auto& term : terms) K(term.i, term.j) = K(term.i, term.j) + term.value.value;
    return K;
}

}  // namespace

BoxSeries::BoxSeries(const DerivedModel& details, const std::vector<std::size_t>& rows)
    : system_(details, rows) {
    const System& system = details.system;
    for (const Shape& shape : system.shapes) {
        programs_.emplace_back(system.graph, inputs_of(system, shape), shape.dynamics.values,
                               shape.parameters);
    }
}

/// What one call needs: the series of all elements, and those of K and r.
template <class T>
struct BoxSeries::Work {
    const BoxSeries& owner;
    std::size_t stride;
    std::vector<std::vector<T>> slots;    // of the elements
    std::vector<std::vector<Term<T>>> K;  // of each order
    std::vector<T> r;

    Work(const BoxSeries& series, std::size_t order)
        : owner(series), stride(order + 1), K(order + 1) {
        for (const std::size_t number : owner.system_.elements())
            slots.emplace_back(program(number).slot_count() * stride, T(0.0));
    }
    const SeriesProgram& program(std::size_t number) const {
        return owner.programs_[owner.system_.shape_number(number)];
    }

    /// Order k of every element, added up; false where a number is not fine.
    bool order(std::size_t k, const std::vector<T>& x, const T& t) {
        r.assign(owner.system_.size(), T(0.0));
        for (std::size_t e = 0; e < slots.size(); ++e) {
            gather(e, k, x, t);
            SeriesOf<T> series{k, slots[e].data(), stride};
            const SeriesProgram& code = program(owner.system_.elements()[e]);
            const SeriesRules<T, SeriesOf<T>> rules(code, series);
            for (const SeriesProgram::Instruction& in : code.instructions()) {
                if (k == 0) rules.begin(in);
                else if (!in.constant) rules.go_on(in);
            }
            if (!scatter(e, k)) return false;
        }
        return true;
    }

private:
    void gather(std::size_t e, std::size_t k, const std::vector<T>& x, const T& t) {
        const std::size_t number = owner.system_.elements()[e];
        const Shape& shape = owner.system_.shape(number);
        std::size_t slot = 0;
        const auto put = [&](const T& value) { slots[e][slot++ * stride + k] = value; };
        for (std::size_t i = 0; i < 2 * shape.coordinates; ++i)
            put(x[owner.system_.direction(number, i)]);
        put(k == 0 ? t : T(k == 1 ? 1.0 : 0.0));
        if (k > 0) return;
        for (std::size_t i = 0; i < shape.parameters; ++i)
            put(T(owner.system_.parameter(number, i)));
    }

    bool scatter(std::size_t e, std::size_t k) {
        const std::size_t number = owner.system_.elements()[e];
        const SeriesProgram& code = program(number);
        for (std::size_t o = 0; o < code.output_count(); ++o) {
            if (k > 0 && code.is_constant(o)) continue;
            const T& value = slots[e][code.slot(o) * stride + k];
            if (!is_fine(value)) return false;
            owner.system_.places(
                number, o,
                [&](std::size_t i, std::size_t j) {
                    K[k].push_back({i, j, value});
                },
                [&](std::size_t i) { r[i] = r[i] + value; });
        }
        return true;
    }
};

template <class T>
std::vector<std::vector<T>> BoxSeries::coefficients(const std::vector<T>& x, const T& t,
                                                    std::size_t order) {
    Work<T> work(*this, order);
    const std::size_t n = system_.n(), size = system_.size();
    std::vector<std::vector<T>> found{x}, z;
    const auto gather = [&](std::size_t k) {
        if (!work.order(k, found[k], t)) return false;
        if (k == 0 && !factor_.factor(matrix_of(work.K[0], size))) return false;
        for (std::size_t j = 1; j <= k; ++j)
            for (const auto& term : work.K[j])
                work.r[term.i] = work.r[term.i] - term.value * z[k - j][term.j];
        return true;
    };
    const auto solve = [&](std::size_t k) {
        z.emplace_back(size, T(0.0));
        solve_order(factor_, work.K[0], work.r, z[k]);
    };
    const auto keep = [&](std::size_t k) {
        std::vector<T> next(2 * n, T(0.0));
        const T divisor(static_cast<double>(k + 1));
        for (std::size_t i = 0; i < n; ++i) {
            next[i] = found[k][n + i] / divisor;
            next[n + i] = z[k][i] / divisor;
        }
        if (!std::all_of(next.begin(), next.end(), [](const T& value) { return is_fine(value); }))
            return false;
        found.push_back(std::move(next));
        return true;
    };
    if (!each_order(order, gather, solve, keep)) found.clear();
    return found;
}

template std::vector<std::vector<Interval>> BoxSeries::coefficients(const std::vector<Interval>&,
                                                                    const Interval&, std::size_t);
template std::vector<std::vector<Jet>> BoxSeries::coefficients(const std::vector<Jet>&, const Jet&,
                                                               std::size_t);

}  // namespace lacon::existence
