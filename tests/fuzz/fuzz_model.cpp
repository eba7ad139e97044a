// libFuzzer's entry: any bytes as a model, and as a mesh.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/mesh_way.hpp"
#include "fuzz/whole_way.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    auto fault = lacon::broken_property(text);
    if (fault.empty()) fault = lacon::broken_mesh_property(text);
    if (!fault.empty()) {
        std::fprintf(stderr, "Broken: %s\n", fault.c_str());
        std::abort();
    }
    return 0;
}
