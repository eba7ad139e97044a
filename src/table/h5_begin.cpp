// HDF5 builds the empty file in memory, and Lacon writes that image to disk. The dataset `rows`
// comes first, so that its header lies in the first page.
#include "table/h5_begin.hpp"

#include <fcntl.h>

#include <algorithm>

#include "table/plain_file.hpp"

namespace lacon::inline table {

namespace {

class H5Beginner {
public:
    explicit H5Beginner(const std::string& path) : path_(path) {}

    H5Headers create(const TableInfo& info, const H5Grid* grid) {
        // HDF5 makes the file in memory: what fails when it is written is then told by the system,
        // and spoils nothing within HDF5.
        constexpr std::size_t growth = 1 << 20;
        const H5Id access = h5_access();
        must(H5Pset_fapl_core(access, growth, false));
        must(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST,
                                  H5F_LIBVER_LATEST));  // the forms h5_header.hpp knows
        const H5Id file(must(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)),
                        H5Fclose);
        // First, so that their headers are in the first page.
        H5Headers headers;
        headers.rows = create_rows(file, info.names.size(), grid);
        headers.events = create_events(file);
        write_strings(file, "model", {info.model}, {});
        write_strings(file, "source", {info.source}, {});
        std::vector<std::string> options;
        for (const auto& [name, value] : info.options)
            options.insert(options.end(), {name, text_of(value)});
        write_strings(file, "options", options, {info.options.size(), 2});
        write_strings(file, "names", info.names, {info.names.size()});
        write_strings(file, "texts", info.texts, {info.names.size()});
        must(H5Fflush(file, H5F_SCOPE_GLOBAL));
        std::string image(static_cast<std::size_t>(must(H5Fget_file_image(file, nullptr, 0))),
                          '\0');
        must(H5Fget_file_image(file, image.data(), image.size()));
        PlainFile on_disk(path_, O_WRONLY | O_CREAT | O_TRUNC, cannot_write);
        on_disk.write(image, 0);
        on_disk.close();
        return headers;
    }

    H5Begun open(const TableInfo& info, Resume resume) {
        const H5Id file = opened(), set = rows_of(file), space(must(H5Dget_space(set)), H5Sclose);
        const H5Id layout(must(H5Dget_create_plist(set)), H5Pclose),
            type(must(H5Dget_type(set)), H5Tclose);
        hsize_t extent[2] = {0, 0};
        if (H5Sget_simple_extent_ndims(space) == 2)
            H5Sget_simple_extent_dims(space, extent, nullptr);
        const bool in_chunks = H5Pget_layout(layout) == H5D_CHUNKED;
        if (in_chunks && !has_our_filters(layout))
            throw cannot_resume(
                path_, "its rows are chunked, not contiguous as in files of earlier versions");
        if (H5Tequal(type, H5T_IEEE_F64LE) <= 0)
            throw cannot_resume(path_, "its rows are not 64-bit numbers");
        if (extent[0] < resume.rows || extent[1] != info.names.size() ||
            resume.position != resume.rows)
            throw cannot_resume(path_, "it is shorter than it was at the checkpoint");
        H5Headers headers{h5_header_of(set), HADDR_UNDEF};
        if (H5Lexists(file, "events", H5P_DEFAULT) > 0) {
            const H5Id events(must(H5Dopen2(file, "events", H5P_DEFAULT)), H5Dclose);
            headers.events = h5_header_of(events);
        }
        return {headers, extent[0], in_chunks};
    }

    std::vector<double> rows(hsize_t from, hsize_t to) {
        const H5Id file = opened(), set = rows_of(file), space(must(H5Dget_space(set)), H5Sclose);
        hsize_t extent[2] = {0, 0};
        H5Sget_simple_extent_dims(space, extent, nullptr);
        const hsize_t begin[2] = {from, 0}, count[2] = {to - from, extent[1]};
        std::vector<double> numbers(count[0] * count[1]);
        const H5Id memory(must(H5Screate_simple(2, count, nullptr)), H5Sclose);
        must(H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr));
        must(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, numbers.data()));
        return numbers;
    }

private:
    /// The result of a call of HDF5, or a TableError.
    template <class Result>
    Result must(Result result) {
        if (result >= 0) return result;
        throw cannot_write(path_, h5_reason());
    }

    H5Id opened() {
        return H5Id(must(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, h5_access())), H5Fclose);
    }
    H5Id rows_of(hid_t file) { return H5Id(must(H5Dopen2(file, "rows", H5P_DEFAULT)), H5Dclose); }

    /// The dataset without rows; where its header is.
    haddr_t create_rows(hid_t file, hsize_t columns, const H5Grid* grid) {
        const hsize_t none[2] = {0, columns}, most[2] = {H5S_UNLIMITED, columns};
        const H5Id space(must(H5Screate_simple(2, none, grid ? most : nullptr)), H5Sclose),
            layout = contiguous();
        if (grid) {
            const hsize_t chunk[2] = {grid->chunk_rows, grid->chunk_columns};
            must(H5Pset_chunk(layout, 2, chunk));
            must(H5Pset_shuffle(layout));
            must(H5Pset_deflate(layout, h5_deflate_level));
        }
        const H5Id set(
            must(H5Dcreate2(file, "rows", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT)),
            H5Dclose);
        return h5_header_of(set);
    }

    /// Bytes of a JSON text, none as yet.
    haddr_t create_events(hid_t file) {
        const hsize_t none[1] = {0};
        const H5Id space(must(H5Screate_simple(1, none, nullptr)), H5Sclose), layout = contiguous();
        const H5Id set(
            must(H5Dcreate2(file, "events", H5T_STD_U8LE, space, H5P_DEFAULT, layout, H5P_DEFAULT)),
            H5Dclose);
        return h5_header_of(set);
    }

    /// In one piece, and without the time at which it was made: equal runs give equal files.
    H5Id contiguous() {
        H5Id layout(must(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
        must(H5Pset_layout(layout, H5D_CONTIGUOUS));
        must(H5Pset_obj_track_times(layout, false));
        return layout;
    }

    bool has_our_filters(hid_t layout) {
        const auto is = [&](unsigned i, H5Z_filter_t filter) {
            unsigned flags = 0, setting = 0;
            std::size_t settings = 1;
            return H5Pget_filter2(layout, i, &flags, &settings, &setting, 0, nullptr, nullptr) ==
                   filter;
        };
        return H5Pget_nfilters(layout) == 2 && is(0, H5Z_FILTER_SHUFFLE) &&
               is(1, H5Z_FILTER_DEFLATE);
    }

    /// A dataset of strings; without dimensions a single one.
    void write_strings(hid_t file, const char* name, const std::vector<std::string>& texts,
                       const std::vector<hsize_t>& dimensions) {
        std::vector<const char*> pointers;
        for (const std::string& text : texts) pointers.push_back(text.c_str());
        const H5Id type = h5_string_type();
        const H5Id space(
            must(dimensions.empty() ? H5Screate(H5S_SCALAR)
                                    : H5Screate_simple(static_cast<int>(dimensions.size()),
                                                       dimensions.data(), nullptr)),
            H5Sclose);
        const H5Id layout = contiguous();
        const H5Id set(must(H5Dcreate2(file, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT)),
                       H5Dclose);
        if (!texts.empty())
            must(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()));
    }

    const std::string& path_;
};

}  // namespace

H5Headers begin_h5(const std::string& path, const TableInfo& info, const H5Grid* grid) {
    const H5Quiet quiet;
    return H5Beginner(path).create(info, grid);
}

H5Begun begun_h5(const std::string& path, const TableInfo& info, Resume resume) {
    const H5Quiet quiet;
    TableInfo as_texts = info;
    for (auto& [name, value] : as_texts.options) value = text_of(value);
    if (read_h5_info(path) != as_texts)
        throw cannot_resume(
            path, "it belongs to a run with another model, other options or other columns");
    return H5Beginner(path).open(info, resume);
}

std::vector<double> read_h5_rows(const std::string& path, hsize_t from, hsize_t to) {
    const H5Quiet quiet;
    return from == to ? std::vector<double>() : H5Beginner(path).rows(from, to);
}

}  // namespace lacon::table
