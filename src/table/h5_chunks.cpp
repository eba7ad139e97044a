// Applies the filters of HDF5, shuffle and deflate, to a chunk. A chunk that does not shrink stays
// plain.
#include "table/h5_chunks.hpp"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>

namespace lacon::inline table {

namespace {

/// The first bytes of all numbers, then the second ones, …: equal exponents come together.
std::string shuffled(std::string_view bytes) {
    constexpr std::size_t width = sizeof(double);
    const std::size_t count = bytes.size() / width;
    std::string result(bytes.size(), '\0');
    for (std::size_t j = 0; j < width; ++j)
        for (std::size_t i = 0; i < count; ++i) result[j * count + i] = bytes[i * width + j];
    return result;
}

}  // namespace

H5Grid H5Grid::for_columns(std::uint64_t columns) {
    constexpr std::uint64_t chunk = 64 * 1024, band = 8 * 1024 * 1024;  // doubles
    H5Grid grid;
    grid.columns = columns;
    grid.chunk_rows =
        columns <= 1024 ? chunk / columns : std::clamp<std::uint64_t>(band / columns, 8, 64);
    const std::uint64_t most = chunk / grid.chunk_rows;
    grid.across = (columns + most - 1) / most;
    grid.chunk_columns =
        (columns + grid.across - 1) / grid.across;  // as equal as can be: the last one is padded
    grid.across = (columns + grid.chunk_columns - 1) / grid.chunk_columns;
    return grid;
}

H5Chunk pack_chunk(std::span<const double> numbers, std::string& bytes) {
    const std::string_view plain(reinterpret_cast<const char*>(numbers.data()),
                                 numbers.size_bytes());
    const std::string source = shuffled(plain);
    uLongf size = compressBound(static_cast<uLong>(source.size()));
    const std::size_t at = bytes.size();
    bytes.resize(at + size);
    const int result = compress2(reinterpret_cast<Bytef*>(bytes.data() + at), &size,
                                 reinterpret_cast<const Bytef*>(source.data()),
                                 static_cast<uLong>(source.size()), h5_deflate_level);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK) throw std::logic_error("zlib failed to compress a chunk");
    bytes.resize(at + size);
    if (size < plain.size()) return {0, static_cast<std::uint32_t>(size), 0};
    bytes.replace(at, std::string::npos, plain);
    return {0, static_cast<std::uint32_t>(plain.size()), h5_plain};
}

}  // namespace lacon::table
