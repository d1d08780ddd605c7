// GOMP_loop_*: the loop construct as compiled code calls it, for `long` and for `unsigned long long`.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/parallel.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/worksharing/doacross.hpp>
#include <callisto/openmp/worksharing/loop.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace callisto::openmp {
namespace {

using ull = unsigned long long;
constexpr auto runtime = schedule_kind::runtime;
constexpr auto fixed = schedule_kind::fixed;
constexpr auto dynamic = schedule_kind::dynamic;
constexpr auto guided = schedule_kind::guided;
/// The modifier of a schedule.
constexpr bool monotonic = true;
constexpr bool nonmonotonic = false;

template <bool Ordered, class Int>
bool start(const iteration_space& space, schedule_kind kind, Int chunk, bool in_order, Int* first, Int* last) {
  omp_thread& self = this_thread();
  begin_loop(self, resolve(self, space, kind, static_cast<std::uint64_t>(chunk), in_order || Ordered));
  return hand_out<Ordered>(self, first, last);
}

template <class Int>
bool start_doacross(unsigned loops, const Int* counts, schedule_kind kind, Int chunk, Int* first, Int* last) {
  omp_thread& self = this_thread();
  const std::vector<std::uint64_t> trips(counts, counts + loops);
  begin_loop(self, resolve(self, {0, trips[0], 1, trips[0]}, kind, static_cast<std::uint64_t>(chunk), monotonic),
             [&](workshare& share) {
               if (share.threads > 1) share.doacross = std::make_unique<doacross_state>(share, loops, trips.data());
             });
  return hand_out(self, first, last);
}

/// The common part of GOMP_loop_start and its relatives. `mem` is null, or passes in the size of the memory that the
/// threads share, and passes out the memory. If `first` is null, no iterations are taken.
template <bool Ordered, class Int>
bool start_with(const iteration_space& space, long schedule, Int chunk, unsigned loops, const std::uint64_t* trips,
                Int* first, Int* last, std::uintptr_t* reductions, void** mem) {
  omp_thread& self = this_thread();
  const auto kind = static_cast<schedule_kind>(static_cast<unsigned>(schedule) & ~monotonic_bit);
  const bool in_order = Ordered || loops != 0 || (static_cast<unsigned>(schedule) & monotonic_bit) != 0;
  const bool made =
      begin_loop(self, resolve(self, space, kind, static_cast<std::uint64_t>(chunk), in_order), [&](workshare& share) {
        if (mem != nullptr) share.memory = std::make_unique<std::byte[]>(reinterpret_cast<std::uintptr_t>(*mem));
        if (loops != 0 && share.threads > 1) share.doacross = std::make_unique<doacross_state>(share, loops, trips);
      });
  if (reductions != nullptr) join_share_reductions(self, *self.at.share, reductions, made);
  if (mem != nullptr) *mem = self.at.share->memory.get();
  return first == nullptr || hand_out<Ordered>(self, first, last);
}

}  // namespace

// Start and next functions for each schedule, with and without `ordered`.
#define CALLISTO_LOOP(name, kind, in_order, ordered)                                                                  \
  CALLISTO_OPENMP_ABI bool GOMP_loop_##name##_start(long begin, long end, long step, long chunk, long* first,         \
                                                    long* last) {                                                     \
    return start<ordered>(signed_space(begin, end, step), kind, chunk, in_order, first, last);                        \
  }                                                                                                                   \
  CALLISTO_OPENMP_ABI bool GOMP_loop_ull_##name##_start(bool up, ull begin, ull end, ull step, ull chunk, ull* first, \
                                                        ull* last) {                                                  \
    return start<ordered>(unsigned_space(up, begin, end, step), kind, chunk, in_order, first, last);                  \
  }                                                                                                                   \
  CALLISTO_LOOP_NEXT(name, ordered)
#define CALLISTO_RUNTIME_LOOP(name, in_order, ordered)                                                          \
  CALLISTO_OPENMP_ABI bool GOMP_loop_##name##_start(long begin, long end, long step, long* first, long* last) { \
    return start<ordered>(signed_space(begin, end, step), runtime, 0L, in_order, first, last);                  \
  }                                                                                                             \
  CALLISTO_OPENMP_ABI bool GOMP_loop_ull_##name##_start(bool up, ull begin, ull end, ull step, ull* first,      \
                                                        ull* last) {                                            \
    return start<ordered>(unsigned_space(up, begin, end, step), runtime, ull{0}, in_order, first, last);        \
  }                                                                                                             \
  CALLISTO_LOOP_NEXT(name, ordered)
#define CALLISTO_LOOP_NEXT(name, ordered)                                       \
  CALLISTO_OPENMP_ABI bool GOMP_loop_##name##_next(long* first, long* last) {   \
    return hand_out<ordered>(this_thread(), first, last);                       \
  }                                                                             \
  CALLISTO_OPENMP_ABI bool GOMP_loop_ull_##name##_next(ull* first, ull* last) { \
    return hand_out<ordered>(this_thread(), first, last);                       \
  }

CALLISTO_LOOP(static, fixed, monotonic, false)
CALLISTO_LOOP(dynamic, dynamic, monotonic, false)
CALLISTO_LOOP(guided, guided, monotonic, false)
CALLISTO_LOOP(nonmonotonic_dynamic, dynamic, nonmonotonic, false)
CALLISTO_LOOP(nonmonotonic_guided, guided, nonmonotonic, false)
CALLISTO_LOOP(ordered_static, fixed, monotonic, true)
CALLISTO_LOOP(ordered_dynamic, dynamic, monotonic, true)
CALLISTO_LOOP(ordered_guided, guided, monotonic, true)
CALLISTO_RUNTIME_LOOP(runtime, monotonic, false)
CALLISTO_RUNTIME_LOOP(nonmonotonic_runtime, nonmonotonic, false)
CALLISTO_RUNTIME_LOOP(maybe_nonmonotonic_runtime, nonmonotonic, false)
CALLISTO_RUNTIME_LOOP(ordered_runtime, monotonic, true)

#define CALLISTO_DOACROSS_LOOP(kind)                                                                                 \
  CALLISTO_OPENMP_ABI bool GOMP_loop_doacross_##kind##_start(unsigned loops, long* counts, long chunk, long* first,  \
                                                             long* last) {                                           \
    return start_doacross(loops, counts, CALLISTO_KIND_##kind, chunk, first, last);                                  \
  }                                                                                                                  \
  CALLISTO_OPENMP_ABI bool GOMP_loop_ull_doacross_##kind##_start(unsigned loops, ull* counts, ull chunk, ull* first, \
                                                                 ull* last) {                                        \
    return start_doacross(loops, counts, CALLISTO_KIND_##kind, chunk, first, last);                                  \
  }
#define CALLISTO_KIND_static fixed
#define CALLISTO_KIND_dynamic dynamic
#define CALLISTO_KIND_guided guided
CALLISTO_DOACROSS_LOOP(static)
CALLISTO_DOACROSS_LOOP(dynamic)
CALLISTO_DOACROSS_LOOP(guided)

CALLISTO_OPENMP_ABI bool GOMP_loop_doacross_runtime_start(unsigned loops, long* counts, long* first, long* last) {
  return start_doacross(loops, counts, runtime, 0L, first, last);
}
CALLISTO_OPENMP_ABI bool GOMP_loop_ull_doacross_runtime_start(unsigned loops, ull* counts, ull* first, ull* last) {
  return start_doacross(loops, counts, runtime, ull{0}, first, last);
}

// Starts with task reductions, or with memory that the threads share.
CALLISTO_OPENMP_ABI bool GOMP_loop_start(long begin, long end, long step, long schedule, long chunk, long* first,
                                         long* last, std::uintptr_t* reductions, void** mem) {
  return start_with<false>(signed_space(begin, end, step), schedule, chunk, 0, nullptr, first, last, reductions, mem);
}
CALLISTO_OPENMP_ABI bool GOMP_loop_ordered_start(long begin, long end, long step, long schedule, long chunk,
                                                 long* first, long* last, std::uintptr_t* reductions, void** mem) {
  return start_with<true>(signed_space(begin, end, step), schedule, chunk, 0, nullptr, first, last, reductions, mem);
}
CALLISTO_OPENMP_ABI bool GOMP_loop_doacross_start(unsigned loops, long* counts, long schedule, long chunk, long* first,
                                                  long* last, std::uintptr_t* reductions, void** mem) {
  const std::vector<std::uint64_t> trips(counts, counts + loops);
  return start_with<false>({0, trips[0], 1, trips[0]}, schedule, chunk, loops, trips.data(), first, last, reductions,
                           mem);
}
CALLISTO_OPENMP_ABI bool GOMP_loop_ull_start(bool up, ull begin, ull end, ull step, long schedule, ull chunk,
                                             ull* first, ull* last, std::uintptr_t* reductions, void** mem) {
  return start_with<false>(unsigned_space(up, begin, end, step), schedule, chunk, 0, nullptr, first, last, reductions,
                           mem);
}
CALLISTO_OPENMP_ABI bool GOMP_loop_ull_ordered_start(bool up, ull begin, ull end, ull step, long schedule, ull chunk,
                                                     ull* first, ull* last, std::uintptr_t* reductions, void** mem) {
  return start_with<true>(unsigned_space(up, begin, end, step), schedule, chunk, 0, nullptr, first, last, reductions,
                          mem);
}
CALLISTO_OPENMP_ABI bool GOMP_loop_ull_doacross_start(unsigned loops, ull* counts, long schedule, ull chunk, ull* first,
                                                      ull* last, std::uintptr_t* reductions, void** mem) {
  const std::vector<std::uint64_t> trips(counts, counts + loops);
  return start_with<false>({0, trips[0], 1, trips[0]}, schedule, chunk, loops, trips.data(), first, last, reductions,
                           mem);
}

namespace {

/// Tells a tool of the loop's end.
[[gnu::always_inline]] inline void end_loop(omp_thread& self) noexcept {
  if (tool::watched()) [[unlikely]]
    tool::work_ends(self);
}

}  // namespace

CALLISTO_OPENMP_ABI void GOMP_loop_end() {
  omp_thread& self = this_thread();
  CALLISTO_IF_TOLD(self, ([&self] {
                     end_loop(self);
                     self.in().barrier(self);
                   }));
  self.in().barrier(self);
}
CALLISTO_OPENMP_ABI void GOMP_loop_end_nowait() {
  if (tool::watched()) [[unlikely]]
    end_loop(this_thread());
}
CALLISTO_OPENMP_ABI bool GOMP_loop_end_cancel() {
  omp_thread& self = this_thread();
  CALLISTO_ENTERED(self);
  end_loop(self);
  return self.in().barrier_cancellable(self);
}

// A region that consists of a loop: its threads begin with the first `next`.
namespace {

/// The leader enters a region that has the loop as its first share.
team& enter_loop_region(omp_thread& self, unsigned threads, unsigned flags, const iteration_space& space,
                        schedule_kind kind, long chunk, bool in_order) {
  team& region = enter_region(self, resolve_threads(self, threads), flags);
  const loop_request loop = resolve(self, space, kind, static_cast<std::uint64_t>(chunk), in_order);
  // Made here, in place of the region's first share: then the other threads need not go on to it.
  workshare* const fresh = take_share(self);
  fresh->staying.store(region.threads, order::relaxed);  // relaxed: published when the region begins
  make_loop(*fresh, region, loop);
  give_share(self, std::exchange(region.first_share, fresh));
  self.at.share = fresh;
  region.begins_in_loop = true;
  enter_loop(self);
  return region;
}

}  // namespace

#define CALLISTO_LOOP_REGION(name, kind, in_order)                                                                  \
  CALLISTO_OPENMP_ABI void GOMP_parallel_loop_##name(void (*body)(void*), void* data, unsigned threads, long begin, \
                                                     long end, long step, long chunk, unsigned flags) {             \
    omp_thread& self = this_thread();                                                                               \
    CALLISTO_ENTERED(self);                                                                                         \
    enter_loop_region(self, threads, flags, signed_space(begin, end, step), kind, chunk, in_order);                 \
    run_in_region(self, body, data);                                                                                \
  }
#define CALLISTO_RUNTIME_LOOP_REGION(name, in_order)                                                                \
  CALLISTO_OPENMP_ABI void GOMP_parallel_loop_##name(void (*body)(void*), void* data, unsigned threads, long begin, \
                                                     long end, long step, unsigned flags) {                         \
    omp_thread& self = this_thread();                                                                               \
    CALLISTO_ENTERED(self);                                                                                         \
    enter_loop_region(self, threads, flags, signed_space(begin, end, step), runtime, 0, in_order);                  \
    run_in_region(self, body, data);                                                                                \
  }
CALLISTO_LOOP_REGION(static, fixed, monotonic)
CALLISTO_LOOP_REGION(dynamic, dynamic, monotonic)
CALLISTO_LOOP_REGION(guided, guided, monotonic)
CALLISTO_LOOP_REGION(nonmonotonic_dynamic, dynamic, nonmonotonic)
CALLISTO_LOOP_REGION(nonmonotonic_guided, guided, nonmonotonic)
CALLISTO_RUNTIME_LOOP_REGION(runtime, monotonic)
CALLISTO_RUNTIME_LOOP_REGION(nonmonotonic_runtime, nonmonotonic)
CALLISTO_RUNTIME_LOOP_REGION(maybe_nonmonotonic_runtime, nonmonotonic)

// GCC up to 4.8: compiled code calls the body itself, and then GOMP_parallel_end().
#define CALLISTO_LOOP_REGION_START(kind)                                                                            \
  CALLISTO_OPENMP_ABI void GOMP_parallel_loop_##kind##_start(void (*body)(void*), void* data, unsigned threads,     \
                                                             long begin, long end, long step, long chunk) {         \
    begin_region(enter_loop_region(this_thread(), threads, 0, signed_space(begin, end, step), CALLISTO_KIND_##kind, \
                                   chunk, monotonic),                                                               \
                 body, data);                                                                                       \
  }
CALLISTO_LOOP_REGION_START(static)
CALLISTO_LOOP_REGION_START(dynamic)
CALLISTO_LOOP_REGION_START(guided)
CALLISTO_OPENMP_ABI void GOMP_parallel_loop_runtime_start(void (*body)(void*), void* data, unsigned threads, long begin,
                                                          long end, long step) {
  begin_region(enter_loop_region(this_thread(), threads, 0, signed_space(begin, end, step), runtime, 0, monotonic),
               body, data);
}

}  // namespace callisto::openmp
