// Blocks of a matrix column in registers: the vocabulary of the compiled dense solve.
#pragma once

#include "kernel/llvm/emit.hpp"
#include "kernel/llvm/loop.hpp"

namespace lacon::kernel {

/// IR over blocks: a few rows of one column side by side, each row a number (Numbers). For one
/// state a block fills a register; for many, each row does.
class Blocks {
public:
    Blocks(llvm::IRBuilder<>& builder, Isa isa, std::size_t lanes);

    const std::size_t size;  // rows
    const Numbers one, rows;

    llvm::Value* load(llvm::Value* base, llvm::Value* item) const {
        return load(rows.type(), base, item);
    }
    llvm::Value* load_one(llvm::Value* base, llvm::Value* item) const {
        return load(one.type(), base, item);
    }
    /// A block, or one number.
    void store(llvm::Value* value, llvm::Value* base, llvm::Value* item) const;

    llvm::Value* spread(llvm::Value* number) const;                     // the same in all rows
    llvm::Value* number_of(llvm::Value* block, std::size_t row) const;  // of one row
    llvm::Value* spread_row(llvm::Value* block, std::size_t row) const {
        return spread(number_of(block, row));
    }
    llvm::Value* minus(llvm::Value* c, llvm::Value* a, llvm::Value* b) const;  // c − a b
    /// Rows below `row` of the one, the others of the other.
    llvm::Value* below(std::size_t row, llvm::Value* lower, llvm::Value* upper) const;
    /// Of as many blocks as they have rows.
    Values transposed(const Values& columns) const;

private:
    llvm::Value* load(llvm::Type* type, llvm::Value* base, llvm::Value* item) const;
    llvm::Value* address(llvm::Value* base, llvm::Value* item) const;
    /// Rows taken from two blocks as if one stood on the other.
    llvm::Value* shuffle(llvm::Value* a, llvm::Value* b,
                         const std::vector<std::size_t>& which) const;

    llvm::IRBuilder<>& ir_;
};

}  // namespace lacon::kernel
