// The names of the public enumerations, and what is said of a text that is none of them.
#include "lacon/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "base/text.hpp"
#include "kernel/target.hpp"

namespace lacon {

namespace {

template <class... Texts>
constexpr std::array<std::string_view, sizeof...(Texts)> list(Texts... texts) {
    return {texts...};
}

/// `noun` is one of them, `heading` comes before all of them. The empty name is not told.
[[noreturn]] void refuse(std::string_view noun, std::string_view heading, std::string_view text,
                         std::span<const std::string_view> known) {
    std::vector<std::string> names;
    for (const std::string_view name : known)
        if (!name.empty()) names.emplace_back(name);
    throw std::invalid_argument(
        fmt::format("there is no {} '{}'; {}: {}", noun, text, heading, fmt::join(names, ", ")));
}

}  // namespace

#define LACON_NAMES(Enum, noun, heading, ...)            \
    template <>                                          \
    std::span<const std::string_view> names_of<Enum>() { \
        static constexpr auto names = list(__VA_ARGS__); \
        return names;                                    \
    }                                                    \
    template <>                                          \
    void refuse_name<Enum>(std::string_view text) {      \
        refuse(noun, heading, text, names_of<Enum>());   \
    }

LACON_NAMES(Solver, "solver", "solvers", "", "auto", "dense", "sparse")
LACON_NAMES(ImpactLaw, "law of impacts", "laws", "", "simultaneous", "sequential")
LACON_NAMES(EventKind, "kind of event", "kinds", "rank", "switch", "event", "impact", "contact",
            "release", "settled", "stick", "slip", "saturation")
LACON_NAMES(ContactKind, "state of a contact", "states", "", "open", "closed", "idle", "closing")
LACON_NAMES(FrictionKind, "state of friction", "states", "", "none", "sticks", "slips")
LACON_NAMES(LimitSide, "limit", "limits", "", "low", "high", "free")
LACON_NAMES(RequirementState, "state of a requirement", "states", "", "idle", "bound", "missed")
LACON_NAMES(ApproachEnd, "end of an approach", "ends", "open", "reached", "missed", "changed")

#undef LACON_NAMES

template <>
std::span<const std::string_view> names_of<MethodKind>() {
    static constexpr auto names =
        list("", "auto", "taylor", "dop853", "dopri5", "radau", "rk4", "bdf", "adams", "gauss");
    return names;
}
template <>
void refuse_name<MethodKind>(std::string_view text) {
    const auto known = names_of<MethodKind>().subspan(1);
    const auto near =
        nearest_name(std::string(text), std::vector<std::string>(known.begin(), known.end()));
    refuse("method", near ? fmt::format("did you mean '{}'? Methods", *near) : "methods", text,
           known);
}

template <>
std::span<const std::string_view> names_of<CodeTarget>() {
    static constexpr auto names = list("", "plain", "avx2", "avx512");
    return names;
}
template <>
void refuse_name<CodeTarget>(std::string_view text) {
    std::vector<std::string_view> here;
    for (const kernel::Isa isa : kernel::host_isas()) here.push_back(name_of(isa));
    refuse("target", "this machine has", text, here);
}

}  // namespace lacon
