// Random expressions: interpreter = compiled scalar = every number of lanes on every instruction
// set.
//
// Lanes agree with the scalar code of their instruction set to the bit. Interpreter and compiled
// code differ in rounding (fused products, functions within 1 ulp of the truth on both sides): by
// no more than 8 times the bound on the rounding error that the interpreter itself computes
// (Rounded), which is 4 ulps an operation, propagated.

#include <random>

#include "../kernel/kernel_tests.hpp"
#include "expr/program.hpp"
#include "expr/rounded.hpp"

namespace lacon {
namespace {

class RandomExpressions {
public:
    explicit RandomExpressions(unsigned seed) : random_(seed) {
        for (int i = 0; i < 4; ++i)
            symbols.push_back(graph.symbol(std::string(1, static_cast<char>('a' + i))));
    }

    Expr make(int depth) {
        if (depth == 0)
            return random_() % 4 == 0 ? graph.constant(number())
                                      : symbols[random_() % symbols.size()];
        const Expr x = make(depth - 1);
        constexpr Op unary[] = {Op::sin,  Op::cos,  Op::tan,  Op::asin, Op::acos,
                                Op::atan, Op::sinh, Op::cosh, Op::tanh, Op::exp,
                                Op::log,  Op::sqrt, Op::abs,  Op::sign};
        constexpr Op binary[] = {Op::pow, Op::atan2, Op::hypot,     Op::min,
                                 Op::max, Op::less,  Op::less_equal};
        switch (random_() % 9) {
            case 0: return graph.apply(unary[random_() % std::size(unary)], x);
            case 1: return graph.apply(binary[random_() % std::size(binary)], x, make(depth - 1));
            case 2:
                return graph.select(graph.apply(Op::less, x, make(depth - 1)), make(depth - 1), x);
            case 3: return graph.pow(x, static_cast<int>(random_() % 5) - 2);
            case 4: return graph.div(x, make(depth - 1));
            case 5: return graph.scale(number(), x);
            case 6:
            case 7: return graph.mul(x, make(depth - 1));
            default: return graph.add(x, make(depth - 1));
        }
    }
    double number() { return std::uniform_real_distribution<double>(-3.0, 3.0)(random_); }

    Graph graph;
    std::vector<Expr> symbols;

private:
    std::mt19937 random_;
};

struct Compared {
    std::vector<std::vector<double>> points;
    std::vector<std::vector<double>> numbers;  // by the interpreter
    std::vector<std::vector<double>> bounds;
    kernel::Code code;
};

Compared interpret(unsigned seed, int count) {
    RandomExpressions random(seed);
    std::vector<Expr> outputs;
    for (int i = 0; i < count; ++i) outputs.push_back(random.make(2 + i % 4));
    const Program program(random.graph, random.symbols, outputs);
    Compared c;
    for (int p = 0; p < 16; ++p) {
        std::vector<double> at;
        std::vector<Rounded> inputs;
        for (int i = 0; i < 4; ++i) at.push_back(random.number());
        for (const double x : at) inputs.emplace_back(x);
        std::vector<double> slots(program.slot_count()), out(outputs.size());
        std::vector<Rounded> rounded_slots(program.slot_count()), rounded(outputs.size());
        program.run<double>(at, slots, out);
        program.run<Rounded>(inputs, rounded_slots, rounded);
        c.points.push_back(at);
        c.numbers.push_back(out);
        c.bounds.emplace_back();
        for (const Rounded& r : rounded) c.bounds.back().push_back(8.0 * r.error);
    }
    std::vector<kernel::Value> inputs, slots(program.slot_count()), values(outputs.size());
    for (std::uint32_t i = 0; i < 4; ++i) inputs.emplace_back(c.code, c.code.input(i));
    program.run<kernel::Value>(inputs, slots, values);
    for (const kernel::Value& value : values) c.code.outputs.push_back(value.id_in(c.code));
    return c;
}

TEST(Agree, ThousandsOfRandomExpressionsInterpretedAndCompiled) {
    std::size_t compared = 0, finite = 0;
    for (unsigned seed = 1; seed <= 30; ++seed) {
        const Compared c = interpret(seed, 100);
        for (const kernel::Isa isa : kernel::host_isas()) {
            const auto results = run_all(
                *compile(c.code,
                         {.isa = isa, .lanes = 1, .effort = kernel::Effort::full, .cache = false}),
                c.points);
            for (std::size_t p = 0; p < c.points.size(); ++p) {
                if (results[p].back() != 0.0)
                    continue;  // an argument of sin or cos beyond the range
                for (std::size_t o = 0; o < c.numbers[p].size(); ++o) {
                    const double a = c.numbers[p][o], b = results[p][o], bound = c.bounds[p][o];
                    ++compared;
                    if (!std::isfinite(bound) || bound > 1e-3 * (1.0 + std::abs(a)))
                        continue;  // all digits lost
                    ++finite;
                    ASSERT_TRUE(std::abs(a - b) <= bound || a == b ||
                                (std::isnan(a) && std::isnan(b)))
                        << "seed " << seed << " output " << o << " " << name_of(isa) << ": " << a
                        << " " << b << " bound " << bound;
                }
            }
        }
    }
    EXPECT_GE(finite, compared / 2) << "of " << compared;
    EXPECT_GE(compared, 48'000u);
}

TEST(Agree, EveryLaneOfEveryWidthHasTheBitsOfTheScalarCode) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
        const Compared c = interpret(seed, 100);
        for (const kernel::Isa isa : kernel::host_isas()) {
            const auto one = run_all(
                *compile(c.code,
                         {.isa = isa, .lanes = 1, .effort = kernel::Effort::full, .cache = false}),
                c.points);
            for (const std::size_t lanes : {2, 4, 8, 16}) {
                const auto many = run_all(*compile(c.code, {.isa = isa,
                                                            .lanes = lanes,
                                                            .effort = kernel::Effort::full,
                                                            .cache = false}),
                                          c.points);
                for (std::size_t p = 0; p < c.points.size(); ++p)
                    for (std::size_t o = 0; o < one[p].size(); ++o)
                        ASSERT_TRUE(kernel::same_bits(one[p][o], many[p][o]))
                            << "seed " << seed << " output " << o << " " << name_of(isa) << " x "
                            << lanes << ": " << one[p][o] << " " << many[p][o];
            }
        }
    }
}

}  // namespace
}  // namespace lacon
