// The file that the web sources are built to: the page without a run.
#pragma once

#include <string>

namespace lacon::inline page {

/// Its path; empty where it is not there.
std::string template_file();
/// What to put in place of the mark in the file's text.
constexpr const char* data_mark = "<!-- LACON RUN -->";
constexpr const char* title_mark = "<!-- LACON TITLE -->";

}  // namespace lacon::page
