// Newton's method with the least step: δ = −Gᵀ (G Gᵀ)⁻¹ φ, of one or two rows.
#include "page/trace_values.hpp"

#include <cmath>

#include "expr/derivative.hpp"
#include "expr/traverse.hpp"

namespace lacon::inline page {

namespace {

double dot(const TracePoint& a, const TracePoint& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

TracePoint cross(const TracePoint& a, const TracePoint& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

TraceValues::TraceValues(const DerivedModel& details, const Scene& scene, const SceneTrace& trace)
    : details_(details), count_(trace.values.size()) {
    const SymbolRoles roles(details.model);
    Graph graph = scene.graph;
    std::vector<Expr> roots = trace.values;
    for (const Expr value : trace.values)
        for (std::size_t k = 0; k < 3; ++k) {
            free_[k] = trace.coordinates[k].has_value();
            roots.push_back(
                free_[k]
                    ? derivative(graph, value, details.model.coordinates[*trace.coordinates[k]].q)
                    : graph.zero());
        }
    const std::vector<Expr> symbols = symbols_in(graph, roots);
    for (const Expr symbol : symbols) {
        Input input{-1, roles.of(symbol)};
        if (input.role.kind == SymbolRole::Kind::time) moves_ = true;
        for (std::size_t k = 0; k < 3; ++k)
            if (input.role.kind == SymbolRole::Kind::q &&
                trace.coordinates[k] == std::size_t{input.role.number})
                input.axis = static_cast<int>(k);
        inputs_.push_back(input);
    }
    program_ = Program(graph, symbols, roots);
    numbers_.resize(symbols.size());
    slots_.resize(program_.slot_count());
    out_.resize(roots.size());
}

void TraceValues::at(const TracePoint& place, double t) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const Input& input = inputs_[i];
        const bool is_parameter = input.role.kind == SymbolRole::Kind::parameter;
        numbers_[i] = input.axis >= 0 ? place[static_cast<std::size_t>(input.axis)]
                      : is_parameter  ? details_.parameters[input.role.number]
                                      : t;
    }
    program_.run<double>(numbers_, slots_, out_);
}

TracePoint TraceValues::slope(std::size_t i) const {
    const std::size_t first = count_ + 3 * i;
    return {out_[first], out_[first + 1], out_[first + 2]};
}

bool TraceValues::project(TracePoint& place, double t, double size) {
    constexpr int most_rounds = 30;
    constexpr double near = 1e-9;  // of the picture: far below a pixel
    for (int round = 0; round < most_rounds; ++round) {
        at(place, t);
        const TracePoint g = slope(0);
        const double gg = dot(g, g);
        TracePoint step{};
        if (count_ == 1) {
            for (std::size_t k = 0; k < 3; ++k) step[k] = -value(0) / gg * g[k];
        } else {
            const TracePoint h = slope(1);
            const double hh = dot(h, h), gh = dot(g, h), det = gg * hh - gh * gh;
            const double a = (hh * value(0) - gh * value(1)) / det;
            const double b = (gg * value(1) - gh * value(0)) / det;
            for (std::size_t k = 0; k < 3; ++k) step[k] = -a * g[k] - b * h[k];
        }
        const double length = std::sqrt(dot(step, step));
        if (!std::isfinite(length) || length > size) return false;
        for (std::size_t k = 0; k < 3; ++k) place[k] += step[k];
        if (length <= near * size) return true;
    }
    return false;
}

/// Of a curve of the plane that is left free, across the slope in it.
TracePoint TraceValues::tangent() const {
    TracePoint along{};
    if (count_ == 2) {
        along = cross(slope(0), slope(1));
    } else {
        TracePoint resting{};
        for (std::size_t k = 0; k < 3; ++k) resting[k] = free_[k] ? 0.0 : 1.0;
        along = cross(slope(0), resting);
    }
    const double length = std::sqrt(dot(along, along));
    if (!(length > 0.0)) return {};
    for (double& x : along) x /= length;
    return along;
}

}  // namespace lacon::page
