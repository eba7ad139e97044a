// The constrained solve of kernel/constrained.cpp as loops over memory. Its two eliminations are
// one:
//     [M Aᵀ; A 0] [x; −λ] = [Q; b],   [M Aᵀ; A 0] = L D Lᵀ
// as the rows of A leave W D⁻¹ = A L⁻ᵀ D⁻¹ below M, and −S = −W D⁻¹ Wᵀ is what remains for them. L
// stands below the diagonal, D Lᵀ on and above it, so that every loop runs down a column. An entry
// is computed by the same operations in the same order whatever the blocks, hence the same bits for
// one state and for lanes.
#include "kernel/llvm/dense.hpp"

#include "kernel/llvm/dense_function.hpp"

namespace lacon::kernel {

namespace {

class SolveEmitter : DenseFunctions {
public:
    SolveEmitter(llvm::Module& module, Isa isa, std::size_t lanes, llvm::Function* eliminate)
        : DenseFunctions(module, isa, lanes), eliminate_(eliminate) {}

    void run() {
        llvm::Type *place = ir_.getPtrTy(), *count = ir_.getInt64Ty();
        forward_ = function("forward", {place, count, count, place}, [this] { forward(); });
        backward_ = function("backward", {place, count, count, place}, [this] { backward(); });
        reach_ = function("reach", {place, place, count, place, place}, [this] { reach(); });
        squares_ = function(
            "squares", {place, place}, [this] { squares(); }, b_.one.type());
        function(
            "kernel", {place}, [this] { kernel(); }, nullptr, true);
    }

private:
    // ---- vectors

    /// z −= the columns of block p of a matrix times numbers, in the blocks at `row`; the last
    /// column first where that is wanted.
    void subtract(Value* matrix, Value* p, const Values& numbers, Value* z, Value* row,
                  bool last_first) {
        Value *sum = b_.load(z, row), *j = first_of(p);
        for (std::size_t i = 0; i < b_.size; ++i) {
            const std::size_t a = last_first ? b_.size - 1 - i : i;
            sum =
                b_.minus(sum, b_.load(matrix, ir_.CreateAdd(column(plus(j, a)), row)), numbers[a]);
        }
        b_.store(sum, z, row);
    }

    /// z = L⁻¹ z by the columns of blocks from argument 1 to 2, in M and the kept rows.
    void forward() {
        Value *below = pointer(offsetof(DenseCall, below)),
              *begins = pointer(offsetof(DenseCall, below_begin)),
              *dropped = pointer(offsetof(DenseCall, below_dropped)), *z = f_->getArg(3);
        each(f_->getArg(1), f_->getArg(2), [&](Value* p) {
            Value *j = first_of(p), *here = b_.load(z, j);
            Values numbers;
            for (std::size_t a = 0; a < b_.size; ++a) {
                numbers.push_back(b_.spread_row(here, a));
                Value* L = b_.load(F_, ir_.CreateAdd(column(plus(j, a)), j));
                here = b_.below(a, b_.minus(here, L, numbers[a]), here);
            }
            b_.store(here, z, j);
            each_in(below, entry(begins, p), entry(dropped, p),
                    [&](Value* row) { subtract(F_, p, numbers, z, row, false); });
        });
    }

    /// z = (D Lᵀ)⁻¹ z by the columns of blocks before argument 2 down to argument 1.
    void backward() {
        Value *above = pointer(offsetof(DenseCall, above)),
              *begins = pointer(offsetof(DenseCall, above_begin)),
              *inverse = pointer(offsetof(DenseCall, inverse)), *z = f_->getArg(3);
        each(f_->getArg(1), f_->getArg(2), [&](Value* i) {
            Value* p = ir_.CreateSub(
                ir_.CreateSub(ir_.CreateAdd(f_->getArg(1), f_->getArg(2)), number(1)), i);
            Value *j = first_of(p), *here = b_.load(z, j);
            Values numbers(b_.size);
            for (std::size_t a = b_.size; a-- > 0;) {
                Value* x = ir_.CreateFMul(b_.number_of(here, a), b_.load_one(inverse, plus(j, a)));
                numbers[a] = b_.spread(x);
                Value* upper = numbers[a];
                if (a > 0)
                    upper = b_.minus(here, b_.load(F_, ir_.CreateAdd(column(plus(j, a)), j)),
                                     numbers[a]);
                if (a > 0) upper = b_.below(a - 1, numbers[a], upper);
                here = b_.below(a, here, upper);
            }
            b_.store(here, z, j);
            each_in(above, entry(begins, p), entry(begins, plus(p, 1)),
                    [&](Value* row) { subtract(F_, p, numbers, z, row, true); });
        });
    }

    /// z −= rows · x: the kept rows of a matrix (argument 1), and the dropped ones where argument 2
    /// is not 0; x and z are 3 and 4.
    void reach() {
        Value *below = pointer(offsetof(DenseCall, below)),
              *begins = pointer(offsetof(DenseCall, below_begin)),
              *kept = pointer(offsetof(DenseCall, below_kept)),
              *dropped = pointer(offsetof(DenseCall, below_dropped));
        Value* with_dropped = ir_.CreateICmpNE(f_->getArg(2), number(0));
        each(number(0), count(offsetof(DenseCall, mass)), [&](Value* p) {
            Value* x = b_.load(f_->getArg(3), first_of(p));
            Values numbers;
            for (std::size_t a = 0; a < b_.size; ++a) numbers.push_back(b_.spread_row(x, a));
            Value* to =
                ir_.CreateSelect(with_dropped, entry(begins, plus(p, 1)), entry(dropped, p));
            each_in(below, entry(kept, p), to, [&](Value* row) {
                subtract(f_->getArg(1), p, numbers, f_->getArg(4), row, false);
            });
        });
    }

    /// Σ z² / D over the coordinates: the square of M⁻¹ L z in the metric of M.
    void squares() {
        Value *inverse = pointer(offsetof(DenseCall, inverse)), *z = f_->getArg(1);
        const Values sum = loop(
            ir_, number(0), first_of(count(offsetof(DenseCall, mass))), 1, {b_.one.constant(0.0)},
            [&](Value* i, const Values& before) {
                Value* x = b_.load_one(z, i);
                return Values{b_.one.fma(x, ir_.CreateFMul(x, b_.load_one(inverse, i)), before[0])};
            });
        ir_.CreateRet(sum[0]);
    }

    // ---- the whole

    void fill(Value* z, Value* from, Value* to, const std::function<Value*(Value*)>& value) {
        loop(ir_, first_of(from), first_of(to), static_cast<std::int64_t>(b_.size),
             [&](Value* i) { b_.store(value(i), z, i); });
    }
    /// Blocks in which a check holds keep what `ok_` was.
    void require(Value* from, Value* to, const std::function<Value*(Value*)>& holds) {
        ok_ = loop(ir_, first_of(from), first_of(to), static_cast<std::int64_t>(b_.size), {ok_},
                   [&](Value* i, const Values& ok) {
                       return Values{ir_.CreateSelect(holds(i), ok[0], b_.rows.constant(0.0))};
                   })[0];
    }

    void kernel() {
        Value* call = f_->getArg(0);
        mass_ = count(offsetof(DenseCall, mass));
        kept_ = count(offsetof(DenseCall, kept));
        all_ = count(offsetof(DenseCall, all));
        z_ = pointer(offsetof(DenseCall, z));
        rest_ = pointer(offsetof(DenseCall, rest));
        change_ = pointer(offsetof(DenseCall, change));
        size_ = pointer(offsetof(DenseCall, size));
        ok_ = b_.rows.constant(1.0);
        Value *none = number(0), *zero = b_.rows.constant(0.0);
        fill(size_, none, all_, [&](Value*) { return zero; });
        ir_.CreateCall(eliminate_, {call, none, mass_, number(1), size_});
        ir_.CreateCall(eliminate_,
                       {call, mass_, kept_, none, change_});  // whose squares nobody asks for
        check_pivots();
        check_dropped();

        Value* right = pointer(offsetof(DenseCall, right));
        fill(z_, none, kept_, [&](Value* i) { return b_.load(right, i); });
        ir_.CreateCall(forward_, {call, none, kept_, z_});
        Value* free = ir_.CreateCall(squares_, {call, z_});
        ir_.CreateCall(backward_, {call, mass_, kept_, z_});
        squares_of_x_ = b_.spread(ir_.CreateFAdd(free, ir_.CreateCall(squares_, {call, z_})));
        ir_.CreateCall(backward_, {call, none, mass_, z_});
        miss(right);
        check_missing(mass_, kept_, limit(offsetof(DenseCall, met)));
        // A count that is 1 or 0 makes a loop a condition.
        each(none, count(offsetof(DenseCall, refined)), [&](Value*) {
            fill(change_, none, mass_, [&](Value*) { return zero; });
            fill(change_, mass_, kept_, [&](Value* i) { return b_.load(rest_, i); });
            ir_.CreateCall(forward_, {call, mass_, kept_, change_});
            ir_.CreateCall(backward_, {call, none, kept_, change_});
            fill(z_, none, kept_,
                 [&](Value* i) { return ir_.CreateFAdd(b_.load(z_, i), b_.load(change_, i)); });
            miss(right);
        });
        check_missing(kept_, all_, limit(offsetof(DenseCall, met_dropped)));
        require(none, mass_, [&](Value* i) {
            return ir_.CreateFCmpOLT(b_.rows.unary(llvm::Intrinsic::fabs, b_.load(z_, i)),
                                     b_.rows.constant(1e300));
        });
        Value* fine = b_.number_of(ok_, 0);
        for (std::size_t a = 1; a < b_.size; ++a) fine = ir_.CreateFMul(fine, b_.number_of(ok_, a));
        b_.store(fine, pointer(offsetof(DenseCall, fine)), none);
    }

    /// Pivots of M and of S are clear of zero, beside the diagonal; no row has all but vanished.
    void check_pivots() {
        Value *pivots = pointer(offsetof(DenseCall, pivot)),
              *diagonal = pointer(offsetof(DenseCall, diagonal)),
              *floor = pointer(offsetof(DenseCall, floor));
        Value *definite = limit(offsetof(DenseCall, definite)),
              *wide = limit(offsetof(DenseCall, wide));
        require(number(0), mass_, [&](Value* i) {
            return ir_.CreateFCmpOLT(ir_.CreateFMul(definite, b_.load(diagonal, i)),
                                     b_.load(pivots, i));
        });
        require(mass_, kept_, [&](Value* i) {
            return ir_.CreateFCmpOLT(ir_.CreateFMul(wide, b_.load(size_, i)),
                                     ir_.CreateFNeg(b_.load(pivots, i)));
        });
        require(mass_, all_,
                [&](Value* i) { return ir_.CreateFCmpOLT(b_.load(floor, i), b_.load(size_, i)); });
    }

    /// What is left of the dropped rows W beside the kept ones is nothing but rounding: their parts
    /// along those are taken away twice, as the second time takes the rounding of the first away.
    void check_dropped() {
        Value* call = f_->getArg(0);
        Value *narrow = limit(offsetof(DenseCall, narrow)), *zero = b_.rows.constant(0.0),
              *first = first_of(kept_);
        ok_ = loop(ir_, number(0), count(offsetof(DenseCall, dropped)), 1, {ok_},
                   [&](Value* d, const Values& ok) {
                       Value *row = ir_.CreateAdd(first, d), *W = column(row);
                       fill(z_, number(0), mass_,
                            [&](Value* i) { return b_.load(F_, ir_.CreateAdd(W, i)); });
                       each(number(0), number(2), [&](Value*) {
                           fill(z_, mass_, kept_, [&](Value*) { return zero; });
                           ir_.CreateCall(reach_, {call, F_, number(0), z_, z_});
                           ir_.CreateCall(forward_, {call, mass_, kept_, z_});
                           ir_.CreateCall(backward_, {call, mass_, kept_, z_});
                       });
                       Value *left = b_.spread(ir_.CreateCall(squares_, {call, z_})),
                             *size = b_.spread(b_.load_one(size_, row));
                       return Values{ir_.CreateSelect(
                           ir_.CreateFCmpOLT(left, ir_.CreateFMul(narrow, size)), ok[0], zero)};
                   })[0];
    }

    void miss(Value* right) {  // b − A x
        fill(rest_, mass_, all_, [&](Value* i) { return b_.load(right, i); });
        ir_.CreateCall(reach_,
                       {f_->getArg(0), pointer(offsetof(DenseCall, P)), number(1), z_, rest_});
    }

    /// A x = b beside b and what balances in it.
    void check_missing(Value* from, Value* to, Value* met) {
        Value* right = pointer(offsetof(DenseCall, right));
        require(from, to, [&](Value* i) {
            Value *b = b_.load(right, i), *rest = b_.load(rest_, i);
            Value* size = b_.rows.fma(b, b, ir_.CreateFMul(b_.load(size_, i), squares_of_x_));
            Value* small = ir_.CreateFCmpOLE(ir_.CreateFMul(rest, rest), ir_.CreateFMul(met, size));
            return ir_.CreateAnd(small, ir_.CreateFCmpOLT(size, b_.rows.constant(1e300)));
        });
    }

    llvm::Function *eliminate_, *forward_ = nullptr, *backward_ = nullptr, *reach_ = nullptr,
                                *squares_ = nullptr;
    Value *mass_ = nullptr, *kept_ = nullptr, *all_ = nullptr;  // ends of the parts, in blocks
    Value *z_ = nullptr, *rest_ = nullptr, *change_ = nullptr, *size_ = nullptr,
          *squares_of_x_ = nullptr;
    Value* ok_ = nullptr;  // a block: 1 in all rows while every check holds
};

}  // namespace

void emit_dense(const Request& request, llvm::Module& module) {
    SolveEmitter(module, request.isa, request.lanes, emit_dense_factor(request, module)).run();
}

}  // namespace lacon::kernel
