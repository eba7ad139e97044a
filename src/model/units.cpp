// Infers dimensions (powers of kg, m, s) from the units in parameter texts. Three passes carry them
// from parameters, gravity and sums over to the coordinates; conflicts are not reported.
#include "model/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "expr/traverse.hpp"

namespace lacon::inline model {

namespace {

/// kg^mass m^length s^time. `open`: a plain number, which may stand for any dimension in a sum.
struct Dimension {
    double mass = 0.0, length = 0.0, time = 0.0;
    bool open = false;

    bool same(const Dimension& other) const {
        return mass == other.mass && length == other.length && time == other.time;
    }
    Dimension power(double k) const { return {k * mass, k * length, k * time, open}; }
    Dimension times(const Dimension& o) const {
        return {mass + o.mass, length + o.length, time + o.time, open && o.open};
    }
};
using Known = std::optional<Dimension>;
constexpr Dimension none{}, second{0, 0, 1}, metre{0, 1, 0}, newton{1, 1, -2}, joule{1, 2, -2};

Known named_unit(std::string_view name) {
    static const std::map<std::string_view, Dimension> units{
        {"m", metre},       {"kg", {1, 0, 0}},  {"s", second}, {"rad", none},
        {"1", none},        {"N", newton},      {"J", joule},  {"W", {1, 2, -3}},
        {"Hz", {0, 0, -1}}, {"Pa", {1, -1, -2}}};
    const auto found = units.find(name);
    return found == units.end() ? Known() : found->second;
}

/// "m/s^2", "kg m^2", "N/m": what stands behind the last comma of a parameter's text.
Known unit_in(const std::string& text) {
    const std::size_t comma = text.rfind(',');
    const std::string unit = comma == std::string::npos ? text : text.substr(comma + 1);
    Dimension result;
    bool any = false, below = false;
    for (std::size_t i = 0; i < unit.size();) {
        if (unit[i] == ' ' || unit[i] == '*' || unit[i] == '/') {
            if (unit[i] == '/') below = true;
            ++i;
            continue;
        }
        const std::size_t end = std::min(unit.find_first_of(" */", i), unit.size());
        const std::string word = unit.substr(i, end - i);
        const std::size_t hat = word.find('^');
        const Known known = named_unit(std::string_view(word).substr(0, hat));
        char* rest = nullptr;
        const double k =
            hat == std::string::npos ? 1.0 : std::strtod(word.c_str() + hat + 1, &rest);
        if (!known || (rest && *rest != '\0')) return std::nullopt;
        result = result.times(known->power(below ? -k : k));
        any = true;
        below = false;
        i = end;
    }
    return any ? Known(result) : std::nullopt;
}

std::string text_of(const Dimension& d) {
    struct Named {
        Dimension dimension;
        const char* text;
    };
    static const std::array named{Named{metre, "m"},
                                  Named{{0, 1, -1}, "m/s"},
                                  Named{{0, 1, -2}, "m/s^2"},
                                  Named{second, "s"},
                                  Named{{1, 0, 0}, "kg"},
                                  Named{newton, "N"},
                                  Named{joule, "J"},
                                  Named{{1, 2, -3}, "W"},
                                  Named{{0, 0, -1}, "1/s"},
                                  Named{{1, 0, -2}, "N/m"},
                                  Named{{0, 2, 0}, "m^2"},
                                  Named{{1, 1, -1}, "kg m/s"},
                                  Named{{1, 2, -1}, "kg m^2/s"},
                                  Named{{0, 2, -2}, "m^2/s^2"}};
    for (const Named& one : named)
        if (one.dimension.same(d)) return one.text;
    return {};
}

class Inference {
public:
    explicit Inference(const Model& model) : model_(model), graph_(model.graph) {
        for (const Parameter& p : model.parameters) {
            const Known unit = unit_in(p.text);
            if (unit) set(p.symbol, *unit);
            timed_ = timed_ || (unit && unit->time != 0.0);
        }
        if (timed_) set(model.time, second);
        collect();
        for (int pass = 0; pass < 3; ++pass) look();
    }

    Units units() {
        Units result;
        result.time = timed_ ? "s" : "";
        for (const Coordinate& c : model_.coordinates) {
            const Known q = dimension(c.q);
            const bool angle = q && q->same(none);
            result.coordinates.push_back(!q ? "" : angle ? "rad" : text_of(*q));
            result.velocities.push_back(!q || !timed_ ? ""
                                        : angle       ? "rad/s"
                                                      : text_of(q->times(second.power(-1.0))));
        }
        observe();
        for (const Output& output : model_.outputs) {
            const Known d = dimension(output.value);
            const Op op = graph_.op(output.value);
            const bool angle =
                op == Op::atan2 || op == Op::atan || op == Op::asin || op == Op::acos;
            result.outputs.push_back(!d || d->open ? (angle ? "rad" : "")
                                     : angle       ? "rad"
                                                   : text_of(*d));
        }
        return result;
    }

private:
    void set(Expr symbol, const Dimension& d) {
        known_[symbol.id] = d;
        found_.clear();
    }

    void set_coordinate(const Coordinate& c, const Dimension& d) {
        if (known_.contains(c.q.id)) return;
        set(c.q, d);
        if (!timed_) return;
        set(c.v, d.times(second.power(-1.0)));
        set(c.a, d.times(second.power(-2.0)));
    }

    /// What must be of one dimension throughout, and positions.
    void collect() {
        for (const ConstraintRow& row : model_.constraints)
            sums_.push_back(model_.forms.expression(row.value, graph_));
        for (const Particle& p : model_.particles)
            for (const Expr e : model_.forms.expressions(p.position, graph_))
                positions_.push_back(e);
        for (const StartValue& s : model_.start) {
            const Coordinate& c = model_.coordinates[s.coordinate];
            const Expr value = model_.forms.expression(s.value, graph_);
            sums_.push_back(graph_.sub(s.velocity ? c.v : c.q, value));
        }
        for (const Coordinate& c : model_.coordinates) {
            coordinates_[c.q.id] = {&c, 0.0};
            if (timed_) coordinates_[c.v.id] = {&c, 1.0};
        }
    }

    void look() {
        for (const Expr e : model_.gravity) {
            const Known g = dimension(e);
            if (!g || g->open || !timed_) continue;
            for (const Expr position : positions_) impose(position, g->times(second.power(2.0)), 0);
        }
        for (const Expr e : sums_)
            if (const Known d = dimension(e); d && !d->open) impose(e, *d, 0);
        for (const auto& list : {sums_, positions_})  // whatever stands in a sine is an angle
            for (const Expr e : postorder(graph_, list))
                if (const Op op = graph_.op(e); op == Op::sin || op == Op::cos || op == Op::tan)
                    impose(graph_.args(e)[0].expr, none, 0);
    }

    /// Of an expression, as far as the dimensions of its parts are known.
    Known dimension(Expr e, int depth = 0) {
        constexpr int deepest = 200;
        if (const auto found = known_.find(e.id); found != known_.end()) return found->second;
        if (const auto found = found_.find(e.id); found != found_.end()) return found->second;
        if (depth > deepest) return std::nullopt;
        const Known result = derived(e, depth);
        found_[e.id] = result;
        return result;
    }

    Known derived(Expr e, int depth) {
        const auto args = graph_.args(e);
        const auto part = [&](std::size_t i) { return dimension(args[i].expr, depth + 1); };
        switch (graph_.op(e)) {
            case Op::constant: return Dimension{0, 0, 0, true};
            case Op::symbol: return std::nullopt;
            case Op::mul: {
                Dimension product{0, 0, 0, true};
                for (std::size_t i = 0; i < args.size(); ++i) {
                    const Known d = part(i);
                    if (!d) return std::nullopt;
                    product = product.times(d->power(args[i].k));
                }
                return product;
            }
            case Op::pow:
                if (const Known base = part(0); base && graph_.is_constant(args[1].expr))
                    return base->power(graph_.value(args[1].expr));
                return std::nullopt;
            case Op::sqrt:
                if (const Known d = part(0)) return d->power(0.5);
                return std::nullopt;
            case Op::add:
            case Op::hypot:
            case Op::min:
            case Op::max:
            case Op::abs: return common(e, 0, depth);
            case Op::select: return common(e, 1, depth);
            case Op::data: return std::nullopt;
            default: return none;  // sines, arcs, comparisons
        }
    }

    /// That of the first operand, from `first` on, that has one.
    Known common(Expr e, std::size_t first, int depth) {
        Known result;
        for (std::size_t i = first; i < graph_.args(e).size(); ++i) {
            const Known d = dimension(graph_.args(e)[i].expr, depth + 1);
            if (d && (!result || result->open)) result = d;
        }
        return result;
    }

    /// Tells coordinates in an expression of dimension d what they are.
    void impose(Expr e, const Dimension& d, int depth) {
        constexpr int deepest = 60;
        if (depth > deepest) return;
        const std::vector<Arg> args(graph_.args(e).begin(), graph_.args(e).end());
        switch (graph_.op(e)) {
            case Op::symbol:
                if (const auto found = coordinates_.find(e.id); found != coordinates_.end())
                    set_coordinate(*found->second.first,
                                   d.times(second.power(found->second.second)));
                return;
            case Op::add:
            case Op::hypot:
            case Op::min:
            case Op::max:
            case Op::abs:
                for (const Arg& arg : args) impose(arg.expr, d, depth + 1);
                return;
            case Op::sqrt: return impose(args[0].expr, d.power(2.0), depth + 1);
            case Op::mul: {
                Dimension rest = d;
                std::optional<Arg> unknown;
                for (const Arg& arg : args) {
                    if (const Known part = dimension(arg.expr))
                        rest = rest.times(part->power(-arg.k));
                    else if (unknown) return;
                    else unknown = arg;
                }
                rest.open = false;
                if (unknown) impose(unknown->expr, rest.power(1.0 / unknown->k), depth + 1);
                return;
            }
            default: return;
        }
    }

    /// Energies and forces of constraints, where masses and positions are known.
    void observe() {
        Known energy;
        for (const Particle& p : model_.particles) {
            const Known mass = dimension(model_.forms.expression(p.mass, graph_));
            const Known place = dimension(model_.forms.expressions(p.position, graph_)[0]);
            if (mass && !mass->open && place && timed_)
                energy = mass->times(place->times(second.power(-1.0)).power(2.0));
            if (energy) break;
        }
        if (!energy) return;
        const auto all = [&](const Dimension& d) {
            for (const Coordinate& c : model_.coordinates)
                if (const Known q = dimension(c.q); !q || !q->same(d)) return false;
            return true;
        };
        for (const Observed& o : model_.observed) {
            using Kind = Observed::Kind;
            const auto row = [&] {
                return dimension(
                    model_.forms.expression(model_.constraints[o.rows[0]].value, graph_));
            };
            Known d;
            if (o.kind == Kind::energy || o.kind == Kind::kinetic || o.kind == Kind::potential)
                d = energy;
            else if (o.kind == Kind::force && all(metre)) d = newton;
            else if (o.kind == Kind::residual) d = row();
            else if (o.kind == Kind::multiplier && row())
                d = energy->times(row()->power(-1.0)).times(rate_of(o.rows[0]));
            if (d && !d->open) set(o.symbol, *d);
        }
    }

    /// λ φ is an energy for a constraint on positions, a power for one on velocities: 1, 1/s or
    /// 1/s².
    Dimension rate_of(std::size_t row) {
        const Expr phi = model_.forms.expression(model_.constraints[row].value, graph_);
        double primes = 0.0;
        for (const Expr symbol : symbols_in(graph_, {&phi, 1}))
            for (const Coordinate& c : model_.coordinates)
                primes = std::max(primes, symbol == c.a ? 2.0 : symbol == c.v ? 1.0 : 0.0);
        return second.power(-primes);
    }

    const Model& model_;
    Graph graph_;
    bool timed_ = false;
    std::map<std::uint32_t, Dimension> known_;  // of symbols
    std::map<std::uint32_t, Known> found_;      // of expressions made of them
    // q, and q' with 1: how often derived.
    std::map<std::uint32_t, std::pair<const Coordinate*, double>> coordinates_;
    std::vector<Expr> sums_, positions_;
};

}  // namespace

Units units_of(const Model& model) {
    constexpr std::size_t most_coordinates = 500,
                          most_nodes = 100'000;  // for labels alone it must not take long
    if (model.coordinates.size() > most_coordinates || model.graph.size() > most_nodes)
        return {"", std::vector<std::string>(model.coordinates.size()),
                std::vector<std::string>(model.coordinates.size()),
                std::vector<std::string>(model.outputs.size())};
    return Inference(model).units();
}

}  // namespace lacon::model
