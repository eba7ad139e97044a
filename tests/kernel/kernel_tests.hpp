// Helpers of the kernel tests: all targets and lanes of this machine.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "kernel/kernel.hpp"

namespace lacon::kernel {

/// Every instruction set of this machine with every number of lanes.
inline std::vector<CompileOptions> all_targets() {
    std::vector<CompileOptions> result;
    for (const Isa isa : host_isas())
        for (const std::size_t lanes : {1, 2, 4, 8, 16})
            result.push_back({.isa = isa, .lanes = lanes, .effort = Effort::full, .cache = false});
    return result;
}

/// Runs a kernel over many points, whatever its number of lanes: points[i] are the inputs, the
/// result is the outputs and the range flag of each point.
inline std::vector<std::vector<double>> run_all(const Kernel& kernel,
                                                const std::vector<std::vector<double>>& points) {
    const std::size_t w = kernel.lanes();
    std::vector<double> in(kernel.input_count() * w), out(kernel.out_size()),
        work(kernel.work_size());
    std::vector<std::vector<double>> results;
    for (std::size_t first = 0; first < points.size(); first += w) {
        for (std::size_t l = 0; l < w; ++l)
            for (std::size_t i = 0; i < kernel.input_count(); ++i)
                in[i * w + l] = points[std::min(first + l, points.size() - 1)][i];
        kernel.run(in.data(), out.data(), work.data());
        for (std::size_t l = 0; l < w && first + l < points.size(); ++l) {
            results.emplace_back();
            for (std::size_t o = 0; o <= kernel.output_count(); ++o)
                results.back().push_back(out[o * w + l]);
        }
    }
    return results;
}

inline std::string text_of(const CompileOptions& o) {
    return std::string(name_of(o.isa)) + " x " + std::to_string(o.lanes);
}

/// Equal bits, where any NaN equals any other.
inline bool same_bits(double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) ||
           (std::isnan(x) && std::isnan(y));
}

}  // namespace lacon::kernel
