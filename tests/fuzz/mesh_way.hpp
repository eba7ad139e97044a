// What holds for any bytes that are read as a mesh.
#pragma once

#include <string>

namespace lacon {

/// Reads the text as STL and as OBJ; what is a mesh must have finite moments and corners of its
/// own. Returns what is broken, else an empty text.
std::string broken_mesh_property(const std::string& text);

}  // namespace lacon
