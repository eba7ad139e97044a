// Finds other programs.
#pragma once

#include <string>

namespace lacon::inline base {

/// The path of a program, from PATH; empty if there is none.
std::string find_program(const std::string& name);

}  // namespace lacon::base
