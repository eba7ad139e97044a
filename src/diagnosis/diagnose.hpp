// Diagnosis and audit of a derived system; lacon/diagnosis.hpp has the same for a `Mechanism`.
#pragma once

#include "lacon/diagnosis.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::diagnosis {

/// The diagnosis of what was evaluated; `start` where the state comes from a start search.
Diagnosis diagnose(const DerivedModel& details, const Evaluation& at, const Start* start,
                   const DiagnosisOptions& options);

Audit audit(const DerivedModel& details, const Evaluation& at, const DiagnosisOptions& options);

}  // namespace lacon::diagnosis

namespace lacon {
using diagnosis::audit;
using diagnosis::diagnose;
}  // namespace lacon
