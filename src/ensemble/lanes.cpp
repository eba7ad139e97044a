#include "ensemble/lanes.hpp"

#include <algorithm>
#include <cmath>

namespace lacon {

Lanes::Lanes(const LaneProgram& program, Next next, Done done, Done refused)
    : p_(program),
      next_(std::move(next)),
      done_(std::move(done)),
      refused_(std::move(refused)),
      lanes_(program.kernel->lanes()),
      in_(program.kernel->input_count() * lanes_.size(), 0.0),
      out_(program.kernel->out_size()),
      work_(program.kernel->work_size()) {}

void Lanes::run() {
    for (std::size_t l = 0; l < lanes_.size(); ++l) fill(l);
    while (std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.busy; })) {
        for (std::size_t l = 0; l < lanes_.size(); ++l) load(l);
        p_.kernel->run(in_.data(), out_.data(), work_.data());
        for (std::size_t l = 0; l < lanes_.size(); ++l)
            if (lanes_[l].busy) judge(l);
    }
}

/// The next motion, if there is one; an idle lane goes on computing what it had, and nobody looks.
void Lanes::fill(std::size_t l) {
    Lane& lane = lanes_[l];
    lane.traveller = {};
    lane.busy = next_(lane.traveller);
    if (!lane.busy) return;
    lane.time = {p_.begin, 0.0};
    constexpr double careful = 1e-4;  // of the span; it grows sixfold a step
    lane.control = {careful * (p_.end - p_.begin), 1.0, false};
    lane.refusals = 0;
    const KernelInputs& at = p_.at;
    for (std::size_t i = 0; i < lane.traveller.parameters.size(); ++i) in(at.parameters + i, l) = lane.traveller.parameters[i];
    for (std::size_t i = 0; i < p_.floors.size(); ++i) in(at.floors + i, l) = p_.floors[i];
    in(at.count + 1, l) = p_.tolerance;
}

void Lanes::load(std::size_t l) {
    Lane& lane = lanes_[l];
    if (!lane.busy) return;
    const double left = Clock{p_.end, 0.0}.since(lane.time);
    lane.length = std::min(lane.control.step, left);
    const State& state = lane.traveller.state;
    for (std::size_t i = 0; i < p_.n; ++i) {
        in(p_.at.q + i, l) = state.q[i];
        in(p_.at.v + i, l) = state.v[i];
    }
    in(p_.at.t, l) = lane.time.now();
    in(p_.at.count, l) = lane.length;
}

void Lanes::judge(std::size_t l) {
    Lane& lane = lanes_[l];
    const double error = out(p_.outputs.error, l);
    const bool fine = out(p_.outputs.fine, l) == 1.0 && p_.kernel->in_range(out_.data(), l);
    if (fine && error <= 1.0) return accept(l, error);
    ++lane.traveller.motion.rejected;
    // A step that is too long may fail every check; one that is short and fails is not for lanes.
    constexpr int most_refusals = 8;
    lane.refusals = fine ? 0 : lane.refusals + 1;
    const double shortest = 1e-15 * (p_.end - p_.begin);
    if (lane.refusals > most_refusals || lane.length < shortest) {
        refused_(lane.traveller);
        fill(l);
        return;
    }
    if (fine) lane.control.reject(lane.length, error, p_.tableau.order);
    else lane.control.refuse(lane.length);
}

void Lanes::accept(std::size_t l, double error) {
    Lane& lane = lanes_[l];
    MemberMotion& motion = lane.traveller.motion;
    State& state = lane.traveller.state;
    for (std::size_t i = 0; i < p_.n; ++i) {
        state.q[i] = out(i, l);
        state.v[i] = out(p_.n + i, l);
    }
    const bool at_end = lane.length == Clock{p_.end, 0.0}.since(lane.time);
    lane.time = at_end ? Clock{p_.end, 0.0} : lane.time.after(lane.length);
    state.t = lane.time.now();
    ++motion.steps;
    motion.position = std::max(motion.position, out(p_.outputs.position, l));
    motion.velocity = std::max(motion.velocity, out(p_.outputs.velocity, l));
    lane.control.accept(lane.length, error, p_.tableau.order);
    lane.refusals = 0;
    if (!at_end) return;
    motion.in_lanes = true;
    motion.final = state;
    done_(lane.traveller);
    fill(l);
}

}  // namespace lacon
