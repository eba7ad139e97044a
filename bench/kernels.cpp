// How long one constrained acceleration takes: compiled code beside the interpreter and beside what
// others write by hand or with a matrix library. Every figure is the best of many short batches,
// per trajectory, in nanoseconds.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <random>

#include "chain_in_angles.hpp"
#include "code/compiled.hpp"
#include "kernel/kernel.hpp"
#include "kernels_rivals.hpp"
#include "lacon/mechanism.hpp"
#include "methods/field.hpp"

namespace {

using namespace lacon;

double best_ns(const std::function<void()>& once, double batch_seconds = 2e-4, int batches = 150) {
    const auto seconds = [&](long count) {
        const auto begin = std::chrono::steady_clock::now();
        for (long i = 0; i < count; ++i) once();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    long count = 1;
    while (seconds(count) < batch_seconds) count *= 2;
    double best = 1e300;
    for (int i = 0; i < batches; ++i)
        best = std::min(best, seconds(count) / static_cast<double>(count));
    return 1e9 * best;
}

const std::string chain_text = R"(
param N = 5, l = 0.25, m = 0.1
coord x[1..N], y[1..N]
let P[0] = (0, 0)
let P[i] = (x[i], y[i]) for i in 1..N
particle bead[i] at P[i] mass m for i in 1..N
gravity (0, -9.81)
constraint link[i]: norm(P[i] - P[i-1])^2 = l^2 for i in 1..N
start x[i] ~ 0.2*i, y[i] ~ -0.1*i, x[i]' ~ 0.1, y[i]' ~ 0.1*i for i in 1..N
)";

// A ring of eight bodies, each with x, y and an angle, pinned to its neighbours and one of them to
// the ground.
const std::string ring_text = R"(
param N = 8, a = 0.5, m = 1, J = 0.1
coord x[1..N], y[1..N], r[1..N]
let front[i] = (x[i] + a*cos(r[i]), y[i] + a*sin(r[i])) for i in 1..N
let back[i] = (x[i] - a*cos(r[i]), y[i] - a*sin(r[i])) for i in 1..N
particle link[i] at (x[i], y[i]) mass m for i in 1..N
kinetic J*r[i]'^2/2 for i in 1..N
gravity (0, -9.81)
constraint pin[i]: front[i] = back[i+1] for i in 1..N-1
constraint closed: front[N] = back[1]
constraint ground: back[1] = (0, 0)
start r[i] ~ (i-1)*2*pi/N + 0.1, x[i] ~ 1.3*sin((i-0.5)*2*pi/N), y[i] ~ 1.3 - 1.3*cos((i-0.5)*2*pi/N), r[i]' ~ 0.1*i for i in 1..N
)";

/// A mechanism at its start, with all that is measured on it.
class Subject {
public:
    explicit Subject(const Mechanism& m)
        : mechanism_(m), field_(m.details(), {}), state_(m.start().state), a_(field_.n()) {
        choice_ = choose_kernel(m.evaluate(state_));
    }

    double interpreted() {
        field_.compiled.reset();
        const double ns = best_ns([&] { field_.acceleration(state_, a_); });
        expected_ = a_;
        return ns;
    }

    struct Compiled {
        double ns = 0.0, error = 0.0, milliseconds = 0.0;
        std::size_t operations = 0;
        double flops = 0.0;
        bool fine = false;
    };
    enum class Checks { none, all, refined };  // none: what trust costs
    Compiled compiled(std::size_t lanes, Checks checks) {
        CodeOptions options;
        options.dependent.assign(field_.m(), false);
        for (const std::size_t row : choice_.dependent) options.dependent[row] = true;
        options.refined = checks == Checks::refined;
        kernel::Code code = acceleration_code(mechanism_.details(), field_.smooth, options);
        if (checks == Checks::none) code.outputs.resize(field_.n());
        const auto k = kernel::compile(code, {.lanes = lanes, .cache = false});
        const KernelInputs at(mechanism_.details(), field_.smooth);
        kernel::Buffer in(at.count * lanes), out(k->out_size()), work(k->work_size());
        for (std::size_t l = 0; l < lanes; ++l) {
            for (std::size_t i = 0; i < field_.n(); ++i) {
                in[(at.q + i) * lanes + l] = state_.q[i];
                in[(at.v + i) * lanes + l] = state_.v[i];
            }
            in[at.t * lanes + l] = state_.t;
            for (std::size_t i = 0; i < field_.m(); ++i)
                in[(at.floors + i) * lanes + l] = choice_.floors[i];
        }
        Compiled result;
        const auto per_lane = static_cast<double>(lanes);
        result.ns = best_ns([&] { k->run(in.data(), out.data(), work.data()); }) / per_lane;
        result.fine = checks == Checks::none || out[(field_.n() + field_.m()) * lanes] == 1.0;
        for (std::size_t i = 0; i < field_.n(); ++i)
            result.error = std::max(result.error, std::abs(out[i * lanes] - expected_[i]));
        result.milliseconds = 1e3 * k->report().seconds;
        result.operations = k->report().operations;
        for (const std::uint32_t id : code.order()) {
            const kernel::Do op = code[id].op;
            result.flops += op == kernel::Do::add || op == kernel::Do::sub ||
                            op == kernel::Do::mul || op == kernel::Do::div;
        }
        return result;
    }

    /// As a run does it: straight-line where that is not too long, or always in loops.
    struct Whole {
        double ns = 0.0, error = 0.0, milliseconds = 0.0;
        CodeSummary code;
    };
    Whole whole(bool always_loops) {
        CompiledAcceleration::Options options;
        options.compile.cache = false;
        options.always_loops = always_loops;
        CompiledAcceleration code(mechanism_.details(), field_.smooth, choice_, options);
        Whole result{};
        bool fine = true;
        // Long code is compiled with all effort after many calls.
        for (int i = 0; i < 100'001 && code.summary().tier == "quick"; ++i)
            fine = code.run(state_, field_.assembler.branches, a_) && fine;
        result.ns =
            best_ns([&] { fine = code.run(state_, field_.assembler.branches, a_) && fine; });
        for (std::size_t i = 0; i < a_.size(); ++i)
            result.error = std::max(result.error, std::abs(a_[i] - expected_[i]));
        if (!fine) result.error = NAN;
        result.code = code.summary();
        return result;
    }

    double rival(const Rival& rival, double& error) {
        std::vector<double> a(field_.n());
        const double ns = best_ns([&] { rival.run(state_.q.data(), state_.v.data(), a.data()); });
        error = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i)
            error = std::max(error, std::abs(a[i] - expected_[i]));
        return ns;
    }

private:
    Mechanism mechanism_;
    DenseField field_;
    State state_;
    KernelChoice choice_;
    std::vector<double> a_, expected_;
};

/// GFLOP/s of independent fused multiply-adds in registers: what a core can do at most.
double peak_gflops() {
    kernel::Code code;
    constexpr std::size_t lanes = 8, chains = 24, length = 20;
    const kernel::Value x(code, code.input(0)), y(code, code.input(1));
    std::vector<kernel::Value> sums;
    for (std::size_t i = 0; i < chains; ++i)
        sums.push_back(kernel::Value(code, code.input(static_cast<std::uint32_t>(2 + i))));
    for (std::size_t k = 0; k < length; ++k)
        for (kernel::Value& sum : sums) sum = fma(sum, x, y);
    for (const kernel::Value& sum : sums)
        code.outputs.push_back(sum.id_in(code));  // short enough for the core to overlap them
    const auto k = kernel::compile(code, {.lanes = lanes, .cache = false});
    std::vector<double> in((2 + chains) * lanes, 0.5), out(k->out_size()), work(k->work_size());
    const double ns = best_ns([&] { k->run(in.data(), out.data(), work.data()); });
    return 2.0 * lanes * chains * length / ns;
}

void header(const std::string& title, const std::vector<std::string>& columns) {
    fmt::print("\n{}\n{:>16}", title, "");
    for (const std::string& column : columns) fmt::print("{:>12}", column);
    fmt::print("\n");
}

void line(const std::string& name, const std::vector<double>& values,
          const char* form = "{:>12.1f}") {
    fmt::print("{:>16}", name);
    for (const double value : values) fmt::print(fmt::runtime(form), value);
    fmt::print("\n");
}

void chains() {
    const std::vector<int> sizes{2, 5, 10, 20};
    std::vector<std::string> names{"compiled",     "8 lanes",    "16 lanes",  "refined",
                                   "8 refined",    "16 refined", "unchecked", "8 unchecked",
                                   "16 unchecked", "interpreted"};
    using Checks = Subject::Checks;
    constexpr std::size_t forms = 9;
    std::vector<std::vector<double>> ns(forms + 1), errors(forms + 1);
    std::vector<double> flops, operations, compile_ms;
    for (const int links : sizes) {
        Subject subject(Mechanism::parse(chain_text, "chain", {{"N", static_cast<double>(links)}}));
        ns[forms].push_back(subject.interpreted());
        errors[forms].push_back(0.0);
        for (std::size_t i = 0; i < forms; ++i) {
            const Checks checks = i < 3 ? Checks::all : i < 6 ? Checks::refined : Checks::none;
            const Subject::Compiled c = subject.compiled(i % 3 == 0   ? 1
                                                         : i % 3 == 1 ? 8
                                                                      : 16,
                                                         checks);
            ns[i].push_back(c.ns);
            errors[i].push_back(c.fine ? c.error : NAN);
            if (i == 0) operations.push_back(static_cast<double>(c.operations));
            if (i == 0) flops.push_back(c.flops);
            if (i == 0) compile_ms.push_back(c.milliseconds);
        }
        std::size_t place = forms + 1;
        for (const Rival& rival : rivals(links)) {
            if (place >= names.size())
                names.push_back(rival.name), ns.emplace_back(), errors.emplace_back();
            double error = 0.0;
            ns[place].push_back(subject.rival(rival, error));
            errors[place++].push_back(error);
        }
    }
    std::vector<std::string> columns;
    for (const int links : sizes) columns.push_back(fmt::format("N = {}", links));
    header(
        "Chain of N links in Cartesian coordinates, ns per constrained acceleration and trajectory",
        columns);
    for (std::size_t i = 0; i < names.size(); ++i) line(names[i], ns[i]);
    header("largest difference from the interpreter's acceleration", columns);
    for (std::size_t i = 0; i < names.size(); ++i) line(names[i], errors[i], "{:12.1e}");
    const double peak = peak_gflops();
    header("ratios", columns);
    const auto ratio = [&](std::size_t a, std::size_t b) {
        std::vector<double> result;
        for (std::size_t i = 0; i < sizes.size(); ++i) result.push_back(ns[a][i] / ns[b][i]);
        return result;
    };
    line("hand / compiled", ratio(forms + 1, 0), "{:12.2f}");
    line("hand / unchecked", ratio(forms + 1, 6), "{:12.2f}");
    line("fixed / compiled", ratio(forms + 2, 0), "{:12.2f}");
    line("SVD / 16 lanes", ratio(forms + 5, 2), "{:12.0f}");
    line("/ 16 unchecked", ratio(forms + 5, 8), "{:12.0f}");
    std::vector<double> share;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        share.push_back(100.0 * flops[i] / std::min(ns[1][i], ns[2][i]) / peak);
    line("% of FMA peak", share);
    line("operations", operations, "{:12.0f}");
    line("compiled in, ms", compile_ms);
    fmt::print("FMA peak: {:.1f} GFLOP/s; an addition, product or division counts as one.\n", peak);
}

void others() {
    header("Other systems, ns per constrained acceleration and trajectory",
           {"n", "m", "compiled", "8 lanes", "16 lanes", "interpreted", "error", "operations"});
    const auto show = [](const std::string& name, const Mechanism& mechanism) {
        Subject subject(mechanism);
        const double slow = subject.interpreted();
        const auto one = subject.compiled(1, Subject::Checks::all),
                   eight = subject.compiled(8, Subject::Checks::all),
                   sixteen = subject.compiled(16, Subject::Checks::all);
        fmt::print("{:>16}{:12}{:12}{:12.1f}{:12.1f}{:12.1f}{:12.1f}{:12.1e}{:12}{}\n", name,
                   mechanism.coordinates().size(), mechanism.constraints().size(), one.ns, eight.ns,
                   sixteen.ns, slow, one.error, one.operations, one.fine ? "" : "   NOT ANSWERED");
    };
    show("ring of 8", Mechanism::parse(ring_text));
    for (const double links : {2.0, 5.0, 10.0})
        show(fmt::format("{} angles", links),
             Mechanism::parse(chain_in_angles, "angles", {{"N", links}}));
}

/// Beyond straight-line code: loops over the elements and over dense matrices.
void large() {
    header("Large systems, ns per constrained acceleration",
           {"n", "m", "loops", "straight", "interpreted", "Eigen LLT", "error", "operations"});
    std::vector<std::pair<std::string, std::vector<double>>> ratios;
    const auto show = [&](const std::string& name, const Mechanism& mechanism,
                          const std::vector<Rival>& others) {
        Subject subject(mechanism);
        const double slow = subject.interpreted();
        const Subject::Whole loops = subject.whole(true), chosen = subject.whole(false);
        const double straight = chosen.code.form == "straight" ? chosen.ns : NAN;
        double error = 0.0;
        const double eigen = others.empty() ? NAN : subject.rival(others[0], error);
        fmt::print("{:>16}{:12}{:12}{:>12.0f}{:>12.0f}{:>12.0f}{:>12.0f}{:>12.1e}{:12}\n", name,
                   mechanism.coordinates().size(), mechanism.constraints().size(), loops.ns,
                   straight, slow, eigen, loops.error, loops.code.operations);
        ratios.push_back({name,
                          {slow / loops.ns, straight / loops.ns, eigen / loops.ns,
                           1e3 * loops.code.compile_seconds}});
    };
    for (const int links : {20, 40, 80})
        show(fmt::format("{} angles", links),
             Mechanism::parse(chain_in_angles, "angles", {{"N", static_cast<double>(links)}}),
             rivals_in_angles(links));
    for (const int links : {20, 100})
        show(fmt::format("chain of {}", links),
             Mechanism::parse(chain_text, "chain", {{"N", static_cast<double>(links)}}),
             links == 20 ? std::vector<Rival>{rivals(links)[2]} : rivals(links));
    header("ratios to loops", {"interpreted", "straight", "Eigen LLT", "compile ms"});
    for (const auto& [name, values] : ratios) line(name, values);
    fmt::print("nan: straight-line code is too long.\n");
}

/// The solve of large systems alone, with full matrices: n³/3 operations for n unknowns and
/// constraints.
void dense_solves() {
    header("Dense solve alone, ns a problem and % of FMA peak",
           {"n", "m", "one", "%", "8 lanes", "%"});
    const double peak = peak_gflops();
    const auto ns = [&](std::size_t n, std::size_t m, std::size_t lanes) {
        kernel::DensePlan plan;
        plan.n = n;
        plan.m = m;
        plan.floor.assign(m, 0.0);
        plan.refined = false;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) plan.mass.push_back({i, j});
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) plan.rows.push_back({i, j});
        kernel::Dense dense(plan, std::make_shared<const kernel::DenseKernel>(
                                      kernel::CompileOptions{.lanes = lanes}));
        std::mt19937 random(1);
        std::normal_distribution<double> normal;
        for (const auto& [i, j] : plan.mass)
            std::fill_n(dense.numbers() + dense.mass_at(i, j), lanes,
                        i == j ? static_cast<double>(n) : normal(random));
        for (const auto& [i, j] : plan.rows)
            std::fill_n(dense.numbers() + dense.row_at(i, j), lanes, normal(random));
        for (std::size_t i = 0; i < n; ++i)
            std::fill_n(dense.numbers() + dense.force_at(i), lanes, normal(random));
        const double best = best_ns([&] { dense.run(); }) / static_cast<double>(lanes);
        return dense.fine() ? best : NAN;
    };
    for (const auto& [n, m] : {std::pair(40, 0), std::pair(80, 0), std::pair(200, 0),
                               std::pair(40, 20), std::pair(200, 100)}) {
        const double one = ns(n, m, 1), eight = ns(n, m, 8), flops = std::pow(n + m, 3) / 3.0;
        fmt::print("{:>16}{:12}{:12}{:>12.0f}{:>12.0f}{:>12.0f}{:>12.0f}\n", "", n, m, one,
                   100.0 * flops / one / peak, eight, 100.0 * flops / eight / peak);
    }
    fmt::print("FMA peak: {:.1f} GFLOP/s.\n", peak);
}

/// A long random calculation whose values stay near 1.
kernel::Code long_code(std::size_t nodes) {
    using kernel::Value;
    kernel::Code code;
    std::mt19937 random(3);
    std::vector<Value> values;
    for (std::uint32_t i = 0; i < 8; ++i) values.emplace_back(code, code.input(i));
    const auto recent = [&] {
        return values[values.size() - 1 - random() % std::min<std::size_t>(values.size(), 200)];
    };
    while (code.size() < nodes) {
        const Value a = recent(), b = recent();
        switch (random() % 4) {
            case 0: values.push_back((a + b) * 0.5); break;
            case 1: values.push_back(a - b * 0.25); break;
            case 2: values.push_back(a * b / (1.0 + b * b)); break;
            default: values.push_back(choose(when_less(a, b), a, sqrt(abs(b) + 1.0))); break;
        }
    }
    for (std::size_t i = 0; i < values.size(); i += 7)
        code.outputs.push_back(values[i].id_in(code));
    return code;
}

void compile_times() {
    header("Seconds to compile",
           {"operations", "quick", "full", "8 quick", "8 full", "full, us/op"});
    for (const std::size_t nodes : {1'500, 25'000, 125'000, 620'000}) {
        const kernel::Code code = long_code(nodes);
        const auto seconds = [&](std::size_t lanes, kernel::Effort effort) {
            return kernel::compile(code, {.lanes = lanes, .effort = effort, .cache = false})
                ->report()
                .seconds;
        };
        const double quick = seconds(1, kernel::Effort::quick),
                     full = seconds(1, kernel::Effort::full);
        const double quick8 = seconds(8, kernel::Effort::quick),
                     full8 = seconds(8, kernel::Effort::full);
        const std::size_t operations = code.order().size();
        fmt::print("{:>16}{:12}{:12.3f}{:12.3f}{:12.3f}{:12.3f}{:12.1f}\n", "", operations, quick,
                   full, quick8, full8, 1e6 * full / static_cast<double>(operations));
    }
}

}  // namespace

int main() {
    try {
        fmt::print("target {}, LLVM code with full effort\n", kernel::name_of(kernel::best_isa()));
        chains();
        others();
        large();
        dense_solves();
        compile_times();
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_kernels: {}\n", error.what());
        return 1;
    }
}
