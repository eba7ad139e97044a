// Square linear systems, with the determinant that the test for unique loads needs.
#pragma once

#include <span>
#include <vector>

#include "lacon/matrix.hpp"

namespace lacon::solving::inline dense {

/// S x = y for a square S without further properties, by elimination with pivots.
struct SquareSolution {
    std::vector<double> x;
    double determinant = 0.0;  // zero: x is not to be used
};
SquareSolution solve_square(const Matrix& S, std::span<const double> y);

}  // namespace lacon::solving::dense

namespace lacon {
using solving::solve_square;
using solving::SquareSolution;
}  // namespace lacon
