// The B-tree by which HDF5 finds the chunks of a dataset.
#pragma once

#include "table/h5_chunks.hpp"
#include "table/h5_header.hpp"

/// The tree that tells HDF5 where the chunks are: a B-tree of version 1, by the File Format
/// Specification 3.0. It is small, some 41 bytes a chunk, and is never changed in place: a new one
/// is written whole, and then the header is made to point to it.
///
///   node       0: "TREE", 4: type, 1 for chunks (1 byte), 5: level, 0 for leaves (1 byte), 6:
///              children (2 bytes),
///              8: address of the node to the left, 16: to the right, 24: key, child, key, …,
///              child, key
///   child      address (8 bytes) of a node one level below, or of a chunk
///   key        of the first chunk below the child behind it; the last one is that of the chunk
///              behind the node:
///              0: its bytes, 4: its mask (4 bytes each), 8: where it begins: row, column, byte of
///              an element (8 bytes each)
///
/// Nodes are filled up from the left, level by level; the root is the last one.
namespace lacon::inline table {

/// HDF5's default, which needs no other form of the superblock. As whole trees are written, it
/// matters little how deep they are.
constexpr std::uint64_t h5_tree_fanout = 64;
/// Bytes.
constexpr std::uint64_t h5_tree_node = 24 + (h5_tree_fanout + 1) * 32 + h5_tree_fanout * 8;

/// Bytes of the tree of so many chunks; 0 without any.
std::uint64_t tree_size(std::uint64_t chunks);

/// The tree of the first chunks of the grid, to stand at `at`.
std::string tree_bytes(const H5Grid& grid, std::span<const H5Chunk> chunks, std::uint64_t at);

/// The chunks of a tree as `tree_bytes` makes it, `count` of them. Throws H5Unexpected for any
/// other one.
std::vector<H5Chunk> read_tree(const PlainFile& file, const H5Grid& grid, std::uint64_t root,
                               std::uint64_t count);

}  // namespace lacon::table
