// Samples all surfaces at Chebyshev points of the step and halves windows that the fit does not
// resolve. The first sign change is refined to rounding on the surface itself.
#include "large/decisions.hpp"

#include <algorithm>
#include <cmath>

namespace lacon {

namespace {}  // namespace

LargeDecisions::LargeDecisions(LargeAssembler& assembler)
    : assembler_(assembler),
      system_(assembler.system()),
      sides_(system_.smooth->branch_count, 1),
      at_(sides_.size()) {
    for (const Batch& batch : system_.batches) {
        const std::size_t count = system_.smooth->shapes[batch.shape].decisions.size();
        most_ = std::max(most_, count);
        for (std::size_t at = 0; count > 0 && at < batch.size; ++at)
            for (std::size_t d = 0; d < count; ++d)
                at_[system_.smooth->first_branch[batch.elements[at]] + d] = {&batch, at};
    }
}

void LargeDecisions::surfaces(const State& state, std::vector<double>& out) {
    out.resize(sides_.size());
    for (const Batch& batch : system_.batches) {
        const Program& program = system_.smooth->shapes[batch.shape].surfaces;
        if (program.output_count() == 0) continue;
        slots_.resize(program.slot_count());
        outputs_.resize(program.output_count());
        for (std::size_t pack = 0; pack < batch.packs; ++pack) {
            assembler_.gather(batch, pack, state, true);
            program.run<Lanes>(assembler_.inputs(), slots_, outputs_);
            const std::size_t used = std::min(lane_count, batch.size - pack * lane_count);
            for (std::size_t l = 0; l < used; ++l) {
                const std::size_t first =
                    system_.smooth->first_branch[batch.elements[pack * lane_count + l]];
                for (std::size_t d = 0; d < outputs_.size(); ++d) out[first + d] = outputs_[d][l];
            }
        }
    }
}

double LargeDecisions::surface(const State& state, std::size_t branch) {
    const auto [batch, at] = at_[branch];
    const Program& program = system_.smooth->shapes[batch->shape].surfaces;
    slots_.resize(program.slot_count());
    outputs_.resize(program.output_count());
    assembler_.gather(*batch, 0, state, true);  // what all packs share
    assembler_.gather(*batch, at / lane_count, state, true);
    program.run<Lanes>(assembler_.inputs(), slots_, outputs_);
    return outputs_[branch - system_.smooth->first_branch[batch->elements[at]]][at % lane_count];
}

void LargeDecisions::set(std::size_t branch, int side) {
    sides_[branch] = side;
    const auto [batch, at] = at_[branch];
    const Decision& decision =
        system_.smooth->shapes[batch->shape]
            .decisions[branch - system_.smooth->first_branch[batch->elements[at]]];
    assembler_.branches[branch] = side > 0 ? decision.high : decision.low;
}

void LargeDecisions::settle(const State& state) {
    std::vector<double> now;
    // Decisions inside others come first: each is taken before the surfaces that need it are looked
    // at.
    for (std::size_t d = 0; d < most_; ++d) {
        surfaces(state, now);
        for (std::size_t branch = 0; branch < sides_.size(); ++branch) {
            const auto [batch, at] = at_[branch];
            if (branch - system_.smooth->first_branch[batch->elements[at]] == d)
                set(branch, now[branch] < 0.0 ? -1 : 1);
        }
    }
}

void LargeDecisions::turn(std::size_t branch, const State& state) {
    set(branch, -sides_[branch]);
    if (decision(branch).is_guard) set(branch + 1, surface(state, branch + 1) < 0.0 ? -1 : 1);
}

const Decision& LargeDecisions::decision(std::size_t branch) const {
    return system_.smooth->owner_of(branch, system_.details.system).decision;
}

void LargeDecisions::recall(const std::vector<int>& sides) {
    for (std::size_t branch = 0; branch < sides_.size(); ++branch) set(branch, sides[branch]);
}

std::string LargeDecisions::text(std::size_t branch) const {
    const auto [element, decision] = system_.smooth->owner_of(branch, system_.details.system);
    return text_of(system_.details, element, decision);
}

/// Samples that all lie on the right side, and farther from zero than they vary, need no closer
/// look.
bool LargeDecisions::may_cross(std::size_t branch,
                               const std::vector<std::vector<double>>& samples) const {
    double low = INFINITY, high = -INFINITY;
    for (const std::vector<double>& sample : samples) {
        low = std::min(low, sides_[branch] * sample[branch]);
        high = std::max(high, sides_[branch] * sample[branch]);
    }
    return !(low > 0.5 * (high - low));
}

std::optional<LargeDecisions::Turn> LargeDecisions::first(const Monitors::Path& path,
                                                          const Clock& begin) {
    if (is_empty()) return std::nullopt;
    State state;
    const auto go_to = [&](double tau) {
        path.at(tau, state);
        state.t = begin.after(tau).now();
    };
    std::vector<Window> open{{0.0, path.length, 0}};
    constexpr int most_halvings = 8;
    std::vector<std::vector<double>> samples(ChebyshevFit::degree + 1);
    while (!open.empty()) {  // from left to right
        const Window window = open.back();
        open.pop_back();
        const double width = window.to - window.from;
        const double near = window.from > 0.0 ? BeginBorder::part * width : border.of(begin, width);
        const std::vector<double> nodes = ChebyshevFit::nodes(width);
        for (std::size_t j = 0; j < nodes.size(); ++j) {
            go_to(window.from + nodes[j]);
            surfaces(state, samples[j]);
        }
        std::optional<Turn> found;
        bool resolved = true;
        std::vector<double> values(nodes.size());
        for (std::size_t branch = 0; branch < sides_.size() && resolved; ++branch) {
            if (!may_cross(branch, samples)) continue;
            double size = 0.0;
            for (std::size_t j = 0; j < nodes.size(); ++j) {
                values[j] = samples[j][branch];
                size = std::max(size, std::abs(values[j]));
            }
            if (size == 0.0) continue;  // it stays on its surface
            const ChebyshevFit fit(values, width, 1e-13 * size);
            if (!fit.is_resolved() && window.depth < most_halvings) {
                resolved = false;
                break;
            }
            // The first change of sign behind the begin; without one, or before it, it may be on
            // the wrong side from the begin on.
            double until = width;
            bool changes = false;
            for (const ChebyshevFit::Root& root : fit.roots()) {
                if (root.at <= near || root.touches) continue;
                until = root.at;
                changes = true;
                break;
            }
            const bool wrong = sides_[branch] * fit.value(0.5 * until) < -fit.noise();
            if (!wrong && !changes) continue;
            const double tau = wrong ? window.from : window.from + until;
            if (!found || tau < found->tau) found = Turn{tau, branch};
        }
        if (!resolved) {
            const double middle = 0.5 * (window.from + window.to);
            open.push_back({middle, window.to, window.depth + 1});
            open.push_back({window.from, middle, window.depth + 1});
            continue;
        }
        if (!found) continue;
        if (found->tau > window.from) {
            const double reach = 1e-6 * width;
            const auto exact = [&](double tau) {
                go_to(tau);
                return surface(state, found->branch);
            };
            found->tau = refine_root(exact, std::max(window.from + near, found->tau - reach),
                                     std::min(window.to, found->tau + reach), found->tau);
        }
        return found;
    }
    return std::nullopt;
}

}  // namespace lacon
