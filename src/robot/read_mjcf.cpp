// Reads MJCF: the order of its sections, and the attributes that are known.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "robot/mjcf.hpp"

namespace lacon::inline robot {

namespace {

/// Settings of MuJoCo's soft solver. Lacon's constraints are exact.
const std::set<std::string, std::less<>> soft = {
    "solref",      "solimp",         "margin",         "gap",         "solmix",   "solreflimit",
    "solimplimit", "solreffriction", "solimpfriction", "torquescale", "o_solref", "o_solimp",
    "o_margin",    "impratio"};

/// Attributes by element: those that are read, and those without a meaning for the motion.
const std::map<std::string, std::string_view, std::less<>> known_attributes = {
    {"compiler",
     "angle eulerseq autolimits inertiafromgeom inertiagrouprange boundmass boundinertia "
     "balanceinertia settotalmass meshdir assetdir texturedir coordinate strippath fitaabb "
     "discardvisual usethread fusestatic convexhull exactmeshinertia alignfree saveinertial "
     "inertiafrommesh"},
    {"option",
     "gravity wind density viscosity timestep integrator cone jacobian solver iterations tolerance "
     "ls_iterations ls_tolerance noslip_iterations noslip_tolerance ccd_iterations ccd_tolerance "
     "mpr_iterations mpr_tolerance sdf_iterations sdf_initpoints apirate magnetic o_friction "
     "collision actuatorgroupdisable sleep_tolerance"},
    {"body", "name childclass pos quat axisangle euler xyaxes zaxis mocap gravcomp user sleep"},
    {"frame", "name childclass pos quat axisangle euler xyaxes zaxis"},
    {"replicate", "count offset quat axisangle euler xyaxes zaxis sep"},
    {"inertial", "pos quat axisangle euler xyaxes zaxis mass diaginertia fullinertia"},
    {"joint",
     "name class type group pos axis springdamper limited actuatorfrclimited stiffness range "
     "actuatorfrcrange actuatorgravcomp ref springref armature damping frictionloss user"},
    {"freejoint", "name group align"},
    {"geom",
     "name class type group pos quat axisangle euler xyaxes zaxis size fromto mass density "
     "shellinertia contype conaffinity condim priority friction material rgba mesh hfield fitscale "
     "fluidshape fluidcoef user"},
    {"site",
     "name class type group pos quat axisangle euler xyaxes zaxis size fromto material rgba "
     "user"},
    {"connect", "name class active body1 body2 anchor site1 site2"},
    {"weld", "name class active body1 body2 anchor relpose site1 site2"},
    {"equality joint", "name class active joint1 joint2 polycoef"},
    {"equality tendon", "name class active tendon1 tendon2 polycoef"},
    {"equality", "active"},
    {"fixed",
     "name class group limited range stiffness damping armature frictionloss springlength "
     "actuatorfrclimited actuatorfrcrange user width material rgba"},
    {"general",
     "name class group ctrllimited forcelimited ctrlrange forcerange lengthrange gear joint "
     "jointinparent tendon site refsite body slidersite cranksite cranklength dyntype gaintype "
     "biastype dynprm gainprm biasprm actlimited actrange actdim actearly user"},
    {"motor",
     "name class group ctrllimited forcelimited ctrlrange forcerange lengthrange gear joint "
     "jointinparent tendon site refsite slidersite cranksite cranklength user"},
    {"position",
     "name class group ctrllimited forcelimited ctrlrange forcerange lengthrange gear joint "
     "jointinparent tendon site refsite slidersite cranksite cranklength user kp kv dampratio "
     "timeconst inheritrange"},
    {"velocity",
     "name class group ctrllimited forcelimited ctrlrange forcerange lengthrange gear joint "
     "jointinparent tendon site refsite slidersite cranksite cranklength user kv"},
    {"damper",
     "name class group ctrllimited forcelimited ctrlrange forcerange lengthrange gear joint "
     "jointinparent tendon site refsite slidersite cranksite cranklength user kv"},
    {"key", "name time qpos qvel act ctrl mpos mquat"}};

/// Elements of one name are two things: equalities, and joints or (in defaults) tendons.
std::string table_name(const Element& element) {
    if (element.has("joint1") || element.has("tendon1")) return "equality " + element.name;
    return element.name == "tendon" ? "fixed" : element.name;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

}  // namespace

void MjcfAttributes::check(const Element& element) {
    const auto found = known_attributes.find(table_name(element));
    if (found == known_attributes.end()) return;
    const std::vector<std::string> words = words_of(found->second);
    for (const Attribute& attribute : element.attributes) {
        if (soft.contains(attribute.name)) {
            if (!soft_told_)
                report_.warning(attribute.place,
                                fmt::format("settings of the soft solver, such as '{}', do not "
                                            "count: constraints are exact here",
                                            attribute.name));
            soft_told_ = true;
        } else if (std::find(words.begin(), words.end(), attribute.name) == words.end()) {
            const auto near = nearest_name(attribute.name, words);
            report_.warning(attribute.place,
                            fmt::format("'{}' of <{}> is not known, and left out", attribute.name,
                                        element.name),
                            near ? fmt::format("did you mean '{}'?", *near) : "");
        }
    }
}

void MjcfReader::check_defaults(const Element& section) {
    for (const Element& element : section.children) {
        if (element.name == "default") check_defaults(element);
        else attributes_.check(element);
    }
}

Robot MjcfReader::read() {
    if (root_.name != "mujoco") {
        report_.error(root_.place,
                      fmt::format("an MJCF file begins with <mujoco>, not <{}>", root_.name));
        throw GaveUp{};
    }
    robot_.format = "MJCF";
    robot_.name = root_.text("model");
    unknown_sections();
    each_section("compiler", [&](const Element& section) { compiler(section); });
    each_section("option", [&](const Element& section) { option(section); });
    each_section("default", [&](const Element& section) {
        defaults_.read(section);
        check_defaults(section);
    });
    each_section("asset", [&](const Element& section) {
        for (const Element& element : section.children) mesh(element);
    });
    Scope world;
    each_section("worldbody", [&](const Element& section) {
        world.child_class = class_of(section, {});
        content(section, world);
    });
    set_inertias();
    if (report_.has_errors()) throw GaveUp{};
    const auto each = [&](std::string_view section, void (MjcfReader::*part)(const Element&)) {
        each_section(section, [&](const Element& all) {
            for (const Element& element : all.children) (this->*part)(element);
        });
    };
    each("tendon", &MjcfReader::tendon);
    each("equality", &MjcfReader::equality);
    each("actuator", &MjcfReader::drive);
    each("keyframe", &MjcfReader::keyframe);
    shape_files_.report(robot_);
    if (contacts_)
        robot_.remarks.push_back("which shapes touch is left open: write contact A with B");
    return std::move(robot_);
}

Robot read_mjcf(Element root, const std::filesystem::path& file, Files& files, Report& report) {
    expand_includes(root, file, files, report);
    return MjcfReader(root, file, files, report).read();
}

}  // namespace lacon::robot
