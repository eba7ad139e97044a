// Contact problems solved by trial of all modes, in long double.
#include "contact_modes.hpp"

#include <Eigen/QR>

namespace lacon::testing {

namespace {

// Of the largest force or rate: between this and rounding nothing is decided.
constexpr double close_call = 1e-6;
constexpr double same_motion = 1e-7;

/// min |C z − r| over z ≥ 0 (Lawson & Hanson 1974).
VectorX non_negative_least_squares(const MatrixX& C, const VectorX& r) {
    VectorX z = VectorX::Zero(C.cols());
    std::vector<bool> in(static_cast<std::size_t>(C.cols()), false);
    const auto members = [&] {
        std::vector<Index> list;
        for (Index j = 0; j < C.cols(); ++j)
            if (in[static_cast<std::size_t>(j)]) list.push_back(j);
        return list;
    };
    for (int round = 0; round < 200; ++round) {
        const VectorX slope = C.transpose() * (r - C * z);
        Index best = -1;
        for (Index j = 0; j < C.cols(); ++j)
            if (!in[static_cast<std::size_t>(j)] && slope(j) > 1e-12 * C.col(j).norm() * r.norm() &&
                (best < 0 || slope(j) > slope(best)))
                best = j;
        if (best < 0) break;
        in[static_cast<std::size_t>(best)] = true;
        for (;;) {
            const std::vector<Index> set = members();
            const VectorX s = C(Eigen::all, set).completeOrthogonalDecomposition().solve(r);
            double step = 1.0;
            for (std::size_t k = 0; k < set.size(); ++k)
                if (s(static_cast<Index>(k)) <= 0.0)
                    step = std::min(
                        step, z(set[k]) / std::max(z(set[k]) - s(static_cast<Index>(k)), 1e-300));
            for (std::size_t k = 0; k < set.size(); ++k)
                z(set[k]) += step * (s(static_cast<Index>(k)) - z(set[k]));
            if (step == 1.0) break;
            for (const Index j : set)
                if (z(j) <= 1e-14 * z.maxCoeff()) {
                    z(j) = 0.0;
                    in[static_cast<std::size_t>(j)] = false;
                }
        }
    }
    return z;
}

/// One assumption about all contacts: unknowns z ≥ 0, forces E z, equations C z = r and what is
/// left to check.
class Assumption {
public:
    Assumption(const Contacts& problem, const std::vector<const ContactFriction*>& friction,
               const std::vector<Mode>& modes)
        : problem_(problem), friction_(friction), modes_(modes) {}

    std::optional<VectorX> motion(bool& is_close_call);

private:
    void add_force(const VectorX& effect) {
        E_.conservativeResize(problem_.M.rows(), E_.cols() + 1);
        E_.rightCols(1) = effect;
    }
    void add_equation(const VectorX& row, double right) {
        rows_.push_back(row);
        right_.push_back(right);
    }
    void add_contact(Index i);
    double law(const VectorX& x, Index i) const;

    const Contacts& problem_;
    const std::vector<const ContactFriction*>& friction_;
    const std::vector<Mode>& modes_;
    MatrixX E_;
    std::vector<VectorX> rows_;
    std::vector<double> right_;
    double size_ = 1.0;
};

VectorX slip_row(const ContactFriction& friction) {
    return to_eigen(friction.W).row(0).transpose();
}

void Assumption::add_contact(Index i) {
    const Mode mode = modes_[static_cast<std::size_t>(i)];
    if (mode == Mode::open) return;
    const VectorX n = problem_.N.row(i).transpose();
    const ContactFriction* friction = friction_[static_cast<std::size_t>(i)];
    add_equation(n, problem_.d(i));
    if (!friction) return add_force(n);
    const VectorX w = slip_row(*friction);
    if (mode == Mode::sticks) {  // the cone of planar friction is the sum of its two edges
        add_equation(w, friction->w[0]);
        add_force(n + friction->at_rest * friction->scale * w);
        add_force(n - friction->at_rest * friction->scale * w);
        return;
    }
    const double sign = mode == Mode::slips_forward ? 1.0 : -1.0;
    add_force(n - sign * friction->kinetic * friction->scale * w);
}

/// What must not be negative, relative to its size.
double Assumption::law(const VectorX& x, Index i) const {
    const Mode mode = modes_[static_cast<std::size_t>(i)];
    const ContactFriction* friction = friction_[static_cast<std::size_t>(i)];
    if (mode == Mode::open) return (problem_.N.row(i).dot(x) - problem_.d(i)) / size_;
    if (mode == Mode::sticks || !friction || !friction->direction.empty()) return INFINITY;
    const double rate = slip_row(*friction).dot(x) - friction->w[0];
    return (mode == Mode::slips_forward ? rate : -rate) / size_;
}

std::optional<VectorX> Assumption::motion(bool& is_close_call) {
    const Index n = problem_.M.rows();
    E_ = MatrixX(n, 0);
    for (Index i = 0; i < problem_.N.rows(); ++i) add_contact(i);
    const Index contacts = E_.cols();
    for (Index i = 0; i < problem_.A.rows(); ++i) {  // of either sign: two forces
        add_equation(problem_.A.row(i).transpose(), problem_.b(i));
        add_force(problem_.A.row(i).transpose());
        add_force(-problem_.A.row(i).transpose());
    }
    // Eigen solves nothing by a null pointer.
    const MatrixX answer = E_.cols() > 0 ? MatrixX(problem_.M.llt().solve(E_)) : E_;
    const VectorX free = problem_.M.llt().solve(problem_.Q);
    MatrixX C(static_cast<Index>(rows_.size()), E_.cols());
    VectorX r(C.rows());
    for (Index k = 0; k < C.rows(); ++k) {
        C.row(k) = rows_[static_cast<std::size_t>(k)].transpose() * answer;
        r(k) = right_[static_cast<std::size_t>(k)] - rows_[static_cast<std::size_t>(k)].dot(free);
    }
    size_ = std::max(1.0, free.norm());
    VectorX x = free;
    if (C.cols() > 0) {
        // Without the sign first: where that has no answer there is none, and a force that is next
        // to none is a close call.
        const VectorX any = C.completeOrthogonalDecomposition().solve(r);
        if ((C * any - r).norm() > close_call * size_) return std::nullopt;
        const VectorX z = non_negative_least_squares(C, r);
        const double missed = (C * z - r).norm() / std::max(size_, r.norm());
        if (missed > 1e-9 && missed < close_call) is_close_call = true;
        if (missed > 1e-9) return std::nullopt;
        if (contacts > 0 && any.head(contacts).cwiseAbs().minCoeff() < close_call * any.norm() &&
            Eigen::ColPivHouseholderQR<MatrixX>(C).rank() == C.cols())
            is_close_call = true;
        x += answer * z;
    }
    double least = INFINITY;
    for (Index i = 0; i < problem_.N.rows(); ++i) least = std::min(least, law(x, i));
    if (std::abs(least) < close_call) is_close_call = true;
    return least >= -1e-9 ? std::optional(x) : std::nullopt;
}

std::vector<Mode> modes_of(const ContactFriction* friction, bool may_open) {
    if (!may_open) {
        std::vector<Mode> closed = modes_of(friction, true);
        closed.pop_back();
        return closed;
    }
    if (!friction) return {Mode::slips_forward, Mode::open};
    if (friction->direction.empty())
        return {Mode::sticks, Mode::slips_forward, Mode::slips_back, Mode::open};
    return {friction->direction[0] > 0.0 ? Mode::slips_forward : Mode::slips_back, Mode::open};
}

using Frictions = std::vector<const ContactFriction*>;

// All that rests in `other` rests in `one`, and something else as well.
bool rests_more(const Frictions& friction, const std::vector<Mode>& one,
                const std::vector<Mode>& other) {
    bool more = false;
    for (std::size_t i = 0; i < friction.size(); ++i) {
        const bool slides = friction[i] && !friction[i]->direction.empty();
        if (slides && one[i] != other[i]) return false;
        if (slides) continue;
        const Mode rest = friction[i] ? Mode::sticks : Mode::slips_forward;
        if (other[i] == rest && one[i] != rest) return false;
        more = more || (one[i] == rest && other[i] != rest);
    }
    return more;
}

bool precedes(const Frictions& friction, const std::vector<Mode>& one,
              const std::vector<Mode>& other) {
    if (rests_more(friction, one, other)) return true;
    bool all_stick = true, only_gains = true;
    for (std::size_t i = 0; i < friction.size(); ++i) {
        const bool at_rest = friction[i] && friction[i]->direction.empty();
        if (!at_rest && one[i] != other[i]) return false;
        if (!at_rest) continue;
        all_stick = all_stick && one[i] == Mode::sticks;
        const bool gains = one[i] == Mode::sticks && other[i] != Mode::open &&
                           friction[i]->at_rest > friction[i]->kinetic;
        only_gains = only_gains && (one[i] == other[i] || gains);
    }
    return one != other && (all_stick || only_gains);
}

}  // namespace

LawfulMotions lawful_motions(const Contacts& problem, bool may_open) {
    Frictions friction(static_cast<std::size_t>(problem.N.rows()), nullptr);
    for (const ContactFriction& each : problem.friction) friction[*each.one_sided] = &each;
    LawfulMotions found;
    std::vector<std::vector<Mode>> choices;
    std::size_t cases = 1;
    for (const ContactFriction* each : friction) {
        choices.push_back(modes_of(each, may_open));
        cases *= choices.back().size();
    }
    for (std::size_t number = 0; number < cases; ++number) {  // the first one: all stick
        std::vector<Mode> modes;
        std::size_t rest = number;
        for (const std::vector<Mode>& choice : choices) {
            modes.push_back(choice[rest % choice.size()]);
            rest /= choice.size();
        }
        bool is_close_call = false;
        const std::optional<VectorX> x = Assumption(problem, friction, modes).motion(is_close_call);
        const auto is_same = [&](const LawfulMotion& other) {
            return (other.x - *x).norm() <= same_motion * std::max(1.0, x->norm());
        };
        if (x && std::any_of(found.all.begin(), found.all.end(), is_same))
            continue;  // at rest much is zero in many modes
        found.is_close_call = found.is_close_call || is_close_call;
        if (x) found.all.push_back({modes, *x});
    }
    for (const LawfulMotion& one : found.all) {
        const auto beats = [&](const LawfulMotion& other) {
            return precedes(friction, other.modes, one.modes);
        };
        if (std::none_of(found.all.begin(), found.all.end(), beats)) found.left.push_back(one);
    }
    return found;
}

}  // namespace lacon::testing
