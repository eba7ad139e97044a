// Robots with reference values in a folder that LACON_ROBOTS names: NAME.urdf or NAME.xml beside
// NAME.reference.json. Without the folder there is nothing to compare.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lacon/mechanism.hpp"
#include "robot/robots.hpp"

namespace lacon::oracle {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Of the largest entry: the references' own numbers are rounded to doubles, and with them M has
// conditions up to 1e7.
constexpr Real agreement = 1e-10L;

std::vector<fs::path> references() {
    std::vector<fs::path> files;
    const char* folder = std::getenv("LACON_ROBOTS");
    if (folder == nullptr) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().string().ends_with(".reference.json")) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

/// The description without what the references have switched off.
Robot robot_of(const fs::path& reference, bool& floating) {
    std::string base = reference.string();
    base.resize(base.size() - std::string(".reference.json").size());
    floating = base.ends_with(".floating");
    if (floating) base.resize(base.size() - std::string(".floating").size());
    const fs::path file = fs::exists(base + ".urdf") ? base + ".urdf" : base + ".xml";
    Diagnostics diagnostics;
    auto robot = load_robot(file, file.parent_path(),
                            floating ? RobotRoot::floating : RobotRoot::as_usual, diagnostics);
    for (const Diagnostic& d : diagnostics.all())
        if (d.severity == Diagnostic::Severity::error) ADD_FAILURE() << render(d, SourceText());
    return robot ? *robot : Robot();
}

std::string name_of(const Robot& robot, std::size_t joint, bool floating) {
    const std::size_t link = robot.link_of(joint);
    if (floating && robot.links[link].parent == no_link) return "base";
    return robot.joints[joint].name.empty() ? robot.links[link].name : robot.joints[joint].name;
}

std::vector<double> numbers(const Json& json) {
    return json.is_number() ? std::vector<double>{json.get<double>()}
                            : json.get<std::vector<double>>();
}

void append(std::vector<double>& to, const Json& json) {
    const std::vector<double> more = numbers(json);
    to.insert(to.end(), more.begin(), more.end());
}

State state_of(const Robot& robot, const Json& json, bool floating) {
    State state;
    for (std::size_t i = 0; i < robot.joints.size(); ++i) {
        const std::string name = name_of(robot, i, floating);
        const Json &q = json["q"][name], &v = json["v"][name];
        std::vector<double> place, rate;
        if (robot.joints[i].kind == robot::Joint::Kind::free) {
            append(place, q["position"]);
            append(place, q["quaternion"]);
            append(rate, v["linear"]);
            append(rate, v["angular"]);
        } else {
            place = numbers(q.is_object() ? q["quaternion"] : q);
            rate = numbers(v.is_object() ? v["angular"] : v);
        }
        state.q.push_back(place);
        state.v.push_back(rate);
    }
    return state;
}

Column accelerations(const Robot& robot, const Json& json, bool floating) {
    const auto starts = velocity_starts(robot);
    Column a = Column::Zero(static_cast<long>(starts.back()));
    for (std::size_t i = 0; i < robot.joints.size(); ++i) {
        const Json& given = json[name_of(robot, i, floating)];
        std::vector<double> all;
        if (given.is_object() && given.contains("linear")) append(all, given["linear"]);
        append(all, given.is_object() ? given["angular"] : given);
        for (std::size_t k = 0; k < all.size(); ++k) a(static_cast<long>(starts[i] + k)) = all[k];
    }
    return a;
}

void expect_near(const Column& ours, const Column& theirs, const char* what) {
    ASSERT_EQ(ours.size(), theirs.size()) << what;
    const Real size = std::max<Real>(theirs.cwiseAbs().maxCoeff(), 1e-3L);
    EXPECT_LE((ours - theirs).cwiseAbs().maxCoeff(), agreement * size) << what;
}

/// Entries of the reference's order, for the joints in our order.
Column reordered(const Robot& robot, const Json& reference, const Json& values, bool floating) {
    std::map<std::string, long> starts;
    long at = 0;
    for (const Json& entry : reference["order"]) {
        const std::string name = entry;
        starts.try_emplace(name.substr(0, name.find('.')), at++);
    }
    const auto own = velocity_starts(robot);
    Column result(static_cast<long>(own.back()));
    for (std::size_t i = 0; i < robot.joints.size(); ++i)
        for (std::size_t k = own[i]; k < own[i + 1]; ++k)
            result(static_cast<long>(k)) =
                values[static_cast<std::size_t>(starts.at(name_of(robot, i, floating))) + k -
                       own[i]]
                    .get<double>();
    return result;
}

void compare(const Robot& robot, const Json& reference, const Json& state, bool floating) {
    const Motion motion = motion_of(robot, state_of(robot, state, floating));
    expect_near(motion.acceleration, accelerations(robot, state["acceleration"], floating),
                "acceleration");
    expect_near(motion.bias, reordered(robot, reference, state["bias_force"], floating), "bias");
    expect_near(motion.passive, reordered(robot, reference, state["passive_force"], floating),
                "passive");
    const Json& M = state["mass_matrix_lower"];
    for (long i = 0; i < motion.M.rows(); ++i) {
        Json row = Json::array();
        for (std::size_t k = 0; k < M.size(); ++k) {
            const auto n = static_cast<std::size_t>(i);
            row.push_back(k <= n ? M[n][k] : M[k][n]);
        }
        // The order of the joints is the same in all of them: rows need not be permuted.
        expect_near(motion.M.row(i).transpose(), reordered(robot, reference, row, floating), "M");
    }
    const auto near = [&](Real ours, const char* key) {
        const Real theirs = state[key].get<double>();
        EXPECT_NEAR(static_cast<double>(ours), static_cast<double>(theirs),
                    1e-10 * std::max(1.0, std::abs(static_cast<double>(theirs))))
            << key;
    };
    near(motion.kinetic, "kinetic_energy_without_armature");
    near(motion.gravity_energy, "potential_energy_gravity");
    if (state.contains("potential_energy_springs"))
        near(motion.spring_energy, "potential_energy_springs");
    for (const auto& [name, places] : state["links"].items())
        for (std::size_t i = 0; i < robot.links.size(); ++i) {
            if (robot.links[i].name != name) continue;
            Column origin(3), center(3);
            for (long k = 0; k < 3; ++k) {
                origin(k) = places["origin"][static_cast<std::size_t>(k)].get<double>();
                center(k) = places["com"][static_cast<std::size_t>(k)].get<double>();
            }
            expect_near(motion.origins[i], origin, "origin");
            expect_near(motion.centers[i], center, "centre of mass");
        }
    // To the rounding of the states, which are doubles.
    EXPECT_LE(motion.position_residual, 1e-13L);
    EXPECT_LE(motion.velocity_residual, 1e-13L);
}

/// Calls `check` with each robot, reference and state.
template <class Check>
void each_state(Check check) {
    for (const fs::path& file : references()) {
        SCOPED_TRACE(file.string());
        const Json reference = Json::parse(std::ifstream(file));
        bool floating = false;
        const Robot robot = robot_of(file, floating);
        if (robot.links.empty()) continue;
        for (const Json& state : reference["states"]) check(robot, state, floating);
    }
}

}  // namespace

TEST(RobotReferences, WholeModelsAreUnderstood) {
    for (const fs::path& file : references()) {
        bool floating = false;
        const Robot robot = robot_of(file, floating);
        EXPECT_NO_THROW(Mechanism::parse(whole_model(robot))) << file;
    }
}

TEST(RobotReferences, ModelsGiveTheSameAccelerations) {
    if (references().empty()) GTEST_SKIP() << "LACON_ROBOTS names no folder with references";
    each_state([](const Robot& robot, const Json& state, bool floating) {
        expect_near(program_acceleration(smooth(robot), state_of(robot, state, floating)),
                    accelerations(robot, state["acceleration"], floating), "acceleration");
    });
}

TEST(RobotReferences, DescriptionsGiveTheSameMotion) {
    const std::vector<fs::path> files = references();
    if (files.empty()) GTEST_SKIP() << "LACON_ROBOTS names no folder with references";
    for (const fs::path& file : files) {
        SCOPED_TRACE(file.string());
        const Json reference = Json::parse(std::ifstream(file));
        bool floating = false;
        const Robot robot = robot_of(file, floating);
        if (robot.links.empty()) continue;
        double mass = 0;
        for (const Link& link : robot.links) mass += link.inertia.mass;
        EXPECT_NEAR(mass, reference["total_mass"].get<double>(), 1e-12 * mass);
        EXPECT_EQ(robot.joints.size(), reference["joints"].size());
        for (const Json& state : reference["states"]) compare(robot, reference, state, floating);
    }
}

}  // namespace lacon::oracle
