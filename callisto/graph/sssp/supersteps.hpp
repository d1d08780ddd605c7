// Buckets of delta-stepping that are small, as in grids and road networks: threads stay together from when a bucket is
// begun until it is empty, each time that its vertices are relaxed is a round (loop/supersteps.hpp).
//
// Each thread goes on with the entries of its own buckets, whose vertices and arcs are in its caches, and helps others
// when it has none left. With a loop for each time, and entries handed out anew, two threads are no faster than one on
// a grid: most of what a thread touches the other one has written.
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

/// The loop of one bucket: iteration i runs seat i, which has the buckets number i.
template <class Vertex, class Distance, class Weight>
class sssp_supersteps {
  using native = machine::native;
  using buckets = sssp_buckets<Vertex, Distance>;
  using list = typename buckets::list;

 public:
  explicit sssp_supersteps(unsigned threads) : meeting_(threads, piece), lists_(threads) {}

  unsigned seats() const noexcept { return meeting_.seats(); }

  /// Takes the entries of a slot of the buckets of the seats.
  void take(std::vector<buckets>& all, std::size_t slot) {
    slot_ = slot;
    for (unsigned s = 0; s < seats(); ++s) {
      lists_[s].of[0].clear();
      lists_[s].of[0].swap(all[s][slot]);
    }
    meeting_.put([&](unsigned s) { return std::uint64_t{lists_[s].of[0].size()}; });
  }

  /// From here on until it is over: rounds of no more than `most` entries, and no less than `fewest`.
  void start(std::uint64_t fewest, std::uint64_t most) noexcept {
    meeting_.start({.rounds = rounds_at_once, .fewest = fewest, .most = most});
  }

  /// How many entries are left when it is over.
  std::uint64_t left() const noexcept { return meeting_.entries(); }

  /// Moves what is left behind the others in `to`; throws if there was no memory for what a seat has found.
  void leave(list& to) {
    if (no_memory_.load(std::memory_order_relaxed)) throw std::bad_alloc();  // relaxed: the loop around it orders it
    for (unsigned s = 0; s < seats(); ++s) {
      if (meeting_.in_list(s) == 0) continue;
      const list& now = lists_[s].of[meeting_.parity()];
      to.insert(to.end(), now.begin(), now.end());
    }
  }

  void run(unsigned seat, const sssp_relax<Vertex, Distance, Weight>& step, buckets& mine) noexcept {
    std::uint64_t growing = 0;  // the round for which this seat's next list is
    meeting_.run(seat, [&](std::uint64_t round, unsigned owner, std::uint64_t first, std::uint64_t last) {
      const list& now = lists_[owner].of[round % 2];
      list& next = lists_[seat].of[(round + 1) % 2];
      if (growing != round + 1) next.clear();
      growing = round + 1;
      // What is put back into the bucket goes there.
      mine[slot_].swap(next);
      try {
        step(now.data() + first, now.data() + last, now.data() + now.size(), mine);
      } catch (const std::bad_alloc&) {
        no_memory_.store(true, std::memory_order_relaxed);
      }
      mine[slot_].swap(next);
      return std::uint64_t{next.size()};
    });
  }

 private:
  static constexpr std::uint64_t piece = 16;  ///< a microsecond: what one thread may have to wait for another
  /// Rounds of one loop: a fraction of a millisecond, after which threads may leave for other jobs, and others join.
  static constexpr std::uint64_t rounds_at_once = 64;

  struct alignas(native::line_size) seat_lists {
    std::array<list, 2> of;  ///< odd and even rounds
  };

  loop::rounds<native> meeting_;
  std::vector<seat_lists> lists_;
  std::size_t slot_ = 0;
  std::atomic<bool> no_memory_{false};
};

}  // namespace callisto::graph
