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
        result.mode_model =
            make_mode_model(whole, decision.status ? decision.modes : two_sided_rows(whole));
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
