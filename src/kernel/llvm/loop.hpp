// Writes a counted loop in LLVM IR.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

namespace lacon::kernel {

using Values = std::vector<llvm::Value*>;

/// for (i = from; i < to; i += step), with values that go from one round to the next: `body(i,
/// values)` gives the next ones. What comes back are the values after the last round.
template <class Body>
Values loop(llvm::IRBuilder<>& ir, llvm::Value* from, llvm::Value* to, std::int64_t step,
            const Values& start, const Body& body) {
    llvm::BasicBlock* before = ir.GetInsertBlock();
    const auto block = [&] {
        return llvm::BasicBlock::Create(ir.getContext(), "", before->getParent());
    };
    llvm::BasicBlock *head = block(), *inside = block(), *after = block();
    ir.CreateBr(head);
    ir.SetInsertPoint(head);
    llvm::PHINode* i = ir.CreatePHI(ir.getInt64Ty(), 2);
    i->addIncoming(from, before);
    Values values;
    for (llvm::Value* value : start) {
        llvm::PHINode* carried = ir.CreatePHI(value->getType(), 2);
        carried->addIncoming(value, before);
        values.push_back(carried);
    }
    ir.CreateCondBr(ir.CreateICmpSLT(i, to), inside, after);
    ir.SetInsertPoint(inside);
    const Values next = body(i, values);
    i->addIncoming(ir.CreateAdd(i, ir.getInt64(static_cast<std::uint64_t>(step))),
                   ir.GetInsertBlock());
    for (std::size_t k = 0; k < next.size(); ++k)
        llvm::cast<llvm::PHINode>(values[k])->addIncoming(next[k], ir.GetInsertBlock());
    ir.CreateBr(head);
    ir.SetInsertPoint(after);
    return values;
}

/// Without such values.
template <class Body>
void loop(llvm::IRBuilder<>& ir, llvm::Value* from, llvm::Value* to, std::int64_t step,
          const Body& body) {
    loop(ir, from, to, step, {}, [&](llvm::Value* i, const Values&) {
        body(i);
        return Values{};
    });
}

}  // namespace lacon::kernel
