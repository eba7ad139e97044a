// Tables for the tests.
#pragma once

#include <cmath>
#include <limits>
#include <random>

#include "table/table.hpp"

namespace lacon::testing {

inline const char* const endings[] = {".csv", ".json", ".h5"};

inline TableInfo sample_info() {
    TableInfo info;
    info.model = "Bead \"on\" a wire, ω = 3";
    info.source = "model \"Bead\"\r\ncoord x\t# größer\\kleiner\n";
    info.options = {{"method", "taylor"}, {"tolerance", "1e-12"}, {"set N", "40"}, {"a", ""}};
    info.names = {"t", "x[1]", "x[1]'", "max(a, b)", "say \"ω\"", " spaced "};
    info.texts = {"time, s", "", "", "of both", "", ""};
    return info;
}

/// Row i of an endless sample of awkward numbers: subnormal, huge, thirds, both zeros.
inline std::vector<double> sample_row(std::uint64_t i) {
    std::mt19937_64 random(i);
    std::uniform_real_distribution<double> exponent(-300.0, 300.0);
    return {static_cast<double>(i) / 3.0,
            std::pow(10.0, exponent(random)),
            -std::pow(10.0, exponent(random)),
            i % 2 ? 0.0 : -0.0,
            static_cast<double>(i + 1) * std::numeric_limits<double>::denorm_min(),
            i % 2 ? std::numeric_limits<double>::max() : 9007199254740992.0};
}

inline void write_rows(TableWriter& writer, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) writer.row(sample_row(i));
}

}  // namespace lacon::testing
