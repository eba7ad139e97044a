// The patterns of M and A over the islands that move, and their factorization.
#include "large/start/moving_part.hpp"

namespace lacon::inline large {

void MovingPart::take(std::vector<bool> islands) {
    if (factor_ && islands == taken_) return;
    taken_ = std::move(islands);
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> number(system_.n, none);
    values_.clear();
    rows_.clear();
    mass_entries_.clear();
    row_entries_.clear();
    for (std::size_t j = 0; j < system_.n; ++j) {
        if (fixed_[j] || !taken_[islands_.of_value[j]]) continue;
        number[j] = static_cast<std::uint32_t>(values_.size());
        values_.push_back(static_cast<std::uint32_t>(j));
    }
    for (std::uint32_t i = 0; i < all_rows_.size(); ++i)
        if (taken_[islands_.of_row[i]]) rows_.push_back(i);
    auto mass = std::make_shared<SparsePattern>(), rows = std::make_shared<SparsePattern>();
    mass->rows = mass->cols = rows->cols = values_.size();
    rows->rows = rows_.size();
    const auto take_row = [&](const SparsePattern& from, std::size_t row, SparsePattern& to,
                              std::vector<std::size_t>& entries) {
        for (std::size_t e = from.begin[row]; e < from.begin[row + 1]; ++e) {
            if (number[from.column[e]] == none) continue;
            to.column.push_back(number[from.column[e]]);
            entries.push_back(e);
        }
        to.begin.push_back(to.column.size());
    };
    for (const std::uint32_t j : values_) take_row(*system_.mass, j, *mass, mass_entries_);
    for (const std::uint32_t i : rows_) take_row(*system_.rows, all_rows_[i], *rows, row_entries_);
    mass_ = mass;
    factor_.emplace(mass_, rows);
}

/// A coordinate without a mass that only an upper level holds gets one, for the metric.
bool MovingPart::factor(const SparseEquations& at, const SolveOptions& options) {
    M_.resize(mass_entries_.size());
    A_.resize(row_entries_.size());
    for (std::size_t e = 0; e < M_.size(); ++e) M_[e] = at.M()[mass_entries_[e]];
    for (std::size_t e = 0; e < A_.size(); ++e) A_[e] = at.A()[row_entries_[e]];
    outcome_ = factor_->factor(M_, A_, options);
    if (outcome_ == Outcome::undetermined) {
        double sum = 0.0;
        for (std::size_t j = 0; j < values_.size(); ++j) sum += M_[mass_->begin[j + 1] - 1];
        const double usual = sum > 0.0 ? sum / static_cast<double>(values_.size()) : 1.0;
        for (std::size_t j = 0; j < values_.size(); ++j) M_[mass_->begin[j + 1] - 1] += usual;
        outcome_ = factor_->factor(M_, A_, options);
    }
    if (outcome_ != Outcome::ok && factor_->concerned() < values_.size())
        concerned_ = values_[factor_->concerned()];
    return outcome_ == Outcome::ok;
}

std::vector<double> MovingPart::solve(std::span<const double> f, std::span<const double> r) {
    std::vector<double> x(values_.size(), 0.0), lambda(rows_.size());
    factor_->solve({M_, A_, 1}, f, r, x, lambda);
    return x;
}

void MovingPart::add_mass_times(double scale, const std::vector<double>& x,
                                std::vector<double>& sum) const {
    add_symmetric(*mass_, M_, scale, x, sum);
}

}  // namespace lacon::large
