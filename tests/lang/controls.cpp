// Controls, actuators and limits as they are read.
#include "lang/reading.hpp"

/// `control`: what is required, by what, at which cost, within which limits.
namespace lacon {
namespace {

using Numbers = std::vector<std::size_t>;
using Kind = Observed::Kind;
using Sense = ConstraintRow::Sense;

/// "x: 1, y: 2*x": the direction of an actuator.
std::string direction(const Model& model, std::size_t actuator) {
    std::string all;
    for (const Actuator::Part& part : model.actuators.at(actuator).direction)
        all += (all.empty() ? "" : ", ") + model.coordinates[part.coordinate].name + ": " +
               text(model, part.value);
    return all;
}

const std::string arm =
    "coord x, y, th\nparam L = 2\nlet tip = (x + cos(th), L)\nparticle bead at (x, x*y) mass "
    "1\nparticle slider at x mass 1\n";

TEST(Controls, AreRowsApartFromTheConstraints) {
    const Model model = read(
        "coord x, y\nconstraint c: x = y\ncontrol track: (x, y) = (sin(t), 2*t)\ncontrol keep: y' "
        ">= x by y nearest\n"
        "control fall: y'' = -x\n");
    EXPECT_EQ(names_of(model.constraints), (Strings{"c"}));
    EXPECT_EQ(names_of(model.requirements), (Strings{"track.x", "track.y", "keep", "fall"}));
    EXPECT_EQ(names_of(model.controls), (Strings{"track", "keep", "fall"}));
    EXPECT_EQ(model.controls[0].rows, (Numbers{0, 1}));
    EXPECT_EQ(text(model, model.requirements[1].value), "y - 2*t");
    EXPECT_EQ(model.requirements[2].sense, Sense::at_least);
    EXPECT_TRUE(model.controls[1].nearest);
    EXPECT_FALSE(model.controls[0].nearest);
    EXPECT_EQ(model.source.text(model.controls[1].span), "keep");
}

TEST(Controls, WithoutByEveryCoordinateIsActuated) {
    const Model model = read("coord x, y\ncontrol a: x = y\ncontrol b: y = 1 by y\n");
    EXPECT_EQ(names_of(model.actuators), (Strings{"x", "y"}));
    EXPECT_EQ(direction(model, 1), "y: 1");
    EXPECT_EQ(model.controls[0].actuators, (Numbers{0, 1}));
    EXPECT_EQ(model.controls[1].actuators, (Numbers{1}));
}

TEST(Controls, ActThroughVirtualWork) {
    const Model model =
        read(arm + "control c: x = 1 by bead, th - x, norm((x, L)), slider, x' + L*th', tip\n");
    EXPECT_EQ(names_of(model.actuators),
              (Strings{"bead.x", "bead.y", "th - x", "norm((x, L))", "x' + L*th'", "tip.x"}));
    EXPECT_EQ(direction(model, 0), "x: 1");
    EXPECT_EQ(direction(model, 1), "x: y, y: x");
    EXPECT_EQ(direction(model, 2), "x: -1, th: 1");
    EXPECT_EQ(direction(model, 4), "x: 1, th: L");
    EXPECT_EQ(direction(model, 5), "x: 1, th: -sin(th)");
    EXPECT_EQ(model.controls[0].actuators, (Numbers{0, 1, 2, 3, 4, 5}))
        << "the slider goes with bead.x";
}

TEST(Controls, ARateActsAsWhatItIsTheRateOf) {
    const Model model =
        read("coord x, y\nlet r = hypot(x, y)\ncontrol a: x = 0 by r\ncontrol b: y = 0 by r'\n");
    ASSERT_EQ(model.actuators.size(), 1u);
    EXPECT_EQ(model.controls[1].actuators, (Numbers{0}));
}

TEST(Controls, ActAlongVectors) {
    const Model model = read(arm +
                             "control c: x = 1 by bead along (1, t), along (0, y', L), along (1, "
                             "2, 3), wire = along (th, 0, 0)\n");
    EXPECT_EQ(names_of(model.actuators),
              (Strings{"bead along (1, t)", "along[1]", "along[2]", "wire"}));
    EXPECT_EQ(direction(model, 0), "x: t*y + 1, y: t*x");
    EXPECT_EQ(direction(model, 1), "y: y', th: L");
    EXPECT_EQ(direction(model, 2), "x: 1, y: 2, th: 3");
    EXPECT_EQ(model.source.text(model.actuators[3].span), "along (th, 0, 0)");
}

TEST(Controls, GivenNamesGoBeforeMadeOnes) {
    const Model model = read(
        "coord x, y\ncontrol a: x = 1 by x\ncontrol b: y = 1 by motor = x, pump = (0*x, 2*y), "
        "valve = y - x\n");
    EXPECT_EQ(names_of(model.actuators), (Strings{"motor", "pump.y", "valve"}));
    EXPECT_EQ(direction(model, 1), "y: 2");
}

TEST(Controls, FamiliesNameTheirActuatorsByMember) {
    const Model model = read(
        "param N = 3\ncoord x[0..N]\nlet d[i] = x[i] - x[i-1] for i in 1..N\nparticle p[i] at "
        "(x[i], 0) mass 1 for i in 1..N\n"
        "control hold[i]: x[i] = i by x[i], jack[i] = x[i]^2 for i in 1..2\ncontrol all: x[0] = 0 "
        "by d[1..N-1], x[N], p[2..2]\n");
    EXPECT_EQ(names_of(model.controls), (Strings{"hold[1]", "hold[2]", "all"}));
    EXPECT_EQ(names_of(model.actuators),
              (Strings{"x[1]", "jack[1]", "x[2]", "jack[2]", "d[1]", "d[2]", "x[3]"}));
    EXPECT_EQ(direction(model, 3), "x[2]: 2*x[2]");
    EXPECT_EQ(direction(model, 5), "x[1]: -1, x[2]: 1");
    EXPECT_EQ(model.controls[2].actuators, (Numbers{4, 5, 6, 2}));
}

TEST(Controls, RangesOfMembersActAlongOneVector) {
    const Model model = read(
        "coord x[1..2], y\nparticle p[i] at (x[i], y*x[i]) mass 1 for i in 1..2\ncontrol c: y = 1 "
        "by p[1..2] along (1, t)\n");
    EXPECT_EQ(names_of(model.actuators), (Strings{"p[1] along (1, t)", "p[2] along (1, t)"}));
    EXPECT_EQ(direction(model, 1), "x[2]: t*y + 1, y: t*x[2]");
}

TEST(Controls, ModifiersStandBeforeTheRange) {
    const Model model = read(
        "coord x[1..2]\ncontrol a[i]: x[i] = 1 gain i for i in 1..2\ncontrol b[i]: x[i] = 0 "
        "nearest for i in 1..1\n"
        "control c[i]: x[i] = 0 by x[i] limit -i..i for i in 2..2\n");
    EXPECT_EQ(names_of(model.controls), (Strings{"a[1]", "a[2]", "b[1]", "c[2]"}));
    EXPECT_EQ(text(model, *model.requirements[1].stiffness), "1");
    EXPECT_TRUE(model.controls[2].nearest);
    EXPECT_EQ(text(model, *model.actuators[1].low), "-2");
    EXPECT_FALSE(model.actuators[0].low.has_value());
}

TEST(Controls, GainsAreFilledIn) {
    const Model model = read(
        "param k = 3\ncoord x, y\ncontrol a: x = 1\ncontrol b: x = 1 gain k\ncontrol c: x = 1 gain "
        "2 (k)\ncontrol d: x' = y\n"
        "control e: (x', y) = 0 gain k\ncontrol f: x'' = y\ncontrol g: x >= 0 gain 4 nearest\n");
    const auto gains = [&](std::size_t row) {
        const ConstraintRow& r = model.requirements.at(row);
        return (r.damping ? text(model, *r.damping) : "none") + " " +
               (r.stiffness ? text(model, *r.stiffness) : "none");
    };
    EXPECT_EQ(gains(0), "20 100");
    EXPECT_EQ(gains(1), "k k^2/4");
    EXPECT_EQ(gains(2), "2 k");
    EXPECT_EQ(gains(3), "10 none");
    EXPECT_EQ(gains(4), "k none");
    EXPECT_EQ(gains(5), "k k^2/4");
    EXPECT_EQ(gains(6), "none none");
    EXPECT_EQ(gains(7), "4 4");
    EXPECT_TRUE(model.controls.back().nearest);
}

TEST(Controls, WeightsAreOfSingleActuatorsOrAMatrix) {
    const Model model = read(
        "param k = 3\ncoord x, y, z\ncontrol a: x = 1 by x, y weight 1, k*t\ncontrol b: z = 1 by "
        "x, z\n"
        "control c: z = x by u = x + y, v = x - y weight (3, k), (k, 4)\ncontrol d: y = 0 by v = x "
        "- y, u = x + y weight (4, k), "
        "(k, 3)\n"
        "control e: y = 1 by p = 2*x, q = 2*y weight 5\n");
    ASSERT_EQ(model.effort_weights.size(), 5u);
    EXPECT_EQ(model.effort_weights[0].actuators, (Numbers{0}));
    EXPECT_EQ(text(model, model.effort_weights[1].N[0][0]), "t*k");
    EXPECT_EQ(model.effort_weights[2].actuators, (Numbers{3, 4}))
        << "the same matrix in another order is the same";
    EXPECT_EQ(model.effort_weights[2].N[0][1], model.effort_weights[2].N[1][0]);
    EXPECT_EQ(text(model, model.effort_weights[4].N[0][0]), "5");
    EXPECT_EQ(model.source.text(model.effort_weights[1].span), "k*t");
}

TEST(Controls, LimitsHoldForAllOrForEach) {
    const Model model = read(
        "param F = 3\ncoord x, y\ncontrol a: x = 1 limit -F..F\ncontrol b: y = 1 by x, u = x - y "
        "limit -F..F, -1..x'\n"
        "control c: y = x by x\n");
    EXPECT_EQ(text(model, *model.actuators[0].low), "-F");
    EXPECT_EQ(text(model, *model.actuators[1].high), "F");
    EXPECT_EQ(text(model, *model.actuators[2].high), "x'");
}

TEST(Controls, ModifiersComeInAnyOrderAndAreFreeForUseAsNames) {
    const Model model = read(
        "param gain = 2, limit = 3, weight = 4, nearest = 1\ncoord by, along\n"
        "control a: by = nearest limit -limit..limit nearest gain gain weight weight by by, along\n"
        "control b: along = 0 gain 2 limit -3..3 by (along) along 2\n");
    EXPECT_EQ(names_of(model.actuators), (Strings{"by", "along", "along along 2"}));
    EXPECT_EQ(text(model, *model.requirements[0].damping), "gain");
    EXPECT_EQ(text(model, model.effort_weights[1].N[0][0]), "weight");
    EXPECT_EQ(text(model, *model.requirements[1].stiffness), "1");
}

TEST(Controls, AreColumnsOfEveryRun) {
    const Model model = read(
        "coord x, y\ncontrol a: x = 1 by x\ncontrol b[i]: y = i by motor = y - x for i in 1..1\n"
        "output late = t + b[1].error, a.force\nevent strong: a.power = 2\n");
    EXPECT_EQ(names_of(model.outputs),
              (Strings{"late", "a.force", "a.power", "a.error", "b[1].force", "b[1].power",
                       "b[1].error", "effort.x", "effort.motor"}));
    ASSERT_EQ(model.observed.size(), 8u) << "each once";
    EXPECT_EQ(model.observed[0].kind, Kind::control_power);
    EXPECT_EQ(model.observed[0].rows, (Numbers{0}));
    EXPECT_EQ(model.observed[1].kind, Kind::control_error);
    EXPECT_EQ(model.observed[1].rows, (Numbers{1}));
    EXPECT_EQ(model.observed.back().kind, Kind::effort);
    EXPECT_EQ(model.observed.back().rows, (Numbers{1}));
}

TEST(Controls, AnActuatorNamedTwiceCountsOnce) {
    const std::string twice = "coord x\ncontrol a: x = 1 by x, x weight 2\n";
    EXPECT_NE(errors_of(twice).find("warning: the actuator 'x' appears here twice"),
              std::string::npos);
    EXPECT_EQ(read(twice).controls[0].actuators, (Numbers{0}));
}

TEST(Controls, AMatrixOfWeightsIsPositiveDefiniteWithTheValuesGiven) {
    const std::string model =
        "param k = 2\ncoord x, y, z\ncontrol c: x = 0 weight (1, 0, k), (0, 1, 0), (k, 0, 5)\n";
    EXPECT_EQ(errors_of(model), "");
    EXPECT_NE(errors_of(model, {{"k", 3.0}})
                  .find("3:47: error: the matrix of weights must be positive definite"),
              std::string::npos);
}

TEST(Controls, AWeightThatASettingSpoilsIsAnError) {
    const std::string model = "param k = 2\ncoord x\ncontrol c: x = 0 weight k limit 0..k\n";
    EXPECT_EQ(errors_of(model), "");
    EXPECT_NE(errors_of(model, {{"k", -2.0}})
                  .find("3:25: error: the weight of an effort must be positive"),
              std::string::npos);
    EXPECT_NE(
        errors_of(model, {{"k", -2.0}}).find("3:33: error: the limits 0..-2 form an empty range"),
        std::string::npos);
}

}  // namespace
}  // namespace lacon
