#include "signals.hpp"

#include <csignal>

namespace lacon::app {

namespace {

volatile std::sig_atomic_t asked = 0;
void ask_stop(int) {
    asked = 1;
}

}  // namespace

Signals::Signals() {
    asked = 0;
    struct sigaction action {};
    action.sa_handler = ask_stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
}

Signals::~Signals() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
}

bool Signals::stop_asked() const {
    return asked != 0;
}

}  // namespace lacon::app
