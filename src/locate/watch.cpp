// Fits every watched function at Chebyshev points, in windows that are halved until the fit is
// sure. Windows are cut at kinks. Sign changes are refined to rounding and told from jumps and
// poles.
#include "locate/watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "locate/golden.hpp"

namespace lacon::inline locate {

namespace {

int sign(double x) {
    return x > 0.0 ? 1 : x < 0.0 ? -1 : 0;
}

/// Between the places of a fit; no two of them are further apart than twice what equal spacing
/// would be.
std::vector<ChebyshevFit::Root> sign_changes(const ChebyshevFit& fit, double width) {
    std::vector<ChebyshevFit::Root> found;
    const std::vector<double> nodes = ChebyshevFit::nodes(width);
    // Where values overflow, or |x|/x has none at its jump, there is no polynomial to ask.
    const bool is_finite = std::isfinite(fit.size());
    const auto at = [&](std::size_t j) { return is_finite ? fit.value(nodes[j]) : fit.sample(j); };
    std::size_t last = 0;
    for (std::size_t j = 1; j < nodes.size(); ++j) {
        if (std::isnan(at(j))) continue;
        if (!std::isnan(at(last)) && (at(last) < 0.0) != (at(j) < 0.0))
            found.push_back({0.5 * (nodes[last] + nodes[j]), false});
        last = j;
    }
    return found;
}

/// Whether a function grows without bound from both sides towards the place where its sign changes.
bool is_pole(const std::function<double(double)>& f, double tau, const StepPath& path,
             double time) {
    constexpr double
        step = 100.0,
        growth = 1.5;  // of |f| within a step nearer: x^-0.1 has this, a jump 1, a zero less
    // What is told apart lies well above the rounding of the place itself.
    const double near = std::max(1e-11 * path.length,
                                 256.0 * std::numeric_limits<double>::epsilon() * std::abs(time));
    bool found = false;  // at the end of a step, from one side
    for (const double side : {-near, near}) {
        const double far = tau + step * side;
        if (far < 0.0 || far > path.length) continue;
        if (!(std::abs(f(tau + side)) >= growth * std::abs(f(far)))) return false;
        found = true;
    }
    return found;
}

/// Whether a function jumps where its sign changes: it changes by as much within a little as within
/// much less, by more than rounding may, and still so between times that doubles hardly tell apart.
/// `size`: of its values.
bool is_jump(const std::function<Rounded(double)>& f, double tau, const Monitors::Path& path,
             double time, double size) {
    constexpr double much = 1e-6;   // of the values: a smaller jump is not looked for
    constexpr double sure = 100.0;  // times a first-order bound, which is none where it is large
    const double last_place =
        std::numeric_limits<double>::epsilon() * (std::abs(time) + path.length);
    // Far above the rounding of the place, far below the scale of the motion. Not critical.
    const double near = std::max(1e-11 * path.length, 4096.0 * last_place), far = 100.0 * near;
    double noise = 0.0;  // where it was looked at last; nearer, that of |x|/x has no bound
    const auto change_within = [&](double d) {
        const Rounded behind = f(std::min(path.length, tau + d)),
                      before = f(std::max(0.0, tau - d));
        noise = std::max(behind.error, before.error);
        return std::abs(behind.value - before.value);
    };
    const Rounded behind = f(std::min(path.length, tau + near));
    if (tau == 0.0 || (tau < near && !(f(0.0).value * behind.value < 0.0)))
        return std::abs(behind.value) >  // it jumped where the last step ended
               std::max(much * size, sure * behind.error);
    const double narrow = change_within(near);
    if (narrow == INFINITY) return true;  // to where a function overflows
    const double least = std::max(much * (std::isfinite(size) ? size : narrow), sure * noise);
    if (!(narrow > least && change_within(far) < 10.0 * narrow)) return false;
    // A steep zero loses most of its change here. Some distances, as a place that is rounded may
    // lie on the wrong side of the jump.
    double most = 0.0;
    for (const double places : {16.0, 32.0, 64.0, 128.0})
        most = std::max(most, change_within(places * last_place));
    return most >= 0.5 * narrow;
}

/// Whether a function that begins at zero goes to this side first, where its fit has nothing but
/// the other one: a window in which it grows by some powers of ten hides a dip at its begin.
bool hides_begin(const std::function<Rounded(double)>& f, const ChebyshevFit& fit, int side,
                 double width) {
    if (side == 0 || sign(fit.sample(1)) != -side) return false;
    const double near = BeginBorder::part * width;
    double until = width;
    for (const ChebyshevFit::Root& root : fit.roots())
        if (root.at > near) until = std::min(until, root.at);
    if (sign(fit.value(0.5 * until)) != -side) return false;
    for (double tau = 0.5 * until; tau > near; tau *= 0.5) {
        const Rounded y = f(tau);
        if (sign(y.value) == side && !y.is_rounding()) return true;
    }
    return false;
}

}  // namespace

Watch::Watch(Field& field, std::unique_ptr<Observables> events, const SolveOptions& options,
             Monitors* monitors)
    : field_(field),
      sides_(field.smooth.branch_count + field.details.model.events.size() +
                 (monitors ? monitors->count() : 0),
             0),
      options_(options),
      events_(std::move(events)),
      monitors_(monitors),
      features_(FeatureSet::of_watched(field.details)),
      switching_(field.details) {}

void Watch::values(const State& state, std::vector<Rounded>& out) {
    const std::size_t own = first_monitor();
    out.resize(own);
    if (!compiled || !compiled->values(state, field_.branches(), out)) {
        field_.surfaces(state, out);
        out.resize(own);
        events_->values(state, options_, std::span(out).subspan(field_.smooth.branch_count));
    }
    out.resize(sides_.size());
    if (monitors_) monitors_->values(state, std::span(out).subspan(own));
}

void Watch::settle(const State& state) {
    std::vector<Rounded> now;
    const SmoothSystem& smooth = field_.smooth;
    const auto& elements = field_.details.system.elements;
    // Decisions inside others come first: each branch is set before the surfaces that need it are
    // taken.
    for (std::size_t e = 0; e < elements.size(); ++e) settle_element(state, e, smooth.branch_count);
    values(state, now);
    for (std::size_t i = smooth.branch_count; i < first_monitor(); ++i)
        sides_[i] = now[i].is_rounding() ? 0 : sign(now[i].value);
    std::fill(sides_.begin() + static_cast<std::ptrdiff_t>(first_monitor()), sides_.end(), 1);
}

void Watch::settle_element(const State& state, std::size_t element, std::size_t but) {
    lacon::settle_element(
        field_.smooth, field_.details.system, element, field_.branches(),
        [&](std::size_t branch) { return field_.surface(state, branch).value; },
        [&](std::size_t branch, const Decision& decision, double value) {
            sides_[branch] = decision.side(value);
        },
        but);
}

void Watch::settle_beside(const State& state, std::size_t branch) {
    settle_element(state, field_.smooth.element_of(branch), branch);
}

void Watch::settle(const State& state, std::size_t branch) {
    const Decision& decision = field_.smooth.owner_of(branch, field_.details.system).decision;
    const double now = field_.surface(state, branch).value;
    sides_[branch] = decision.side(now);
    field_.branches()[branch] = decision.settled(now);
}

std::vector<Crossing> Watch::crossings(const Path& path, const Clock& begin) {
    std::vector<Crossing> found;
    if (is_empty()) return found;
    if (monitors_) {
        monitors_->follow(field_.branches());
        monitors_->look(path, begin);
        if (const Sight* sight = monitors_->sight()) features_.leave_out(*sight);
    }
    StepView view{path, begin, sides_, {}, {}, {}, {}, {}, {}, {}};
    std::vector<Window> open{{0.0, path.length, 0}};
    constexpr int most_halvings = 12, most_for_features = 40;
    const double seam = 1e-12 * path.length +
                        4e-16 * std::abs(begin.now());  // half the width left out around a switch
    while (!open.empty()) {                             // from left to right
        const Window window = open.back();
        open.pop_back();
        const auto halve = [&] {
            // Not where a run to the end of something has its jumps: at the half, the quarter, ….
            constexpr double half = 0.4997;
            const double middle = window.from + half * (window.to - window.from);
            open.push_back({middle, window.to, window.depth + 1});
            open.push_back({window.from, middle, window.depth + 1});
        };
        if (!features_.is_empty() && window.depth < most_for_features &&
            !sees_features(view, window)) {
            halve();
            continue;
        }
        if (!switching_.is_empty() && !window.is_seam && window.to - window.from > 4.0 * seam) {
            const Switch next = first_switch(view, window);
            if (!next.is_resolved && window.depth < most_halvings) {
                halve();
                continue;
            }
            if (std::isfinite(next.at)) {  // what is watched is smooth before it, and behind it
                const double left = std::max(window.from, next.at - seam),
                             right = std::min(window.to, next.at + seam);
                if (right < window.to) open.push_back({right, window.to, window.depth});
                open.push_back({left, right, window.depth, true});
                if (left > window.from) open.push_back({window.from, left, window.depth, false});
                continue;
            }
        }
        const std::vector<ChebyshevFit> fits = fit(view, window);
        bool resolved = true, hides = false;
        for (std::size_t i = 0; i < fits.size() && resolved && !window.is_seam; ++i) {
            if (is_out(view, i)) continue;
            resolved = fits[i].is_resolved() && !has_doubt(view, window, i, fits[i]);
            const auto exact = [&](double tau) { return rounded_at(view, tau, i); };
            hides = resolved && window.from == 0.0 &&
                    hides_begin(exact, fits[i], view.sides[i], window.to);
            resolved = resolved && !hides;
        }
        if (!resolved && window.depth < (hides ? most_for_features : most_halvings)) {
            halve();
            continue;
        }
        for (std::size_t i = 0; i < fits.size(); ++i) {
            if (is_out(view, i) || (window.is_seam && touches_at_kink(view, window, i))) continue;
            scan(view, window, i, fits[i], found);
        }
        if (std::any_of(found.begin(), found.end(),
                        [&](const Crossing& c) { return ends_step(c); }))
            break;
    }
    found.insert(found.end(), view.touched.begin(), view.touched.end());
    refine_monitors(view, found);
    std::stable_sort(found.begin(), found.end(),
                     [](const Crossing& a, const Crossing& b) { return a.tau < b.tau; });
    // A zero that is touched at the border of two windows is seen in both.
    const double same = 1e-6 * path.length;
    const auto again = [&](const Crossing& a, const Crossing& b) {
        return a.kind == b.kind && a.number == b.number && a.touches && b.touches &&
               b.tau - a.tau <= same;
    };
    found.erase(std::unique(found.begin(), found.end(), again), found.end());
    return found;
}

bool Watch::ends_step(const Crossing& crossing) const {
    switch (crossing.kind) {
        case Crossing::Kind::surface: return true;
        case Crossing::Kind::monitor: return crossing.side < 0;
        case Crossing::Kind::event: break;
    }
    const Event& event = field_.details.model.events[crossing.number];
    return event.stop && !crossing.touches && !crossing.jumps &&
           event.counts(crossing.side, crossing.touches);
}

/// The motion of a mode ends with the first of its monitors: only those that may be the first are
/// found to rounding, the others are left out. One that comes back above zero is none.
void Watch::refine_monitors(StepView& view, std::vector<Crossing>& found) {
    double first = INFINITY;
    for (const Crossing& c : found)
        if (c.kind == Crossing::Kind::monitor && c.side < 0)
            first = std::min(first, c.tau + c.reach);
    std::erase_if(found, [&](const Crossing& c) {
        return c.kind == Crossing::Kind::monitor && (c.side > 0 || c.tau - c.reach > first);
    });
    for (Crossing& c : found) {
        if (c.kind != Crossing::Kind::monitor || c.reach == 0.0) continue;
        const auto exact = [&](double x) { return monitor_at(view, x, c.number); };
        c.tau = refine_root(exact, std::max(0.0, c.tau - c.reach),
                            std::min(view.path.length, c.tau + c.reach), c.tau);
        c.reach = 0.0;
        const auto rounded = [&](double x) {  // the noise of a fit is 8 times the error
            return Rounded(exact(x), 0.125 * view.noises[c.number]);
        };
        if (!monitors_->continuous(c.number).empty())
            c.jumps = is_jump(rounded, c.tau, view.path, view.begin.now(), view.sizes[c.number]);
    }
}

/// Whether a function goes to the other side of zero beside an extremum that is zero for the fit.
bool Watch::goes_beyond(const std::function<Rounded(double)>& f, const Window& window,
                        const ChebyshevFit::Root& touch) {
    // The fit places an extremum to less; its minimum is searched to 1e-9 of that.
    const double reach = 1e-3 * (window.to - window.from), at = window.from + touch.at;
    const double from = std::max(window.from, at - reach), to = std::min(window.to, at + reach);
    const int side = sign(f(from).value);
    const Rounded lowest =
        f(lowest_place([&](double tau) { return side * f(tau).value; }, from, to, 1e-9 * reach));
    return side * lowest.value < 0.0 && !lowest.is_rounding();
}

/// Whether zeros may lie so close together that a smaller window is needed to tell them apart:
/// beside an extremum that is zero for this window, and beyond zero in truth.
bool Watch::has_doubt(StepView& view, const Window& window, std::size_t i,
                      const ChebyshevFit& fit) {
    const std::vector<ChebyshevFit::Root> roots = fit.roots();
    if (errs_between(view, window, i, fit, roots)) return true;
    const auto exact = [&](double tau) { return rounded_at(view, tau, i); };
    for (const ChebyshevFit::Root& root : roots) {
        if (!root.is_doubtful) continue;
        if (!root.touches) return fit.can_be_finer();
        if (goes_beyond(exact, window, root)) return true;
    }
    return false;
}

/// Whether a fit has another sign than its function between two zeros, where none of its places
/// tells: there the fit's own error decides, as where a gap grows from zero with the third power of
/// time.
bool Watch::errs_between(StepView& view, const Window& window, std::size_t i,
                         const ChebyshevFit& fit, const std::vector<ChebyshevFit::Root>& roots) {
    const std::vector<double> nodes = ChebyshevFit::nodes(window.to - window.from);
    double from = 0.0;
    for (std::size_t k = 0; k <= roots.size() && !roots.empty(); ++k) {
        const double to = k < roots.size() ? roots[k].at : nodes.back();
        const bool known =
            std::any_of(nodes.begin(), nodes.end(), [&](double x) { return x > from && x < to; });
        const double middle = 0.5 * (from + to), y = fit.value(middle);
        from = to;
        if (known || to <= BeginBorder::part * nodes.back() || std::abs(y) <= fit.noise()) continue;
        if (sign(value_at(view, window.from + middle, i)) != sign(y)) return true;
    }
    return false;
}

/// An event that comes to zero just where a decision within it turns, and stays on its side: abs(x
/// − 5).
bool Watch::touches_at_kink(StepView& view, const Window& window, std::size_t i) {
    if (i < field_.smooth.branch_count || i >= first_monitor() || window.to >= view.path.length)
        return false;
    const int before = sign(value_at(view, window.from, i)),
              behind = sign(value_at(view, window.to, i));
    if (before == 0 || before != behind || before != view.sides[i]) return false;
    const double middle = value_at(view, 0.5 * (window.from + window.to), i);
    // A bound that is infinite, as that of acos at 1, makes nothing zero.
    const bool is_rounding = view.all[i].is_rounding() && std::isfinite(view.all[i].error);
    if (middle != 0.0 && !is_rounding) return false;
    view.touched.push_back({Crossing::Kind::event, i - field_.smooth.branch_count,
                            0.5 * (window.from + window.to), before, true});
    return true;
}

double Watch::value_at(StepView& view, double tau, std::size_t i) {
    view.path.at(tau, view.state);
    view.state.t = view.begin.after(tau).now();
    if (i < field_.smooth.branch_count && field_.tells_one_surface()) {
        view.all.resize(sides_.size());
        view.all[i] = field_.surface(view.state, i);
    } else {
        values(view.state, view.all);
    }
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
    std::vector<std::vector<double>> samples(sides_.size());
    std::vector<double> noise(sides_.size(), 0.0);
    for (std::size_t i = 0; i < sides_.size(); ++i)
        if (!is_far(i)) samples[i].resize(nodes.size());
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        view.path.at(window.from + nodes[j], view.state);
        view.state.t = view.begin.after(window.from + nodes[j]).now();
        values(view.state, view.all);
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            if (samples[i].empty()) continue;
            samples[i][j] = view.all[i].value;
            noise[i] = std::max(noise[i], 8.0 * view.all[i].error);  // of sums of several
        }
    }
    if (field_.tells_one_surface()) leave_out_calm(view, samples);
    std::vector<ChebyshevFit> fits;
    fits.reserve(sides_.size());
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        if (samples[i].empty()) fits.emplace_back();
        else fits.emplace_back(samples[i], width, noise[i]);
    }
    return fits;
}

/// Of many surfaces most are on the right side of zero all along, and farther from it than they
/// vary: those need no fit.
void Watch::leave_out_calm(StepView& view, std::vector<std::vector<double>>& samples) const {
    view.calm.assign(field_.smooth.branch_count, false);
    for (std::size_t i = 0; i < view.calm.size(); ++i) {
        double low = INFINITY, high = -INFINITY;
        for (const double x : samples[i]) {
            low = std::min(low, view.sides[i] * x);
            high = std::max(high, view.sides[i] * x);
        }
        view.calm[i] = low > 0.5 * (high - low) || (low == 0.0 && high == 0.0);
        if (view.calm[i]) samples[i].clear();
    }
}

/// The first place in a window where a switching function passes zero, away from the window's ends.
Watch::Switch Watch::first_switch(StepView& view, const Window& window) {
    const double width = window.to - window.from;
    const std::vector<double> nodes = ChebyshevFit::nodes(width);
    std::vector<std::vector<double>> samples(switching_.count(), std::vector<double>(nodes.size()));
    std::vector<double> noise(switching_.count(), 0.0);
    view.switching.resize(switching_.count());
    const auto sample = [&](double tau) {
        view.path.at(tau, view.state);
        view.state.t = view.begin.after(tau).now();
        switching_.values(view.state, options_, view.switching);
    };
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        sample(window.from + nodes[j]);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i][j] = view.switching[i].value;
            noise[i] = std::max(noise[i], 8.0 * view.switching[i].error);  // of sums of several
        }
    }
    Switch first;
    const double near = BeginBorder::part * width;
    const bool ends_step = window.to == view.path.length;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const ChebyshevFit fit(samples[i], width, noise[i]);
        first.is_resolved = first.is_resolved && fit.is_resolved();
        if (ends_step && std::abs(samples[i].back()) <= noise[i])
            first.at = std::min(first.at, window.to);
        const auto exact = [&](double x) {
            sample(x);
            return view.switching[i];
        };
        for (const ChebyshevFit::Root& root : fit.roots()) {
            if (root.touches) {  // max(0, 1 − x²) of a narrow thing far from it
                first.is_resolved = first.is_resolved && !goes_beyond(exact, window, root);
                continue;
            }
            if (root.at <= near || root.at >= width - near) continue;
            // The fit errs by less (ChebyshevFit::is_resolved).
            const double tau = window.from + root.at, reach = 1e-6 * width;
            first.at = std::min(first.at, refine_root([&](double x) { return exact(x).value; },
                                                      std::max(window.from, tau - reach),
                                                      std::min(window.to, tau + reach), tau));
            break;
        }
    }
    return first;
}

/// Whether the places of a fit are near enough to each other for the features of what is watched
/// (expr/feature.hpp).
bool Watch::sees_features(StepView& view, const Window& window) {
    constexpr std::size_t order = ChebyshevFit::degree / 4;
    const double width = window.to - window.from;
    const std::vector<double> nodes = ChebyshevFit::nodes(width);
    // By the window alone: what it takes for rates may not reach far beyond it.
    const StepPath within{[&](double tau, State& out) { view.path.at(window.from + tau, out); },
                          width};
    const Clock begin = view.begin.after(window.from);
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        std::swap(sample_, sample_before_);
        features_.sample(within, begin, nodes[j], sample_);
        if (j > 0 && !features_.connects(sample_before_, sample_, order)) return false;
    }
    return true;
}

/// The crossings of one function in one window, with the side it is on kept from window to window.
void Watch::scan(StepView& view, const Window& window, std::size_t i, const ChebyshevFit& fit,
                 std::vector<Crossing>& found) {
    const double width = window.to - window.from;
    const double near =
        window.from > 0.0 ? BeginBorder::part * width : border.of(view.begin, width);
    const bool surface = i < field_.smooth.branch_count, monitor = i >= first_monitor();
    // Where no polynomial fits, as at a jump, only the signs at the places of the fit count.
    std::vector<ChebyshevFit::Root> roots =
        fit.is_resolved() ? fit.roots() : sign_changes(fit, width);
    std::erase_if(roots, [&](const auto& root) {
        return root.at <= near || ((surface || monitor) && root.touches);
    });
    const double second = ChebyshevFit::nodes(width)[1];
    if (!fit.is_resolved() && window.from == 0.0 && !roots.empty() && roots.front().at < second &&
        sign(value_at(view, near, i)) == sign(value_at(view, second, i)))
        roots.erase(roots.begin());  // it jumped at the very begin
    const Crossing::Kind kind = surface   ? Crossing::Kind::surface
                                : monitor ? Crossing::Kind::monitor
                                          : Crossing::Kind::event;
    const std::size_t number =
        surface ? i : i - (monitor ? first_monitor() : field_.smooth.branch_count);

    // The side on which the window begins, behind a zero at its very begin.
    const double until = roots.empty() ? width : roots.front().at;
    // A hundredth of the way: of a fit that is not resolved no value is known.
    double largest = fit.is_resolved()
                         ? fit.value(0.5 * until)
                         : value_at(view, window.from + std::max(near, 0.01 * until), i);
    for (const double x : ChebyshevFit::nodes(width))
        if (x > 0.0 && x < until && std::abs(fit.value(x)) > std::abs(largest))
            largest = fit.value(x);
    int& side = view.sides[i];
    // Below some roundings of the fit's values the side is the one that it had.
    const int first =
        std::abs(largest) <= std::max(fit.noise(), 1e-14 * fit.size()) ? side : sign(largest);
    if (first != 0 && first != side) {
        // An event that was zero at the start of the run is only now on its way.
        const auto exact = [&](double x) { return value_at(view, x, i); };
        const auto rounded = [&](double x) { return rounded_at(view, x, i); };
        const bool jumps =
            kind == Crossing::Kind::event &&
            (is_jump(rounded, window.from, view.path, view.begin.now(), fit.size()) ||
             is_pole(exact, window.from, view.path, view.begin.now()));
        if (side != 0) found.push_back({kind, number, window.from, first, false, 0.0, jumps});
        else sides_[i] = first;
        side = first;
    }
    double left = window.from + near;
    for (const auto& root : roots) {
        double tau = window.from + root.at;
        bool jumps = false;
        if (root.touches && kind == Crossing::Kind::event)  // beside a pole all is rounding
            jumps = is_pole([&](double x) { return value_at(view, x, i); }, tau, view.path,
                            view.begin.after(tau).now());
        if (!root.touches) {
            // A resolved fit errs by less; else the root is between two nodes.
            const double reach = fit.is_resolved() ? 1e-6 * width : width / ChebyshevFit::degree;
            side = -side;
            if (monitor) {  // of these the first one counts, and is refined then
                view.sizes.resize(monitors_->count(), 0.0);
                view.noises.resize(monitors_->count(), 0.0);
                view.sizes[number] = std::max(view.sizes[number], fit.size());
                view.noises[number] = std::max(view.noises[number], fit.noise());
                const auto gap = [&](double x) { return monitor_at(view, x, number); };
                const double low = std::max(left, tau - reach),
                             high = std::min(window.to, tau + reach);
                // A jump lies elsewhere than where a fit puts it. Among values that are little more
                // than noise the fit knows best.
                constexpr double clearly = 1e6;
                if (fit.size() > clearly * fit.noise() && sign(gap(low)) == sign(gap(high)) &&
                    sign(gap(left)) != sign(gap(window.to)))
                    tau = refine_root(gap, left, window.to, tau);
                found.push_back({kind, number, tau, side, false, reach});
                left = tau;
                continue;
            }
            const auto exact = [&](double x) { return value_at(view, x, i); };
            double from = std::max(left, tau - reach), to = std::min(window.to, tau + reach);
            if (sign(exact(from)) == sign(exact(to))) {  // a fit within much noise
                from = left;
                to = window.to;
            }
            tau = refine_root(exact, from, to, tau);
            jumps = kind == Crossing::Kind::event &&
                    (is_jump([&](double x) { return rounded_at(view, x, i); }, tau, view.path,
                             view.begin.now(), fit.size()) ||
                     is_pole(exact, tau, view.path, view.begin.after(tau).now()));
        }
        found.push_back({kind, number, tau, side, root.touches, 0.0, jumps});
        left = tau;
    }
}

std::vector<std::size_t> Watch::zero_events(const State& state) {
    std::vector<std::size_t> zeros;
    if (is_empty()) return zeros;
    std::vector<Rounded> now;
    values(state, now);
    for (std::size_t i = field_.smooth.branch_count; i < first_monitor(); ++i)
        if (now[i].value == 0.0 || now[i].is_rounding())
            zeros.push_back(i - field_.smooth.branch_count);
    return zeros;
}

void Watch::pass(const Crossing& crossing) {
    const bool surface = crossing.kind == Crossing::Kind::surface;
    if (crossing.kind == Crossing::Kind::monitor) return;
    sides_[surface ? crossing.number : field_.smooth.branch_count + crossing.number] =
        crossing.side;
    if (!surface) return;
    const Decision& decision =
        field_.smooth.owner_of(crossing.number, field_.details.system).decision;
    field_.branches()[crossing.number] = crossing.side > 0 ? decision.high : decision.low;
}

void Watch::turn(const Crossing& crossing, const State& state) {
    const Decision& decision =
        field_.smooth.owner_of(crossing.number, field_.details.system).decision;
    const double branch = field_.branches()[crossing.number];
    const double behind = decision.counts() ? field_.surface(state, crossing.number).value : 0.0;
    pass(crossing);
    if (decision.is_guard) return settle(state, crossing.number + 1);
    if (!decision.counts()) return;
    field_.branches()[crossing.number] = decision.counted(branch, behind);
    sides_[crossing.number] = 1;
}

/// Checkpoints of earlier versions may have fewer monitors: the others are positive, as all are
/// while a mode lasts.
void Watch::recall(const std::vector<int>& sides) {
    std::fill(sides_.begin(), sides_.end(), 1);
    std::copy_n(sides.begin(), std::min(sides.size(), sides_.size()), sides_.begin());
}

std::vector<int> Watch::event_sides() const {
    const auto first = sides_.begin() + static_cast<std::ptrdiff_t>(first_event());
    return {first, first + static_cast<std::ptrdiff_t>(field_.details.model.events.size())};
}

void Watch::recall_events(const std::vector<int>& sides) {
    const std::size_t count = std::min(sides.size(), field_.details.model.events.size());
    std::copy_n(sides.begin(), count, sides_.begin() + static_cast<std::ptrdiff_t>(first_event()));
}

}  // namespace lacon::locate
