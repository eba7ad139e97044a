// Texts: numbers that read back exactly, nearest names, long and invalid names.
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/diagnostic.hpp"

namespace lacon {
namespace {

TEST(Text, NumbersReadBackAsTheyWere) {
    for (const double x : {0.1, 1.0 / 3.0, 1e-300, 123456789.0, -2.5})
        EXPECT_EQ(std::stod(shortest(x)), x);
    EXPECT_EQ(shortest(3.0), "3");
    EXPECT_EQ(rounded(-0.0), "0");
    EXPECT_EQ(rounded(-std::numeric_limits<double>::quiet_NaN()), "nan");
    EXPECT_EQ(rounded(1.0 / 3.0, 3), "0.333");
}

TEST(Text, NearestNameFindsSlipsAndOnlySlips) {
    const std::vector<std::string> names{"length", "mass", "N", "omega"};
    EXPECT_EQ(nearest_name("lenght", names), "length");
    EXPECT_EQ(nearest_name("Mass", names), "mass");
    EXPECT_EQ(nearest_name("n", names), "N");
    EXPECT_EQ(nearest_name("k", names), std::nullopt);
    EXPECT_EQ(nearest_name("velocity", names), std::nullopt);
    const std::vector<std::string> short_names{"cos", "sin"};
    EXPECT_EQ(nearest_name("sni", short_names), "sin");
    EXPECT_EQ(nearest_name("foo", short_names), std::nullopt);
}

TEST(Text, VeryLongNamesAreCut) {
    const std::string fits(80, 'a'), long_name(81, 'a');
    EXPECT_EQ(with_short_names("'" + fits + "' is x"), "'" + fits + "' is x");
    EXPECT_EQ(with_short_names("'" + long_name + "' is x"),
              "'" + std::string(60, 'a') + "...' is x");
    std::string greek, cut;
    for (int i = 0; i < 81; ++i) greek += "ω";
    for (int i = 0; i < 60; ++i) cut += "ω";
    EXPECT_EQ(with_short_names(greek), cut + "...");
}

TEST(Text, InvalidBytesAreSingleCharacters) {
    EXPECT_EQ(count_characters("aω"), 2u);
    EXPECT_EQ(count_characters("\xff\xfe"), 2u);
    EXPECT_FALSE(read_character("\xed\xa0\x80", 0).valid) << "a surrogate is no character";
    EXPECT_FALSE(read_character("\xc0\xaf", 0).valid) << "an overlong form is no character";
    EXPECT_FALSE(read_character("\xe2\x82", 0).valid) << "a cut character is none";
}

TEST(Text, ListsAreWrittenAsInASentence) {
    const std::vector<std::string> names{"a", "b", "c"};
    EXPECT_EQ(quoted_list(std::span(names).first(1)), "'a'");
    EXPECT_EQ(quoted_list(std::span(names).first(2)), "'a' and 'b'");
    EXPECT_EQ(quoted_list(names), "'a', 'b' and 'c'");
    EXPECT_EQ(quoted_list(names, 2), "'a', 'b' and 1 more");
}

TEST(Diagnostic, ShowsPlaceLineCaretAndHint) {
    const SourceText source("m.lac", "coord x\nlet ω = lenght\n");
    Diagnostics diagnostics;
    diagnostics.error({17, 23}, "there is no name 'lenght'", "did you mean 'length'?");
    EXPECT_EQ(render(diagnostics, source),
              "m.lac:2:9: error: there is no name 'lenght'\n"
              "  let ω = lenght\n"
              "          ^~~~~~\n"
              "  hint: did you mean 'length'?\n");
}

TEST(Diagnostic, LongLinesAreShownAsAWindow) {
    const SourceText source("m.lac", std::string(100'000, 'a') + "!" + std::string(100'000, 'b'));
    Diagnostics diagnostics;
    diagnostics.error({100'000, 100'001}, "what");
    const std::string text = render(diagnostics, source);
    EXPECT_LT(text.size(), 500u);
    const auto mark = text.find('!'), line = text.rfind('\n', mark), caret = text.find('^');
    EXPECT_EQ(mark - line, caret - text.rfind('\n', caret));
}

TEST(Diagnostic, OnlyTheFirstAtAPlaceIsKept) {
    Diagnostics diagnostics;
    diagnostics.error({3, 4}, "first");
    diagnostics.error({3, 9}, "echo");
    EXPECT_EQ(diagnostics.error_count(), 1u);
}

}  // namespace
}  // namespace lacon
