#include "motion/watch.hpp"

#include <algorithm>
#include <cmath>

namespace lacon {

namespace {

int sign(double x) {
    return x > 0.0 ? 1 : x < 0.0 ? -1 : 0;
}

}  // namespace

Watch::Watch(Field& field, const SolveOptions& options)
    : sides_(field.smooth.mode_count + field.details.model.events.size(), 0),
      field_(field),
      options_(options),
      events_(field.details, values_of(field.details.model.events)) {}

void Watch::values(const State& state, std::vector<Rounded>& out) {
    out.resize(sides_.size());
    if (compiled && compiled->values(state, field_.assembler.modes, out)) return;
    field_.assembler.surfaces(state, out);
    out.resize(sides_.size());
    events_.values(state, options_, std::span(out).subspan(field_.smooth.mode_count));
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
    for (std::size_t i = smooth.mode_count; i < sides_.size(); ++i) sides_[i] = now[i].is_rounding() ? 0 : sign(now[i].value);
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
    std::stable_sort(found.begin(), found.end(), [](const Crossing& a, const Crossing& b) { return a.tau < b.tau; });
    return found;
}

double Watch::value_at(StepView& view, double tau, std::size_t i) {
    view.path.at(tau, view.state);
    view.state.t = view.begin.after(tau).now();
    values(view.state, view.all);
    return view.all[i].value;
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
    const double width = window.to - window.from, border = 1e-9 * width;  // a zero nearer than this to the begin belongs to it
    const bool surface = i < field_.smooth.mode_count;
    std::vector<ChebyshevFit::Root> roots = fit.roots();
    std::erase_if(roots, [&](const auto& root) { return root.at <= border || (surface && root.touches); });
    const Crossing::Kind kind = surface ? Crossing::Kind::surface : Crossing::Kind::event;
    const std::size_t number = surface ? i : i - field_.smooth.mode_count;

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
    double left = window.from + border;
    for (const auto& root : roots) {
        double tau = window.from + root.at;
        if (!root.touches) {
            const double reach = 1e-6 * width;
            const auto exact = [&](double x) { return value_at(view, x, i); };
            tau = refine_root(exact, std::max(left, tau - reach), std::min(window.to, tau + reach), tau);
            side = -side;
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
    for (std::size_t i = field_.smooth.mode_count; i < now.size(); ++i)
        if (now[i].value == 0.0 || now[i].is_rounding()) zeros.push_back(i - field_.smooth.mode_count);
    return zeros;
}

void Watch::pass(const Crossing& crossing) {
    const bool surface = crossing.kind == Crossing::Kind::surface;
    sides_[surface ? crossing.number : field_.smooth.mode_count + crossing.number] = crossing.side;
    if (!surface) return;
    const Decision& decision = field_.smooth.owner_of(crossing.number, field_.details.system).decision;
    field_.assembler.modes[crossing.number] = crossing.side > 0 ? decision.high : decision.low;
}

}  // namespace lacon
