// Text to the explicit equation of motion: the whole of Lacon so far. Every line of `build` is a
// room.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "expr/traverse.hpp"
#include "lacon/mechanism.hpp"
#include "lang/lang.hpp"
#include "mechanics/derived_model.hpp"
#include "mechanics/explain.hpp"
#include "pipeline.hpp"
#include "runs.hpp"
#include "state/evaluate.hpp"

namespace lacon {

namespace {

std::shared_ptr<DerivedModel> derived_alone(Model&& parsed, Diagnostics& diagnostics) {
    auto model = std::make_shared<Model>(std::move(parsed));
    auto system = derive(*model, diagnostics);
    if (!system) return nullptr;
    auto details = std::make_shared<DerivedModel>(model);
    details->system = std::move(*system);
    details->name = details->model.display_name();
    for (const Parameter& p : details->model.parameters) details->parameters.push_back(p.value);
    details->parameters.resize(details->parameters.size() + details->model.directions.size(), 0.0);
    details->parameters.insert(details->parameters.end(), details->system.constants.begin(),
                               details->system.constants.end());
    details->coordinate_names.reserve(details->model.coordinates.size());
    details->constraint_names.reserve(details->model.constraints.size());
    for (const Coordinate& c : details->model.coordinates)
        details->coordinate_names.push_back(c.name);
    for (const ConstraintRow& c : details->model.constraints)
        details->constraint_names.push_back(c.name);
    for (const Control& c : details->model.controls) details->control_names.push_back(c.name);
    for (const Actuator& a : details->model.actuators) details->actuator_names.push_back(a.name);
    details->weigh();
    return details;
}

/// The mechanism with what its controls require as constraints, entered by `gain` or exactly.
std::shared_ptr<DerivedModel> with_requirements(Model model, bool exactly,
                                                Diagnostics& diagnostics) {
    for (ConstraintRow row : model.requirements) {
        if (exactly && row.sense != ConstraintRow::Sense::equal) continue;
        row.sense = ConstraintRow::Sense::equal;
        if (exactly) row.damping = row.stiffness = std::nullopt;
        model.constraints.push_back(std::move(row));
    }
    model.controls.clear();
    model.actuators.clear();
    model.frictions.clear();  // of the mechanism, whose slip these rows do not change
    return derived_alone(std::move(model), diagnostics);
}

bool uses_data(const Graph& graph, std::span<const Expr> values) {
    const std::vector<Expr> all = postorder(graph, values);
    return std::any_of(all.begin(), all.end(), [&](Expr e) { return graph.op(e) == Op::data; });
}

/// Steps end at the knots of signals in equations; what actuators do between is not looked at.
bool refuse_data_in_actuators(const Model& model, Diagnostics& diagnostics) {
    const auto refuse = [&](std::span<const Expr> values, Span place, const char* what) {
        if (!uses_data(model.graph, values)) return false;
        diagnostics.error(place, fmt::format("{} cannot contain data yet", what),
                          "put the signal into the requirement or a force");
        return true;
    };
    bool refused = false;
    for (const Actuator& actuator : model.actuators) {
        std::vector<Expr> values;
        for (const Actuator::Part& part : actuator.direction) values.push_back(part.value);
        for (const auto& limit : {actuator.low, actuator.high})
            if (limit) values.push_back(*limit);
        refused = refuse(values, actuator.span, "an actuator and its limits") || refused;
    }
    for (const EffortWeight& weight : model.effort_weights)
        for (const std::vector<Expr>& row : weight.N)
            refused = refuse(row, weight.span, "the cost of efforts") || refused;
    return refused;
}

std::shared_ptr<DerivedModel> derived(Model&& model, Diagnostics& diagnostics) {
    if (model.controls.empty()) return derived_alone(std::move(model), diagnostics);
    auto details = derived_alone(Model(model), diagnostics);
    if (!details) return nullptr;
    if (refuse_data_in_actuators(model, diagnostics)) return nullptr;
    auto servo = with_requirements(model, false, diagnostics);
    if (!servo) return nullptr;
    auto demanded = with_requirements(std::move(model), true, diagnostics);
    if (!demanded) return nullptr;
    details->servo = std::move(servo);
    details->demanded = std::move(demanded);
    return details;
}

}  // namespace

Built build(const SourceText& source, const Settings& settings) {
    Built built;
    Parsed parsed = parse_model(source, settings);  // lang:      what the file says
    built.diagnostics = std::move(parsed.diagnostics);
    for (const UnknownSetting& unknown : parsed.unknown_settings)
        built.unknown_settings += fmt::format(
            "there is no parameter '{}'{}\n", unknown.name,
            unknown.nearest ? fmt::format("; did you mean '{}'?", *unknown.nearest) : "");
    if (!parsed.model || !built.unknown_settings.empty()) return built;
    built.details =
        derived(std::move(*parsed.model), built.diagnostics);  // mechanics: M q'' = Q, A q'' = b
    return built;
}

namespace {

std::shared_ptr<const DerivedModel> build_or_throw(const SourceText& source,
                                                   const Settings& settings) {
    Built built = build(source, settings);
    if (!built.details)
        throw ModelError(render(built.diagnostics, source) + built.unknown_settings);
    return built.details;
}

}  // namespace

SourceText read_source(const std::string& path) {
    std::error_code problem;
    if (std::filesystem::is_directory(path, problem))
        throw std::runtime_error("cannot read '" + path + "': it is a folder");
    if (!std::filesystem::exists(path, problem))
        throw std::runtime_error("cannot read '" + path + "': there is no such file");
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file.is_open() || file.bad()) throw std::runtime_error("cannot read '" + path + "'");
    return SourceText(path, std::move(text));
}

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
