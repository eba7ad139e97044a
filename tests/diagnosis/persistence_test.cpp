// Structural or momentary: random mechanisms whose dependencies were planted.

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <set>

#include "diagnosis_tests.hpp"

namespace lacon {
namespace {

using Names = std::vector<std::string>;

/// A mechanism made of independent parts, each turned by a random angle, with what must be found in
/// it.
class Planted {
public:
    explicit Planted(std::uint64_t seed) : random_(seed) {
        const int parts = 1 + static_cast<int>(random_() % 3);
        for (int i = 0; i < parts; ++i) {
            part_ = static_cast<int>(i);
            switch (random_() % 5) {
                case 0: four_bar(false); break;
                case 1: four_bar(true); break;
                case 2: parallelogram(); break;
                case 3: repeated(); break;
                default: combined(); break;
            }
        }
    }
    std::string text;
    std::set<Names> structural, momentary;

private:
    double number(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random_);
    }

    /// Two particles with coordinates of their own; points of the part's frame are turned with it.
    void particles() {
        turn_ = number(0.0, 6.28);
        text +=
            fmt::format("coord x{0}, y{0}, u{0}, v{0}\nparticle B{0} at (x{0}, y{0}) mass {1}\n",
                        part_, number(0.2, 5));
        text += fmt::format("particle C{0} at (u{0}, v{0}) mass {1}\n", part_, number(0.2, 5));
    }
    struct Point {
        double x, y;
    };
    Point turned(double x, double y) const {
        return {std::cos(turn_) * x - std::sin(turn_) * y,
                std::sin(turn_) * x + std::cos(turn_) * y};
    }
    std::string place(double x, double y) const {
        return fmt::format("({:.17g}, {:.17g})", turned(x, y).x, turned(x, y).y);
    }
    void start(Point b, Point c) {
        const Point B = turned(b.x, b.y), C = turned(c.x, c.y);
        text += fmt::format(
            "start x{0} ~ {1:.17g}, y{0} ~ {2:.17g}, u{0} ~ {3:.17g}, v{0} ~ {4:.17g}\n", part_,
            B.x, B.y, C.x, C.y);
    }
    std::string name(const char* what) const { return fmt::format("{}{}", what, part_); }

    /// Bars a, b, c over a ground of length d. Flat: a + b = c + d, a change point, where the three
    /// bars lie on one line.
    void four_bar(bool flat) {
        particles();
        const double a = number(0.5, 2), c = number(0.5, 2),
                     d = number(0.5, 2) + (flat && c < a ? a - c : 0.0);
        const Point B = flat ? Point{a, 0} : Point{a * std::cos(1.0), a * std::sin(1.0)};
        const Point C = flat ? Point{d + c, 0} : Point{d + c * std::cos(1.4), c * std::sin(1.4)};
        const double b = std::hypot(C.x - B.x, C.y - B.y);
        text += fmt::format(
            "constraint crank{0}: norm(B{0}) = {1:.17g}\nconstraint coupler{0}: norm(C{0} - B{0}) "
            "= {2:.17g}\n",
            part_, a, b);
        text += fmt::format("constraint rocker{0}: norm(C{0} - {1}) = {2:.17g}\n", part_,
                            place(d, 0), c);
        start(B, C);
        if (flat) momentary.insert({name("crank"), name("coupler"), name("rocker")});
    }

    /// With a third link that is not needed, where the first two are attached at `at` of the way.
    void parallelogram() {
        particles();
        const double s = number(0.5, 2), d = number(0.5, 2), at = number(0.2, 0.8),
                     angle = number(0.4, 2.6);
        text += fmt::format(
            "constraint left{0}: norm(B{0}) = {1:.17g}\nconstraint right{0}: norm(C{0} - {2}) = "
            "{1:.17g}\n",
            part_, s, place(d, 0));
        text += fmt::format("constraint coupler{0}: norm(C{0} - B{0}) = {1:.17g}\n", part_, d);
        text += fmt::format(
            "constraint middle{0}: norm({1:.17g}*B{0} + {2:.17g}*C{0} - {3}) = {4:.17g}\n", part_,
            1 - at, at, place(at * d, 0), s);
        const Point B{s * std::cos(angle), s * std::sin(angle)};
        start(B, {B.x + d, B.y});
        structural.insert({name("left"), name("right"), name("middle")});
    }

    /// A rod that is said twice, in other words.
    void repeated() {
        particles();
        const double a = number(0.5, 2);
        text += fmt::format(
            "constraint rod{0}: norm(B{0}) = {1:.17g}\nconstraint again{0}: dot(B{0}, B{0})/3 = "
            "{2:.17g}\n",
            part_, a, a * a / 3);
        text += fmt::format("constraint apart{0}: norm(C{0} - B{0}) = 1\n", part_);
        start({a, 0}, {a + 1, 0.1});
        structural.insert({name("rod"), name("again")});
    }

    /// A sum of two constraints, beside both.
    void combined() {
        particles();
        const double a = number(0.5, 2), k = number(-2, 2);
        text += fmt::format(
            "constraint rod{0}: norm(B{0}) = {1:.17g}\nconstraint line{0}: u{0} = 0.3\n", part_, a);
        text += fmt::format("constraint sum{0}: norm(B{0}) + {1:.17g}*u{0} = {2:.17g}\n", part_, k,
                            a + 0.3 * k);
        start({a, 0}, {0.3, 0.1});
        structural.insert({name("rod"), name("line"), name("sum")});
    }

    std::mt19937_64 random_;
    int part_ = 0;
    double turn_ = 0.0;
};

TEST(Persistence, PlantedDependenciesAreFoundAndToldApart) {
    std::size_t structural = 0, momentary = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Planted planted(seed);
        SCOPED_TRACE(fmt::format("seed {}\n{}", seed, planted.text));
        const Diagnosis d = diagnose(Mechanism::parse(planted.text));
        ASSERT_TRUE(d.status) << d.status.message;
        std::set<Names> lasting, passing;
        for (const Dependency& set : d.dependent) {
            EXPECT_EQ(set.verdict, Verdict::consistent) << set.text;
            EXPECT_NE(set.persistence, Persistence::untested) << set.text;
            (set.persistence == Persistence::structural ? lasting : passing).insert(set.names);
        }
        ASSERT_EQ(lasting, planted.structural);
        ASSERT_EQ(passing, planted.momentary);
        EXPECT_EQ(d.singular.has_value(), !planted.momentary.empty());
        if (d.singular) {
            EXPECT_EQ(d.singular->generic_rank, d.rank->rank + planted.momentary.size());
        }
        structural += lasting.size();
        momentary += passing.size();
    }
    EXPECT_GE(structural, 100u);
    EXPECT_GE(momentary, 50u);
}

TEST(Persistence, BranchesOfAChangePointAreThoseOfTheSecondOrderEquation) {
    // (1 + b/a) y1² − 2 y1 y2 + (1 − b/c) y2² = 0 near the flat position
    const double a = 1.3, c = 1.7, d = 1.1, b = c + d - a;
    const Diagnosis found = diagnose(Mechanism::parse(fmt::format(
        "coord x1, y1, x2, y2\nparticle B at (x1, y1) mass 1\nparticle C at (x2, y2) mass 1\n"
        "constraint crank: norm(B) = {}\nconstraint coupler: norm(C - B) = {}\nconstraint rocker: "
        "norm(C - ({}, 0)) = {}\n"
        "start x1 = {}, x2 = {}\n",
        a, b, d, c, a, c + d)));
    ASSERT_TRUE(found.singular);
    ASSERT_EQ(found.singular->branches.size(), 2u);
    for (const auto& branch : found.singular->branches) {
        ASSERT_EQ(branch.size(), 1u);
        const double y1 = branch[0][1], y2 = branch[0][3];
        EXPECT_NEAR((1 + b / a) * y1 * y1 - 2 * y1 * y2 + (1 - b / c) * y2 * y2, 0.0, 5e-3);
        EXPECT_EQ(branch[0][0], 0.0);
    }
}

TEST(Persistence, AnIsolatedStateIsUntested) {
    // circles that touch: no other state meets both
    const Diagnosis d =
        diagnose(Mechanism::parse("coord x, y\nparticle p at (x, y) mass 1\nconstraint a: norm(p) "
                                  "= 1\nconstraint b: norm(p - "
                                  "(2, 0)) = 1\nstart x = 1, y = 0\n"));
    ASSERT_EQ(d.dependent.size(), 1u);
    EXPECT_EQ(d.dependent[0].persistence, Persistence::untested);
    EXPECT_FALSE(d.dependent[0].why.empty());
    EXPECT_FALSE(d.singular);
}

TEST(Persistence, AStateThatIsAloneByAPowerIsUntested) {
    for (const char* power : {"x^3", "x^5", "-2*x^2*x", "sin(x)^3"}) {
        const Diagnosis d = diagnose(Mechanism::parse(
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: y = 0\nconstraint b: y = " +
            std::string(power)));
        ASSERT_EQ(d.dependent.size(), 1U) << power;
        EXPECT_EQ(d.dependent[0].persistence, Persistence::untested)
            << power << ": " << d.dependent[0].text;
    }
}

TEST(Persistence, RowsThatFixEverythingLastAsNothingMoves) {
    const Diagnosis d =
        diagnose(Mechanism::parse("coord x\nparticle p at (x) mass 1\nconstraint a: x = "
                                  "1\nconstraint b: x^2 = 1\nstart x ~ 1\n"));
    ASSERT_EQ(d.dependent.size(), 1u);
    EXPECT_EQ(d.dependent[0].persistence, Persistence::structural);
    EXPECT_NE(d.dependent[0].text.find("(the constraints allow no other state nearby)"),
              std::string::npos)
        << d.dependent[0].text;
}

TEST(Persistence, WhatHoldsOnOneBranchLastsThere) {
    // On y = x the velocity row follows; on y = -x, which is within a tenth of the largest
    // coordinate, it does not.
    const Mechanism m = Mechanism::parse(
        "coord x, y, far\nparticle p at (x, y, far) mass 1\nconstraint square: x^2 = "
        "y^2\nconstraint same: x' = y'\n"
        "start x = 1, y = 1, far = 30, x' = 1, y' = 1\n");
    const Diagnosis d = diagnose(m);
    ASSERT_EQ(d.dependent.size(), 1u);
    EXPECT_EQ(d.dependent[0].persistence, Persistence::structural) << d.dependent[0].text;
    EXPECT_FALSE(d.singular);
}

TEST(Persistence, ARattlebackThatRollsFarOutKeepsItsDependency) {
    // An ellipsoid that touches the ground (at -s as well, if asked like this) and rolls: the
    // height says it twice.
    for (const char* place : {"0.5", "3", "40", "1000"}) {
        const Mechanism m = Mechanism::parse(
            std::string("param a = 0.2, b = 0.03, c = 0.02\ncoord x, y, z, psi, th, ph\n") + R"(
            let n = (-sin(th), cos(th)*sin(ph), cos(th)*cos(ph))
            let w = (ph' - psi'*sin(th), th'*cos(ph) + psi'*cos(th)*sin(ph), psi'*cos(th)*cos(ph) - th'*sin(ph))
            kinetic 0.5*(x'^2 + y'^2 + z'^2) + 1e-4*w.x^2 + 8e-4*w.y^2 + 9e-4*w.z^2 - 2e-5*w.x*w.y
            potential 9.81*z
            let s = sqrt((a*n.x)^2 + (b*n.y)^2 + (c*n.z)^2)
            let p = (-a^2*n.x/s, -b^2*n.y/s, -c^2*n.z/s)
            constraint touch: z^2 = s^2
            constraint roll: z' + dot(n, cross(w, p)) = 0
            start x = )" +
            place +
            ", y = 0, psi = 0, th = 0.02, ph = 0.05, z ~ 0.02, psi' = 5, th' = 0, ph' = 0.1, z' ~ "
            "0\n");
        const Diagnosis d = diagnose(m);
        ASSERT_EQ(d.dependent.size(), 1u) << place;
        EXPECT_EQ(d.dependent[0].persistence, Persistence::structural)
            << place << d.dependent[0].text;
    }
}

TEST(Persistence, ADependencyOfOneMomentIsMomentary) {
    const Mechanism m = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 1\nconstraint a: x = 0\nconstraint b: x*cos(t) + "
        "y*sin(t) = 0\n");
    EXPECT_EQ(diagnose(m).dependent.at(0).persistence, Persistence::momentary);
    EXPECT_TRUE(diagnose(m, State{0.5, {0, 0}, {0, 0}}).dependent.empty());
}

TEST(Persistence, NothingIsSampledBeyondTheLimit) {
    const Mechanism m = Mechanism::load(model_path("table_held.lac"));
    DiagnosisOptions options;
    options.most_sampled = 2;
    const Diagnosis d = diagnose(m, options);
    EXPECT_EQ(d.dependent.at(0).persistence, Persistence::untested);
    EXPECT_NE(d.dependent[0].text.find("(not tried nearby: more than 2 coordinates or rows)"),
              std::string::npos)
        << d.dependent[0].text;
}

TEST(Persistence, TheSameSeedGivesTheSameDiagnosis) {
    const Mechanism m = Mechanism::load(model_path("flat_parallelogram.lac"));
    EXPECT_EQ(diagnose(m).singular->branches, diagnose(m).singular->branches);
}

}  // namespace
}  // namespace lacon
