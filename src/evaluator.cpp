// One state after another in storage that stays: the steady solve where it is sure of itself, also
// with the contacts closed that were closed before; else the careful one; for large mechanisms the
// sparse one.
#include <algorithm>
#include <optional>
#include <stdexcept>

#include "contact/kept_contacts.hpp"
#include "lacon/mechanism.hpp"
#include "large/choose.hpp"
#include "large/elements/decisions.hpp"
#include "large/motion/field.hpp"
#include "mechanics/numbers/assemble.hpp"
#include "solve/dense/constrained/steady_solve.hpp"
#include "state/evaluate.hpp"

namespace lacon {

namespace {

/// A large mechanism, with what the sparse solve needs for all states.
struct SparseParts {
    SparseParts(const DerivedModel& details, const SolveOptions& options)
        : system(large_system(details)), field(*system, options), decisions(field.assembler) {
        M = {system->mass->rows, system->mass->cols, system->mass->begin, system->mass->column, {}};
        A = {system->rows->rows, system->rows->cols, system->rows->begin, system->rows->column, {}};
    }

    const std::shared_ptr<const SparseSystem> system;
    SparseField field;
    SparseDecisions decisions;
    SparseSolution solution;
    SparseMatrix M, A;
};

}  // namespace

struct Evaluator::Parts {
    Parts(std::shared_ptr<const DerivedModel> d, const SolveOptions& o, Solver solver)
        : details(std::move(d)),
          options(o),
          assembler(details->system, details->parameters),
          is_plain(!details->has_contacts() && !details->has_controls() &&
                   details->system.nonideal.empty()) {
        if (details->has_contacts() && !details->has_controls() &&
            details->system.nonideal.empty() && details->system.frictions.empty())
            contacts.emplace(*details);
        const SolverChoice choice = choose_solver(*details, solver);
        refused = choice.refused;
        if (refused && choice.sparse) sparse = std::make_unique<SparseParts>(*details, options);
    }

    bool run() {
        if (!refused) status = refused;
        else if (sparse) run_sparse();
        else run_dense();
        return static_cast<bool>(status);
    }

    bool run_dense() {
        assembler.equations(state, equations);
        if (contacts) return run_contacts();
        const ConstrainedProblem problem{equations.M, equations.Q, equations.A,
                                         equations.b, {},          details->weights};
        if (!is_plain || assembler.not_finite() || !steady.run(problem, options))
            return run_careful();
        take(steady.acceleration(), steady.multipliers());
        rank = steady.rank();
        add_forces();
        return succeed();
    }

    void add_forces() {
        force.assign(acceleration.size(), 0.0);
        for (std::size_t r = 0; r < multipliers.size(); ++r)
            for (std::size_t j = 0; j < force.size(); ++j)
                force[j] += equations.A(r, j) * multipliers[r];
    }

    /// With the contacts closed that were, where that is the answer; else the laws decide anew.
    bool run_contacts() {
        KeptContacts& kept = contacts->kept;
        assembler.residuals(state, contacts->residuals);
        if (assembler.not_finite() || !kept.run(state, equations, contacts->residuals, options))
            return decide_contacts();
        take(kept.acceleration(), kept.multipliers());
        rank = kept.rank();
        add_forces();
        return succeed();
    }

    bool decide_contacts() {
        KeptContacts& kept = contacts->kept;
        kept.forget();
        if (!run_careful()) return false;
        kept.keep(contacts->states);
        kept.run(state, equations, contacts->residuals, options);  // makes room
        return true;
    }

    /// As the laws have decided.
    void note_states(const std::vector<ConstraintReport>& constraints) {
        contacts->states.clear();
        for (const ConstraintReport& report : constraints)
            contacts->states.push_back(report.contact == ContactKind::open ? ContactState::open
                                       : report.contact == ContactKind::idle
                                           ? ContactState::idle
                                           : ContactState::working);
    }

    bool run_careful() {
        Evaluation at = evaluate_without_outputs(*details, state, options);
        status = std::move(at.status);
        rank = at.solution.rank;
        equations = {std::move(at.M), std::move(at.Q), std::move(at.A), std::move(at.b)};
        if (!status) return false;
        if (contacts) note_states(at.constraints);
        take(at.solution.acceleration, at.solution.multipliers);
        force.assign(acceleration.size(), 0.0);
        for (const std::vector<double>* part :
             {&at.solution.constraint_force, &at.solution.nonideal_force})
            for (std::size_t j = 0; j < part->size(); ++j) force[j] += (*part)[j];
        return true;
    }

    bool run_sparse() {
        SparseField& field = sparse->field;
        sparse->decisions.settle(state);
        Outcome outcome = field.factor_at(state);
        const auto copy = [](std::span<const double> from, std::vector<double>& to) {
            to.assign(from.begin(), from.end());
        };
        copy(field.equations.M(), sparse->M.value);
        copy(field.equations.A(), sparse->A.value);
        copy(field.equations.Q(), equations.Q);
        copy(field.equations.b(), equations.b);
        rank = outcome == Outcome::ok ? field.factor.rank() : 0;
        if (outcome == Outcome::ok) outcome = field.solve(sparse->solution);
        if (outcome != Outcome::ok) {
            status = field.trouble(outcome, state);
            return false;
        }
        take(sparse->solution.acceleration, sparse->solution.multipliers);
        force.assign(acceleration.size(), 0.0);
        add_transposed(*sparse->system->rows, field.equations.A(), 1.0, multipliers, force);
        return succeed();
    }

    void take(std::span<const double> a, std::span<const double> lambda) {
        acceleration.assign(a.begin(), a.end());
        multipliers.assign(lambda.begin(), lambda.end());
    }

    bool succeed() {
        status.outcome = Outcome::ok;
        status.message.clear();
        status.names.clear();
        return true;
    }

    std::shared_ptr<const DerivedModel> details;
    SolveOptions options;
    Assembler assembler;
    const bool is_plain;  // q'' is what M, Q, A, b give
    Status refused;       // not ok where neither dense nor sparse can be
    Equations equations;
    solving::SteadySolve steady;
    /// Of a mechanism with contacts without friction.
    struct ContactParts {
        explicit ContactParts(const DerivedModel& details) : kept(details) {}
        KeptContacts kept;
        Residuals residuals;
        std::vector<ContactState> states;  // of each row, as decided last
    };
    std::optional<ContactParts> contacts;
    std::unique_ptr<SparseParts> sparse;
    State state;
    Status status;
    std::vector<double> acceleration, multipliers, force;
    std::size_t rank = 0;
};

Evaluator::Evaluator(const Mechanism& mechanism, const SolveOptions& options, Solver solver)
    : parts_(std::make_unique<Parts>(mechanism.details_, options, solver)) {}
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;
Evaluator::~Evaluator() = default;

bool Evaluator::evaluate(const State& state) {
    return evaluate(state.t, state.q, state.v);
}

bool Evaluator::evaluate(double t, std::span<const double> q, std::span<const double> v) {
    const std::size_t n = parts_->details->coordinate_names.size();
    if (q.size() != n || v.size() != n)
        throw std::invalid_argument("the state must have one q and one v for each coordinate");
    parts_->state.t = t;
    parts_->state.q.assign(q.begin(), q.end());
    parts_->state.v.assign(v.begin(), v.end());
    return parts_->run();
}

const Status& Evaluator::status() const {
    return parts_->status;
}
MatrixView Evaluator::M() const {
    return parts_->equations.M;
}
MatrixView Evaluator::A() const {
    return parts_->equations.A;
}
std::span<const double> Evaluator::Q() const {
    return parts_->equations.Q;
}
std::span<const double> Evaluator::b() const {
    return parts_->equations.b;
}
std::span<const double> Evaluator::acceleration() const {
    return parts_->status ? std::span<const double>(parts_->acceleration)
                          : std::span<const double>();
}
std::span<const double> Evaluator::multipliers() const {
    return parts_->status ? std::span<const double>(parts_->multipliers)
                          : std::span<const double>();
}
std::span<const double> Evaluator::constraint_force() const {
    return parts_->status ? std::span<const double>(parts_->force) : std::span<const double>();
}
std::size_t Evaluator::rank() const {
    return parts_->rank;
}
bool Evaluator::is_sparse() const {
    return parts_->sparse != nullptr;
}
const SparseMatrix& Evaluator::sparse_M() const {
    static const SparseMatrix none;
    return parts_->sparse ? parts_->sparse->M : none;
}
const SparseMatrix& Evaluator::sparse_A() const {
    static const SparseMatrix none;
    return parts_->sparse ? parts_->sparse->A : none;
}

}  // namespace lacon
