// Checkpoints of a run: what `lacon run --checkpoint` saves and `--resume` reads.
#pragma once

#include <string>

#include "command.hpp"
#include "hybrid/hybrid_run.hpp"

namespace lacon::app {

/// A run as it stands, in a file: the model's text, the options and all that is needed to go on
/// with the same bits.
struct Checkpoint {
    std::string source;            // the model's text
    std::vector<std::string> set;  // --set and --start as given
    std::vector<std::string> start;
    std::vector<std::string> plant;  // --plant as given
    std::string feedforward;  // --feedforward, or empty; its numbers must be those of the sum
    std::uint64_t feedforward_sum = 0;
    RunPlan plan;
    Snapshot snapshot;
    std::string out;                   // --out, or empty
    std::vector<std::string> columns;  // --columns as given
    std::uint64_t out_rows = 0, out_position = 0;
    std::vector<double> output_ranges;  // OutputRanges::numbers
};

/// Writes beside the file and renames: a checkpoint on disk is always whole. Throws FileError.
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);
/// Throws Stop, as bad input about `model`, where the file is none.
Checkpoint read_checkpoint(const std::string& path, const std::string& model);

}  // namespace lacon::app
