// Sums of products of power series, Σ_{0<j<K} x_j y_{K−j}, as a loop over blocks of j. Behind the
// last j the backward slot has zeros, so the last block needs no care. Series side by side have
// neither backward slots nor zeros behind them.
#include <algorithm>

#include "kernel/llvm/emit.hpp"

namespace lacon::kernel {

llvm::Value* SeriesAccess::address(std::size_t fixed, llvm::Value* moving) const {
    llvm::IRBuilder<>& ir = n_.ir;
    llvm::Value* item = ir.CreateAdd(moving, ir.getInt64(fixed));
    return ir.CreateInBoundsGEP(ir.getDoubleTy(), memory_,
                                ir.CreateMul(item, ir.getInt64(n_.lanes)));
}

/// Of series side by side.
llvm::Value* SeriesAccess::beside(std::uint32_t slot, llvm::Value* order) const {
    return address(series_.items + slot,
                   n_.ir.CreateMul(order, n_.ir.getInt64(series_.side_by_side)));
}

llvm::Value* SeriesAccess::item(std::uint32_t number) const {
    return address(number, n_.ir.getInt64(0));
}

llvm::Value* SeriesAccess::forwards(std::uint32_t slot, std::uint32_t shift) const {
    if (series_.side_by_side > 0) return beside(slot, n_.ir.CreateAdd(k_, n_.ir.getInt64(shift)));
    return address(slot * series_.stride() + Series::forwards(shift), k_);
}

llvm::Value* SeriesAccess::backwards(std::uint32_t slot, std::uint32_t shift) const {
    return address(slot * series_.stride() + series_.backwards(shift), n_.ir.CreateNeg(k_));
}

std::size_t SeriesAccess::sums_at_once() const {
    const std::size_t width = native_lanes(n_.isa);
    if (series_.side_by_side > 0) return std::max<std::size_t>(8 * width / n_.lanes, 1);
    const std::size_t registers = Series::block * std::max<std::size_t>(n_.lanes, 1) /
                                  std::min(width, Series::block * n_.lanes);
    const std::size_t room = n_.isa == Isa::avx512 ? 16 : 8;
    return std::max<std::size_t>(room / std::max<std::size_t>(registers, 1), 1);
}

std::vector<llvm::Value*> SeriesAccess::sum(std::span<const Product> products) const {
    if (series_.side_by_side > 0) return sum_side_by_side(products);
    constexpr std::size_t block = Series::block;
    llvm::IRBuilder<>& ir = n_.ir;
    const bool one = n_.lanes == 1;
    llvm::Type* type = one ? llvm::FixedVectorType::get(ir.getDoubleTy(), block) : n_.type();
    const std::size_t sums_of_each = one ? 1 : block;

    llvm::BasicBlock* before = ir.GetInsertBlock();
    llvm::Function* function = before->getParent();
    llvm::BasicBlock* loop = llvm::BasicBlock::Create(ir.getContext(), "", function);
    llvm::BasicBlock* behind = llvm::BasicBlock::Create(ir.getContext(), "", function);
    std::uint32_t longest = 0;
    for (const Product& p : products) longest = std::max(longest, p.shift);
    llvm::Value* K = ir.CreateAdd(k_, ir.getInt64(longest));
    ir.CreateBr(loop);

    ir.SetInsertPoint(loop);
    llvm::PHINode* j = ir.CreatePHI(ir.getInt64Ty(), 2);
    j->addIncoming(ir.getInt64(1), before);
    std::vector<llvm::PHINode*> sums;
    for (std::size_t i = 0; i < products.size() * sums_of_each; ++i) {
        sums.push_back(ir.CreatePHI(type, 2));
        sums.back()->addIncoming(llvm::Constant::getNullValue(type), before);
    }
    llvm::Value* back = ir.CreateSub(j, k_);
    std::vector<llvm::Value*> more;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const Product& p = products[i / sums_of_each];
        const std::size_t within = i % sums_of_each;
        const auto load = [&](std::size_t fixed, llvm::Value* moving) {
            return ir.CreateAlignedLoad(type, address(fixed + within, moving), llvm::Align(8));
        };
        llvm::Value* x = load(p.forwards * series_.stride() + Series::forwards(0), j);
        llvm::Value* y = load(p.backwards * series_.stride() + series_.backwards(p.shift), back);
        more.push_back(n_.fma(x, y, sums[i]));
    }
    llvm::Value* next = ir.CreateAdd(j, ir.getInt64(block));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i]->addIncoming(more[i], loop);
    j->addIncoming(next, loop);
    ir.CreateCondBr(ir.CreateICmpSLT(next, K), loop, behind);

    ir.SetInsertPoint(behind);
    std::vector<llvm::Value*> result;
    for (std::size_t p = 0; p < products.size(); ++p) {
        const auto part = [&](std::size_t i) {
            return one ? ir.CreateExtractElement(more[p], i) : more[p * block + i];
        };
        result.push_back(
            ir.CreateFAdd(ir.CreateFAdd(part(0), part(2)), ir.CreateFAdd(part(1), part(3))));
    }
    return result;
}

std::vector<llvm::Value*> SeriesAccess::sum_side_by_side(std::span<const Product> products) const {
    llvm::IRBuilder<>& ir = n_.ir;
    llvm::BasicBlock* before = ir.GetInsertBlock();
    llvm::Function* function = before->getParent();
    llvm::BasicBlock* loop = llvm::BasicBlock::Create(ir.getContext(), "", function);
    llvm::BasicBlock* behind = llvm::BasicBlock::Create(ir.getContext(), "", function);
    llvm::Value* K = ir.CreateAdd(k_, ir.getInt64(products[0].shift));
    llvm::Value* one = ir.getInt64(1);
    ir.CreateCondBr(ir.CreateICmpSLT(one, K), loop, behind);

    ir.SetInsertPoint(loop);
    llvm::PHINode* j = ir.CreatePHI(ir.getInt64Ty(), 2);
    j->addIncoming(one, before);
    llvm::Value* zero = llvm::Constant::getNullValue(n_.type());
    std::vector<llvm::PHINode*> sums;
    for (std::size_t i = 0; i < products.size(); ++i) {
        sums.push_back(ir.CreatePHI(n_.type(), 2));
        sums.back()->addIncoming(zero, before);
    }
    const auto load = [&](std::uint32_t slot, llvm::Value* order) {
        return ir.CreateAlignedLoad(n_.type(), beside(slot, order), llvm::Align(8));
    };
    llvm::Value* back = ir.CreateSub(K, j);
    llvm::Value* weight = nullptr;
    std::vector<llvm::Value*> more;
    for (std::size_t i = 0; i < products.size(); ++i) {
        const Product& p = products[i];
        llvm::Value* x = load(p.forwards, j);
        if (p.weighted && !weight) weight = n_.all(ir.CreateUIToFP(j, ir.getDoubleTy()));
        if (p.weighted) x = ir.CreateFMul(x, weight);
        more.push_back(n_.fma(x, load(p.backwards, back), sums[i]));
    }
    llvm::Value* next = ir.CreateAdd(j, one);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i]->addIncoming(more[i], loop);
    j->addIncoming(next, loop);
    ir.CreateCondBr(ir.CreateICmpSLT(next, K), loop, behind);

    ir.SetInsertPoint(behind);
    std::vector<llvm::Value*> result;
    for (std::size_t i = 0; i < products.size(); ++i) {
        llvm::PHINode* sum = ir.CreatePHI(n_.type(), 2);
        sum->addIncoming(zero, before);
        sum->addIncoming(more[i], loop);
        result.push_back(sum);
    }
    return result;
}

}  // namespace lacon::kernel
