// Where the rows of a run go: a file, a picture, and the ranges of the outputs.
#pragma once

#include <memory>

#include "output_ranges.hpp"
#include "page/page_rows.hpp"
#include "run_request.hpp"
#include "table/column_choice.hpp"

namespace lacon::app {

/// What becomes of the rows of a run. The file is opened with the first row: without one, a file
/// that was there stays as it is. `request` must outlive it.
class RunOutput {
public:
    explicit RunOutput(const RunRequest& request);

    /// Where nobody takes rows, none need be computed.
    bool wants_rows() const;
    /// The columns of the run by their names: those that are written and drawn. Throws Stop.
    void choose_columns(const std::vector<std::string>& names);
    /// Rows and columns that will be in the file do not fit: throws Stop. Gives a warning where
    /// they are many, or nothing.
    std::string check_size() const;
    /// Goes on with the file of a run that is resumed. Throws Stop.
    void reopen();

    bool take(std::span<const double> row);
    void flush_if_due();
    /// What a checkpoint has to say of the file and the ranges.
    void note_in(Checkpoint& checkpoint);
    /// What happened is written when the file is closed.
    void keep_events(const std::vector<MotionEvent>& events);
    /// Throws TableError.
    void close();
    /// Draws what --plot asks for. Throws PlotError.
    void draw(const std::vector<MotionEvent>& events) const;
    /// Writes what --page and --video ask for; `details` as they were run. Throws PageError,
    /// FilmError and FileError.
    void write_page(const DerivedModel& details, const MotionSummary& summary) const;

    bool is_open() const { return writer_ != nullptr; }
    std::uint64_t rows() const { return writer_->rows(); }  // in the file
    const OutputRanges& ranges() const { return ranges_; }

private:
    void check_columns(const std::vector<std::string>& names) const;

    const RunRequest& request_;
    OutputRanges ranges_;
    ColumnChoice columns_;            // of --columns
    Table table_;                     // what is written; rows where there is a picture to draw
    std::vector<std::string> drawn_;  // columns of --plot where --columns names them
    std::unique_ptr<TableWriter> writer_;
    PageRows page_rows_;
};

}  // namespace lacon::app
