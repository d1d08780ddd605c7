// Work-sharing constructs in which threads share something: a loop's iterations, sections, scratch memory.
//
// They form a chain, in the order in which the program meets them. Each thread stands at one and walks along: whoever
// first finds no next one makes it, from what the construct says, and links it by compare-and-swap; who has made one in
// vain keeps it for another time. So threads may be any number of `nowait` constructs ahead of each other, as in
// libgomp, with no lock, and without LLVM's limit of so many that are in use at once. The last thread to go on from a
// share frees it.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/splitting_ranges.hpp>
#include <callisto/distributor/shared_counter.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/workers/waiting/latch.hpp>
#include <callisto/workers/waiting/sequencer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace callisto::openmp {

/// A loop as iterations 0 to `trips`, whatever the program counts with: number k stands for start + k * step, modulo
/// 2^64, as signed and unsigned arithmetic agree on.
struct iteration_space {
  std::uint64_t start = 0;
  std::uint64_t end = 0;  ///< as the program says: what the last range ends with
  std::uint64_t step = 1;
  std::uint64_t trips = 0;

  std::uint64_t value(std::uint64_t k) const noexcept { return k >= trips ? end : start + k * step; }
};

class doacross_state;

/// The ranges of a dynamic loop, or none. They take some kilobytes, which most constructs do not need, and a thread may
/// be thousands of constructs ahead of another: so they are elsewhere, in memory that is kept for the next ones.
class loop_pieces {
 public:
  using ranges = distributor::ranges<native>;
  loop_pieces() = default;
  /// Takes the memory.
  explicit loop_pieces(loop_pieces&& from) noexcept {
    from.clear();
    room_ = std::move(from.room_);
  }
  ~loop_pieces() { clear(); }

  void make(std::uint64_t units, const distributor::layout& where) {
    static constexpr std::array<distributor::stage, 1> stages{};
    if (room_ == nullptr) room_ = std::make_unique_for_overwrite<room>();
    here_ = ::new (room_->bytes) ranges(units, where, stages);
  }
  ranges* get() const noexcept { return here_; }

 private:
  struct room {
    alignas(ranges) std::byte bytes[sizeof(ranges)];
  };

  void clear() noexcept {
    if (here_ != nullptr) std::destroy_at(std::exchange(here_, nullptr));
  }

  std::unique_ptr<room> room_;
  ranges* here_ = nullptr;
};

struct alignas(native::line_size) workshare {
  workshare();
  explicit workshare(loop_pieces&& with_room_of) noexcept;
  ~workshare();
  workshare(const workshare&) = delete;
  workshare& operator=(const workshare&) = delete;

  // The chain.
  atomic<workshare*> next{nullptr};
  atomic<unsigned> staying{0};  ///< threads that have not gone on to the next

  // A loop, or sections (with chunk 1). Constant once linked.
  iteration_space space;
  schedule_kind kind = schedule_kind::fixed;
  std::uint64_t chunk = 1;
  bool monotonic = true;
  unsigned threads = 1;
  /// Of the ranges in which monotonic schedules are handed out; where there are `pieces`, whether somebody has the last
  /// chunk.
  atomic<std::uint64_t> claimed{0};
  /// What other dynamic schedules are handed out by, up to the last chunk.
  loop_pieces pieces;

  // ordered: the number of the iteration whose range may run its ordered regions.
  workers::sequencer<native> turn;

  std::unique_ptr<doacross_state> doacross;

  /// Memory that the threads share, zeroed (GOMP_loop_start's `mem`).
  std::unique_ptr<std::byte[]> memory;

  // Task reductions (join_share_reductions()): the first thread's, once `reductions_ready` is 1.
  std::uintptr_t* task_reductions = nullptr;
  workers::latch<native> latch;
  workers::svar<native> reductions_ready{latch, 0};
};

/// The thread goes on to its next construct. Calls make(workshare&) if nobody was there before; true: it was the caller
/// who made it.
template <class Make>
bool next_share(omp_thread& self, Make make);

/// Ready to be used again, and free.
workshare* take_share(omp_thread& self);
void give_share(omp_thread& self, workshare*) noexcept;
/// The thread has gone on from `left`.
void leave_share(omp_thread& self, workshare& left) noexcept;

template <class Make>
bool next_share(omp_thread& self, Make make) {
  workshare& here = *self.at.share;
  // acquire: what its maker wrote.
  workshare* there = here.next.load(order::acquire);
  bool made = false;
  if (there == nullptr) {
    workshare* const mine = take_share(self);
    // relaxed: published by the compare-and-swap.
    mine->staying.store(self.in().threads, order::relaxed);
    make(*mine);
    do {
      // release: what make() wrote; acquire: what another's did, if there == nullptr no longer holds.
      made = here.next.compare_exchange(there, mine, order::acq_rel);
    } while (!made && there == nullptr);
    if (made) {
      there = mine;
    } else {
      // acquire: compare_exchange reads relaxed when it fails.
      there = here.next.load(order::acquire);
      give_share(self, mine);
    }
  }
  self.at.share = there;
  leave_share(self, here);
  return made;
}

}  // namespace callisto::openmp
