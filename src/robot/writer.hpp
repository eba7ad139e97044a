// The parts of the model's writer: lines with their origins, and numbers as text.
#pragma once

#include "robot/names.hpp"

namespace lacon::inline robot {

/// "0.1", "-3", "1e-05": reads back to the same double.
std::string number_text(double value);
std::string vector_text(const Vector& v);
/// Components that are only the rounding of others are 0.
Vector without_rounding(const Vector& v);

/// Σ factor·symbol + constant, as it would be written by hand.
class SumText {
public:
    SumText& add(double factor, std::string_view symbol = {});
    const std::string& text() const { return text_; }

private:
    std::string text_ = "0";
    bool empty_ = true;
};

std::string plain_text(std::string_view text);

class ModelWriter {
public:
    ModelWriter(const Robot& robot, const WriteOptions& options)
        : robot_(robot), options_(options), names_(name_parts(robot, options)) {}
    ModelText write();

private:
    // ---- lines
    /// A statement, with its origin as a comment.
    void line(const FilePlace& place, const std::string& text);
    void comment(const std::string& text);
    void gap();
    std::string origin_of(const FilePlace& place) const;

    // ---- the tree (write_links.cpp)
    void head();
    void links();
    void link(std::size_t number);
    void body(std::size_t number);
    std::string shapes_text(const std::vector<Shape>& shapes) const;
    std::string shape_text(const Shape& shape) const;
    void hang(std::size_t number);
    std::string placed(const Pose& pose, const std::optional<Vector>& roll_pitch_yaw) const;
    std::string joint_text(const Joint& joint, const Pose& from, const Link* link) const;
    std::string properties(std::size_t number) const;
    void joint_forces(std::size_t number);
    void several_coordinates(const Joint& joint, const std::string& name);
    void ball_spring(const Joint& joint, const std::string& name);
    std::string body_name(std::size_t link) const;

    // ---- what couples and drives (write_couplings.cpp)
    void couplings();
    void closures();
    void tendons();
    void tendon(std::size_t number);
    void drives();
    void drive(std::size_t number);
    std::string drive_force(const Drive& drive, const std::string& control,
                            const std::string& length) const;
    std::string tendon_text(const Tendon& tendon) const;
    std::string tendon_length(std::size_t number) const;

    // ---- the start (write_start.cpp)
    void start();
    void start_of(std::size_t joint, const std::vector<double>& q, const std::vector<double>& v,
                  const FilePlace& place);
    std::vector<double> drawn_values(std::size_t joint) const;

    const Robot& robot_;
    const WriteOptions& options_;
    ModelNames names_;
    ModelText result_;
    std::vector<std::size_t> link_of_joint_;
    std::vector<const Coupling*> mimic_of_joint_;
};

}  // namespace lacon::robot
