// The results of `lacon run --diagnose` as text and as JSON.
#pragma once

#include "command.hpp"
#include "lacon/motion.hpp"

/// What `lacon run --diagnose` has to say at its end.
namespace lacon::app {

std::string diagnosis_text(const MotionSummary& summary);
Json diagnosis_json(const MotionSummary& summary);

/// "'left' and 'right' depend on each other there ('left' - 'right' = 0); …"
std::string text_of(const std::vector<NamedSet>& sets);
Json json_of(const std::vector<NamedSet>& sets);

}  // namespace lacon::app
