// Runs the program in a folder of its own and keeps what it prints.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

namespace lacon {

struct Finished {
    int status = -1;
    std::string out, err;
    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

inline std::string file_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline bool has_text(const std::filesystem::path& path) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(path, missing);
    return !missing && size > 0;
}

/// The program at work in a folder, its output in the files `o` and `e` there. Who waits waits for
/// a sign, never for a time: a busy machine may take any.
class Running {
public:
    Running(const std::filesystem::path& folder, const std::string& arguments)
        : folder_(folder), child_(fork()) {
        if (child_ != 0) return;
        const std::string command =
            "cd '" + folder.string() + "' && exec '" LACON_PROGRAM "' " + arguments + " >o 2>e";
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
    }
    ~Running() {
        if (ended()) return;
        send(SIGKILL);
        wait();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    /// Until the sign is there; false where the program ends without giving it.
    template <class Sign>
    bool wait_for(Sign is_there) {
        while (!is_there()) {
            if (ended()) return is_there();
            usleep(1000);
        }
        return true;
    }
    void send(int signal) {
        if (!ended()) kill(child_, signal);
    }
    /// Whether it takes SIGTERM into its own hands by now: a sign where it has nothing else to show
    /// yet. Before it is the program, signals may be blocked too: for a moment, while it is forked.
    bool minds_signals() const {
        const std::string process = "/proc/" + std::to_string(child_);
        std::error_code gone;
        if (!std::filesystem::equivalent(process + "/exe", LACON_PROGRAM, gone)) return false;
        std::ifstream status(process + "/status");
        for (std::string line; std::getline(status, line);)
            if (line.starts_with("SigBlk:"))
                return (std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1)) & 1U;
        return false;
    }
    Finished wait() {
        if (!status_) waitpid(child_, &status_.emplace(), 0);
        const int status = WIFEXITED(*status_) ? WEXITSTATUS(*status_) : 128 + WTERMSIG(*status_);
        return {status, file_text(folder_ / "o"), file_text(folder_ / "e")};
    }

private:
    bool ended() {
        int status = 0;
        if (!status_ && waitpid(child_, &status, WNOHANG) == child_) status_ = status;
        return status_.has_value();
    }

    std::filesystem::path folder_;
    pid_t child_;
    std::optional<int> status_;  // once it has ended
};

/// A folder of its own for a test, removed at its end.
class Folder {
public:
    Folder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "lacon-test-XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }
    const std::filesystem::path& path() const { return path_; }

    /// Runs the program with these arguments (as a shell would read them), in this folder;
    /// `environment` as "A=x B=y ".
    Finished run(const std::string& arguments, const std::string& environment = "") const {
        const auto out = path_ / "stdout.txt", err = path_ / "stderr.txt";
        const std::string command = "cd '" + path_.string() + "' && " + environment +
                                    "'" LACON_PROGRAM "' " + arguments + " >'" + out.string() +
                                    "' 2>'" + err.string() + "'";
        const int raw = std::system(command.c_str());
        Finished done{WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, file_text(out), file_text(err)};
        std::filesystem::remove(out);
        std::filesystem::remove(err);
        return done;
    }

    /// Starts the program, sends it a signal as soon as the file `sign` has something in it, and
    /// gives its exit status (128 + signal where that ended it).
    int run_and_signal(const std::string& arguments, int signal, const std::string& sign) const {
        Running program(path_, arguments);
        program.wait_for([&] { return has_text(path_ / sign); });
        program.send(signal);
        return program.wait().status;
    }

private:
    std::filesystem::path path_;
};

}  // namespace lacon
