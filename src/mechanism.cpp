// The public `Mechanism`: what it is asked for, from the rooms that know it.
#include <algorithm>

#include "lacon/mechanism.hpp"
#include "mechanics/derived_model.hpp"
#include "mechanics/explain.hpp"
#include "pipeline.hpp"
#include "runs.hpp"
#include "state/evaluate.hpp"

namespace lacon {

namespace {

std::shared_ptr<const DerivedModel> build_or_throw(const SourceText& source,
                                                   const Settings& settings) {
    Built built = build(source, settings);
    if (!built.details)
        throw ModelError(render(built.diagnostics, source) + built.unknown_settings);
    return built.details;
}

}  // namespace

std::string_view name_of(Level level) {
    switch (level) {
        case Level::position: return "position";
        case Level::velocity: return "velocity";
        default: return "acceleration";
    }
}

Mechanism Mechanism::load(const std::string& path, const Settings& settings) {
    return Mechanism(build_or_throw(read_source(path), settings));
}

Mechanism Mechanism::parse(const std::string& text, const std::string& name,
                           const Settings& settings) {
    return Mechanism(build_or_throw(SourceText(name, text), settings));
}

const std::string& Mechanism::name() const {
    return details_->name;
}
const std::vector<std::string>& Mechanism::coordinates() const {
    return details_->coordinate_names;
}
const std::vector<std::string>& Mechanism::constraints() const {
    return details_->constraint_names;
}
const std::vector<std::string>& Mechanism::controls() const {
    return details_->control_names;
}
const std::vector<std::string>& Mechanism::actuators() const {
    return details_->actuator_names;
}
std::vector<Level> Mechanism::levels() const {
    return details_->system.levels;
}

double Mechanism::parameter(const std::string& name) const {
    for (const Parameter& p : details_->model.parameters)
        if (p.name == name) return p.value;
    throw std::out_of_range("model '" + details_->name + "' has no parameter '" + name + "'");
}

Start Mechanism::start(const SolveOptions& options) const {
    return find_start(*details_, {}, options);
}

Evaluation Mechanism::evaluate(const State& state, const SolveOptions& options) const {
    const std::size_t n = details_->coordinate_names.size();
    if (state.q.size() != n || state.v.size() != n)
        throw std::invalid_argument("the state must have one q and one v for each coordinate");
    return lacon::evaluate(*details_, state, options);  // motion and solve
}

std::string Mechanism::explain(bool latex) const {
    return lacon::explain(*details_, latex);
}

}  // namespace lacon
