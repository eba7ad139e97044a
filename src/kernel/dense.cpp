// Lays out the matrices of a dense problem for compiled loops: rows of M, then kept rows, then
// dropped rows, each padded to whole blocks. A symbolic elimination finds the blocks that fill in.
#include "kernel/dense.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernel/constrained.hpp"

namespace lacon::kernel {

namespace {

std::size_t blocks_for(std::size_t rows, std::size_t block) {
    return (rows + block - 1) / block;
}

}  // namespace

DenseKernel::DenseKernel(const CompileOptions& options) : options_(options) {
    const Code none;
    const Request request{.code = none,
                          .isa = options.isa,
                          .lanes = options.lanes,
                          .effort = Effort::full,
                          .form = Form::dense};
    loaded_ = std::make_unique<const Loaded>(*image_of(request, options.cache, false, report_));
}

Dense::Dense(const DensePlan& plan, std::shared_ptr<const DenseKernel> kernel)
    : kernel_(std::move(kernel)),
      lanes_(kernel_->options().lanes),
      block_(dense_block(kernel_->options().isa, kernel_->options().lanes)) {
    const std::size_t mass = blocks_for(plan.n, block_),
                      kept = mass + blocks_for(plan.m - plan.dropped.size(), block_);
    std::size_t next_kept = mass * block_, next_dropped = kept * block_;
    for (std::size_t i = 0; i < plan.m; ++i) {
        const bool is_dropped = std::binary_search(plan.dropped.begin(), plan.dropped.end(), i);
        place_.push_back((is_dropped ? next_dropped : next_kept)++);
    }
    call_.mass = static_cast<std::int64_t>(mass);
    call_.kept = static_cast<std::int64_t>(kept);
    call_.all = static_cast<std::int64_t>(kept + blocks_for(plan.dropped.size(), block_));
    call_.dropped = static_cast<std::int64_t>(plan.dropped.size());
    call_.refined = plan.refined ? 1 : 0;

    Elimination elimination;
    elimination.refined = plan.refined;
    elimination.clear = plan.clear;
    elimination.beside = plan.beside;
    const Bounds bounds(plan.m, elimination, plan.rank_tol);
    call_.definite = bounds.definite;
    call_.wide = bounds.wide;
    call_.narrow = bounds.narrow;
    call_.met = bounds.met * bounds.met;
    call_.met_dropped = bounds.met_dropped * bounds.met_dropped;
    find_blocks(plan);
    lay_out(plan);
}

/// Which blocks of the factor are not zero: those of the problem, and what the elimination adds.
void Dense::find_blocks(const DensePlan& plan) {
    const auto all = static_cast<std::size_t>(call_.all),
               kept = static_cast<std::size_t>(call_.kept),
               mass = static_cast<std::size_t>(call_.mass);
    std::vector<std::vector<char>> used(all, std::vector<char>(kept, 0));  // lower half, by blocks
    for (const DensePlan::Place& e : plan.mass)
        used[std::max(e.row, e.column) / block_][std::min(e.row, e.column) / block_] = 1;
    for (const DensePlan::Place& e : plan.rows) used[place_[e.row] / block_][e.column / block_] = 1;

    std::vector<std::vector<std::int64_t>> above(all);
    const auto size = static_cast<std::int64_t>(block_);
    for (std::size_t p = 0; p < kept; ++p) {
        std::vector<std::size_t> rows;
        for (std::size_t i = p + 1; i < (p < mass ? all : kept); ++i)
            if (used[i][p]) rows.push_back(i);
        const auto count_to = [&](std::size_t end) {
            return static_cast<std::int64_t>(below_.size()) +
                   (std::lower_bound(rows.begin(), rows.end(), end) - rows.begin());
        };
        below_begin_.push_back(static_cast<std::int64_t>(below_.size()));
        below_kept_.push_back(count_to(mass));
        below_dropped_.push_back(count_to(kept));
        for (std::size_t a = 0; a < rows.size(); ++a) {
            below_.push_back(static_cast<std::int64_t>(rows[a]) * size);
            above[rows[a]].push_back(static_cast<std::int64_t>(p) * size);
            for (std::size_t b = 0; b <= a && rows[b] < kept; ++b) used[rows[a]][rows[b]] = 1;
        }
    }
    below_begin_.push_back(static_cast<std::int64_t>(below_.size()));
    for (const auto& list : above) {
        above_begin_.push_back(static_cast<std::int64_t>(above_.size()));
        above_.insert(above_.end(), list.begin(), list.end());
    }
    above_begin_.push_back(static_cast<std::int64_t>(above_.size()));
    call_.below = below_.data();
    call_.below_begin = below_begin_.data();
    call_.below_kept = below_kept_.data();
    call_.below_dropped = below_dropped_.data();
    call_.above = above_.data();
    call_.above_begin = above_begin_.data();
}

void Dense::lay_out(const DensePlan& plan) {
    constexpr std::size_t line = 8;  // doubles of a cache line
    const std::size_t all = static_cast<std::size_t>(call_.all) * block_,
                      kept = static_cast<std::size_t>(call_.kept) * block_,
                      mass = static_cast<std::size_t>(call_.mass) * block_;
    // An odd number of lines: columns do not fall on the same places of a cache.
    stride_ = (blocks_for(all, line) | 1) * line;
    call_.stride = static_cast<std::int64_t>(stride_);
    std::size_t used = 0;
    const auto take = [&](std::size_t items) {
        const std::size_t begin = used;
        used += blocks_for(items * lanes_, line) * line;
        return begin;
    };
    const std::size_t P = take(stride_ * kept);
    right_at_ = take(all);
    const std::size_t F = take(stride_ * all), floor = take(all), diagonal = take(all),
                      pivot = take(all), inverse = take(all), size = take(all), z = take(all),
                      rest = take(all), change = take(all), fine = take(1);
    memory_.reset(
        static_cast<double*>(std::aligned_alloc(line * sizeof(double), used * sizeof(double))));
    if (!memory_) throw std::runtime_error("no memory for the matrices of compiled loops");
    double* at = memory_.get();
    std::fill(at, at + used, 0.0);
    call_.P = at + P;
    call_.right = at + right_at_;
    call_.F = at + F;
    call_.floor = at + floor;
    call_.diagonal = at + diagonal;
    call_.pivot = at + pivot;
    call_.inverse = at + inverse;
    call_.size = at + size;
    call_.z = at + z;
    call_.rest = at + rest;
    call_.change = at + change;
    call_.fine = at + fine;

    std::fill_n(at + floor, all * lanes_, -1.0);
    for (std::size_t i = 0; i < plan.m; ++i)
        std::fill_n(at + floor + place_[i] * lanes_, lanes_, plan.floor[i]);
    for (std::size_t i = plan.n; i < mass; ++i)
        std::fill_n(at + P + (i * stride_ + i) * lanes_, lanes_, 1.0);
    for (std::size_t i = mass + plan.m - plan.dropped.size(); i < kept; ++i)
        std::fill_n(at + P + (i * stride_ + i) * lanes_, lanes_, -1.0);
}

double Dense::lambda(std::size_t i, std::size_t lane) const {
    return place_[i] < static_cast<std::size_t>(call_.kept) * block_
               ? -call_.z[place_[i] * lanes_ + lane]
               : 0.0;
}

}  // namespace lacon::kernel
