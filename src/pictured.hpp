// What the page of a run shows besides its motion.
#pragma once

#include "page/page.hpp"

namespace lacon {

/// Reads the model of a page once more, as pictures show it: where contacts and joints act.
void add_picture(PageRun& run);

}  // namespace lacon
