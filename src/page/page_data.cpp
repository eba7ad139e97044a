// Differences of the bits of floats: for numbers of one sign they grow with the numbers, so what
// changes little has small differences.
#include "page/page_data.hpp"

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace lacon::inline page {

namespace {

constexpr std::size_t width = sizeof(std::uint32_t);

std::uint32_t folded(std::uint32_t difference) {
    return (difference << 1) ^ (0U - (difference >> 31));
}

std::uint32_t unfolded(std::uint32_t number) {
    return (number >> 1) ^ (0U - (number & 1U));
}

}  // namespace

std::string packed(std::span<const double> t, std::span<const FloatColumn> columns) {
    const std::size_t rows = t.size(), count = rows * columns.size();
    std::string bytes(sizeof(double) * rows + width * count, '\0');
    if (rows > 0) std::memcpy(bytes.data(), t.data(), sizeof(double) * rows);
    char* const planes = bytes.data() + sizeof(double) * rows;
    std::size_t at = 0;
    for (const FloatColumn& column : columns) {
        std::uint32_t last = 0;
        for (const float value : column) {
            const auto bits = std::bit_cast<std::uint32_t>(value);
            const std::uint32_t number = folded(bits - last);
            last = bits;
            for (std::size_t plane = 0; plane < width; ++plane)
                planes[plane * count + at] = static_cast<char>(number >> (8 * plane));
            ++at;
        }
    }
    return bytes;
}

Unpacked unpacked(std::string_view bytes, std::size_t rows, std::size_t columns) {
    Unpacked result;
    result.t.resize(rows);
    if (rows > 0) std::memcpy(result.t.data(), bytes.data(), sizeof(double) * rows);
    const std::string_view planes = bytes.substr(sizeof(double) * rows);
    const std::size_t count = rows * columns;
    for (std::size_t c = 0; c < columns; ++c) {
        FloatColumn& column = result.columns.emplace_back();
        std::uint32_t last = 0;
        for (std::size_t i = c * rows; i < (c + 1) * rows; ++i) {
            std::uint32_t number = 0;
            for (std::size_t plane = 0; plane < width; ++plane)
                number |= std::uint32_t{static_cast<unsigned char>(planes[plane * count + i])}
                          << (8 * plane);
            last += unfolded(number);
            column.push_back(std::bit_cast<float>(last));
        }
    }
    return result;
}

std::string gzipped(std::string_view bytes) {
    z_stream stream{};
    constexpr int with_gzip_header = 16, window = 15, memory = 9;
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window + with_gzip_header, memory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::logic_error("zlib cannot begin");
    std::string result(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = static_cast<uInt>(result.size());
    const int done = deflate(&stream, Z_FINISH);
    result.resize(stream.total_out);
    deflateEnd(&stream);
    if (done != Z_STREAM_END) throw std::logic_error("zlib failed to compress a page");
    return result;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t k) {
            return i + k < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i + k])}
                                        : 0U;
        };
        const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

}  // namespace lacon::page
