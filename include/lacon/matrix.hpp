// The dense matrix type of the public interface.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lacon {

/// A dense matrix of doubles, row-major: entry (i, j) lies at i * cols + j.
class Matrix {
public:
    Matrix() = default;
    Matrix(std::size_t rows, std::size_t cols, double value = 0.0)
        : rows_(rows), cols_(cols), values_(rows * cols, value) {}

    std::size_t rows() const { return rows_; }
    std::size_t cols() const { return cols_; }

    double& operator()(std::size_t i, std::size_t j) { return values_[i * cols_ + j]; }
    double operator()(std::size_t i, std::size_t j) const { return values_[i * cols_ + j]; }

    std::span<double> row(std::size_t i) { return {values_.data() + i * cols_, cols_}; }
    std::span<const double> row(std::size_t i) const { return {values_.data() + i * cols_, cols_}; }

    double* data() { return values_.data(); }
    const double* data() const { return values_.data(); }

    bool operator==(const Matrix&) const = default;

private:
    std::size_t rows_ = 0;
    std::size_t cols_ = 0;
    std::vector<double> values_;
};

}  // namespace lacon
