// Long lists of indexed names written as ranges, for messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Many names in few words.
namespace lacon::inline state {

/// "grid[3,4].x" taken apart; a name that is no member of a family is all stem.
struct FamilyName {
    std::string stem;                   // "grid"
    std::vector<std::int64_t> indices;  // 3, 4
    std::string ending;                 // ".x"
    bool operator==(const FamilyName&) const = default;
};
FamilyName family_name(const std::string& name);
std::string text_of(const FamilyName& name);

/// Names of family members by ranges of their indices, in the order in which they come: "'rod[1]'
/// to 'rod[40]', 'bar'". Names that differ in one index by equal steps make a range; where steps
/// are not 1 they are told: "'x[1]' to 'x[99]' by 2". At most `most` of the parts are written out.
std::string ranges_text(const std::vector<std::string>& names, std::size_t most = 8);
/// "1..40, 77, 80..90".
std::string index_ranges_text(const std::vector<std::int64_t>& indices, std::size_t most = 8);

}  // namespace lacon::state
