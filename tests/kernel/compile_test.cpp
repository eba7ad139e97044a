// Compiled code gives the bits of the interpreter, in parts and with any effort.
#include <random>

#include "kernel_tests.hpp"

namespace lacon::kernel {
namespace {

TEST(Compile, DecisionsAreThoseOfNumbers) {
    Code code;
    const Value x(code, code.input(0)), y(code, code.input(1));
    const Value truths[] = {when_less(x, y),      when_less_equal(x, y),
                            when_equal(x, y),     when_both(x, y),
                            when_either(x, y),    when_not(x),
                            sign_of(x),           choose(when_less(x, y), x, y),
                            abs(x) + when_not(y), sqrt(x)};
    for (const Value& v : truths) code.outputs.push_back(v.id_in(code));
    const double nan = std::nan("");
    std::vector<std::vector<double>> points;
    for (const double a : {-1.5, -0.0, 0.0, 1.0, 2.0, nan})
        for (const double b : {-1.5, 0.0, 1.0, nan}) points.push_back({a, b});
    for (const CompileOptions& target : all_targets()) {
        const auto results = run_all(*compile(code, target), points);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double a = points[i][0], b = points[i][1];
            const double sign = std::isnan(a) ? a : static_cast<double>((a > 0.0) - (a < 0.0));
            const double expected[] = {double(a < b),
                                       double(a <= b),
                                       double(a == b),
                                       double(a != 0 && b != 0),
                                       double(a != 0 || b != 0),
                                       double(a == 0),
                                       sign,
                                       a < b ? a : b,
                                       std::abs(a) + double(b == 0),
                                       std::sqrt(a)};
            for (std::size_t o = 0; o < std::size(expected); ++o)
                EXPECT_TRUE(results[i][o] == expected[o] ||
                            (std::isnan(results[i][o]) && std::isnan(expected[o])))
                    << text_of(target) << " output " << o << " at " << a << ", " << b << ": "
                    << results[i][o];
        }
    }
}

/// A long random calculation whose values stay near 1.
Code long_code(std::size_t operations, std::size_t inputs) {
    Code code;
    std::mt19937 random(3);
    std::vector<Value> values;
    for (std::size_t i = 0; i < inputs; ++i)
        values.emplace_back(code, code.input(static_cast<std::uint32_t>(i)));
    while (code.size() < operations) {
        const auto any = [&] { return values[random() % values.size()]; };
        const Value a = any(), b = any();
        switch (random() % 5) {
            case 0: values.push_back((a + b) * 0.5); break;
            case 1: values.push_back(a - b * 0.25); break;
            case 2: values.push_back(a * b / (1.0 + b * b)); break;
            case 3: values.push_back(choose(when_less(a, b), a, sqrt(abs(b) + 1.0))); break;
            default: values.push_back(sin(a + b)); break;
        }
    }
    for (std::size_t i = 0; i < 10; ++i)
        code.outputs.push_back(values[values.size() - 1 - i].id_in(code));
    for (std::size_t i = 0; i < values.size(); i += 97)
        code.outputs.push_back(values[i].id_in(code));
    return code;
}

TEST(Compile, LongCodeIsCutIntoPartsThatAgreeWithTheWhole) {
    const Code code = long_code(20'000, 8);
    const std::vector<std::vector<double>> points{
        {1, 2, 3, 4, 5, 6, 7, 8}, {-1, 0.5, 0.1, 0, -3, 2, 1, -8}, {9, 8, 7, 6, 5, 4, 3, 2}};
    // The same by numbers, node by node, each product within a sum rounded once as the code does
    // where it can.
    const auto kernel =
        compile(code, {.isa = Isa::plain, .lanes = 1, .effort = Effort::full, .cache = false});
    EXPECT_GT(kernel->work_size(), 0u) << "it was cut";
    const auto results = run_all(*kernel, points);
    for (std::size_t p = 0; p < points.size(); ++p) {
        std::vector<double> value(code.size());
        for (const std::uint32_t id : code.order()) {
            const Node& n = code[id];
            value[id] = n.op == Do::constant ? n.value
                        : n.op == Do::input
                            ? points[p][n.a]
                            : apply(n.op, n.function, value[n.a], value[n.b], value[n.c]);
        }
        for (std::size_t o = 0; o < code.outputs.size(); ++o)
            ASSERT_NEAR(results[p][o], value[code.outputs[o]],
                        1e-9 * (1.0 + std::abs(value[code.outputs[o]])));
    }
}

TEST(Compile, QuickAndFullEffortGiveTheSameBits) {
    const Code code = long_code(2'000, 4);
    const std::vector<std::vector<double>> points{{1, 2, 3, 4}, {-1, 0.5, 0.1, 0}};
    for (CompileOptions target : all_targets()) {
        const auto full = run_all(*compile(code, target), points);
        target.effort = Effort::quick;
        const auto quick = run_all(*compile(code, target), points);
        for (std::size_t p = 0; p < points.size(); ++p)
            for (std::size_t o = 0; o < full[p].size(); ++o)
                ASSERT_TRUE(same_bits(full[p][o], quick[p][o])) << text_of(target);
    }
}

/// Every function and operation, also beyond the range of sin and cos.
Code code_of_everything() {
    Code code;
    const Value x(code, code.input(0)), y(code, code.input(1));
    const Value values[] = {
        tan(x),           asin(x),      acos(y),         atan(x),         sinh(x),
        cosh(y),          tanh(x),      exp(x),          log(abs(y)),     pow(abs(x), y),
        atan2(x, y),      hypot(x, y),  sin(x),          cos(x),          cos(y) * y - x * y,
        fma(x, y, x - y), floor(x),     sign_of(y),      x / y,           1.0 / y + x,
        max(x, y),        when_not(x),  sqrt(x) - y * x, -(x * y) + x,    when_less_equal(x, y),
        when_both(x, y),  abs(x * 1e9), sin(x * 1e9),    when_equal(x, y)};
    for (const Value& value : values) code.outputs.push_back(value.id_in(code));
    return code;
}

TEST(Compile, WalkedCodeGivesTheBitsOfMachineCode) {
    std::vector<std::vector<double>> points, few;
    for (const double a : {-2e4, -1.5, -0.0, 0.0, 0.3, 1.0, 7.0, 1e300, std::nan("")})
        for (const double b : {-3.0, -0.0, 0.0, 0.7, 1.0, 1e-300, HUGE_VAL}) few.push_back({a, b});
    std::mt19937 random(1);
    std::normal_distribution<double> normal(0.0, 10.0);
    for (int i = 0; i < 50; ++i) points.push_back({normal(random), normal(random)});
    for (const bool is_long : {false, true}) {
        const Code code = is_long ? long_code(5'000, 2) : code_of_everything();
        for (const Isa isa : host_isas()) {
            CompileOptions target{.isa = isa, .lanes = 1, .effort = Effort::full, .cache = false};
            const auto compiled = compile(code, target);
            target.effort = Effort::none;
            const auto walked = compile(code, target);
            for (const auto& at : {points, few}) {
                const auto expected = run_all(*compiled, at), found = run_all(*walked, at);
                for (std::size_t p = 0; p < at.size(); ++p)
                    for (std::size_t o = 0; o < expected[p].size(); ++o)
                        ASSERT_TRUE(same_bits(found[p][o], expected[p][o]))
                            << text_of(target) << " output " << o << " at " << at[p][0] << ", "
                            << at[p][1] << ": " << found[p][o] << ", not " << expected[p][o];
            }
        }
    }
}

TEST(Compile, CodeOfNothingButInputsAndNumbersWorks) {
    Code code;
    code.outputs = {code.input(1), code.constant(2.5), code.input(0)};
    for (const CompileOptions& target : all_targets())
        EXPECT_EQ(run_all(*compile(code, target), {{3.0, 4.0}})[0],
                  (std::vector<double>{4.0, 2.5, 3.0, 0.0}));
}

TEST(Image, WhatIsNoObjectFileIsRefused) {
    EXPECT_THROW(link({}), std::runtime_error);
    const std::vector<char> zeros(4096, '\0');
    EXPECT_THROW(link(zeros), std::runtime_error);
}

}  // namespace
}  // namespace lacon::kernel
