// Fits every event at Chebyshev points, halves windows that are not resolved and refines each sign
// change to rounding. A zero at the very beginning of a window belongs to the window before.
#include "large/watch.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"

namespace lacon {

namespace {

constexpr double noise_of(double size) {
    return 1e-13 * size;
}

int sign(double x) {
    return x > 0.0 ? 1 : x < 0.0 ? -1 : 0;
}

}  // namespace

void LargeWatch::settle(const State& state) {
    if (is_empty()) return;
    std::vector<double> now(sides_.size());
    values_(state, now);
    for (std::size_t i = 0; i < now.size(); ++i)
        sides_[i] = std::abs(now[i]) < 1e-14 ? 0 : sign(now[i]);
}

std::vector<std::size_t> LargeWatch::zeros(const State& state) {
    std::vector<std::size_t> found;
    if (is_empty()) return found;
    std::vector<double> now(sides_.size());
    values_(state, now);
    for (std::size_t i = 0; i < now.size(); ++i)
        if (std::abs(now[i]) < 1e-14) found.push_back(i);
    return found;
}

std::vector<Crossing> LargeWatch::crossings(const Monitors::Path& path, const Clock& begin) {
    std::vector<Crossing> found;
    if (is_empty()) return found;
    State state;
    std::vector<double> now(sides_.size());
    const auto evaluate = [&](double tau) {
        path.at(tau, state);
        state.t = begin.after(tau).now();
        values_(state, now);
    };
    std::vector<int> sides = sides_;
    std::vector<Window> open{{0.0, path.length, 0}};
    constexpr int most_halvings = 8;
    while (!open.empty()) {  // from left to right
        const Window window = open.back();
        open.pop_back();
        const double width = window.to - window.from;
        const std::vector<double> nodes = ChebyshevFit::nodes(width);
        std::vector<std::vector<double>> samples(sides.size(), std::vector<double>(nodes.size()));
        for (std::size_t j = 0; j < nodes.size(); ++j) {
            evaluate(window.from + nodes[j]);
            for (std::size_t i = 0; i < sides.size(); ++i) samples[i][j] = now[i];
        }
        const bool resolved =
            std::all_of(samples.begin(), samples.end(), [&](const std::vector<double>& s) {
                return ChebyshevFit(s, width, noise_of(largest(s))).is_resolved();
            });
        if (!resolved && window.depth < most_halvings) {
            const double middle = 0.5 * (window.from + window.to);
            open.push_back({middle, window.to, window.depth + 1});
            open.push_back({window.from, middle, window.depth + 1});
            continue;
        }
        for (std::size_t i = 0; i < sides.size(); ++i)
            scan(window, i, samples[i], sides, found, [&](double tau) {
                evaluate(tau);
                return now[i];
            });
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Crossing& a, const Crossing& b) { return a.tau < b.tau; });
    return found;
}

/// The crossings of one event in one window, with the side it is on kept from window to window.
void LargeWatch::scan(const Window& window, std::size_t i, const std::vector<double>& samples,
                      std::vector<int>& sides, std::vector<Crossing>& found,
                      const std::function<double(double)>& exact) {
    const double width = window.to - window.from,
                 border = 1e-9 * width;  // a zero nearer than this to the begin belongs to it
    const ChebyshevFit fit(samples, width, noise_of(largest(samples)));
    std::vector<ChebyshevFit::Root> roots = fit.roots();
    std::erase_if(roots, [&](const auto& root) { return root.at <= border; });
    const double until = roots.empty() ? width : roots.front().at;
    double most = fit.value(0.5 * until);
    for (const double x : ChebyshevFit::nodes(width))
        if (x > 0.0 && x < until && std::abs(fit.value(x)) > std::abs(most)) most = fit.value(x);
    int& side = sides[i];
    const int first = std::abs(most) <= fit.noise() ? side : sign(most);
    if (first != 0 && first != side) {
        if (side != 0) found.push_back({Crossing::Kind::event, i, window.from, first, false});
        else sides_[i] = first;  // zero at the start of the run, only now on its way
        side = first;
    }
    double left = window.from + border;
    for (const auto& root : roots) {
        double tau = window.from + root.at;
        if (!root.touches) {
            const double reach = 1e-6 * width;
            side = -side;
            tau = refine_root(exact, std::max(left, tau - reach), std::min(window.to, tau + reach),
                              tau);
        }
        found.push_back({Crossing::Kind::event, i, tau, side, root.touches});
        left = tau;
    }
}

}  // namespace lacon
