// Each thread takes the next task from a counter. Work is cut only between trees, so sums keep
// their order for any number of threads. Less than 1e6 operations are left to one thread.
#include "solve/sparse/threads.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

namespace lacon::solving::inline sparse {

void run_parallel(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& task) {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t k = next++; k < count; k = next++) task(k);
    };
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(work);
    work();
}

std::vector<Range> share_trees(const std::vector<Place>& parent, const std::vector<double>& work,
                               std::size_t threads) {
    const std::size_t n = parent.size();
    constexpr double too_little = 1e6;  // operations: less is not worth a thread
    const double total = std::accumulate(work.begin(), work.end(), 0.0);
    if (threads <= 1 || total < too_little) return {{0, n}};
    const double enough = std::max(total / (4.0 * static_cast<double>(threads)), too_little / 4.0);
    std::vector<Range> ranges;
    double sum = 0.0;
    std::size_t from = 0;
    for (std::size_t j = 0; j < n; ++j) {
        sum += work[j];
        if (parent[j] != nowhere || (sum < enough && j + 1 < n)) continue;
        ranges.push_back({from, j + 1});
        from = j + 1;
        sum = 0.0;
    }
    return ranges;
}

}  // namespace lacon::solving::sparse
