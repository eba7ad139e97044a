// Texts, names and sums of the largest sizes.
#include <fmt/format.h>

#include <functional>

#include "lang/elaborate/elaborator.hpp"
#include "lang/parse/parser.hpp"
#include "lang/reading.hpp"

/// Whatever size a text has, it is read or refused with a clear message, quickly.
namespace lacon {
namespace {

std::string repeated(const std::string& part, std::size_t times) {
    std::string text;
    text.reserve(part.size() * times);
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
}

std::string first_error(const std::string& text) {
    const SourceText source("test.lac", text);
    const Parsed parsed = parse_model(source);
    return parsed.diagnostics.all().empty() ? "" : parsed.diagnostics.all().front().message;
}

TEST(Limits, SumsOfAMillionTermsAreRead) {
    const Model model = read("coord x\npotential 0" + repeated(" + x", 1'000'000) + "\n");
    EXPECT_EQ(text(model, model.potential[0].value), "1e+06*x");
}

TEST(Limits, LinesOfTenMegabytesAreRead) {
    EXPECT_EQ(read("coord x\n#" + std::string(10 << 20, 'c') + "\n").coordinates.size(), 1u);
    EXPECT_EQ(read("model \"" + std::string(10 << 20, 'c') + "\"\ncoord x\n").title.size(),
              std::size_t{10} << 20);
    EXPECT_EQ(first_error("coord x\npotential " + std::string(10 << 20, 'c') + "\n").substr(0, 30),
              "there is nothing named 'cccccc");
    EXPECT_EQ(first_error("coord x\n" + repeated("\"\" ", 3 << 20) + "\n"),
              "a statement begins with a keyword, but there is a text in quotes");
    EXPECT_EQ(first_error("coord x\npotential " + repeated("(", 10 << 20) + "\n"),
              "this '(' is not closed");
}

TEST(Limits, NamesOfAMegabyteAreNotPrintedWhole) {
    const std::string name(1 << 20, 'n');
    for (const std::string text :
         {"coord NAME, NAME\n", "coord x\nforce x = NAME(x)\n", "coord NAME\nforce NAME[1] = 1\n",
          "coord x\nconstraint NAME: x = x\n", "param NAME = 1 in 2..3\ncoord x\n",
          "coord x\noutput NAME.force\n", "coord x\nlet NAME = NAME\n",
          "coord x\nsimulate 0..1 NAME\n"}) {
        std::string full = text;
        for (auto at = full.find("NAME"); at != full.npos; at = full.find("NAME"))
            full.replace(at, 4, name);
        const std::string report = errors_of(full);
        EXPECT_FALSE(report.empty()) << text;
        EXPECT_LT(report.size(), 2000u) << text;
    }
}

TEST(Limits, TextsBeyond64MebibytesAreRefused) {
    EXPECT_EQ(first_error(std::string((std::size_t{64} << 20) + 1, ' ')),
              "the text has 64 MiB; the limit is 64 MiB");
}

TEST(Limits, TextsOfTooManyWordsAreRefused) {
    EXPECT_EQ(first_error("coord x\npotential x" + repeated("+", 21'000'000)),
              "the text is too long: it has more than 20000000 words and signs");
}

TEST(Limits, NestingIsLimited) {
    const auto nested = [](const std::string& open, const std::string& close, std::size_t depth) {
        return first_error("coord x\npotential " + repeated(open, depth) + "x" +
                           repeated(close, depth) + "\n");
    };
    for (const char* open : {"(", "sin(", "-(", "2^(", "(1 + ", "2*(3 + "}) {
        EXPECT_EQ(nested(open, ")", 90), "") << open;
        EXPECT_EQ(nested(open, ")", 100'000), "the expression is nested too deeply here") << open;
    }
    EXPECT_EQ(nested("2^", "", 100'000), "the expression is nested too deeply here");
    EXPECT_EQ(nested("-", "", 1'000'000), "");
}

TEST(Limits, DefinitionsInOrderTakeNoDepth) {
    std::string text = "coord x\nlet a0 = x\n";
    for (int i = 1; i <= 50'000; ++i) text += fmt::format("let a{} = a{}/2\n", i, i - 1);
    EXPECT_EQ(first_error(text), "");
    EXPECT_EQ(first_error("coord x\nlet P[0] = x\nlet P[i] = P[i-1]/2 for i in 1..100000\n"), "");
}

TEST(Limits, DefinitionsInReverseOrderAreLimitedInDepth) {
    const auto chain = [](int length) {
        std::string text = "coord x\n";
        for (int i = 0; i < length; ++i) text += fmt::format("let a{} = (a{}, 1).x/2\n", i, i + 1);
        return text + fmt::format("let a{} = x\n", length);
    };
    EXPECT_EQ(first_error(chain(200)), "");
    EXPECT_EQ(first_error(chain(100'000)),
              "the definitions that this one needs are nested too deeply");
}

TEST(Limits, ChainsOfFunctionsAndOfRangesAreLimitedInDepth) {
    std::string functions = "coord x\n", ranges = "coord x\n", parameters = "coord x\n";
    for (int i = 0; i < 3000; ++i) {
        functions += fmt::format("let f{}(u) = f{}(u)\n", i, i + 1);
        ranges += fmt::format("let a{}[i] = 1 for i in 1..a{}[1]\n", i, i + 1);
        parameters += fmt::format("param a{} = a{}\n", i, i + 1);
    }
    const std::string expected = "the definitions that this one needs are nested too deeply";
    EXPECT_EQ(first_error(functions + "let f3000(u) = u\npotential f0(x)\n"), expected);
    EXPECT_EQ(first_error(ranges + "let a3000[1] = 1\n"), expected);
    EXPECT_EQ(first_error(parameters + "param a3000 = 1\n"), expected);
}

TEST(Limits, LongCirclesAreFound) {
    std::string text = "coord x\n";
    for (int i = 0; i < 300; ++i) text += fmt::format("let a{} = a{}\n", i, (i + 1) % 300);
    EXPECT_EQ(
        first_error(text),
        "'a0' is defined in terms of itself: a0 → a1 → a2 → a3 → a4 → a5 → ... → a298 → a299 → a0");
}

TEST(Limits, HugeFamiliesAreRefusedBeforeTheyAreBuilt) {
    EXPECT_EQ(first_error("coord x[1..1e9]\n"),
              "'x' would have 1000000000 members; at most 20000000 are possible");
    EXPECT_EQ(first_error("coord x\npotential x for i in 1..1e9\n"),
              "this range has 1000000000 values; at most 40000000 are possible");
}

/// The limits as they are would take minutes to reach; lower ones are reached the same way.
TEST(Limits, WhatGrowsBeyondThemIsRefusedAtTheStatement) {
    const auto report = [](const std::string& text, const Limits& limits) {
        const SourceText source("test.lac", text);
        return render(parse_model(source, {}, limits).diagnostics, source);
    };
    Limits limits;
    limits.repetitions = 1000;
    EXPECT_EQ(
        report("coord x\npotential x for i in 1..30, j in 1..40\npotential nothing\n", limits),
        "test.lac:2:1: error: the model has more than 1000 members and repeated statements; it is "
        "too large\n  potential x for i in 1..30, j in 1..40\n  "
        "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
    EXPECT_EQ(report("coord x[1..30,1..40]\n", limits),
              "test.lac:1:1: error: the model has more than 1000 members and repeated statements; "
              "it is too large\n  coord x[1..30,1..40]\n  ^~~~~~~~~~~~~~~~~~~~\n");
    limits = {};
    limits.steps = 3000;
    std::string doubling = "coord x\nlet f0(u) = u + 1\n";
    for (int i = 0; i < 30; ++i)
        doubling += fmt::format("let f{}(u) = f{}(u) + f{}(u)\n", i + 1, i, i);
    EXPECT_EQ(
        report(doubling + "potential f30(x)\n", limits),
        "test.lac:33:1: error: the model takes more than 3000 steps to build; it is too large\n"
        "  potential f30(x)\n"
        "  ^~~~~~~~~~~~~~~~\n");
}

TEST(Limits, LargeFamiliesAreRead) {
    const Model model = read(
        "coord x[1..20000]\npotential sum((x[i] - x[i-1])^2/2 for i in 2..20000)\nkinetic "
        "x[i]'^2/2 for i in 1..20000\n"
        "start x[i] = i for i in 1..20000\noutput x[i]^2 for i in 1..20000\n");
    EXPECT_EQ(model.outputs.size(), 20000u);
}

TEST(Limits, AFullGraphIsAnErrorAtTheStatement) {
    const SourceText source("test.lac", "coord x\npotential sin(x)*cos(x)*exp(x)\n");
    Diagnostics diagnostics;
    const lang::Syntax syntax = lang::Parser(source, diagnostics).parse_statements();
    Model model;
    model.graph = Graph(9);
    lang::Elaborator(syntax, model, diagnostics, {}).run();
    EXPECT_EQ(render(diagnostics, source),
              "test.lac:2:1: error: the model's expressions do not fit in memory\n  potential "
              "sin(x)*cos(x)*exp(x)\n  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

TEST(Limits, NoBytesCrash) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    EXPECT_NE(first_error(repeated(bytes, 10'000)), "");
    EXPECT_NE(first_error(std::string(1 << 20, '\0')), "");
    EXPECT_NE(first_error(repeated("\xff", 1 << 20)), "");
    EXPECT_NE(first_error(repeated("let a b\n", 100'000)), "");
    EXPECT_NE(first_error("coord x\npotential 1" + repeated(" + nothing", 100'000)), "");
}

}  // namespace
}  // namespace lacon
