// Numbers, names and other tokens.
#include "lang/reading.hpp"

namespace lacon {
namespace {

TEST(Lexical, NumbersAreThoseOfC) {
    EXPECT_EQ(value_of("x*1.5"), value_of("x*15e-1"));
    EXPECT_EQ(value_of("x*.5"), value_of("x*0.5"));
    EXPECT_EQ(value_of("x*1."), value_of("x"));
    EXPECT_EQ(value_of("x*1E+2"), value_of("x*100"));
    EXPECT_EQ(value_of("x*1.e2"), value_of("x*100"));
    EXPECT_EQ(value_of("x*007.5 + 00"), value_of("x*7.5"));
    EXPECT_EQ(value_of("x*08e1"), value_of("x*80"));
}

TEST(Lexical, NumbersMayBeHexadecimal) {
    EXPECT_EQ(value_of("x*0x10"), value_of("x*16"));
    EXPECT_EQ(value_of("x*0XfF"), value_of("x*255"));
    EXPECT_EQ(value_of("x*0x1.8p3"), value_of("x*12"));
    EXPECT_EQ(value_of("x*0x.8P-1"), value_of("x*0.25"));
    EXPECT_EQ(value_of("x*0x1e+1"), value_of("x*30 + 1")) << "e is a digit";
    EXPECT_EQ(read("coord x[0x1..0xA]\n").coordinates.size(), 10u);
    EXPECT_EQ(errors_of("coord x\npotential 0x*x\n"),
              "test.lac:2:12: error: there is no operator between '0' and 'x'\n"
              "  potential 0x*x\n"
              "             ^\n"
              "  hint: if you mean a product, write '0*x'\n");
}

TEST(Lexical, TwoDotsAfterANumberAreARange) {
    EXPECT_EQ(read("param a = 1 in 0.5..2\ncoord x\n").parameters[0].low, 0.5);
    EXPECT_EQ(read("coord x[1..3]\n").coordinates.size(), 3u);
    EXPECT_EQ(read("param a = 1 in 1.e0...5e1\ncoord x\n").parameters[0].high, 5);
}

TEST(Lexical, NamesMayBeGreekAndAccented) {
    EXPECT_EQ(names_of(read("coord φ, θ_2, größe, x1\npotential φ*θ_2*größe*x1\n").coordinates),
              (Strings{"φ", "θ_2", "größe", "x1"}));
}

TEST(Lexical, WordsThatOnlyModifyAreNames) {
    const Model model = read(
        "coord at, mass, every, trail, stabilize\nparticle line at (at, mass) mass 1\nparticle "
        "radius at (every, trail) mass 2\n"
        "constraint to: at = mass stabilize 2\ndraw line\ndraw line trail\ndraw line radius to "
        "line\nsimulate 0..1 every 0.1\n");
    EXPECT_EQ(model.coordinates.size(), 5u);
    ASSERT_EQ(model.drawings.size(), 3u);
    EXPECT_EQ(model.drawings[1].name, "line");
    EXPECT_EQ(model.drawings[2].kind, Drawing::Kind::line);
}

TEST(Lexical, StatementsGoOnInBracketsAndAfterOperators) {
    EXPECT_EQ(value_of("(x +\n\n  y  # why\n  - z\n)"), value_of("x + y - z"));
    EXPECT_EQ(value_of("x +\n  y*\n  z"), value_of("x + y*z"));
    const Model model = read(
        "coord x,\n  y\nconstraint c:\n  x =\n  y\nlet f(u,\n v) = u\noutput if(x > 1 and\n y > 2, "
        "1, 2)\n");
    EXPECT_EQ(model.constraints.size(), 1u);
}

TEST(Lexical, EnergiesInALongOutputListAreNoNewStatements) {
    EXPECT_EQ(
        names_of(read("coord x\noutput x^2,\n  kinetic,\n  potential\npotential x\n").outputs),
        (Strings{"x^2", "kinetic", "potential"}));
}

TEST(Lexical, ByteOrderMarkAndCarriageReturnsAreRead) {
    EXPECT_EQ(read("\xEF\xBB\xBF"
                   "coord x\r\npotential x +\r\n  1\r\n")
                  .potential.size(),
              1u);
}

TEST(Lexical, CommentsMayHoldAnyBytes) {
    EXPECT_EQ(read("coord x # \xff \x01 ∂\n# “quoted”\n").coordinates.size(), 1u);
}

TEST(Lexical, TheLastLineNeedsNoLineEnd) {
    EXPECT_EQ(read("coord x").coordinates.size(), 1u);
}

}  // namespace
}  // namespace lacon
