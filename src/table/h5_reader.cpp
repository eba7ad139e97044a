// Reads HDF5 tables, also those that a run is still writing: if the file changes while it is read,
// the reader starts again, at most four times.
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

#include "table/formats.hpp"
#include "table/h5_file.hpp"
#include "table/h5_header.hpp"
#include "table/plain_file.hpp"

namespace lacon::inline table {

namespace {

constexpr std::size_t read_block = 128 * 1024;  // doubles read at a time, about

class H5Reader {
public:
    explicit H5Reader(const std::string& path) : path_(path) {
        if (H5Fis_hdf5(path.c_str()) == 0) throw cannot_read(path, "it is not an HDF5 file");
        const std::string before = first_page();
        file_ = H5Id(must(H5Fopen(path.c_str(), H5F_ACC_RDONLY, h5_access())), H5Fclose);
        if (H5Lexists(file_, "rows", H5P_DEFAULT) <= 0 ||
            H5Lexists(file_, "names", H5P_DEFAULT) <= 0)
            throw cannot_read(path,
                              "it is not a table: the datasets 'rows' and 'names' were expected");
        rows_ = H5Id(must(H5Dopen2(file_, "rows", H5P_DEFAULT)),
                     H5Dclose);  // at once: the file may be growing
        tree_ = tree_in(before);
    }

    TableInfo info() const {
        TableInfo info;
        info.model = first_of(strings("model"));
        info.source = first_of(strings("source"));
        const std::vector<std::string> options = strings("options");
        for (std::size_t i = 0; i + 1 < options.size(); i += 2)
            info.options.emplace_back(options[i], options[i + 1]);
        info.names = strings("names");
        info.texts = strings("texts");
        info.texts.resize(info.names.size());
        return info;
    }

    /// Files of earlier versions have none.
    std::string events() const {
        if (H5Lexists(file_, "events", H5P_DEFAULT) <= 0) return {};
        const H5Id set(must(H5Dopen2(file_, "events", H5P_DEFAULT)), H5Dclose);
        const H5Id space(must(H5Dget_space(set)), H5Sclose);
        std::string text(static_cast<std::size_t>(must(H5Sget_simple_extent_npoints(space))), '\0');
        if (!text.empty())
            must(H5Dread(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()));
        return text;
    }

    std::vector<std::vector<double>> columns(std::size_t expected) const {
        const H5Id space(must(H5Dget_space(rows_)), H5Sclose);
        hsize_t extent[2] = {0, 0};
        if (H5Sget_simple_extent_ndims(space) == 2)
            H5Sget_simple_extent_dims(space, extent, nullptr);
        if (extent[1] != expected || expected == 0)
            throw cannot_read(
                path_, fmt::format("its dataset 'rows' has {} columns, 'names' has {}", extent[1],
                                   expected));
        if (is_in_motion(extent[0] * extent[1])) throw cannot_read(path_, in_motion);
        const Piece most = piece_at_a_time(extent[1]);
        std::vector<std::vector<double>> columns(expected, std::vector<double>(extent[0]));
        for (hsize_t row = 0; row < extent[0]; row += most.rows)
            for (hsize_t column = 0; column < extent[1]; column += most.columns)
                read_piece(space,
                           {row, column, std::min(most.rows, extent[0] - row),
                            std::min(most.columns, extent[1] - column)},
                           columns);
        if (tree_ != tree_in(first_page())) throw cannot_read(path_, in_motion);
        return columns;
    }

private:
    static constexpr const char* in_motion = "it changed while it was read";

    struct Piece {
        hsize_t row = 0, column = 0, rows = 0, columns = 0;
    };

    template <class Result>
    Result must(Result result) const {
        if (result < 0) throw cannot_read(path_, h5_reason());
        return result;
    }

    /// About a block, cut such that no chunk is read twice.
    Piece piece_at_a_time(hsize_t columns) const {
        const H5Id layout(must(H5Dget_create_plist(rows_)), H5Pclose);
        hsize_t chunk[2] = {1, columns};
        if (H5Pget_layout(layout) == H5D_CHUNKED) must(H5Pget_chunk(layout, 2, chunk));
        const auto times = [](hsize_t size) {
            return std::max<hsize_t>(1, read_block / std::max<hsize_t>(1, size));
        };
        Piece piece;
        piece.columns = std::min(columns, chunk[1] * times(chunk[0] * chunk[1]));
        piece.rows = chunk[0] * times(chunk[0] * piece.columns);
        return piece;
    }

    void read_piece(hid_t space, const Piece& piece,
                    std::vector<std::vector<double>>& columns) const {
        const hsize_t begin[2] = {piece.row, piece.column}, count[2] = {piece.rows, piece.columns};
        std::vector<double> block(piece.rows * piece.columns);
        const H5Id memory(must(H5Screate_simple(2, count, nullptr)), H5Sclose);
        must(H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr));
        must(H5Dread(rows_, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, block.data()));
        for (hsize_t j = 0; j < piece.columns; ++j) {
            double* column = columns[piece.column + j].data() + piece.row;
            for (hsize_t i = 0; i < piece.rows; ++i) column[i] = block[i * piece.columns + j];
        }
    }

    /// Whether the file has got rows since HDF5 looked at its head: HDF5 would take them for zeros
    /// without a word.
    bool is_in_motion(hsize_t count) const {
        const haddr_t place = H5Dget_offset(rows_);
        if (place == HADDR_UNDEF) return false;  // in chunks, or no rows
        const H5Id type(must(H5Dget_type(rows_)), H5Tclose);
        const hsize_t size = H5Dget_storage_size(rows_);
        haddr_t end = 0;
        must(H5Fget_eoa(file_, &end));
        return place + size > end || size != count * H5Tget_size(type);
    }

    std::string first_page() const {
        return PlainFile(path_, O_RDONLY, cannot_read).read(H5Page::page_size, 0);
    }

    /// Which tree of chunks a header refers to. As long as it is the same, all that it leads to
    /// stays where it is; later the writer uses the place again. A root may come back to a place it
    /// had, but not over the same rows. None: not in chunks, or not as Lacon writes them.
    struct Tree {
        std::uint64_t root = 0, band = 0;
        bool operator==(const Tree&) const = default;
    };
    std::optional<Tree> tree_in(std::string_view page) const {
        try {
            const H5ChunkHeader header(page, h5_header_of(rows_));
            return Tree{header.root(),
                        (header.rows() + header.chunk_rows() - 1) / header.chunk_rows()};
        } catch (const H5Unexpected&) {
            return std::nullopt;
        }
    }

    static std::string first_of(const std::vector<std::string>& texts) {
        return texts.empty() ? std::string() : texts.front();
    }

    /// All strings of a dataset, row by row; none where it is missing.
    std::vector<std::string> strings(const char* name) const {
        if (H5Lexists(file_, name, H5P_DEFAULT) <= 0) return {};
        const H5Id set(must(H5Dopen2(file_, name, H5P_DEFAULT)), H5Dclose);
        const H5Id space(must(H5Dget_space(set)), H5Sclose), type = h5_string_type();
        std::vector<char*> pointers(
            static_cast<std::size_t>(must(H5Sget_simple_extent_npoints(space))), nullptr);
        if (pointers.empty()) return {};
        must(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()));
        std::vector<std::string> texts;
        texts.reserve(pointers.size());
        for (const char* text : pointers) texts.emplace_back(text ? text : "");
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
        return texts;
    }

    std::string path_;
    H5Id file_, rows_;
    std::optional<Tree> tree_;
};

Table read_once(const std::string& path) {
    const H5Reader reader(path);
    Table table{reader.info(), {}};
    table.columns = reader.columns(table.info.names.size());
    table.events = reader.events();
    return table;
}

}  // namespace

TableInfo read_h5_info(const std::string& path) {
    const H5Quiet quiet;
    return H5Reader(path).info();
}

Table read_h5(const std::string& path) {
    const H5Quiet quiet;
    // A file that grows just now may be seen by HDF5 in part as it was and in part as it is; the
    // next look finds it whole. One in chunks that takes longer to read than its writer takes for a
    // band of them is refused.
    for (int looks = 1;; ++looks) {
        try {
            return read_once(path);
        } catch (const TableError&) {
            if (looks == 5) throw;
        }
    }
}

}  // namespace lacon::table
