// Compiled functions over one state or many lanes: how they are made and called.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernel/buffer.hpp"
#include "kernel/generate.hpp"
#include "kernel/image.hpp"
#include "kernel/walk.hpp"

namespace lacon::kernel {

struct CompileOptions {
    Isa isa = best_isa();
    std::size_t lanes = 1;  // 1, 2, 4, 8, 16
    Effort effort = Effort::full;
    bool cache = true;  // on disk, see cache.hpp
    /// Whether code may be walked at first, and compiled by another thread where it is run often
    /// (tiered.hpp). Of one lane.
    bool walks_first = false;
};

/// How a kernel came to be.
struct CompileReport {
    double seconds = 0.0;
    bool from_cache = false;
    std::size_t operations = 0;
    std::size_t bytes = 0;  // of machine code
};

/// A compiled function over lanes. Immutable; any number of threads may run it, each with its own
/// workspace.
class Kernel {
public:
    Kernel(const Code& code, const CompileOptions& options, const Image& image,
           CompileReport report);
    /// Not compiled: walked.
    Kernel(const Code& code, const CompileOptions& options);

    std::size_t lanes() const { return options_.lanes; }
    std::size_t input_count() const { return inputs_; }
    std::size_t output_count() const { return outputs_; }
    /// Doubles that `out` takes: the outputs and the range flag, of all lanes.
    std::size_t out_size() const { return (outputs_ + 1) * options_.lanes; }
    std::size_t work_size() const { return work_ * options_.lanes; }
    const CompileOptions& options() const { return options_; }
    const CompileReport& report() const { return report_; }

    /// Item i of lane l is at i * lanes() + l, in `in` as in `out`. Of code that works on power
    /// series: their memory (slots times Series::stride() items), and the order.
#ifdef __clang__
    [[clang::no_sanitize("function")]]  // code made at run time has no type to be checked
#endif
    void
    run(const double* in, double* out, double* work, double* series = nullptr,
        std::uint64_t k = 0) const {
        if (walk_) walk_->run(in, out, work, functions_, series, k);
        else loaded_->kernel()(in, out, work, functions_, series, k);
    }
    /// Whether a lane of `out` came out right: false where sin or cos had an argument beyond the
    /// code's range.
    bool in_range(const double* out, std::size_t lane) const {
        return out[outputs_ * options_.lanes + lane] == 0.0;
    }

private:
    CompileOptions options_;
    std::size_t inputs_, outputs_, work_;
    CompileReport report_;
    std::optional<Loaded> loaded_;  // one of these
    std::optional<Walk> walk_;
    const void* const* functions_;
};

/// Machine code from the cache or, unless only that is wanted, from the generator; tells in
/// `report` how it came to be. Throws as compile() does.
std::optional<Image> image_of(const Request& request, bool cache, bool only_cached,
                              CompileReport& report);

/// Compiles, or takes from the cache; without effort code of one lane is walked. Throws
/// std::runtime_error where machine code cannot be made here (no generator installed, no executable
/// memory): whoever calls goes on with the interpreter.
std::shared_ptr<const Kernel> compile(const Code& code, const CompileOptions& options = {});
/// Only what is in the cache; nothing otherwise.
std::shared_ptr<const Kernel> find_cached(const Code& code, const CompileOptions& options);

}  // namespace lacon::kernel
