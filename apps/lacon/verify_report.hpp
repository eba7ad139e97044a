// The results of `lacon run --verify` as text and as JSON.
#pragma once

#include <string>

#include "command.hpp"
#include "lacon/motion.hpp"

namespace lacon::app {

/// What `--verify` found, for the summary of a run.
std::string verification_text(const Verification& verification, const MotionSummary& summary);
Json verification_json(const Verification& verification);

}  // namespace lacon::app
