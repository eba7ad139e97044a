// The directions are taken for one-sided rows, of which nothing but their forces is asked.
#include "solve/contact/response.hpp"

#include "solve/contact/reduced/space.hpp"

namespace lacon::solving::inline contact {

Matrix multiplier_response(const ContactProblem& problem, const Matrix& directions,
                           const SolveOptions& options) {
    const std::vector<double> zero(directions.rows(), 0.0);
    ContactProblem held = problem;
    held.N = directions;
    held.d = zero;
    held.friction = {};
    held.weight_N = {};
    const ContactSpace space(held, options);
    if (space.outcome != Outcome::ok) return {};
    Matrix response(directions.rows(), problem.A.rows());
    for (std::size_t k = 0; k < directions.rows(); ++k) {
        const VectorX answer = space.multipliers(
            VectorX::Unit(static_cast<Index>(directions.rows()), static_cast<Index>(k)));
        for (std::size_t i = 0; i < problem.A.rows(); ++i)
            response(k, i) = answer(static_cast<Index>(i));
    }
    return response;
}

}  // namespace lacon::solving::contact
