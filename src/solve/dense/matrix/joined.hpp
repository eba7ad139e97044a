// Sets of numbers that are joined step by step.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace lacon::solving::inline dense {

/// 0 … count − 1, each a set of its own at first.
class Joined {
public:
    explicit Joined(std::size_t count) : of_(count) {
        std::iota(of_.begin(), of_.end(), std::size_t{0});
    }

    /// The number that stands for the set of i.
    std::size_t root(std::size_t i) {
        while (of_[i] != i) i = of_[i] = of_[of_[i]];
        return i;
    }
    void join(std::size_t i, std::size_t j) { of_[root(i)] = root(j); }

private:
    std::vector<std::size_t> of_;
};

}  // namespace lacon::solving::dense
