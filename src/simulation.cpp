// The public faces of a session: `Simulation`, and `run`, which keeps the rows.
#include "lacon/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "session.hpp"

namespace lacon {

namespace {

/// What a session holds of a mechanism lives as long as it does.
std::shared_ptr<const DerivedModel> shared(const Mechanism& mechanism) {
    auto keeper = std::make_shared<const Mechanism>(mechanism);
    return {keeper, &keeper->details()};
}

std::unique_ptr<Session> new_session(const Mechanism& mechanism, const RunOptions& options,
                                     std::vector<StartOverride> start, Callbacks callbacks) {
    return std::make_unique<Session>(set_up(shared(mechanism), options), std::move(start),
                                     std::move(callbacks));
}

/// Every value of a state, free to move to the nearest state that meets the constraints.
std::vector<StartOverride> free_values(const State& state) {
    std::vector<StartOverride> values;
    for (std::size_t i = 0; i < state.q.size(); ++i) values.push_back({i, false, true, state.q[i]});
    for (std::size_t i = 0; i < state.v.size(); ++i) values.push_back({i, true, true, state.v[i]});
    return values;
}

RunOptions beginning_at(const Mechanism& mechanism, const State& from, RunOptions options) {
    const std::size_t n = mechanism.coordinates().size();
    if (from.q.size() != n || from.v.size() != n)
        throw std::invalid_argument("the state must have one q and one v for each coordinate");
    if (options.begin && *options.begin != from.t)
        throw std::invalid_argument("a simulation from a state begins at the time of that state");
    options.begin = from.t;
    return options;
}

}  // namespace

Simulation::Simulation(std::unique_ptr<Session> session) : session_(std::move(session)) {}

Simulation::Simulation(const Mechanism& mechanism, const RunOptions& options, Callbacks callbacks)
    : session_(new_session(mechanism, options, {}, std::move(callbacks))) {}

Simulation::Simulation(const Mechanism& mechanism, const State& from, const RunOptions& options,
                       Callbacks callbacks)
    : session_(new_session(mechanism, beginning_at(mechanism, from, options), free_values(from),
                           std::move(callbacks))) {}

Simulation Simulation::resume(const Mechanism& mechanism, std::string_view saved,
                              const RunOptions& options, Callbacks callbacks) {
    SavedRun place = saved_run(saved);
    if (place.mechanism != fingerprint(mechanism.details()))
        throw std::invalid_argument(
            "the simulation was saved from a different mechanism: its text or the values of its "
            "parameters differ");
    if (!runs_here(place.plan))
        throw std::invalid_argument(
            fmt::format("the simulation was compiled for '{}', which this machine does not support",
                        place.plan.options.target.name()));
    place.plan.options.cache = options.cache;
    place.plan.options.controller = options.controller;
    place.plan.options.feedforward = options.feedforward;
    if (options.end) place.plan.end = *options.end;
    place.plan.options.begin = place.plan.begin;
    place.plan.options.end = place.plan.end;
    RunSetup setup = set_up(shared(mechanism), place.plan);
    return Simulation(std::make_unique<Session>(std::move(setup), place, std::move(callbacks)));
}

Simulation::Simulation(const Simulation& other)
    : session_(std::make_unique<Session>(*other.session_)) {}
Simulation& Simulation::operator=(const Simulation& other) {
    if (this != &other) session_ = std::make_unique<Session>(*other.session_);
    return *this;
}
Simulation::Simulation(Simulation&& other) noexcept = default;
Simulation& Simulation::operator=(Simulation&& other) noexcept = default;
Simulation::~Simulation() = default;

void Simulation::set_callbacks(Callbacks callbacks) {
    session_->set_callbacks(std::move(callbacks));
}
bool Simulation::begin() {
    return session_->begin();
}
bool Simulation::step() {
    return session_->step();
}
bool Simulation::propagate_until(double t) {
    return session_->propagate_until(t);
}
const Status& Simulation::run() {
    session_->run();
    session_->look_back();
    return session_->status();
}
void Simulation::interrupt() {
    session_->interrupt();
}
bool Simulation::is_over() const {
    return session_->is_over();
}
std::string Simulation::save() const {
    if (session_->is_made_twice())
        throw std::invalid_argument("a simulation with verify cannot be saved");
    return text_of(session_->saved());
}
const State& Simulation::state() const {
    return session_->state();
}
const Status& Simulation::status() const {
    return session_->status();
}
const Start& Simulation::start() const {
    return session_->start();
}
const std::vector<std::string>& Simulation::names() const {
    return session_->names();
}
double Simulation::end() const {
    return session_->plan().end;
}
std::size_t Simulation::steps() const {
    return session_->steps();
}
MotionSummary Simulation::summary() const {
    return session_->summary();
}

Motion run(const Mechanism& mechanism, const RunOptions& options,
           const std::function<bool(const StepView&)>& on_step) {
    Motion motion;
    const auto keep_row = [&](std::span<const double> row) {
        for (std::size_t i = 0; i < row.size(); ++i) motion.columns[i].push_back(row[i]);
        return true;
    };
    Simulation simulation(mechanism, options, {.on_step = on_step, .on_row = keep_row});
    motion.names = simulation.names();
    motion.columns.resize(motion.names.size());
    motion.status = simulation.run();
    motion.summary = simulation.summary();
    return motion;
}

}  // namespace lacon
