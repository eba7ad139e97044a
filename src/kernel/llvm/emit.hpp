// LLVM IR for straight-line code. The same emitter writes it for one double and for many lanes.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "kernel/generate.hpp"
#include "kernel/schedule.hpp"

namespace lacon::kernel {

/// IR over a number type that is `double` or a vector of lanes: the only difference between the
/// two.
class Numbers {
public:
    Numbers(llvm::IRBuilder<>& builder, Isa isa, std::size_t lanes);

    llvm::Type* type() const { return number_; }
    llvm::Value* constant(double x) const;
    llvm::Value* bits(std::int64_t x) const;
    llvm::Value* no() const;                 // false in all lanes
    llvm::Value* all(llvm::Value* x) const;  // a double in all lanes
    llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) const;
    llvm::Value* unary(llvm::Intrinsic::ID which, llvm::Value* x) const;
    /// sin x and cos x; `beyond` becomes true in lanes where |x| is beyond range_limit.
    struct SinCos {
        llvm::Value *sin, *cos, *beyond;
    };
    SinCos sin_cos(llvm::Value* x) const;
    /// A function from the table, called in pieces of the widths that there are.
    llvm::Value* call(Function function, llvm::Value* table, llvm::Value* x, llvm::Value* y) const;

    llvm::IRBuilder<>& ir;
    const Isa isa;
    const std::size_t lanes;

private:
    struct Reduced {
        llvm::Value *r, *low, *quadrant;
    };
    Reduced reduce(llvm::Value* x) const;

    llvm::Type *number_, *integer_;
};

/// Power series in memory: where they stand, and sums of products of two of them.
class SeriesAccess {
public:
    SeriesAccess(const Numbers& numbers, const Series& series, llvm::Value* memory, llvm::Value* k)
        : n_(numbers), series_(series), memory_(memory), k_(k) {}

    /// The address of order k + shift.
    llvm::Value* forwards(std::uint32_t slot, std::uint32_t shift) const;
    llvm::Value* backwards(std::uint32_t slot, std::uint32_t shift) const;
    llvm::Value* item(std::uint32_t number) const;

    struct Product {
        std::uint32_t forwards, backwards, shift;  // as in Do::inner
        bool weighted = false;
    };
    std::size_t sums_at_once() const;
    /// Do::inner of each, in one loop, as long as the longest: the others go on over zeros. One
    /// number takes `block` products at a time, many lanes take them one by one: to the same sums
    /// in the same order. Of series side by side, which have no zeros to go on over, all must have
    /// the same shift.
    std::vector<llvm::Value*> sum(std::span<const Product> products) const;

private:
    llvm::Value* address(std::size_t fixed, llvm::Value* moving) const;
    llvm::Value* beside(std::uint32_t slot, llvm::Value* order) const;
    std::vector<llvm::Value*> sum_side_by_side(std::span<const Product> products) const;

    const Numbers& n_;
    const Series& series_;
    llvm::Value *memory_, *k_;
};

/// Adds the function `kernel` and its parts to a module.
void emit(const Request& request, const Schedule& schedule, llvm::Module& module);

}  // namespace lacon::kernel
