// From the text of a model to its derived system: `build`.
#pragma once

#include <memory>
#include <string>

#include "base/diagnostic.hpp"
#include "mechanics/derived_model.hpp"

namespace lacon {

struct Built {
    std::shared_ptr<const DerivedModel> details;  // absent where the text has errors
    Diagnostics diagnostics;                      // errors and warnings about the text
    std::string unknown_settings;  // "there is no parameter 'n'; did you mean 'N'?", a line each;
                                   // then no details
};

/// Text → derived system.
Built build(const SourceText& source, const Settings& settings = {});

/// Reads a file; throws std::runtime_error where it cannot.
SourceText read_source(const std::string& path);

}  // namespace lacon
