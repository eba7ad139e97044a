// libFuzzer's entry: any bytes as a robot file.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/robot_way.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto fault = lacon::broken_robot_property(
        std::string(reinterpret_cast<const char*>(data), size), "/nonexistent");
    if (!fault.empty()) {
        std::fprintf(stderr, "Broken: %s\n", fault.c_str());
        std::abort();
    }
    return 0;
}
