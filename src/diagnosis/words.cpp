// Merges pairs of rows that say the same thing into one sentence and shows at most six lines of a
// kind.
#include "diagnosis/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "state/row_names.hpp"

namespace lacon {

std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::consistent: return "consistent";
        case Verdict::conflict: return "conflict";
        default: return "undecided";
    }
}

std::string_view name_of(Persistence persistence) {
    switch (persistence) {
        case Persistence::structural: return "structural";
        case Persistence::momentary: return "momentary";
        default: return "untested";
    }
}

}  // namespace lacon

namespace lacon::diagnosis {

namespace {

constexpr std::size_t most_lines = 6;  // of one label

std::string joined(const std::vector<std::string>& parts, const char* last) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? last : ", ") + parts[i];
    return text;
}

/// Whether two rows say the same thing, with nothing that sets them apart.
bool is_same_thing(const Dependency& d) {
    return d.names.size() == 2 && d.verdict == Verdict::consistent && d.apart == 0.0;
}

/// Groups of names that pairs tie together, with the persistence they share.
struct Same {
    std::vector<std::string> names;
    std::string persistence;
};

std::string persistence_of(const Dependency& d) {
    return d.text.substr(d.text.rfind(" ("));
}

std::vector<Same> same_things(const std::vector<Dependency>& all) {
    std::vector<Same> groups;
    for (const Dependency& d : all) {
        if (!is_same_thing(d)) continue;
        const std::string persistence = persistence_of(d);
        const auto shares = [&](const Same& group) {
            return group.persistence == persistence &&
                   std::any_of(d.names.begin(), d.names.end(), [&](const std::string& name) {
                       return std::find(group.names.begin(), group.names.end(), name) !=
                              group.names.end();
                   });
        };
        Same merged{d.names, persistence};
        for (auto group = groups.begin(); group != groups.end();) {
            if (!shares(*group)) {
                ++group;
                continue;
            }
            merged.names.insert(merged.names.begin(), group->names.begin(), group->names.end());
            group = groups.erase(group);
        }
        std::vector<std::string> once;
        for (const std::string& name : merged.names)
            if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
        merged.names = once;
        groups.push_back(std::move(merged));
    }
    return groups;
}

void add_lines(std::vector<Line>& lines, const std::string& label,
               const std::vector<std::string>& texts, const char* what) {
    for (std::size_t i = 0; i < std::min(texts.size(), most_lines); ++i)
        lines.push_back({label, texts[i]});
    if (texts.size() > most_lines)
        lines.push_back({label, fmt::format("and {} more {} (--json lists all)",
                                            texts.size() - most_lines, what)});
}

/// The least factor up to 12 that makes all entries whole; 1 where none does.
double whole_factor(const std::vector<double>& direction) {
    for (int factor = 1; factor <= 12; ++factor)
        if (std::all_of(direction.begin(), direction.end(), [&](double x) {
                return std::abs(x * factor - std::round(x * factor)) < 1e-9;
            }))
            return factor;
    return 1.0;
}

std::string null_force_text(const NullForce& force) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < force.names.size(); ++i)
        parts.push_back(fmt::format("'{}' {}{}", force.names[i],
                                    force.coefficients[i] < 0 ? "" : "+",
                                    rounded(force.coefficients[i], 4)));
    return joined(parts, ", ") + " can be added in any multiple";
}

}  // namespace

std::string persistence_text(const Dependency& d, bool alone) {
    switch (d.persistence) {
        case Persistence::structural:
            return alone ? " (the constraints allow no other state nearby)"
                         : fmt::format(" (in all {} states sampled nearby)", d.sampled);
        case Persistence::momentary:
            return d.dependent_in == 0 ? fmt::format(
                                             " (in this position only: independent in all {} "
                                             "states sampled nearby)",
                                             d.sampled)
                                       : fmt::format(
                                             " (in this position only: independent in {} of {} "
                                             "states sampled nearby)",
                                             d.sampled - d.dependent_in, d.sampled);
        default: return fmt::format(" (not tried nearby: {})", d.why);
    }
}

std::string direction_text(const std::vector<std::string>& coordinates,
                           const std::vector<double>& direction) {
    constexpr std::size_t shown = 6;
    const double factor = whole_factor(direction);
    std::vector<std::string> parts;
    std::size_t count = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
        if (direction[i] == 0.0) continue;
        if (++count <= shown)
            parts.push_back(
                fmt::format("{} by {}", coordinates[i], rounded(factor * direction[i], 3)));
    }
    if (count == 1) return parts[0].substr(0, parts[0].find(" by "));
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) text += (i ? " with " : "") + parts[i];
    return count > shown ? text + fmt::format(" with {} more", count - shown) : text;
}

std::string singular_text(const std::vector<std::string>& coordinates, const SingularPosition& s,
                          std::size_t rank) {
    const auto list = [&](const std::vector<std::vector<double>>& directions, const char* last) {
        std::vector<std::string> parts;
        for (const auto& direction : directions)
            parts.push_back(direction_text(coordinates, direction));
        return joined(parts, last);
    };
    std::string text =
        fmt::format("the rank is {} here and {} in states nearby", rank, s.generic_rank);
    if (s.freed.empty()) return text;
    text += "; freed here: " + list(s.freed, ", ");
    std::vector<std::string> branches;
    for (const auto& branch : s.branches)
        if (!branch.empty()) branches.push_back(list(branch, " and "));
    if (!branches.empty())
        text += "; in nearby states they only move as " + joined(branches, ", or ");
    return text;
}

std::string scaling_text(const RankFinding& rank, double asked) {
    std::string text =
        "the singular values are those of B = A L^-T (M = L L^T) with rows of unit length, "
        "relative to the largest; below the "
        "tolerance they count as zero";
    if (rank.tolerance > asked)
        text +=
            fmt::format("; it was raised from {} because M is ill-conditioned", rounded(asked, 3));
    return text;
}

std::string rank_text(const RankFinding& rank) {
    std::string text = fmt::format("{} of {}", rank.rank, rank.rows);
    if (rank.decided)
        return rank.rank ? text + fmt::format(" (gap {})", rounded(rank.gap, 2)) : text;
    text += ", undecided:";
    if (rank.smallest_kept)
        text += fmt::format(" smallest singular value kept {},", rounded(*rank.smallest_kept, 2));
    if (rank.largest_dropped)
        text += fmt::format(" largest dropped {},", rounded(*rank.largest_dropped, 2));
    return text + fmt::format(" tolerance {} (see --rank-tol)", rounded(rank.tolerance, 2));
}

std::vector<Line> lines_of(const Diagnosis& d) {
    std::vector<Line> lines;
    std::vector<std::string> dependent, undecided, conflicts;
    const std::vector<Same> same = same_things(d.dependent);
    for (const Same& group : same)
        dependent.push_back(quoted_list(group.names) + " are equivalent" + group.persistence);
    for (const Dependency& one : d.dependent) {
        if (one.verdict == Verdict::conflict) conflicts.push_back(one.text);
        else if (one.verdict == Verdict::undecided) undecided.push_back(one.text);
        else if (!is_same_thing(one)) dependent.push_back(one.text);
    }
    add_lines(lines, "dependent", dependent, "dependent sets");
    add_lines(lines, "undecided", undecided, "undecided sets");
    add_lines(lines, "conflict", conflicts, "conflicts");
    if (d.singular) lines.push_back({"singular", d.singular->text});
    std::vector<std::string> not_unique;
    bool single_rows = false;
    for (const Reaction& reaction : d.reactions) {
        if (!reaction.unique) not_unique.push_back(reaction.name);
        single_rows |= reaction.unique &&
                       std::find(reaction.row_unique.begin(), reaction.row_unique.end(), false) !=
                           reaction.row_unique.end();
    }
    if (!not_unique.empty()) {
        std::vector<std::size_t> all(not_unique.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
        const std::vector<std::string> names = short_names(not_unique, all).names;
        lines.push_back(
            {"forces", fmt::format("not unique: {}; {}", quoted_list(names), d.convention)});
    } else if (single_rows) {
        lines.push_back({"forces", "of the constraints are unique, though not every multiplier; " +
                                       d.convention});
    }
    std::vector<std::string> null_forces;
    for (const NullForce& force : d.null_forces)
        if (force.names.size() > 1 && force.names.size() <= 8)
            null_forces.push_back(null_force_text(force));
    if (!d.reactions.empty() && null_forces.size() <= 3)
        for (const std::string& text : null_forces) lines.push_back({"", text});
    return lines;
}

}  // namespace lacon::diagnosis
