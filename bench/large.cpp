// What an acceleration and a Taylor step of a large system take, on one thread:
//     bench_large chain LINKS
//     bench_large net KNOTS TWICE [FILE]     KNOTS a side; TWICE² links said twice; FILE gets the
//                                            matrices, for others
// Prints one line of JSON: sizes, the seconds of every part (the best of several), memory, and how
// well A q'' = b holds.

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "large/motion/field.hpp"
#include "large/motion/taylor.hpp"
#include "large_problem.hpp"

namespace {

using namespace lacon;

double seconds_of(const std::function<void()>& what) {
    const auto begin = std::chrono::steady_clock::now();
    what();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Bytes in memory now, of this process.
double resident() {
    std::ifstream file("/proc/self/statm");
    double pages = 0.0;
    file >> pages >> pages;
    return 4096.0 * pages;
}

double peak() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

/// A line of JSON, number by number.
class Line {
public:
    void add(const std::string& name, double value) {
        char text[64];
        std::snprintf(text, sizeof text, std::isfinite(value) ? "%.9g" : "null", value);
        text_ += (text_.empty() ? "{\"" : ", \"") + name + "\": " + text;
    }
    void add(const std::string& name, const std::string& value) {
        text_ += (text_.empty() ? "{\"" : ", \"") + name + "\": \"" + value + "\"";
    }
    void print() const { std::printf("%s}\n", text_.c_str()); }

private:
    std::string text_;
};

/// A chain bent in waves, its links turning: nothing in it is zero or equal by accident.
State bent_chain(std::size_t links, double l) {
    State state;
    state.q.resize(2 * links);
    state.v.resize(2 * links);
    double sum[4] = {};
    for (std::size_t i = 0; i < links; ++i) {
        const double s = static_cast<double>(i), angle = -0.5 + 0.3 * std::sin(0.05 * s),
                     rate = std::cos(0.07 * s);
        const double cosine = l * std::cos(angle), sine = l * std::sin(angle);
        const double link[4] = {cosine, sine, -sine * rate, cosine * rate};
        for (int k = 0; k < 4; ++k) sum[k] += link[k];
        state.q[i] = sum[0], state.q[links + i] = sum[1];
        state.v[i] = sum[2], state.v[links + i] = sum[3];
    }
    return state;
}

/// The net as it starts, turning as a rigid body about the line through its corners.
State turning_net(const Mechanism& mechanism, std::size_t knots) {
    State state = mechanism.start().state;
    const std::size_t count = knots * knots, corner = knots - 1;
    const double* y = state.q.data() + count;
    const double* z = y + count;
    for (std::size_t i = 0; i < count; ++i) {
        state.v[count + i] = -(z[i] - z[corner]);
        state.v[2 * count + i] = y[i] - y[corner];
    }
    return state;
}

/// A model with all that is measured on it.
class Subject {
public:
    Subject(const std::string& file, const Settings& settings) {
        line.add("parse", seconds_of([&] {
                     mechanism.emplace(
                         Mechanism::load(LACON_SOURCE_DIR "/models/large/" + file, settings));
                 }));
        line.add("resident_model", resident());
        line.add("layout", seconds_of([&] { system = large_system(mechanism->details()); }));
        SparseOptions one;
        one.threads = 1;
        line.add("symbolic", seconds_of([&] { field.emplace(*system, SolveOptions{}, 0.0, one); }));
        line.add("compile", seconds_of([&] {
                     kernels.emplace(*system, kernel::CompileOptions{.cache = false});
                     field->assembler.compile(*kernels);
                 }));
        line.add("n", static_cast<double>(system->n));
        line.add("m", static_cast<double>(system->m));
        line.add("bytes_layout", static_cast<double>(system->bytes()));
    }

    /// The parts of one constrained acceleration, and all of it in one.
    void acceleration(const State& state) {
        check(state);
        expect_ok(field->factor_at(state));
        expect_ok(field->solve(solution));
        line.add("assembly", best_seconds([&] {
                     field->assembler.equations(state, field->equations);
                     field->assembler.zero_rounding(state, field->equations);
                 }));
        line.add("factor", best_seconds([&] {
                     expect_ok(field->factor.factor(field->equations.M(), field->equations.A(),
                                                    field->options.solve));
                 }));
        // As field->solve has it, but for how dependent rows share their force.
        const SparseEquations& at = field->equations;
        line.add("solve", best_seconds([&] {
                     field->factor.solve({at.M(), at.A(), 2, 1e-15}, at.Q(), at.b(),
                                         solution.acceleration, solution.multipliers);
                 }));
        line.add("acceleration", best_seconds([&] {
                     expect_ok(field->factor_at(state));
                     expect_ok(field->solve(solution));
                 }));
        line.add("residual", field->residual);
        line.add("rank", static_cast<double>(field->factor.rank()));
        line.add("decided", field->factor.is_decided());
        line.add("careful", field->factor.was_careful());
        const SparsePlan& plan = field->factor.plan();
        line.add("entries", static_cast<double>(plan.entries));
        line.add("operations", plan.operations);
        line.add("plan", plan.road + ", " + plan.form + ", " + plan.order);
        line.add("resident_acceleration", resident());
    }

    /// One Taylor step: all orders of the series at a state, its factorization not counted.
    void taylor(const State& state) {
        SparseTaylor taylor(field->assembler, 1e-9);
        taylor.compile(*kernels);
        bool fine = true;
        line.add("expand", best_seconds([&] {
                     fine = taylor.expand(state, field->factor, field->equations) && fine;
                 }));
        if (!fine) throw std::runtime_error("the series are not finite");
        line.add("order", static_cast<double>(taylor.order()));
        line.add("bytes_taylor", static_cast<double>(taylor.bytes()));
    }

    LargeProblem problem(std::size_t planted) const {
        const SparseEquations& at = field->equations;
        const auto copy = [](auto span) { return std::vector<double>(span.begin(), span.end()); };
        if (system->mass->entries() != system->n) throw std::runtime_error("M is not diagonal");
        LargeProblem p;
        p.planted = planted;
        p.mass = copy(at.M()), p.Q = copy(at.Q()), p.A = copy(at.A()), p.b = copy(at.b());
        p.answer = solution.acceleration;
        p.begin.assign(system->rows->begin.begin(), system->rows->begin.end());
        p.column = system->rows->column;
        p.n = system->n, p.m = system->m;
        return p;
    }

    Line line;
    std::optional<Mechanism> mechanism;
    std::shared_ptr<const SparseSystem> system;
    std::optional<SparseKernels> kernels;
    std::optional<SparseField> field;
    SparseSolution solution;

private:
    void expect_ok(Outcome outcome) const {
        if (outcome != Outcome::ok)
            throw std::runtime_error("the acceleration: " + std::string(name_of(outcome)));
    }
    void check(const State& state) {
        Residuals off;
        field->assembler.residuals(state, off);
        double most = 0.0;
        for (const auto* values : {&off.value, &off.velocity})
            for (const double value : *values) most = std::max(most, std::abs(value));
        line.add("off", most);
        if (!(most < 1e-8)) throw std::runtime_error("the state does not meet the constraints");
    }
};

void measure_chain(std::size_t links) {
    Subject subject("chain.lac", {{"N", static_cast<double>(links)}});
    const State state = bent_chain(links, subject.mechanism->parameter("l"));
    subject.acceleration(state);
    subject.taylor(state);
    subject.line.add("peak", peak());
    subject.line.print();
}

void measure_net(std::size_t knots, std::size_t twice, const char* file) {
    Subject subject("net.lac",
                    {{"N", static_cast<double>(knots)}, {"D", static_cast<double>(twice)}});
    const State state = turning_net(*subject.mechanism, knots);
    subject.acceleration(state);
    subject.line.add("planted", static_cast<double>(twice * twice));
    subject.line.add("peak", peak());
    if (file != nullptr) {
        const LargeProblem problem = subject.problem(twice * twice);
        subject.line.add("residual_checked", problem.residual(problem.answer));
        problem.write(file);
    }
    subject.line.print();
}

/// Nets that do not touch each other, factored and solved by one thread and by all.
void measure_islands(std::size_t nets, std::size_t knots) {
    const Mechanism mechanism = Mechanism::parse(
        "param C = 1, N = 2\ncoord x[1..C,1..N,1..N], y[1..C,1..N,1..N], z[1..C,1..N,1..N]\n"
        "particle knot[c,i,j] at (x[c,i,j], y[c,i,j], z[c,i,j]) mass 0.01 for c in 1..C, i in "
        "1..N, j in 1..N\n"
        "gravity (0, 0, -9.81)\nconstraint held[c]: knot[c,1,1] = (1, 1, 0) for c in 1..C\n"
        "constraint along[c,i,j]: norm(knot[c,i+1,j] - knot[c,i,j]) = 1 for c in 1..C, i in "
        "1..N-1, j in 1..N\n"
        "constraint across[c,i,j]: norm(knot[c,i,j+1] - knot[c,i,j]) = 1 for c in 1..C, i in 1..N, "
        "j in 1..N-1\n"
        "start x[c,i,j] = i, y[c,i,j] = j, z[c,i,j] = 0 for c in 1..C, i in 1..N, j in 1..N\n",
        "nets.lac", {{"C", static_cast<double>(nets)}, {"N", static_cast<double>(knots)}});
    const auto system = large_system(mechanism.details());
    const State state = mechanism.start().state;
    Line line;
    SparseSolution solution;
    for (const std::size_t threads :
         {std::size_t{1}, std::size_t{std::thread::hardware_concurrency()}}) {
        SparseOptions options;
        options.threads = threads;
        SparseField field(*system, SolveOptions{}, 0.0, options);
        if (field.factor_at(state) != Outcome::ok)
            throw std::runtime_error("the nets cannot be factored");
        const SparseEquations& at = field.equations;
        const std::string by = threads == 1 ? "_one" : "_all";
        line.add("factor" + by,
                 best_seconds([&] { field.factor.factor(at.M(), at.A(), field.options.solve); }));
        solution.acceleration.resize(system->n);
        solution.multipliers.resize(system->m);
        line.add("solve" + by, best_seconds([&] {
                     field.factor.solve(at.Q(), at.b(), solution.acceleration,
                                        solution.multipliers);
                 }));
        line.add("threads" + by, static_cast<double>(threads));
        if (threads > 1) line.add("islands", static_cast<double>(field.factor.plan().islands));
    }
    line.print();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const auto number = [&](int i) { return static_cast<std::size_t>(std::atof(argv[i])); };
    try {
        if (what == "chain" && argc == 3) measure_chain(number(2));
        else if (what == "net" && (argc == 4 || argc == 5))
            measure_net(number(2), number(3), argc == 5 ? argv[4] : nullptr);
        else if (what == "islands" && argc == 4) measure_islands(number(2), number(3));
        else
            return std::fprintf(stderr,
                                "usage: bench_large chain LINKS | net KNOTS TWICE [FILE] | islands "
                                "NETS KNOTS\n"),
                   2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
