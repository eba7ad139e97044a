// The functions of compiled code, against long double: how many ulps they are off, at any width the
// same bits.

#include <numbers>
#include <random>

#include "kernel_tests.hpp"

namespace lacon::kernel {
namespace {

/// |computed − exact| in units of the last place of the exact value.
double ulps(double computed, long double exact) {
    const auto rounded = static_cast<double>(exact);
    if (std::isnan(rounded) || std::isinf(rounded))
        return same_bits(computed, rounded) ? 0.0 : 1e300;
    const double ulp = std::nextafter(std::abs(rounded), 1e308) - std::abs(rounded);
    return static_cast<double>(std::abs(computed - exact) / ulp);
}

Code sines() {
    Code code;
    const Value x(code, code.input(0));
    code.outputs = {sin(x).id_in(code), cos(x).id_in(code)};
    return code;
}

/// Angles of all sizes up to `limit`, and those next to multiples of π/2.
std::vector<std::vector<double>> angles(double limit) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    std::vector<std::vector<double>> points{{0.0}, {-0.0}, {1e-300}, {std::numbers::pi / 4}};
    for (double size = 1e-8; size < limit; size *= 4.0)
        for (int i = 0; i < 500; ++i) points.push_back({size * unit(random)});
    for (double k = 1.0; k * 1.6 < limit; k = std::floor(k * 1.01) + 1.0) {
        const double near = static_cast<double>(static_cast<long double>(k) *
                                                std::numbers::pi_v<long double> / 2.0L);
        for (const double x : {near, std::nextafter(near, 0.0), std::nextafter(near, 1e300), -near})
            points.push_back({x});
    }
    return points;
}

TEST(Functions, SinAndCosAreWithinOneUlpOfTheTruthNearMultiplesOfPiToo) {
    for (const Isa isa : host_isas()) {
        const auto points = angles(range_limit(isa));
        const auto kernel =
            compile(sines(), {.isa = isa, .lanes = 1, .effort = Effort::full, .cache = false});
        const auto results = run_all(*kernel, points);
        double worst = 0.0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const long double x = points[i][0];
            worst = std::max(
                {worst, ulps(results[i][0], std::sin(x)), ulps(results[i][1], std::cos(x))});
            ASSERT_EQ(results[i][2], 0.0) << x;
        }
        EXPECT_LE(worst, 1.0) << name_of(isa);
        RecordProperty(std::string(name_of(isa)), std::to_string(worst));
    }
}

TEST(Functions, FloorIsExactOnEveryTarget) {
    Code code;
    const Value x(code, code.input(0)), y(code, code.input(1));
    code.outputs = {floor(x).id_in(code), floor(x * y).id_in(code)};
    std::vector<std::vector<double>> points{{0.0, 1.0},      {-0.0, 1.0},         {0.1, 30.0},
                                            {INFINITY, 1.0}, {std::nan(""), 1.0}, {-INFINITY, 1.0}};
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    for (double size = 1e-3; size < 1e18; size *= 3.0)
        for (const double u : {unit(random), unit(random)})
            points.push_back({size * u, unit(random)});
    for (const double whole : {1.0, -1.0, 3.0, -7.0, 1e6, 0x1p51, -0x1p51, 0x1p52, 0x1p53})
        for (const double z : {whole, std::nextafter(whole, INFINITY),
                               std::nextafter(whole, -INFINITY), whole + 0.5})
            points.push_back({z, 1.0});
    for (const CompileOptions& target : all_targets()) {
        const auto results = run_all(*compile(code, target), points);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double exact = std::floor(points[i][0]);
            EXPECT_TRUE(results[i][0] == exact || (std::isnan(exact) && std::isnan(results[i][0])))
                << text_of(target) << ' ' << points[i][0] << ' ' << results[i][0];
            const double product = std::floor(points[i][0] * points[i][1]);
            EXPECT_TRUE(results[i][1] == product || std::isnan(product))
                << text_of(target) << ' ' << points[i][0];
        }
    }
}

TEST(Functions, AnglesBeyondTheRangeAreFlaggedNotGuessed) {
    for (const CompileOptions& target : all_targets()) {
        const auto kernel = compile(sines(), target);
        const double limit = range_limit(target.isa), nan = std::nan("");
        const auto results =
            run_all(*kernel, {{limit}, {1.0}, {2.0 * limit}, {-1e300}, {INFINITY}, {nan}});
        const bool flagged[] = {false, false, true, true, true, false};
        for (std::size_t i = 0; i < results.size(); ++i)
            EXPECT_EQ(results[i][2] != 0.0, flagged[i]) << text_of(target) << i;
        EXPECT_TRUE(std::isnan(results[5][0]));
    }
}

TEST(Functions, GiveTheSameBitsInEveryLaneOfEveryWidth) {
    const auto points = angles(1e6);
    for (const Isa isa : host_isas()) {
        const auto one = run_all(
            *compile(sines(), {.isa = isa, .lanes = 1, .effort = Effort::full, .cache = false}),
            points);
        for (const CompileOptions& target : all_targets()) {
            if (target.isa != isa) continue;
            const auto many = run_all(*compile(sines(), target), points);
            for (std::size_t i = 0; i < points.size(); ++i)
                for (std::size_t o = 0; o < 2; ++o)
                    ASSERT_TRUE(same_bits(one[i][o], many[i][o])) << text_of(target);
        }
    }
}

struct Called {
    const char* name;
    Value (*write)(const Value&, const Value&);
    long double (*truth)(long double, long double);
    double low, high;  // of the first argument
    double low2 = -3.0, high2 = 3.0;
};

const std::vector<Called>& called() {
    using V = const Value&;
    using L = long double;
    static const std::vector<Called> all{
        {"tan", [](V x, V) { return tan(x); }, [](L x, L) { return std::tan(x); }, -100.0, 100.0},
        {"asin", [](V x, V) { return asin(x); }, [](L x, L) { return std::asin(x); }, -1.0, 1.0},
        {"acos", [](V x, V) { return acos(x); }, [](L x, L) { return std::acos(x); }, -1.0, 1.0},
        {"atan", [](V x, V) { return atan(x); }, [](L x, L) { return std::atan(x); }, -50.0, 50.0},
        {"sinh", [](V x, V) { return sinh(x); }, [](L x, L) { return std::sinh(x); }, -20.0, 20.0},
        {"cosh", [](V x, V) { return cosh(x); }, [](L x, L) { return std::cosh(x); }, -20.0, 20.0},
        {"tanh", [](V x, V) { return tanh(x); }, [](L x, L) { return std::tanh(x); }, -5.0, 5.0},
        {"exp", [](V x, V) { return exp(x); }, [](L x, L) { return std::exp(x); }, -700.0, 700.0},
        {"log", [](V x, V) { return log(x); }, [](L x, L) { return std::log(x); }, 1e-9, 50.0},
        {"pow", [](V x, V y) { return pow(x, y); }, [](L x, L y) { return std::pow(x, y); }, 1e-3,
         50.0},
        {"atan2", [](V x, V y) { return atan2(x, y); }, [](L x, L y) { return std::atan2(x, y); },
         -3.0, 3.0},
        {"hypot", [](V x, V y) { return hypot(x, y); }, [](L x, L y) { return std::hypot(x, y); },
         -3.0, 3.0},
    };
    return all;
}

TEST(Functions, ThoseThatAreCalledAreWithin1UlpAndTheSameInEveryLane) {
    std::mt19937_64 random(2);
    for (const Called& f : called()) {
        Code code;
        const Value x(code, code.input(0)), y(code, code.input(1));
        code.outputs = {f.write(x, y).id_in(code)};
        std::uniform_real_distribution<double> first(f.low, f.high), second(f.low2, f.high2);
        std::vector<std::vector<double>> points;
        for (int i = 0; i < 1000; ++i) points.push_back({first(random), second(random)});
        for (const CompileOptions& target : all_targets()) {
            const auto one = run_all(
                *compile(code,
                         {.isa = target.isa, .lanes = 1, .effort = Effort::full, .cache = false}),
                points);
            const auto many = run_all(*compile(code, target), points);
            for (std::size_t i = 0; i < points.size(); ++i) {
                ASSERT_LE(ulps(many[i][0], f.truth(points[i][0], points[i][1])), 1.001)
                    << f.name << " " << text_of(target);
                ASSERT_TRUE(same_bits(one[i][0], many[i][0])) << f.name << " " << text_of(target);
            }
        }
    }
}

}  // namespace
}  // namespace lacon::kernel
