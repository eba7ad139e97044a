// Writes HDF5 files with compressed chunks. A kill at any moment leaves a file that can be read.
#include <algorithm>

#include "table/h5_open.hpp"
#include "table/h5_tree.hpp"

/// HDF5 with `rows` in chunks that are compressed, for wide tables. The file is, in this order:
///
///   what HDF5 made | bands of chunks, compressed | a gap | the tail: an unfinished band, plain;
///   the tree; 8 bytes
///
/// A band has all columns over as many rows as a chunk has. A finished one is compressed and
/// appended to the others, at a place that depends on the rows alone. Rows of the unfinished band
/// are written plain, each once, into chunks of full size: a row beyond the extent is looked at by
/// nobody, so a flush adds it in place and then changes the extent. The tail is replaced as a
/// whole, by another one where nothing lies that the header refers to, and one write within the
/// first page makes it known. So a kill at any moment leaves the file as it was before that write
/// or as it is after it.
///
/// The gap has room for the next band and its tree. `close` needs it too: it puts the last band,
/// compressed, and the tree where they belong, without a gap, and the file has the same bytes
/// whenever it was flushed. The last 8 bytes say where the bands begin, as a file with an
/// unfinished band alone would not tell.
namespace lacon::inline table {

namespace {

class H5ChunkWriter final : public H5OpenWriter<H5ChunkHeader> {
public:
    H5ChunkWriter(const std::string& path, const TableInfo& info, std::optional<Resume> resume)
        : H5OpenWriter(path, info, resume) {
        if (resume) go_on(info, *resume);
        else begin(info);
    }
    ~H5ChunkWriter() override { close_in_destructor(); }

    void flush() override {
        if (written_ == finished_rows() + block_rows()) return;
        if (tail_.plain && tail_.finished == finished_.size()) {
            write_plain(tail_.begin, written_ - finished_rows());
            publish(header_->root(), tail_.end);
        } else {
            replace_tail();
        }
    }

    void close() override {
        if (!file_.is_open()) return;
        make_room();
        std::vector<H5Chunk> chunks = finished_;
        std::string bytes;
        if (!block_.empty()) pack_block(chunks, bytes);
        if (!chunks.empty()) {
            const std::uint64_t tree = solid_ + bytes.size();
            bytes += tree_bytes(grid_, chunks, tree) + foot();
            file_.write(bytes, solid_);
            publish(tree + tree_size(chunks.size()) - h5_tree_node, solid_ + bytes.size());
            // Only now: no kill may leave a file shorter than it says.
            file_.resize(solid_ + bytes.size());
        }
        write_events();
        file_.close();
    }

protected:
    void append(std::span<const double> values) override {
        if (block_rows() == grid_.chunk_rows) finish_band();  // what failed before
        block_.reserve(grid_.chunk_rows * grid_.columns);
        block_.insert(block_.end(), values.begin(), values.end());
        if (block_rows() == grid_.chunk_rows) finish_band();
    }

private:
    /// What the header refers to, behind the finished bands.
    struct Tail {
        std::uint64_t begin = h5_nowhere, end = h5_nowhere;  // nowhere: none
        bool plain = false;                                  // whether it has an unfinished band
        std::size_t finished = 0;  // chunks in finished bands that its tree has
    };

    std::uint64_t block_rows() const { return block_.size() / grid_.columns; }
    std::uint64_t finished_rows() const {
        return finished_.size() / grid_.across * grid_.chunk_rows;
    }
    std::string foot() const {
        return std::string(reinterpret_cast<const char*>(&begin_), sizeof begin_);
    }

    /// Bytes that one more band and its tree may take.
    std::uint64_t room_for_band() const {
        return grid_.band_bytes() + tree_size(finished_.size() + grid_.across) + sizeof begin_;
    }
    void make_room() {
        if (tail_.begin - solid_ < room_for_band()) replace_tail();
    }

    /// Where a tail can be written: in front of the present one where it fits there, or else behind
    /// it. As it fits in front of one that is further off than a gap and a tail, none is ever
    /// further off than a gap and two tails. The gap is such that trees are a small part of all
    /// that is written.
    std::uint64_t place_for_tail(std::uint64_t size) const {
        const std::uint64_t tree = tree_size(finished_.size() + grid_.across);
        const std::uint64_t front =
            solid_ + room_for_band() + std::max(grid_.band_bytes(), 8 * tree);
        const bool fits = tail_.begin == h5_nowhere || front + size <= tail_.begin;
        return fits ? front : std::max(front, tail_.end);
    }

    std::uint64_t tail_size() const {
        const bool plain = !block_.empty();
        return (plain ? grid_.band_bytes() : 0) +
               tree_size(finished_.size() + (plain ? grid_.across : 0)) + sizeof begin_;
    }

    void replace_tail() {
        if (finished_.empty() && block_.empty()) {
            publish(h5_nowhere, begin_);
            tail_ = {};
            file_.resize(begin_);
            return;
        }
        const std::uint64_t size = tail_size(), at = place_for_tail(size);
        std::vector<H5Chunk> chunks = finished_;
        std::uint64_t tree = at;
        if (!block_.empty()) {
            const std::uint64_t bytes = grid_.chunk_size() * sizeof(double);
            for (; tree < at + grid_.band_bytes(); tree += bytes)
                chunks.push_back({tree, static_cast<std::uint32_t>(bytes), h5_plain});
            write_plain(at, 0);
        }
        file_.write(tree_bytes(grid_, chunks, tree) + foot(), tree);
        publish(tree + tree_size(chunks.size()) - h5_tree_node, at + size);
        tail_ = {at, at + size, !block_.empty(), finished_.size()};
        if (file_.size() > tail_.end) file_.resize(tail_.end);
    }

    /// Makes all rows known, of which those that are not have been written.
    void publish(std::uint64_t root, std::uint64_t end_of_file) {
        const std::uint64_t rows = finished_rows() + block_rows();
        header_->set(rows, root, end_of_file);
        publish_header(rows);
    }

    /// Rows of the block from `from` on as they stand in chunk `j`, `count` of them; beyond the
    /// table there are zeros.
    std::vector<double> gathered(std::uint64_t j, std::uint64_t from, std::uint64_t count) const {
        std::vector<double> numbers(count * grid_.chunk_columns);
        const std::uint64_t begin = j * grid_.chunk_columns,
                            end = std::min(begin + grid_.chunk_columns, grid_.columns);
        for (std::uint64_t i = 0; i < std::min(count, block_rows() - from); ++i) {
            const double* row = block_.data() + (from + i) * grid_.columns;
            std::copy(row + begin, row + end,
                      numbers.begin() + static_cast<std::ptrdiff_t>(i * grid_.chunk_columns));
        }
        return numbers;
    }

    /// Rows of the block from `from` on, into the plain chunks at `at`.
    void write_plain(std::uint64_t at, std::uint64_t from) {
        for (std::uint64_t j = 0; j < grid_.across; ++j) {
            const std::vector<double> numbers = gathered(j, from, block_rows() - from);
            // Doubles.
            const std::uint64_t before = j * grid_.chunk_size() + from * grid_.chunk_columns;
            file_.write(
                {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)},
                at + before * sizeof(double));
        }
    }

    /// The block as compressed chunks, to stand behind the finished bands.
    void pack_block(std::vector<H5Chunk>& chunks, std::string& bytes) const {
        for (std::uint64_t j = 0; j < grid_.across; ++j) {
            const std::uint64_t at = solid_ + bytes.size();
            chunks.push_back(pack_chunk(gathered(j, 0, grid_.chunk_rows), bytes));
            chunks.back().address = at;
        }
    }

    void finish_band() {
        make_room();
        std::vector<H5Chunk> chunks;
        std::string bytes;
        pack_block(chunks, bytes);
        file_.write(bytes, solid_);  // made known by the next tail
        finished_.insert(finished_.end(), chunks.begin(), chunks.end());
        solid_ += bytes.size();
        block_.clear();
        make_room();
    }

    void begin(const TableInfo& info) {
        grid_ = H5Grid::for_columns(info.names.size());
        create(info, &grid_);
        take_grid();
        solid_ = begin_ = header_->end_of_file();
    }

    /// As it is on disk.
    void take_grid() {
        grid_ = {header_->columns(), header_->chunk_rows(), header_->chunk_columns(), 0};
        grid_.across = (grid_.columns + grid_.chunk_columns - 1) / grid_.chunk_columns;
    }

    void go_on(const TableInfo& info, Resume resume) {
        reopen(info, resume);
        take_grid();
        try {
            find_bands(resume.rows / grid_.chunk_rows);
        } catch (const H5Unexpected& unexpected) {
            throw cannot_resume(path_, unexpected.what);
        }
        block_ = read_h5_rows(path_, finished_rows(), resume.rows);
        tail_ = {solid_, header_->end_of_file(), false, 0};
        replace_tail();
        if (place_for_tail(tail_size()) < tail_.begin) replace_tail();  // over what was cut off
    }

    /// The first bands of the file: the ones to keep.
    void find_bands(std::uint64_t bands) {
        const std::uint64_t end = header_->end_of_rows();
        solid_ = begin_ = end;
        if (header_->rows() == 0) return;
        if (header_->root() + h5_tree_node + sizeof begin_ != end)
            throw H5Unexpected{
                "unsupported HDF5 layout: the dataset is not at the end of the file"};
        const std::string bytes = file_.read(sizeof begin_, end - sizeof begin_);
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(&begin_));
        solid_ = begin_;
        finished_ = read_tree(file_, grid_, header_->root(), grid_.chunks_of(header_->rows()));
        const H5Chunk& first = finished_.front();
        const bool may_be_tail = first.mask == h5_plain && header_->rows() <= grid_.chunk_rows &&
                                 begin_ >= H5Page::page_size;
        if (begin_ != first.address && !(may_be_tail && begin_ < first.address))
            throw H5Unexpected{
                "unsupported HDF5 layout: the end of the file was not written by Lacon"};
        finished_.resize(bands * grid_.across);
        for (const H5Chunk& chunk : finished_) {
            if (chunk.address != solid_)
                throw H5Unexpected{"unsupported HDF5 layout: chunks in unexpected places"};
            solid_ += chunk.size;
        }
        if (solid_ >= end)
            throw H5Unexpected{"unsupported HDF5 layout: chunks in unexpected places"};
    }

    H5Grid grid_;
    std::uint64_t begin_ = 0;        // of the first band
    std::vector<H5Chunk> finished_;  // of all finished bands, on disk
    std::uint64_t solid_ = 0;        // where the next band will begin
    std::vector<double> block_;      // rows of the unfinished band
    Tail tail_;
};

}  // namespace

std::unique_ptr<TableWriter> write_h5_chunks(const std::string& path, const TableInfo& info,
                                             std::optional<Resume> resume) {
    return std::make_unique<H5ChunkWriter>(path, info, resume);
}

}  // namespace lacon::table
