// The canonical form of a text.
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "lang/reading.hpp"
#include "lang/text/token.hpp"

namespace lacon {
namespace {

std::string format(const std::string& text) {
    Diagnostics diagnostics;
    const SourceText source("test.lac", text);
    const auto result = format_model(source, diagnostics);
    EXPECT_TRUE(result.has_value()) << render(diagnostics, source);
    return result.value_or("");
}

/// The tokens of a text, one a line.
std::string tokens_of(const std::string& text) {
    Diagnostics diagnostics;
    const SourceText source("test.lac", text);
    std::string all;
    for (const lang::Token& token : lang::lex(source, diagnostics).tokens)
        all += token.kind == lang::TokenKind::newline ? "end of statement\n"
                                                      : std::string(source.text(token.span)) + "\n";
    return all;
}

void expect_stable(const std::string& text) {
    const std::string once = format(text);
    EXPECT_EQ(format(once), once) << text;
    EXPECT_EQ(tokens_of(once), tokens_of(text)) << text;
}

TEST(Format, SpacesOperatorsInOneWay) {
    EXPECT_EQ(format("coord   x ,y\npotential 2 * x ^ - 2+ ( x-1 )/y - - x\n"),
              "coord x, y\npotential 2*x^-2 + (x - 1)/y - -x\n");
    EXPECT_EQ(format("constraint c  :x=y stabilize 2   (3)\n"),
              "constraint c: x = y stabilize 2 (3)\n");
    EXPECT_EQ(
        format("constraint c :y>=R   restitution(e) friction mu static  - 0.4 slip(x' ,y')\n"),
        "constraint c: y >= R restitution (e) friction mu static -0.4 slip (x', y')\n");
    EXPECT_EQ(format("constraint c[i]:y<=0 friction 2*mu on p[ i+1 ] for i in 1..2\n"),
              "constraint c[i]: y <= 0 friction 2*mu on p[i+1] for i in 1..2\n");
    EXPECT_EQ(format("constraint c[i]:x=0   weight( 1/k[ i ] )stabilize 2   (3)for i in 1..2\n"),
              "constraint c[i]: x = 0 weight (1/k[i]) stabilize 2 (3) for i in 1..2\n");
    EXPECT_EQ(format("control c[i] :(x,y)=0  nearest gain 2   (3)limit - F .. F,0..1 weight(1,0),( "
                     "0,2 )by m[ i ]=y,x [1 .. "
                     "N],along( 1,2 ),p  along - e\n"),
              "control c[i]: (x, y) = 0 nearest gain 2 (3) limit -F..F, 0..1 weight (1, 0), (0, 2) "
              "by m[i] = y, x[1..N], along "
              "(1, 2), p "
              "along -e\n");
    EXPECT_EQ(format("nonideal x=- load( rod[ i ] )*x',p=(1,2)for i in 1..2\n"),
              "nonideal x = -load(rod[i])*x', p = (1, 2) for i in 1..2\n");
    EXPECT_EQ(format("simulate 0 .. 1  impacts   sequential\n"),
              "simulate 0..1 impacts sequential\n");
    EXPECT_EQ(format("start x=1,y '~ - 2\n"), "start x = 1, y' ~ -2\n");
    EXPECT_EQ(format("output if( x<=1 and not(x==2),1 ,2)\n"),
              "output if(x <= 1 and not (x == 2), 1, 2)\n");
    EXPECT_EQ(format("param a=1 in - 1 .. 2 \"text  kept\"\n"),
              "param a = 1 in -1..2 \"text  kept\"\n");
    EXPECT_EQ(
        format("let f( u,v )=sum( P [ i - 1 ] . x for i in 1 .. N - 1,j in i+1..N if i!=j )\n"),
        "let f(u, v) = sum(P[i-1].x for i in 1..N-1, j in i+1..N if i != j)\n");
    EXPECT_EQ(format("draw line(0,0)to b\n"), "draw line (0, 0) to b\n");
    EXPECT_EQ(format("coord x[1 .. 2 , 0..N]\n"), "coord x[1..2,0..N]\n");
    EXPECT_EQ(format("event  hit[ i ] :x [i]=- 1  stop   for i in 1 ..N\n"),
              "event hit[i]: x[i] = -1 stop for i in 1..N\n");
}

TEST(Format, KeepsCommentsAndLineBreaks) {
    EXPECT_EQ(
        format("\n\n#first\n\n\n\ncoord x#second\n  # third  \npotential (x +  # why\n "
               "x)\n#!mark\n#----\n\n"),
        "# first\n\ncoord x  # second\n# third\npotential (x +  # why\n    x)\n#!mark\n#----\n");
    EXPECT_EQ(format("let a = x +\n\n\n  # because\n  y\n"),
              "let a = x +\n\n    # because\n    y\n");
}

TEST(Format, EndsInOneLineEnd) {
    EXPECT_EQ(format(""), "");
    EXPECT_EQ(format("\n\n"), "");
    EXPECT_EQ(format("coord x"), "coord x\n");
    EXPECT_EQ(format("coord x\r\npotential x\r\n\r\n"), "coord x\npotential x\n");
}

TEST(Format, RefusesATextWithErrorsOfSyntax) {
    Diagnostics diagnostics;
    EXPECT_FALSE(format_model(SourceText("test.lac", "coord x y\n"), diagnostics).has_value());
    EXPECT_TRUE(diagnostics.has_errors());
}

TEST(Format, NeedsNoMeaning) {
    EXPECT_EQ(format("potential nothing\n"), "potential nothing\n");
}

TEST(Format, IsStableOnAllModelsOfTheTree) {
    const std::filesystem::path root(LACON_SOURCE_DIR);
    for (const char* folder : {"models", "tests/errors/cases", "tests/models"}) {
        if (!std::filesystem::exists(root / folder)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
            if (entry.path().extension() != ".lac") continue;
            std::ifstream file(entry.path(), std::ios::binary);
            std::ostringstream text;
            text << file.rdbuf();
            Diagnostics diagnostics;
            if (format_model(SourceText("test.lac", text.str()), diagnostics))
                expect_stable(text.str());
        }
    }
}

/// Statements from random tokens: most do not parse, those that do must keep their tokens.
TEST(Format, IsStableOnRandomTokens) {
    const Strings words = {"x",    "y",     "2",      "0.5",         "(",         ")",   "[",
                           "]",    "+",     "-",      "*",           "/",         "^",   "'",
                           ",",    ".",     "..",     "i",           "if",        "for", "in",
                           "sin",  "=",     "<",      "==",          "and",       "not", "sum",
                           "P",    "\"s\"", "~",      ":",           "trail",     "to",  "line",
                           "#c\n", "\n",    "at",     "mass",        "stabilize", ">=",  "friction",
                           "on",   "slip",  "static", "restitution", "load"};
    const Strings heads = {
        "potential ",          "let a = ",      "output ",    "draw ",      "constraint c: x = ",
        "constraint c: x >= ", "nonideal x = ", "start x = ", "force x = ", "coord ",
        "particle p at ",      "param a = "};
    std::mt19937 random(7);
    int parsed = 0;
    for (int round = 0; round < 60000; ++round) {
        std::string text = heads[random() % heads.size()];
        const std::size_t length = 1 + random() % 9;
        for (std::size_t i = 0; i < length; ++i)
            text += words[random() % words.size()] + (random() % 2 == 0 ? " " : "");
        Diagnostics diagnostics;
        if (!format_model(SourceText("test.lac", text), diagnostics)) continue;
        ++parsed;
        expect_stable(text);
    }
    EXPECT_GT(parsed, 500);
}

}  // namespace
}  // namespace lacon
