// What a run reports at its end, as text and as JSON.
#pragma once

#include <optional>
#include <string>

#include "command.hpp"
#include "error_estimate.hpp"
#include "lacon/motion.hpp"
#include "output_ranges.hpp"

namespace lacon::app {

/// What a run has to say at its end.
struct RunReport {
    const DerivedModel& details;
    MotionSummary summary;
    Status status;
    const Start& start;
    std::uint64_t rows = 0;
    std::string out, plot, page, video;
    std::string warning;                  // about the options, or empty
    std::vector<std::string> plant = {};  // --plant and --feedforward as given
    std::string feedforward = {};
    bool begun = true;  // where not, residuals, rank and energy have never been measured
    OutputRanges outputs = {};
    std::vector<std::string> not_unique = {};  // outputs that are so at the start
    double step = 0.0;                         // of a method with a fixed one
    std::optional<ErrorEstimate> error = {};   // of such a method
};
std::vector<std::string> warnings_of(const RunReport& report);
std::string text_of(const RunReport& report);
Json json_of(const RunReport& report);
Json json_of(const std::vector<MotionEvent>& events);
/// The inverse, of a list as a result keeps it. What it does not know it leaves out.
std::vector<MotionEvent> events_of(const std::string& json);

}  // namespace lacon::app
