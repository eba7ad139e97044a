// A pendulum of length 1 must fall as q'' = -g sin q; and what else a stranger asks of a library.

#include <cmath>
#include <cstdio>
#include <lacon/builder.hpp>
#include <lacon/diagnosis.hpp>
#include <lacon/ensemble.hpp>
#include <lacon/exists.hpp>
#include <lacon/simulation.hpp>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("not so: %s\n", what);
    ++failures;
}

void check_errors() {
    try {
        lacon::Mechanism::parse("coord q\nkinetic p'^2/2\n");
        expect(false, "a text with an error is refused");
    } catch (const lacon::ModelError& error) {  // also across the border of the library
        expect(!error.diagnostics.empty() && error.diagnostics[0].line == 2, "with its line");
    }
}

void check_simulation(const lacon::Mechanism& pendulum) {
    lacon::Simulation simulation(pendulum, {.end = 1.0, .method = lacon::MethodKind::dop853});
    expect(simulation.propagate_until(0.5), "a simulation goes to a time");
    lacon::Simulation resumed = lacon::Simulation::resume(pendulum, simulation.save());
    expect(simulation.run() && resumed.run(), "and to its end, saved and resumed");
    expect(simulation.state().q == resumed.state().q, "to the same bits");
    const auto longer = pendulum.with_parameters({{"l", 2.0}});
    expect(lacon::run(longer, {.end = 1.0}).column("q").size() > 1, "with other parameters too");
}

}  // namespace

int main() {
    const double g = 9.81, angle = 0.7;
    const auto pendulum = lacon::Mechanism::parse(R"(
param l = 1
coord q
particle bob at (l*sin(q), -l*cos(q)) mass 2
gravity (0, -9.81)
start q = 0.7
)");
    lacon::Evaluator at(pendulum);
    expect(at.evaluate(pendulum.start().state), "a state is evaluated");
    const double error = at.acceleration()[0] + g * std::sin(angle);
    std::printf("q'' + g sin q = %g\n", error);
    expect(std::abs(error) < 1e-13, "to rounding");
    check_errors();
    check_simulation(pendulum);
    expect(lacon::diagnose(pendulum).dependent.empty(), "nothing is dependent");
    expect(bool(lacon::exists(pendulum).status), "the motion exists");
    const std::vector<lacon::Member> members{{pendulum}};
    expect(bool(lacon::run_ensemble(members, {.end = 0.1}).members[0].status), "one of many");
    lacon::Builder builder("Mass");
    builder.coord({"x"}).kinetic("x'^2/2");
    expect(builder.build().coordinates().size() == 1, "a model is built");
    return failures == 0 ? 0 : 1;
}
