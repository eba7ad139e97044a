// Random mechanisms with planted structure, judged by an oracle without rounding: all numbers are
// whole eighths, so ranks are found exactly by elimination modulo a prime.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>

#include "lacon/diagnosis.hpp"

namespace lacon {
namespace {

using Row = std::vector<int>;  // eighths; the last number is the right side

constexpr std::int64_t prime = 2147483647;

std::int64_t inverse(std::int64_t x) {  // x^(p − 2)
    std::int64_t result = 1;
    for (std::int64_t k = prime - 2; k > 0; k >>= 1, x = x * x % prime)
        if (k & 1) result = result * x % prime;
    return result;
}

/// The rank of the first `columns` columns. A rank over the rationals is missed only where the
/// prime divides a minor.
std::size_t rank_of(const std::vector<Row>& rows, std::size_t columns) {
    std::vector<std::vector<std::int64_t>> a;
    for (const Row& row : rows) {
        a.emplace_back();
        for (std::size_t j = 0; j < columns; ++j)
            a.back().push_back(((row[j] % prime) + prime) % prime);
    }
    std::size_t rank = 0;
    for (std::size_t j = 0; j < columns && rank < a.size(); ++j) {
        const auto pivot = std::find_if(a.begin() + static_cast<std::ptrdiff_t>(rank), a.end(),
                                        [&](const auto& r) { return r[j] != 0; });
        if (pivot == a.end()) continue;
        std::swap(*pivot, a[rank]);
        const std::int64_t factor = inverse(a[rank][j]);
        for (std::size_t i = rank + 1; i < a.size(); ++i) {
            const std::int64_t by = a[i][j] * factor % prime;
            for (std::size_t c = j; c < columns; ++c)
                a[i][c] = ((a[i][c] - by * a[rank][c]) % prime + prime) % prime;
        }
        ++rank;
    }
    return rank;
}

struct PlantedRows {
    std::size_t n = 0;
    std::vector<Row> rows;
    std::string text;  // of the model
};

/// Independent rows at random, and rows that are combinations of them, consistent or not.
PlantedRows plant(std::mt19937_64& random) {
    const auto whole = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    PlantedRows p;
    p.n = static_cast<std::size_t>(whole(3, 8));
    const std::size_t first = static_cast<std::size_t>(whole(1, static_cast<int>(p.n)));
    for (std::size_t i = 0; i < first; ++i) {
        Row row(p.n + 1, 0);
        for (int& c : row)
            if (whole(0, 2) > 0) c = whole(-16, 16);
        if (rank_of({row}, p.n) == 0)
            row[0] = 8;  // a constraint without coordinates is no constraint
        p.rows.push_back(row);
    }
    for (int extra = whole(0, 4); extra > 0; --extra) {
        Row sum(p.n + 1, 0);
        for (int part = whole(1, 3); part > 0; --part) {
            const Row& row =
                p.rows[static_cast<std::size_t>(whole(0, static_cast<int>(first) - 1))];
            const int factor = whole(0, 1) == 0 ? whole(1, 3) : -whole(1, 3);
            for (std::size_t j = 0; j <= p.n; ++j) sum[j] += factor * row[j];
        }
        if (rank_of({sum}, p.n) == 0) continue;
        if (whole(0, 4) == 0) sum.back() += whole(1, 40);
        p.rows.push_back(sum);
    }
    std::shuffle(p.rows.begin(), p.rows.end(), random);
    p.text = fmt::format("coord x[1..{}]\n", p.n);
    for (std::size_t j = 1; j <= p.n; ++j)
        p.text += fmt::format("kinetic {}*x[{}]'^2/2\nforce x[{}] = {}\n", whole(1, 9), j, j,
                              whole(-5, 5));
    for (std::size_t i = 0; i < p.rows.size(); ++i) {
        p.text += fmt::format("constraint c{}: 0", i);
        for (std::size_t j = 0; j < p.n; ++j)
            p.text += fmt::format(" + ({})*x[{}]''", p.rows[i][j] / 8.0, j + 1);
        p.text += fmt::format(" = {}\n", p.rows[i][p.n] / 8.0);
    }
    return p;
}

std::vector<Row> without(std::vector<Row> rows, std::size_t i) {
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
    return rows;
}

void expect_circuit(const PlantedRows& p, const Dependency& set) {
    std::vector<Row> rows;
    for (const std::string& name : set.names) rows.push_back(p.rows[std::stoul(name.substr(1))]);
    EXPECT_EQ(rank_of(rows, p.n), rows.size() - 1);
    for (std::size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(rank_of(without(rows, i), p.n), rows.size() - 1) << "not minimal";
    EXPECT_NE(set.verdict, Verdict::undecided);
    EXPECT_EQ(set.verdict == Verdict::conflict, rank_of(rows, p.n + 1) > rank_of(rows, p.n))
        << set.text;
    ASSERT_EQ(set.coefficients.size(), rows.size());
    for (std::size_t j = 0; j < p.n; ++j) {
        double sum = 0.0, size = 0.0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            sum += set.coefficients[i] * rows[i][j];
            size += std::abs(set.coefficients[i] * rows[i][j]);
        }
        EXPECT_LE(std::abs(sum), 1e-11 * size);
    }
}

TEST(PlantedMechanisms, AreDiagnosedAsExactArithmeticSays) {
    std::mt19937_64 random(20);
    std::size_t conflicts = 0, dependent = 0;
    for (int trial = 0; trial < 10000 && !testing::Test::HasFailure(); ++trial) {
        const PlantedRows p = plant(random);
        SCOPED_TRACE(p.text);
        const Diagnosis found = diagnose(Mechanism::parse(p.text), {.samples = 0});
        ASSERT_TRUE(found.rank);
        const std::size_t rank = rank_of(p.rows, p.n), m = p.rows.size();
        EXPECT_EQ(found.rank->rank, rank);
        EXPECT_TRUE(found.rank->decided);
        ASSERT_EQ(found.dependent.size(), m - rank);
        const bool consistent = rank_of(p.rows, p.n + 1) == rank;
        EXPECT_EQ(found.status.outcome, consistent ? Outcome::ok : Outcome::conflict);
        EXPECT_EQ(
            std::none_of(found.dependent.begin(), found.dependent.end(),
                         [](const Dependency& set) { return set.verdict == Verdict::conflict; }),
            consistent);
        std::map<std::string, bool> in_set;
        for (const Dependency& set : found.dependent) {
            expect_circuit(p, set);
            for (const std::string& name : set.names) in_set[name] = true;
        }
        for (const Reaction& reaction : found.reactions) {
            const bool unique =
                rank_of(without(p.rows, std::stoul(reaction.name.substr(1))), p.n) < rank;
            EXPECT_EQ(in_set[reaction.name], !unique) << reaction.name;
            EXPECT_EQ(reaction.unique, unique) << reaction.name;
            EXPECT_EQ(reaction.row_unique[0], unique) << reaction.name;
        }
        conflicts += !consistent;
        dependent += m > rank;
    }
    EXPECT_GT(dependent, 5000u);
    EXPECT_GT(conflicts, 1000u);
}

}  // namespace
}  // namespace lacon
