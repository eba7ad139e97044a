// Runs a case in a process of its own, with limits on time and memory.
#include "hunt/isolated.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>

namespace hunt {
namespace {

std::string packed(const Verdict& verdict) {
    std::string bytes(sizeof(int) + 2 * sizeof(double), '\0');
    const int result = static_cast<int>(verdict.result);
    std::memcpy(bytes.data(), &result, sizeof result);
    std::memcpy(bytes.data() + sizeof result, &verdict.error, sizeof(double));
    std::memcpy(bytes.data() + sizeof result + sizeof(double), &verdict.allowed, sizeof(double));
    return bytes + verdict.what;
}

Verdict unpacked(const std::string& bytes) {
    Verdict verdict;
    int result = 0;
    std::memcpy(&result, bytes.data(), sizeof result);
    verdict.result = static_cast<Result>(result);
    std::memcpy(&verdict.error, bytes.data() + sizeof result, sizeof(double));
    std::memcpy(&verdict.allowed, bytes.data() + sizeof result + sizeof(double), sizeof(double));
    verdict.what = bytes.substr(sizeof(int) + 2 * sizeof(double));
    return verdict;
}

[[noreturn]] void work(const Case& one, unsigned seconds, int to) {
    const rlimit limit{seconds, seconds + 5};
    setrlimit(RLIMIT_CPU, &limit);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::string bytes;
    try {
        bytes = packed(check(one));
    } catch (const std::exception& error) {
        bytes =
            packed({Result::failed, std::string("an exception left the library: ") + error.what()});
    }
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t wrote = write(to, bytes.data() + done, bytes.size() - done);
        if (wrote <= 0) break;
        done += static_cast<std::size_t>(wrote);
    }
    close(to);
    _exit(0);
}

}  // namespace

Verdict check_isolated(const Case& one, unsigned seconds) {
    int ends[2];
    if (pipe(ends) != 0) return {Result::unsuited, "no pipe"};
    const pid_t child = fork();
    if (child < 0) return {Result::unsuited, "no process"};
    if (child == 0) {
        close(ends[0]);
        work(one, seconds, ends[1]);
    }
    close(ends[1]);
    std::string bytes;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
        bytes.append(buffer, static_cast<std::size_t>(got));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)
            return {Result::refused,
                    "slow: ended after " + std::to_string(seconds) + " s of CPU time"};
        return {Result::failed, std::string("crashed: ") + strsignal(WTERMSIG(status))};
    }
    if (bytes.size() < sizeof(int) + 2 * sizeof(double))
        return {Result::failed, "ended without an answer"};
    return unpacked(bytes);
}

}  // namespace hunt
