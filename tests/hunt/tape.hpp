// Expressions as a list of operations, with derivatives, for the oracle.
#pragma once

#include "hunt/tree.hpp"

/// Values of many expressions of a tree at once, in 256 bits, with the rounding error that doubles
/// would make of each. Decisions
/// (`if`, abs, min, the pieces of a spline) can be frozen, so that an integrator sees a smooth
/// field.
namespace hunt {

/// A natural cubic spline, zero outside its points.
class Spline {
public:
    explicit Spline(const Table& table);
    int piece(
        const Real& x) const;  // −1 before the first point, size of the table − 1 behind the last
    Real value(const Real& x, int piece, int order) const;
    std::size_t points() const { return x_.size(); }
    const Real& point(int i) const { return x_[static_cast<std::size_t>(i)]; }

private:
    Reals x_, y_, curvature_;
};

struct Point {
    Real t;
    Reals q, v;
};

/// How each decision of a tape is taken.
using Modes = std::vector<int>;

class Tape {
public:
    Tape(const Tree& tree, const std::vector<int>& outputs, const std::vector<Table>& tables);

    /// With `modes` decisions are taken as they say; without, by the values.
    void evaluate(const Point& at, const Modes* modes = nullptr);
    /// After evaluate(): what doubles would lose at most of each value, to first order.
    void bound_errors();
    const Real& operator[](std::size_t output) const { return value_[outputs_[output]]; }
    double error(std::size_t output) const { return error_[outputs_[output]]; }

    /// After evaluate(): decisions as the values take them.
    Modes modes() const;
    /// After evaluate(): one number for each side of each decision, negative where the value
    /// contradicts the mode.
    Reals margins(const Modes& modes) const;
    bool has_decisions() const { return !decisions_.empty(); }
    std::size_t operations() const { return steps_.size(); }

private:
    struct Step {
        Node node;
        std::vector<std::size_t> args;  // numbers of steps
        int decision = -1;
    };
    Real compute(const Step& step, const Point& at, const Modes* modes) const;
    int mode_of(const Step& step) const;
    double error_of(const Step& step, std::size_t i) const;

    std::vector<Step> steps_;
    std::vector<std::size_t> outputs_, decisions_;
    std::vector<Spline> splines_;
    Reals value_;
    std::vector<double> error_;
};

}  // namespace hunt
