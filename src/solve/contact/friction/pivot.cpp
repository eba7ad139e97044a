// From a trial to one without flaws. All flaws are mended at once while they become fewer (Júdice &
// Pires 1994), then the worst only, and from the first trial that recurs the one of least index
// (Murty 1974): for rows without friction that is finite.
#include "solve/contact/friction/pivot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace lacon::solving::inline contact {

namespace {

constexpr int patience = 6;  // rounds of many changes without progress

bool is_about_row(Flaw::Kind kind) {
    return kind == Flaw::Kind::pulls || kind == Flaw::Kind::penetrates ||
           kind == Flaw::Kind::separates;
}

class Revision {
public:
    Revision(const FrictionProblem& problem, Trial& trial) : problem_(problem), trial_(trial) {}

    void mend(const Flaw& flaw, const Balanced& balanced, const Judged& judged);

private:
    void open(std::size_t i) { trial_.closed[i] = false; }
    void close(std::size_t i, const Balanced& balanced);
    void let_slip(std::size_t k, const VectorX& direction);

    const FrictionProblem& problem_;
    Trial& trial_;
};

// A row that depends on the working ones comes in for the one whose force vanishes first as its own
// grows.
void Revision::close(std::size_t i, const Balanced& balanced) {
    const ContactSpace& space = problem_.space;
    const Index row = static_cast<Index>(i);
    trial_.closed[i] = true;
    trial_.order.erase(std::remove(trial_.order.begin(), trial_.order.end(), row),
                       trial_.order.end());
    trial_.order.insert(trial_.order.begin(), row);
    for (std::size_t k = 0; k < problem_.count(); ++k) {
        if (problem_.is_one_sided(k) && problem_.row(k) == row && !problem_.slides(k))
            trial_.friction_states[k] = FrictionState::sticks;
    }
    const IndependentRows::Parts parts = balanced.set.parts(space.P.col(row));
    if (!parts.depends) return;
    double least = std::numeric_limits<double>::infinity();
    Index leaving = -1, gripping = -1;
    for (Index j = 0; j < balanced.set.count(); ++j) {
        const Index member = balanced.set.members()[j];
        if (member >= space.normals) {
            if (gripping < 0 || std::abs(parts.along(j)) > std::abs(parts.along(gripping)))
                gripping = j;
            continue;
        }
        // As the tolerance of forces: a smaller part does not unload the row.
        if (!(parts.along(j) > 1e-10) || balanced.f(member) / parts.along(j) >= least) continue;
        least = balanced.f(member) / parts.along(j);
        leaving = member;
    }
    if (leaving >= 0) return open(static_cast<std::size_t>(leaving));
    if (gripping < 0) return;
    const std::size_t k = space.friction_of(balanced.set.members()[gripping]);
    let_slip(k, -balanced.f.segment(space.first[k], space.dimension(k)));
}

void Revision::let_slip(std::size_t k, const VectorX& direction) {
    trial_.friction_states[k] = FrictionState::slips;
    trial_.resistance[k] = 0.0;
    const Index dimension = problem_.space.dimension(k);
    trial_.direction[k] =
        direction.norm() > 0.0 ? VectorX(direction.normalized()) : VectorX::Unit(dimension, 0);
}

void Revision::mend(const Flaw& flaw, const Balanced& balanced, const Judged& judged) {
    const ContactSpace& space = problem_.space;
    const std::size_t k = flaw.which;
    switch (flaw.kind) {
        case Flaw::Kind::pulls:
        case Flaw::Kind::separates: return open(k);
        case Flaw::Kind::penetrates: return close(k, balanced);
        case Flaw::Kind::over_limit:
            return let_slip(k, -judged.f.segment(space.first[k], space.dimension(k)));
        case Flaw::Kind::cannot_stick: return let_slip(k, problem_.slip_rate(k, balanced.y));
        case Flaw::Kind::slips_forward: trial_.friction_states[k] = FrictionState::sticks; return;
        case Flaw::Kind::load_reversed: trial_.pressing[k] = -trial_.pressing[k]; return;
    }
}

bool is_frozen(const Flaw& flaw, const Frozen& frozen) {
    if (is_about_row(flaw.kind)) return !frozen.normals.empty() && frozen.normals[flaw.which];
    return flaw.kind == Flaw::Kind::load_reversed && !frozen.loads.empty() &&
           frozen.loads[flaw.which];
}

// Rows before frictions, each by number.
std::pair<bool, std::size_t> index_of(const Flaw& flaw) {
    return {!is_about_row(flaw.kind), flaw.which};
}

}  // namespace

std::optional<Settled> settled(const FrictionProblem& problem, Trial trial) {
    Balanced balanced = balance(problem, trial);
    if (!balanced.solved) return std::nullopt;
    Judged judged = judge(problem, trial, balanced);
    if (!judged.flaws.empty() || !balanced.converged) return std::nullopt;
    return Settled{std::move(trial), std::move(balanced), std::move(judged)};
}

std::optional<Settled> settle(const FrictionProblem& problem, Trial trial, std::size_t most,
                              const Frozen& frozen) {
    const std::size_t limit =
        most > 0 ? most : 100 + 2 * static_cast<std::size_t>(problem.space.count());
    enum class Pace { all, worst, least_index } pace = Pace::all;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    int rounds_left = patience;
    std::set<std::string> seen;
    for (std::size_t round = 0; round < limit; ++round) {
        Balanced balanced = balance(problem, trial);
        if (!balanced.solved) return std::nullopt;
        Judged judged = judge(problem, trial, balanced);
        std::vector<Flaw>& flaws = judged.flaws;
        if (flaws.empty()) {
            if (!balanced.converged) return std::nullopt;
            return Settled{std::move(trial), std::move(balanced), std::move(judged)};
        }
        std::erase_if(flaws, [&](const Flaw& flaw) { return is_frozen(flaw, frozen); });
        if (flaws.empty()) return std::nullopt;

        if (flaws.size() < fewest) {
            fewest = flaws.size();
            rounds_left = patience;
        } else if (pace == Pace::all && --rounds_left == 0) {
            pace = Pace::worst;
        }
        if (!seen.insert(trial.key(problem)).second) {
            if (pace == Pace::least_index) return std::nullopt;
            pace = pace == Pace::all ? Pace::worst : Pace::least_index;
            seen.clear();
        }
        const auto less_severe = [](const Flaw& x, const Flaw& y) {
            return x.severity < y.severity;
        };
        const auto by_index = [](const Flaw& x, const Flaw& y) {
            return index_of(x) < index_of(y);
        };
        if (pace == Pace::worst)
            flaws = {*std::max_element(flaws.begin(), flaws.end(), less_severe)};
        if (pace == Pace::least_index)
            flaws = {*std::min_element(flaws.begin(), flaws.end(), by_index)};
        Revision revision(problem, trial);
        const std::vector<Flaw> mended = flaws;
        for (const Flaw& flaw : mended) revision.mend(flaw, balanced, judged);
    }
    return std::nullopt;
}

}  // namespace lacon::solving::contact
