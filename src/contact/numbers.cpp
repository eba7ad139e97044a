// The numbers of a problem of contact: rows in question, their right-hand sides, and what friction
// needs.
#include <algorithm>
#include <cmath>

#include "contact/contacts.hpp"
#include "contact/vectors.hpp"

namespace lacon::inline contact {

namespace {

/// The sine of the angle between a normal and the axis of a frame; 0 without an axis.
double frame_strength(std::span<const double> n, std::span<const double> axis) {
    const double along = dot(n, axis), size = norm(n) * norm(axis);
    return size > 0.0 ? std::sqrt(std::max(0.0, 1.0 - along * along / (size * size))) : 0.0;
}

}  // namespace

/// The coefficients and normals of a friction at a state.
Contacts::Coulomb Contacts::coulomb(std::size_t friction, const State& state) {
    const FrictionPart& part = whole_.system.frictions[friction];
    const std::size_t d = part.normals.empty() ? 0 : part.normals[0].size();
    auto found = laws_.find(friction);
    if (found == laws_.end()) {
        std::vector<Expr> values{part.kinetic, part.at_rest};
        for (const Components& normal : part.normals)
            values.insert(values.end(), normal.begin(), normal.end());
        found = laws_
                    .emplace(std::piecewise_construct, std::tuple(friction),
                             std::tuple(std::cref(whole_), values))
                    .first;
    }
    const std::vector<double> values = found->second.at(place_of(state));
    Coulomb law{std::max(0.0, values[0]), std::max(values[0], values[1]),
                Matrix(part.rows.size(), d)};
    std::copy(values.begin() + 2, values.end(), law.normals.data());
    return law;
}

std::shared_ptr<Contacts::InMode> Contacts::in_mode(const ModeRows& rows) {
    constexpr std::size_t most_kept = 512;  // efforts of controls are looked for in many modes
    if (modes_.size() >= most_kept) modes_.clear();
    std::shared_ptr<InMode>& kept = modes_[rows];
    if (kept) return kept;
    kept = std::make_shared<InMode>();
    kept->details = make_mode_model(whole_, rows);
    kept->assembler = std::make_unique<Assembler>(kept->details->system, kept->details->parameters);
    return kept;
}

Contacts::InMode& Contacts::in_mode(const ContactModes& modes) {
    InMode& mode = *in_mode(modes.mode_rows());
    set_directions(modes, *mode.details);
    return mode;
}

/// All two-sided rows, the closed ones, and the slip of the frictions that they press.
Contacts::Candidates& Contacts::candidates(const std::vector<bool>& closed) {
    constexpr std::size_t most_kept = 64;
    const auto found = candidates_.find(closed);
    if (found != candidates_.end()) return found->second;
    if (candidates_.size() >= most_kept) {
        candidates_.clear();
        modes_.clear();
    }
    Candidates& set = candidates_[closed];
    ModeRows mode;
    for (std::size_t r = 0; r < closed.size(); ++r) {
        const bool two_sided = side_of(whole_.model.constraints[r]) == 0;
        if (!two_sided && !closed[r]) continue;
        mode.rows.push_back(r);
        (two_sided ? set.two_sided : set.one_sided).push_back(r);
    }
    const auto& frictions = whole_.system.frictions;
    for (std::size_t f = 0; f < frictions.size(); ++f) {
        if (whole_.is_idle(f)) continue;
        if (frictions[f].side != 0 && !closed[frictions[f].rows[0]]) continue;
        set.frictions.push_back(f);
        for (std::size_t i = 0; i < frictions[f].slip_count; ++i)
            mode.rows.push_back(closed.size() + frictions[f].slip + i);
    }
    set.mode = in_mode(mode);
    return set;
}

/// The axis of a frame is one of the coordinate axes, far from the normal; it is kept as long as it
/// will do.
void Contacts::choose_frames(Candidates& set, const State& state) {
    for (const std::size_t f : set.frictions) {
        const FrictionPart& part = whole_.system.frictions[f];
        if (!part.framed) continue;
        const Matrix normals = coulomb(f, state).normals;
        const std::span<double> axis =
            std::span(set.mode->details->parameters).subspan(part.direction + part.slip_count, 3);
        if (frame_strength(normals.row(0), axis) > 0.5) continue;
        std::size_t least = 0;
        for (std::size_t i = 1; i < 3; ++i)
            if (std::abs(normals(0, i)) < std::abs(normals(0, least))) least = i;
        for (std::size_t i = 0; i < 3; ++i) axis[i] = i == least ? 1.0 : 0.0;
    }
}

double Contacts::frame(std::size_t friction, const State& state,
                       std::span<const double> directions) {
    const FrictionPart& part = whole_.system.frictions[friction];
    const std::size_t first = part.direction - whole_.model.parameters.size() + part.slip_count;
    return frame_strength(coulomb(friction, state).normals.row(0), directions.subspan(first, 3));
}

/// False where a value is not finite.
bool Contacts::fill(Candidates& set, const State& state, Numbers& out) {
    choose_frames(set, state);
    Assembler& assembler = decided(*set.mode->details, *set.mode->assembler, set.branched, state);
    assembler.equations(state, out.equations);
    if (assembler.not_finite()) return false;
    assembler.residuals(state, out.residuals);
    if (assembler.not_finite()) return false;
    const std::vector<std::size_t>& rows = set.mode->details->rows;
    const auto place = [&](std::size_t row) {
        return static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), row) -
                                        rows.begin());
    };
    std::vector<std::size_t> two_sided, one_sided;
    for (const std::size_t r : set.two_sided) two_sided.push_back(place(r));
    for (const std::size_t r : set.one_sided) one_sided.push_back(place(r));
    out.A = rows_of(out.equations.A, two_sided);
    out.N = rows_of(out.equations.A, one_sided);
    for (const std::size_t r : two_sided) out.b.push_back(out.equations.b[r]);
    if (!whole_.weights.empty()) {
        for (const std::size_t r : set.two_sided) out.weight_A.push_back(whole_.weights[r]);
        for (const std::size_t r : set.one_sided) out.weight_N.push_back(whole_.weights[r]);
    }
    for (std::size_t i = 0; i < one_sided.size(); ++i) {
        const int side = side_of(whole_.model.constraints[set.one_sided[i]]);
        for (double& x : out.N.row(i)) x *= side;
        out.d.push_back(side * out.equations.b[one_sided[i]]);
    }
    for (const std::size_t f : set.frictions)
        fill_friction(set, f, state,
                      place(whole_.system.row_count() + whole_.system.frictions[f].slip), out);
    return true;
}

void Contacts::fill_friction(const Candidates& set, std::size_t f, const State& state,
                             std::size_t first, Numbers& out) {
    const FrictionPart& part = whole_.system.frictions[f];
    const Coulomb law = coulomb(f, state);
    const std::size_t k = part.slip_count, n = out.equations.M.rows();
    ContactFriction friction;
    friction.kinetic = law.kinetic;
    friction.at_rest = law.at_rest;
    friction.fixed = part.fixed;
    if (!whole_.weights.empty() && !part.fixed)
        friction.weight = whole_.weights[part.rows[0]];  // one for all rows of a constraint
    const auto index = [](const std::vector<std::size_t>& list, std::size_t row) {
        return static_cast<std::size_t>(std::find(list.begin(), list.end(), row) - list.begin());
    };
    if (part.side != 0) {
        friction.one_sided = index(set.one_sided, part.rows[0]);
        friction.scale = norm(law.normals.row(0));
    } else if (!part.fixed) {
        for (const std::size_t row : part.rows)
            friction.two_sided.push_back(index(set.two_sided, row));
        friction.G = law.normals;
    }
    friction.W = Matrix(k, n);
    std::vector<double> slip(k);
    for (std::size_t i = 0; i < k; ++i) {
        std::copy_n(out.equations.A.row(first + i).begin(), n, friction.W.row(i).begin());
        friction.w.push_back(out.equations.b[first + i]);
        slip[i] = out.residuals.velocity[first + i];
    }
    if (const double speed = norm(slip); speed > rate_tol * velocity_scale(state))
        for (const double s : slip) friction.direction.push_back(s / speed);
    out.friction.push_back(std::move(friction));
    out.slip.push_back(std::move(slip));
}

}  // namespace lacon::contact
