// The numbers of a page: columns of float32, packed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacon::inline page {

/// One number a row.
using FloatColumn = std::vector<float>;

/// Times (float64) and columns as bytes. A column is its first number and then the differences of
/// the bits, as whole numbers, from row to row, so nothing is lost; small differences of either
/// sign become small numbers (2d, or −2d − 1). Of these numbers the first bytes of all stand
/// together, then the second ones, … (little endian).
std::string packed(std::span<const double> t, std::span<const FloatColumn> columns);

/// The inverse, for tests.
struct Unpacked {
    std::vector<double> t;
    std::vector<FloatColumn> columns;
};
Unpacked unpacked(std::string_view bytes, std::size_t rows, std::size_t columns);

/// Compressed as gzip, and as text of base64.
std::string gzipped(std::string_view bytes);
std::string base64(std::string_view bytes);

}  // namespace lacon::page
