// The systems of the modes of a run, kept by the rows that are in force.
#pragma once

#include <map>
#include <memory>

#include "contact/modes.hpp"

namespace lacon::inline hybrid {

/// A mode's system is picked out of that of the whole mechanism once and kept, as the same contacts
/// often return. `whole` must outlive it.
class ModeModels {
public:
    explicit ModeModels(const DerivedModel& whole) : whole_(whole) {}

    /// The system of a mode, with its directions of sliding. Holds until `make_room`.
    DerivedModel& of(const ContactModes& modes) {
        std::unique_ptr<DerivedModel>& model = models_[modes.mode_rows()];
        if (!model) model = make_mode_model(whole_, modes.mode_rows());
        set_directions(modes, *model);
        return *model;
    }

    /// Where there are many, forgets them all. To be called while none is in use.
    void make_room() {
        constexpr std::size_t most_kept = 256;
        if (models_.size() >= most_kept) models_.clear();
    }

private:
    const DerivedModel& whole_;
    std::map<ModeRows, std::unique_ptr<DerivedModel>> models_;
};

}  // namespace lacon::hybrid
