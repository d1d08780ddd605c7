// Work-sharing constructs in which threads share something: a loop's iterations, sections, scratch memory.
//
// Such a construct is a *share*. Shares form a chain in the order in which the program meets them, and each thread
// walks along it:
//
// 1. A thread at a share without a successor makes the next one from what the construct says.
// 2. It links it by compare-and-swap. If another thread was first, it keeps its own share for later.
// 3. The last thread to leave a share frees it.
//
// So a thread can be any number of `nowait` constructs ahead of another thread, as in libgomp. There is no lock, and no
// limit on the shares in use, which LLVM's runtime has.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/shared_counter.hpp>
#include <callisto/distributor/splitting_ranges.hpp>
#include <callisto/openmp/region/team.hpp>
#include <callisto/waiting/latch.hpp>
#include <callisto/waiting/sequencer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace callisto::openmp {

/// A loop as iterations 0 to `trips`, whatever type the program counts in. Iteration k stands for start + k * step
/// modulo 2^64, which is right for signed and unsigned types.
struct iteration_space {
  std::uint64_t start = 0;
  std::uint64_t end = 0;  ///< the program's end value, and that of the last range
  std::uint64_t step = 1;
  std::uint64_t trips = 0;

  std::uint64_t value(std::uint64_t k) const noexcept { return k >= trips ? end : start + k * step; }
};

class doacross_state;

/// The splitting ranges of a dynamic loop, or none. They take some kilobytes, which most constructs do not need, and
/// thousands of constructs can be in use at once. So they are in separate memory, kept for the next loop.
class loop_pieces {
 public:
  using ranges = distributor::splitting_ranges<native>;
  loop_pieces() = default;
  /// Takes the memory over.
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
  atomic<unsigned> staying{0};  ///< threads that have not gone on to the next share

  // A loop, or sections (with chunk 1). Constant once linked.
  iteration_space space;
  schedule_kind kind = schedule_kind::fixed;
  std::uint64_t chunk = 1;
  std::uint64_t unit = 1;  ///< sizes of guided ranges are multiples of it
  bool reserves = false;   ///< a thread may claim several chunks at once
  unsigned threads = 1;
  /// Iterations claimed, for monotonic schedules. If there are `pieces`: 1 once a thread has claimed the last chunk.
  atomic<std::uint64_t> claimed{0};
  /// Hands out nonmonotonic dynamic schedules, up to the last chunk.
  loop_pieces pieces;

  // The first iteration of the range that may run its ordered regions.
  waiting::sequencer<native> turn;

  std::unique_ptr<doacross_state> doacross;

  /// Zeroed memory that the threads share (GOMP_loop_start's `mem`).
  std::unique_ptr<std::byte[]> memory;
  /// Data of kmpc/ for the construct, which threads may use after they have gone on.
  std::shared_ptr<void> kept;

  // Task reductions (join_share_reductions()) of the thread that made the share, once `reductions_ready` is 1.
  std::uintptr_t* task_reductions = nullptr;
  waiting::latch<native> latch;
  waiting::svar<native> reductions_ready{latch, 0};
};

/// The thread goes on to its next construct. If it is the first one there, calls make(workshare&). Returns true if the
/// caller's share was linked.
template <class Make>
bool next_share(omp_thread& self, Make make);

/// Returns a fresh share that only the caller knows; frees one.
workshare* take_share(omp_thread& self);
void give_share(omp_thread& self, workshare*) noexcept;
/// Counts that the thread has gone on from `left`.
void leave_share(omp_thread& self, workshare& left) noexcept;

template <class Make>
bool next_share(omp_thread& self, Make make) {
  workshare& here = *self.at.share;
  // acquire: pairs with the compare-and-swap below.
  workshare* there = here.next.load(order::acquire);
  bool made = false;
  if (there == nullptr) {
    workshare* const mine = take_share(self);
    // relaxed: published by the compare-and-swap.
    mine->staying.store(self.in().threads, order::relaxed);
    make(*mine);
    do {
      // release: publishes what make() wrote to the acquire loads of next.
      made = here.next.compare_exchange(there, mine, order::acq_rel);
    } while (!made && there == nullptr);
    if (made) {
      there = mine;
    } else {
      // acquire: a failed compare_exchange reads relaxed.
      there = here.next.load(order::acquire);
      give_share(self, mine);
    }
  }
  self.at.share = there;
  leave_share(self, here);
  return made;
}

}  // namespace callisto::openmp
