// Short lists of constraint names for messages.
#pragma once

#include <string>
#include <vector>

namespace lacon::inline state {

/// A constraint as the user named it, with its rows: several for a vector constraint.
struct NamedRows {
    std::string name;
    std::vector<std::size_t> rows;
};
/// All constraints behind the names of rows "pin.x", "pin.y", "rod", in that order: "pin" and
/// "rod".
std::vector<NamedRows> constraints_of(const std::vector<std::string>& row_names);

/// Names of some rows, for people: a vector constraint all of whose rows are among them is named
/// once, and three members or more of a family that follow each other as a range, "rod[1..40]".
struct ShortNames {
    std::vector<std::string> names;
    bool whole_vectors = false;  // whether a name stands for the rows of a vector constraint
};
ShortNames short_names(const std::vector<std::string>& row_names,
                       const std::vector<std::size_t>& rows);

}  // namespace lacon::state
