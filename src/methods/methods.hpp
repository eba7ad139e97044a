// Factory functions of the integration methods.
#pragma once

#include <memory>

#include "methods/method.hpp"
#include "methods/tableau.hpp"

/// All methods there are. A new one is a file and a line here and in driver/plan/choose.cpp.
namespace lacon::inline methods {

std::unique_ptr<Method> make_taylor(DenseField& field, const MethodOptions& options);
std::unique_ptr<Method> make_runge_kutta(const Tableau& tableau, DenseField& field,
                                         const MethodOptions& options);
/// Gauss–Legendre of order 6 with symmetric projection, fixed step.
std::unique_ptr<Method> make_gauss(DenseField& field, const MethodOptions& options, bool projects);
/// Radau IIA of order 5, 9 or 13 by the tolerance, for stiff systems; each step stands for itself.
std::unique_ptr<Method> make_radau(DenseField& field, const MethodOptions& options);
/// The smallest part of a value that CVODE is asked to be right to: below, rounding of the values
/// is all of its error estimates.
constexpr double cvode_floor = 16.0 * 2.220446049250313e-16;
/// SUNDIALS CVODE: backward differentiation (stiff) or Adams, variable order and step.
std::unique_ptr<Method> make_cvode(bool stiff, DenseField& field, const MethodOptions& options,
                                   bool projects);

}  // namespace lacon::methods
