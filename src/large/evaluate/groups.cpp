// Puts dependent sets into groups: sets whose names, index offsets and coefficients are alike get
// one sentence with ranges of indices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "large/evaluate/evaluate.hpp"
#include "state/family_names.hpp"
#include "state/verdict.hpp"

namespace lacon::inline large {

namespace {

/// What is the same in all sets of a group: the stems, how far indices lie from those of the first
/// row, and the coefficients.
struct Likeness {
    std::string key;
    std::vector<FamilyName> names;
};

Likeness likeness_of(const DerivedModel& details, const DependentSet& set) {
    Likeness like;
    like.key = fmt::format("{}{}|", set.conflict, set.undecided);
    for (std::size_t k = 0; k < set.rows.size(); ++k) {
        FamilyName name = family_name(details.constraint_names[set.rows[k]]);
        like.key += name.stem + name.ending;
        const std::vector<std::int64_t>& first = k == 0 ? name.indices : like.names[0].indices;
        for (std::size_t i = 0; i < name.indices.size(); ++i)
            like.key += i < first.size() ? fmt::format(",{:+}", name.indices[i] - first[i])
                                         : fmt::format(",={}", name.indices[i]);
        like.key += fmt::format("*{:.6f};", set.coefficients[k]);
        like.names.push_back(std::move(name));
    }
    return like;
}

std::string letters(const FamilyName& name, const FamilyName& first) {
    constexpr const char* letter = "ijkl";
    std::string text = name.stem;
    for (std::size_t i = 0; i < name.indices.size(); ++i) {
        text += i ? "," : "[";
        if (i >= first.indices.size()) {
            text += fmt::format("{}", name.indices[i]);
            continue;
        }
        text += letter[i];
        if (const std::int64_t off = name.indices[i] - first.indices[i]; off != 0)
            text += fmt::format("{:+}", off);
    }
    return text + (name.indices.empty() ? "" : "]") + name.ending;
}

/// Where the first indices of a group's sets lie.
std::string where(const std::vector<std::vector<std::int64_t>>& indices) {
    if (indices[0].size() == 1) {
        std::vector<std::int64_t> one;
        for (const auto& index : indices) one.push_back(index[0]);
        std::sort(one.begin(), one.end());
        return fmt::format("i = {}", index_ranges_text(one));
    }
    std::string text;
    constexpr std::size_t most = 6;
    for (std::size_t s = 0; s < std::min(most, indices.size()); ++s) {
        text += s ? ", (" : "(";
        for (std::size_t i = 0; i < indices[s].size(); ++i)
            text += fmt::format("{}{}", i ? ", " : "", indices[s][i]);
        text += ")";
    }
    return fmt::format("({}) = {}{}",
                       indices[0].size() == 2   ? "i, j"
                       : indices[0].size() == 3 ? "i, j, k"
                                                : "i, j, k, l",
                       text, indices.size() > most ? ", …" : "");
}

}  // namespace

std::vector<SetGroup> group_sets(const DerivedModel& details,
                                 const std::vector<DependentSet>& sets) {
    std::map<std::string, std::size_t> group_of;
    std::vector<SetGroup> groups;
    for (std::size_t s = 0; s < sets.size(); ++s) {
        Likeness like = likeness_of(details, sets[s]);
        const auto [found, is_new] = group_of.try_emplace(std::move(like.key), groups.size());
        if (is_new) groups.push_back({{}, {}, sets[s].conflict, sets[s].undecided});
        groups[found->second].sets.push_back(s);
    }
    for (SetGroup& group : groups) {
        const DependentSet& first = sets[group.sets[0]];
        const Likeness like = likeness_of(details, first);
        if (group.sets.size() == 1 || like.names[0].indices.empty()) {
            group.text =
                group.conflict ? describe_conflict(details, first) : describe(details, first);
            if (group.sets.size() > 1) group.text += fmt::format(" ({} times)", group.sets.size());
            continue;
        }
        std::vector<std::string> names;
        for (const FamilyName& name : like.names) names.push_back(letters(name, like.names[0]));
        std::vector<std::size_t> rows(names.size());
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
        std::vector<std::vector<std::int64_t>> indices;
        for (const std::size_t s : group.sets)
            indices.push_back(family_name(details.constraint_names[sets[s].rows[0]]).indices);
        std::sort(indices.begin(), indices.end());
        group.text = group.conflict ? fmt::format("{} conflict, {} sets: {}; the first: {}",
                                                  quoted_list(names), group.sets.size(),
                                                  where(indices), describe_conflict(details, first))
                                    : fmt::format("{}, {} sets: {}", say_dependent(names, rows),
                                                  group.sets.size(), where(indices));
    }
    return groups;
}

}  // namespace lacon::large
