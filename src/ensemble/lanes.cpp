// All lanes step together. Each step is then judged by itself: accepted, tried again with a shorter
// length, or refused when its checks keep failing. Rows are computed within accepted steps.
#include "ensemble/lanes.hpp"

#include <algorithm>
#include <cmath>

#include "methods/quintic.hpp"

namespace lacon::inline ensemble {

LaneGroup::LaneGroup(const LaneProgram& program, Next next, Done done, Done refused)
    : p_(program),
      next_(std::move(next)),
      done_(std::move(done)),
      refused_(std::move(refused)),
      steps_(make_lane_steps(program.code, program.at, program.n)),
      lanes_(program.code.lanes),
      lengths_(lanes_.size(), 0.0),
      in_(step_inputs(program.at, program.n) * lanes_.size(), 0.0) {}

void LaneGroup::run() {
    for (std::size_t l = 0; l < lanes_.size(); ++l) fill(l);
    while (std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.busy; })) {
        for (std::size_t l = 0; l < lanes_.size(); ++l) load(l);
        steps_->run(in_, lengths_);
        ends_ = steps_->out();
        bool all_fine = true;
        for (std::size_t l = 0; l < lanes_.size(); ++l) {
            all_fine = all_fine && steps_->is_fine(l);
            if (lanes_[l].busy) lanes_[l].verdict = judge(l);
        }
        give_rows();
        for (std::size_t l = 0; l < lanes_.size(); ++l) {
            if (!lanes_[l].busy) continue;
            if (lanes_[l].verdict == Verdict::good) accept(l);
            else if (lanes_[l].verdict == Verdict::refused) {
                refused_(lanes_[l].traveller);
                fill(l);
            }
        }
        if (!all_fine) steps_->forget();
    }
}

/// The next motion, if there is one; an idle lane goes on computing what it had, and nobody looks.
void LaneGroup::fill(std::size_t l) {
    Lane& lane = lanes_[l];
    lane.traveller = {};
    lane.busy = next_(lane.traveller);
    if (!lane.busy) return;
    lane.time = {p_.begin, 0.0};
    lane.control = {p_.code.first_step(p_.end - p_.begin), 1.0, false};
    lane.refusals = 0;
    if (p_.every > 0.0) lane.traveller.motion.rows.push_back(lane.traveller.state);
    const KernelInputs& at = p_.at;
    for (std::size_t i = 0; i < lane.traveller.parameters.size(); ++i)
        in(at.parameters + i, l) = lane.traveller.parameters[i];
    for (std::size_t i = 0; i < p_.floors.size(); ++i) in(at.floors + i, l) = p_.floors[i];
    in(at.count + 1, l) = p_.code.tolerance;
}

void LaneGroup::load(std::size_t l) {
    Lane& lane = lanes_[l];
    if (!lane.busy) return;
    const double left = Clock{p_.end, 0.0}.since(lane.time);
    lengths_[l] = std::min(lane.control.step, left);
    if (lane.traveller.calendar)
        lengths_[l] = lane.traveller.calendar->clear(lane.time.now(), lengths_[l]);
    const State& state = lane.traveller.state;
    for (std::size_t i = 0; i < p_.n; ++i) {
        in(p_.at.q + i, l) = state.q[i];
        in(p_.at.v + i, l) = state.v[i];
    }
    in(p_.at.t, l) = lane.time.now();
}

LaneGroup::Verdict LaneGroup::judge(std::size_t l) {
    Lane& lane = lanes_[l];
    const double error = out(p_.outputs.error, l), length = lengths_[l];
    const bool fine = steps_->is_fine(l) && length > 0.0 && (!(error <= 1.0) || sees_features(l));
    if (fine && error <= 1.0) return Verdict::good;
    ++lane.traveller.motion.rejected;
    // A step that is too long may fail every check; one that is short and fails is not for lanes.
    constexpr int most_refusals = 8;
    lane.refusals = fine ? 0 : lane.refusals + 1;
    const double shortest = 1e-15 * (p_.end - p_.begin);
    if (lane.refusals > most_refusals || !(length >= shortest)) return Verdict::refused;
    if (fine) lane.control.reject(length, error, p_.code.order);
    else lane.control.refuse(length);
    return Verdict::again;
}

/// Whether the ends of a step tell all that the equations may do between them
/// (locate/features.hpp).
bool LaneGroup::sees_features(std::size_t l) {
    Traveller& traveller = lanes_[l].traveller;
    if (!traveller.features) return true;
    end_.t = lanes_[l].time.after(lengths_[l]).now();
    end_.q.resize(p_.n);
    end_.v.resize(p_.n);
    for (std::size_t i = 0; i < p_.n; ++i) {
        end_.q[i] = out(i, l);
        end_.v[i] = out(p_.n + i, l);
    }
    traveller.state.t = lanes_[l].time.now();
    traveller.features->sample(traveller.state, lengths_[l], before_);
    traveller.features->sample(end_, lengths_[l], behind_);
    before_.tau = 0.0;
    behind_.tau = lengths_[l];
    middle_ = end_;
    const double h = lengths_[l], half = 0.5 * h;
    middle_.t = lanes_[l].time.after(half).now();
    for (std::size_t i = 0; i < p_.n; ++i) {
        const std::size_t a =
            p_.outputs.count +
            i;  // behind StepOutputs: the accelerations at both ends (step_code.hpp)
        const Quintic x({traveller.state.q[i], traveller.state.v[i], out(a, l)},
                        {end_.q[i], end_.v[i], out(a + p_.n, l)}, h);
        middle_.q[i] = x.q(half);
        middle_.v[i] = x.v(half);
    }
    operands_.resize(traveller.features->count());
    exponents_.resize(operands_.size());
    traveller.features->sample(middle_, operands_, exponents_);
    return traveller.features->connects(before_, behind_, static_cast<std::size_t>(p_.code.order),
                                        operands_);
}

/// Whether the next row lies within the step, and where.
bool LaneGroup::has_row(std::size_t l, double& tau) const {
    const Lane& lane = lanes_[l];
    if (!lane.busy || lane.verdict != Verdict::good || p_.every <= 0.0) return false;
    const Clock time = grid_time({p_.begin, p_.end, p_.every}, lane.traveller.motion.rows.size());
    tau = time.since(lane.time);
    return time.now() < p_.end && tau <= lengths_[l];  // the last one is where the motion ends
}

void LaneGroup::give_rows() {
    for (std::vector<double> within = lengths_;;) {
        bool any = false;
        std::vector<bool> has(lanes_.size(), false);
        for (std::size_t l = 0; l < lanes_.size(); ++l) {
            double tau = 0.0;
            has[l] = has_row(l, tau);
            within[l] = has[l] ? tau : lengths_[l];
            any = any || has[l];
        }
        if (!any) return;
        steps_->within(in_, within);
        for (std::size_t l = 0; l < lanes_.size(); ++l) {
            if (!has[l]) continue;
            Lane& lane = lanes_[l];
            if (!steps_->is_fine(l)) {
                lane.verdict = Verdict::refused;
                continue;
            }
            State row{lane.time.after(within[l]).now(), {}, {}};
            for (std::size_t i = 0; i < p_.n; ++i)
                row.q.push_back(steps_->out()[i * lanes_.size() + l]);
            for (std::size_t i = 0; i < p_.n; ++i)
                row.v.push_back(steps_->out()[(p_.n + i) * lanes_.size() + l]);
            lane.traveller.motion.rows.push_back(std::move(row));
        }
    }
}

void LaneGroup::accept(std::size_t l) {
    Lane& lane = lanes_[l];
    MemberMotion& motion = lane.traveller.motion;
    State& state = lane.traveller.state;
    for (std::size_t i = 0; i < p_.n; ++i) {
        state.q[i] = out(i, l);
        state.v[i] = out(p_.n + i, l);
    }
    const double length = lengths_[l];
    const bool at_end = length == Clock{p_.end, 0.0}.since(lane.time);
    lane.time = at_end ? Clock{p_.end, 0.0} : lane.time.after(length);
    state.t = lane.time.now();
    ++motion.steps;
    motion.position = std::max(motion.position, out(p_.outputs.position, l));
    motion.velocity = std::max(motion.velocity, out(p_.outputs.velocity, l));
    lane.control.accept(length, out(p_.outputs.error, l), p_.code.order);
    lane.refusals = 0;
    if (!at_end) return;
    motion.in_lanes = true;
    motion.final = state;
    if (p_.every > 0.0) motion.rows.push_back(state);
    done_(lane.traveller);
    fill(l);
}

}  // namespace lacon::ensemble
