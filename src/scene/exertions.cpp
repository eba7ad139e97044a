// What contacts and joints of bodies exert, from the notes of the text; and whether a point is one
// of a body.
#include <cmath>

#include "scene/channels.hpp"

namespace lacon::inline scene {

void SceneMaker::add_exertions() {
    Spatial space(graph);
    for (const Exertion& exertion : notes.exertions) {
        const std::vector<Expr> parts = expressions(exertion.value);
        const auto part = [&](std::size_t i) {
            return Spatial::vector(std::span(parts).subspan(3 * i, 3));
        };
        SceneForce made;
        if (exertion.kind == Exertion::Kind::contact) made.kind = SceneForce::Kind::contact;
        made.name = exertion.name;
        made.noted = true;
        made.rows = exertion.rows;
        made.at = place(part(0));
        made.force = part(1);
        made.torque = part(2);
        for (std::size_t i = 0; i < exertion.rows.size(); ++i) {
            const Expr size = multiplier(exertion.rows[i]);
            made.force = space.add(made.force, space.scale(size, part(3 + 2 * i)));
            made.torque = space.add(made.torque, space.scale(size, part(4 + 2 * i)));
        }
        scene.forces.push_back(std::move(made));
    }
}

namespace {

/// Numbers between 1/2 and 1, without order: a state of which nothing is known.
class AnyNumbers {
public:
    double next() {
        state_ = 6364136223846793005U * state_ + 1442695040888963407U;
        constexpr double unit = 1.0 / 18446744073709551616.0;
        return 0.5 + 0.5 * unit * static_cast<double>(state_);
    }

private:
    std::uint64_t state_ = 1;
};

double determinant(const double* R) {
    return R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
           R[2] * (R[3] * R[7] - R[4] * R[6]);
}

/// The solution of R a = d by Cramer's rule.
std::array<double, 3> solved(const double* R, const double* d) {
    std::array<double, 3> a{};
    for (std::size_t k = 0; k < 3; ++k) {
        std::array<double, 9> with{};
        std::copy_n(R, 9, with.begin());
        for (std::size_t i = 0; i < 3; ++i) with[3 * i + k] = d[i];
        a[k] = determinant(with.data()) / determinant(R);
    }
    return a;
}

}  // namespace

/// A point of a body has the same coordinates in its axes, a in P = p + R a, at any two states. Two
/// without order that agree to rounding prove that well enough: a quaternion that is not of length
/// 1 makes R another matrix, but the same in both.
bool SceneMaker::is_point_of_body(const Vector3& place) const {
    for (const Frame& frame : frames_) {
        std::vector<Expr> roots(place.begin(), place.end());
        roots.insert(roots.end(), frame.p.begin(), frame.p.end());
        for (const Vector3& row : frame.R) roots.insert(roots.end(), row.begin(), row.end());
        const std::vector<Expr> symbols = symbols_in(graph, roots);
        const Program program(graph, symbols, roots);
        AnyNumbers any;
        std::array<std::array<double, 3>, 2> found{};
        double size = 0.0;
        for (std::array<double, 3>& a : found) {
            std::vector<double> inputs(symbols.size()), slots(program.slot_count()), out(15);
            for (std::size_t i = 0; i < symbols.size(); ++i) {
                const SymbolRole role = roles.of(symbols[i]);
                const bool is_parameter = role.kind == SymbolRole::Kind::parameter;
                inputs[i] = is_parameter ? details.parameters[role.number] : any.next();
            }
            program.run<double>(inputs, slots, out);
            const double* const P = out.data();
            const double d[] = {P[0] - P[3], P[1] - P[4], P[2] - P[5]};
            a = solved(P + 6, d);
            for (const double x : a) size = std::max(size, std::abs(x));
        }
        constexpr double rounding = 1e-9;
        bool same = true;
        for (std::size_t i = 0; i < 3; ++i)
            same = same && std::abs(found[0][i] - found[1][i]) <= rounding * (1.0 + size);
        if (same) return true;
    }
    return false;
}

}  // namespace lacon::scene
