// Small buckets, as in grids and road networks: threads stay together from the beginning of a bucket until it is empty.
// Each pass over its entries is a superstep (loop/supersteps.hpp).
//
// A thread goes on with the entries of its buckets, because their vertices and arcs are in its caches, and helps other
// threads when it has none left. With a loop for each pass, which deals entries out anew, two threads are no faster
// than one on a grid: a thread reads mostly what the second thread has written.
#pragma once

#include <callisto/graph/sssp/kernel.hpp>
#include <callisto/loop/supersteps.hpp>
#include <callisto/machine/native.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace callisto::graph {

/// The loop of one bucket: iteration i runs slot i, which uses the buckets of thread i.
template <class Vertex, class Distance, class Weight>
class sssp_supersteps {
  using native = machine::native;
  using buckets = sssp_buckets<Vertex, Distance>;
  using list = typename buckets::list;

 public:
  explicit sssp_supersteps(unsigned threads) : steps_(threads, piece), lists_(threads) {}

  unsigned slots() const noexcept { return steps_.slots(); }

  /// Takes the entries of a bucket from the buckets of all threads.
  void take(std::vector<buckets>& all, std::size_t bucket) {
    bucket_ = bucket;
    for (unsigned s = 0; s < slots(); ++s) {
      lists_[s].of[0].clear();
      lists_[s].of[0].swap(all[s][bucket]);
    }
    steps_.put([&](unsigned s) { return std::uint64_t{lists_[s].of[0].size()}; });
  }

  /// Allows supersteps of `fewest` to `most` entries; they end before a superstep with fewer or more.
  void start(std::uint64_t fewest, std::uint64_t most) noexcept {
    steps_.start({.rounds = supersteps_of_loop, .fewest = fewest, .most = most});
  }

  /// Returns the number of entries that are left at the end.
  std::uint64_t left() const noexcept { return steps_.entries(); }

  /// Appends the entries that are left to `to`. Throws std::bad_alloc if a slot had no memory for its entries.
  void leave(list& to) {
    if (no_memory_.load(std::memory_order_relaxed)) throw std::bad_alloc();  // relaxed: the loop's end orders it
    for (unsigned s = 0; s < slots(); ++s) {
      if (steps_.in_list(s) == 0) continue;
      const list& now = lists_[s].of[steps_.parity()];
      to.insert(to.end(), now.begin(), now.end());
    }
  }

  void run(unsigned slot, const sssp_relax<Vertex, Distance, Weight>& step, buckets& mine) noexcept {
    std::uint64_t growing = 0;  // the superstep that this slot's next list is for
    steps_.run(slot, [&](std::uint64_t round, unsigned owner, std::uint64_t first, std::uint64_t last) {
      const list& now = lists_[owner].of[round % 2];
      list& next = lists_[slot].of[(round + 1) % 2];
      if (growing != round + 1) next.clear();
      growing = round + 1;
      // Entries that go back into the bucket are appended to `next`.
      mine[bucket_].swap(next);
      try {
        step(now.data() + first, now.data() + last, now.data() + now.size(), mine);
      } catch (const std::bad_alloc&) {
        no_memory_.store(true, std::memory_order_relaxed);
      }
      mine[bucket_].swap(next);
      return std::uint64_t{next.size()};
    });
  }

 private:
  static constexpr std::uint64_t piece = 16;  ///< entries taken at a time: about 1 us that other threads may wait
  /// Supersteps of one loop: a fraction of a millisecond. Between loops threads may leave for other jobs, and join.
  static constexpr std::uint64_t supersteps_of_loop = 64;

  struct alignas(native::line_size) slot_lists {
    std::array<list, 2> of;  ///< of even and odd supersteps
  };

  loop::supersteps<native> steps_;
  std::vector<slot_lists> lists_;
  std::size_t bucket_ = 0;
  std::atomic<bool> no_memory_{false};
};

}  // namespace callisto::graph
