// A scene and events as JSON, as web/src/data.ts reads them.
#pragma once

#include <nlohmann/json.hpp>

#include "page/page.hpp"
#include "page/traces.hpp"
#include "scene/scene.hpp"

namespace lacon::inline page {

using PageJson = nlohmann::ordered_json;

PageJson items_json(const DerivedModel& details, const Scene& scene);
PageJson bodies_json(const DerivedModel& details, const Scene& scene);
PageJson traces_json(const DerivedModel& details, const std::vector<Trace>& traces);
PageJson events_json(const std::vector<MotionEvent>& events);

}  // namespace lacon::page
