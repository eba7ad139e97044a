// The last row of a run is always there, whatever was dropped before it.
#include "page_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.hpp"
#include "film/film.hpp"
#include "page/measures.hpp"
#include "pipeline.hpp"
#include "progress.hpp"
#include "signals.hpp"

namespace lacon::app {

void PageRows::take(std::span<const double> row) {
    columns.resize(row.size());
    if (seen_++ % stride_ != 0) {
        last_.assign(row.begin(), row.end());
        return;
    }
    last_.clear();
    for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
    if (columns.size() * columns[0].size() < most_numbers) return;
    for (std::vector<double>& column : columns) {
        for (std::size_t i = 0; 2 * i < column.size(); ++i) column[i] = column[2 * i];
        column.resize((column.size() + 1) / 2);
    }
    stride_ *= 2;
}

namespace {

std::vector<std::pair<std::string, std::string>> facts_of(const MotionSummary& summary) {
    std::vector<std::pair<std::string, std::string>> facts{
        {"Method", summary.method},
        {"Tolerance", rounded(summary.tolerance, 3)},
        {"Steps", fmt::format("{}", summary.steps)},
        {"Computed in", fmt::format("{} s", rounded(summary.wall_seconds, 3))},
        {"Energy change", fmt::format("{} at most", rounded(summary.worst.energy, 3))},
        {"Constraints met to",
         fmt::format("{} (position), {} (velocity)", rounded(summary.worst.position, 3),
                     rounded(summary.worst.velocity, 3))},
        {"Events", fmt::format("{}", summary.events.size())}};
    if (!(summary.tolerance > 0.0)) facts.erase(facts.begin() + 1);
    return facts;
}

}  // namespace

PageRun PageRows::run(const DerivedModel& details, const MotionSummary& summary,
                      const SolveOptions& solve) const {
    PageRun run{details, names, columns, summary.events, facts_of(summary), solve};
    for (std::size_t i = 0; i < last_.size(); ++i) run.columns[i].push_back(last_[i]);
    add_picture(run);
    return run;
}

void add_picture(PageRun& run) {
    const Model& model = run.details.model;
    constexpr std::size_t largest = 20'000;  // coordinates: reading takes a second or so
    if (model.bodies.empty() || model.coordinates.size() > largest) return;
    const bool may_load =
        run.details.effort_source == nullptr && measured_size(run.details) <= largest_measured;
    for (const bool joint_forces : {true, false}) {
        if (joint_forces && !may_load) continue;
        PictureNotes notes;
        notes.joint_forces = joint_forces;
        const Built built = build(model.source, run.details.settings, &notes);
        if (!built.details) return;  // a file that it reads is gone since
        const std::size_t size = measured_size(*built.details);
        if (joint_forces && size > largest_measured) {
            run.left_out.push_back(
                fmt::format("forces of joints: with them the model has {} coordinates and "
                            "constraints, and they "
                            "are computed for up to {}",
                            size, largest_measured));
            continue;
        }
        run.as_pictured = built.details;
        run.notes = std::move(notes);
        return;
    }
}

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
