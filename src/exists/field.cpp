// Encloses each element by its natural and its mean-value form, solves the interval system and
// differentiates it, ∂z/∂x = K⁻¹ (∂r/∂x − ∂K/∂x z), for the mean-value form of q'' itself.
#include "exists/field.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lacon::inline existence {

BoxField::BoxField(const DerivedModel& details, const std::vector<std::size_t>& rows)
    : system_(details, rows), all_(details.system.elements.size()), numbers_(all_.size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
}

/// q, q', parameters, t of an element as inputs.
void BoxField::gather(std::size_t number, const Box& box) {
    const Shape& shape = system_.shape(number);
    inputs_.clear();
    for (std::size_t i = 0; i < 2 * shape.coordinates; ++i)
        inputs_.push_back(box.x[system_.direction(number, i)]);
    for (std::size_t i = 0; i < shape.parameters; ++i)
        inputs_.emplace_back(system_.parameter(number, i));
    inputs_.push_back(box.t());
}

/// The natural form with all slopes, and the mean-value form where there is one.
void BoxField::enclose_with_slopes(std::size_t number, const Box& box) {
    const Shape& shape = system_.shape(number);
    const Program& code = shape.dynamics_program;
    const std::size_t k = shape.coordinates;
    ElementNumbers& out = numbers_[number];
    gather(number, box);
    jet_inputs_.clear();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const bool is_parameter = i >= 2 * k && i + 1 < inputs_.size();
        jet_inputs_.push_back(is_parameter ? Jet(inputs_[i])
                                           : Jet::input(inputs_[i], std::min(i, 2 * k), 2 * k + 1));
    }
    jet_slots_.resize(code.slot_count());
    out.jets.resize(code.output_count());
    code.run<Jet>(jet_inputs_, jet_slots_, out.jets);
    gather(number, box.centre());
    middle_.resize(code.output_count());
    code.run<Interval>(inputs_, slots_, middle_);
    for (std::size_t o = 0; o < out.jets.size(); ++o) {
        const Jet& jet = out.jets[o];
        out.values[o] = jet.value;
        if (jet.rates.empty() || !middle_[o].is_defined() ||
            jet.value.smoothness > Smoothness::lipschitz)
            continue;
        Interval by_slopes = middle_[o];
        for (std::size_t i = 0; i < jet.rates.size(); ++i) {
            const Interval& side = box.x[system_.direction(number, i)];
            by_slopes = by_slopes + jet.rates[i] * (side - Interval(side.mid()));
        }
        if (by_slopes.is_defined()) out.values[o] = intersection(jet.value, by_slopes);
        // Of a middle and slopes there is none to take.
        out.values[o].smoothness = jet.value.smoothness;
    }
}

/// The numbers of one element; false where one may have no value.
bool BoxField::enclose(std::size_t number, const Box& box, bool with_slopes) {
    const Program& code = system_.shape(number).dynamics_program;
    ElementNumbers& out = numbers_[number];
    out.values.resize(code.output_count());
    out.jets.clear();
    slots_.resize(code.slot_count());
    if (with_slopes) {
        enclose_with_slopes(number, box);
    } else {
        gather(number, box);
        code.run<Interval>(inputs_, slots_, out.values);
    }
    return std::all_of(out.values.begin(), out.values.end(),
                       [](const Interval& x) { return x.is_defined(); });
}

bool BoxField::assemble(const Box& box, bool with_slopes, Enclosure& out) {
    K_ = IntervalMatrix(system_.size(), system_.size());
    r_.assign(system_.size(), Interval(0.0));
    for (const std::size_t number : system_.elements()) {
        if (!enclose(number, box, with_slopes)) {
            out.verdict = Enclosure::Verdict::undefined;
            out.origin = system_.element(number).origin;
            out.steepest = steepest_of(number, box);
            return false;
        }
        const std::vector<Interval>& values = numbers_[number].values;
        for (std::size_t o = 0; o < values.size(); ++o) {
            out.smoothness = std::max(out.smoothness, values[o].smoothness);
            system_.places(
                number, o, [&](std::size_t i, std::size_t j) { K_(i, j) = K_(i, j) + values[o]; },
                [&](std::size_t i) { r_[i] = r_[i] + values[o]; });
        }
    }
    return true;
}

/// Whether values that were differentiated exist in the box; where they may jump, `out` is broken.
bool BoxField::look(std::size_t number, const Program& code, const Box& box, Enclosure& out) {
    if (code.output_count() == 0) return true;
    gather(number, box);
    slots_.resize(code.slot_count());
    middle_.resize(code.output_count());
    code.run<Interval>(inputs_, slots_, middle_);
    const bool is_row = system_.element(number).row >= 0;
    for (const Interval& value : middle_) {
        if (!value.is_defined()) {
            out.verdict = Enclosure::Verdict::undefined;
            out.origin = system_.element(number).origin;
            out.steepest = steepest_of(number, box);
            return false;
        }
        // A bend in a constraint is a jump of a velocity or an acceleration; that of an energy
        // shows in the force.
        const Smoothness most = is_row ? Smoothness::smooth : Smoothness::continuous;
        if (value.smoothness > most) out.smoothness = Smoothness::broken;
    }
    return true;
}

bool BoxField::look_before_derivation(const Box& box, Enclosure& out) {
    return std::all_of(all_.begin(), all_.end(), [&](std::size_t number) {
        const Shape& shape = system_.shape(number);
        return look(number, shape.residuals_program, box, out) &&
               look(number, shape.energies_program, box, out);
    });
}

/// The widest of the directions that an element depends on.
std::size_t BoxField::steepest_of(std::size_t number, const Box& box) const {
    std::size_t widest = 2 * n();
    for (std::size_t i = 0; i < 2 * system_.shape(number).coordinates; ++i)
        if (box.width(system_.direction(number, i)) > box.width(widest))
            widest = system_.direction(number, i);
    return widest;
}

/// The direction in which K changes the most over the box, its rows by their size.
std::size_t BoxField::steepest(const Box& box) const {
    constexpr double unbounded = 1e300;
    std::vector<double> scale(system_.size(), 0.0), change(2 * n() + 1, 0.0);
    for (std::size_t i = 0; i < system_.size(); ++i)
        for (std::size_t j = 0; j < system_.size(); ++j)
            scale[i] = std::max(scale[i], K_(i, j).magnitude());
    for (const std::size_t number : system_.elements())
        for (std::size_t o = 0; o < numbers_[number].jets.size(); ++o) {
            const std::vector<Interval>& rates = numbers_[number].jets[o].rates;
            for (std::size_t i = 0; i < rates.size(); ++i) {
                const std::size_t d = system_.direction(number, i);
                const double by =
                    box.width(d) * (rates[i].is_defined() ? rates[i].magnitude() : unbounded);
                system_.places(
                    number, o,
                    [&](std::size_t row, std::size_t) {
                        if (scale[row] > 0.0) change[d] += by / scale[row];
                    },
                    [](std::size_t) {});
            }
        }
    return static_cast<std::size_t>(std::max_element(change.begin(), change.end()) -
                                    change.begin());
}

/// ∂z/∂x = K⁻¹ (∂r/∂x − ∂K/∂x z), the first n rows of it.
IntervalMatrix BoxField::slopes(const Box& box, const std::vector<Interval>& z) {
    const std::size_t directions = 2 * n() + 1, size = system_.size();
    std::vector<std::vector<Interval>> right(directions,
                                             std::vector<Interval>(size, Interval(0.0)));
    for (const std::size_t number : system_.elements())
        for (std::size_t o = 0; o < numbers_[number].jets.size(); ++o) {
            const std::vector<Interval>& rates = numbers_[number].jets[o].rates;
            for (std::size_t i = 0; i < rates.size(); ++i) {
                const std::size_t d = system_.direction(number, i);
                if (box.width(d) == 0.0) continue;
                std::vector<Interval>& r = right[d];
                system_.places(
                    number, o,
                    [&](std::size_t row, std::size_t j) { r[row] = r[row] - rates[i] * z[j]; },
                    [&](std::size_t row) { r[row] = r[row] + rates[i]; });
            }
        }
    IntervalMatrix slope(n(), directions);
    std::vector<Interval> column(size);
    for (std::size_t d = 0; d < directions; ++d) {
        factor_.solve(right[d], column);
        for (std::size_t i = 0; i < n(); ++i) slope(i, d) = column[i];
    }
    return slope;
}

std::optional<std::vector<Interval>> BoxField::at(const Box& point) {
    Enclosure unused;
    if (!assemble(point, false, unused) || !factor_.factor(K_)) return std::nullopt;
    std::vector<Interval> z(system_.size());
    factor_.solve(r_, z);
    z.resize(n());
    if (!std::all_of(z.begin(), z.end(), [](const Interval& x) { return x.is_defined(); }))
        return std::nullopt;
    return z;
}

Enclosure BoxField::over(const Box& box) {
    Enclosure out;
    if (!look_before_derivation(box, out) || !assemble(box, true, out)) return out;
    if (!factor_.factor(K_)) {
        out.verdict = Enclosure::Verdict::singular;
        out.steepest = steepest(box);
        return out;
    }
    std::vector<Interval> z(system_.size());
    factor_.solve(r_, z);
    // Over a jump, or where a slope has no bound, there is no mean value.
    const bool has_slopes = out.smoothness <= Smoothness::lipschitz;
    if (has_slopes) out.slope = slopes(box, z);
    else out.steepest = steepest(box);
    z.resize(n());
    const auto middle = has_slopes ? at(box.centre()) : std::nullopt;
    for (std::size_t i = 0; middle && i < n(); ++i) {
        Interval by_slopes = (*middle)[i];
        for (std::size_t d = 0; d < box.x.size(); ++d)
            if (box.width(d) > 0.0)
                by_slopes = by_slopes + out.slope(i, d) * (box.x[d] - Interval(box.x[d].mid()));
        if (by_slopes.is_defined())
            z[i] = z[i].is_defined() ? intersection(z[i], by_slopes) : by_slopes;
    }
    const bool finite =
        std::all_of(z.begin(), z.end(), [](const Interval& x) { return x.is_defined(); });
    out.verdict = finite ? Enclosure::Verdict::proven : Enclosure::Verdict::singular;
    if (!finite) out.steepest = steepest(box);
    out.acceleration = std::move(z);
    return out;
}

}  // namespace lacon::existence
