// Looks where the program, or this library, was built and installed.
#include "page/template.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

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

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    return result;
}

std::string filled_template(const std::string& path, const std::string& title,
                            const std::string& inside) {
    if (path.empty()) throw PageError(why_no_page());
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto put = [&](std::string_view mark, const std::string& instead) {
        const auto at = text.find(mark);
        if (at == text.npos)
            throw PageError(fmt::format("'{}' is not the file that web/ is built to", path));
        text.replace(at, mark.size(), instead);
    };
    put("<!-- LACON TITLE -->", escaped(title));
    put("<!-- LACON RUN -->", inside);
    return text;
}

std::string live_page(const std::string& title, const std::string& task) {
    const std::string path = template_file();
    const fs::path beside = fs::path(path).parent_path() / live_template;
    return filled_template(
        path.empty() ? path : beside.string(), title,
        fmt::format("<script type=\"text/plain\" id=\"live\">{}</script>", escaped(task)));
}

}  // namespace lacon::page
