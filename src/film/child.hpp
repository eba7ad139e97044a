// A child process.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace lacon::inline film {

/// A program that runs beside this one; ended with the object. It has no input, and what it prints
/// goes to a file, or nowhere.
class Child {
public:
    /// `socket`, if there is one, is descriptors 3 and 4 of the child. Throws FilmError.
    Child(const std::string& program, const std::vector<std::string>& arguments, int socket = -1,
          const std::string& output = "/dev/null");
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Its exit status; −1: it was killed.
    int wait();

private:
    pid_t id_ = 0;
};

}  // namespace lacon::film
