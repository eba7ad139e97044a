// Passes script, picture and messages through unnamed temporary files, so neither process can block
// the other. A picture that breaks off is an error, though gnuplot does not report it.
#include "picture/gnuplot.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/files.hpp"
#include "base/programs.hpp"
#include "picture/plot.hpp"

namespace lacon::inline picture {

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// Files without a name rather than pipes: neither side can block the other, and no signal comes
/// when gnuplot ends early.
File nameless_file(std::string_view text) {
    File file(std::tmpfile());
    const bool written = file &&
                         std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                         std::fflush(file.get()) == 0;
    if (!written)
        throw FileError(fmt::format("cannot write a temporary file: {}", std::strerror(errno)));
    std::rewind(file.get());
    return file;
}

std::string text_of(std::FILE* file) {
    std::rewind(file);
    std::string text, piece(1 << 16, '\0');
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), file))
        text.append(piece, 0, got);
    return text;
}

/// The exit status of gnuplot reading `script`, with its picture in `picture` and its messages in
/// `messages`; −1: it was killed.
int exit_status_of(const std::string& gnuplot, int script, int picture, int messages) {
    const ChildFile files[] = {{script, 0}, {picture, 1}, {messages, 2}};
    try {
        constexpr const char* no_files_of_the_user = "-d";
        return Child(gnuplot, {no_files_of_the_user}, files).wait();
    } catch (const ProgramError& problem) {
        throw PlotError(problem.what());
    }
}

/// Gnuplot does not notice where its picture cannot be written to the end.
bool is_whole(std::string_view picture) {
    constexpr std::string_view png_end = "IEND\xae\x42\x60\x82", svg_end = "</svg>";
    if (picture.starts_with("\x89PNG")) return picture.ends_with(png_end);
    return picture.substr(0, picture.find_last_not_of(" \r\n") + 1).ends_with(svg_end);
}

/// What gnuplot said, on one line.
std::string words_of(std::FILE* messages) {
    constexpr std::size_t most = 2000;
    std::string words;
    for (const char c : text_of(messages).substr(0, most)) {
        const bool blank = static_cast<unsigned char>(c) <= ' ';
        if (!blank) words += c;
        else if (!words.empty() && words.back() != ' ') words += ' ';
    }
    return words.empty() ? "it gives no reason" : words;
}

}  // namespace

std::string find_gnuplot() {
    return find_program("gnuplot");
}

void run_gnuplot(const std::string& script, const std::string& file) {
    const std::string gnuplot = find_gnuplot();
    if (gnuplot.empty())
        throw PlotError(
            "pictures are drawn by gnuplot, which is not installed: install gnuplot-nox");
    const File input = nameless_file(script);
    const File picture = nameless_file(""), messages = nameless_file("");
    const int status = exit_status_of(gnuplot, ::fileno(input.get()), ::fileno(picture.get()),
                                      ::fileno(messages.get()));
    if (status != 0) throw PlotError(fmt::format("gnuplot failed: {}", words_of(messages.get())));
    const std::string drawn = text_of(picture.get());
    if (drawn.empty())
        throw PlotError(fmt::format("gnuplot drew nothing: {}", words_of(messages.get())));
    if (!is_whole(drawn))
        throw FileError(
            fmt::format("cannot write '{}': gnuplot's picture is incomplete; is the disk for "
                        "temporary files full?",
                        file));
    replace_file(file, drawn);
}

std::string gnuplot_text(std::string_view text) {
    std::string literal = "'";
    for (const char c : text) {
        if (c == '\'') literal += '\'';
        literal += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
    }
    return literal + "'";
}

}  // namespace lacon::picture
