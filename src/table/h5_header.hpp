#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

/// The few numbers of an HDF5 file that say how many rows it has. HDF5 itself changes them one after the other, in several
/// places of the file; a program killed in between leaves a file that nobody can open. So the file is laid out such that all of
/// them lie in its first page, and Lacon changes them in one write.
///
/// What stands where, by the HDF5 File Format Specification 3.0 (all numbers little-endian, of 8 bytes where nothing is said):
///
///   superblock, version 0, at 0     8: its version (1 byte), 13 and 14: bytes of an address and of a length (1 byte each),
///                                   24: base address, 40: END OF THE FILE
///   object header, version 1        0: its version (1 byte), 2: number of messages (2 bytes), 8: bytes of all of them (4 bytes),
///                                   16: the messages
///   message                         0: its type (2 bytes), 2: bytes of its data (2 bytes), 8: its data
///     type 1, dataspace, version 1  0: its version, 1: dimensions, 2: bit 0 for "with largest extents" (1 byte each),
///                                   8: the EXTENTS, then the LARGEST EXTENTS
///     type 8, layout, version 3     0: its version, 1: class, 1 for contiguous (1 byte each), 2: ADDRESS, 10: SIZE
///
/// These are the oldest forms, which HDF5 writes unless asked for newer ones, and which carry no checksums.
namespace lacon {

/// What is not as it was expected, as the end of a sentence.
struct H5Unexpected {
    const char* what;
};

class H5Header {
public:
    /// Bytes that are read and changed: a page, which the system copies whole whatever signal comes.
    static constexpr std::size_t page_size = 4096;

    /// From a file's first bytes, at most a page, and where in it the object header of the rows begins: a contiguous dataset of
    /// doubles in two dimensions, at the end of the file, or without any rows. Throws H5Unexpected.
    H5Header(std::string_view first_bytes, std::uint64_t address);

    std::uint64_t rows() const { return rows_; }
    std::uint64_t columns() const { return columns_; }
    /// Where row `row` stands, or will stand.
    std::uint64_t place_of(std::uint64_t row) const { return begin_ + row * columns_ * sizeof(double); }

    void set_rows(std::uint64_t rows);
    /// What `set_rows` changes, to be written in one piece, and where.
    std::string_view bytes() const { return {page_->bytes.data() + first_, end_ - first_}; }
    std::uint64_t at() const { return first_; }

private:
    // On a page of its own in memory too: then the system cannot come to the end of one in the middle of its copy.
    struct alignas(page_size) Page {
        std::array<char, page_size> bytes;
    };

    template <class Number>
    Number get(std::uint64_t at) const;
    void put(std::uint64_t at, std::uint64_t value);
    void check_superblock() const;
    void find_messages(std::uint64_t address);
    void take_dataspace(std::uint64_t at, std::uint64_t size);
    void take_layout(std::uint64_t at, std::uint64_t size);

    std::unique_ptr<Page> page_;
    std::size_t size_ = 0;                          // of the page that the file has
    std::uint64_t extent_at_ = 0, largest_at_ = 0;  // 0: not there
    std::uint64_t address_at_ = 0;
    std::uint64_t first_ = 0, end_ = 0;  // the changing numbers and what is between them
    std::uint64_t rows_ = 0, columns_ = 0;
    std::uint64_t begin_ = 0;  // of row 0
};

}  // namespace lacon
