// Reads a robot file as text of a model: what `import` and `lacon convert` do.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace lacon::inline robot {

enum class RobotRoot { as_usual, fixed, floating };

struct ImportOptions {
    std::string name;  // before all names, with a `_` between; empty: nothing
    RobotRoot root = RobotRoot::as_usual;
    bool whole = false;  // a model of its own, with title and time span
    bool gravity = true;
    std::function<bool(std::string_view)> is_reserved;  // names that a model cannot declare
    std::function<bool(std::string_view)> has_start;    // names whose start is given elsewhere
};

/// A robot as statements of a model, and which place of which file each was made from.
struct ImportedText {
    std::string text;
    std::vector<MadeFrom> origins;
    std::vector<std::string> files;  // that were read
};

/// Reads a URDF or MJCF file, told apart by its outermost element, and what it includes, all within
/// `folder`. What is wrong with the files is reported at its place in them; then the text is empty.
/// Throws std::runtime_error with a sentence where the file itself cannot be read.
ImportedText import_robot(const std::filesystem::path& file, const std::filesystem::path& folder,
                          const ImportOptions& options, Diagnostics& diagnostics);

}  // namespace lacon::robot
