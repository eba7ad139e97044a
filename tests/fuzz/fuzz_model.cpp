// libFuzzer's entry: any bytes as a model.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/whole_way.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto fault =
        lacon::broken_property(std::string(reinterpret_cast<const char*>(data), size));
    if (!fault.empty()) {
        std::fprintf(stderr, "Broken: %s\n", fault.c_str());
        std::abort();
    }
    return 0;
}
