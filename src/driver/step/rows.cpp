// Gives the rows within a step: at the times of the grid, at events, and at the end.
#include "driver/step/rows.hpp"

#include <algorithm>
#include <cmath>

namespace lacon::inline driver {

RowWriter::RowWriter(RunContext& run, SingularGuard& guard, Sink sink)
    : run_(run),
      guard_(guard),
      sink_(std::move(sink)),
      outputs_(run.backend.make_observables(values_of(run.details.model.outputs))) {
    const DerivedModel& details = run.details;
    names_.reserve(1 + 2 * details.coordinate_names.size() + details.model.outputs.size());
    names_.push_back("t");
    for (const std::string& name : details.coordinate_names) names_.push_back(name);
    for (const std::string& name : details.coordinate_names) names_.push_back(name + "'");
    for (const Output& output : details.model.outputs) names_.push_back(output.name);
    for (const std::string& name : details.control_names) names_.push_back(name + ".effort");
    row_.resize(names_.size());
}

void RowWriter::set_diagnosis(ConditionWatch& diagnosis) {
    diagnosis_ = &diagnosis;
    for (const char* name : ConditionWatch::columns) names_.push_back(name);
    row_.resize(names_.size());
}

void RowWriter::keep(Snapshot& snapshot) const {
    snapshot.next_row = next_;
    snapshot.rows = count_;
    snapshot.last_row = last_;
}

void RowWriter::recall(const Snapshot& snapshot) {
    next_ = snapshot.next_row;
    count_ = snapshot.rows;
    last_ = snapshot.last_row;
    if (count_ > 0 || next_ == 0) return;
    const RunPlan& plan = run_.plan;  // nobody took rows until now
    next_ = static_cast<std::uint64_t>((snapshot.time.now() - plan.begin) / plan.every) + 1;
    last_ = snapshot.time.now();
}

Clock RowWriter::grid_time(std::uint64_t i) const {
    return lacon::grid_time({run_.plan.begin, run_.plan.end, run_.plan.every}, i);
}

bool RowWriter::has_within(double tau) const {
    return sink_ && last_ < run_.plan.end &&
           grid_time(next_).since(run_.step.base->time) <= tau * (1.0 + 1e-15);  // its last places
}

bool RowWriter::give(double tau, const std::vector<Crossing>& crossings, Watch& watch,
                     const Source& source) {
    const Field::Counters counters = run_.field.counters;  // rows are no work of the motion
    const Clock begin = run_.step.base->time;
    given_.reset();
    auto event = crossings.begin();
    bool goes_on = true;
    for (;;) {
        if (run_.field.stops()) {
            stop(begin);
            goes_on = false;
            break;
        }
        while (event != crossings.end() && event->kind != Crossing::Kind::event) ++event;
        const bool has_event = event != crossings.end() && event->tau <= tau;
        const bool has_row = has_within(tau);
        const Clock row = grid_time(next_);
        const double until_row = row.since(begin);
        if (has_event && (!has_row || event->tau < until_row)) {
            const double t = begin.after(event->tau).now();
            const Event& of = run_.details.model.events[event->number];
            const bool counts = !event->jumps && of.counts(event->side, event->touches);
            if (counts) run_.add_event({t, "event", of.name});
            if (counts && sink_ && t > last_) give_at(event->tau, t, tau, source);
            if (!event->touches) watch.pass(*event);
            ++event;
        } else if (has_row) {
            if (row.now() > last_) give_at(std::min(until_row, tau), row.now(), tau, source);
            ++next_;
        } else {
            break;
        }
    }
    run_.field.counters = counters;
    return goes_on;
}

/// Ends the run amid a step, at the last row that was given.
void RowWriter::stop(const Clock& begin) {
    if (given_) {
        Base& base = *run_.step.base;
        base.state = *given_;
        base.time = begin.after(given_->t - begin.now());
    }
    run_.interrupt();
}

/// The row at a place of the step, which ends at `end`.
void RowWriter::give_at(double tau, double t, double end, const Source& source) {
    State state = run_.step.end_state;
    if (tau < end) {
        source.at(tau, state);
        state.t = t;
        if (source.rows && give_compiled(state, *source.rows)) return;
        bring_to_constraints(state, source);
    }
    state.t = t;
    give(state);
}

void RowWriter::bring_to_constraints(State& state, const Source& source) {
    // Some ten units in the last place: nothing to gain, and most rows are spared a projection.
    constexpr double good_enough = 1e-14;
    Projector &there = *run_.step.there, &beside = *run_.step.beside;
    if (!source.is_compiled) {
        there.measure(state);
        const bool is_met =
            there.left.position <= good_enough && there.left.velocity <= good_enough;
        if (is_met || !run_.plan.projects()) return run_.account.note_residuals(there);
    }
    State moved = state;
    beside.added_mass = source.method.added_mass();
    beside.weak = guard_.weak_direction();
    if (beside.project(moved) == Outcome::ok) {
        state = moved;
        run_.account.note_residuals(beside);
    } else if (!source.is_compiled) {
        run_.account.note_residuals(there);
    }
}

void RowWriter::give_first(const State& state) {
    give(state);
    next_ = 1;
}

void RowWriter::give(const State& state) {
    if (!sink_) return;
    outputs_->values(state, run_.plan.options.solve, output_columns());
    send(state);
}

/// A row within compiled steps, brought onto the constraints and observed by compiled code; false
/// where that refuses.
bool RowWriter::give_compiled(State& state, FastRows& rows) {
    if (!rows.run(state, output_columns())) return false;
    run_.account.note_left(rows.left());
    send(state);
    return true;
}

/// The outputs stand in the row already.
void RowWriter::send(const State& state) {
    const std::size_t n = run_.field.n();
    row_[0] = state.t;
    std::copy(state.q.begin(), state.q.end(), row_.begin() + 1);
    std::copy(state.v.begin(), state.v.end(), row_.begin() + 1 + static_cast<std::ptrdiff_t>(n));
    if (monitors_)
        monitors_->row(state, std::span(row_).subspan(1 + 2 * n + outputs_->count(),
                                                      run_.details.control_names.size()));
    if (diagnosis_) diagnosis_->row(state, std::span(row_).last(ConditionWatch::column_count));
    last_ = state.t;
    given_ = state;
    ++count_;
    sink_(row_);
}

}  // namespace lacon::driver
