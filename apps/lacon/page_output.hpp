// Videos of pages, for the commands that make them.
#pragma once

#include <string>

namespace lacon::app {

/// Renders a page to a video, with a progress bar. Throws FilmError and FileError.
void render_video(const std::string& page, const std::string& file, bool quiet);
/// Why a file of --video cannot be made; empty where it can.
std::string why_no_video(const std::string& file);

}  // namespace lacon::app
