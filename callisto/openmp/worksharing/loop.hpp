// Loops whose iterations the runtime hands out.
//
// `dynamic` with the nonmonotonic modifier, the default since OpenMP 5.0, is handed out by Callisto's ranges
// (distributor/splitting_ranges.hpp): each thread takes from a range of its own without a locked instruction, and who runs dry
// takes from others, also from threads whose activation has not begun. Monotonic loops, ordered ones, those of a chunk
// or two for each thread, and `guided` are handed out by one counter: a guided loop has so few ranges that a counter
// costs nothing, and there are programs that count on their sizes, what is left divided by the threads (LLVM's test of
// it does). `static` needs no communication.
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
};

/// What `schedule` comes to: run-sched-var for `runtime`, and `static` for `auto`.
loop_request resolve(const omp_thread& self, const iteration_space& space, schedule_kind kind, std::uint64_t chunk,
                     bool monotonic) noexcept;

/// As for(i = start; i < end; i += step), or with > if step is negative.
iteration_space signed_space(long start, long end, long step) noexcept;
/// Likewise, upwards if `up`; else `step` is the two's complement of what is subtracted.
iteration_space unsigned_space(bool up, unsigned long long start, unsigned long long end,
                               unsigned long long step) noexcept;

/// Writes what the threads need into a share that nobody sees yet.
void make_loop(workshare& share, team& of, const loop_request& loop);

/// Where the caller stands in the loop that it has gone on to: at the beginning.
void enter_loop(omp_thread& self) noexcept;

/// The caller goes on to the loop. Whoever does so first makes its share, and also calls also(share) before others see
/// it; true: that was the caller.
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

/// The next range for the caller: iterations [self.at.first, self.at.last); false: there is none for it.
bool next_range(omp_thread& self) noexcept;

/// Likewise in an ordered loop: hands the right to run ordered regions on to the range that follows.
bool next_ordered_range(omp_thread& self) noexcept;

/// next_range() or next_ordered_range() in the program's terms.
template <bool Ordered = false, class Int>
bool hand_out(omp_thread& self, Int* first, Int* last) noexcept {
  if (!(Ordered ? next_ordered_range(self) : next_range(self))) return false;
  const iteration_space& space = self.at.share->space;
  *first = static_cast<Int>(space.value(self.at.first));
  *last = static_cast<Int>(space.value(self.at.last));
  return true;
}

}  // namespace callisto::openmp
