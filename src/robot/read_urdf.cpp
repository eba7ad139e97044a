// Reads URDF: links, joints of a tree, mimics. Conventions: rpy is about fixed axes, a missing
// origin is the identity, a missing axis is x; inertia is about the centre of mass in the axes of
// the inertial origin; a link without inertial has no mass.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "robot/readers.hpp"

namespace lacon::inline robot {

namespace {

// Some files write "no limit" as a large number: a million turns, or a thousand kilometres.
constexpr double no_limit = 1e6;

/// Attributes of the elements that matter for the motion.
const std::map<std::string, std::vector<std::string>, std::less<>> urdf_attributes = {
    {"link", {"name", "type"}},
    {"inertial", {}},
    {"origin", {"xyz", "rpy", "quat_xyzw"}},
    {"mass", {"value"}},
    {"inertia", {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}},
    {"joint", {"name", "type"}},
    {"parent", {"link"}},
    {"child", {"link"}},
    {"axis", {"xyz"}},
    {"limit", {"lower", "upper", "effort", "velocity", "acceleration", "jerk"}},
    {"dynamics", {"damping", "friction"}},
    {"mimic", {"joint", "multiplier", "offset"}}};

struct UrdfJoint {
    const Element* element = nullptr;
    std::string name, type;
    std::size_t parent = no_link, child = no_link;  // by the order of the file
};

class UrdfReader {
public:
    UrdfReader(const Element& root, bool floating, Meshes meshes, Report& report)
        : root_(root),
          floating_(floating),
          report_(report),
          values_(report),
          meshes_(std::move(meshes)) {}

    Robot read() {
        if (root_.name != "robot") {
            report_.error(root_.place,
                          fmt::format("a URDF file begins with <robot>, not <{}>", root_.name));
            throw GaveUp{};
        }
        robot_.format = "URDF";
        robot_.name = root_.text("name");
        collect();
        if (report_.has_errors()) throw GaveUp{};
        arrange();
        mimics();
        meshes_.report(robot_);
        return std::move(robot_);
    }

private:
    // ---- what the file holds
    void collect();
    void link(const Element& element);
    void joint(const Element& element);
    void top_level(const Element& element);
    void check_attributes(const Element& element);
    std::size_t link_named(const Element& joint, std::string_view role);

    // ---- the tree
    void arrange();
    std::size_t root();
    void place_root(std::size_t root);
    void attach(const UrdfJoint& joint, std::size_t parent);
    Joint moving_joint(const UrdfJoint& joint);
    void limits(const UrdfJoint& given, Joint& joint);
    Pose origin(const Element& element, std::optional<Vector>* roll_pitch_yaw = nullptr);
    Inertia inertia(const Element& link);
    void shapes(const Element& element, Link& link);
    void shape(const Element& element, Link& link, bool collides);
    bool has_size(const Shape& shape, const Element& form);

    // ---- mimics
    void mimics();
    void mimic(const UrdfJoint& joint, const Element& element);
    void refuse_circles();

    const Element& root_;
    bool floating_;
    Report& report_;
    Values values_;
    Meshes meshes_;
    Robot robot_;
    std::vector<const Element*> links_;
    std::map<std::string, std::size_t> link_numbers_;
    std::vector<UrdfJoint> joints_;
    std::set<std::string> joint_names_;
    std::map<std::size_t, std::string> carriers_;       // of links, the joints they are children of
    std::map<std::string, std::size_t> joint_numbers_;  // of robot_.joints
};

void UrdfReader::collect() {
    for (const Element& element : root_.children)
        if (element.name == "link") link(element);
    for (const Element& element : root_.children) {
        if (element.name == "joint") joint(element);
        else if (element.name != "link") top_level(element);
    }
    if (links_.empty()) report_.error(root_.place, "this robot has no link");
}

void UrdfReader::top_level(const Element& element) {
    if (element.name == "material") return;  // for the eye
    if (element.name.starts_with("xacro:"))
        report_.error(element.place, "this is a macro of xacro, which is not expanded",
                      "write the robot with 'xacro robot.xacro > robot.urdf' first");
    else if (element.name == "transmission")
        report_.warning(element.place, "<transmission> is not imported",
                        "give its rotor's inertia as 'armature', and its effort as a 'motor'");
    else if (element.name != "sensor")  // it only looks on
        report_.warning(element.place, fmt::format("<{}> is not imported", element.name));
}

/// Of an element and those in it.
void UrdfReader::check_attributes(const Element& element) {
    const auto found = urdf_attributes.find(element.name);
    if (found == urdf_attributes.end()) return;  // for the eye, or told already
    for (const Attribute& attribute : element.attributes) {
        const std::vector<std::string>& known = found->second;
        if (std::find(known.begin(), known.end(), attribute.name) != known.end()) continue;
        const auto near = nearest_name(attribute.name, known);
        report_.warning(
            attribute.place,
            fmt::format("'{}' of <{}> is not known, and left out", attribute.name, element.name),
            near ? fmt::format("did you mean '{}'?", *near) : "");
    }
    for (const Element& child : element.children) check_attributes(child);
}

void UrdfReader::link(const Element& element) {
    check_attributes(element);
    const std::string name(element.text("name"));
    if (name.empty()) report_.error(element.place, "this link has no name");
    else if (!link_numbers_.emplace(name, links_.size()).second)
        report_.error(element.place_of("name"), fmt::format("there are two links '{}'", name));
    links_.push_back(&element);
    for (const Element& part : element.children) {
        static const std::string_view known[] = {"inertial", "visual", "collision", "contact",
                                                 "self_collision_checking"};
        if (std::find(std::begin(known), std::end(known), part.name) == std::end(known))
            report_.warning(part.place, fmt::format("<{}> in a link is not imported", part.name));
    }
}

std::size_t UrdfReader::link_named(const Element& joint, std::string_view role) {
    const Element* element = joint.child(role);
    if (element == nullptr) {
        report_.error(joint.place,
                      fmt::format("the joint '{}' names no {} link", joint.text("name"), role));
        return no_link;
    }
    const std::string name(element->text("link"));
    if (const auto found = link_numbers_.find(name); found != link_numbers_.end())
        return found->second;
    std::vector<std::string> names;
    for (const auto& [known, number] : link_numbers_) names.push_back(known);
    const auto near = nearest_name(name, names);
    report_.error(element->place_of("link"), fmt::format("there is no link '{}'", name),
                  near ? fmt::format("did you mean '{}'?", *near) : "");
    return no_link;
}

void UrdfReader::joint(const Element& element) {
    check_attributes(element);
    UrdfJoint joint{&element, std::string(element.text("name")), std::string(element.text("type")),
                    link_named(element, "parent"), link_named(element, "child")};
    if (joint.name.empty()) report_.error(element.place, "this joint has no name");
    static const std::vector<std::string> types = {"revolute", "continuous", "prismatic",
                                                   "fixed",    "floating",   "planar"};
    if (std::find(types.begin(), types.end(), joint.type) == types.end()) {
        const auto near = nearest_name(joint.type, types);
        report_.error(element.place_of("type"),
                      fmt::format("joints of type '{}' are not known", joint.type),
                      near ? fmt::format("did you mean '{}'?", *near)
                           : "there are revolute, continuous, prismatic, fixed, floating, planar");
    }
    static const std::string_view known[] = {"origin", "parent",      "child",
                                             "axis",   "limit",       "dynamics",
                                             "mimic",  "calibration", "safety_controller"};
    for (const Element& part : element.children)
        if (std::find(std::begin(known), std::end(known), part.name) == std::end(known))
            report_.warning(part.place, fmt::format("<{}> in a joint is not imported", part.name));
    if (!joint.name.empty() && !joint_names_.insert(joint.name).second)
        report_.error(element.place_of("name"),
                      fmt::format("there are two joints '{}'", joint.name));
    if (joint.child != no_link)
        if (const auto [other, is_new] = carriers_.try_emplace(joint.child, joint.name); !is_new)
            report_.error(element.child("child")->place_of("link"),
                          fmt::format("the link '{}' has two parents: it is the child of '{}' too",
                                      links_[joint.child]->text("name"), other->second),
                          "URDF describes trees only; close loops in the model by constraints");
    joints_.push_back(std::move(joint));
}

/// The only link that is no joint's child.
std::size_t UrdfReader::root() {
    std::vector<char> is_child(links_.size(), 0);
    for (const UrdfJoint& joint : joints_) is_child[joint.child] = 1;
    std::vector<std::string> roots;
    std::size_t found = no_link;
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (is_child[i] == 0) {
            roots.emplace_back(links_[i]->text("name"));
            if (found == no_link) found = i;
            else
                report_.error(links_[i]->place,
                              fmt::format("the robot has two roots: neither '{}' nor '{}' hangs on "
                                          "another link",
                                          roots.front(), roots.back()),
                              "join them by a joint of type fixed");
        }
    if (found == no_link)
        report_.error(joints_.front().element->place,
                      "the joints go round in a circle: no link is the root");
    if (report_.has_errors()) throw GaveUp{};
    return found;
}

/// Links in the order of a walk down the tree, joints as the file has them.
void UrdfReader::arrange() {
    const std::size_t root_number = root();
    std::vector<std::vector<const UrdfJoint*>> below(links_.size());
    for (const UrdfJoint& joint : joints_) below[joint.parent].push_back(&joint);
    place_root(root_number);
    std::vector<std::pair<const UrdfJoint*, std::size_t>> waiting;  // with the parent's number
    const auto wait = [&](std::size_t link, std::size_t number) {
        for (auto i = below[link].rbegin(); i != below[link].rend(); ++i)
            waiting.push_back({*i, number});
    };
    wait(root_number, 0);
    while (!waiting.empty()) {
        const auto [joint, parent] = waiting.back();
        waiting.pop_back();
        attach(*joint, parent);
        wait(joint->child, robot_.links.size() - 1);
    }
    if (robot_.links.size() == links_.size()) return;
    for (const UrdfJoint& joint : joints_)
        if (std::none_of(robot_.links.begin(), robot_.links.end(), [&](const Link& link) {
                return link.name == links_[joint.child]->text("name");
            })) {
            report_.error(joint.element->place,
                          fmt::format("'{}' hangs on itself: the joints go round in a circle",
                                      links_[joint.child]->text("name")));
            throw GaveUp{};
        }
}

void UrdfReader::place_root(std::size_t number) {
    const Element& element = *links_[number];
    Link link;
    link.name = element.text("name");
    link.place = element.place;
    link.inertia = inertia(element);
    shapes(element, link);
    if (floating_) {
        Joint joint;
        joint.name = link.name;
        joint.place = element.place;
        joint.kind = Joint::Kind::free;
        link.joints = {robot_.joints.size()};
        robot_.joints.push_back(std::move(joint));
    }
    robot_.links.push_back(std::move(link));
}

void UrdfReader::attach(const UrdfJoint& given, std::size_t parent) {
    const Element& element = *links_[given.child];
    Link link;
    link.name = element.text("name");
    link.place = element.place;
    link.parent = parent;
    link.inertia = inertia(element);
    shapes(element, link);
    if (const Element* place = given.element->child("origin"))
        link.pose = origin(*place, &link.roll_pitch_yaw);
    if (given.type == "fixed") {
        link.weld = given.name;
        if (const Element* mimic = given.element->child("mimic"))
            report_.warning(mimic->place, "a fixed joint cannot follow another: this is left out");
    } else {
        joint_numbers_[given.name] = robot_.joints.size();
        link.joints = {robot_.joints.size()};
        robot_.joints.push_back(moving_joint(given));
    }
    robot_.links.push_back(std::move(link));
}

Joint UrdfReader::moving_joint(const UrdfJoint& given) {
    const Element& element = *given.element;
    Joint joint;
    joint.name = given.name;
    joint.place = element.place;
    joint.kind = given.type == "prismatic"  ? Joint::Kind::slide
                 : given.type == "floating" ? Joint::Kind::free
                 : given.type == "planar"   ? Joint::Kind::planar
                                            : Joint::Kind::hinge;
    joint.axis = {1, 0, 0};
    if (const Element* axis = element.child("axis"))
        joint.axis = values_.direction(*axis, "xyz", joint.axis);
    limits(given, joint);
    if (const Element* dynamics = element.child("dynamics")) {
        joint.damping.a = values_.number(*dynamics, "damping", 0);
        joint.friction = values_.number(*dynamics, "friction", 0);
        for (const auto& [name, value] :
             {std::pair{"damping", joint.damping.a}, std::pair{"friction", joint.friction}})
            if (value < 0)
                report_.error(dynamics->place_of(name),
                              fmt::format("'{}' cannot be negative", name));
    }
    return joint;
}

void UrdfReader::limits(const UrdfJoint& given, Joint& joint) {
    const Element* limit = given.element->child("limit");
    const bool bounded = given.type == "revolute" || given.type == "prismatic";
    if (limit == nullptr) {
        if (bounded)
            report_.warning(given.element->place,
                            fmt::format("the joint '{}' is {} but has no <limit>: it moves freely",
                                        given.name, given.type));
        return;
    }
    const double low = values_.number(*limit, "lower", 0),
                 high = values_.number(*limit, "upper", 0);
    std::string sign = "at most ";
    for (const char* name : {"effort", "velocity"})
        if (const auto value = values_.number(*limit, name); value && *value > 0) {
            joint.remark += fmt::format("{}{} {}", sign, name, shortest(*value));
            sign = ", ";
        }
    if (!bounded) return;  // of continuous joints the rules say that lower and upper do not count
    if (low > high)
        report_.error(limit->place, fmt::format("the joint '{}' has no room: lower {} is above "
                                                "upper {}",
                                                given.name, rounded(low), rounded(high)));
    else if (low == high)
        report_.warning(limit->place,
                        fmt::format("the range of '{}' is the single value {}: it is left out, the "
                                    "joint moves freely",
                                    given.name, rounded(low)),
                        limit->has("lower") || limit->has("upper")
                            ? "make the joint fixed if it is to be locked"
                            : "'lower' and 'upper' are missing, which means 0 in URDF");
    else if (low > -no_limit || high < no_limit) joint.range = Bounds{low, high};
}

Pose UrdfReader::origin(const Element& element, std::optional<Vector>* roll_pitch_yaw) {
    const Vector rpy = values_.vector(element, "rpy", {});
    if (roll_pitch_yaw != nullptr) *roll_pitch_yaw = rpy;
    if (element.has("quat_xyzw"))
        report_.error(element.place_of("quat_xyzw"), "'quat_xyzw' is not read: give 'rpy'");
    return {values_.vector(element, "xyz", {}), fixed_axes(rpy[0], rpy[1], rpy[2])};
}

/// About the centre of mass; the tensor of the file is in the axes of the inertial's origin.
Inertia UrdfReader::inertia(const Element& link) {
    Inertia result;
    const Element* given = link.child("inertial");
    if (given == nullptr) return result;
    const Element* mass = given->child("mass");
    const auto value = mass != nullptr ? values_.number(*mass, "value") : std::nullopt;
    if (!value) report_.error(given->place, "the inertial has no <mass value=\"...\"/>");
    else if (*value < 0) report_.error(mass->place_of("value"), "a mass cannot be negative");
    result.mass = value.value_or(0);
    Pose pose;
    if (const Element* place = given->child("origin")) pose = origin(*place);
    result.center = pose.place;
    const Element* inertia = given->child("inertia");
    if (inertia == nullptr) {
        report_.warning(given->place, fmt::format("the inertial of '{}' has no <inertia>: it is a "
                                                  "point mass",
                                                  link.text("name")));
        return result;
    }
    for (const char* moment : {"ixx", "iyy", "izz"})
        if (!inertia->has(moment))
            report_.error(inertia->place, fmt::format("the inertia has no '{}'", moment));
    const auto entry = [&](std::string_view name) { return values_.number(*inertia, name, 0); };
    const Tensor tensor{entry("ixx"), entry("iyy"), entry("izz"),
                        entry("ixy"), entry("ixz"), entry("iyz")};
    result.tensor = turned(pose.turn, tensor);
    return result;
}

void UrdfReader::shapes(const Element& element, Link& link) {
    for (const Element& part : element.children) {
        if (part.name == "collision") shape(part, link, true);
        if (part.name == "visual") shape(part, link, false);
    }
}

/// Cylinders are along z, boxes have full sizes.
void UrdfReader::shape(const Element& element, Link& link, bool collides) {
    const Element* geometry = element.child("geometry");
    if (geometry == nullptr || geometry->children.empty()) return;
    const Element& form = geometry->children.front();
    Shape shape;
    shape.place = form.place;
    shape.collides = collides;
    if (const Element* place = element.child("origin")) shape.pose = origin(*place);
    if (form.name == "box") {
        shape.kind = Shape::Kind::box;
        shape.size = values_.vector(form, "size", {});
    } else if (form.name == "sphere") {
        shape.size[0] = values_.number(form, "radius", 0);
    } else if (form.name == "cylinder" || form.name == "capsule") {
        shape.kind = form.name == "cylinder" ? Shape::Kind::cylinder : Shape::Kind::capsule;
        shape.size = {values_.number(form, "radius", 0), values_.number(form, "length", 0), 0};
    } else if (form.name == "mesh") {
        shape.kind = Shape::Kind::mesh;
        shape.scale = values_.vector(form, "scale", shape.scale);
        shape.file = meshes_.find(form.text("filename"), form.place_of("filename"));
    } else {
        report_.warning(form.place, fmt::format("the shape <{}> is not known", form.name));
        return;
    }
    if (has_size(shape, form)) link.shapes.push_back(std::move(shape));
}

/// Shapes without a size, as some files have them, are left out.
bool UrdfReader::has_size(const Shape& shape, const Element& form) {
    if (shape.kind == Shape::Kind::mesh) {
        const bool is_flat = shape.scale[0] * shape.scale[1] * shape.scale[2] == 0;
        if (is_flat && !shape.file.empty())
            meshes_.leave_out(form.text("filename"), "its scale is 0", form.place_of("scale"));
        return !is_flat && !shape.file.empty();
    }
    const std::size_t sizes = shape::facts_of(shape.kind).sizes;
    for (std::size_t i = 0; i < sizes; ++i)
        if (!(shape.size[i] > 0)) {
            report_.warning(form.place, fmt::format("this {} is left out: its sizes are not "
                                                    "positive",
                                                    form.name));
            return false;
        }
    return true;
}

void UrdfReader::mimics() {
    for (const UrdfJoint& joint : joints_)
        if (const Element* element = joint.element->child("mimic"))
            if (joint.type != "fixed") mimic(joint, *element);
    refuse_circles();
}

void UrdfReader::mimic(const UrdfJoint& joint, const Element& element) {
    const std::string leader(element.text("joint"));
    const auto found = joint_numbers_.find(leader);
    if (found == joint_numbers_.end()) {
        std::vector<std::string> names;
        for (const auto& [name, number] : joint_numbers_) names.push_back(name);
        const auto near = nearest_name(leader, names);
        report_.error(element.place_of("joint"),
                      fmt::format("there is no joint '{}' that moves", leader),
                      near ? fmt::format("did you mean '{}'?", *near) : "");
        return;
    }
    Coupling coupling;
    coupling.name = joint.name;
    coupling.place = element.place;
    coupling.follower = joint_numbers_.at(joint.name);
    coupling.leader = found->second;
    coupling.coefficients = {values_.number(element, "offset", 0),
                             values_.number(element, "multiplier", 1)};
    coupling.is_mimic = true;
    for (const std::size_t one : {coupling.follower, coupling.leader})
        if (!robot_.joints[one].is_single()) {
            report_.error(element.place,
                          fmt::format("'{}' has more than one coordinate: a mimic is between "
                                      "joints with one",
                                      robot_.joints[one].name));
            return;
        }
    robot_.couplings.push_back(std::move(coupling));
}

/// A joint follows at most one other, so a circle is found by walking; what was walked before is
/// known.
void UrdfReader::refuse_circles() {
    std::map<std::size_t, const Coupling*> leader;
    for (const Coupling& coupling : robot_.couplings) leader[coupling.follower] = &coupling;
    std::map<std::size_t, std::size_t> walk_of;  // the first follower of the walk that came by
    for (const Coupling& coupling : robot_.couplings) {
        std::size_t at = coupling.follower;
        while (leader.contains(at) && walk_of.try_emplace(at, coupling.follower).second)
            at = leader.at(at)->leader;
        if (leader.contains(at) && walk_of.at(at) == coupling.follower)
            report_.error(leader.at(at)->place,
                          fmt::format("'{}' follows itself by its mimics", robot_.joints[at].name));
    }
}

}  // namespace

Robot read_urdf(const Element& root, const std::filesystem::path& file, bool floating, Files& files,
                Report& report) {
    return UrdfReader(root, floating, Meshes(file, files, report), report).read();
}

}  // namespace lacon::robot
