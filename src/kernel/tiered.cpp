// Decides when to compile again: long code starts with quick effort unless the cache has the full
// kernel; after about 100,000 calls the full effort pays. Code that is walked first is looked up in
// the cache soon, and compiled by another thread once it has been walked for as long as that takes.
#include "kernel/tiered.hpp"

#include <algorithm>
#include <stdexcept>

namespace lacon::kernel {

namespace {

constexpr std::size_t short_code = 1000;  // operations that full effort compiles in some 20 ms
// About what full effort costs: 50 µs an operation against 0.5 ns a call.
constexpr std::uint64_t many_calls = 100'000;
// Of walked code, some 1.5 ns an operation: what a look into the cache costs; what loading the
// compiler costs; and 15 µs for an operation that is compiled quickly. Not critical.
constexpr std::uint64_t worth_a_look = 200'000, worth_a_compiler = 20'000'000;  // operations
constexpr std::uint64_t worth_compiling = 10'000;                               // calls
constexpr std::uint64_t between_looks = 1000;  // calls, while a thread compiles

}  // namespace

Source::~Source() {
    if (aside_.joinable()) aside_.join();
}

Source::Made Source::compiled(const CompileOptions& options, bool is_last) {
    kernel_ = compile(code_, options);
    is_last_ = is_last;
    return {kernel_, kernel_->report().seconds, is_last};
}

Source::Made Source::soon() {
    const std::lock_guard lock(mutex_);
    if (kernel_) return {kernel_, 0.0, is_last_};
    CompileOptions now = options_;
    if (options_.walks_first) {
        now.effort = Effort::none;
        return compiled(now, false);
    }
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
    return options_.walks_first ? made_aside() : compiled(options_, true);
}

Source::Made Source::made_aside() {
    const std::uint64_t operations = kernel_->report().operations;
    if (is_walked() && !has_looked_) {
        has_looked_ = true;
        CompileOptions quick = options_;
        quick.effort = Effort::quick;
        std::shared_ptr<const Kernel> found = find_cached(code_, options_);
        is_last_ = found != nullptr;
        if (found || (found = find_cached(code_, quick))) kernel_ = std::move(found);
    }
    if (!is_last_ && !is_busy_) {
        if (!is_walked()) compile_aside(options_.effort);
        else if (calls >= worth_compiling && calls * operations >= worth_a_compiler)
            compile_aside(operations > short_code ? Effort::quick : options_.effort);
    }
    return {kernel_, 0.0, is_last_};
}

/// Where that fails, what there is gives the same bits.
void Source::compile_aside(Effort effort) {
    if (aside_.joinable()) aside_.join();
    aside_ = std::thread([this, effort] {
        CompileOptions options = options_;
        options.effort = effort;
        std::shared_ptr<const Kernel> made;
        try {
            made = compile(code_, options);
        } catch (const std::exception&) {  // no memory, say
        }
        const std::lock_guard lock(mutex_);  // held by who has started this, for so long
        is_busy_ = false;
        is_last_ = !made || effort == options_.effort;
        if (made) kernel_ = std::move(made);
        calls = 0;
    });
    is_busy_ = true;
}

std::uint64_t Source::next_look() {
    const std::lock_guard lock(mutex_);
    if (is_last_) return 0;
    if (!options_.walks_first) return many_calls - std::min(calls.load(), many_calls - 1);
    if (!is_walked() && !is_busy_) return many_calls;
    if (has_looked_) return between_looks;
    const std::uint64_t first =
        worth_a_look / std::max<std::uint64_t>(kernel_->report().operations, 1);
    return calls >= first ? 1 : std::min(first - calls, between_looks);
}

Tiered::Tiered(std::shared_ptr<Source> source) : source_(std::move(source)) {
    take(source_->soon());
}

void Tiered::take(Source::Made made) {
    kernel_ = std::move(made.kernel);
    seconds_ += made.seconds;
    was_compiled_ = was_compiled_ || (made.seconds > 0.0 && !kernel_->report().from_cache);
    work_.resize(kernel_->work_size());
    calls_left_ = lent_ = source_->next_look();
}

Tiered::~Tiered() {
    if (source_ && calls_left_ <= lent_) source_->calls += lent_ - calls_left_;
}

void Tiered::take_full() {
    source_->calls += lent_;
    lent_ = 0;
    try {
        take(source_->full());
    } catch (const std::runtime_error&) {
        return;  // what there is gives the same bits, and its tier tells
    }
}

}  // namespace lacon::kernel
