// Messages for command lines that are not understood, and the text of `lacon help`.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

/// Command lines that are not understood, and help.
namespace lacon::app {

/// What is wrong with these arguments, which `app` refused with `reason`: whole lines, with what
/// was probably meant.
std::string usage_error(const CLI::App& app, const std::vector<std::string>& arguments,
                        const std::string& reason);

/// Sets the columns of help texts, whose lines have at most 100 characters.
void set_help_layout(CLI::App& app);

/// The help of a command, or of the program where there is no topic. Throws Stop for what is no
/// command.
int run_help(const CLI::App& app, const std::string& topic);

}  // namespace lacon::app
