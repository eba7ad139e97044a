// Reads a measured signal from a text file. Curve (expr/curve.hpp) makes a smooth function of it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/cells.hpp"

/// Measured signals in text files: two columns of numbers, the argument and the values.
namespace lacon::inline data {

/// A column of a file, by the name in its header or by its number, from 1.
struct SignalColumn {
    std::string name;  // empty: by number
    std::size_t number = 0;
};

struct SignalSource {
    std::filesystem::path folder;  // that the file must lie under; empty: the current one
    std::string file;              // relative to it
    SignalColumn argument{{}, 1}, values{{}, 2};
};

struct Signal {
    std::vector<double> x, y;  // as long as each other, two or more; x increases strictly
};

/// Reads a file of the model's folder. Throws DataError for a file that lies elsewhere, is too
/// large, or is wrong.
Signal read_signal(const SignalSource& source);

/// The same from the text of a file.
Signal read_signal_text(std::string_view text, const SignalSource& source);

}  // namespace lacon::data
