// Lists the files that a model reads.
#pragma once

#include <string>
#include <vector>

#include "base/source.hpp"

namespace lacon::lang {

/// The paths of the files that a model reads: signals, lists and robots, each once, in the order
/// of the text.
std::vector<std::string> named_files(const SourceText& source);

}  // namespace lacon::lang

namespace lacon {
using lang::named_files;
}  // namespace lacon
