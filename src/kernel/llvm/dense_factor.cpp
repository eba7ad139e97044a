// [M Aᵀ; A 0] = L D Lᵀ: each block is loaded, has all columns before it taken away while it is in
// registers, and is stored once.
#include "kernel/llvm/dense.hpp"
#include "kernel/llvm/dense_function.hpp"

namespace lacon::kernel {

namespace {

class FactorEmitter : DenseFunctions {
public:
    FactorEmitter(llvm::Module& module, Isa isa, std::size_t lanes)
        : DenseFunctions(module, isa, lanes), pairs_(lanes == 1 && isa != Isa::plain) {}

    llvm::Function* run() {
        llvm::Type *place = ir_.getPtrTy(), *count = ir_.getInt64Ty();
        return function("eliminate", {place, count, count, count, place}, [this] { eliminate(); });
    }

private:
    /// Columns of blocks from `first` to `last` (arguments 1, 2), over all rows or the kept ones
    /// only (3); squares of the rows are added up in argument 4.
    void eliminate() {
        Value *below = pointer(offsetof(DenseCall, below)),
              *begins = pointer(offsetof(DenseCall, below_begin)),
              *dropped = pointer(offsetof(DenseCall, below_dropped));
        P_ = pointer(offsetof(DenseCall, P));
        inverse_ = pointer(offsetof(DenseCall, inverse));
        above_ = pointer(offsetof(DenseCall, above));
        above_begin_ = pointer(offsetof(DenseCall, above_begin));
        Value* with_dropped = ir_.CreateICmpNE(f_->getArg(3), number(0));
        each(f_->getArg(1), f_->getArg(2), [&](Value* p) {
            diagonal_block(p);
            Value *from = entry(begins, p),
                  *to =
                      ir_.CreateSelect(with_dropped, entry(begins, plus(p, 1)), entry(dropped, p));
            if (pairs_) {
                Value* even = ir_.CreateSub(to, number(1));
                loop(ir_, from, even, 2, [&](Value* i) {
                    tile(p, {entry(below, i), entry(below, plus(i, 1))});
                });
                from = ir_.CreateAdd(
                    from, ir_.CreateAnd(ir_.CreateSub(to, from), ir_.getInt64(~std::uint64_t{1})));
            }
            each_in(below, from, to, [&](Value* row) { tile(p, {row}); });
        });
    }

    /// P less what the columns before p take away, in blocks of rows; the columns of the first row
    /// of blocks come first.
    Values updated(Value* p, const Values& rows) {
        const std::size_t size = b_.size;
        Value* j = first_of(p);
        Values start, columns;
        for (std::size_t c = 0; c < size; ++c) columns.push_back(column(plus(j, c)));
        for (Value* row : rows)
            for (Value* c : columns) start.push_back(b_.load(P_, ir_.CreateAdd(c, row)));
        return loop(ir_, entry(above_begin_, p), entry(above_begin_, plus(p, 1)), 1, start,
                    [&](Value* i, const Values& before) {
                        Values sums = before;
                        Value* k = entry(above_, i);
                        for (std::size_t a = 0; a < size; ++a) {
                            Value *at = plus(k, a), *left = column(at);
                            Values L;
                            for (Value* row : rows)
                                L.push_back(b_.load(F_, ir_.CreateAdd(left, row)));
                            for (std::size_t c = 0; c < size; ++c) {
                                Value* u =
                                    b_.spread(b_.load_one(F_, ir_.CreateAdd(columns[c], at)));
                                for (std::size_t r = 0; r < rows.size(); ++r)
                                    sums[r * size + c] = b_.minus(sums[r * size + c], L[r], u);
                            }
                        }
                        return sums;
                    });
    }

    void diagonal_block(Value* p) {
        Value *diagonal = pointer(offsetof(DenseCall, diagonal)),
              *pivots = pointer(offsetof(DenseCall, pivot)), *j = first_of(p);
        for (std::size_t a = 0; a < b_.size; ++a)
            b_.store(b_.load_one(P_, ir_.CreateAdd(column(plus(j, a)), plus(j, a))), diagonal,
                     plus(j, a));
        Values x = updated(p, {j}), L;
        for (std::size_t a = 0; a < b_.size; ++a) {
            Value *pivot = b_.number_of(x[a], a),
                  *inverse = ir_.CreateFDiv(b_.one.constant(1.0), pivot);
            b_.store(pivot, pivots, plus(j, a));
            b_.store(inverse, inverse_, plus(j, a));
            L.push_back(ir_.CreateFMul(x[a], b_.spread(inverse)));
            for (std::size_t c = a + 1; c < b_.size; ++c)
                x[c] = b_.minus(x[c], L[a], b_.spread_row(x[a], c));
        }
        const Values upper = b_.transposed(x);
        for (std::size_t a = 0; a < b_.size; ++a)
            b_.store(b_.below(a, L[a], upper[a]), F_, ir_.CreateAdd(column(plus(j, a)), j));
    }

    /// Blocks below the diagonal, and their mirror image above it.
    void tile(Value* p, const Values& rows) {
        const std::size_t size = b_.size;
        Value *j = first_of(p), *squares = f_->getArg(4);
        Values x = updated(p, rows), sums;
        for (Value* row : rows) sums.push_back(b_.load(squares, row));
        for (std::size_t a = 0; a < size; ++a) {
            Value* inverse = b_.spread(b_.load_one(inverse_, plus(j, a)));
            Values L;
            for (std::size_t r = 0; r < rows.size(); ++r) {
                L.push_back(ir_.CreateFMul(x[r * size + a], inverse));
                b_.store(L[r], F_, ir_.CreateAdd(column(plus(j, a)), rows[r]));
                sums[r] = b_.rows.fma(x[r * size + a], L[r], sums[r]);
            }
            for (std::size_t c = a + 1; c < size; ++c) {
                Value* u =
                    b_.spread(b_.load_one(F_, ir_.CreateAdd(column(plus(j, c)), plus(j, a))));
                for (std::size_t r = 0; r < rows.size(); ++r)
                    x[r * size + c] = b_.minus(x[r * size + c], L[r], u);
            }
        }
        for (std::size_t r = 0; r < rows.size(); ++r) {
            b_.store(sums[r], squares, rows[r]);
            const auto first = static_cast<std::ptrdiff_t>(r * size);
            const Values upper = b_.transposed(
                {x.begin() + first, x.begin() + first + static_cast<std::ptrdiff_t>(size)});
            for (std::size_t i = 0; i < size; ++i)
                b_.store(upper[i], F_, ir_.CreateAdd(column(plus(rows[r], i)), j));
        }
    }

    const bool pairs_;  // two rows of blocks at a time: as many sums as fit in registers
    Value *P_ = nullptr, *inverse_ = nullptr, *above_ = nullptr, *above_begin_ = nullptr;
};

}  // namespace

llvm::Function* emit_dense_factor(const Request& request, llvm::Module& module) {
    return FactorEmitter(module, request.isa, request.lanes).run();
}

}  // namespace lacon::kernel
