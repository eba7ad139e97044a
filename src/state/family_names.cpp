// Splits names into stem, indices and ending. Names that differ in one index by equal steps become
// a range, from three names on.
#include "state/family_names.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/text.hpp"

namespace lacon::inline state {

FamilyName family_name(const std::string& name) {
    FamilyName result{name, {}, {}};
    const auto open = name.find('['), close = name.find(']');
    if (open == std::string::npos || close == std::string::npos) return result;
    std::vector<std::int64_t> indices;
    for (const char* at = name.data() + open + 1; at < name.data() + close;) {
        std::int64_t index = 0;
        const auto [end, error] = std::from_chars(at, name.data() + close, index);
        if (error != std::errc() || (end != name.data() + close && *end != ',')) return result;
        indices.push_back(index);
        at = end + 1;
    }
    return {name.substr(0, open), std::move(indices), name.substr(close + 1)};
}

std::string text_of(const FamilyName& name) {
    std::string text = name.stem;
    for (std::size_t i = 0; i < name.indices.size(); ++i)
        text += fmt::format("{}{}", i ? "," : "[", name.indices[i]);
    return text + (name.indices.empty() ? "" : "]") + name.ending;
}

namespace {

struct IndexStep {
    std::size_t position = 0;
    std::int64_t length = 0;
    bool operator==(const IndexStep&) const = default;
};

/// How to come from one name to the next by one index; nothing where more than that differs.
std::optional<IndexStep> step_between(const FamilyName& a, const FamilyName& b) {
    if (a.stem != b.stem || a.ending != b.ending || a.indices.size() != b.indices.size())
        return std::nullopt;
    std::optional<IndexStep> found;
    for (std::size_t i = 0; i < a.indices.size(); ++i) {
        if (a.indices[i] == b.indices[i]) continue;
        if (found) return std::nullopt;
        found = IndexStep{i, b.indices[i] - a.indices[i]};
    }
    return found;
}

}  // namespace

std::string ranges_text(const std::vector<std::string>& names, std::size_t most) {
    std::vector<std::string> parts;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < names.size();) {
        const FamilyName first = family_name(names[i]);
        FamilyName last = first;
        std::size_t next = i + 1;
        std::optional<IndexStep> step;
        for (; next < names.size(); ++next) {
            const FamilyName other = family_name(names[next]);
            const std::optional<IndexStep> way = step_between(last, other);
            if (!way || (step && *way != *step)) break;
            step = way;
            last = other;
        }
        const std::size_t count = next - i;
        if (count < 3) {  // two are two names
            next = i + 1;
            last = first;
        }
        if (parts.size() >= most) left_out += next - i;
        else if (next == i + 1) parts.push_back(fmt::format("'{}'", names[i]));
        else
            parts.push_back(
                fmt::format("'{}' to '{}'{}", names[i], text_of(last),
                            step->length == 1 ? "" : fmt::format(" by {}", step->length)));
        i = next;
    }
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() && left_out == 0 ? " and " : ", ") + parts[i];
    if (left_out > 0) text += fmt::format(" and {} more", left_out);
    return text;
}

std::string index_ranges_text(const std::vector<std::int64_t>& indices, std::size_t most) {
    std::string text;
    std::size_t parts = 0;
    for (std::size_t i = 0; i < indices.size();) {
        std::size_t next = i + 1;
        while (next < indices.size() && indices[next] == indices[next - 1] + 1) ++next;
        if (parts++ == most) return text + ", …";
        text += text.empty() ? "" : ", ";
        text += next - i > 2 ? fmt::format("{}..{}", indices[i], indices[next - 1])
                             : fmt::format("{}", indices[i]);
        i = next - i > 2 ? next : i + 1;
    }
    return text;
}

}  // namespace lacon::state
