// The sentences of a diagnosis, in the names of the model.
#pragma once

#include "lacon/diagnosis.hpp"

/// Findings as sentences.
namespace lacon::diagnosis {

/// What a finding of persistence adds to a sentence: "(in all 12 states sampled nearby)".
std::string persistence_text(const Dependency& dependency, bool alone);
/// "y1 by 1 with y2 by -3".
std::string direction_text(const std::vector<std::string>& coordinates,
                           const std::vector<double>& direction);
std::string singular_text(const std::vector<std::string>& coordinates,
                          const SingularPosition& singular, std::size_t rank);
std::string scaling_text(const RankFinding& rank, double asked_tolerance);

/// The lines of a report: a label and a sentence each. Pairs that say one thing are told in one
/// sentence.
struct Line {
    std::string label, text;
};
std::vector<Line> lines_of(const Diagnosis& diagnosis);
std::string rank_text(const RankFinding& rank);

}  // namespace lacon::diagnosis
