// The whole flow: from the text of a model to its derived system (`build`), and on to a run that is
// ready to begin (`set_up`, `drive`).
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "base/diagnostic.hpp"
#include "driver/run.hpp"
#include "large/choose.hpp"
#include "mechanics/system/derived_model.hpp"
#include "model/picture_notes.hpp"

namespace lacon {

struct Built {
    std::shared_ptr<const DerivedModel> details;  // absent where the text has errors
    Diagnostics diagnostics;                      // errors and warnings about the text
    std::string unknown_settings;  // "there is no parameter 'n'; did you mean 'N'?", a line each;
                                   // then no details
};

/// Text → derived system. With `notes`, what pictures show of the model is noted there.
Built build(const SourceText& source, const Settings& settings = {}, PictureNotes* notes = nullptr);

/// A run with everything decided but its start.
struct RunSetup {
    std::shared_ptr<const DerivedModel> details;  // as it is run: with its source of efforts
    RunPlan plan;
    SolverChoice solver;
    std::string warning;  // where dense matrices make every step long; else empty
};
/// The controller or the efforts to replay do not fit the mechanism or the time span.
struct RefusedEfforts : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};
/// Throws RefusedEfforts, or std::invalid_argument with a sentence for other options that make no
/// sense.
RunSetup set_up(std::shared_ptr<const DerivedModel> details, const RunOptions& options);
/// The same of options that were decided before.
RunSetup set_up(std::shared_ptr<const DerivedModel> details, RunPlan plan);

/// A run from its start to its end; says whether it came to it. `stop_asked` is looked at after
/// every step, and within long ones.
bool drive(Run& run, const std::function<bool()>& stop_asked = {});

/// Reads a file; throws std::runtime_error where it cannot.
SourceText read_source(const std::string& path);

}  // namespace lacon
