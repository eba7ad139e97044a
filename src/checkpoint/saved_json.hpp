// The plan and the snapshot of a run as JSON values, for what embeds them in files of its own.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "driver/integrate.hpp"

namespace lacon::inline checkpoint {

using Json = nlohmann::ordered_json;

/// Numbers that read back to the same bits; what JSON has no number for is a text.
Json list(const std::vector<double>& values);
std::vector<double> numbers(const Json& json);

/// A plan without what is no number or name: RunOptions::controller and feedforward.
Json saved(const RunPlan& plan);
Json saved(const Snapshot& snapshot);
/// Both throw Json::exception or std::out_of_range for an entry that is missing or damaged.
RunPlan plan_of(const Json& json);
Snapshot snapshot_of(const Json& json);

/// Why `read` could not make a run of an object of JSON, for a message; empty where it could.
std::string fault_of(const std::function<void()>& read);

}  // namespace lacon::checkpoint
