// Builds boxes with sides rounded outward, and finds their middles.
#include "exists/box.hpp"

namespace lacon::inline existence {

Box Box::centre() const {
    Box centre;
    for (const Interval& side : x) centre.x.emplace_back(side.mid());
    return centre;
}

State Box::middle() const {
    State state;
    for (std::size_t i = 0; i < n(); ++i) {
        state.q.push_back(x[i].mid());
        state.v.push_back(x[n() + i].mid());
    }
    state.t = t().mid();
    return state;
}

Box box_around(const State& state, double radius, double span) {
    Box box;
    const auto side = [&](double middle, double by) {
        box.x.push_back(Interval(middle) + Interval(-by, by));
    };
    for (const double q : state.q) side(q, radius);
    for (const double v : state.v) side(v, radius);
    side(state.t, span);
    return box;
}

}  // namespace lacon::existence
