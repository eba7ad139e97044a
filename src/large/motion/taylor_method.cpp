// Steps by the sparse Taylor series. The series of the next step are expanded at the end of the
// last one, with the factorization that the projection has left there.
#include "large/motion/taylor_method.hpp"

#include "large/motion/collocation.hpp"
#include "large/motion/field.hpp"
#include "large/motion/taylor.hpp"

namespace lacon::inline large {

namespace {

class SparseTaylorMethod final : public TaylorSteps {
public:
    SparseTaylorMethod(SparseField& field, const MethodOptions& options)
        : field_(field), taylor_(field.assembler, options.tolerance) {}

    void compile(const SparseKernels& kernels, double& seconds) {
        taylor_.compile(kernels);
        seconds += taylor_.compile_seconds();
    }

    void at(double tau, State& out) const override { taylor_.at(tau, out); }
    double clear() const override { return length_; }
    bool can_retake() const override { return true; }
    std::size_t adaptive_order() const override { return taylor_.order(); }

protected:
    Expansion expand(const Base& base) override {
        if (field_.factor_for(base.state) != Outcome::ok) return Expansion::failed;
        if (taylor_.expand(base.state, field_.factor, field_.equations)) return Expansion::found;
        return taylor_.has_acceleration() ? Expansion::lacking : Expansion::failed;
    }
    bool continues(const Base& base, double h) override { return taylor_.continues(base.state, h); }
    void take() override { taylor_.take(); }
    void choose_length(double limit) override { length_ = taylor_.length(limit); }

private:
    SparseField& field_;
    SparseTaylor taylor_;
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
