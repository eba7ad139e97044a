// Writes the page of a run: one HTML file that plays the motion, without a network.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "lacon/motion.hpp"
#include "mechanics/system/derived_model.hpp"
#include "model/picture_notes.hpp"

/// The page of a run (docs/page.md). What is drawn is found by `scene`, from the states in the
/// rows; forces, energies, residuals and ranks are computed again at those rows that are kept. The
/// script that shows it all comes from web/.
namespace lacon::inline page {

/// What a page cannot be made of; a sentence.
struct PageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A run as it came out.
struct PageRun {
    const DerivedModel& details;
    /// t, coordinates, velocities, outputs; the first three in any order, hidden ones may miss.
    std::vector<std::string> names;
    std::vector<std::vector<double>> columns;  // one a name; t is increasing
    std::vector<MotionEvent> events;
    std::vector<std::pair<std::string, std::string>> facts;  // shown as they are: method, steps, …
    SolveOptions solve;
    /// The model as it is read for pictures, with what was noted on the way; none: `details`.
    std::shared_ptr<const DerivedModel> as_pictured = nullptr;
    PictureNotes notes = {};
    std::vector<std::string> left_out = {};  // what could not be had for the page: sentences

    const DerivedModel& pictured() const { return as_pictured ? *as_pictured : details; }
};

constexpr std::size_t largest_page = 20'000'000;  // bytes

/// The page as HTML. Throws PageError.
std::string page_of(const PageRun& run);

/// What such a page has inside, as bytes (web/src/data.ts, readRun): the live page fetches it by
/// itself. Throws PageError.
std::string page_data_of(const PageRun& run);

/// The page of `lacon view` as HTML, with the task (JSON) that its script is given. Throws
/// PageError.
std::string live_page(const std::string& title, const std::string& task);

/// Why no page can be made; empty where it can.
std::string why_no_page();

}  // namespace lacon::page
