// How a wide table is cut into chunks, and the bytes of one chunk.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "table/plain_file.hpp"

/// Rows in chunks, as HDF5 keeps them: every chunk has all columns of a range over some rows, and
/// goes through two filters, shuffle and deflate.
namespace lacon::inline table {

/// How a table is cut. Chunks are counted row by row of the grid they form.
struct H5Grid {
    std::uint64_t columns = 0;  // of the table
    std::uint64_t chunk_rows = 0, chunk_columns = 0;
    std::uint64_t across = 0;  // chunks beside each other

    std::uint64_t chunk_size() const { return chunk_rows * chunk_columns; }  // doubles
    std::uint64_t band_bytes() const {
        return across * chunk_size() * sizeof(double);
    }  // of all chunks beside each other
    std::uint64_t chunks_of(std::uint64_t rows) const {
        return (rows + chunk_rows - 1) / chunk_rows * across;
    }

    /// Chunks of half a megabyte. Narrow tables have all columns in one; wide ones 64 rows of 1024
    /// columns, so that a column is read from a small part of the file and a row by one look into
    /// each of its chunks; very wide ones down to 8 rows, as the rows of a band wait in memory.
    static H5Grid for_columns(std::uint64_t columns);
};

/// A chunk in the file. A set bit of `mask` says that a filter was left out: 1 shuffle, 2 deflate.
struct H5Chunk {
    std::uint64_t address = 0;
    std::uint32_t size = 0;  // bytes
    std::uint32_t mask = 0;

    bool operator==(const H5Chunk&) const = default;
};
constexpr std::uint32_t h5_plain = 3;  // the mask of a chunk without filters
/// 6 takes half as long again and saves a hundredth more of a smooth motion.
constexpr int h5_deflate_level = 1;

/// Adds the chunk to `bytes`, filtered, or plain where that is shorter; what stands there, but for
/// its address.
H5Chunk pack_chunk(std::span<const double> numbers, std::string& bytes);

}  // namespace lacon::table
