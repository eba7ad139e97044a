// How the program stops on Ctrl-C and SIGTERM: at once, or in order when it has results to save.
#pragma once

#include <chrono>
#include <functional>
#include <string>

/// Ctrl-C and SIGTERM, taken by a thread of its own: whatever the program does, they end it within
/// a second.
///
/// A command that has nothing to save ends at once. One that has (a StopInOrder lives) is asked to
/// stop, and looks at `stop_asked` where it can; where it does not answer in time, because it is
/// deep within a step, say, its farewell is said for it. A second signal ends the program at once.
/// The exit status is always exit_interrupted.
namespace lacon::app {

/// Begins to listen; once, before any other thread is made. `json`: what ends at once says so as a
/// JSON object on stdout too. `patience`: the time for an answer; with the farewell and a write
/// that is under way less than a second.
void listen_to_signals(bool json,
                       std::chrono::milliseconds patience = std::chrono::milliseconds(700));

/// Whether a signal came. With `seconds`, whether it came that long ago.
bool stop_asked();
bool stop_asked(double seconds);

/// While it lives, a first signal only asks. `farewell` is called by the listening thread, with
/// StopLock held, where nobody answered: it saves what is to be saved and says so; the program ends
/// after it.
class StopInOrder {
public:
    explicit StopInOrder(std::function<void()> farewell);
    ~StopInOrder();
    StopInOrder(const StopInOrder&) = delete;
    StopInOrder& operator=(const StopInOrder&) = delete;
};

/// The stop is being carried out, or the program is at its end anyway. A stop that is being carried
/// out is ended early only by a second signal; a program at its end has the usual time to come to
/// it.
void answer_stop();

/// A farewell of commands that have nothing to save.
void say_stopped(const std::string& model, bool json);

/// Held by whoever touches what the farewell touches. Not recursive.
class StopLock {
public:
    StopLock();
    ~StopLock();
    StopLock(const StopLock&) = delete;
    StopLock& operator=(const StopLock&) = delete;
};

}  // namespace lacon::app
