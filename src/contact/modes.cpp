// Which rows a mode has in force, and its model.
#include "contact/modes.hpp"

#include <algorithm>

namespace lacon::inline contact {

ModeRows ContactModes::mode_rows() const {
    ModeRows mode;
    for (std::size_t r = 0; r < contact_states.size(); ++r)
        if (contact_states[r] == ContactState::working) mode.rows.push_back(r);
    mode.rows.insert(mode.rows.end(), held.begin(), held.end());
    for (std::size_t f = 0; f < friction_states.size(); ++f)
        if (friction_states[f] == FrictionState::slips) mode.slides.push_back(f);
    return mode;
}

int side_of(const ConstraintRow& row) {
    return row.sense == ConstraintRow::Sense::equal      ? 0
           : row.sense == ConstraintRow::Sense::at_least ? 1
                                                         : -1;
}

ContactModes two_sided_rows(const DerivedModel& whole) {
    ContactModes modes;
    for (const ConstraintRow& row : whole.model.constraints)
        modes.contact_states.push_back(side_of(row) == 0 ? ContactState::working
                                                         : ContactState::open);
    modes.friction_states.assign(whole.system.frictions.size(), FrictionState::none);
    modes.directions.assign(whole.model.directions.size(), 0.0);
    return modes;
}

void set_directions(const ContactModes& modes, DerivedModel& mode) {
    std::copy(modes.directions.begin(), modes.directions.end(),
              mode.parameters.begin() + static_cast<std::ptrdiff_t>(mode.model.parameters.size()));
}

std::unique_ptr<DerivedModel> make_mode_model(const DerivedModel& whole,
                                              const ContactModes& modes) {
    auto mode = make_mode_model(whole, modes.mode_rows());
    set_directions(modes, *mode);
    return mode;
}

ContactModes unpacked_modes(const DerivedModel& whole, const std::vector<double>& numbers) {
    ContactModes modes;
    std::size_t next = 0;
    const std::size_t directions = whole.model.directions.size();
    for (std::size_t r = 0; r < whole.system.row_count(); ++r)
        modes.contact_states.push_back(
            static_cast<ContactState>(static_cast<int>(numbers.at(next++))));
    for (std::size_t f = 0; f < whole.system.frictions.size(); ++f)
        modes.friction_states.push_back(
            static_cast<FrictionState>(static_cast<int>(numbers.at(next++))));
    for (std::size_t d = 0; d < directions; ++d) modes.directions.push_back(numbers.at(next++));
    while (next < numbers.size())
        modes.held.push_back(static_cast<std::size_t>(numbers.at(next++)));
    return modes;
}

}  // namespace lacon::contact
