// Looks through PATH as a shell does; starts programs by posix_spawn.
#include "base/programs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>

namespace lacon::inline base {

std::string find_program(const std::string& name) {
    const char* const path = std::getenv("PATH");
    std::string_view rest = path ? path : "/usr/bin:/bin";
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
        std::string program = std::string(folder.empty() ? "." : folder) + "/" + name;
        if (std::filesystem::is_regular_file(program) && ::access(program.c_str(), X_OK) == 0)
            return program;
    }
    return {};
}

namespace {

/// What the child does before it becomes the program: its descriptors and its signals.
class SpawnPlan {
public:
    explicit SpawnPlan(std::span<const ChildFile> files, int more_flags = 0) {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        // Copies above all that they become, so that none is overwritten before its turn.
        int above = STDERR_FILENO + 1;
        for (const ChildFile& file : files) above = std::max(above, file.theirs + 1);
        for (const ChildFile& file : files) {
            copies_.push_back(::fcntl(file.ours, F_DUPFD_CLOEXEC, above));
            posix_spawn_file_actions_adddup2(&actions, copies_.back(), file.theirs);
        }
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setflags(&attributes,
                                 static_cast<short>(POSIX_SPAWN_SETSIGMASK | more_flags));
    }
    ~SpawnPlan() {
        for (const int copy : copies_) ::close(copy);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

private:
    std::vector<int> copies_;
};

/// Throws ProgramError.
pid_t start(const std::string& program, std::vector<std::string> arguments, const SpawnPlan& plan) {
    std::string name = program;
    std::vector<char*> words{name.data()};
    for (std::string& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    pid_t id = 0;
    const int problem =
        posix_spawn(&id, program.c_str(), &plan.actions, &plan.attributes, words.data(), environ);
    if (problem == 0) return id;
    throw ProgramError(fmt::format("cannot start '{}': {}", program, std::strerror(problem)));
}

}  // namespace

Child::Child(const std::string& program, std::vector<std::string> arguments,
             std::span<const ChildFile> files)
    : id_(start(program, std::move(arguments), SpawnPlan(files))) {}

int Child::wait() {
    if (id_ == 0) return -1;
    int status = 0, waited = 0;
    do waited = ::waitpid(id_, &status, 0);
    while (waited < 0 && errno == EINTR);
    id_ = 0;
    return waited >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Child::~Child() {
    if (id_ == 0) return;
    ::kill(id_, SIGTERM);
    wait();
}

void start_apart(const std::string& program, std::vector<std::string> arguments) {
    SpawnPlan plan({}, POSIX_SPAWN_SETSID);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&plan.actions, stream, "/dev/null", O_RDWR, 0);
    const pid_t id = start(program, std::move(arguments), plan);
    std::thread([id] { ::waitpid(id, nullptr, 0); }).detach();
}

}  // namespace lacon::base
