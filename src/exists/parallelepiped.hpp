// Sets of states with turned axes, which keep verified steps from growing by wrapping.
#pragma once

#include <optional>
#include <vector>

#include "interval/matrix.hpp"
#include "lacon/matrix.hpp"

namespace lacon::inline existence {

/// A set of states {middle + C r : r in an interval vector}, C nearly orthogonal (Lohner): linear
/// maps turn it round instead of wrapping it in larger and larger boxes.
struct Parallelepiped {
    std::vector<double> middle;  // (d)
    Matrix C;                    // (d × d)
    std::vector<Interval> r;     // (d)

    static Parallelepiped point(const std::vector<double>& x);
    std::vector<Interval> hull() const;

    /// The image under x → y + J (x − middle), for all y and J in what is given; nothing where
    /// rounding makes C singular.
    std::optional<Parallelepiped> image(const std::vector<Interval>& y,
                                        const IntervalMatrix& J) const;
};

}  // namespace lacon::existence
