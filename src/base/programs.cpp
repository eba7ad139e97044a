// Looks through PATH as a shell does.
#include "base/programs.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

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

}  // namespace lacon::base
