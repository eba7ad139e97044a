// The audit passes what is right, and fails what was made wrong.

#include <filesystem>

#include "diagnosis_tests.hpp"

namespace lacon {
namespace {

std::string failures(const Audit& audit) {
    std::string text = audit.status.message;
    for (const AuditLine& line : audit.lines)
        if (!line.ok)
            text += line.name + " " + std::to_string(line.value) + " (" + line.text + ")\n";
    return text;
}

TEST(Audit, PassesEveryModelAtItsStart) {
    std::size_t count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(LACON_SOURCE_DIR) + "/models")) {
        if (entry.path().extension() != ".lac") continue;
        SCOPED_TRACE(entry.path().filename().string());
        const Mechanism m = Mechanism::load(entry.path().string());
        const Audit result = audit(m, m.start().state);
        EXPECT_TRUE(result.ok()) << failures(result);
        EXPECT_GE(result.lines.size(), 6u);
        ++count;
    }
    EXPECT_GE(count, 40u);
}

bool fails(const Audit& audit, const std::string& name) {
    return std::any_of(audit.lines.begin(), audit.lines.end(),
                       [&](const AuditLine& line) { return line.name == name && !line.ok; });
}

TEST(Audit, FailsAnAccelerationThatWasMadeWrong) {
    const Mechanism m = Mechanism::load(model_path("double_pendulum.lac"));
    Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(audit(m, at).ok()) << failures(audit(m, at));
    for (double& a : at.solution.acceleration) a += 1e-4;
    const Audit result = audit(m, at);
    EXPECT_FALSE(result.ok());
    for (const char* name : {"equation of motion", "accelerations", "virtual work", "papers"})
        EXPECT_TRUE(fails(result, name)) << name;
}

TEST(Audit, FailsAFeasibleAccelerationThatIsNotGausss) {
    // A particle on a plane with nothing to hold it along: q'' + (δ, 0) meets the constraint but
    // not Gauss's principle.
    const Mechanism m = Mechanism::parse(
        "coord x, y\nparticle p at (x, y) mass 2\ngravity (1, -9.81)\nconstraint floor: y = "
        "0\nstart x' = 3\n");
    Evaluation at = m.evaluate(m.start().state);
    ASSERT_TRUE(audit(m, at).ok()) << failures(audit(m, at));
    at.solution.acceleration[0] += 1e-3;
    const Audit result = audit(m, at);
    for (const char* name : {"Gauss's function", "virtual work", "power", "papers"})
        EXPECT_TRUE(fails(result, name)) << name;
    EXPECT_FALSE(fails(result, "accelerations"));
}

TEST(Audit, PassesLightCoordinatesThatConstraintsHoldAndStillFailsWrongAnswers) {
    for (const char* mass : {"1e-6", "1e-12", "1e-24", "1e-30"}) {
        SCOPED_TRACE(mass);
        const Mechanism m = Mechanism::parse(
            std::string("coord x, y, z\nkinetic x'^2 + 1.5*y'^2 + ") + mass +
            "*z'^2/2\nforce x = -19.6, y = -29.4, z = 7.3\nconstraint rope: x + y = 2*z\n"
            "constraint hold: x^2 + z = 0.5*y\nstart x ~ 0.3\n");
        Evaluation at = m.evaluate(m.start().state);
        EXPECT_TRUE(audit(m, at).ok()) << failures(audit(m, at));
        at.solution.acceleration[1] += 1e-4;  // the constraints leave y and z to move, and hold x
        EXPECT_TRUE(fails(audit(m, at), "equation of motion"));
        EXPECT_TRUE(fails(audit(m, at), "virtual work"));
    }
}

TEST(Audit, LeavesThePapersOutWhereMassesAreBeyondThem) {
    const Mechanism m = Mechanism::parse(
        "coord x, y, z\nkinetic 1e-21*x'^2/2\nkinetic 1.3*(y'^2 + z'^2)\n"
        "force y = 2.1, z = 3.7\nconstraint a: 1.6*x + 0.5*y + 0.4*z^2 = 2.5\n"
        "constraint b: -0.7*y + 0.6*x*z = -1.4\nstart x ~ 0.9, y ~ 1.6, z ~ -1.2\n");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    Evaluation at = m.evaluate(start.state);
    const Audit result = audit(m, at);
    EXPECT_TRUE(result.ok()) << failures(result);
    at.solution.acceleration[1] += 1e-4;  // what is left of the audit sees it
    EXPECT_FALSE(audit(m, at).ok());
}

TEST(Audit, FailsForcesThatWereMadeWrong) {
    const Mechanism m = Mechanism::load(model_path("pendulum.lac"));
    Evaluation at = m.evaluate(m.start().state);
    at.constraints[0].force[1] += 1e-3;
    EXPECT_TRUE(fails(audit(m, at), "equation of motion"));
}

TEST(Audit, FailsAStateOffItsConstraints) {
    const Mechanism m = Mechanism::load(model_path("pendulum.lac"));
    State state = m.start().state;
    state.q[0] += 1e-3;
    EXPECT_TRUE(fails(audit(m, state), "positions"));
}

TEST(Audit, BalancesPowerOfAMovingFrameWithDragAndADrive) {
    // T has terms of all degrees (a support that swings), V depends on time, forces and dissipation
    // act, and a constraint drives.
    const Mechanism m = Mechanism::parse(
        "coord x, y, s\nparticle p at (x + sin(2*t), y + 0.3*t^2) mass 2\nkinetic (1 + x^2)*s'^2/2 "
        "+ t*x*s'\n"
        "potential 3*cos(t)*x^2 + y*s\nforce y = 0.7*t - x\nforce p = (0.3, x*y)\ndissipation "
        "0.2*(x' - y')^2 + 0.1*abs(s')^3\n"
        "constraint drive: s + x*y = 0.4*t^2 + 0.2\nstart x = 0.5, y = 0.4, s ~ 0, x' = 1, y' = "
        "-2, s' ~ 0\n");
    const Start start = m.start();
    ASSERT_TRUE(start.status) << start.status.message;
    for (double t : {0.0, 0.7}) {
        State state = start.state;
        state.t = t;
        const Audit result = audit(m, state);
        for (const AuditLine& line : result.lines) {
            if (line.name != "power") continue;
            EXPECT_LE(line.value, 1e-13) << line.text;
        }
        EXPECT_FALSE(fails(result, "power"));
    }
}

TEST(Audit, HasNothingToSayWithoutAResult) {
    const Mechanism m = Mechanism::parse(
        "coord x\nparticle p at (x) mass 1\nconstraint a: x'' = 1\nconstraint b: x'' = 2\n");
    const Audit result = audit(m, m.start().state);
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.status.outcome, Outcome::conflict);
    EXPECT_TRUE(result.lines.empty());
}

}  // namespace
}  // namespace lacon
