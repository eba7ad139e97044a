// Diagnoses and audits as JSON, for `lacon check` and `lacon eval`.
#pragma once

#include <map>

#include "command.hpp"
#include "lacon/diagnosis.hpp"

namespace lacon::app {

/// The `diagnosis` object of check and eval.
Json to_json(const Diagnosis& diagnosis);
Json to_json(const Audit& audit);

/// Whether the multipliers of the rows in force are unique, by name.
std::map<std::string, bool> unique_multipliers(const Diagnosis& diagnosis);

}  // namespace lacon::app
