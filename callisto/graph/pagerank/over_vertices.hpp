// Code that both iterations of PageRank share: the restart vector, sums over all vertices, and the count of sweeps.
#pragma once

#include <callisto/graph/csr/progress.hpp>
#include <callisto/graph/pagerank/limits.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <source_location>
#include <vector>

namespace callisto::graph {

/// Returns the share of each vertex in restarts; empty if all shares are equal.
inline machine::page_array<double> shares_of(const std::vector<pagerank_seed>& seeds, std::uint64_t vertices) {
  if (seeds.empty()) return {};
  machine::page_array<double> restart(vertices);
  double sum = 0;
  for (const pagerank_seed& seed : seeds) sum += seed.weight;
  for (const pagerank_seed& seed : seeds) restart[seed.vertex] = seed.weight / sum;
  return restart;
}

/// Runs `body` over all vertices and adds its sums, block by block and in the order of blocks: the sums do not depend
/// on the number of threads, nor on their order, to the last bit. If `batch` is not 0, batches have this size and are
/// added in the order in which they run. Throws cancelled.
template <class Sums, class Body>
Sums over_vertices(std::uint64_t vertices, const Body& body, std::uint64_t batch, const run_control& control,
                   std::source_location where = std::source_location::current()) {
  using limits = pagerank_limits;
  Sums sums{};
  if (batch != 0) {
    sums = parallel_reduce(std::uint64_t{0}, vertices, Sums{}, body, std::plus<>{},
                           loop_options{.batch = batch, .stop = control.stop}, where);
  } else {
    const std::uint64_t block =
        std::max(limits::least_sum_block, (vertices + limits::most_sum_blocks - 1) / limits::most_sum_blocks);
    std::vector<Sums> parts((vertices + block - 1) / block);
    parallel_for(
        std::uint64_t{0}, std::uint64_t{parts.size()},
        [&](std::uint64_t b) { parts[b] = body(b * block, std::min(vertices, (b + 1) * block), Sums{}); },
        loop_options{.stop = control.stop}, where);
    for (const Sums& part : parts) sums = sums + part;
  }
  control.check();
  return sums;
}

inline void count_sweep(pagerank_result& result, double change, const pagerank_options& options,
                        const run_control& control) {
  ++result.iterations;
  result.change = change;
  result.converged = change <= options.tolerance;
  if (control.report != nullptr) control.report->advance(1);
}

/// Returns the scores divided by `total`, in double precision.
template <class Real>
machine::page_array<double> normalized(const machine::page_array<Real>& scores, double total) {
  machine::page_array<double> found(scores.size(), machine::page_kind::used);
  parallel_for(std::uint64_t{0}, std::uint64_t{scores.size()},
               [&](std::uint64_t v) { found[v] = double{scores[v]} / total; });
  return found;
}

}  // namespace callisto::graph
