// Renders the page of a run to a video, without a screen.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

/// A video of a page. Chromium draws it, frame by frame, so a slow machine takes longer and drops
/// nothing; ffmpeg puts the frames together. Both run as child processes, without a shell.
namespace lacon::inline film {

/// What a video cannot be made of; a sentence.
struct FilmError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct FilmOptions {
    std::size_t width = 1280, height = 720;
    double frames_per_second = 30.0;
    /// Told after every frame, with the part that is done; false ends it with a FilmError.
    std::function<bool(double)> progress;
};

constexpr std::size_t most_frames = 3600;  // two minutes

/// Whether the path has an ending of a video: .mp4, .webm, .gif.
bool known_video_ending(const std::string& path);

/// Why no video can be made; empty where it can.
std::string why_no_film();

/// Renders the page (HTML) to `file`, which is replaced only when the video is done. A motion of
/// more than two minutes is shown faster. Throws FilmError, and FileError for a file that cannot
/// be written.
void render_film(const std::string& page, const std::string& file, const FilmOptions& options);

}  // namespace lacon::film
