// Rows are written and flushed under the lock of signals, so that a farewell finds whole files.
#include "run_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/files.hpp"
#include "output_files.hpp"
#include "page_output.hpp"
#include "picture/plot.hpp"
#include "pictured.hpp"
#include "run_report.hpp"
#include "signals.hpp"
#include "written_columns.hpp"

namespace lacon::app {

RunOutput::RunOutput(const RunRequest& request)
    : request_(request), ranges_(*request.loaded.details) {
    ranges_.recall(request.state.output_ranges);
}

bool RunOutput::wants_rows() const {
    const RunCommandOptions& options = request_.options;
    if (!request_.state.out.empty() || !options.plot.empty() || options.shows()) return true;
    // Rows are computed for the outputs' ranges, were it for nothing else.
    const bool told = !options.quiet || options.json || request_.saves();
    return told && !ranges_.all().empty() &&
           request_.loaded.details->coordinate_names.size() <= OutputRanges::most_coordinates;
}

void RunOutput::choose_columns(const std::vector<std::string>& names) {
    const RunCommandOptions& options = request_.options;
    const std::vector<std::string>& chosen = request_.state.columns;
    page_rows_.names = names;
    columns_ =
        written_columns(chosen.empty() ? shown_columns(*request_.loaded.details, names) : chosen,
                        names, options.path);
    check_columns(names);
    table_.info = columns_.of(run_info(request_, names));
    table_.columns.resize(table_.info.names.size());
    if (options.plot.empty()) return;
    RunCommandOptions drawn = options;
    drawn.columns = chosen;
    drawn_ = drawn_columns(drawn, table_.info);
}

/// Of a run that is taken up again: other names may mean the same columns.
void RunOutput::check_columns(const std::vector<std::string>& names) const {
    const RunCommandOptions& options = request_.options;
    if (!request_.resumes() || options.columns.empty()) return;
    const ColumnChoice given = written_columns(options.columns, names, options.path);
    TableInfo all;
    all.names = names;
    all.texts.resize(all.names.size());
    if (given.of(all) != columns_.of(all))
        throw bad_input(
            options.path, "--columns",
            fmt::format(
                "the checkpoint has the columns {}, not {}; a resumed run keeps its columns",
                fmt::join(request_.state.columns, ", "), fmt::join(options.columns, ", ")));
}

std::string RunOutput::check_size() const {
    const RunPlan& plan = request_.state.plan;
    const double rows = std::ceil((plan.end - plan.begin) / plan.every) + 1.0;
    const TableSize size{static_cast<double>(table_.info.names.size()), rows};
    const std::string& out = request_.state.out;
    if (!request_.options.force) check_room(request_.options.path, out, size);
    return request_.resumes() ? "" : large_file_warning(out, size);
}

void RunOutput::reopen() {
    const Checkpoint& state = request_.state;
    if (state.out.empty()) return;
    try {
        const StopLock whole;
        writer_ = reopen_table(state.out, table_.info, state.out_rows, state.out_position);
        if (request_.options.plot.empty()) return;
        writer_->flush();
        table_.columns = read_table(state.out).columns;
    } catch (const TableError& problem) {
        throw Stop{exit_bad_input, fmt::format("lacon: {}\n", problem.what()), {}};
    }
}

bool RunOutput::take(std::span<const double> all) {
    ranges_.take(all);
    if (request_.options.shows()) page_rows_.take(all);
    const std::span<const double> row = columns_.of(all);
    if (const std::string& out = request_.state.out; !out.empty()) {
        const StopLock whole;
        try {
            if (!writer_) writer_ = open_table(out, table_.info);  // with the first row
            writer_->row(row);
        } catch (const TableError& problem) {
            throw write_failed(problem);
        }
    }
    if (request_.options.plot.empty()) return true;
    for (std::size_t i = 0; i < row.size(); ++i) table_.columns[i].push_back(row[i]);
    return true;
}

void RunOutput::flush_if_due() {
    if (!writer_) return;
    const StopLock whole;
    writer_->flush_if_due();
}

void RunOutput::note_in(Checkpoint& checkpoint) {
    if (writer_) {
        writer_->flush();
        checkpoint.out_rows = writer_->rows();
        checkpoint.out_position = writer_->position();
    }
    checkpoint.output_ranges = ranges_.numbers();
}

void RunOutput::keep_events(const std::vector<MotionEvent>& events) {
    if (writer_) writer_->keep_events(json_of(events).dump());
}

void RunOutput::close() {
    if (writer_) writer_->close();
}

namespace {

/// Dashed lines at the events, and in the caption what they are.
void mark_events(const std::vector<MotionEvent>& events, PlotRequest& request) {
    constexpr std::size_t most_marks = 200, most_named = 8;
    request.marks.clear();
    std::vector<std::pair<std::string, std::size_t>> kinds;
    for (const MotionEvent& e : events) {
        if (request.marks.size() < most_marks) request.marks.push_back(e.t);
        const std::string name(e.kind == EventKind::event ? std::string_view(e.name)
                                                          : e.kind.name());
        const auto known = std::find_if(kinds.begin(), kinds.end(),
                                        [&](const auto& kind) { return kind.first == name; });
        if (known == kinds.end()) kinds.emplace_back(name, 1);
        else ++known->second;
    }
    if (kinds.empty()) return;
    std::string note = "dashed lines: ";
    for (std::size_t i = 0; i < std::min(most_named, kinds.size()); ++i)
        note += fmt::format("{}{} ({})", i ? ", " : "", kinds[i].first, kinds[i].second);
    if (kinds.size() > most_named) note += fmt::format(" and {} more", kinds.size() - most_named);
    if (events.size() > most_marks)
        note += fmt::format("; only the first {} are drawn", most_marks);
    request.notes.push_back(std::move(note));
}

}  // namespace

void RunOutput::draw(const std::vector<MotionEvent>& events) const {
    const std::string& file = request_.options.plot;
    if (file.empty() || table_.columns.empty() || table_.columns[0].empty()) return;
    PlotRequest picture{"t", drawn_, "", file};
    mark_events(events, picture);
    plot(table_, picture);
}

void RunOutput::write_page(const DerivedModel& details, const MotionSummary& summary) const {
    const RunCommandOptions& options = request_.options;
    if (!options.shows() || page_rows_.columns.empty()) return;
    PageRun run = page_rows_.run(details, summary, request_.state.plan.options.solve);
    add_picture(run);
    const std::string page = page_of(run);
    if (!options.page.empty()) {
        const StopLock whole;
        replace_file(options.page, page);
    }
    if (!options.video.empty()) render_video(page, options.video, options.quiet);
}

}  // namespace lacon::app
