// Many short parallel steps in sequence, and the order in which a level's vertices are visited.
#pragma once

#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/loop/fixed_supersteps.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/page_array.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace callisto::graph {

/// Entries of a step that a thread takes at a time, at least.
inline constexpr std::uint64_t least_piece = 16;
/// With more threads each step is a loop: the state that supersteps share would be contended.
inline constexpr unsigned most_threads_in_steps = 16;

/// Runs steps [0, steps), each after the one before: work(slot, step, first, last) does entries [first, last) of a
/// step's [0, size(step)), which is not empty. At any time only one thread uses a slot; slots are below threads().
template <class Size, class Work>
void in_steps(std::uint64_t steps, const Size& size, const Work& work) {
  const unsigned slots = threads();
  if (slots == 1) {
    for (std::uint64_t step = 0; step < steps; ++step) work(0u, step, std::uint64_t{0}, size(step));
    return;
  }
  if (slots > most_threads_in_steps) {
    for (std::uint64_t step = 0; step < steps; ++step) {
      parallel_for(std::uint64_t{0}, size(step),
                   [&](std::uint64_t first, std::uint64_t last) { work(this_thread(), step, first, last); });
    }
    return;
  }
  loop::fixed_supersteps<machine::native> run(slots, least_piece);
  const auto begin_of = [&](std::uint64_t step, unsigned slot) { return size(step) * slot / slots; };
  const auto in_slot = [&](std::uint64_t step, unsigned slot) {
    return begin_of(step, slot + 1) - begin_of(step, slot);
  };
  run.start(steps, in_slot);
  parallel_for(0u, slots,
               [&](unsigned slot) {
                 run.run(slot, in_slot,
                         [&](std::uint64_t step, unsigned owner, std::uint64_t first, std::uint64_t last) noexcept {
                           const std::uint64_t begin = begin_of(step, owner);
                           work(slot, step, begin + first, begin + last);
                         });
               },
               {.batch = 1});
}

/// Returns [0, n) in an order that looks random: by buckets of a hash, ascending inside of each. It depends on n and
/// `seed` alone.
template <class Vertex>
machine::page_array<Vertex> shuffled(std::uint64_t n, std::uint64_t seed) {
  constexpr std::uint64_t in_block = std::uint64_t{1} << 15;
  const std::uint64_t blocks = (n + in_block - 1) / in_block;
  const std::uint64_t buckets = std::clamp<std::uint64_t>(n / 4, 1, 1024);
  const counter_random random(seed);
  const auto bucket_of = [&](std::uint64_t v) { return below(random(v), buckets); };
  machine::page_array<Vertex> order(n, machine::page_kind::used);
  std::vector<std::uint64_t> at(blocks * buckets);  // by block and bucket
  const auto each_block = [&](auto f) {
    parallel_for(std::uint64_t{0}, blocks,
                 [&](std::uint64_t b) {
                   for (std::uint64_t v = b * in_block; v < std::min(n, (b + 1) * in_block); ++v)
                     f(v, at.data() + b * buckets);
                 },
                 {.batch = 1});
  };
  each_block([&](std::uint64_t v, std::uint64_t* counts) { ++counts[bucket_of(v)]; });
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k < buckets; ++k) {
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const std::uint64_t count = at[b * buckets + k];
      at[b * buckets + k] = sum;
      sum += count;
    }
  }
  each_block([&](std::uint64_t v, std::uint64_t* places) { order[places[bucket_of(v)]++] = static_cast<Vertex>(v); });
  return order;
}

}  // namespace callisto::graph
