// Runs gnuplot as a child process.
#pragma once

#include <string>
#include <string_view>

/// The one door to gnuplot: a child process, started without a shell.
namespace lacon::inline picture {

/// The path of the program, from PATH; empty if there is none.
std::string find_gnuplot();

/// Lets gnuplot draw a script into the file, which is replaced only when the picture is done.
/// Throws PlotError, and FileError where the picture cannot be written.
void run_gnuplot(const std::string& script, const std::string& file);

/// A text as a literal of gnuplot. In single quotes nothing is special but the quote; control
/// characters become blanks.
std::string gnuplot_text(std::string_view text);

}  // namespace lacon::picture
