// Bounds each gap by one run of its program on intervals. Only position-level contacts of a single
// element take part, and none at all if there are twelve or fewer: looking would cost more than it
// saves.
#include "contact/sight.hpp"

#include <algorithm>
#include <cmath>

#include "contact/modes.hpp"

namespace lacon::inline contact {

namespace {

constexpr std::size_t few = 12;  // contacts that are not worth an enclosure

}  // namespace

Sight::Sight(const DerivedModel& whole) : whole_(whole) {
    const System& system = whole.system;
    std::vector<std::size_t> elements_of(system.row_count(), 0);
    for (const Element& element : system.elements)
        if (element.row >= 0) ++elements_of[static_cast<std::size_t>(element.row)];
    for (std::size_t e = 0; e < system.elements.size(); ++e) {
        if (system.elements[e].row < 0) continue;
        const auto row = static_cast<std::size_t>(system.elements[e].row);
        const int side = side_of(whole.model.constraints[row]);
        const bool is_single = elements_of[row] == 1 && system.levels[row] == Level::position;
        if (side != 0 && is_single) contacts_.push_back({row, e, side});
        else others_.push_back(e);
    }
    if (contacts_.size() <= few || system.graph.has_data()) contacts_.clear();
}

double Sight::least_gap(const Contact& contact, std::span<const Interval> q, const Interval& t) {
    const Element& element = whole_.system.elements[contact.element];
    const Shape& shape = whole_.system.shapes[element.shape];
    const std::uint32_t* leaf = whole_.system.leaves.data() + element.leaves;
    const Program& code = shape.residuals_program;
    inputs_.clear();
    for (std::size_t i = 0; i < shape.coordinates; ++i) inputs_.push_back(q[leaf[i]]);
    inputs_.resize(2 * shape.coordinates);  // velocities: a gap has none
    for (std::size_t i = 0; i < shape.parameters; ++i)
        inputs_.emplace_back(whole_.parameters[leaf[shape.coordinates + i]]);
    inputs_.push_back(t);
    slots_.resize(code.slot_count());
    outputs_.resize(code.output_count());
    code.run<Interval>(inputs_, slots_, outputs_);
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
        if (shape.residuals.entries[o].target != Entry::Target::residual) continue;
        return !outputs_[o].is_defined() ? -INFINITY
               : contact.side > 0        ? outputs_[o].low
                                         : -outputs_[o].high;
    }
    return -INFINITY;
}

void Sight::look(const State& centre, std::span<const double> reach, double from, double to) {
    const std::size_t n = centre.q.size();
    std::vector<Interval> q(n);
    low_.resize(n);
    high_.resize(n);
    double extent = 1.0;
    for (std::size_t i = 0; i < n; ++i) {
        low_[i] = centre.q[i] - reach[i];
        high_[i] = centre.q[i] + reach[i];
        q[i] = Interval(low_[i], high_[i]);
        extent = std::max(extent, q[i].magnitude());
    }
    from_ = from;
    to_ = to;
    near_ = others_;
    least_.assign(whole_.system.row_count(), 0.0);
    // Well above what counts as closed anywhere (Contacts::gap_tol).
    const double open_gap = 1e-5 * extent;
    for (const Contact& contact : contacts_) {
        const double gap = least_gap(contact, q, Interval(from, to));
        if (gap > open_gap) least_[contact.row] = gap;
        else near_.push_back(contact.element);
    }
    std::sort(near_.begin(), near_.end());
}

bool Sight::covers(const State& state) const {
    if (!(state.t >= from_ && state.t <= to_)) return false;
    for (std::size_t i = 0; i < low_.size(); ++i)
        if (!(state.q[i] >= low_[i] && state.q[i] <= high_[i])) return false;
    return true;
}

}  // namespace lacon::contact
