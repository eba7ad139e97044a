// For a model with contacts, the laws of contact decide which rows hold, and the mode of these
// rows is assembled. If they give no answer, only the two-sided rows count.
#include "diagnosis/in_force.hpp"

#include <algorithm>

#include "contact/contacts.hpp"
#include "state/mode_efforts.hpp"

namespace lacon::diagnosis {

InForce rows_in_force(const DerivedModel& whole, const State& state, const SolveOptions& options) {
    InForce result;
    result.details = &whole;
    if (whole.has_contacts()) {
        Contacts contacts(whole, options, efforts_of_controls(options));
        const Contacts::Decision decision = contacts.decide(state, contacts.closed_at(state));
        ContactModes modes = decision.modes;
        if (!decision.status) {  // without an answer, what holds in any case
            modes.contact_states.assign(whole.system.row_count(), ContactState::open);
            for (std::size_t r = 0; r < modes.contact_states.size(); ++r)
                if (side_of(whole.model.constraints[r]) == 0)
                    modes.contact_states[r] = ContactState::working;
            modes.friction_states.assign(whole.system.frictions.size(), FrictionState::none);
            modes.directions.assign(whole.model.directions.size(), 0.0);
        }
        result.mode_model = make_mode_model(whole, modes.mode_rows());
        std::copy(modes.directions.begin(), modes.directions.end(),
                  result.mode_model->parameters.begin() +
                      static_cast<std::ptrdiff_t>(whole.model.parameters.size()));
        result.details = result.mode_model.get();
    }
    Assembler(result.details->system, result.details->parameters)
        .equations(state, result.equations);
    return result;
}

Matrix rows_of_matrix(const Matrix& A, const std::vector<std::size_t>& rows) {
    Matrix part(rows.size(), A.cols());
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy(A.row(rows[i]).begin(), A.row(rows[i]).end(), part.row(i).begin());
    return part;
}

std::vector<double> entries_of(const std::vector<double>& b, const std::vector<std::size_t>& rows) {
    std::vector<double> part;
    for (const std::size_t r : rows) part.push_back(b[r]);
    return part;
}

}  // namespace lacon::diagnosis
