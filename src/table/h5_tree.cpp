// Builds the whole tree as bytes, leaves first. To check a tree on disk, it is built again from its
// chunks and compared.
#include "table/h5_tree.hpp"

#include <algorithm>
#include <cstring>

namespace lacon::inline table {

namespace {

constexpr std::uint64_t key_size = 32, pair_size = key_size + 8, head_size = 24;

std::uint64_t nodes_over(std::uint64_t children) {
    return (children + h5_tree_fanout - 1) / h5_tree_fanout;
}

template <class Number>
void put(std::string& bytes, std::uint64_t at, Number number) {
    std::memcpy(bytes.data() + at, &number, sizeof number);
}

template <class Number>
Number get(std::string_view bytes, std::uint64_t at) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
}

class TreeMaker {
public:
    TreeMaker(const H5Grid& grid, std::span<const H5Chunk> chunks, std::uint64_t at)
        : grid_(grid), chunks_(chunks), at_(at) {}

    std::string bytes() {
        bytes_.assign(tree_size(chunks_.size()), '\0');
        std::uint64_t below = 0, children = chunks_.size(), span = 1,
                      begin = 0;  // nodes: in units of a node
        for (std::uint8_t level = 0; children > 1 || level == 0; ++level) {
            const std::uint64_t nodes = nodes_over(children);
            for (std::uint64_t i = 0; i < nodes; ++i) {
                put_head({begin, nodes, i, level},
                         std::min(h5_tree_fanout, children - i * h5_tree_fanout));
                put_children({begin, nodes, i, level}, below, span);
            }
            below = begin;
            begin += nodes;
            children = nodes;
            span *= h5_tree_fanout;
        }
        return std::move(bytes_);
    }

private:
    struct Node {
        std::uint64_t begin, nodes;  // of its level
        std::uint64_t i;             // which one of its level
        std::uint8_t level;
    };

    std::uint64_t address_of(std::uint64_t node) const { return at_ + node * h5_tree_node; }

    void put_head(const Node& node, std::uint64_t children) {
        const std::uint64_t at = (node.begin + node.i) * h5_tree_node;
        bytes_.replace(at, 4, "TREE");
        put<std::uint8_t>(bytes_, at + 4, 1);
        put(bytes_, at + 5, node.level);
        put(bytes_, at + 6, static_cast<std::uint16_t>(children));
        put(bytes_, at + 8, node.i == 0 ? h5_nowhere : address_of(node.begin + node.i - 1));
        put(bytes_, at + 16,
            node.i + 1 == node.nodes ? h5_nowhere : address_of(node.begin + node.i + 1));
    }

    /// `span`: chunks below a full child; `below`: the first node of the level below.
    void put_children(const Node& node, std::uint64_t below, std::uint64_t span) {
        std::uint64_t at = (node.begin + node.i) * h5_tree_node + head_size;
        for (std::uint64_t child = node.i * h5_tree_fanout; child < (node.i + 1) * h5_tree_fanout;
             ++child) {
            if (child * span >= chunks_.size()) break;
            put_key(at, child * span);
            put(bytes_, at + key_size,
                node.level == 0 ? chunks_[child].address : address_of(below + child));
            at += pair_size;
        }
        put_key(at, std::min<std::uint64_t>((node.i + 1) * h5_tree_fanout * span, chunks_.size()));
    }

    void put_key(std::uint64_t at, std::uint64_t chunk) {
        // All chunks: as HDF5 does it, one further in every dimension.
        const bool behind = chunk == chunks_.size();
        const std::uint64_t which = behind ? chunk - 1 : chunk, more = behind ? 1 : 0;
        put(bytes_, at, behind ? 0 : chunks_[chunk].size);
        put(bytes_, at + 4, behind ? 0 : chunks_[chunk].mask);
        put(bytes_, at + 8, (which / grid_.across + more) * grid_.chunk_rows);
        put(bytes_, at + 16, (which % grid_.across + more) * grid_.chunk_columns);
        put(bytes_, at + 24, more * sizeof(double));
    }

    const H5Grid& grid_;
    std::span<const H5Chunk> chunks_;
    std::uint64_t at_;
    std::string bytes_;
};

}  // namespace

std::uint64_t tree_size(std::uint64_t chunks) {
    std::uint64_t nodes = 0;
    for (std::uint64_t level = nodes_over(chunks); level > 0;
         level = level == 1 ? 0 : nodes_over(level))
        nodes += level;
    return nodes * h5_tree_node;
}

std::string tree_bytes(const H5Grid& grid, std::span<const H5Chunk> chunks, std::uint64_t at) {
    return chunks.empty() ? std::string() : TreeMaker(grid, chunks, at).bytes();
}

std::vector<H5Chunk> read_tree(const PlainFile& file, const H5Grid& grid, std::uint64_t root,
                               std::uint64_t count) {
    constexpr H5Unexpected other{"unsupported HDF5 layout: chunk B-tree of another form"};
    if (count == 0) return {};
    const std::uint64_t size = tree_size(count);
    if (size > root + h5_tree_node) throw other;
    const std::uint64_t at = root + h5_tree_node - size;
    const std::string bytes = file.read(size, at);
    if (bytes.size() != size) throw other;
    std::vector<H5Chunk> chunks;
    chunks.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        // Leaves come first.
        const std::uint64_t pair =
            i / h5_tree_fanout * h5_tree_node + head_size + i % h5_tree_fanout * pair_size;
        chunks.push_back({get<std::uint64_t>(bytes, pair + key_size),
                          get<std::uint32_t>(bytes, pair), get<std::uint32_t>(bytes, pair + 4)});
    }
    // All else follows from the chunks.
    if (tree_bytes(grid, chunks, at) != bytes) throw other;
    return chunks;
}

}  // namespace lacon::table
