// Finds the numbers in the first page by walking through the messages of the object header.
// Anything that is not in the expected old form is refused.
#include "table/h5_header.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lacon::inline table {

static_assert(std::endian::native == std::endian::little,
              "HDF5's numbers and the rows are copied as they are in memory");

namespace {

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
constexpr std::uint64_t end_of_file_at = 40;
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

constexpr std::uint16_t dataspace_message = 0x0001, layout_message = 0x0008,
                        continuation_message = 0x0010;

}  // namespace

H5Page::H5Page(std::string_view first_bytes, std::uint64_t address, Layout layout,
               std::uint64_t events)
    : page_(std::make_unique<Page>()), size_(std::min(first_bytes.size(), page_size)) {
    std::copy_n(first_bytes.begin(), size_, page_->bytes.begin());
    check_superblock();
    rows_ = find_messages(address, layout, 2);
    end_ = std::max({rows_.extent_at + 8, rows_.largest_at + 8, rows_.address_at + 8});
    if (events == h5_nowhere) return;
    events_ = find_messages(events, Layout::contiguous, 1);
    get<std::uint64_t>(events_.address_at + 8);
    end_ = std::max({end_, events_.extent_at + 8, events_.largest_at + 8, events_.address_at + 16});
}

std::uint64_t H5Page::rows() const {
    return get<std::uint64_t>(rows_.extent_at);
}

std::uint64_t H5Page::columns() const {
    return get<std::uint64_t>(rows_.extent_at + 8);
}

std::uint64_t H5Page::address() const {
    return get<std::uint64_t>(rows_.address_at);
}

std::uint64_t H5Page::end_of_file() const {
    return get<std::uint64_t>(end_of_file_at);
}

std::uint64_t H5Page::at() const {
    return end_of_file_at;
}

void H5Page::put_rows(std::uint64_t rows, std::uint64_t address, std::uint64_t end_of_file) {
    put(end_of_file_at, end_of_file);
    put(rows_.extent_at, rows);
    put(rows_.address_at, address);
    if (has_events()) put_events(0, h5_nowhere);
}

std::uint64_t H5Page::end_of_rows() const {
    const bool any = has_events() && get<std::uint64_t>(events_.extent_at) > 0;
    return any ? get<std::uint64_t>(events_.address_at) : end_of_file();
}

void H5Page::add_events(std::uint64_t size) {
    const std::uint64_t end = end_of_file();
    put_events(size, end);
    put(end_of_file_at, end + size);
}

void H5Page::put_events(std::uint64_t size, std::uint64_t address) {
    put(events_.extent_at, size);
    if (events_.largest_at != 0) put(events_.largest_at, size);
    put(events_.address_at, address);
    put(events_.address_at + 8, size);
}

template <class Number>
Number H5Page::get(std::uint64_t at) const {
    if (at > size_ || size_ - at < sizeof(Number))
        throw H5Unexpected{
            "unsupported HDF5 layout: the dataset header is not in the first 4096 bytes"};
    Number number;
    std::memcpy(&number, page_->bytes.data() + at, sizeof number);
    return number;
}

void H5Page::put(std::uint64_t at, std::uint64_t value) {
    std::memcpy(page_->bytes.data() + at, &value, sizeof value);  // a place that was read before
}

void H5Page::check_superblock() const {
    const bool as_expected = std::string_view(page_->bytes.data(), size_).starts_with(signature) &&
                             get<std::uint8_t>(8) == 0 && get<std::uint8_t>(13) == 8 &&
                             get<std::uint8_t>(14) == 8 && get<std::uint64_t>(24) == 0;
    if (!as_expected) throw H5Unexpected{"unsupported HDF5 layout: superblock version above 0"};
}

H5Page::Places H5Page::find_messages(std::uint64_t address, Layout layout,
                                     std::uint8_t dimensions) const {
    if (get<std::uint8_t>(address) != 1)
        throw H5Unexpected{"unsupported HDF5 layout: object header version above 1"};
    const std::uint64_t count = get<std::uint16_t>(address + 2);
    std::uint64_t at = address + 16;
    const std::uint64_t end = at + get<std::uint32_t>(address + 8);
    Places found;
    for (std::uint64_t i = 0; i < count && at + 8 <= end; ++i) {
        const auto type = get<std::uint16_t>(at);
        const std::uint64_t size = get<std::uint16_t>(at + 2);
        at += 8;
        if (type == continuation_message)
            throw H5Unexpected{"unsupported HDF5 layout: continued object header"};
        if (type == dataspace_message) take_dataspace(at, size, dimensions, found);
        if (type == layout_message) take_layout(at, size, layout, found);
        at += size;
    }
    if (found.extent_at == 0 || found.address_at == 0)
        throw H5Unexpected{
            "unsupported HDF5 layout: the dataset header lacks the dataspace or the layout"};
    return found;
}

void H5Page::take_dataspace(std::uint64_t at, std::uint64_t size, std::uint8_t dimensions,
                            Places& found) const {
    const bool with_largest = get<std::uint8_t>(at + 2) == 1;
    const std::uint64_t extents = std::uint64_t{8} * dimensions;
    const bool as_expected =
        get<std::uint8_t>(at) == 1 && get<std::uint8_t>(at + 1) == dimensions &&
        get<std::uint8_t>(at + 2) <= 1 && size >= 8 + extents * (with_largest ? 2U : 1U);
    if (!as_expected) throw H5Unexpected{"unsupported HDF5 layout: dataspace version above 1"};
    found.extent_at = at + 8;
    found.largest_at = with_largest ? at + 8 + extents : 0;
    // All of it is in the page.
    get<std::uint64_t>(found.extent_at + (with_largest ? 2 * extents : extents) - 8);
}

void H5Page::take_layout(std::uint64_t at, std::uint64_t size, Layout layout, Places& found) const {
    const bool in_chunks = layout == Layout::chunked;
    const bool as_expected = get<std::uint8_t>(at) == 3 &&
                             get<std::uint8_t>(at + 1) == static_cast<std::uint8_t>(layout) &&
                             size >= (in_chunks ? 23U : 18U) &&
                             (!in_chunks || get<std::uint8_t>(at + 2) == 3);
    if (!as_expected)
        throw H5Unexpected{in_chunks ? "unsupported HDF5 layout: the dataset is not chunked"
                                     : "unsupported HDF5 layout: the dataset is not contiguous"};
    found.address_at = at + (in_chunks ? 3 : 2);
    get<std::uint64_t>(found.address_at + (in_chunks ? 12 : 8));
}

H5Header::H5Header(std::string_view first_bytes, std::uint64_t address, std::uint64_t events)
    : H5Page(first_bytes, address, Layout::contiguous, events) {
    if (rows_.largest_at != 0 && get<std::uint64_t>(rows_.largest_at) != rows())
        throw H5Unexpected{"unsupported HDF5 layout: chunk index other than a B-tree"};
    const std::uint64_t place = H5Page::address();
    // Without rows there is no place, and one with nothing at it counts as damage to HDF5.
    constexpr std::uint64_t whole = sizeof(double);
    begin_ = place == h5_nowhere ? (end_of_rows() + whole - 1) / whole * whole : place;
    const std::uint64_t size = get<std::uint64_t>(rows_.address_at + 8);
    if (size != place_of(rows()) - begin_ || (place == h5_nowhere) != (rows() == 0))
        throw H5Unexpected{"unsupported HDF5 layout: unexpected dataset size"};
    if (place != h5_nowhere && place + size != end_of_rows())
        throw H5Unexpected{"unsupported HDF5 layout: the dataset is not at the end of the file"};
    end_ = std::max(end_, rows_.address_at + 16);
}

void H5Header::set_rows(std::uint64_t rows) {
    put_rows(rows, rows == 0 ? h5_nowhere : begin_, place_of(rows));
    if (rows_.largest_at != 0) put(rows_.largest_at, rows);
    put(rows_.address_at + 8, place_of(rows) - begin_);
}

H5ChunkHeader::H5ChunkHeader(std::string_view first_bytes, std::uint64_t address,
                             std::uint64_t events)
    : H5Page(first_bytes, address, Layout::chunked, events) {
    if (rows_.largest_at == 0 || get<std::uint64_t>(rows_.largest_at) != unlimited ||
        get<std::uint64_t>(rows_.largest_at + 8) != columns())
        throw H5Unexpected{"unsupported HDF5 layout: rows must be extendible and columns fixed"};
    const bool as_expected = chunk_rows() > 0 && chunk_columns() > 0 &&
                             get<std::uint32_t>(rows_.address_at + 16) == sizeof(double);
    if (!as_expected)
        throw H5Unexpected{"unsupported HDF5 layout: the chunks do not hold 64-bit numbers"};
    if ((root() == h5_nowhere) != (rows() == 0))
        throw H5Unexpected{"unsupported HDF5 layout: empty chunks"};
}

std::uint32_t H5ChunkHeader::chunk_rows() const {
    return get<std::uint32_t>(rows_.address_at + 8);
}

std::uint32_t H5ChunkHeader::chunk_columns() const {
    return get<std::uint32_t>(rows_.address_at + 12);
}

}  // namespace lacon::table
