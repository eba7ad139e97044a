#include "kernel/tiered.hpp"

#include <stdexcept>

namespace lacon::kernel {

namespace {

constexpr std::size_t short_code = 1000;       // operations that full effort compiles in some 20 ms
constexpr std::uint64_t many_calls = 100'000;  // about what full effort costs: 50 µs an operation against 0.5 ns a call

}  // namespace

Tiered::Tiered(Code code, const CompileOptions& options) : code_(std::move(code)), options_(options) {
    CompileOptions now = options_;
    if (options_.effort == Effort::full && code_.order().size() > short_code) {
        if (auto kept = find_cached(code_, options_)) {
            take(std::move(kept));
            return;
        }
        now.effort = Effort::quick;
        calls_left_ = many_calls;
    }
    take(compile(code_, now));
}

void Tiered::take(std::shared_ptr<const Kernel> kernel) {
    kernel_ = std::move(kernel);
    seconds_ += kernel_->report().seconds;
    work_.resize(kernel_->work_size());
}

void Tiered::take_full() {
    try {
        take(compile(code_, options_));
    } catch (const std::runtime_error&) {
        return;  // what there is gives the same bits, and its tier tells
    }
}

}  // namespace lacon::kernel
