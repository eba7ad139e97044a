// Follows the operands of features along a step by cubics through their values and rates. Where one
// leaves its reach, the equations are evaluated at the strongest places and compared with the step.
#include "locate/features.hpp"

#include <algorithm>
#include <cmath>

#include "contact/modes.hpp"
#include "expr/traverse.hpp"
#include "locate/golden.hpp"
#include "mechanics/system/inputs.hpp"
#include "methods/method.hpp"

namespace lacon::inline locate {

const DerivedModel& widest(const DerivedModel& details) {
    const DerivedModel& whole = details.whole ? *details.whole : details;
    return whole.servo ? *whole.servo : whole;
}

namespace {

void append(std::vector<Expr>& to, const std::vector<Expr>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

/// What features need to be sampled.
std::vector<std::uint32_t> slots_of(const std::vector<Feature>& features) {
    std::vector<std::uint32_t> slots;
    for (const Feature& feature : features) {
        slots.push_back(feature.operand);
        if (feature.kind == Feature::Kind::power && feature.known == 0.0)
            slots.push_back(feature.exponent);
    }
    return slots;
}

/// What the decisions in these expressions depend on.
std::vector<Expr> sides_of_decisions(const Graph& graph, std::span<const Expr> roots) {
    std::vector<Expr> sides;
    for (const Expr e : postorder(graph, roots))
        if (is_decision(graph.op(e)))
            for (const Arg& arg : graph.args(e)) sides.push_back(arg.expr);
    return sides;
}

/// Whether all elements of a shape are constraints that hold on positions at all times.
bool always_holds(const DerivedModel& whole, std::size_t shape) {
    if (whole.system.shapes[shape].level != Level::position || whole.has_controls()) return false;
    for (const Element& element : whole.system.elements) {
        if (element.shape != shape) continue;
        const auto row = static_cast<std::size_t>(element.row);
        if (element.row < 0 || row >= whole.model.constraints.size() ||
            whole.system.stabilized[row] || side_of(whole.model.constraints[row]) != 0)
            return false;
    }
    return true;
}

/// The slots that a constraint keeps where they are: the one that its residual is beside constants,
/// as the length of a rod, and those that depend on it alone.
std::vector<bool> held_slots(const SeriesProgram& program, std::uint32_t residual) {
    using Instruction = SeriesProgram::Instruction;
    std::vector<bool> held(program.slot_count(), false);
    const auto varying = [&](const Instruction& in) {
        std::vector<std::uint32_t> slots;
        const SeriesProgram::Operand* operand = program.operands(in);
        for (std::uint32_t i = 0; i < in.count; ++i)
            if (operand[i].varies && !program.is_constant_slot(operand[i].slot))
                slots.push_back(operand[i].slot);
        return slots;
    };
    for (const Instruction& in : program.instructions())
        if (in.target == residual && in.kind == SeriesProgram::Kind::linear)
            if (const auto slots = varying(in); slots.size() == 1) held[slots[0]] = true;
    for (const Instruction& in : program.instructions()) {  // with a root, what is under it
        if (!held[in.target]) continue;
        if (in.kind == SeriesProgram::Kind::sqrt) held[program.operands(in)[0].slot] = true;
        if (in.kind == SeriesProgram::Kind::hypot) held[program.operands(in)[2].slot] = true;
    }
    for (const Instruction& in : program.instructions()) {
        const auto slots = varying(in);
        if (!slots.empty() &&
            std::all_of(slots.begin(), slots.end(), [&](std::uint32_t slot) { return held[slot]; }))
            held[in.target] = true;
    }
    return held;
}

}  // namespace

void drop_held(const DerivedModel& whole, std::size_t shape, const SeriesProgram& program,
               std::uint32_t residual, std::vector<Feature>& features) {
    if (features.empty() || !always_holds(whole, shape)) return;
    const std::vector<bool> held = held_slots(program, residual);
    std::erase_if(features, [&](const Feature& f) {
        return held[f.operand] && f.kind == Feature::Kind::pole;
    });
}

FeatureSet::FeatureSet(const DerivedModel& details, const char* name,
                       void (*fill)(const DerivedModel&, Parts&))
    : leaves_(widest(details).system.leaves),
      parameters_(details.parameters.size() == widest(details).parameters.size()
                      ? details.parameters
                      : widest(details).parameters),
      parts_(widest(details).memo.get<Parts>(name,
                                             [&] {
                                                 auto parts = std::make_shared<Parts>();
                                                 fill(widest(details), *parts);
                                                 return parts;
                                             })),
      work_(parts_->work, 0.0) {}

FeatureSet FeatureSet::of_equations(const DerivedModel& details) {
    FeatureSet set(details, "features of equations", fill_equations);
    if (details.whole) set.leave_out_resting(details);
    return set;
}

void FeatureSet::leave_out_resting(const DerivedModel& mode) {
    const auto slides = [&](std::int32_t friction) {
        const auto& parts = mode.system.nonideal;
        return std::any_of(parts.begin(), parts.end(),
                           [&](const NonidealElement& part) { return part.friction == friction; });
    };
    unseen_.resize(count());
    for (std::size_t i = 0; i < unseen_.size(); ++i)
        unseen_[i] = parts_->slides[i] >= 0 && !slides(parts_->slides[i]);
}

FeatureSet FeatureSet::of_watched(const DerivedModel& details) {
    return {details, "features of what is watched", fill_watched};
}

namespace {

/// The features whose operands depend on velocities, and have a pole where they are zero, as a
/// direction of sliding has.
std::vector<bool> dividing_by_velocity(const SeriesProgram& program, std::size_t coordinates,
                                       const std::vector<Feature>& features) {
    std::vector<bool> depends(program.slot_count(), false);
    std::fill_n(depends.begin() + static_cast<std::ptrdiff_t>(coordinates), coordinates, true);
    for (const SeriesProgram::Instruction& in : program.instructions()) {
        const SeriesProgram::Operand* operand = program.operands(in);
        for (std::uint32_t i = 0; i < in.count; ++i)
            if (depends[operand[i].slot]) depends[in.target] = true;
    }
    std::vector<bool> result;
    for (const Feature& feature : features)
        result.push_back(feature.kind == Feature::Kind::pole && depends[feature.operand]);
    return result;
}

}  // namespace

std::vector<FeatureSet::Owned> FeatureSet::owned(const std::vector<Element>& elements) {
    std::vector<Owned> all;
    for (const Element& element : elements) all.push_back({element});
    return all;
}

std::vector<FeatureSet::Owned> FeatureSet::owned(const std::vector<NonidealElement>& parts) {
    std::vector<Owned> all;
    for (const NonidealElement& part : parts) all.push_back({part.element, -1, part.friction});
    return all;
}

void FeatureSet::fill_equations(const DerivedModel& whole, Parts& parts) {
    const System& system = whole.system;
    std::vector<std::vector<Expr>> roots, nonideal;
    for (const Shape& shape : system.shapes) {
        roots.push_back(shape.dynamics.values);
        append(roots.back(), shape.residuals.values);
        nonideal.push_back(shape.nonideal.values);
    }
    const auto drop = [&](std::size_t s, const SeriesProgram& program,
                          std::vector<Feature>& features) {
        const Shape& shape = system.shapes[s];
        for (std::size_t i = 0; i < shape.residuals.entries.size(); ++i)
            if (shape.residuals.entries[i].target == Entry::Target::residual)
                drop_held(whole, s, program, program.slot(shape.dynamics.values.size() + i),
                          features);
    };
    parts.add_shapes(system, roots, owned(system.elements), drop);
    parts.add_shapes(system, nonideal, owned(system.nonideal));
    parts.add_shapes(system, nonideal, owned(system.dry_nonideal));
    parts.add_shapes(system, nonideal, owned(system.dry_bounds));
}

void FeatureSet::fill_watched(const DerivedModel& whole, Parts& parts) {
    const System& system = whole.system;
    parts.bends = true;
    std::vector<std::vector<Expr>> decisions, gaps;
    for (const Shape& shape : system.shapes) {
        std::vector<Expr> all = shape.dynamics.values;
        append(all, shape.residuals.values);
        decisions.push_back(sides_of_decisions(system.graph, all));
        gaps.push_back(shape.residuals.values);
    }
    parts.add_shapes(system, decisions, owned(system.elements));
    parts.add_shapes(system, decisions, owned(system.slip_elements));
    parts.add_shapes(system, decisions, owned(system.dry_forces));
    std::vector<Owned> one_sided;
    for (const Element& element : system.elements) {
        const auto row = static_cast<std::size_t>(element.row);
        if (element.row >= 0 && row < whole.model.constraints.size() &&
            side_of(whole.model.constraints[row]) != 0)
            one_sided.push_back({element, element.row});
    }
    parts.add_shapes(system, gaps, one_sided);
    parts.add_events(whole.model);
}

void FeatureSet::Parts::add_shapes(const System& system,
                                   const std::vector<std::vector<Expr>>& roots,
                                   const std::vector<Owned>& elements, const Drop& drop) {
    std::vector<std::size_t> source_of(system.shapes.size(), ~std::size_t{0});
    std::vector<bool> used(system.shapes.size(), false);
    for (const Owned& one : elements) used[one.element.shape] = true;
    for (std::size_t s = 0; s < system.shapes.size(); ++s) {
        if (!used[s] || roots[s].empty()) continue;
        const Shape& shape = system.shapes[s];
        std::vector<Expr> inputs = inputs_of(system, shape);
        inputs.insert(inputs.end(), system.l.begin(),
                      system.l.begin() + static_cast<std::ptrdiff_t>(shape.multipliers));
        Source source{
            SeriesProgram(system.graph, inputs, roots[s], shape.parameters + shape.multipliers),
            {},
            {},
            shape.coordinates,
            shape.parameters};
        source.features = features_of(source.program);
        if (drop) drop(s, source.program, source.features);
        if (!bends)
            std::erase_if(source.features,
                          [](const Feature& f) { return f.kind == Feature::Kind::root; });
        if (std::none_of(source.features.begin(), source.features.end(),
                         [&](const Feature& f) { return bends || hides(f.kind); }))
            continue;
        source.divides_by_velocity =
            dividing_by_velocity(source.program, shape.coordinates, source.features);
        source.program.keep_only(slots_of(source.features));
        source_of[s] = sources.size();
        work = std::max(work, source.program.slot_count());
        sources.push_back(std::move(source));
    }
    for (const Owned& one : elements) {
        if (source_of[one.element.shape] >= sources.size()) continue;
        members.push_back({source_of[one.element.shape], one.element.leaves, one.gap});
        const Source& source = sources[members.back().source];
        add(source.features);
        for (const bool divides : source.divides_by_velocity)
            slides.push_back(divides ? one.friction : -1);
    }
}

void FeatureSet::Parts::add(const std::vector<Feature>& features) {
    for (const Feature& feature : features) {
        kinds.push_back(feature.kind);
        curves.push_back(feature.curve);
    }
}

/// What is observed (forces, energies) has no operand of its own here, and counts as constant.
void FeatureSet::Parts::add_events(const Model& model) {
    if (model.events.empty()) return;
    std::vector<Expr> roots;
    for (const auto& event : model.events) roots.push_back(event.value);
    const SymbolRoles roles(model);
    std::vector<Expr> symbols = symbols_in(model.graph, roots);
    const auto varies = [&](Expr symbol) {
        const SymbolRole::Kind kind = roles.of(symbol).kind;
        return kind == SymbolRole::Kind::time || kind == SymbolRole::Kind::q ||
               kind == SymbolRole::Kind::v;
    };
    const auto constants = std::stable_partition(symbols.begin(), symbols.end(), varies);
    event_program = SeriesProgram(model.graph, symbols, roots,
                                  static_cast<std::size_t>(symbols.end() - constants));
    event_features = features_of(event_program);
    event_program.keep_only(slots_of(event_features));
    for (const Expr symbol : symbols) event_inputs.push_back(roles.of(symbol));
    add(event_features);
    slides.resize(kinds.size(), -1);
    work = std::max(work, event_program.slot_count());
}

double FeatureSet::event_input(const SymbolRole& role, const State& state) const {
    switch (role.kind) {
        case SymbolRole::Kind::time: return state.t;
        case SymbolRole::Kind::q: return state.q[role.number];
        case SymbolRole::Kind::v: return state.v[role.number];
        case SymbolRole::Kind::parameter: return parameters_[role.number];
        default: return 0.0;
    }
}

void FeatureSet::leave_out(const Sight& sight) {
    left_out_.assign(parts_->members.size(), false);
    unseen_.assign(count(), false);
    std::size_t next = 0;
    for (std::size_t m = 0; m < left_out_.size(); ++m) {
        const Member& member = parts_->members[m];
        const std::size_t features = parts_->sources[member.source].features.size();
        left_out_[m] = member.gap >= 0 && sight.is_far(static_cast<std::size_t>(member.gap));
        if (left_out_[m])
            std::fill_n(unseen_.begin() + static_cast<std::ptrdiff_t>(next), features, true);
        next += features;
    }
}

void FeatureSet::sample(const State& state, std::span<double> operands,
                        std::span<double> exponents) {
    std::size_t next = 0;
    const auto run = [&](const SeriesProgram& program, const std::vector<Feature>& features) {
        program.order(0, work_.data(), 1);
        for (const Feature& feature : features) {
            operands[next] = work_[feature.operand];
            exponents[next++] = feature.kind != Feature::Kind::power ? 0.0
                                : feature.known != 0.0               ? feature.known
                                                                     : work_[feature.exponent];
        }
    };
    for (std::size_t m = 0; m < parts_->members.size(); ++m) {
        const Member& member = parts_->members[m];
        const Source& source = parts_->sources[member.source];
        if (!left_out_.empty() && left_out_[m]) {
            next += source.features.size();
            continue;
        }
        const std::uint32_t* leaf = leaves_.data() + member.leaves;
        double* in = work_.data();
        for (std::size_t i = 0; i < source.coordinates; ++i) *in++ = state.q[leaf[i]];
        for (std::size_t i = 0; i < source.coordinates; ++i) *in++ = state.v[leaf[i]];
        *in++ = state.t;
        for (std::size_t i = 0; i < source.parameters; ++i)
            *in++ = parameters_[leaf[source.coordinates + i]];
        std::fill(in, work_.data() + source.program.input_count(), 0.0);  // multipliers
        run(source.program, source.features);
    }
    if (parts_->event_features.empty()) return;
    for (std::size_t i = 0; i < parts_->event_inputs.size(); ++i)
        work_[i] = event_input(parts_->event_inputs[i], state);
    run(parts_->event_program, parts_->event_features);
}

// ---- along a step

void FeatureSet::sample(const StepPath& path, const Clock& begin, double tau, Sample& out) {
    // A difference to one side: 1e-5 of the step leaves a rate that is right to about 1e-5, and
    // 1e-11 of it to rounding.
    const double part = (tau < 0.5 * path.length ? 1e-5 : -1e-5) * path.length;
    for (auto* values : {&out.operands, &out.rates, &out.exponents}) values->resize(count());
    const auto at = [&](double place, std::vector<double>& operands) {
        path.at(place, state_);
        state_.t = begin.after(place).now();
        sample(state_, operands, out.exponents);
    };
    at(tau + part, out.rates);
    at(tau, out.operands);
    out.tau = tau;
    for (std::size_t i = 0; i < count(); ++i)
        out.rates[i] = (out.rates[i] - out.operands[i]) / part;
}

void FeatureSet::sample(const State& state, double length, Sample& out) {
    // A forward difference: errors of 1e-5 of the change in the step, and of 1e-11 by rounding.
    const double part = 1e-5 * length;
    for (auto* values : {&out.operands, &out.rates, &out.exponents}) values->resize(count());
    state_ = state;
    state_.t += part;
    for (std::size_t i = 0; i < state_.q.size(); ++i) state_.q[i] += part * state_.v[i];
    sample(state_, out.rates, out.exponents);
    sample(state, out.operands, out.exponents);
    for (std::size_t i = 0; i < count(); ++i)
        out.rates[i] = (out.rates[i] - out.operands[i]) / part;
}

bool FeatureSet::connects(const Sample& from, const Sample& to, std::size_t order,
                          std::span<const double> middle) const {
    constexpr double most = 4.0;  // the error of the cubic, beside that in the middle
    const double third = (to.tau - from.tau) / 3.0;
    for (std::size_t i = 0; i < count(); ++i) {
        if (is_left_out(i)) continue;
        if (!parts_->bends && is_bend(kind(i), from.exponents[i])) continue;
        const double a = from.operands[i], d = to.operands[i];
        const double b = a + third * from.rates[i],
                     c = d - third * to.rates[i];  // the cubic lies between these four
        const double off =
            middle.empty() ? 0.0 : most * std::abs(middle[i] - 0.125 * (a + 3.0 * (b + c) + d));
        const double from_a = std::max({std::abs(b - a), std::abs(c - a), std::abs(d - a)}) + off;
        const double from_d = std::max({std::abs(b - d), std::abs(c - d), std::abs(a - d)}) + off;
        const double reach_a = reach_of(kind(i), a, from.exponents[i], order);
        const double reach_d = reach_of(kind(i), d, to.exponents[i], order);
        if (reach_a == INFINITY && reach_d == INFINITY)
            continue;  // also where there are no numbers any more
        if (!(from_a <= reach_a) && !(from_d <= reach_d)) return false;
    }
    return true;
}

namespace {

constexpr std::size_t looked_at = 33;  // places among which features are at their strongest

}  // namespace

FeatureCheck::FeatureCheck(DenseField& field)
    : field_(field),
      set_(FeatureSet::of_equations(field.details)),
      samples_(looked_at),
      operands_(set_.count()),
      exponents_(set_.count()),
      promised_(field.n()),
      found_(field.n()) {}

std::span<const double> FeatureCheck::operands_at(const StepPath& path, const Clock& begin,
                                                  double tau) {
    path.at(tau, state_);
    state_.t = begin.after(tau).now();
    set_.sample(state_, operands_, exponents_);
    return operands_;
}

bool FeatureCheck::spans(const State& from, const State& to, const StepPath& path,
                         std::size_t order) {
    FeatureSet::Sample &a = samples_[0], &b = samples_[1];
    if (!(last_ == from.t)) set_.sample(from, path.length, a);
    else std::swap(a, b);  // where the last step ended
    set_.sample(to, path.length, b);
    last_ = to.t;
    a.tau = 0.0;
    b.tau = path.length;
    return set_.connects(a, b, order, operands_at(path, {from.t, 0.0}, 0.5 * path.length));
}

double FeatureCheck::resolved(const StepPath& path, const Clock& begin, std::size_t order) {
    last_ = NAN;
    constexpr std::size_t pieces = 4;
    set_.sample(path, begin, 0.0, samples_[0]);
    for (std::size_t s = 1; s <= pieces; ++s) {
        const double piece = path.length / pieces;
        const double end = s < pieces ? piece * static_cast<double>(s) : path.length;
        set_.sample(path, begin, end, samples_[s]);
        if (!set_.connects(samples_[s - 1], samples_[s], order,
                           operands_at(path, begin, end - 0.5 * piece)))
            return samples_[s - 1].tau;
    }
    return path.length;
}

/// The less, the stronger the feature.
double FeatureCheck::closeness(std::size_t feature, double operand, double exponent) const {
    switch (set_.kind(feature)) {
        case Feature::Kind::exponential: return -operand;
        case Feature::Kind::power: return exponent < 0.0 ? std::abs(operand) : -std::abs(operand);
        case Feature::Kind::tangent: return std::abs(std::cos(operand));
        case Feature::Kind::wave:
        case Feature::Kind::signal: return 0.0;
        default: return std::abs(operand);
    }
}

double FeatureCheck::closeness_at(const StepPath& path, const Clock& begin, double tau,
                                  std::size_t feature) {
    const double operand = operands_at(path, begin, tau)[feature];
    return closeness(feature, operand, exponents_[feature]);
}

/// The places within the step where a feature that leaves its reach is strongest.
std::vector<FeatureCheck::Center> FeatureCheck::centers(const StepPath& path, const Clock& begin) {
    last_ = NAN;
    const double spacing = path.length / (looked_at - 1);
    for (std::size_t s = 0; s < looked_at; ++s)
        set_.sample(path, begin, spacing * static_cast<double>(s), samples_[s]);
    std::vector<Center> found;
    for (std::size_t i = 0; i < set_.count(); ++i) {
        if (set_.is_left_out(i) || set_.kind(i) == Feature::Kind::wave ||
            set_.kind(i) == Feature::Kind::signal ||
            is_bend(set_.kind(i), samples_[0].exponents[i]))
            continue;
        const auto close = [&](std::size_t s) { return closeness_of(s, i); };
        for (std::size_t s = 0; s < looked_at; ++s) {
            // A place where the operand turns between two samples is lower than both: its
            // neighbours are looked at anyway.
            const bool lower = (s == 0 || close(s - 1) >= close(s)) &&
                               (s + 1 == looked_at || close(s + 1) >= close(s));
            if (!lower) continue;
            const double from = spacing * static_cast<double>(s > 0 ? s - 1 : 0);
            const double to = std::min(path.length, spacing * static_cast<double>(s + 1));
            // To the last places: beside something narrow every place counts.
            const double at =
                lowest_place([&](double tau) { return closeness_at(path, begin, tau, i); }, from,
                             to, 1e-15 * path.length);
            found.push_back({at, i});
        }
    }
    return found;
}

/// Of one of the places that `centers` has looked at.
double FeatureCheck::closeness_of(std::size_t place, std::size_t feature) const {
    const FeatureSet::Sample& sample = samples_[place];
    return closeness(feature, sample.operands[feature], sample.exponents[feature]);
}

/// Where a feature has lost about half its strength (`depth` 1), or most (4), before its center or
/// behind it: a plateau as that of 1/(1 + x⁸) has no slope at its center. The end of the step where
/// it does not lose as much.
double FeatureCheck::flank(const StepPath& path, const Clock& begin, const Center& center,
                           bool is_behind, double depth) {
    const double most = closeness_at(path, begin, center.at, center.feature);
    const Feature::Kind kind = set_.kind(center.feature);
    constexpr double of_power = 0.97;  // a high power of it is about half
    const double weak = kind == Feature::Kind::exponential ? most + depth
                        : kind == Feature::Kind::step      ? most + 0.5 * depth
                        : most < 0.0                       ? std::pow(of_power, depth) * most
                                                           : (1.0 + depth) * most;
    const std::size_t last = is_behind ? looked_at - 1 : 0;
    const double spacing = path.length / (looked_at - 1);
    std::size_t place = std::min(
        looked_at - 1,
        static_cast<std::size_t>(is_behind ? std::ceil(center.at / spacing) : center.at / spacing));
    double inside = center.at;
    while (place != last && !(closeness_of(place, center.feature) > weak)) {
        inside = samples_[place].tau;
        place += is_behind ? 1 : -1;
    }
    double outside = samples_[place].tau;
    if (!(closeness_of(place, center.feature) > weak)) return outside;
    constexpr int rounds = 40;  // it may be 1e-12 of the way
    for (int round = 0; round < rounds; ++round) {
        const double middle = 0.5 * (inside + outside);
        (closeness_at(path, begin, middle, center.feature) > weak ? outside : inside) = middle;
    }
    return inside;
}

/// The derivative of the step's velocities, by differences of fourth order.
void FeatureCheck::promised(const StepPath& path, double tau, std::vector<double>& a) {
    const double d = 1e-3 * path.length, middle = std::clamp(tau, 2.0 * d, path.length - 2.0 * d);
    std::fill(a.begin(), a.end(), 0.0);
    // At the ends the formula stands beside the place, and looks to one side: x = (tau − middle) /
    // d.
    const double x = (tau - middle) / d;
    constexpr double at[] = {-2.0, -1.0, 0.0, 1.0, 2.0};
    for (int k = 0; k < 5; ++k) {
        double weight =
            0.0;  // derivative at x of the polynomial that is 1 at at[k] and 0 at the others
        for (int m = 0; m < 5; ++m) {
            if (m == k) continue;
            double product = 1.0 / (at[k] - at[m]);
            for (int l = 0; l < 5; ++l)
                if (l != k && l != m) product *= (x - at[l]) / (at[k] - at[l]);
            weight += product;
        }
        path.at(middle + at[k] * d, state_);
        for (std::size_t i = 0; i < a.size(); ++i) a[i] += weight / d * state_.v[i];
    }
}

bool FeatureCheck::agrees_at(const StepPath& path, const Clock& begin, double tau,
                             double tolerance) {
    // A step errs by the tolerance, its derivative by more: 1e4 times that, 1e-8 of the
    // acceleration, and 1e-11 of the velocity over the step (rounding, divided by `d`). Something
    // that the step has missed is far larger. Not critical.
    // Coarse steps know their derivative better than that, and would take any force for right.
    constexpr double usual_slack = 1e4, most_allowed = 1e-2;
    const double slack = std::max(10.0, std::min(usual_slack, most_allowed / tolerance));
    promised(path, tau, promised_);
    path.at(tau, state_);
    state_.t = begin.after(tau).now();
    const DenseField::Counters counters = field_.counters;
    const bool defined = field_.acceleration(state_, found_);
    field_.counters = counters;
    if (!defined) return false;
    for (std::size_t i = 0; i < found_.size(); ++i) {
        const double size = std::abs(found_[i]);
        // 1e-8 of it as TaylorControl::promise_share; 1e-11: the rounding of velocities, as rates
        // over the step.
        const double allowed = slack * tolerance * error_scale(state_.v[i]) / path.length +
                               1e-8 * size + 1e-11 * error_scale(state_.v[i]) / path.length;
        if (!(std::abs(found_[i] - promised_[i]) <= allowed)) return false;
    }
    return true;
}

bool FeatureCheck::agrees(const StepPath& path, const Clock& begin, double tolerance) {
    // Where the feature is strongest, and beside it at the scales it may have.
    constexpr double beside[] = {0.0, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3, 0.03, -0.03};
    for (const Center& center : centers(path, begin)) {
        for (const double part : beside) {
            const double tau = center.at + part * path.length;
            if (tau >= 0.0 && tau <= path.length && !agrees_at(path, begin, tau, tolerance))
                return false;
        }
        for (const double depth : {1.0, 4.0})
            for (const bool is_behind : {false, true})
                if (!agrees_at(path, begin, flank(path, begin, center, is_behind, depth),
                               tolerance))
                    return false;
    }
    return true;
}

}  // namespace lacon::locate
