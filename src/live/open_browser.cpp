// Opens the browser that the user has chosen for the desktop.
#include <cstdlib>

#include "base/programs.hpp"
#include "live/server.hpp"

namespace lacon::inline live {

bool open_in_browser(const std::string& address) {
    const std::string program = find_program("xdg-open");
    const bool has_screen = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
    if (program.empty() || !has_screen) return false;
    try {
        start_apart(program, {address});
        return true;
    } catch (const ProgramError&) {
        return false;  // the address is printed in any case
    }
}

}  // namespace lacon::live
