// Choices and kinds as enumerations, each with the names they have in models, on the command line
// and in JSON.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lacon/export.hpp"

namespace lacon {

/// Who takes the steps (docs/motion.md). `unspecified` everywhere: what the model says.
enum class MethodKind {
    unspecified,  // ""
    automatic,    // "auto"
    taylor,
    dop853,
    dopri5,
    radau,
    rk4,
    bdf,
    adams,
    gauss,
};
/// In which form matrices are kept and solved.
enum class Solver {
    unspecified,  // "", as automatic
    automatic,    // "auto": by what is estimated to cost least
    dense,
    sparse,
};
/// What happens where several contacts are hit at once.
enum class ImpactLaw {
    unspecified,   // ""
    simultaneous,  // all together
    sequential,    // one after the other
};
/// The instructions that machine code is made of.
enum class CodeTarget {
    best,  // "": of those that this machine has
    plain,
    avx2,
    avx512,
};

/// Something that happened in a motion.
enum class EventKind {
    rank,           // the rank of the constraints changed, or a singular position was passed
    branch_switch,  // "switch": a decision of the equations turned
    event,          // of the model
    impact,
    contact,     // a contact closed
    release,     // and opened
    settled,     // bounces came to their end
    stick,       // friction began to hold
    slip,        // and to slide
    saturation,  // an effort came to its limit, or left it
};
/// A one-sided constraint at a state.
enum class ContactKind {
    none,     // "": it is not one-sided
    open,     //
    closed,   //
    idle,     // closed, and not needed beside the others
    closing,  // an impact comes first; accelerations are as if it were closed
};
/// Friction on a constraint at a state.
enum class FrictionKind {
    absent,  // "": it has none
    open,    // "none": nothing presses
    sticks,
    slips,
};
/// At which limit an effort is.
enum class LimitSide {
    none,  // ""
    low,
    high,
    free,  // of an event: it has left its limit
};
/// What a control requires, at a state.
enum class RequirementState {
    plain,   // "": an equation, met
    idle,    // one-sided, and met without effort
    bound,   // one-sided, and met exactly
    missed,  // out of reach
};
/// How the approach to a singular position ended.
enum class ApproachEnd {
    open,     // the motion ended before
    reached,  // the singular position
    missed,   //
    changed,  // other constraints came into force
};

/// The names of an enumeration, in its order.
template <class Enum>
std::span<const std::string_view> names_of();
/// Throws std::invalid_argument with a sentence that lists the names.
template <class Enum>
[[noreturn]] void refuse_name(std::string_view text);

#define LACON_NAMED(Enum)                                            \
    template <>                                                      \
    LACON_EXPORT std::span<const std::string_view> names_of<Enum>(); \
    template <>                                                      \
    [[noreturn]] LACON_EXPORT void refuse_name<Enum>(std::string_view text)
LACON_NAMED(MethodKind);
LACON_NAMED(Solver);
LACON_NAMED(ImpactLaw);
LACON_NAMED(CodeTarget);
LACON_NAMED(EventKind);
LACON_NAMED(ContactKind);
LACON_NAMED(FrictionKind);
LACON_NAMED(LimitSide);
LACON_NAMED(RequirementState);
LACON_NAMED(ApproachEnd);
#undef LACON_NAMED

template <class Enum>
concept NamedEnum = requires(Enum e) {
    requires std::is_enum_v<Enum>;
}
&&(std::same_as<Enum, MethodKind> || std::same_as<Enum, Solver> || std::same_as<Enum, ImpactLaw> ||
   std::same_as<Enum, CodeTarget> || std::same_as<Enum, EventKind> ||
   std::same_as<Enum, ContactKind> || std::same_as<Enum, FrictionKind> ||
   std::same_as<Enum, LimitSide> || std::same_as<Enum, RequirementState> ||
   std::same_as<Enum, ApproachEnd>);

/// "taylor", "switch", …: as in models, on the command line and in JSON.
template <NamedEnum Enum>
std::string_view name_of(Enum value) {
    return names_of<Enum>()[static_cast<std::size_t>(value)];
}
/// named<MethodKind>("taylor"); none for a text that is no such name.
template <NamedEnum Enum>
std::optional<Enum> named(std::string_view text) {
    const auto names = names_of<Enum>();
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == text) return static_cast<Enum>(i);
    return std::nullopt;
}

/// A value of an enumeration that may be given, and compared with, by its name too:
/// `options.method = MethodKind::taylor` or `= "taylor"`. A text that is no name of it throws
/// std::invalid_argument, with the names there are.
template <NamedEnum Enum>
class Named {
public:
    constexpr Named() = default;
    constexpr Named(Enum value) : value_(value) {}
    Named(std::string_view text) : value_(value_of(text)) {}
    Named(const char* text) : Named(std::string_view(text)) {}
    Named(const std::string& text) : Named(std::string_view(text)) {}

    constexpr operator Enum() const { return value_; }
    operator std::string_view() const { return name(); }
    operator std::string() const { return std::string(name()); }
    constexpr Enum value() const { return value_; }
    std::string_view name() const { return name_of(value_); }
    bool empty() const { return name().empty(); }

    friend constexpr bool operator==(Named a, Named b) { return a.value_ == b.value_; }
    friend constexpr bool operator==(Named a, Enum b) { return a.value_ == b; }
    template <std::convertible_to<std::string_view> Text>
    requires(!std::same_as<Text, Named>) friend bool operator==(Named a, const Text& text) {
        return a.name() == std::string_view(text);
    }
    template <class Stream>
    friend auto operator<<(Stream& out, Named a) -> decltype(out << std::string_view()) {
        return out << a.name();
    }

private:
    static Enum value_of(std::string_view text) {
        const std::optional<Enum> value = named<Enum>(text);
        if (!value) refuse_name<Enum>(text);
        return *value;
    }

    Enum value_{};
};

}  // namespace lacon
