// Spreads the work of the sparse solver over threads.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "solve/sparse/pattern.hpp"

namespace lacon::solving::inline sparse {

/// 0 … count − 1, each once, by up to `threads` threads; in order where there is one. Returns when
/// all are done.
void run_parallel(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& task);

struct Range {
    std::size_t from, to;
};
/// The nodes of a forest in postorder, cut between trees into ranges of about equal work: a few for
/// every thread, one for one.
std::vector<Range> share_trees(const std::vector<Place>& parent, const std::vector<double>& work,
                               std::size_t threads);

}  // namespace lacon::solving::sparse
