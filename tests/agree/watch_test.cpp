// Surfaces of decisions and events, with the bounds on their rounding: interpreted against
// compiled.

#include "locate/watch.hpp"
#include "agree_tests.hpp"

namespace lacon {
namespace {

TEST(Agree, SurfacesAndEventsWithTheirBounds) {
    const Mechanism mechanism = Mechanism::parse(R"(coord x, y, z
        param k = 3
        particle p at (x, y, z) mass 2
        gravity (0, 0, -9.81)
        constraint c: x^2 + y^2 + z^2 = 1
        force x = if(x*y > 0.1, -k*x, abs(y - 0.2)*sin(x))
        force y = max(y, z^2) - min(x, exp(-y)) - 0.1*sign(y')*y'^2
        potential k*max(0, z - 0.3)^2
        event a: x = y
        event b: sin(5*x)*cos(z) - sqrt(1 + y^2)/3
        event fast: hypot(x', y') - 0.7
        event heavy: c.force - 20
        event up: z''
        event hot: kinetic - 0.2
        start x = 0.6, y = 0.64, z ~ -0.4, x' ~ 0.3, y' ~ -0.2)");
    const DerivedModel& details = mechanism.details();
    DenseField field(details, {});
    const State start = mechanism.start().state;
    DenseObservables events(details, values_of(details.model.events));
    FastWatch compiled(details, field.smooth, choose_kernel(mechanism.evaluate(start)), 1e-10,
                       {.cache = false}, events);
    Watch watch(field, std::make_unique<DenseObservables>(details, values_of(details.model.events)),
                {});
    std::mt19937 random(3);
    std::size_t bounds = 0;
    for (const State& state : states_near(start, 200)) {
        // Surfaces under any modes; what is solved for has the modes that the values tell.
        const bool any_modes = random() % 2 == 0;
        if (any_modes)
            for (double& mode : field.assembler.branches) mode = random() % 2 == 0 ? 1.0 : 0.0;
        else watch.settle(state);
        std::vector<Rounded> expected;
        field.assembler.surfaces(state, expected);
        const std::size_t surfaces = expected.size();
        ASSERT_EQ(surfaces, field.smooth.branch_count);
        expected.resize(surfaces + events.count());
        events.values(state, {}, std::span(expected).subspan(surfaces));
        std::vector<Rounded> found(expected.size());
        ASSERT_TRUE(compiled.values(state, field.assembler.branches, found));
        for (std::size_t i = 0; i < (any_modes ? surfaces : expected.size()); ++i) {
            EXPECT_LE(std::abs(found[i].value - expected[i].value), 8.0 * expected[i].error) << i;
            EXPECT_NEAR(found[i].error, expected[i].error, 1e-6 * expected[i].error) << i;
            bounds += expected[i].error > 0.0;
        }
    }
    EXPECT_GE(bounds, 1500u);
}

TEST(Agree, WatchingIsLeftToTheInterpreterWhereTheSolveIsNotClear) {
    const Mechanism mechanism = Mechanism::parse(R"(coord x, y
        particle p at (x, y) mass 1
        constraint c: x^2 + y^2 = 1
        event pull: c.force - 1
        start x = 1, y = 0, y' = 1)");
    DenseField field(mechanism.details(), {});
    const State start = mechanism.start().state;
    const DenseObservables events(mechanism.details(), values_of(mechanism.details().model.events));
    FastWatch compiled(mechanism.details(), field.smooth, choose_kernel(mechanism.evaluate(start)),
                       1e-10, {.cache = false}, events);
    std::vector<Rounded> found(1);
    EXPECT_TRUE(compiled.values(start, {}, found));
    State centre = start;
    centre.q = {0.0, 0.0};  // the row of the constraint vanishes
    EXPECT_FALSE(compiled.values(centre, {}, found));
}

}  // namespace
}  // namespace lacon
