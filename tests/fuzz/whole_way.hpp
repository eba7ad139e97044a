// Takes a text all the way: reads, derives, evaluates, prints, runs.
#pragma once

#include <string>

namespace lacon {

/// Takes a text, model or not, the whole way: parse, format, derive, start, evaluate, explain; as
/// far as it goes. Returns the property that does not hold, in words; empty when all do:
///   - a text that parses has a form, its form is its own form, and the form says the same (same
///   names in the same order);
///   - a text with errors is refused with a report, and by Mechanism too;
///   - what is evaluated has its shapes, and an answer is finite.
/// Anything thrown but ModelError, a crash or a hang is a fault as well, for the caller to see.
std::string broken_property(const std::string& text);

}  // namespace lacon
