// Decisions of sparse systems: their values, branches and sides, element by element.
#include "large/elements/decisions.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline large {

SparseDecisions::SparseDecisions(SparseAssembler& assembler)
    : assembler_(assembler), system_(assembler.system()), at_(system_.smooth->branch_count) {
    for (const Batch& batch : system_.batches) {
        const std::size_t count = system_.smooth->shapes[batch.shape].decisions.size();
        most_ = std::max(most_, count);
        for (std::size_t at = 0; count > 0 && at < batch.size; ++at)
            for (std::size_t d = 0; d < count; ++d)
                at_[system_.smooth->first_branch[batch.elements[at]] + d] = {&batch, at};
    }
}

void SparseDecisions::surfaces(const State& state, std::vector<Rounded>& out) {
    out.resize(at_.size());
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
                for (std::size_t d = 0; d < outputs_.size(); ++d) {
                    const double value = outputs_[d][l];
                    out[first + d] = {value, rounding * std::abs(value)};
                }
            }
        }
    }
}

Rounded SparseDecisions::surface(const State& state, std::size_t branch) {
    const auto [batch, at] = at_[branch];
    const Program& program = system_.smooth->shapes[batch->shape].surfaces;
    slots_.resize(program.slot_count());
    outputs_.resize(program.output_count());
    assembler_.gather(*batch, 0, state, true);  // what all packs share
    assembler_.gather(*batch, at / lane_count, state, true);
    program.run<Lanes>(assembler_.inputs(), slots_, outputs_);
    const std::size_t first = system_.smooth->first_branch[batch->elements[at]];
    const double value = outputs_[branch - first][at % lane_count];
    return {value, rounding * std::abs(value)};
}

void SparseDecisions::settle(const State& state) {
    std::vector<Rounded> now;
    // As settle_element, of all elements at a time: decisions inside others come first.
    for (std::size_t d = 0; d < most_; ++d) {
        surfaces(state, now);
        for (std::size_t branch = 0; branch < at_.size(); ++branch) {
            const auto [batch, at] = at_[branch];
            const std::size_t first = system_.smooth->first_branch[batch->elements[at]];
            if (branch - first != d) continue;
            const Decision& decision = system_.smooth->shapes[batch->shape].decisions[d];
            assembler_.branches[branch] = decision.settled(now[branch].value);
        }
    }
}

}  // namespace lacon::large
