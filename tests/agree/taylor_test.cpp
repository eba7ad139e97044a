// Taylor steps: the interpreter with the complete orthogonal decomposition against compiled code,
// on all models and on random mechanisms, in every lane.

#include "agree_tests.hpp"
#include "code/taylor_kernel.hpp"
#include "methods/methods.hpp"

namespace lacon {
namespace {

constexpr double tolerance = 1e-10;

/// The step that the interpreter takes from a state on the constraints.
struct Interpreted {
    Interpreted(DenseField& field, State from)
        : projector(field, true), method(make_taylor(field, {tolerance, 0.0})) {
        for (int i = 0; i < 2;
             ++i)  // the second time from nearby, so that the factorization is that of the state
            if (projector.project(from) != Outcome::ok) return;
        base.emplace(Base{{from.t, 0.0}, from, projector});
        works = method->begin(*base, true) && method->advance(limit);
    }
    static constexpr double limit = 0.5;
    DenseProjector projector;
    std::unique_ptr<Method> method;
    std::optional<Base> base;
    bool works = false;
};

/// Steps of one kernel from many states, whatever its number of lanes: of each its StepOutputs, and
/// the state amid it.
struct Step {
    double length = 0.0;
    bool is_fine = false;
    std::vector<double> out;
    State amid;
};
std::vector<Step> steps(const Case& c, const TaylorCode& code, const kernel::CompileOptions& target,
                        const std::vector<State>& from) {
    const TaylorSource source(code, target);
    TaylorKernel kernel(source, c.at);
    const TaylorControl control(tolerance);
    const std::size_t w = target.lanes;
    std::vector<double> in((c.at.count + 2) * w), sizes(control.order + 1 - control.first_size()),
        lengths(w);
    std::vector<Step> result;
    for (std::size_t first = 0; first < from.size(); first += w) {
        for (std::size_t l = 0; l < w; ++l) {
            const std::vector<double> own = c.inputs(from[std::min(first + l, from.size() - 1)]);
            for (std::size_t i = 0; i < own.size(); ++i) in[i * w + l] = own[i];
            in[(c.at.count + 1) * w + l] = tolerance;
        }
        kernel.expand(in.data());
        for (std::size_t l = 0; l < w; ++l) {
            kernel.sizes_of(l, sizes);
            lengths[l] = std::min(control.length(sizes), Interpreted::limit);
        }
        kernel.finish(lengths);
        for (std::size_t l = 0; l < w && first + l < from.size(); ++l) {
            Step step{lengths[l], kernel.is_fine(l), {}, {}};
            for (std::size_t o = l; o < kernel.out().size(); o += w)
                step.out.push_back(kernel.out()[o]);
            kernel.at(0.5 * lengths[l], l, step.amid);
            result.push_back(std::move(step));
        }
        if (std::any_of(result.begin(), result.end(), [](const Step& s) { return !s.is_fine; }))
            kernel.forget();
    }
    return result;
}

/// How many states the compiled code answered.
std::size_t compare_steps(Case& c, const std::vector<State>& states, const std::string& name) {
    std::vector<State> from;
    std::vector<std::unique_ptr<Interpreted>> interpreted;
    for (const State& state : states) {
        auto one = std::make_unique<Interpreted>(c.field, state);
        if (!one->works) continue;
        from.push_back(one->base->state);
        interpreted.push_back(std::move(one));
    }
    const TaylorCode code = taylor_code(c.mechanism.details(), c.field.smooth, c.options,
                                        TaylorControl(tolerance).order);
    const std::vector<Step> compiled = steps(c, code, {.cache = false}, from);
    std::size_t answered = 0;
    for (std::size_t p = 0; p < from.size(); ++p) {
        if (!compiled[p].is_fine) continue;
        ++answered;
        const Method& method = *interpreted[p]->method;
        // Of a steady motion rounding decides.
        EXPECT_NEAR(compiled[p].length, method.length(), 0.01 * method.length()) << name;
        State expected;
        method.at(0.5 * compiled[p].length, expected);
        double size = 1.0;
        for (const auto* x : {&expected.q, &expected.v})
            for (const double value : *x) size = std::max(size, std::abs(value));
        for (std::size_t i = 0; i < expected.q.size(); ++i) {
            EXPECT_NEAR(compiled[p].amid.q[i], expected.q[i], 1e-12 * size)
                << name << " coordinate " << i;
            EXPECT_NEAR(compiled[p].amid.v[i], expected.v[i], 1e-11 * size)
                << name << " coordinate " << i;
        }
        method.at(compiled[p].length, expected);
        for (std::size_t i = 0; i < expected.q.size(); ++i) {  // the compiled one is projected
            EXPECT_NEAR(compiled[p].out[i], expected.q[i], 100.0 * tolerance * size)
                << name << " coordinate " << i;
            EXPECT_NEAR(compiled[p].out[expected.q.size() + i], expected.v[i],
                        100.0 * tolerance * size)
                << name << " coordinate " << i;
        }
    }
    for (const kernel::CompileOptions& target : kernel::all_targets()) {
        if (target.isa != kernel::best_isa() || target.lanes == 1) continue;
        const std::vector<Step> many = steps(c, code, target, from);
        for (std::size_t p = 0; p < from.size(); ++p) {
            EXPECT_EQ(many[p].is_fine, compiled[p].is_fine) << name << " " << text_of(target);
            if (!compiled[p].is_fine) continue;
            EXPECT_TRUE(kernel::same_bits(many[p].length, compiled[p].length))
                << name << " " << text_of(target);
            for (std::size_t o = 0; o < many[p].out.size(); ++o)
                EXPECT_TRUE(kernel::same_bits(many[p].out[o], compiled[p].out[o]))
                    << name << " " << text_of(target) << " output " << o;
            EXPECT_EQ(many[p].amid.q, compiled[p].amid.q) << name << " " << text_of(target);
        }
    }
    return answered;
}

TEST(Agree, TaylorStepsOfAllModelsInterpretedAndCompiled) {
    std::size_t answered = 0, states = 0;
    std::string silent;
    for (const auto& [name, mechanism] : all_models()) {
        Case c(mechanism);
        const std::vector<State> from = c.states(6);
        const std::size_t here = compare_steps(c, from, name);
        if (here == 0) silent += " " + name;
        answered += here;
        states += from.size();
    }
    EXPECT_GE(answered, states * 3 / 4) << silent;
}

TEST(Agree, TaylorStepsOfRandomMechanisms) {
    std::size_t answered = 0;
    for (unsigned seed = 101; seed <= 115; ++seed) {
        Case c(Mechanism::parse(random_mechanism(seed)));
        answered += compare_steps(c, c.states(20), "seed " + std::to_string(seed));
    }
    EXPECT_GE(answered, 150u);
}

/// Every operation that has a recurrence, in one force.
TEST(Agree, TaylorStepsOfEveryFunction) {
    for (const char* force :
         {"sin(x)*cos(y)", "tan(x/3) + tanh(y)", "exp(-x)*log(2 + y^2)", "sqrt(1 + x^2)/(2 + y)",
          "atan(x*y) + asin(x/4) - acos(y/5)", "atan2(1 + x, 2 + y)", "hypot(1 + x, y)",
          "sinh(x/2)*cosh(y/3)", "(2 + x)^2.5 + (2 + y)^(-1.5)", "x^7 - y^5 + (x*y)^3",
          "x'*y' - 0.3*x'^3 + t*y", "abs(2 + x)*max(x, -5) - min(y, 4)",
          "2^(x/3) + (2 + x)^(1 + y/4)"}) {
        Case c(
            Mechanism::parse(std::string("coord x, y\nparticle p at (x, y) mass 1\nforce p = (") +
                             force + ", 1 - y)\nstart x = 0.7, y = 0.4, x' = 0.3, y' = -0.2\n"));
        EXPECT_EQ(compare_steps(c, c.states(5), force), 5u) << force;
    }
}

}  // namespace
}  // namespace lacon
