#pragma once

#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
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

/// A folder of its own for a test, removed at its end.
class Folder {
public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "lacon-test-XXXXXX").string();
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

    /// Runs the program with these arguments (as a shell would read them), in this folder; `environment` as "A=x B=y ".
    Finished run(const std::string& arguments, const std::string& environment = "") const {
        const auto out = path_ / "stdout.txt", err = path_ / "stderr.txt";
        const std::string command = "cd '" + path_.string() + "' && " + environment + "'" LACON_PROGRAM "' " + arguments + " >'" +
                                    out.string() + "' 2>'" + err.string() + "'";
        const int raw = std::system(command.c_str());
        Finished done{WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, file_text(out), file_text(err)};
        std::filesystem::remove(out);
        std::filesystem::remove(err);
        return done;
    }

    /// Starts the program, sends it a signal after a while, and gives its exit status (128 + signal where that ended it).
    int run_and_signal(const std::string& arguments, const std::string& signal, double seconds) const {
        const std::string command = "cd '" + path_.string() + "' || exit; '" LACON_PROGRAM "' " + arguments + " >o 2>e & sleep " +
                                    std::to_string(seconds) + "; kill -" + signal + " \\$!; wait \\$!";
        const int raw = std::system(("bash -c \"" + command + "\" 2>/dev/null").c_str());
        return WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
    }

private:
    std::filesystem::path path_;
};

}  // namespace lacon
