// Blocks become vectors of (rows × lanes) doubles; moving rows about is a shuffle. A transposition
// takes log₂(rows) rounds of shuffles.
#include "kernel/llvm/blocks.hpp"

#include "kernel/dense_call.hpp"

namespace lacon::kernel {

Blocks::Blocks(llvm::IRBuilder<>& builder, Isa isa, std::size_t lanes)
    : size(dense_block(isa, lanes)),
      one(builder, isa, lanes),
      rows(builder, isa, size * lanes),
      ir_(builder) {}

llvm::Value* Blocks::address(llvm::Value* base, llvm::Value* item) const {
    llvm::Value* place = one.lanes == 1 ? item : ir_.CreateMul(item, ir_.getInt64(one.lanes));
    return ir_.CreateInBoundsGEP(ir_.getDoubleTy(), base, place);
}

llvm::Value* Blocks::load(llvm::Type* type, llvm::Value* base, llvm::Value* item) const {
    return ir_.CreateAlignedLoad(type, address(base, item), llvm::Align(8));
}

void Blocks::store(llvm::Value* value, llvm::Value* base, llvm::Value* item) const {
    ir_.CreateAlignedStore(value, address(base, item), llvm::Align(8));
}

llvm::Value* Blocks::shuffle(llvm::Value* a, llvm::Value* b,
                             const std::vector<std::size_t>& which) const {
    std::vector<int> mask;
    for (const std::size_t row : which)
        for (std::size_t l = 0; l < one.lanes; ++l)
            mask.push_back(static_cast<int>(row * one.lanes + l));
    return ir_.CreateShuffleVector(a, b, mask);
}

llvm::Value* Blocks::spread(llvm::Value* number) const {
    if (one.lanes == 1) return ir_.CreateVectorSplat(static_cast<unsigned>(size), number);
    return shuffle(number, number, std::vector<std::size_t>(size, 0));
}

llvm::Value* Blocks::number_of(llvm::Value* block, std::size_t row) const {
    if (one.lanes == 1) return ir_.CreateExtractElement(block, row);
    return shuffle(block, block, {row});
}

llvm::Value* Blocks::minus(llvm::Value* c, llvm::Value* a, llvm::Value* b) const {
    const Numbers& n = c->getType() == one.type() ? one : rows;
    if (!has_fma(n.isa)) return ir_.CreateFSub(c, ir_.CreateFMul(a, b));
    return n.fma(ir_.CreateFNeg(a), b, c);
}

llvm::Value* Blocks::below(std::size_t row, llvm::Value* lower, llvm::Value* upper) const {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < size; ++i) which.push_back(i > row ? i : size + i);
    return shuffle(lower, upper, which);
}

Values Blocks::transposed(const Values& columns) const {
    // Each round lays the first half of the blocks between the rows of the second half.
    std::vector<std::size_t> first, second;
    for (std::size_t i = 0; i < size / 2; ++i) {
        first.insert(first.end(), {i, size + i});
        second.insert(second.end(), {size / 2 + i, size + size / 2 + i});
    }
    Values now = columns;
    for (std::size_t round = 1; round < size; round *= 2) {
        Values next;
        for (std::size_t i = 0; i < size / 2; ++i) {
            next.push_back(shuffle(now[i], now[size / 2 + i], first));
            next.push_back(shuffle(now[i], now[size / 2 + i], second));
        }
        now = next;
    }
    return now;
}

}  // namespace lacon::kernel
