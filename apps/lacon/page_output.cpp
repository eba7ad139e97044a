// Renders videos with a progress bar, and says what they lack.
#include "page_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "film/film.hpp"
#include "page/page.hpp"
#include "progress.hpp"
#include "signals.hpp"

namespace lacon::app {

void render_video(const std::string& page, const std::string& file, bool quiet) {
    Progress progress(!quiet && isatty(STDERR_FILENO));
    FilmOptions options;
    options.progress = [&](double part) {
        if (progress.is_due()) progress.show(part, "video");
        return !stop_asked();
    };
    render_film(page, file, options);
    progress.clear();
}

std::string why_no_video(const std::string& file) {
    if (const std::string why = why_no_page(); !why.empty()) return why;
    if (const std::string why = why_no_film(); !why.empty()) return why;
    if (known_video_ending(file)) return {};
    return fmt::format("'{}' must end in .mp4, .webm or .gif", file);
}

}  // namespace lacon::app
