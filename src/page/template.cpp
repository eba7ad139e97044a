// Looks where the program, or this library, was built and installed.
#include "page/template.hpp"

#include <cstdlib>
#include <filesystem>

#include "page/page.hpp"

namespace lacon::inline page {

namespace fs = std::filesystem;

std::string template_file() {
    if (const char* own = std::getenv("LACON_PAGE")) return fs::exists(own) ? own : "";
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    const std::string beside =
        failed ? "" : (program.parent_path() / LACON_PAGE_BESIDE).lexically_normal().string();
    for (const std::string& place :
         {beside, std::string(LACON_PAGE_INSTALLED), std::string(LACON_PAGE_BUILT)})
        if (!place.empty() && fs::is_regular_file(place, failed)) return place;
    return {};
}

std::string why_no_page() {
    if (!template_file().empty()) return {};
    return "pages need the script that Node builds from web/, and it is not there: install nodejs "
           "and npm, and build again";
}

}  // namespace lacon::page
