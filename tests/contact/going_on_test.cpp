// A run with contacts that is stopped, taken up again, or one of many: the same bits. And its rows
// are where they should be.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cli/program.hpp"
#include "contact_tests.hpp"
#include "hybrid/hybrid_run.hpp"
#include "lacon/ensemble.hpp"
#include "table/table.hpp"

namespace lacon::contacts {
namespace {

struct Rows {
    std::vector<std::vector<double>> all;
    HybridRun::RowSink sink() {
        return [this](std::span<const double> row) { all.emplace_back(row.begin(), row.end()); };
    }
};

/// Where the first two rows that are not the same, bit by bit, differ; empty where none do.
std::string difference(std::span<const std::vector<double>> a,
                       std::span<const std::vector<double>> b) {
    for (std::size_t r = 0; r < std::min(a.size(), b.size()); ++r)
        for (std::size_t c = 0; c < a[r].size(); ++c)
            if (std::bit_cast<std::uint64_t>(a[r][c]) != std::bit_cast<std::uint64_t>(b[r][c]))
                return fmt::format("row {} at t = {}, column {}: {} and {}", r, a[r][0], c, a[r][c],
                                   b[r][c]);
    return a.size() == b.size() ? "" : fmt::format("{} and {} rows", a.size(), b.size());
}

void expect_same_from_any_step(const Mechanism& m, const RunOptions& options) {
    const RunPlan plan = plan_run(m.details(), options);
    Rows whole;
    HybridRun first(m.details(), plan, {}, whole.sink());
    std::vector<std::pair<Snapshot, std::size_t>> cuts;  // with the rows given out until then
    ASSERT_TRUE(first.begin()) << first.status().message;
    while (first.step())
        if (first.is_resumable()) cuts.emplace_back(first.snapshot(), whole.all.size());
    ASSERT_TRUE(first.status()) << first.status().message;
    ASSERT_GE(cuts.size(), 3u);
    const MotionSummary expected = first.summary();
    const std::size_t stride = std::max<std::size_t>(1, cuts.size() / 80);
    for (std::size_t i = 0; i < cuts.size(); i += stride) {
        Rows rest;
        HybridRun second(m.details(), plan, {}, rest.sink());
        ASSERT_TRUE(second.resume(cuts[i].first)) << second.status().message;
        while (second.step()) {
        }
        const MotionSummary found = second.summary();
        EXPECT_EQ(difference(rest.all, std::span(whole.all).subspan(cuts[i].second)), "")
            << "cut " << i;
        EXPECT_EQ(found.final.q, expected.final.q) << "cut " << i;
        EXPECT_EQ(found.final.v, expected.final.v) << "cut " << i;
        EXPECT_EQ(found.steps, expected.steps) << "cut " << i;
        EXPECT_TRUE(found.events == expected.events)
            << "cut " << i << " at " << cuts[i].first.time.now() << ": " << found.events.size()
            << " for " << expected.events.size();
        EXPECT_EQ(found.contact.lost, expected.contact.lost) << "cut " << i;
        EXPECT_EQ(found.contact.modes, expected.contact.modes) << "cut " << i;
        EXPECT_EQ(found.contact.certified_steps, expected.contact.certified_steps) << "cut " << i;
        EXPECT_EQ(found.contact.forces_unique, expected.contact.forces_unique) << "cut " << i;
        EXPECT_EQ(found.method, expected.method) << "cut " << i;
    }
}

class GoingOn : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(GoingOn, FromAnyStepItIsTheSameRun) {
    const auto [file, method] = GetParam();
    expect_same_from_any_step(load(file), {.every = 0.01, .tolerance = 1e-10, .method = method});
}
INSTANTIATE_TEST_SUITE_P(
    Of, GoingOn,
    testing::Combine(testing::Values("rough_ring.lac", "incline.lac", "rough_oscillator.lac",
                                     "bouncing_ball.lac", "floor_and_ceiling.lac",
                                     "rocking_block.lac", "ladder.lac", "rolling_sphere.lac"),
                     testing::Values("auto", "dop853")),
    [](const auto& of) {
        std::string name = std::get<0>(of.param);
        return name.substr(0, name.find('.')) + "_" + std::get<1>(of.param);
    });

// Four legs carry forces that are not unique; then it is lifted, tilts about two of them and flies,
// with forces that are.
TEST(GoingOn, AlsoWhereForcesWereNotUniqueBefore) {
    const Mechanism table = Mechanism::parse(
        "coord z, a, b\nkinetic (z'^2 + a'^2 + b'^2)/2\npotential 9.81*z + 0.5*a\nforce z = 20*t\n"
        "let height(s, u) = z + s*a + u*b\nconstraint leg[1]: height(1, 1) >= 0\nconstraint "
        "leg[2]: height(-1, 1) >= 0\n"
        "constraint leg[3]: height(-1, -1) >= 0\nconstraint leg[4]: height(1, -1) >= 0\n"
        "output leg[1].force, leg[2].force, leg[3].force, leg[4].force\nsimulate 0..1\n");
    expect_same_from_any_step(table, {.every = 0.01, .tolerance = 1e-10, .method = "dop853"});
    const Motion motion = run(table);
    EXPECT_FALSE(motion.summary.contact.forces_unique);
    EXPECT_EQ(event_times(motion, "release").size(), 4u);
}

TEST(GoingOn, DryFrictionFromAnyStep) {
    for (const char* text :
         {"coord x, y\nkinetic x'^2/2 + y'^2\npotential 2*(x - y)^2\n"
          "friction x = 0.5 static 0.6, y = 0.3\nstart x = 1.1\nsimulate 0..5\n",
          "coord x, y\nkinetic x'^2/2 + y'^2/2\nconstraint tie: x = y\nforce x = 6*sin(t)\n"
          "friction x = 2, y = 3\nsimulate 0..6\n",
          "coord x\nkinetic x'^2/2\nforce x = sin(t)\nfriction x = if(t < 1, 2, 0.5)\n"
          "simulate 0..10\n"})
        for (const char* method : {"taylor", "dop853"})
            expect_same_from_any_step(Mechanism::parse(text),
                                      {.every = 0.1, .tolerance = 1e-10, .method = method});
}

TEST(GoingOn, TheProgramGoesOnToTheSameBytes) {
    const Folder folder;
    folder.write("p.lac",
                 "coord x, y\nparticle ball at (x, y) mass 1\ngravity (0, -9.81)\npotential 2*x^2\n"
                 "constraint floor: y >= 0.2*sin(3*t) restitution 0.7 friction 0.1 on ball\n"
                 "constraint lid: y <= 1 restitution 1\n"
                 "start x = 0.5, y = 0.8\noutput energy, floor.force\nsimulate 0..1000000 every "
                 "0.05 tolerance 1e-9\n");
    EXPECT_EQ(folder.run_and_signal("run p.lac --force --out p.csv --checkpoint c.ckpt --quiet",
                                    SIGTERM, "c.ckpt"),
              130);
    const auto checkpoint = nlohmann::json::parse(file_text(folder.path() / "c.ckpt"));
    const double reached = checkpoint["snapshot"]["time"][0];
    ASSERT_GT(reached, 0.0);
    const std::string end = std::to_string(std::floor(reached) + 3.0);
    const Finished resumed = folder.run("run p.lac --resume c.ckpt --json --t-end " + end);
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    const Finished whole = folder.run("run p.lac --json --out whole.csv --t-end " + end);
    ASSERT_EQ(whole.status, 0) << whole.err;
    const auto a = resumed.json(), b = whole.json();
    EXPECT_EQ(b["impact_law"], "simultaneous");
    for (const char* key : {"steps", "evaluations", "factorizations", "final", "worst", "events",
                            "rank", "energy", "rows", "lost", "contact", "impact_law", "method"})
        EXPECT_TRUE(a[key] == b[key]) << key;
    EXPECT_TRUE(file_text(folder.path() / "p.csv") == file_text(folder.path() / "whole.csv"));
}

TEST(ContactRows, AreOnTheGridWhateverHappensBetween) {
    for (const char* file : {"bouncing_ball.lac", "rough_oscillator.lac", "floor_and_ceiling.lac",
                             "ladder.lac", "cradle.lac"}) {
        const Motion motion = run_contacts(load(file), {.every = 0.03});
        const std::vector<double>& t = motion.column("t");
        for (std::size_t i = 0, grid = 0; i < t.size(); ++i) {
            if (i > 0) {
                ASSERT_GT(t[i], t[i - 1]) << file;
            }
            const bool on_grid = std::abs(t[i] - 0.03 * static_cast<double>(grid)) <= 1e-12;
            const bool is_event =
                std::any_of(motion.summary.events.begin(), motion.summary.events.end(),
                            [&](const MotionEvent& event) { return event.t == t[i]; });
            EXPECT_TRUE(on_grid || is_event || i + 1 == t.size()) << file << " row at " << t[i];
            if (on_grid) ++grid;
        }
        EXPECT_EQ(t.back(), motion.summary.final.t) << file;
        EXPECT_GE(t.size(), static_cast<std::size_t>(motion.summary.final.t / 0.03)) << file;
    }
}

TEST(ContactRows, TheirSpacingDoesNotTouchTheMotion) {
    for (const char* file : {"bouncing_ball.lac", "rocking_block.lac", "rough_oscillator.lac"}) {
        const Motion coarse = run_contacts(load(file), {.every = 10.0}),
                     fine = run_contacts(load(file), {.every = 0.001});
        EXPECT_EQ(coarse.summary.final.q, fine.summary.final.q) << file;
        EXPECT_EQ(coarse.summary.final.v, fine.summary.final.v) << file;
        EXPECT_TRUE(coarse.summary.events == fine.summary.events) << file;
    }
}

TEST(ContactEnsemble, EveryMemberIsItsOwnRun) {
    std::vector<Member> members;
    std::vector<Mechanism> alone;
    for (const double e : {0.3, 0.5, 0.7, 0.9})
        alone.push_back(load("bouncing_ball.lac", {{"e", e}}));
    for (const double x0 : {0.5, 1.0, 1.3})
        alone.push_back(load("rough_oscillator.lac", {{"x0", x0}}));
    for (const double mu : {0.1, 0.3}) alone.push_back(load("rough_ring.lac", {{"mu", mu}}));
    for (const Mechanism& one : alone) members.push_back({one});
    for (const char* method : {"dop853", "taylor"}) {
        const EnsembleMotion all = run_ensemble(members, {.end = 3.0,
                                                          .every = 0.25,
                                                          .tolerance = 1e-10,
                                                          .method = method,
                                                          .rows = true,
                                                          .threads = 2});
        ASSERT_EQ(all.members.size(), members.size());
        for (std::size_t i = 0; i < members.size(); ++i) {
            const MemberMotion& one = all.members[i];
            ASSERT_TRUE(one.status) << i << one.status.message;
            const Motion expected =
                run(alone[i], {.end = 3.0, .every = 0.25, .tolerance = 1e-10, .method = method});
            ASSERT_TRUE(expected.status);
            EXPECT_EQ(one.final.q, expected.summary.final.q) << method << i;
            EXPECT_EQ(one.final.v, expected.summary.final.v) << method << i;
            ASSERT_EQ(one.rows.size(), 13u) << method << i;
            const std::vector<double>& t = expected.column("t");
            const std::vector<double>& x = expected.columns[1];
            for (const State& row : one.rows) {
                const auto at = std::find(t.begin(), t.end(), row.t);
                ASSERT_NE(at, t.end()) << method << i << " t = " << row.t;
                EXPECT_EQ(row.q[0], x[static_cast<std::size_t>(at - t.begin())])
                    << method << i << " t = " << row.t;
            }
        }
    }
}

}  // namespace
}  // namespace lacon::contacts
