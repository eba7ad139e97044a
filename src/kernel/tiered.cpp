// Decides when to compile again: long code starts with quick effort unless the cache has the full
// kernel; after about 100,000 calls the full effort pays.
#include "kernel/tiered.hpp"

#include <algorithm>
#include <stdexcept>

namespace lacon::kernel {

namespace {

constexpr std::size_t short_code = 1000;  // operations that full effort compiles in some 20 ms
// About what full effort costs: 50 µs an operation against 0.5 ns a call.
constexpr std::uint64_t many_calls = 100'000;

}  // namespace

Source::Made Source::compiled(const CompileOptions& options, bool is_last) {
    kernel_ = compile(code_, options);
    is_last_ = is_last;
    return {kernel_, kernel_->report().seconds, is_last};
}

Source::Made Source::soon() {
    const std::lock_guard lock(mutex_);
    if (kernel_) return {kernel_, 0.0, is_last_};
    CompileOptions now = options_;
    if (options_.effort == Effort::full && code_.order().size() > short_code) {
        if ((kernel_ = find_cached(code_, options_))) {
            is_last_ = true;
            return {kernel_, kernel_->report().seconds, true};
        }
        now.effort = Effort::quick;
    }
    return compiled(now, now.effort == options_.effort);
}

Source::Made Source::full() {
    const std::lock_guard lock(mutex_);
    if (is_last_) return {kernel_, 0.0, true};
    return compiled(options_, true);
}

Tiered::Tiered(std::shared_ptr<Source> source) : source_(std::move(source)) {
    take(source_->soon());
}

void Tiered::take(Source::Made made) {
    kernel_ = std::move(made.kernel);
    seconds_ += made.seconds;
    was_compiled_ = was_compiled_ || (made.seconds > 0.0 && !kernel_->report().from_cache);
    work_.resize(kernel_->work_size());
    calls_left_ = lent_ =
        made.is_last ? 0 : many_calls - std::min(source_->calls.load(), many_calls - 1);
}

Tiered::~Tiered() {
    if (source_ && calls_left_ <= lent_) source_->calls += lent_ - calls_left_;
}

void Tiered::take_full() {
    try {
        take(source_->full());
    } catch (const std::runtime_error&) {
        return;  // what there is gives the same bits, and its tier tells
    }
}

}  // namespace lacon::kernel
