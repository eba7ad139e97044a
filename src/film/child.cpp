// Started without a shell; its signals are its own.
#include "film/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "film/film.hpp"

namespace lacon::inline film {

Child::Child(const std::string& program, const std::vector<std::string>& arguments, int socket,
             const std::string& output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    // The socket first: it is above what it becomes (Browser takes care of that).
    if (socket >= 0)
        for (const int place : {3, 4}) posix_spawn_file_actions_adddup2(&actions, socket, place);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    constexpr int readable = 0600;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, readable);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const int problem =
        posix_spawn(&id_, program.c_str(), &actions, &attributes, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (problem != 0) {
        id_ = 0;
        throw FilmError(fmt::format("cannot start '{}': {}", program, std::strerror(problem)));
    }
}

int Child::wait() {
    if (id_ == 0) return -1;
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0)
        if (errno != EINTR) {
            id_ = 0;
            return -1;
        }
    id_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Child::~Child() {
    if (id_ == 0) return;
    ::kill(id_, SIGTERM);
    wait();
}

}  // namespace lacon::film
