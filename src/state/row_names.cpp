// Reads the names only: components (.x, .y, .z, [4], …) make up a vector, consecutive numbers of a
// family a range.
#include "state/row_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace lacon::inline state {

namespace {

struct Member {
    std::string_view family;
    unsigned long number = 0;
};
/// "rod[12]" as a family and a number.
std::optional<Member> member_of(std::string_view name) {
    const std::size_t open = name.rfind('[');
    if (open == std::string_view::npos || open == 0 || name.back() != ']' ||
        name.size() - open > 12)
        return std::nullopt;
    Member member{name.substr(0, open), 0};
    const std::string_view digits = name.substr(open + 1, name.size() - open - 2);
    if (digits.empty()) return std::nullopt;
    for (const char c : digits) {
        if (c < '0' || c > '9') return std::nullopt;
        member.number = 10 * member.number + static_cast<unsigned long>(c - '0');
    }
    return member;
}

/// The vector constraint that a row belongs to, if its name says so as its number-th component:
/// NAME.x, NAME.y, NAME.z, NAME[4] ….
std::optional<std::string_view> vector_of(std::string_view name, std::size_t component) {
    if (component < 3) {
        const std::size_t dot = name.rfind('.');
        if (dot == std::string_view::npos ||
            name.substr(dot + 1) != std::string_view("xyz").substr(component, 1))
            return std::nullopt;
        return name.substr(0, dot);
    }
    const auto member = member_of(name);
    if (!member || member->number != component + 1) return std::nullopt;
    return member->family;
}

}  // namespace

std::vector<NamedRows> constraints_of(const std::vector<std::string>& row_names) {
    std::vector<NamedRows> constraints;
    for (std::size_t r = 0; r < row_names.size(); ++r) {
        if (!constraints.empty()) {
            NamedRows& last = constraints.back();
            const auto owner = vector_of(row_names[r], last.rows.size());
            const auto first = vector_of(row_names[last.rows[0]], 0);
            if (owner && first && *owner == *first) {
                last.rows.push_back(r);
                continue;
            }
        }
        const auto owner = vector_of(row_names[r], 0);
        constraints.push_back({std::string(owner ? *owner : std::string_view(row_names[r])), {r}});
    }
    return constraints;
}

ShortNames short_names(const std::vector<std::string>& row_names,
                       const std::vector<std::size_t>& rows) {
    ShortNames result;
    std::vector<std::string> names;
    const auto taken = [&](std::size_t r) {
        return std::binary_search(rows.begin(), rows.end(), r);
    };
    for (const NamedRows& constraint : constraints_of(row_names)) {
        if (constraint.rows.size() > 1 &&
            std::all_of(constraint.rows.begin(), constraint.rows.end(), taken)) {
            names.push_back(constraint.name);
            result.whole_vectors = true;
            continue;
        }
        for (const std::size_t r : constraint.rows)
            if (taken(r)) names.push_back(row_names[r]);
    }
    for (std::size_t i = 0; i < names.size();) {
        std::size_t end = i + 1;
        const auto first = member_of(names[i]);
        while (first && end < names.size()) {
            const auto next = member_of(names[end]);
            if (!next || next->family != first->family || next->number != first->number + (end - i))
                break;
            ++end;
        }
        if (end - i >= 3) {
            result.names.push_back(fmt::format("{}[{}..{}]", first->family, first->number,
                                               first->number + (end - i - 1)));
            i = end;
        } else {
            result.names.push_back(names[i++]);
        }
    }
    return result;
}

}  // namespace lacon::state
