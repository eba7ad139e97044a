// Where something changes between two places, by bisection.
#pragma once

namespace lacon::inline locate {

/// Around a change: before it things are as they were, behind it they are not.
struct Bracket {
    double before, behind;
};

/// Halves a bracket as long as `is_wide` says so of it; `has_changed` tells the two sides apart.
/// For what is only true or false; of a number refine_root finds the zero faster.
template <class HasChanged, class IsWide>
Bracket bisect(Bracket bracket, const HasChanged& has_changed, const IsWide& is_wide) {
    while (is_wide(bracket)) {
        const double middle = 0.5 * (bracket.before + bracket.behind);
        (has_changed(middle) ? bracket.behind : bracket.before) = middle;
    }
    return bracket;
}

}  // namespace lacon::locate
