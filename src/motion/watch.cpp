#include "motion/watch.hpp"

#include <algorithm>
#include <cmath>

namespace lacon {

namespace {

int sign(double x) {
    return x > 0.0 ? 1 : x < 0.0 ? -1 : 0;
}

}  // namespace

Watch::Watch(Field& field, const SolveOptions& options, Monitors* monitors)
    : sides_(field.smooth.mode_count + field.details.model.events.size() + (monitors ? monitors->count() : 0), 0),
      field_(field),
      options_(options),
      events_(field.details, values_of(field.details.model.events)),
      monitors_(monitors) {}

void Watch::values(const State& state, std::vector<Rounded>& out) {
    const std::size_t own = first_monitor();
    out.resize(own);
    if (!compiled || !compiled->values(state, field_.assembler.modes, out)) {
        field_.assembler.surfaces(state, out);
        out.resize(own);
        events_.values(state, options_, std::span(out).subspan(field_.smooth.mode_count));
    }
    out.resize(sides_.size());
    if (monitors_) monitors_->values(state, std::span(out).subspan(own));
}

void Watch::settle(const State& state) {
    std::vector<Rounded> now;
    const SmoothSystem& smooth = field_.smooth;
    const auto& elements = field_.details.system.elements;
    // Decisions inside others come first: each mode is set before the surfaces that need it are taken.
    for (std::size_t e = 0; e < elements.size(); ++e) {
        const auto& decisions = smooth.shapes[elements[e].shape].decisions;
        for (std::size_t d = 0; d < decisions.size(); ++d) {
            const std::size_t mode = smooth.first_mode[e] + d;
            field_.assembler.surfaces(state, now);
            sides_[mode] = now[mode].value < 0.0 ? -1 : 1;
            field_.assembler.modes[mode] = sides_[mode] > 0 ? decisions[d].high : decisions[d].low;
        }
    }
    values(state, now);
    for (std::size_t i = smooth.mode_count; i < first_monitor(); ++i) sides_[i] = now[i].is_rounding() ? 0 : sign(now[i].value);
    std::fill(sides_.begin() + static_cast<std::ptrdiff_t>(first_monitor()), sides_.end(), 1);
}

std::vector<Crossing> Watch::crossings(const Path& path, const Clock& begin) {
    std::vector<Crossing> found;
    if (is_empty()) return found;
    StepView view{path, begin, sides_, {}, {}};
    std::vector<Window> open{{0.0, path.length, 0}};
    constexpr int most_halvings = 12;
    while (!open.empty()) {  // from left to right
        const Window window = open.back();
        open.pop_back();
        const std::vector<ChebyshevFit> fits = fit(view, window);
        const bool resolved = std::all_of(fits.begin(), fits.end(), [](const ChebyshevFit& f) { return f.is_resolved(); });
        if (!resolved && window.depth < most_halvings) {
            const double middle = 0.5 * (window.from + window.to);
            open.push_back({middle, window.to, window.depth + 1});
            open.push_back({window.from, middle, window.depth + 1});
            continue;
        }
        for (std::size_t i = 0; i < fits.size(); ++i) scan(view, window, i, fits[i], found);
    }
    refine_monitors(view, found);
    std::stable_sort(found.begin(), found.end(), [](const Crossing& a, const Crossing& b) { return a.tau < b.tau; });
    return found;
}

/// The motion of a phase ends with the first of its monitors: only those that may be the first are found to rounding, the others
/// are left out. One that comes back above zero is none.
void Watch::refine_monitors(StepView& view, std::vector<Crossing>& found) {
    double first = INFINITY;
    for (const Crossing& c : found)
        if (c.kind == Crossing::Kind::monitor && c.side < 0) first = std::min(first, c.tau + c.reach);
    std::erase_if(
        found, [&](const Crossing& c) { return c.kind == Crossing::Kind::monitor && (c.side > 0 || c.tau - c.reach > first); });
    for (Crossing& c : found) {
        if (c.kind != Crossing::Kind::monitor || c.reach == 0.0) continue;
        const auto exact = [&](double x) { return monitor_at(view, x, c.number); };
        c.tau = refine_root(exact, std::max(0.0, c.tau - c.reach), std::min(view.path.length, c.tau + c.reach), c.tau);
        c.reach = 0.0;
    }
}

double Watch::value_at(StepView& view, double tau, std::size_t i) {
    view.path.at(tau, view.state);
    view.state.t = view.begin.after(tau).now();
    values(view.state, view.all);
    return view.all[i].value;
}

double Watch::monitor_at(StepView& view, double tau, std::size_t number) {
    view.path.at(tau, view.state);
    view.state.t = view.begin.after(tau).now();
    return monitors_->value(view.state, number);
}

std::vector<ChebyshevFit> Watch::fit(StepView& view, const Window& window) {
    const double width = window.to - window.from;
    const std::vector<double> nodes = ChebyshevFit::nodes(width);
    std::vector<std::vector<double>> samples(sides_.size(), std::vector<double>(nodes.size()));
    std::vector<double> noise(sides_.size(), 0.0);
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        value_at(view, window.from + nodes[j], 0);
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            samples[i][j] = view.all[i].value;
            noise[i] = std::max(noise[i], 8.0 * view.all[i].error);
        }
    }
    std::vector<ChebyshevFit> fits;
    for (std::size_t i = 0; i < sides_.size(); ++i) fits.emplace_back(samples[i], width, noise[i]);
    return fits;
}

/// The crossings of one function in one window, with the side it is on kept from window to window.
void Watch::scan(StepView& view, const Window& window, std::size_t i, const ChebyshevFit& fit, std::vector<Crossing>& found) {
    const double width = window.to - window.from;
    const double near = window.from > 0.0 ? BeginBorder::part * width : border.of(view.begin, width);
    const bool surface = i < field_.smooth.mode_count, monitor = i >= first_monitor();
    std::vector<ChebyshevFit::Root> roots = fit.roots();
    std::erase_if(roots, [&](const auto& root) { return root.at <= near || ((surface || monitor) && root.touches); });
    const Crossing::Kind kind = surface ? Crossing::Kind::surface : monitor ? Crossing::Kind::monitor : Crossing::Kind::event;
    const std::size_t number = surface ? i : i - (monitor ? first_monitor() : field_.smooth.mode_count);

    // The side on which the window begins, behind a zero at its very begin.
    const double until = roots.empty() ? width : roots.front().at;
    double largest = fit.value(0.5 * until);
    for (const double x : ChebyshevFit::nodes(width))
        if (x > 0.0 && x < until && std::abs(fit.value(x)) > std::abs(largest)) largest = fit.value(x);
    int& side = view.sides[i];
    const int first = std::abs(largest) <= std::max(fit.noise(), 1e-14 * fit.size()) ? side : sign(largest);
    if (first != 0 && first != side) {
        // An event that was zero at the start of the run is only now on its way.
        if (side != 0) found.push_back({kind, number, window.from, first, false});
        else sides_[i] = first;
        side = first;
    }
    double left = window.from + near;
    for (const auto& root : roots) {
        double tau = window.from + root.at;
        if (!root.touches) {
            const double reach = 1e-6 * width;
            side = -side;
            if (monitor) {  // of these the first one counts, and is refined then
                found.push_back({kind, number, tau, side, false, reach});
                left = tau;
                continue;
            }
            const auto exact = [&](double x) { return value_at(view, x, i); };
            tau = refine_root(exact, std::max(left, tau - reach), std::min(window.to, tau + reach), tau);
        }
        found.push_back({kind, number, tau, side, root.touches});
        left = tau;
    }
}

std::vector<std::size_t> Watch::zero_events(const State& state) {
    std::vector<std::size_t> zeros;
    if (is_empty()) return zeros;
    std::vector<Rounded> now;
    values(state, now);
    for (std::size_t i = field_.smooth.mode_count; i < first_monitor(); ++i)
        if (now[i].value == 0.0 || now[i].is_rounding()) zeros.push_back(i - field_.smooth.mode_count);
    return zeros;
}

void Watch::pass(const Crossing& crossing) {
    const bool surface = crossing.kind == Crossing::Kind::surface;
    if (crossing.kind == Crossing::Kind::monitor) return;
    sides_[surface ? crossing.number : field_.smooth.mode_count + crossing.number] = crossing.side;
    if (!surface) return;
    const Decision& decision = field_.smooth.owner_of(crossing.number, field_.details.system).decision;
    field_.assembler.modes[crossing.number] = crossing.side > 0 ? decision.high : decision.low;
}

}  // namespace lacon
