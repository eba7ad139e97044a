// Common parts of the dense solve's IR: function frames, DenseCall fields, loops over blocks.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "kernel/dense_call.hpp"
#include "kernel/llvm/blocks.hpp"

namespace lacon::kernel {

/// What the functions of the dense solve have in common: their first argument is a DenseCall.
class DenseFunctions {
public:
    DenseFunctions(llvm::Module& module, Isa isa, std::size_t lanes)
        : module_(module), ir_(module.getContext()), b_(ir_, isa, lanes) {}

protected:
    using Value = llvm::Value;

    llvm::Function* function(const char* name, const std::vector<llvm::Type*>& arguments,
                             const std::function<void()>& body, llvm::Type* result = nullptr,
                             bool is_entry = false) {
        auto* type = llvm::FunctionType::get(result ? result : ir_.getVoidTy(), arguments, false);
        const auto linkage =
            is_entry ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
        f_ = llvm::Function::Create(type, linkage, name, module_);
        f_->addFnAttr(llvm::Attribute::NoUnwind);
        f_->addFnAttr("prefer-vector-width", "512");  // else vectors are split in halves
        f_->addFnAttr("min-legal-vector-width", "512");
        ir_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", f_));
        F_ = pointer(offsetof(DenseCall, F));
        stride_ = count(offsetof(DenseCall, stride));
        body();
        if (!result) ir_.CreateRetVoid();
        return f_;
    }

    Value* field(std::size_t offset, llvm::Type* type) {
        return ir_.CreateLoad(
            type, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), f_->getArg(0), offset));
    }
    Value* pointer(std::size_t offset) { return field(offset, ir_.getPtrTy()); }
    Value* count(std::size_t offset) { return field(offset, ir_.getInt64Ty()); }
    Value* limit(std::size_t offset) {
        Value* x = field(offset, ir_.getDoubleTy());
        return ir_.CreateVectorSplat(static_cast<unsigned>(b_.size * b_.one.lanes), x);
    }
    Value* entry(Value* list, Value* i) {
        return ir_.CreateLoad(ir_.getInt64Ty(), ir_.CreateInBoundsGEP(ir_.getInt64Ty(), list, i));
    }
    Value* number(std::size_t i) { return ir_.getInt64(i); }
    Value* plus(Value* a, std::size_t k) { return ir_.CreateAdd(a, number(k)); }
    Value* first_of(Value* block) { return ir_.CreateMul(block, number(b_.size)); }
    Value* column(Value* j) { return ir_.CreateMul(j, stride_); }

    template <class Body>
    void each(Value* from, Value* to, const Body& body) {
        loop(ir_, from, to, 1, body);
    }
    /// The blocks of a list, by their first rows.
    template <class Body>
    void each_in(Value* list, Value* from, Value* to, const Body& body) {
        loop(ir_, from, to, 1, [&](Value* i) { body(entry(list, i)); });
    }

    llvm::Module& module_;
    llvm::IRBuilder<> ir_;
    const Blocks b_;
    llvm::Function* f_ = nullptr;  // the one that is written
    Value *F_ = nullptr, *stride_ = nullptr;
};

}  // namespace lacon::kernel
