#pragma once

#include <memory>

#include "motion/method.hpp"
#include "motion/tableau.hpp"

/// All methods there are. A new one is a file and a line here and in choose.cpp.
namespace lacon {

std::unique_ptr<Method> make_taylor(Field& field, const MethodOptions& options);
std::unique_ptr<Method> make_runge_kutta(const Tableau& tableau, Field& field, const MethodOptions& options);
/// Gauss–Legendre of order 6 with symmetric projection, fixed step.
std::unique_ptr<Method> make_gauss(Field& field, const MethodOptions& options, bool projects);
/// SUNDIALS CVODE: backward differentiation (stiff) or Adams, variable order and step.
std::unique_ptr<Method> make_cvode(bool stiff, Field& field, const MethodOptions& options, bool projects);

}  // namespace lacon
