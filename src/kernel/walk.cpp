// The operations are those that the generator emits (llvm/emit.cpp, sin_cos.cpp, series.cpp), in
// the same order and with the same fused products; a test compares the bits.
#include "kernel/walk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "kernel/generate.hpp"
#include "kernel/schedule.hpp"
#include "kernel/sin_cos.hpp"

namespace lacon::kernel {

/// Gives every value a place in the workspace: constants, inputs, then what is computed.
class WalkMaking {
public:
    WalkMaking(const Code& code, Walk& walk) : code_(code), w_(walk) {
        if (code.series.side_by_side > 0)
            throw std::runtime_error("series side by side are compiled, not walked");
        const Schedule plan =
            schedule(code, has_fma(w_.isa_), std::numeric_limits<std::size_t>::max());
        for (const Step& step : plan.parts.front())
            for (std::size_t i = 0; i < step.count; ++i) note_constant(step.operands[i]);
        for (const std::uint32_t root : code.roots()) note_constant(root);
        w_.inputs_ = code.input_count;
        w_.work_ = w_.constants_.size() + w_.inputs_;
        for (const Step& step : plan.parts.front()) take(step);
        for (const std::uint32_t output : code.outputs) w_.outputs_.push_back(place(output));
        for (const Series::Store& store : code.series.stores)
            w_.stores_.push_back({memory(store.slot, store.shift, store.backwards), store.backwards,
                                  place(store.value)});
    }

private:
    void note_constant(std::uint32_t id) {
        if (code_[id].op != Do::constant || places_.contains(id)) return;
        places_[id] = static_cast<std::uint32_t>(w_.constants_.size());
        w_.constants_.push_back(code_[id].value);
    }
    std::size_t memory(std::uint32_t slot, std::uint32_t shift, bool backwards) const {
        const Series& series = code_.series;
        return slot * series.stride() +
               (backwards ? series.backwards(shift) : Series::forwards(shift));
    }
    std::uint32_t new_place(std::uint32_t id) {
        return places_[id] = static_cast<std::uint32_t>(w_.work_++);
    }
    /// Of an operand, which is read first where it is a leaf.
    std::uint32_t place(std::uint32_t id) {
        if (const auto found = places_.find(id); found != places_.end()) return found->second;
        const Node& node = code_[id];
        if (node.op == Do::input)
            return places_[id] = static_cast<std::uint32_t>(w_.constants_.size()) + node.a;
        const std::uint32_t to = new_place(id);
        if (node.op == Do::order) w_.orders_.emplace_back(node.a, to);
        if (node.op == Do::coefficient)
            w_.loads_.push_back({memory(node.a, node.b, false), false, to});
        return to;
    }
    void take(const Step& step) {
        if (step.op == Do::inner) {
            const Node& node = code_[step.id];
            w_.sums_.push_back({memory(node.a, 0, false), memory(node.b, node.c, true), node.c,
                                new_place(step.id)});
            return;
        }
        if (step.op == Do::sin || step.op == Do::cos) return take_sine(step);
        Walk::Operation made{step.op, step.function, step.minus_product, step.minus_addend};
        std::uint32_t* const operands[] = {&made.a, &made.b, &made.c};
        for (std::size_t i = 0; i < step.count; ++i) *operands[i] = place(step.operands[i]);
        made.to = new_place(step.id);
        w_.steps_.push_back(made);
    }
    /// The sine and the cosine of an angle are made together.
    void take_sine(const Step& step) {
        const auto [found, is_new] = sines_.try_emplace(step.operands[0], 0);
        if (is_new) {
            const std::uint32_t angle = place(step.operands[0]);
            found->second = static_cast<std::uint32_t>(w_.work_);
            w_.work_ += 2;
            w_.steps_.push_back(
                {Do::sin, Function::none, false, false, angle, 0, 0, found->second});
        }
        places_[step.id] = found->second + (step.op == Do::cos ? 1 : 0);
    }

    const Code& code_;
    Walk& w_;
    std::unordered_map<std::uint32_t, std::uint32_t> places_, sines_;  // of nodes; of angles
};

Walk::Walk(const Code& code, Isa isa) : isa_(isa) {
    WalkMaking(share_reciprocals(code), *this);
}

namespace {

template <bool fused>
[[gnu::always_inline]] inline double multiply_add(double a, double b, double c) {
    if constexpr (fused) return __builtin_fma(a, b, c);
    else return a * b + c;
}

double call(const void* function, double x) {
    return reinterpret_cast<double (*)(double)>(function)(x);
}

double call(const void* function, double x, double y) {
    return reinterpret_cast<double (*)(double, double)>(function)(x, y);
}

/// In blocks of four, as the emitted loop.
template <bool fused>
[[gnu::always_inline]] inline double sum_of(const Walk::Sum& sum, const double* series,
                                            std::uint64_t k) {
    static_assert(Series::block == 4);
    const double *x = series + sum.forwards, *y = series + sum.backwards - k;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    std::uint64_t j = 1;
    do {
        s0 = multiply_add<fused>(x[j], y[j], s0);
        s1 = multiply_add<fused>(x[j + 1], y[j + 1], s1);
        s2 = multiply_add<fused>(x[j + 2], y[j + 2], s2);
        s3 = multiply_add<fused>(x[j + 3], y[j + 3], s3);
        j += Series::block;
    } while (j < k + sum.shift);
    return (s0 + s2) + (s1 + s3);
}

}  // namespace

template <bool fused>
[[gnu::always_inline]] inline void Walk::walk(const double* in, double* out, double* work,
                                              const void* const* functions, double* series,
                                              std::uint64_t k) const {
    double* x = std::copy(constants_.begin(), constants_.end(), work);
    std::copy_n(in, inputs_, x);
    x = work;
    for (const auto& [shift, to] : orders_) x[to] = static_cast<double>(k + shift);
    for (const Place& load : loads_) x[load.value] = series[load.at + k];
    for (const Sum& sum : sums_) x[sum.to] = sum_of<fused>(sum, series, k);
    bool is_beyond = false;
    for (const Operation& o : steps_) {
        double& to = x[o.to];
        switch (o.op) {
            case Do::add: to = x[o.a] + x[o.b]; break;
            case Do::sub: to = x[o.a] - x[o.b]; break;
            case Do::mul: to = x[o.a] * x[o.b]; break;
            case Do::div: to = x[o.a] / x[o.b]; break;
            case Do::fma:
                to = multiply_add<fused>(o.minus_product ? -x[o.a] : x[o.a], x[o.b],
                                         o.minus_addend ? -x[o.c] : x[o.c]);
                break;
            case Do::neg: to = -x[o.a]; break;
            case Do::sqrt: to = std::sqrt(x[o.a]); break;
            case Do::abs: to = std::abs(x[o.a]); break;
            case Do::less: to = x[o.a] < x[o.b] ? 1.0 : 0.0; break;
            case Do::less_equal: to = x[o.a] <= x[o.b] ? 1.0 : 0.0; break;
            case Do::equal: to = x[o.a] == x[o.b] ? 1.0 : 0.0; break;
            case Do::both: to = x[o.a] != 0.0 && x[o.b] != 0.0 ? 1.0 : 0.0; break;
            case Do::either: to = x[o.a] != 0.0 || x[o.b] != 0.0 ? 1.0 : 0.0; break;
            case Do::negate: to = x[o.a] == 0.0 ? 1.0 : 0.0; break;
            case Do::select: to = x[o.a] != 0.0 ? x[o.b] : x[o.c]; break;
            case Do::sin: {
                const SinCos both = sin_cos<fused>(x[o.a]);
                to = both.sin;
                x[o.to + 1] = both.cos;
                is_beyond = is_beyond || std::abs(x[o.a]) > range_limit(isa_);
                break;
            }
            case Do::call: {
                const void* function = functions[4 * static_cast<std::size_t>(o.function)];
                to =
                    is_binary(o.function) ? call(function, x[o.a], x[o.b]) : call(function, x[o.a]);
                break;
            }
            default: break;
        }
    }
    for (const Place& store : stores_)
        series[store.backwards ? store.at - k : store.at + k] = x[store.value];
    for (const std::uint32_t output : outputs_) *out++ = x[output];
    *out = is_beyond ? 1.0 : 0.0;
}

#ifdef __x86_64__
[[gnu::target("fma")]]
#endif
void Walk::walk_fused(const double* in, double* out, double* work, const void* const* functions,
                      double* series, std::uint64_t k) const {
    walk<true>(in, out, work, functions, series, k);
}

void Walk::run(const double* in, double* out, double* work, const void* const* functions,
               double* series, std::uint64_t k) const {
    if (has_fma(isa_)) walk_fused(in, out, work, functions, series, k);
    else walk<false>(in, out, work, functions, series, k);
}

}  // namespace lacon::kernel
