// Bodies, contacts and frictions that the generators of contact cases build from.
#pragma once

#include <algorithm>

#include "hunt/generate.hpp"

/// Planar bodies that touch each other and fixed lines: what the makers of contacts build from.
namespace hunt {

struct Vector {
    Term x, y;
};

/// Gap and velocity of sliding of one contact.
struct ContactState {
    Term gap, slip;
};

class Scene {
public:
    explicit Scene(Dice& rolled) : dice(rolled) {}

    /// Coordinates x, y, th with a number behind them; mass and inertia by chance.
    int add_body(double x, double y, double angle);
    /// A point of the body, at (a, b) in its own axes.
    Vector point(int body, double a, double b) const;
    Vector velocity(const Vector& of) const { return {rate_of(of.x), rate_of(of.y)}; }
    Term rate_of(const Term& f) const;

    /// A point on the line n·p = c, n at `angle`; c such that the gap at the start is `gap`. `belt`
    /// is the line's own speed.
    ContactState on_line(const Vector& p, double angle, double gap, double belt = 0.0);
    /// Two discs about the centres of bodies, of radius r and R; they start with the gap.
    ContactState discs(int first, int second, double part, double gap);

    void add(const std::string& name, const ContactState& touch, double friction,
             double restitution = 0.0);
    /// Start velocities by chance, with the gaps of closed contacts constant; of those in `still`
    /// no sliding either.
    void move(double size, const std::vector<bool>& still);

    bool is_closed(int row) const { return std::ranges::count(closed_, row) > 0; }

    Dice& dice;
    Model model;

private:
    double value(const Term& f) const;
    std::vector<int> closed_;  // rows
};

/// A plan that contacts allow.
Case contact_motion_of(Dice& dice, Model model, double end);
/// The particle p at coordinates 0 and 1 on y >= height(x), or held to it; friction where it is not
/// negative.
void add_curve(Model& model, const std::string& name, const Term& height, double friction,
               bool one_sided);
/// The start on the curve of row 0, moving along it; `speed` is that of x.
void start_on_curve(Model& model, double speed);

}  // namespace hunt
