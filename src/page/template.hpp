// The files that the web sources are built to: the pages without a run.
#pragma once

#include <string>

namespace lacon::inline page {

/// Its path; empty where it is not there. The page of `lacon view` lies beside it.
std::string template_file();
constexpr const char* live_template = "live.html";

/// The text of such a file with a title, and with `inside` in the place of the run. Throws
/// PageError.
std::string filled_template(const std::string& path, const std::string& title,
                            const std::string& inside);

/// Text that means itself in HTML and SVG.
std::string escaped(const std::string& text);

}  // namespace lacon::page
