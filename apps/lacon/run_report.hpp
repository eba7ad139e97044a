#pragma once

#include <chrono>
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
    std::string warning;  // about the options, or empty
};
std::string text_of(const RunReport& report);
Json json_of(const RunReport& report);

/// A line with a bar, the time and how long it will take, on a terminal.
class RunProgress {
public:
    RunProgress(bool shown, double begin, double end) : shown_(shown), begin_(begin), end_(end) {}
    void show(double t);
    void clear();

private:
    bool shown_, drawn_ = false;
    double begin_, end_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now(), last_ = began_;
};

}  // namespace lacon::app
