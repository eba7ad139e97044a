// The models of a folder, and a small picture of each.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "mechanics/system/derived_model.hpp"

namespace lacon::inline live {

struct ModelFile {
    std::string name;   // below the folder: "control/arm_two.lac"
    std::string title;  // as the file gives it; else empty
};

/// Models of the folder and of those in it, by name. Links that lead out of it are left out, and so
/// is what lies deeper than three folders, or behind the first 2000.
std::vector<ModelFile> models_in(const std::filesystem::path& folder);

/// The start state as a drawing (SVG), with classes for the page to give colours, and the ways of
/// its particles as far as they are computed in half a second. Throws LiveError where there is no
/// start state.
std::string picture_of(const std::shared_ptr<const DerivedModel>& details);

}  // namespace lacon::live
