// The progress bar of long commands.
#pragma once

#include <chrono>
#include <string>

namespace lacon::app {

/// A line with a bar, what is going on and how long it will take, on a terminal.
class Progress {
public:
    explicit Progress(bool shown) : shown_(shown) {}
    /// Whether `show` would draw: it does so ten times a second at most, and steps are many.
    bool is_due() const;
    /// `part`: 0 to 1.
    void show(double part, const std::string& what);
    void clear();

private:
    bool shown_, drawn_ = false;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now(), last_ = began_;
};

}  // namespace lacon::app
