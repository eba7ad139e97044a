// Steps by the sparse Taylor series. The series of the next step are expanded at the end of the
// last one, with the factorization that the projection has left there.
#include "large/motion/taylor_method.hpp"

#include <algorithm>

#include "large/motion/collocation.hpp"
#include "large/motion/field.hpp"
#include "large/motion/taylor.hpp"

namespace lacon::inline large {

namespace {

class SparseTaylorMethod final : public Method {
public:
    SparseTaylorMethod(SparseField& field, const MethodOptions& options)
        : field_(field), taylor_(field.assembler, options.tolerance) {}

    void compile(const SparseKernels& kernels, double& seconds) {
        taylor_.compile(kernels);
        seconds += taylor_.compile_seconds();
    }

    bool begin(const Base& base, bool fresh) override {
        lacks_series_ = false;
        if (field_.factor_for(base.state) != Outcome::ok) return false;
        if (!taylor_.expand(base.state, field_.factor, field_.equations)) {
            lacks_series_ = taylor_.has_acceleration();
            return false;
        }
        if (!fresh && !taylor_.continues(base.state, base.time.since(begin_))) {
            ++rejected;
            return false;
        }
        next_begin_ = base.time;
        taken_up_ = false;
        return true;
    }

    bool advance(double limit) override {
        if (!taken_up_) {  // only now is the last step over
            taylor_.take();
            begin_ = next_begin_;
        }
        taken_up_ = true;
        length_ = taylor_.length(limit);
        return length_ > 0.0;
    }

    void at(double tau, State& out) const override { taylor_.at(tau, out); }
    double clear() const override { return length_; }
    bool lacks_series() const override { return lacks_series_; }
    bool can_retake() const override { return true; }
    std::size_t adaptive_order() const override { return taylor_.order(); }

private:
    SparseField& field_;
    SparseTaylor taylor_;
    Clock begin_, next_begin_;  // of the last step, and of the one to come
    bool taken_up_ = true, lacks_series_ = false;
};

}  // namespace

std::unique_ptr<Method> make_sparse_taylor(SparseField& field, const MethodOptions& options,
                                           const SparseKernels* kernels, double& compile_seconds) {
    auto method = std::make_unique<SparseTaylorMethod>(field, options);
    if (kernels) method->compile(*kernels, compile_seconds);
    return method;
}

std::unique_ptr<Method> make_sparse_backup(SparseField& field, const MethodOptions& options) {
    constexpr std::size_t degree = 6;
    return std::make_unique<SparseCollocation>(field, degree, options.tolerance);
}

}  // namespace lacon::large
