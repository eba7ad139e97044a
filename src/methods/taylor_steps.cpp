// When a Taylor step begins, and when the one before it is over.
#include "methods/taylor_steps.hpp"

namespace lacon::inline methods {

bool TaylorSteps::begin(const Base& base, bool fresh) {
    const Expansion expansion = expand(base);
    lacks_series_ = expansion == Expansion::lacking;
    if (expansion != Expansion::found) return false;
    if (!fresh && !continues(base, base.time.since(begin_))) {
        ++rejected;
        return false;
    }
    next_begin_ = base.time;
    taken_up_ = false;
    return true;
}

bool TaylorSteps::advance(double limit) {
    if (!taken_up_) {  // only now is the last step over
        take();
        begin_ = next_begin_;
    }
    taken_up_ = true;
    choose_length(limit);
    return length_ > 0.0;
}

}  // namespace lacon::methods
