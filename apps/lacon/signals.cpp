// One detached thread waits for SIGINT and SIGTERM; all other threads block them. A mutex guards
// what the farewell saves, so that no file ends in the middle of a row.
#include "signals.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "command.hpp"

namespace lacon::app {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// For a write that is under way, so that no file is left in the middle of a row.
constexpr auto last_wait = 100ms;

/// One for the program, as its signals are.
struct Listening {
    std::timed_mutex saving;           // StopLock
    std::atomic<Clock::rep> asked{0};  // when, 0: not yet
    std::atomic<bool> in_order{false}, answered{false};
    std::function<void()> farewell;  // guarded by `saving`
    bool json = false;
    Clock::duration patience{};
};

Listening& listening() {
    static auto* const one = new Listening;  // never destroyed: the thread may outlive main
    return *one;
}

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

/// A signal within this time.
bool another_signal(Clock::duration wait) {
    const sigset_t set = stop_signals();
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(wait).count();
    const timespec time{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
    return sigtimedwait(&set, nullptr, &time) > 0;
}

void wait_for_signal() {
    const sigset_t set = stop_signals();
    int which = 0;
    sigwait(&set, &which);
}

[[noreturn]] void end_at_once(bool with_farewell) {
    Listening& all = listening();
    const bool alone = all.saving.try_lock_for(last_wait);
    if (with_farewell && alone && all.farewell) all.farewell();
    else say_stopped("", all.json && !all.in_order);
    ::_exit(exit_interrupted);
}

void listen() {
    Listening& all = listening();
    wait_for_signal();
    all.asked = Clock::now().time_since_epoch().count();
    if (!all.in_order && !all.answered) end_at_once(false);
    // Before anyone asked: rows are written, maybe a picture is being drawn.
    const bool at_its_end = all.answered;
    const auto end = Clock::now() + all.patience;
    while (at_its_end || !all.answered) {
        if (another_signal(10ms)) end_at_once(false);
        if ((at_its_end || !all.answered) && Clock::now() > end) end_at_once(!at_its_end);
    }
    wait_for_signal();
    end_at_once(false);
}

}  // namespace

void listen_to_signals(bool json, std::chrono::milliseconds patience) {
    listening().json = json;
    listening().patience = patience;
    // A shell lets programs in the background ignore Ctrl-C; whoever sends the signal to this one
    // means it.
    for (const int which : {SIGINT, SIGTERM}) ::signal(which, SIG_DFL);
    const sigset_t set = stop_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::thread(listen).detach();
}

bool stop_asked() {
    return listening().asked != 0;
}

bool stop_asked(double seconds) {
    const Clock::rep when = listening().asked;
    return when != 0 && Clock::now() - Clock::time_point(Clock::duration(when)) >=
                            std::chrono::duration<double>(seconds);
}

void say_stopped(const std::string& model, bool json) {
    tell("lacon: stopped\n");
    if (!json) return;
    Json object = Json::object();
    if (!model.empty()) object["model"] = model;
    object.update({{"status", "interrupted"}, {"message", "stopped"}});
    const std::string text = object.dump(2) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

StopInOrder::StopInOrder(std::function<void()> farewell) {
    const StopLock lock;
    listening().farewell = std::move(farewell);
    listening().in_order = true;
}

StopInOrder::~StopInOrder() {
    const StopLock lock;
    listening().in_order = false;
    listening().farewell = nullptr;
}

void answer_stop() {
    listening().answered = true;
}

StopLock::StopLock() {
    listening().saving.lock();
}
StopLock::~StopLock() {
    listening().saving.unlock();
}

}  // namespace lacon::app
