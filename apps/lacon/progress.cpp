// Draws the bar on one line of stderr, at most ten times a second. The time left assumes that the
// rest goes as fast as the part done so far.
#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "command.hpp"

namespace lacon::app {

bool Progress::is_due() const {
    return shown_ && std::chrono::steady_clock::now() - last_ >= std::chrono::milliseconds(100);
}

void Progress::show(double part, const std::string& what) {
    if (!is_due()) return;
    const auto now = last_ = std::chrono::steady_clock::now();
    drawn_ = true;
    constexpr int width = 32;
    part = std::clamp(part, 0.0, 1.0);
    const double spent = std::chrono::duration<double>(now - began_).count();
    const double left = part > 0.0 ? spent / part * (1.0 - part) : 0.0;
    const int done = static_cast<int>(part * width);
    tell("\r[{:=<{}}{:<{}}] {} {:3.0f} %  {} left   ", "", done, "", width - done, what,
         100.0 * part,
         left >= 90.0 ? fmt::format("{:.0f} min", left / 60.0) : fmt::format("{:.0f} s", left));
    std::fflush(stderr);
}

void Progress::clear() {
    if (drawn_) tell("\r\033[K");
}

}  // namespace lacon::app
