// The oracle's motion with contacts and friction.
#pragma once

#include <string>

#include "hunt/contact_equations.hpp"

/// The oracle's motion with contacts and friction: parts of constant modes in 256 bits, ended
/// where a gap, a force, the room in a cone or a velocity of sliding comes to 0; what comes next is
/// decided by trial of all modes.
namespace hunt {

struct ContactEvent {
    std::string kind;  // as the engine names them: impact, contact, release, stick, slip, settled
    std::string name;
    double t = 0.0;
};

struct ContactMotion {
    std::string why;  // it ended before the last time; empty where not
    std::vector<Point> rows;
    std::vector<ContactEvent> events;
};

/// `push`: a constant generalized force beside the model's, to see how an error grows.
ContactMotion follow_contacts(const Model& model, const Point& from,
                              const std::vector<double>& times, const Reals& push = {});

}  // namespace hunt
