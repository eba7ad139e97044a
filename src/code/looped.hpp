// Compiled accelerations of models that are too large for straight-line code.
#pragma once

#include "code/element_code.hpp"
#include "kernel/dense.hpp"
#include "kernel/tiered.hpp"

namespace lacon::inline code {

/// Code of all elements, and the dense solve, with what is compiled of them: for all who run them.
struct LoopedSource {
    /// Throws std::runtime_error with the reason where a model cannot be compiled here.
    LoopedSource(const DerivedModel& details, const SmoothSystem& smooth,
                 const kernel::CompileOptions& options);

    std::vector<ElementCode> elements;  // their code has gone into `sources`
    std::vector<std::shared_ptr<kernel::Source>> sources;
    std::shared_ptr<const kernel::DenseKernel> dense;
};

/// q'' of a model as machine code in loops: code for each shape of element, run over the elements,
/// and the dense solve over the matrices they add up to. For models that are too large for
/// straight-line code.
class LoopedAcceleration {
public:
    struct Options {
        CodeOptions code;
        std::vector<double> floors;  // of all rows (kernel::Problem::floor)
        bool is_first = true;        // the source was made for this one
    };
    LoopedAcceleration(const DerivedModel& details, std::shared_ptr<const LoopedSource> source,
                       const Options& options);

    /// `in`: as KernelInputs says. False where a check fails: then the state is for the careful
    /// path.
    bool run(const double* in, std::span<double> a);

    std::size_t operations() const;  // of the code of all elements, once each
    double seconds() const;          // spent on compiling so far
    bool from_cache() const;         // all of it
    bool is_full() const;            // all of it made with full effort

private:
    /// Code of some elements with what goes in and where its numbers go.
    struct Batch {
        kernel::Tiered kernel;
        std::span<const std::uint32_t> inputs;  // ElementCode::inputs
        struct Move {
            std::uint32_t from, to;  // places in the kernel's results and in the dense problem
        };
        struct Run {
            std::vector<Move> first, more;  // those that begin a sum, and those that add to one
            std::size_t used = 0;           // lanes
        };
        std::vector<Run> runs;
        kernel::Buffer in, out;
    };
    static kernel::DensePlan plan_of(const DerivedModel& details,
                                     const std::vector<ElementCode>& codes, const Options& options);
    std::size_t place_of(const Item& item) const;
    bool run(Batch& batch, const double* in);

    std::shared_ptr<const LoopedSource> source_;
    kernel::Dense dense_;
    bool is_first_;
    std::vector<Batch> batches_;
};

}  // namespace lacon::code
