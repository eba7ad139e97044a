// Loads as functions of the forces: the force of a one-sided row itself, λ = λ0 + multipliers(f) of
// the rows of A that press, or 1 where the bound of friction is fixed.
#include "solve/contact/reduced/loads.hpp"

#include <algorithm>

namespace lacon::solving::inline contact {

namespace {

// Gᵀ over all rows of A (d × m); one row of zeros where nothing presses.
MatrixX pressing_rows(const ContactFriction& friction, Index m) {
    MatrixX rows = MatrixX::Zero(std::max<Index>(1, static_cast<Index>(friction.G.cols())), m);
    for (std::size_t i = 0; i < friction.two_sided.size(); ++i) {
        for (Index j = 0; j < static_cast<Index>(friction.G.cols()); ++j)
            rows(j, static_cast<Index>(friction.two_sided[i])) += friction.G(i, j);
    }
    return rows;
}

}  // namespace

FrictionProblem::FrictionProblem(const ContactProblem& problem, const ContactSpace& eliminated)
    : given(problem), space(eliminated), normals(eliminated) {
    const Index h = space.count();
    MatrixX answer;  // of λ to each force (m × h)
    for (std::size_t k = 0; k < count(); ++k) {
        if (is_fixed(k)) {
            constant.push_back(VectorX::Ones(1));
            slope.push_back(MatrixX::Zero(1, h));
            load_unique.push_back(true);
            continue;
        }
        if (is_one_sided(k)) {
            constant.push_back(VectorX::Zero(1));
            slope.push_back(friction(k).scale * VectorX::Unit(h, row(k)).transpose());
            load_unique.push_back(true);
            continue;
        }
        if (answer.size() == 0) {
            answer.resize(space.lambda0.size(), h);
            for (Index j = 0; j < h; ++j) answer.col(j) = space.multipliers(VectorX::Unit(h, j));
        }
        const MatrixX pressing = pressing_rows(friction(k), space.lambda0.size());
        constant.push_back(pressing * space.lambda0);
        slope.push_back(pressing * answer);
        const double ambiguity =
            space.dependencies.size() > 0 ? (pressing * space.dependencies).norm() : 0.0;
        load_unique.push_back(ambiguity <= space.consistency_tol * pressing.norm());
    }
}

VectorX FrictionProblem::slip_rate(std::size_t k, const VectorX& y) const {
    return slip_columns(k).transpose() * y - space.g.segment(space.first[k], space.dimension(k));
}

double FrictionProblem::rate_size(std::size_t k, const VectorX& y) const {
    const Index first = space.first[k], dimension = space.dimension(k);
    return (space.size.segment(first, dimension) +
            y.norm() * space.length.segment(first, dimension))
        .maxCoeff();
}

double FrictionProblem::load(std::size_t k, const VectorX& f) const {
    const VectorX vector = load_vector(k, f);
    return is_one_sided(k) ? vector(0) : vector.norm();
}

double FrictionProblem::largest_push(const VectorX& f) const {
    return f.size() > 0 ? f.cwiseAbs().cwiseProduct(space.length).maxCoeff() : 0.0;
}

}  // namespace lacon::solving::contact
