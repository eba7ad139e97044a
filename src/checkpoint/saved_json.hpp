// The plan and the snapshot of a run as JSON values, for what embeds them in files of its own.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string_view>

#include "driver/integrate.hpp"

namespace lacon::inline checkpoint {

using Json = nlohmann::ordered_json;

/// Numbers that read back to the same bits; what JSON has no number for is a text.
Json exact(double x);
double exact(const Json& json);
Json list(const std::vector<double>& values);
std::vector<double> numbers(const Json& json);

/// An entry under its name, or under the one it had in older versions.
const Json& entry(const Json& json, const char* name, const char* older);

/// Values of an enumeration are written by their names, listed in its order. Throws
/// std::invalid_argument for another one.
std::size_t number_of(std::string_view name, std::span<const std::string_view> names);
template <class Enum>
Json name_in(std::span<const std::string_view> names, Enum value) {
    return names[static_cast<std::size_t>(value)];
}
template <class Enum>
Enum value_in(std::span<const std::string_view> names, const Json& json) {
    return static_cast<Enum>(number_of(json.get<std::string>(), names));
}
template <class Enum>
Json names_in(std::span<const std::string_view> names, const std::vector<Enum>& values) {
    Json json = Json::array();
    for (const Enum value : values) json.push_back(name_in(names, value));
    return json;
}
template <class Enum>
std::vector<Enum> values_in(std::span<const std::string_view> names, const Json& json) {
    std::vector<Enum> values;
    for (const Json& name : json) values.push_back(value_in<Enum>(names, name));
    return values;
}

/// The versions of a text that can be read.
struct Versions {
    int oldest, newest;
};
/// Throws std::invalid_argument, with the reason, where `found` is no such version.
void check_version(const Json& found, Versions versions);

/// What `read` makes of a text; std::invalid_argument, with the reason, where it is damaged.
template <class Read>
auto read_undamaged(const Read& read) {
    try {
        return read();
    } catch (const Json::exception&) {
        throw std::invalid_argument("an entry is missing or damaged");
    } catch (const std::out_of_range&) {
        throw std::invalid_argument("a list is too short");
    }
}

/// A plan without what is no number or name: RunOptions::controller and feedforward.
Json saved(const RunPlan& plan);
Json saved(const MotionSummary& summary);
Json saved(const Snapshot& snapshot);
/// They throw Json::exception, std::invalid_argument or std::out_of_range for an entry that is
/// missing or damaged.
RunPlan plan_of(const Json& json);
MotionSummary summary_of(const Json& json);
Snapshot snapshot_of(const Json& json);

}  // namespace lacon::checkpoint
