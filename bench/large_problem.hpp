// Large chains and nets as sparse matrices, for Lacon and for its rivals.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/// M q'' = Q + Aᵀ λ, A q'' = b with a diagonal M, as Lacon hands it over to other solvers, with its
/// own answer.
struct LargeProblem {
    std::uint64_t n = 0, m = 0;
    std::uint64_t planted = 0;  // rows, the last ones, that say again what others say
    std::vector<double> mass, Q, A, b, answer;
    std::vector<std::uint64_t>
        begin;  // of the rows of A: entries begin[i] … begin[i + 1] − 1 (m + 1)
    std::vector<std::uint32_t> column;

    void write(const std::string& path) const {
        std::ofstream file(path, std::ios::binary);
        each(*this, [&](const auto& values) {
            const std::uint64_t size = values.size();
            file.write(reinterpret_cast<const char*>(&size), sizeof size);
            file.write(reinterpret_cast<const char*>(values.data()),
                       static_cast<std::streamsize>(size * sizeof values[0]));
        });
        file.write(reinterpret_cast<const char*>(&planted), sizeof planted);
        if (!file.flush()) throw std::runtime_error("cannot write " + path);
    }
    static LargeProblem read(const std::string& path) {
        LargeProblem p;
        std::ifstream file(path, std::ios::binary);
        each(p, [&](auto& values) {
            std::uint64_t size = 0;
            file.read(reinterpret_cast<char*>(&size), sizeof size);
            values.resize(size);
            file.read(reinterpret_cast<char*>(values.data()),
                      static_cast<std::streamsize>(size * sizeof values[0]));
        });
        if (!file.read(reinterpret_cast<char*>(&p.planted), sizeof p.planted))
            throw std::runtime_error("cannot read " + path);
        p.n = p.mass.size();
        p.m = p.b.size();
        return p;
    }
    void drop_planted() {
        m -= planted;
        b.resize(m);
        begin.resize(m + 1);
        A.resize(begin[m]);
        column.resize(begin[m]);
        planted = 0;
    }

    /// Largest |b − A x|_i beside |b_i| + Σ_j |A_ij| max |x|.
    double residual(const std::vector<double>& x) const {
        double largest = 0.0, most = 0.0;
        for (const double value : x) largest = std::max(largest, std::abs(value));
        for (std::size_t i = 0; i < m; ++i) {
            double off = b[i], size = 0.0;
            for (std::size_t e = begin[i]; e < begin[i + 1]; ++e) {
                off -= A[e] * x[column[e]];
                size += std::abs(A[e]);
            }
            if (!std::isfinite(off)) return off;
            if (off != 0.0)
                most = std::max(most, std::abs(off) / (std::abs(b[i]) + size * largest));
        }
        return most;
    }

private:
    template <class Problem, class Do>
    static void each(Problem& p, const Do& what) {
        what(p.mass), what(p.Q), what(p.A), what(p.b), what(p.answer), what(p.begin),
            what(p.column);
    }
};

/// The least time of several goes, in seconds: at least three, or as many as are done within the
/// budget.
template <class Do>
double best_seconds(const Do& once, double budget = 1.5) {
    double best = 1e300, spent = 0.0;
    for (int i = 0; i < 3 || (i < 200 && spent < budget); ++i) {
        const auto begin = std::chrono::steady_clock::now();
        once();
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        best = std::min(best, seconds);
        spent += seconds;
        if (spent > 4.0 * budget) break;
    }
    return best;
}
