// The public `Mechanism`: what it is asked for, from the rooms that know it.
#include <algorithm>
#include <stdexcept>

#include "lacon/mechanism.hpp"
#include "mechanics/explain/explain.hpp"
#include "mechanics/system/derived_model.hpp"
#include "parameters.hpp"
#include "pipeline.hpp"
#include "runs.hpp"
#include "state/evaluate.hpp"

namespace lacon {

namespace {

std::vector<ModelDiagnostic> found_in(const SourceText& source, const Diagnostics& diagnostics) {
    std::vector<ModelDiagnostic> found;
    for (const Diagnostic& d : diagnostics.sorted()) {
        const SourceText& text = d.file ? *d.file : source;
        const Place place = text.place(d.span.begin);
        found.push_back({d.severity == Diagnostic::Severity::error, text.name(), place.line,
                         place.column, d.message, d.hint});
    }
    return found;
}

std::optional<std::size_t> place_in(const std::vector<std::string>& names, std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
}

std::shared_ptr<const DerivedModel> build_or_throw(const SourceText& source,
                                                   const Settings& settings) {
    Built built = build(source, settings);
    if (!built.details)
        throw ModelError(render(built.diagnostics, source) + built.unknown_settings,
                         found_in(source, built.diagnostics));
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

const std::vector<std::string>& Mechanism::parameters() const {
    return details_->parameter_names;
}

std::optional<std::size_t> Mechanism::coordinate_index(std::string_view name) const {
    return place_in(coordinates(), name);
}
std::optional<std::size_t> Mechanism::constraint_index(std::string_view name) const {
    return place_in(constraints(), name);
}
std::optional<std::size_t> Mechanism::control_index(std::string_view name) const {
    return place_in(controls(), name);
}
std::optional<std::size_t> Mechanism::actuator_index(std::string_view name) const {
    return place_in(actuators(), name);
}
std::optional<std::size_t> Mechanism::parameter_index(std::string_view name) const {
    return place_in(parameters(), name);
}

double Mechanism::parameter(const std::string& name) const {
    if (const auto place = parameter_index(name)) return details_->parameters[*place];
    throw std::out_of_range("model '" + details_->name + "' has no parameter '" + name + "'");
}

Mechanism Mechanism::with_parameters(const Settings& values) const {
    return Mechanism(lacon::with_parameters(*details_, values));
}

Start Mechanism::start(const SolveOptions& options) const {
    return find_start(*details_, {}, options);
}

Evaluation Mechanism::evaluate(const State& state, const SolveOptions& options,
                               Solver solver) const {
    const std::size_t n = details_->coordinate_names.size();
    if (state.q.size() != n || state.v.size() != n)
        throw std::invalid_argument("the state must have one q and one v for each coordinate");
    return lacon::evaluate(*details_, state, options, solver);
}

std::string Mechanism::explain(bool latex) const {
    return lacon::explain(*details_, latex);
}

}  // namespace lacon
