// Creates an HDF5 file without rows, and checks one that a resumed run goes on with.
#pragma once

#include "table/h5_chunks.hpp"
#include "table/h5_file.hpp"

/// How a file begins: HDF5 makes it, with its texts and without rows, in its oldest forms
/// (h5_header.hpp), and is done with it.
namespace lacon::inline table {

/// Where the headers of `rows` and `events` are; HADDR_UNDEF: not there.
struct H5Headers {
    haddr_t rows = HADDR_UNDEF, events = HADDR_UNDEF;
};

/// Makes the file; `rows` is in one piece, or in chunks of a grid.
H5Headers begin_h5(const std::string& path, const TableInfo& info, const H5Grid* grid);

/// A file to go on with.
struct H5Begun {
    H5Headers headers;
    hsize_t rows = 0;
    bool in_chunks = false;  // with the filters of h5_chunks.hpp
};
/// What HDF5 says of it. Throws TableError where a run with this info cannot go on with it from
/// there.
H5Begun begun_h5(const std::string& path, const TableInfo& info, Resume resume);

/// Rows from `from` to `to`, all columns.
std::vector<double> read_h5_rows(const std::string& path, hsize_t from, hsize_t to);

}  // namespace lacon::table
