// Loops with iterations that the runtime hands out. The mechanism depends on the schedule:
//
// - `static` needs no communication.
// - `dynamic` and `guided` use one counter. A thread gets its iterations in ascending order, as with libgomp. The
//   standard promises that for the monotonic modifier only, but programs rely on it: MEGAHIT has room for the first
//   bucket of each thread, the largest one. Programs rely on the sizes of guided ranges, too, for example LLVM's test.
//   Without the monotonic modifier a thread claims as many chunks at once as take some 5 us, and takes them one at a
//   time.
// - `dynamic` with the nonmonotonic modifier, which is the default of OpenMP 5.0, uses Callisto's splitting ranges if
//   CALLISTO_NONMONOTONIC is on (distributor/splitting_ranges.hpp). Each thread takes from its own range without a
//   locked instruction. A thread without work steals from other threads, also from threads that have not begun.
//   Loops of one or two chunks a thread use the counter.
#pragma once

#include <callisto/openmp/worksharing/workshare.hpp>

#include <cstdint>

namespace callisto::openmp {

/// A loop as the program states it.
struct loop_request {
  iteration_space space;
  schedule_kind kind;
  std::uint64_t chunk;  ///< 0: none (static: one range for each thread)
  bool monotonic;
  bool reserves = false;   ///< a thread may claim several chunks at once
  std::uint64_t unit = 1;  ///< sizes of guided ranges are multiples of it
};

/// Returns the loop with its effective schedule: run-sched-var for `runtime`, `static` for `auto`.
loop_request resolve(const omp_thread& self, const iteration_space& space, schedule_kind kind, std::uint64_t chunk,
                     bool monotonic) noexcept;

/// Returns the iterations of for(i = start; i < end; i += step), or with > if step is negative.
iteration_space signed_space(long start, long end, long step) noexcept;
/// Returns the iterations of an unsigned loop, upwards if `up`. Else `step` is the two's complement of the decrement.
iteration_space unsigned_space(bool up, unsigned long long start, unsigned long long end,
                               unsigned long long step) noexcept;

/// Writes what the threads need into a share that no other thread sees yet.
void make_loop(workshare& share, team& of, const loop_request& loop);

/// Puts the caller at the beginning of the loop that it has gone on to.
void enter_loop(omp_thread& self) noexcept;

/// The caller goes on to the loop. The first thread there makes its share, and calls also(share) before other threads
/// see it. Returns true if the caller was that thread.
template <class Also>
bool begin_loop(omp_thread& self, const loop_request& loop, Also also) {
  const bool made = next_share(self, [&](workshare& share) {
    make_loop(share, self.in(), loop);
    also(share);
  });
  enter_loop(self);
  return made;
}
inline bool begin_loop(omp_thread& self, const loop_request& loop) {
  return begin_loop(self, loop, [](workshare&) {});
}

/// Takes the next range for the caller: iterations [self.at.first, self.at.last). Returns false if there is none.
bool next_range(omp_thread& self) noexcept;

/// Takes the next range of an ordered loop: first passes the right to run ordered regions to the range that follows.
bool next_ordered_range(omp_thread& self) noexcept;

/// Tells a tool of the range that the caller has taken.
void tell_of_range(omp_thread& self) noexcept;

/// Calls next_range() or next_ordered_range(), and returns the range in the program's terms.
template <bool Ordered = false, class Int>
bool hand_out(omp_thread& self, Int* first, Int* last) noexcept {
  if (!(Ordered ? next_ordered_range(self) : next_range(self))) return false;
  const iteration_space& space = self.at.share->space;
  *first = static_cast<Int>(space.value(self.at.first));
  *last = static_cast<Int>(space.value(self.at.last));
  if (tool::watched()) [[unlikely]]
    tell_of_range(self);
  return true;
}

}  // namespace callisto::openmp
