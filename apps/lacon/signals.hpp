#pragma once

#include <signal.h>

namespace lacon::app {

/// While it lives, Ctrl-C and SIGTERM ask for an end in order; a second one ends the program.
class Signals {
public:
    Signals();
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    bool stop_asked() const;

private:
    struct sigaction interrupt_ {
    }, terminate_{};
};

}  // namespace lacon::app
