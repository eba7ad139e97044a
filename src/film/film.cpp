// Frames are files in a folder of their own, which is gone at the end.
#include "film/film.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/files.hpp"
#include "base/programs.hpp"
#include "film/browser.hpp"

namespace lacon::inline film {

namespace fs = std::filesystem;

namespace {

/// A folder that is removed with all in it.
class FilmFolder {
public:
    FilmFolder() {
        std::string pattern = (fs::temp_directory_path() / "lacon-film-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr)
            throw FileError("cannot make a folder for temporary files in '" +
                            fs::temp_directory_path().string() + "'");
        path_ = pattern;
    }
    ~FilmFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    FilmFolder(const FilmFolder&) = delete;
    FilmFolder& operator=(const FilmFolder&) = delete;
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
    fs::path path_;
};

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const std::string& path, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary);
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
        throw FileError(fmt::format("cannot write '{}'; is the disk full?", path));
}

std::string from_base64(std::string_view text) {
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                          : c >= 'a' && c <= 'z' ? c - 'a' + 26
                          : c >= '0' && c <= '9' ? c - '0' + 52
                          : c == '+'             ? 62
                          : c == '/'             ? 63
                                                 : -1;
        if (digit < 0) break;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xff);
    }
    return bytes;
}

std::string ending_of(const std::string& path) {
    return fs::path(path).extension().string();
}

std::vector<std::string> encoding(const std::string& ending) {
    if (ending == ".gif")
        return {"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=sierra2_4a"};
    if (ending == ".webm") return {"-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0"};
    return {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart"};
}

/// Its exit status; what it says goes to a file.
int status_of_ffmpeg(const std::vector<std::string>& arguments, const std::string& words) {
    constexpr int readable = 0600;
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int said = ::open(words.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, readable);
    const ChildFile files[] = {{nothing, 0}, {said, 1}, {said, 2}};
    int status = -1;
    std::string problem;
    try {
        status = Child(find_program("ffmpeg"), arguments, files).wait();
    } catch (const ProgramError& failed) {
        problem = failed.what();
    }
    ::close(nothing);
    ::close(said);
    if (!problem.empty()) throw FilmError(problem);
    return status;
}

/// How many frames, so that none is shown later than at the end.
std::size_t draw_frames(Browser& browser, const FilmFolder& folder, const FilmOptions& options) {
    browser.evaluate(
        "new Promise((done) => { (function look() {"
        " window.lacon ? done(true) : setTimeout(look, 15); })(); })");
    const double seconds = browser.evaluate("lacon.film()").get<double>();
    const double wanted = std::ceil(seconds * options.frames_per_second) + 1.0;
    const auto frames =
        static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(most_frames)));
    for (std::size_t i = 0; i < frames; ++i) {
        const double along =
            frames > 1 ? static_cast<double>(i) / static_cast<double>(frames - 1) : 0.0;
        const std::string picture = browser.evaluate(fmt::format("lacon.frame({})", along));
        write(folder / fmt::format("{:06}.png", i),
              from_base64(std::string_view(picture).substr(picture.find(',') + 1)));
        if (options.progress &&
            !options.progress(static_cast<double>(i + 1) / static_cast<double>(frames)))
            throw FilmError("the video was stopped");
    }
    return frames;
}

}  // namespace

bool known_video_ending(const std::string& path) {
    const std::string ending = ending_of(path);
    return ending == ".mp4" || ending == ".webm" || ending == ".gif";
}

std::string why_no_film() {
    if (find_browser().empty())
        return "videos are drawn by Chromium, which is not installed: install chromium";
    if (find_program("ffmpeg").empty())
        return "videos are encoded by ffmpeg, which is not installed: install ffmpeg";
    return {};
}

void render_film(const std::string& page, const std::string& file, const FilmOptions& options) {
    if (const std::string why = why_no_film(); !why.empty()) throw FilmError(why);
    const FilmFolder folder;
    write(folder / "page.html", page);
    {
        Browser browser("file://" + folder / "page.html", folder / "browser", options.width,
                        options.height);
        draw_frames(browser, folder, options);
    }
    const std::string made = folder / ("film" + ending_of(file)), words = folder / "words";
    std::vector<std::string> arguments{"-loglevel",  "error",
                                       "-framerate", fmt::format("{}", options.frames_per_second),
                                       "-i",         folder / "%06d.png"};
    for (const std::string& one : encoding(ending_of(file))) arguments.push_back(one);
    arguments.push_back(made);
    if (status_of_ffmpeg(arguments, words) != 0) {
        std::string said = bytes_of(words).substr(0, 300);
        std::replace(said.begin(), said.end(), '\n', ' ');
        throw FilmError("ffmpeg failed: " + said);
    }
    replace_file(file, bytes_of(made));
}

}  // namespace lacon::film
