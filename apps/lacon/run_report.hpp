#pragma once

#include <string>

#include "command.hpp"
#include "lacon/motion.hpp"

namespace lacon::app {

/// What a run has to say at its end.
struct RunReport {
    const SystemDetails& details;
    MotionSummary summary;
    Status status;
    const Start& start;
    std::uint64_t rows = 0;
    std::string out, plot;
    std::string warning;                  // about the options, or empty
    std::vector<std::string> plant = {};  // --plant and --feedforward as given
    std::string feedforward = {};
    bool begun = true;  // where not, residuals, rank and energy have never been measured
};
std::string text_of(const RunReport& report);
Json json_of(const RunReport& report);

}  // namespace lacon::app
