// Joint forces are rows of their own, which pictures need and runs do not: so the text is read once
// more, with them.
#include "pictured.hpp"

#include <fmt/format.h>

#include "page/measures.hpp"
#include "pipeline.hpp"

namespace lacon {

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

}  // namespace lacon
