// Machines of rigid bodies (peers/robots.hpp) in Lacon's compiled code: forward dynamics with its
// checks, inverse dynamics, the mass matrix. One line of JSON for each machine that is named;
// `text NAME` prints the model of a linkage (peers/linkages.hpp) instead.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>

#include "code/compiled.hpp"
#include "code/tree_code.hpp"
#include "kernel/kernel.hpp"
#include "lacon/mechanism.hpp"
#include "methods/field.hpp"
#include "peers/linkages.hpp"

namespace {

using namespace lacon;
using robots::Robot;

std::string vector(const robots::Vector& v) {
    return fmt::format("({:.17g}, {:.17g}, {:.17g})", v[0], v[1], v[2]);
}

/// A body of a linkage; the ground where there is none.
std::string name_of(int body) {
    return body < 0 ? "ground" : fmt::format("b{}", body);
}

std::string text_of(const linkages::Linkage& linkage) {
    std::string text = "gravity " + vector(linkage.gravity) + "\n";
    for (std::size_t i = 0; i < linkage.bodies.size(); ++i) {
        const linkages::Body& b = linkage.bodies[i];
        text += fmt::format("body b{} mass {:.17g} inertia {} center {}\n", i, b.mass,
                            vector(b.moments), vector(b.center));
        text += fmt::format("joint j{0}: {1} {2} to b{0} at {3} axis {4}\nstart j{0} = 0\n", i,
                            b.slides ? "prismatic" : "revolute", name_of(b.parent), vector(b.at),
                            vector(b.axis));
    }
    for (std::size_t i = 0; i < linkage.closures.size(); ++i) {
        const linkages::Closure& c = linkage.closures[i];
        text += fmt::format("constraint c{}: {}{} = {}{}\n", i, name_of(c.first),
                            vector(c.in_first), name_of(c.second), vector(c.in_second));
    }
    return text;
}

std::string text_of(const Robot& robot) {
    std::string text = "gravity (0, 0, -9.81)\n";
    std::size_t hinge = 0;
    for (std::size_t i = 0; i < robot.bodies.size(); ++i) {
        const robots::Body& b = robot.bodies[i];
        text += fmt::format("body b{} mass {:.17g} inertia {} center {}\n", i, b.mass,
                            vector(b.moments), vector(b.center));
        if (b.axis == robots::Vector{}) continue;
        text += fmt::format("joint j{}: revolute {} to b{} at {} axis {}\n", i, name_of(b.parent),
                            i, vector(b.at), vector(b.axis));
        text += fmt::format("start j{0} = {1:.17g}, j{0}' = {2:.17g}\n", i, Robot::angle(hinge),
                            Robot::rate(hinge));
        ++hinge;
    }
    return text;
}

/// What forces give a tree these accelerations: outwards with them, inwards with the wrenches.
std::vector<kernel::Value> needed_forces(const kernel::BodyTree& tree,
                                         const std::vector<kernel::Value>& a) {
    using kernel::Value;
    using Vector = kernel::BodyTree::Vector3;
    const auto cross = [](const Vector& x, const Vector& y) {
        return Vector{x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                      x[0] * y[1] - x[1] * y[0]};
    };
    const auto gain = [](Vector& sum, const Vector& more) {
        for (std::size_t i = 0; i < 3; ++i) sum[i] += more[i];
    };
    const auto times = [](const kernel::BodyTree::Matrix3& A, const Vector& x, bool transposed) {
        Vector y;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) y[i] += (transposed ? A[j][i] : A[i][j]) * x[j];
        return y;
    };
    std::vector<Vector> turning(tree.units.size()), moving = turning, f = turning, n = turning;
    for (std::size_t k = 0; k < tree.units.size(); ++k) {
        const auto& unit = tree.units[k];
        if (unit.parent >= 0) {
            const auto before = static_cast<std::size_t>(unit.parent);
            Vector at = moving[before];
            gain(at, cross(turning[before], unit.r));
            turning[k] = times(unit.R, turning[before], true);
            moving[k] = times(unit.R, at, true);
        }
        for (const auto& axis : unit.axes)
            for (std::size_t i = 0; i < 3; ++i) {
                turning[k][i] += axis.turning[i] * a[axis.coordinate];
                moving[k][i] += axis.sliding[i] * a[axis.coordinate];
            }
        f[k] = unit.f;
        gain(f[k], cross(turning[k], unit.h));
        for (std::size_t i = 0; i < 3; ++i) f[k][i] += unit.m * moving[k][i];
        n[k] = unit.n;
        gain(n[k], times(unit.I, turning[k], false));
        gain(n[k], cross(unit.h, moving[k]));
    }
    std::vector<Value> needed(a.size());
    for (std::size_t k = tree.units.size(); k-- > 0;) {
        const auto& unit = tree.units[k];
        for (const auto& axis : unit.axes)
            for (std::size_t i = 0; i < 3; ++i)
                needed[axis.coordinate] += axis.turning[i] * n[k][i] + axis.sliding[i] * f[k][i];
        if (unit.parent < 0) continue;
        const auto parent = static_cast<std::size_t>(unit.parent);
        const Vector force = times(unit.R, f[k], false);
        gain(f[parent], force);
        gain(n[parent], times(unit.R, n[k], false));
        gain(n[parent], cross(unit.r, force));
    }
    return needed;
}

class Subject {
public:
    explicit Subject(const Robot& robot)
        : robot_(robot), begin_(now()), mechanism_(Mechanism::parse(text_of(robot))) {
        derived_ = now() - begin_;
        field_.emplace(mechanism_.details(), FieldOptions{});
        state_ = mechanism_.start().state;
        choice_ = choose_kernel(mechanism_.evaluate(state_));
    }

    std::string measure() {
        const Timed one = forward(1), eight = forward(8), inverse = other(true),
                    mass = other(false);
        std::vector<double> a(one.out.begin(), one.out.begin() + std::ptrdiff_t(field_->n()));
        a.erase(a.begin(), a.end() - std::ptrdiff_t(robot_.hinges()));
        return fmt::format(
            R"({{"n": {}, "forward": {}, "eight": {}, "inverse": {}, "mass": {}, "fine": {}, )"
            R"("operations": {}, "derive": {}, "compile": {}, "whole": {}, "a": [{:.17g}]}})",
            field_->n(), one.ns, eight.ns, inverse.ns, mass.ns,
            one.out[field_->n() + field_->m()] == 1.0, one.operations, derived_, one.seconds,
            whole(), fmt::join(a, ", "));
    }

private:
    /// Seconds of processor time: others on the machine do not count.
    static double now() {
        return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
    }
    struct Timed {
        double ns = 0.0, seconds = 0.0;
        std::size_t operations = 0;
        std::vector<double> out;  // of lane 0
    };

    Timed timed(kernel::Code& code, std::size_t lanes) {
        const auto begin = now();
        const auto k = kernel::compile(code, {.lanes = lanes, .cache = false});
        Timed result;
        result.seconds = now() - begin;
        const KernelInputs at(mechanism_.details(), field_->smooth);
        std::vector<double> one = choice_.inputs(mechanism_.details(), at);
        at.set_state(state_, state_.t, one);
        kernel::Buffer in(one.size() * lanes), out(k->out_size()), work(k->work_size());
        for (std::size_t i = 0; i < one.size(); ++i)
            for (std::size_t l = 0; l < lanes; ++l) in[i * lanes + l] = one[i];
        result.ns = robots::best_ns([&] { k->run(in.data(), out.data(), work.data()); }) /
                    static_cast<double>(lanes);
        result.operations = k->report().operations;
        for (std::size_t i = 0; i < code.outputs.size(); ++i) result.out.push_back(out[i * lanes]);
        return result;
    }

    Timed forward(std::size_t lanes) {
        const auto begin = now();
        const CodeOptions options = choice_.code_options(mechanism_.details(), 1e-10);
        kernel::Code code = acceleration_code(mechanism_.details(), field_->smooth, options);
        const double written = now() - begin;
        Timed result = timed(code, lanes);
        result.seconds += written;
        return result;
    }

    /// M a − Q at the state's rates for a, or M.
    Timed other(bool inverse) {
        kernel::Code code;
        CodeOptions options = choice_.code_options(mechanism_.details(), 1e-10);
        options.by_entries = !inverse;
        ModelCode model(mechanism_.details(), field_->smooth, options, code);
        code.input_count = static_cast<std::uint32_t>(model.at.count);
        const StateValues state = input_state(model.at, field_->n(), code);
        const kernel::Problem problem = model.problem(state);
        const std::vector<kernel::Value> numbers =
            inverse ? needed_forces(problem.trees[0], state.v) : problem.M;
        for (const kernel::Value& value : numbers) code.outputs.push_back(value.id_in(code));
        return timed(code, 1);
    }

    /// Seconds until the accelerations of a run are there, with nothing kept.
    double whole() {
        CompiledAcceleration::Options options;
        options.compile.cache = false;
        const double begin = now();
        CompiledAcceleration code(mechanism_.details(), field_->smooth, choice_, options);
        std::vector<double> a(field_->n());
        code.run(state_, field_->assembler.branches, a);
        return now() - begin;
    }

    Robot robot_;
    double begin_, derived_ = 0.0;
    Mechanism mechanism_;
    std::optional<DenseField> field_;
    State state_;
    KernelChoice choice_;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 3 && std::string(argv[1]) == "text") {
            fmt::print("{}", text_of(linkages::named(argv[2])));
            return 0;
        }
        for (int i = 1; i < argc; ++i)
            fmt::print("{}\n", Subject(robots::named(argv[i])).measure());
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
