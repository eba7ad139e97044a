// Finds other programs and runs them as child processes.
#pragma once

#include <sys/types.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace lacon::inline base {

/// The path of a program, from PATH; empty if there is none.
std::string find_program(const std::string& name);

/// A program that cannot be started; a sentence with the system's reason.
struct ProgramError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A descriptor of ours, and which one it is for the child.
struct ChildFile {
    int ours = -1, theirs = -1;
};

/// A program that runs beside this one, started without a shell; ended with the object. Its signals
/// are its own, whatever this program blocks. Descriptors that are not given it inherits unless
/// they are closed at exec.
class Child {
public:
    /// Throws ProgramError.
    Child(const std::string& program, std::vector<std::string> arguments,
          std::span<const ChildFile> files);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Its exit status; −1: it was killed.
    int wait();

private:
    pid_t id_ = 0;  // 0: it has been waited for
};

/// Starts a program that goes on by itself, in a session of its own: neither Ctrl-C here nor the
/// end of this program ends it. It has no input, and what it prints is lost. Throws ProgramError.
void start_apart(const std::string& program, std::vector<std::string> arguments);

}  // namespace lacon::base
