// Takes bytes as a robot file all the way: reads, writes as a model, and what a model goes through.
#pragma once

#include <string>

namespace lacon {

/// Returns the property that does not hold, in words; empty when all do:
///   - bytes that are no robot are refused with a report;
///   - what is read becomes a text that parses, and holds the properties of whole_way.hpp.
/// Includes are looked for in `folder`. Anything thrown, a crash or a hang is a fault as well.
std::string broken_robot_property(const std::string& bytes, const std::string& folder);

}  // namespace lacon
