// Members of families share shapes and keep their own numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanics/system/derived_model.hpp"
#include "random_state.hpp"

/// Families whose members differ in numbers.
namespace lacon {
namespace {

/// So many shapes with other numbers come before one that has them as leaves.
constexpr std::size_t plain_shapes = 8;

TEST(Families, OfOtherMassesAndStiffnessesHaveFewShapesAndTheirOwnNumbers) {
    const std::size_t N = 60;
    const auto s = Mechanism::parse(
        "param N = 60, m = 2, k = 3\ncoord x[1..N]\nkinetic m*(1 + 0.1*i)/2*x[i]'^2 for i in 1..N\n"
        "potential k*i^2/2*x[i]^2 + 0.25*cos(i)*x[i]^4 for i in 1..N\nforce x[i] = sin(i)*t + i "
        "for i in 1..N\n");
    EXPECT_LE(s.details().system.shapes.size(),
              4 * (plain_shapes + 1));  // three kinds; the cosine may be of either sign
    std::mt19937_64 random(3);
    State state = random_state(N, random);
    state.t = 0.7;
    const Evaluation at = s.evaluate(state);
    double kinetic = 0.0, potential = 0.0;
    for (std::size_t n = 0; n < N; ++n) {
        const double i = static_cast<double>(n + 1), x = state.q[n], v = state.v[n],
                     mass = 2.0 * (1.0 + 0.1 * i);
        EXPECT_NEAR(at.M(n, n), mass, 1e-14 * mass);
        const double Q = -3.0 * i * i * x - std::cos(i) * x * x * x + std::sin(i) * 0.7 + i;
        EXPECT_NEAR(at.Q[n], Q, 1e-14 * (3.0 * i * i * std::abs(x) + i + 2.0));
        kinetic += mass * v * v / 2;
        potential += 1.5 * i * i * x * x + 0.25 * std::cos(i) * x * x * x * x;
    }
    EXPECT_NEAR(at.kinetic, kinetic, 1e-12 * kinetic);
    EXPECT_NEAR(at.potential, potential, 1e-12 * potential);
}

TEST(Families, OfConstraintsWithOtherNumbersHaveTheirRows) {
    const auto s = Mechanism::parse(
        "param N = 30, c = 0.5\ncoord x[1..N], y[1..N]\nparticle p[i] at (x[i], y[i]) mass 1 for i "
        "in 1..N\n"
        "constraint k[i]: (1 + 0.01*i)*x[i]^2 + sin(0.3*i*y[i]) + c*i*y[i] = i/7 for i in 1..N\n");
    EXPECT_LE(s.details().system.shapes.size(), 2 + 2 * (plain_shapes + 1));
    std::mt19937_64 random(5);
    const State state = random_state(60, random);
    const Evaluation at = s.evaluate(state);
    for (std::size_t n = 0; n < 30; ++n) {
        const double i = static_cast<double>(n + 1), a = 1.0 + 0.01 * i, w = 0.3 * i;
        const double x = state.q[n], y = state.q[30 + n], u = state.v[n], v = state.v[30 + n];
        EXPECT_NEAR(at.A(n, n), 2 * a * x, 1e-14 * (1 + std::abs(x)));
        EXPECT_NEAR(at.A(n, 30 + n), w * std::cos(w * y) + 0.5 * i, 1e-13 * i);
        EXPECT_NEAR(at.b[n], -2 * a * u * u + w * w * std::sin(w * y) * v * v,
                    1e-12 * (1 + w * w * v * v + u * u));
        EXPECT_NEAR(at.constraints[n].residual, a * x * x + std::sin(w * y) + 0.5 * i * y - i / 7,
                    1e-13 * (1 + i));
    }
}

TEST(Families, OfTwoIndicesHaveFewShapesInWhicheverOrderTheyRun) {
    for (const char* order : {"for i in 1..20 for j in 1..20", "for j in 1..20 for i in 1..20"}) {
        const auto s =
            Mechanism::parse(std::string("coord x[1..20,1..20]\nkinetic x[i,j]'^2/2 ") + order +
                             "\npotential (i + 0.1)*cos((j + 0.3)*x[i,j]) " + order + "\n");
        EXPECT_LE(s.details().system.shapes.size(), 1 + 3 * (plain_shapes + 1)) << order;
        State state{0.0, std::vector<double>(400, 0.2), std::vector<double>(400, 0.0)};
        const Evaluation at = s.evaluate(state);
        for (std::size_t n = 0; n < 400; ++n) {
            const double i = static_cast<double>(n / 20) + 1.1,
                         j = static_cast<double>(n % 20) + 1.3;
            ASSERT_NEAR(at.Q[n], i * j * std::sin(j * 0.2), 1e-12 * i * j) << order << n;
        }
    }
}

TEST(Families, OfPowersKeepTheirExponents) {
    const auto s = Mechanism::parse(
        "coord x[1..20]\nkinetic x[i]'^2/2 for i in 1..20\npotential x[i]^(i + 0.5) + i*x[i]^i for "
        "i in 1..20\n");
    const Evaluation at =
        s.evaluate({0.0, std::vector<double>(20, 0.9), std::vector<double>(20, 0.0)});
    for (std::size_t n = 0; n < 20; ++n) {
        const double i = static_cast<double>(n + 1);
        EXPECT_NEAR(at.Q[n], -(i + 0.5) * std::pow(0.9, i - 0.5) - i * i * std::pow(0.9, i - 1),
                    1e-12 * i * i);
    }
}

/// A line for each pair of 1..N that fits, with the numbers for "@i" and "@j".
std::vector<std::string> written_out(const std::string& line, int N, bool (*fits)(int, int)) {
    std::vector<std::string> all;
    const auto replace = [](std::string text, const std::string& what, int number) {
        for (auto at = text.find(what); at != text.npos; at = text.find(what))
            text.replace(at, 2, std::to_string(number));
        return text;
    };
    for (int i = 1; i <= N; ++i)
        for (int j = 1; j <= N; ++j)
            if (fits(i, j)) all.push_back(replace(replace(line, "@i", i), "@j", j) + "\n");
    return all;
}

struct Family {
    std::string line, clause;
    bool (*fits)(int, int);

    std::string text() const {
        std::string text = line + " " + clause + "\n";
        std::erase(text, '@');
        return text;
    }
};

// Pairs in either order, and members with themselves, are other elements than pairs that run up.
const std::vector<Family> pairs_of_five = {
    {"potential k/2*(x[@i] - x[@j])^2 + sin(x[@i])*y[@j]", "for i in 1..5, j in 1..5",
     [](int, int) { return true; }},
    {"potential m[@j]*(norm(p[@i] - p[@j] + (2, 3)) - 0.1)^2", "for i in 1..5, j in 1..5 if i != j",
     [](int i, int j) { return i != j; }},
    {"potential sum(cos(x[n])*y[@i]*m[@j] for n in @i..@j)", "for i in 1..5, j in i+1..5",
     [](int i, int j) { return i < j; }},
    {"kinetic m[@i]*x[@i]'*x[@j]'*cos(y[@j]) + x[@i]'^2 + k*y[@j]'^2", "for i in 1..5, j in 1..5",
     [](int, int) { return true; }},
    {"dissipation c*(y[@i]' - y[@j]')^2*x[@i]^2", "for i in 1..5, j in i+1..5",
     [](int i, int j) { return i < j; }},
    {"force x[@i] = -c*x[@j]'*x[@i]^3*m[@j]", "for i in 1..5, j in 1..5",
     [](int, int) { return true; }},
    {"force y[@i] = -c*x[@j]'*x[@j]*t", "for i in 1..5, j in 1..5", [](int, int) { return true; }},
    {"force p[@i] = (k*x[@j], p[@i].y*p[@j].x')", "for i in 1..5, j in 1..5",
     [](int, int) { return true; }},
    {"constraint r[@i,@j]: x[@i]*y[@j] + k*x[@j]*y[@i]^2*x[@j]' = m[@i]*t",
     "for i in 1..5, j in 1..5", [](int, int) { return true; }},
};
const std::string five =
    "param k = 3, c = 0.2\nparam m[i] = 1 + i/7 for i in 1..5\ncoord x[1..5], y[1..5]\n"
    "particle p[i] at (x[i], y[i]) mass m[i] for i in 1..5\ngravity (t, -m[1])\n";

/// M, Q, the energies, and the rows of A and b one behind the other.
std::vector<double> numbers_of(const Evaluation& at, bool rows) {
    std::vector<double> all;
    const std::size_t n = at.state.q.size();
    for (std::size_t i = 0; i < n && !rows; ++i) {
        all.push_back(at.Q[i]);
        for (std::size_t j = 0; j < n; ++j) all.push_back(at.M(i, j));
    }
    if (!rows) all.insert(all.end(), {at.kinetic, at.potential});
    for (std::size_t r = 0; r < at.b.size() && rows; ++r) {
        all.push_back(at.b[r]);
        for (std::size_t j = 0; j < n; ++j) all.push_back(at.A(r, j));
    }
    return all;
}

/// Every member in a mechanism of its own: there nothing repeats.
TEST(Families, AreTheSumsOfTheirMembers) {
    std::mt19937_64 random(29);
    const State s = random_state(10, random);
    const std::vector<double> without = numbers_of(Mechanism::parse(five).evaluate(s), false);
    std::string families = five;
    std::vector<double> sums = without, sizes(without.size(), 1.0), rows;
    for (const Family& family : pairs_of_five) {
        families += family.text();
        for (const std::string& member : written_out(family.line, 5, family.fits)) {
            const Evaluation at = Mechanism::parse(five + member).evaluate(s);
            const std::vector<double> with = numbers_of(at, false), row = numbers_of(at, true);
            for (std::size_t i = 0; i < sums.size(); ++i) {
                sums[i] += with[i] - without[i];
                sizes[i] += std::abs(with[i]) + std::abs(without[i]);
            }
            rows.insert(rows.end(), row.begin(), row.end());
        }
    }
    const Evaluation at = Mechanism::parse(families).evaluate(s);
    const std::vector<double> whole = numbers_of(at, false), whole_rows = numbers_of(at, true);
    for (std::size_t i = 0; i < sums.size(); ++i)
        EXPECT_NEAR(whole[i], sums[i], 1e-14 * sizes[i]) << i;
    ASSERT_EQ(whole_rows.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_NEAR(whole_rows[i], rows[i], 1e-14 * (1.0 + std::abs(rows[i]))) << i;
}

TEST(Families, AreExplainedAsTheirMembersWrittenOut) {
    std::string families = five, members = five;
    for (const Family& family : pairs_of_five) {
        families += family.text();
        for (const std::string& member : written_out(family.line, 5, family.fits))
            members += member;
    }
    EXPECT_EQ(Mechanism::parse(families).explain(false), Mechanism::parse(members).explain(false));
}

/// The mass of one particle is in the gravity of all.
TEST(Families, OfParticlesTellTheirMassesFromWhatGravityHas) {
    std::mt19937_64 random(31);
    const State s = random_state(10, random);
    const Evaluation at = Mechanism::parse(five).evaluate(s);
    for (std::size_t n = 0; n < 5; ++n) {
        const double mass = 1.0 + static_cast<double>(n + 1) / 7.0;
        EXPECT_NEAR(at.M(n, n), mass, 1e-15 * mass);
        EXPECT_NEAR(at.M(n + 5, n + 5), mass, 1e-15 * mass);
        EXPECT_NEAR(at.Q[n], mass * s.t, 4e-15 * mass);
        EXPECT_NEAR(at.Q[n + 5], -mass * (8.0 / 7.0), 4e-15 * mass);
    }
}

TEST(Families, ExplainThemselvesInNumbers) {
    const auto s = Mechanism::parse("coord x[1..12]\nkinetic (i + 0.5)*x[i]'^2/2 for i in 1..12\n");
    EXPECT_NE(s.explain(false).find("12.5"), std::string::npos);
}

}  // namespace
}  // namespace lacon
