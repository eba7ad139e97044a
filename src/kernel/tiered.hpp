#pragma once

#include "kernel/kernel.hpp"

namespace lacon::kernel {

/// A kernel that is there soon and fast when that pays: taken from the cache, or compiled with little effort where the code is
/// long, and again with full effort once it has been called often. Both give the same bits, so nobody notices but the clock.
class Tiered {
public:
    /// Throws as compile() does.
    Tiered(Code code, const CompileOptions& options);

    void run(const double* in, double* out) {
        if (--calls_left_ == 0) take_full();
        kernel_->run(in, out, work_.data());
    }
    const Kernel& kernel() const { return *kernel_; }
    double seconds() const { return seconds_; }  // spent on compiling so far

private:
    void take_full();
    void take(std::shared_ptr<const Kernel> kernel);

    Code code_;
    CompileOptions options_;
    std::shared_ptr<const Kernel> kernel_;
    std::vector<double> work_;
    std::uint64_t calls_left_ = 0;  // until full effort pays; 0: never
    double seconds_ = 0.0;
};

}  // namespace lacon::kernel
