// Tiers of compilation: code is walked or compiled quickly to start with, and optimized once it is
// called often.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "kernel/kernel.hpp"

namespace lacon::kernel {

/// Code with the kernels made from it so far: one for all who run it, in whatever thread.
class Source {
public:
    Source(Code code, const CompileOptions& options) : code_(std::move(code)), options_(options) {
        options_.walks_first = options.walks_first && options.lanes == 1;
    }
    ~Source();  // waits for a thread that compiles

    struct Made {
        std::shared_ptr<const Kernel> kernel;
        double seconds = 0.0;  // that it took now
        bool is_last = true;   // full effort would give no other
    };
    /// What is there, in memory or on disk, or compiled with little effort where the code is long;
    /// walked code where that is asked for. Throws as compile() does.
    Made soon();
    /// With the effort that was asked for. Of code that is walked first another thread does it:
    /// then it is what there is.
    Made full();
    /// Calls of the kernel so far, by all who have run it.
    std::atomic<std::uint64_t> calls = 0;
    /// In how many calls `full` may have more to give.
    std::uint64_t next_look();

private:
    Made compiled(const CompileOptions& options, bool is_last);
    Made made_aside();
    void compile_aside(Effort effort);
    bool is_walked() const { return kernel_->options().effort == Effort::none; }

    const Code code_;
    CompileOptions options_;
    std::mutex mutex_;
    std::shared_ptr<const Kernel> kernel_;
    bool is_last_ = false;
    // Of code that is walked first:
    bool has_looked_ = false;  // for a kernel on disk
    std::thread aside_;        // that compiles
    bool is_busy_ = false;     // the thread
};

/// A kernel that is there soon and fast when that pays: with full effort once it has been called
/// often. All tiers give the same bits, so nobody notices but the clock.
class Tiered {
public:
    explicit Tiered(std::shared_ptr<Source> source);
    ~Tiered();
    Tiered(Tiered&&) = default;
    Tiered& operator=(Tiered&&) = delete;

    void run(const double* in, double* out, double* series = nullptr, std::uint64_t k = 0) {
        if (--calls_left_ == 0) take_full();
        kernel_->run(in, out, work_.data(), series, k);
    }
    const Kernel& kernel() const { return *kernel_; }
    double seconds() const { return seconds_; }  // spent on compiling for this one
    bool was_compiled() const { return was_compiled_; }

private:
    void take_full();
    void take(Source::Made made);

    std::shared_ptr<Source> source_;
    std::shared_ptr<const Kernel> kernel_;
    Buffer work_;
    std::uint64_t calls_left_ = 0, lent_ = 0;  // until full effort pays; 0: never
    double seconds_ = 0.0;
    bool was_compiled_ = false;
};

}  // namespace lacon::kernel
