// What `lacon run` is asked to do, with everything read that it takes.
#pragma once

#include "checkpoint.hpp"
#include "table/table.hpp"

namespace lacon::app {

/// A run as the command line asks for it, or as the checkpoint has it that it goes on from.
struct RunRequest {
    RunCommandOptions options;  // a resumed run has those that it began with
    Checkpoint state;           // what a checkpoint would say of it now
    Loaded loaded;
    std::string warning;  // about the options, or empty

    bool resumes() const { return !options.resume.empty(); }
    bool saves() const { return !options.checkpoint.empty(); }
};

/// Reads the model, the checkpoint and the efforts to replay, and checks the files that will be
/// written. Throws Stop.
RunRequest run_request(const RunCommandOptions& options);

/// How the rows of a run came about, for the head of its file; `names` are those of its columns.
TableInfo run_info(const RunRequest& request, const std::vector<std::string>& names);

}  // namespace lacon::app
