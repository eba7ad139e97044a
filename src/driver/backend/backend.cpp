// What capabilities are called, and what a backend without them gives.
#include "driver/backend/backend.hpp"

#include "driver/backend/condition_watch.hpp"

namespace lacon::inline driver {

std::string_view text_of(Capability capability) {
    switch (capability) {
        case Capability::all_methods: return "methods other than 'taylor'";
        case Capability::compiled_segments: return "compiled steps";
        case Capability::narrow_features: return "narrow features found in the equations";
        case Capability::singular_crossings: return "steps over singular positions";
        case Capability::condition_watch: return "--diagnose";
        case Capability::far_conflicts: return "conflicts where a step cannot end";
    }
    return {};
}

std::unique_ptr<ConditionWatch> Backend::make_condition_watch() {
    return nullptr;
}

}  // namespace lacon::driver
