// Chains, nets and linkages of many parts, for the tests of the sparse backend.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "lacon/motion.hpp"
#include "large/evaluate/evaluate.hpp"
#include "mechanics/system/derived_model.hpp"
#include "runs.hpp"

namespace lacon::large_tests {

/// A chain of n links hung at one end, with every `twice`-th link said twice.
inline std::string chain(int n, int twice = 0) {
    std::string text = "param N = " + std::to_string(n) +
                       "\nparam l = 0.25, m = 0.1\ncoord x[1..N], y[1..N]\nlet P[0] = (0, 0)\n"
                       "let P[i] = (x[i], y[i]) for i in 1..N\nparticle bead[i] at P[i] mass m for "
                       "i in 1..N\ngravity (0, -9.81)\n"
                       "constraint link[i]: norm(P[i] - P[i-1]) = l for i in 1..N\n"
                       "start x[i] = i*l, y[i] = 0 for i in 1..N\nsimulate 0..1 every 0.1\noutput "
                       "energy, link[1].force\n";
    if (twice > 0)
        text += "param k = " + std::to_string(twice) +
                "\nconstraint again[i]: norm(P[k*i] - P[k*i-1])^2 = l^2 for i in 1..N/k\n";
    return text;
}

/// A net of n × n knots in space, held at one corner and at the height of another.
inline std::string net(int n) {
    return "param N = " + std::to_string(n) +
           "\nparam l = 0.1, m = 0.01\ncoord x[1..N,1..N], y[1..N,1..N], z[1..N,1..N]\n"
           "let P[i,j] = (x[i,j], y[i,j], z[i,j]) for i in 1..N, j in 1..N\n"
           "particle knot[i,j] at P[i,j] mass m for i in 1..N, j in 1..N\ngravity (0, 0, -9.81)\n"
           "constraint along[i,j]: norm(P[i+1,j] - P[i,j]) = l for i in 1..N-1, j in 1..N\n"
           "constraint across[i,j]: norm(P[i,j+1] - P[i,j]) = l for i in 1..N, j in 1..N-1\n"
           "constraint left: P[1,1] = (l, l, 0)\nconstraint right: z[1,N] = 0\n"
           "start x[i,j] = i*l, y[i,j] = j*l, z[i,j] = 0 for i in 1..N, j in 1..N\nsimulate 0..0.2 "
           "every 0.05\noutput energy\n";
}

/// At a state, with sparse matrices.
inline Evaluation evaluated(const Mechanism& mechanism, const State& state) {
    return mechanism.evaluate(state, {}, Solver::sparse);
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double most = a.size() == b.size() ? 0.0 : INFINITY;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

inline double largest(const std::vector<double>& a) {
    double most = 0.0;
    for (const double x : a) most = std::max(most, std::abs(x));
    return most;
}

/// The models of models/ that large systems take.
inline std::vector<std::string> suitable_models() {
    std::vector<std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(LACON_SOURCE_DIR) / "models"))
        if (entry.path().extension() == ".lac") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    std::erase_if(files, [](const std::string& file) {
        return !why_not_large(Mechanism::load(file).details()).empty();
    });
    return files;
}

}  // namespace lacon::large_tests
