#include "robot/robots.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "lacon/mechanism.hpp"
#include "lang/text/words.hpp"
#include "robot/names.hpp"

namespace lacon::oracle {

namespace {

namespace fs = std::filesystem;

/// Endings of the coordinates of a joint.
std::vector<std::string> endings(const robot::Joint& joint) {
    if (joint.kind == robot::Joint::Kind::free)
        return {"_x", "_y", "_z", "_qw", "_qx", "_qy", "_qz"};
    if (joint.kind == robot::Joint::Kind::ball) return {"_w", "_x", "_y", "_z"};
    return {""};
}

Turn of(const std::vector<double>& q, std::size_t at) {
    return {q[at], q[at + 1], q[at + 2], q[at + 3]};
}

Turn half(const Turn& a, const Turn& b) {
    const Turn product = a * b;
    return {product.w / 2, product.x / 2, product.y / 2, product.z / 2};
}

/// The rate of a unit quaternion: p' = p ω / 2 with ω in own axes, ω p / 2 in the world's.
Turn rate(const Turn& p, const Turn& omega, bool own_axes) {
    return own_axes ? half(p, omega) : half(omega, p);
}

void append(std::vector<double>& to, const Turn& p) {
    to.insert(to.end(), {p.w, p.x, p.y, p.z});
}

Turn pure(const std::vector<double>& v, std::size_t at) {
    return {0, v[at], v[at + 1], v[at + 2]};
}

/// ω' from p'': the inverse of the rate's derivative.
std::vector<double> angular_acceleration(const Turn& p, const Turn& omega, const Turn& second,
                                         bool own_axes) {
    const Turn first = rate(p, omega, own_axes), rest = rate(first, omega, own_axes);
    const Turn left{second.w - rest.w, second.x - rest.x, second.y - rest.y, second.z - rest.z};
    const Turn a = own_axes ? inverse(p) * left : left * inverse(p);
    return {2 * a.x, 2 * a.y, 2 * a.z};
}

}  // namespace

std::string whole_model(const Robot& robot) {
    WriteOptions options;
    options.is_reserved = lang::is_reserved;
    return write_model(robot, options).text;
}

Reading read_text(const std::string& text, RobotRoot root, const std::string& name) {
    const fs::path folder = fs::path(LACON_SOURCE_DIR) / "tests/robot/files";
    Reading reading;
    Diagnostics diagnostics;
    reading.robot =
        load_robot_text(std::make_shared<const SourceText>((folder / name).string(), text), folder,
                        root, diagnostics);
    reading.said = render(diagnostics, SourceText());
    WriteOptions options;
    if (reading.robot) reading.model = write_model(*reading.robot, options).text;
    return reading;
}

Reading urdf(const std::string& content, RobotRoot root) {
    return read_text("<robot name=\"r\">\n" + content + "\n</robot>\n", root, "r.urdf");
}

Reading mjcf(const std::string& content) {
    return read_text("<mujoco model=\"m\">\n" + content + "\n</mujoco>\n", RobotRoot::as_usual,
                     "m.xml");
}

Robot smooth(Robot robot) {
    for (robot::Joint& joint : robot.joints) {
        joint.friction = 0;
        joint.range.reset();
    }
    for (Tendon& tendon : robot.tendons) tendon.range.reset();
    robot.drives.clear();
    return robot;
}

State some_state(const Robot& robot, unsigned seed) {
    std::mt19937 random(seed);
    const auto number = [&] { return (static_cast<double>(random() % 2001) - 1000) / 2500; };
    State state;
    for (const robot::Joint& joint : robot.joints) {
        std::vector<double> q, v;
        const bool free = joint.kind == robot::Joint::Kind::free;
        if (free)
            for (int k = 0; k < 3; ++k) q.push_back(number());
        if (joint.is_single()) q.push_back(joint.reference + number());
        else append(q, unit(1, number(), number(), number()));
        for (std::size_t k = 0; k < (joint.is_single() ? 1u : free ? 6u : 3u); ++k)
            v.push_back(number());
        state.q.push_back(q);
        state.v.push_back(v);
    }
    return state;
}

Column program_acceleration(const Robot& robot, const State& state) {
    WriteOptions options;
    options.is_reserved = lang::is_reserved;
    const ModelNames names = name_parts(robot, options);
    const Mechanism mechanism = Mechanism::parse(whole_model(robot));
    lacon::State at;
    at.q.resize(mechanism.coordinates().size());
    at.v.resize(at.q.size());
    std::vector<std::vector<std::size_t>> numbers;
    for (std::size_t i = 0; i < robot.joints.size(); ++i) {
        const robot::Joint& joint = robot.joints[i];
        std::vector<double> rates;
        const bool free = joint.kind == robot::Joint::Kind::free;
        if (joint.is_single()) {
            rates = state.v[i];
        } else {
            const std::size_t first = free ? 3 : 0;
            rates.assign(state.v[i].begin(), state.v[i].begin() + (free ? 3 : 0));
            append(rates, rate(of(state.q[i], first), pure(state.v[i], first), !free));
        }
        numbers.emplace_back();
        for (const std::string& ending : endings(joint)) {
            const auto number = mechanism.coordinate_index(names.joints[i] + ending);
            if (!number) {
                ADD_FAILURE() << "no coordinate " << names.joints[i] << ending;
                return {};
            }
            at.q[*number] = state.q[i][numbers.back().size()];
            at.v[*number] = rates[numbers.back().size()];
            numbers.back().push_back(*number);
        }
    }
    const Evaluation found = mechanism.evaluate(at);
    EXPECT_TRUE(found.status) << found.status.message;
    Column result(static_cast<long>(velocity_starts(robot).back()));
    if (!found.status) return result;
    long k = 0;
    for (std::size_t i = 0; i < robot.joints.size(); ++i) {
        std::vector<double> a;
        for (const std::size_t number : numbers[i])
            a.push_back(found.solution.acceleration[number]);
        if (!robot.joints[i].is_single()) {
            const std::size_t first = a.size() - 4;
            const Turn second{a[first], a[first + 1], a[first + 2], a[first + 3]};
            const auto angular = angular_acceleration(of(state.q[i], first),
                                                      pure(state.v[i], first), second, first == 0);
            a.resize(first);
            a.insert(a.end(), angular.begin(), angular.end());
        }
        for (const double one : a) result(k++) = one;
    }
    return result;
}

}  // namespace lacon::oracle
