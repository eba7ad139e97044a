// No point of a box has a value or slope outside the enclosure, for random expressions.
#include <gtest/gtest.h>

#include "expr/print.hpp"
#include "expr/program.hpp"
#include "interval/jet.hpp"
#include "numbers.hpp"

namespace lacon {
namespace {

constexpr int input_count = 3;

/// A random expression with every operation there is; it may have jumps, poles and places where it
/// does not exist.
Expr any_expression(Graph& g, std::span<const Expr> symbols, std::mt19937_64& random, int depth) {
    constexpr Op unary[] = {Op::sin,  Op::cos,  Op::tan,  Op::asin, Op::acos,
                            Op::atan, Op::sinh, Op::cosh, Op::tanh, Op::exp,
                            Op::log,  Op::sqrt, Op::abs,  Op::sign, Op::logic_not};
    constexpr Op binary[] = {Op::pow,  Op::atan2,      Op::hypot, Op::min,       Op::max,
                             Op::less, Op::less_equal, Op::equal, Op::logic_and, Op::logic_or};
    const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    const auto inner = [&] { return any_expression(g, symbols, random, depth - 1); };
    if (depth == 0 || pick(6) == 0) {
        if (pick(4) == 0)
            return g.constant(std::uniform_real_distribution<double>(-2.0, 2.0)(random));
        return symbols[pick(symbols.size())];
    }
    switch (pick(12)) {
        case 0: return g.add(inner(), inner());
        case 1: return g.sub(inner(), inner());
        case 2: return g.scale(-0.3, g.add(inner(), g.constant(0.7)));
        case 3: return g.mul(inner(), inner());
        case 4: return g.div(inner(), g.add(g.constant(1.5), inner()));
        case 5: return g.pow(inner(), 2 + static_cast<int>(pick(4)));
        case 6: return g.pow(g.apply(Op::exp, inner()), inner());
        case 7: return g.select(g.apply(Op::less, inner(), inner()), inner(), inner());
        case 8:
        case 9: return g.apply(binary[pick(std::size(binary))], inner(), inner());
        default: return g.apply(unary[pick(std::size(unary))], inner());
    }
}

struct Subject {
    Graph graph;
    std::vector<Expr> inputs;
    Expr result;
    std::vector<Interval> box;

    Subject(std::mt19937_64& random, int depth) {
        for (int i = 0; i < input_count; ++i)
            inputs.push_back(graph.symbol("x" + std::to_string(i)));
        result = any_expression(graph, inputs, random, depth);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        const double half = std::pow(10.0, -1.0 + 3.0 * (uniform(random) - 1.0));
        for (int i = 0; i < input_count; ++i) {
            const double at = random() % 6 == 0 ? 0.0 : 1.5 * uniform(random),
                         side = random() % 8 == 0 ? 0.0 : half;
            box.emplace_back(at - side, at + side);
        }
    }

    std::string text() const {
        std::string all = to_text(graph, result) + " over";
        for (const Interval& side : box)
            all += " [" + std::to_string(side.low) + ", " + std::to_string(side.high) + "]";
        return all;
    }

    template <class T>
    T run(std::span<const T> at) const {
        const Program program(graph, inputs, {&result, 1});
        std::vector<T> slots(program.slot_count());
        T out;
        program.run<T>(at, slots, {&out, 1});
        return out;
    }
    /// The slope between two points 2 h apart around `at`; with 400 bits and h = 2⁻¹²⁰ it has more
    /// than 200 bits in common with the derivative. (Not the symbolic derivative: its constants are
    /// rounded when they are folded.)
    Wide slope(std::vector<Wide> at, std::size_t along, double h) const {
        const Wide middle = at[along];
        at[along] = middle + Wide(h);
        const Wide ahead = run<Wide>(at);
        at[along] = middle + Wide(-h);
        return (ahead + Wide(-1.0) * run<Wide>(at)) / Wide(2.0 * h);
    }
    std::vector<Wide> point(std::mt19937_64& random) const {
        std::vector<Wide> at;
        for (const Interval& side : box) at.emplace_back(inside(side, random));
        return at;
    }
};

TEST(Soundness, NoPointOfABoxHasAValueOutsideTheEnclosure) {
    std::mt19937_64 random(31);
    int defined = 0, points = 0;
    for (int trial = 0; trial < 2500; ++trial) {
        const Subject subject(random, 1 + trial % 5);
        const Interval found = subject.run<Interval>(subject.box);
        if (!found.is_defined()) continue;
        ++defined;
        for (int i = 0; i < 8; ++i, ++points) {
            const Wide truth = subject.run<Wide>(subject.point(random));
            ASSERT_TRUE(truth.is_number()) << subject.text();
            ASSERT_TRUE(truth.is_in(found)) << subject.text() << ": " << truth.near() << " in ["
                                            << found.low << ", " << found.high << "]";
        }
    }
    EXPECT_GT(defined, 1500);
    EXPECT_GT(points, 10000);
}

/// Whether the slopes of two steps agree: not so at a jump, nor where the function ends.
bool is_settled(const Wide& slope, const Wide& finer) {
    return abs(slope + Wide(-1.0) * finer) <= Wide(0x1p-150) * (Wide(1.0) + abs(slope));
}

/// Whether the slope, good for 200 bits, may belong to a derivative within the rate.
bool may_be_in(const Wide& slope, const Interval& rate) {
    const Wide allowance = Wide(0x1p-200) * (Wide(1.0) + abs(slope));
    return Wide(rate.low) <= slope + allowance && slope <= Wide(rate.high) + allowance;
}

TEST(Soundness, NoPointOfABoxHasASlopeOutsideTheRates) {
    std::mt19937_64 random(32);
    int asked = 0, defined = 0, points = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        const Subject subject(random, 1 + trial % 5);
        std::vector<Jet> inputs;
        for (std::size_t i = 0; i < subject.box.size(); ++i)
            inputs.push_back(Jet::input(subject.box[i], i, input_count));
        const Jet found = subject.run<Jet>(inputs);
        const Interval plain = subject.run<Interval>(subject.box);
        ASSERT_EQ(found.value.is_defined(), plain.is_defined());
        if (!plain.is_defined()) continue;
        EXPECT_EQ(found.value.low, plain.low);
        EXPECT_EQ(found.value.high, plain.high);
        EXPECT_GE(found.value.smoothness, plain.smoothness);
        for (std::size_t k = 0; k < input_count; ++k) {
            if (subject.box[k].is_point())
                continue;  // a comparison that is settled there says nothing of what is beside it
            const Interval rate = found.rates.empty() ? Interval() : found.rates[k];
            ++asked;
            if (!rate.is_defined()) continue;
            ++defined;
            for (int i = 0; i < 4; ++i) {
                const std::vector<Wide> at = subject.point(random);
                const Wide slope = subject.slope(at, k, 0x1p-121);
                if (!is_settled(slope, subject.slope(at, k, 0x1p-122))) continue;
                ++points;
                ASSERT_TRUE(may_be_in(slope, rate))
                    << subject.text() << " along " << k << ": " << slope.near() << " in ["
                    << rate.low << ", " << rate.high << "]";
            }
        }
    }
    EXPECT_GT(defined, 9 * asked / 10);
    EXPECT_GT(points, 95 * 4 * defined / 100);
    EXPECT_GT(points, 10000);
}

}  // namespace
}  // namespace lacon
