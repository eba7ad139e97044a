// The parts of the MJCF reader: settings of the compiler, default classes, included files, and the
// reader itself, whose methods are in mjcf_*.cpp by sections of the file.
#pragma once

#include <map>
#include <set>

#include "robot/readers.hpp"

namespace lacon::inline robot {

/// <compiler>: how the rest of the file is to be read.
struct MjcfCompiler {
    bool degrees = true;
    std::string euler_axes = "xyz";  // capitals: about fixed axes
    bool autolimits = true;
    enum class FromGeoms { never, where_missing, always };
    FromGeoms inertia_from_geoms = FromGeoms::where_missing;
    Bounds inertia_groups{0, 5};
    double least_mass = 0, least_inertia = 0;
    bool balance_inertia = false;
    double total_mass = -1;  // not positive: as it is
    std::string mesh_folder;
    bool strips_folders = false;  // of the names of files
};

/// <mesh> of an <asset>. What it encloses is found when a mass is asked for.
struct MjcfMesh {
    std::string file;
    FilePlace asked;  // where it is named
    bool inline_points = false;
    Vector scale{1, 1, 1};
    Vector place{};  // the origin and attitude of the geom's axes in those of the file
    Turn turn;
    std::optional<Inertia> moments;  // of density 1
    std::string in_model;  // how the model names the file; empty: shapes of it are left out
};

/// <default>: attributes by class and kind of element. A nested class has those of its parent that
/// it does not set itself.
class MjcfDefaults {
public:
    explicit MjcfDefaults(Report& report) : report_(report) {}
    void read(const Element& section) { read(section, true); }
    /// The element with the attributes of its class, or else of `child_class`, that it lacks.
    Element complete(const Element& element, const std::string& child_class) const;
    bool knows(const std::string& name) const { return classes_.contains(name); }
    std::vector<std::string> names() const;

private:
    struct Class {
        std::string parent;                                                     // empty: none
        std::map<std::string, std::vector<Attribute>, std::less<>> attributes;  // by kind
    };
    void read(const Element& section, bool is_top, const std::string& parent = {});

    Report& report_;
    std::map<std::string, Class> classes_{{"main", {}}};
};

/// Puts the content of included files in the place of each <include>; each file at most once.
void expand_includes(Element& root, const std::filesystem::path& main_file, Files& files,
                     Report& report);

/// Warns of attributes that the reader does not know, and once of settings for soft constraints.
class MjcfAttributes {
public:
    explicit MjcfAttributes(Report& report) : report_(report) {}
    void check(const Element& element);

private:
    Report& report_;
    bool soft_told_ = false;
};

/// Mass, centre and inertia of a solid geom in the body's axes.
Inertia inertia_of_solid(const Shape& shape, std::optional<double> mass, double density);

class MjcfReader {
public:
    MjcfReader(const Element& root, const std::filesystem::path& file, Files& files, Report& report)
        : root_(root),
          folder_(file.parent_path()),
          files_(files),
          report_(report),
          values_(report),
          defaults_(report),
          attributes_(report),
          shape_files_(file, files, report) {}
    Robot read();

private:
    /// Where an element stands.
    struct Scope {
        std::size_t link = no_link;
        Pose frame;  // in the link's
        std::string child_class;
        std::string suffix;  // of names, in <replicate>
        std::size_t depth = 0;
    };
    struct Site {
        std::size_t link = no_link;
        Pose pose;
    };
    struct Solid {  // a geom with volume
        Shape shape;
        std::optional<double> mass;
        double density = 1000;
        int group = 0;
        std::string mesh;     // the asset's name
        bool fitted = false;  // a simple shape that is fitted to a mesh
    };

    // ---- settings (mjcf_settings.cpp)
    template <class Do>
    void each_section(std::string_view name, Do what) {
        for (const Element& section : root_.children)
            if (section.name == name) what(section);
    }
    void compiler(const Element& element);
    void option(const Element& element);
    void unknown_sections();
    void check_defaults(const Element& section);
    Turn orientation(const Element& element);
    Turn euler(const Element& element, const std::vector<double>& angles);
    double angle(double given) const;

    // ---- bodies (mjcf_bodies.cpp)
    void content(const Element& element, const Scope& scope);
    void body(const Element& given, const Scope& scope);
    void frame(const Element& given, const Scope& scope);
    void replicate(const Element& element, const Scope& scope);
    void joint(const Element& given, const Scope& scope);
    void joint_values(const Element& element, Joint& joint);
    void joint_kind(const Element& element, Joint& joint);
    Polynomial3 polynomial(const Element& element, std::string_view name);
    std::optional<Bounds> range(const Element& element, std::string_view limited,
                                std::string_view range, double scale);
    void site(const Element& given, const Scope& scope);
    std::string class_of(const Element& element, const Scope& scope);
    std::string name_of(const Element& element, const Scope& scope);
    void count(const Element& element);

    // ---- inertia (mjcf_inertia.cpp)
    void geom(const Element& given, const Scope& scope);
    void keep_shape(const Solid& solid, const Element& element, const Scope& scope);
    void geom_size(const Element& element, Shape& shape);
    bool from_to(const Element& element, Shape& shape);
    void inertial(const Element& element, const Scope& scope);
    void set_inertias();
    void bound(Link& link);
    void set_total_mass();

    // ---- meshes (mjcf_meshes.cpp)
    void mesh(const Element& given);
    std::optional<Inertia> inertia_of_mesh(const Solid& solid, const std::string& link);

    // ---- what is between bodies (mjcf_couplings.cpp)
    void equality(const Element& given);
    void connect(const Element& element);
    void weld(const Element& element);
    void couple(const Element& element, bool tendons);
    void tendon(const Element& given);
    bool ends(const Element& element, Closure& closure, Pose& first, Pose& second, bool& by_sites);
    std::size_t joint_named(const Element& element, std::string_view attribute);
    std::size_t tendon_named(const Element& element, std::string_view attribute);
    std::size_t link_named(const Element& element, std::string_view attribute);
    std::size_t found(const std::map<std::string, std::size_t>& all, const Element& element,
                      std::string_view attribute, std::string_view what);

    // ---- actuators and keyframes (mjcf_drives.cpp)
    void drive(const Element& given);
    bool drive_target(const Element& element, Drive& drive);
    bool drive_law(const Element& element, Drive& drive);
    bool general_law(const Element& element, Drive& drive);
    void keyframe(const Element& element);

    const Element& root_;
    const std::filesystem::path folder_;
    Files& files_;
    Report& report_;
    Values values_;
    MjcfDefaults defaults_;
    MjcfAttributes attributes_;
    MjcfCompiler compiler_;
    Meshes shape_files_;
    Robot robot_;
    std::map<std::string, std::size_t> links_, joints_, tendons_;
    std::map<std::string, Site> sites_;
    std::map<std::string, MjcfMesh> meshes_;
    std::map<std::size_t, std::vector<Solid>> solids_;  // by links
    std::set<std::size_t> has_inertial_;
    std::size_t count_ = 0;
    bool contacts_ = false;
};

}  // namespace lacon::robot
