// The header of an HDF5 file that Lacon changes itself, in one write.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

/// The few numbers of an HDF5 file that say how many rows it has. HDF5 itself changes them one
/// after the other, in several places of the file; a program killed in between leaves a file that
/// nobody can open. So the file is laid out such that all of them lie in its first page, and Lacon
/// changes them in one write.
///
/// What stands where, by the HDF5 File Format Specification 3.0 (all numbers little-endian, of 8
/// bytes where nothing is said):
///
///   superblock, version 0, at 0     8: its version (1 byte), 13 and 14: bytes of an address and of
///                                   a length (1 byte each),
///                                   24: base address, 40: END OF THE FILE
///   object header, version 1        0: its version (1 byte), 2: number of messages (2 bytes), 8:
///                                   bytes of all of them (4 bytes),
///                                   16: the messages
///   message                         0: its type (2 bytes), 2: bytes of its data (2 bytes), 8: its
///                                   data
///     type 1, dataspace, version 1  0: its version, 1: dimensions, 2: bit 0 for "with largest
///                                   extents" (1 byte each),
///                                   8: the EXTENTS, then the LARGEST EXTENTS
///     type 8, layout, version 3     0: its version, 1: class (1 byte each); then
///       class 1, contiguous         2: ADDRESS, 10: SIZE
///       class 2, chunked            2: dimensions and one (1 byte), 3: ADDRESS of the root of the
///                                   tree of chunks, 11: extents of
///                                   a chunk and bytes of an element (4 bytes each)
///
/// These are the oldest forms, which HDF5 writes unless asked for newer ones, and which carry no
/// checksums.
namespace lacon::inline table {

/// What is not as it was expected, as the end of a sentence.
struct H5Unexpected {
    const char* what;
};

/// HDF5's address of what has none.
constexpr std::uint64_t h5_nowhere = std::numeric_limits<std::uint64_t>::max();

/// The first page of a file, and where in it the numbers of its rows stand: doubles in two
/// dimensions; and of its events, bytes in one dimension and in one piece behind all rows. Files of
/// earlier versions have no events.
class H5Page {
public:
    /// Bytes that are read and changed: a page, which the system copies whole whatever signal
    /// comes.
    static constexpr std::size_t page_size = 4096;

    std::uint64_t rows() const;
    std::uint64_t columns() const;
    std::uint64_t end_of_file() const;
    /// Where what belongs to the rows ends: the events, or the file.
    std::uint64_t end_of_rows() const;

    bool has_events() const { return events_.address_at != 0; }
    /// So many bytes from the end of the file on are the events. Rows that are added take them
    /// away.
    void add_events(std::uint64_t size);

    /// The numbers that change, and what is between them: to be written in one piece, and where.
    std::string_view bytes() const { return {page_->bytes.data() + at(), end_ - at()}; }
    std::uint64_t at() const;

protected:
    enum class Layout : std::uint8_t { contiguous = 1, chunked = 2 };

    /// From a file's first bytes, at most a page, and where in it the object headers of the rows
    /// and of the events begin. Throws H5Unexpected.
    H5Page(std::string_view first_bytes, std::uint64_t address, Layout layout,
           std::uint64_t events);

    template <class Number>
    Number get(std::uint64_t at) const;
    void put(std::uint64_t at, std::uint64_t value);
    /// Rows, the address in the layout and the end of the file.
    void put_rows(std::uint64_t rows, std::uint64_t address, std::uint64_t end_of_file);
    std::uint64_t address() const;

    /// Where the numbers of a dataset stand; 0: not there.
    struct Places {
        std::uint64_t extent_at = 0, largest_at = 0, address_at = 0;
    };
    Places rows_;
    std::uint64_t end_ = 0;  // of the numbers that change

private:
    // On a page of its own in memory too: then the system cannot come to the end of one in the
    // middle of its copy.
    struct alignas(page_size) Page {
        std::array<char, page_size> bytes;
    };

    void check_superblock() const;
    Places find_messages(std::uint64_t address, Layout layout, std::uint8_t dimensions) const;
    void take_dataspace(std::uint64_t at, std::uint64_t size, std::uint8_t dimensions,
                        Places& found) const;
    void take_layout(std::uint64_t at, std::uint64_t size, Layout layout, Places& found) const;
    void put_events(std::uint64_t size, std::uint64_t address);

    std::unique_ptr<Page> page_;
    std::size_t size_ = 0;  // of the page that the file has
    Places events_;
};

/// Rows in one piece at the end of the file, or none.
class H5Header : public H5Page {
public:
    H5Header(std::string_view first_bytes, std::uint64_t address,
             std::uint64_t events = h5_nowhere);

    /// Where row `row` stands, or will stand.
    std::uint64_t place_of(std::uint64_t row) const {
        return begin_ + row * columns() * sizeof(double);
    }
    void set_rows(std::uint64_t rows);

private:
    std::uint64_t begin_ = 0;  // of row 0
};

/// Rows in chunks that a tree tells the places of.
class H5ChunkHeader : public H5Page {
public:
    H5ChunkHeader(std::string_view first_bytes, std::uint64_t address,
                  std::uint64_t events = h5_nowhere);

    std::uint32_t chunk_rows() const;
    std::uint32_t chunk_columns() const;
    /// Of the tree of chunks; h5_nowhere without any.
    std::uint64_t root() const { return address(); }
    void set(std::uint64_t rows, std::uint64_t root, std::uint64_t end_of_file) {
        put_rows(rows, root, end_of_file);
    }
};

}  // namespace lacon::table
