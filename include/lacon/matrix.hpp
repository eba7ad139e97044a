// The matrix types of the public interface: dense and sparse ones, and views of dense ones.
#pragma once

#include <cstddef>
#include <cstdint>
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

    /// All zeros, of this size; the storage is kept where it suffices.
    void reset(std::size_t rows, std::size_t cols) {
        rows_ = rows;
        cols_ = cols;
        values_.assign(rows * cols, 0.0);
    }

    double* data() { return values_.data(); }
    const double* data() const { return values_.data(); }

    bool operator==(const Matrix&) const = default;

private:
    std::size_t rows_ = 0;
    std::size_t cols_ = 0;
    std::vector<double> values_;
};

/// A dense row-major matrix that lies elsewhere, and must outlive the view.
class MatrixView {
public:
    MatrixView(const Matrix& matrix)
        : data_(matrix.data()), rows_(matrix.rows()), cols_(matrix.cols()) {}
    MatrixView(const double* data, std::size_t rows, std::size_t cols)
        : data_(data), rows_(rows), cols_(cols) {}

    std::size_t rows() const { return rows_; }
    std::size_t cols() const { return cols_; }
    double operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }
    std::span<const double> row(std::size_t i) const { return {data_ + i * cols_, cols_}; }
    std::span<const double> values() const { return {data_, rows_ * cols_}; }
    const double* data() const { return data_; }

private:
    const double* data_;
    std::size_t rows_, cols_;
};

/// Entries by rows: those of row i are numbered begin[i] … begin[i + 1] − 1, their columns
/// increase.
struct SparseMatrix {
    std::size_t rows = 0, cols = 0;
    std::vector<std::size_t> begin;     // (rows + 1)
    std::vector<std::uint32_t> column;  // of each entry
    std::vector<double> value;
};

}  // namespace lacon
