// The equation of motion in interval arithmetic: encloses q'' over a box and proves that the chosen
// rows stay independent there (theory 5).
#pragma once

#include <optional>
#include <vector>

#include "exists/bordered.hpp"
#include "exists/box.hpp"
#include "interval/jet.hpp"
#include "interval/matrix.hpp"
#include "solve/verified/verified.hpp"

namespace lacon::inline existence {

/// What can be shown of q'' over a box.
struct Enclosure {
    enum class Verdict {
        proven,  ///< the rows are independent everywhere in the box, and q'' lies where it is said
        undefined,  ///< something may have no value there
        singular,   ///< the rows may depend on each other, or M may not be definite along what they
                    ///< leave free
    };
    Verdict verdict = Verdict::undefined;
    std::vector<Interval> acceleration;  // q'' (n)
    IntervalMatrix slope;                // ∂q''/∂(q, q', t) (n × (2n + 1))
    Smoothness smoothness = Smoothness::smooth;
    std::uint32_t origin = 0;  // verdict undefined: what has no value, into System::origins
    /// Verdict not proven: the direction along which halves are the most different.
    std::size_t steepest = 0;
};

/// The equation of motion over boxes of states (theory 2, 5), with every rounding outward: K z = r
/// with K = [M Aᵀ; A 0], z = (q'', −λ), r = (Q, b). The elements are enclosed by their natural and
/// their mean-value form, the solve by a verified linear solver, and the whole once more by the
/// mean-value form q''(c) + ∂q''/∂x (x − c). Regular K everywhere in a box shows that the rank of A
/// is that of its rows there. The parameters are the doubles they are. Constraints and energies
/// themselves are looked at too, since a jump in them may leave no trace in their derivatives.
class BoxField {
public:
    /// Of the constraint rows those in `rows`. `details` must outlive the field.
    BoxField(const DerivedModel& details, const std::vector<std::size_t>& rows);

    Enclosure over(const Box& box);
    /// q'' at a point, to rounding; nothing where it is undefined or K is singular.
    std::optional<std::vector<Interval>> at(const Box& point);

    std::size_t n() const { return system_.n(); }
    std::size_t size() const { return system_.size(); }  ///< equations of the solve

private:
    struct ElementNumbers {
        std::vector<Interval> values;
        std::vector<Jet> jets;  // empty at points
    };
    bool assemble(const Box& box, bool with_slopes, Enclosure& out);
    bool look_before_derivation(const Box& box, Enclosure& out);
    bool look(std::size_t number, const Program& code, const Box& box, Enclosure& out);
    bool enclose(std::size_t number, const Box& box, bool with_slopes);
    void enclose_with_slopes(std::size_t number, const Box& box);
    void gather(std::size_t number, const Box& box);
    IntervalMatrix slopes(const Box& box, const std::vector<Interval>& z);
    std::size_t steepest_of(std::size_t number, const Box& box) const;
    std::size_t steepest(const Box& box) const;

    Bordered system_;
    std::vector<std::size_t> all_;         // elements, those of rows that are left out too
    std::vector<ElementNumbers> numbers_;  // of all elements
    IntervalMatrix K_;
    std::vector<Interval> r_, inputs_, slots_, middle_;
    std::vector<Jet> jet_inputs_, jet_slots_;
    VerifiedFactor factor_;
};

}  // namespace lacon::existence
