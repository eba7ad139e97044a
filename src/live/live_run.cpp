// The one flow again (src/pipeline.cpp): set_up, Session, page_data_of.
#include "live/live_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "live/drag.hpp"
#include "pictured.hpp"

namespace lacon::inline live {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

double finite(const Json& value, const std::string& name) {
    if (!value.is_number()) throw LiveError(fmt::format("'{}' is not a number", name));
    const double number = value.get<double>();
    if (!std::isfinite(number)) throw LiveError(fmt::format("'{}' is not finite", name));
    return number;
}

std::optional<double> optional_number(const Json& json, const char* name) {
    const auto found = json.find(name);
    if (found == json.end() || found->is_null()) return std::nullopt;
    return finite(*found, name);
}

std::array<double, 3> place_of(const Json& json, const char* name) {
    std::array<double, 3> place{};
    const auto found = json.find(name);
    if (found == json.end()) return place;
    if (!found->is_array() || found->size() != place.size())
        throw LiveError(fmt::format("'{}' is no place", name));
    for (std::size_t k = 0; k < place.size(); ++k) place[k] = finite((*found)[k], name);
    return place;
}

std::optional<std::size_t> number_of(const Json& json, const char* name) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::size_t>();
}

Drag drag_of(const Json& json) {
    return {number_of(json, "item"), number_of(json, "body"), place_of(json, "local"),
            place_of(json, "to")};
}

Json json_of(const std::vector<LiveRequest::StartValue>& values) {
    Json list = Json::array();
    for (const auto& [name, value, guess] : values)
        list.push_back({{"name", name}, {"value", value}, {"guess", guess}});
    return list;
}

// Interpreted steps of larger models take longer than compiling them.
constexpr std::size_t most_interpreted = 40;

RunOptions options_of(const LiveRequest& request, std::size_t coordinates) {
    RunOptions options;
    options.begin = request.begin;
    options.end = request.end;
    options.every = request.every;
    options.tolerance = request.tolerance;
    options.method = request.method;
    options.interpret = request.quick && coordinates <= most_interpreted;
    return options;
}

}  // namespace

LiveMotion moved(const std::shared_ptr<const DerivedModel>& details, const LiveRequest& request,
                 const std::vector<StartOverride>& start, const OnProgress& progress) {
    LiveMotion motion;
    RunSetup setup = set_up(details, options_of(request, details->coordinate_names.size()));
    const double begin = setup.plan.begin, span = setup.plan.end - begin;
    auto told = std::make_shared<double>(0.0);
    const Callbacks callbacks{
        .on_step = [=](const StepView& step) { return progress(*told = (step.t - begin) / span); },
        .on_row =
            [&motion](std::span<const double> row) {
                motion.rows.take(row);
                return true;
            }};
    motion.session = std::make_unique<Session>(std::move(setup), start, callbacks);
    motion.session->stop_when([&] { return !progress(*told); });
    motion.rows.names = motion.session->names();
    motion.session->run();
    motion.session->set_callbacks({});
    return motion;
}

namespace {

std::string framed(const Json& json, const std::string& data) {
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    const auto length = static_cast<std::uint32_t>(text.size());
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes + text + data;
}

}  // namespace

LiveRequest live_request(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) throw LiveError("a request is a JSON object");
    LiveRequest request;
    const Json set = json.value("set", Json::object());
    for (const auto& [name, value] : set.items())
        request.set.emplace_back(name, finite(value, name));
    for (const Json& one : json.value("start", Json::array())) {
        if (!one.is_object() || !one.contains("name") || !one["name"].is_string() ||
            !one.contains("value"))
            throw LiveError("a start value has a name and a value");
        const std::string name = one["name"];
        request.start.push_back({name, finite(one["value"], name), one.value("guess", true)});
    }
    request.begin = optional_number(json, "begin");
    request.end = optional_number(json, "end");
    request.every = optional_number(json, "every");
    request.tolerance = optional_number(json, "tolerance");
    if (const auto method = json.find("method"); method != json.end() && method->is_string())
        request.method = *method;
    request.quick = json.value("quick", false);
    if (const auto drag = json.find("drag"); drag != json.end() && drag->is_object())
        request.drag = drag_of(*drag);
    return request;
}

std::vector<StartOverride> start_overrides(const DerivedModel& details,
                                           const std::vector<LiveRequest::StartValue>& values) {
    std::vector<StartOverride> overrides;
    for (const auto& [name, value, guess] : values) {
        const bool velocity = name.ends_with('\'');
        const std::string coordinate = velocity ? name.substr(0, name.size() - 1) : name;
        const auto& names = details.coordinate_names;
        const auto found = std::find(names.begin(), names.end(), coordinate);
        if (found == names.end())
            throw LiveError(fmt::format("there is no coordinate '{}'", coordinate));
        overrides.push_back(
            {static_cast<std::size_t>(found - names.begin()), velocity, guess, value});
    }
    return overrides;
}

std::string live_run(const std::shared_ptr<const DerivedModel>& details, const LiveRequest& request,
                     const OnProgress& progress) {
    const auto begin = Clock::now();
    const auto start =
        request.drag ? dragged(*details, request.start, *request.drag, progress) : request.start;
    const double start_seconds = seconds_since(begin);
    const auto run_begin = Clock::now();
    const LiveMotion motion = moved(details, request, start_overrides(*details, start), progress);
    const Status& status = motion.session->status();
    if (!progress(1.0)) throw Interrupted();
    if (motion.rows.columns.empty()) throw LiveError(with_short_names(status.message));
    const double run_seconds = seconds_since(run_begin);
    const auto page_begin = Clock::now();
    PageRun page =
        motion.rows.run(*details, motion.session->summary(), motion.session->plan().options.solve);
    add_picture(page);
    const std::string data = page_data_of(page);
    const Json info{
        {"status", name_of(status.outcome)},
        {"message", with_short_names(status.message)},
        {"start", json_of(start)},
        {"seconds",
         {{"start", start_seconds}, {"run", run_seconds}, {"page", seconds_since(page_begin)}}}};
    return framed(info, data);
}

Json live_model(const DerivedModel& details) {
    Json parameters = Json::array();
    for (std::size_t i = 0; i < details.model.parameters.size(); ++i) {
        const Parameter& parameter = details.model.parameters[i];
        Json one{{"name", parameter.name},
                 {"value", details.parameters[i]},
                 {"text", parameter.text},
                 {"follows", parameter.follows},
                 {"shapes", parameter.shapes}};
        if (parameter.low && parameter.high) one["range"] = {*parameter.low, *parameter.high};
        parameters.push_back(std::move(one));
    }
    Json methods = Json::array();
    for (const std::string_view name : method_names()) methods.push_back(name);
    Json json{{"title", details.name}, {"parameters", parameters}, {"methods", methods}};
    try {
        const RunPlan plan = plan_run(details, {});
        json.update({{"begin", plan.begin},
                     {"end", plan.end},
                     {"every", plan.every},
                     {"tolerance", plan.tolerance},
                     {"method", name_of(plan.method)}});
    } catch (const std::invalid_argument&) {
        json["begin"] = 0.0;  // without `simulate` the page asks for an end
    }
    return json;
}

}  // namespace lacon::live
