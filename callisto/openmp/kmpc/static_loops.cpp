// Loops with a static schedule: arithmetic on the caller's number, without communication. All bounds are inclusive, in
// the type that the program counts in; a thread without iterations gets an empty interval.
#include <callisto/openmp/kmpc/kmpc.hpp>
#include <callisto/openmp/kmpc/schedules.hpp>
#include <callisto/openmp/region/tool.hpp>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace callisto::openmp::kmpc {
namespace {

/// Part `number` of `parts` of a loop.
struct part {
  u64 number;
  u64 parts;
};

part of_team(const omp_thread& self) noexcept { return {self.in().team_number, self.in().teams}; }
part of_thread(const omp_thread& self) noexcept { return {self.at.number, self.in().threads}; }

template <class T>
T plus(T a, u64 b) noexcept {
  return static_cast<T>(static_cast<u64>(a) + b);
}

/// Makes [first, last] empty, in a way that does not overflow.
template <class T>
void make_empty(T& first, T& last, i64 step) noexcept {
  if (step > 0) {
    if (last != std::numeric_limits<T>::max()) {
      first = plus(last, 1);
    } else {
      last = plus(first, ~u64{0});
    }
  } else if (last != std::numeric_limits<T>::min()) {
    first = plus(last, ~u64{0});
  } else {
    last = plus(first, 1);
  }
}

/// Narrows [first, last] to nearly equal blocks. Returns true if the caller has the last iteration.
template <class T>
bool take_block(part of, T& first, T& last, i64 step) noexcept {
  const u64 trips = count_trips(first, last, step), by = static_cast<u64>(step);
  const u64 each = trips / of.parts, longer = trips % of.parts;
  const u64 mine = each + (of.number < longer ? 1 : 0);
  if (mine == 0) {
    make_empty(first, last, step);
    return false;
  }
  first = plus(first, (each * of.number + std::min(of.number, longer)) * by);
  last = plus(first, (mine - 1) * by);
  return of.number == std::min(trips, of.parts) - 1;
}

/// Narrows [first, last] to the caller's first chunk, and sets the distance to its next one.
template <class T, class Stride>
bool take_chunks(part of, T& first, T& last, Stride& stride, i64 step, u64 chunk) noexcept {
  const u64 trips = count_trips(first, last, step), by = static_cast<u64>(step);
  chunk = std::clamp<u64>(chunk, 1, trips);
  const u64 chunks = (trips - 1) / chunk + 1;
  // At most as many parts as chunks, so that the distance stays near the loop's length.
  stride = static_cast<Stride>(chunk * by * std::min(of.parts, chunks));
  if (of.number >= chunks) {
    make_empty(first, last, step);
    return false;
  }
  const T end = last;
  first = plus(first, chunk * by * of.number);
  // The last chunk ends where the loop does.
  last = of.number + 1 == chunks ? end : plus(first, (chunk - 1) * by);
  return (chunks - 1) % of.parts == of.number;
}

/// Blocks of nearly equal length that are multiples of `chunk`, for vector instructions.
template <class T>
bool take_even_chunks(part of, T& first, T& last, i64 step, u64 chunk) noexcept {
  const u64 trips = count_trips(first, last, step), by = static_cast<u64>(step);
  chunk = std::max<u64>(chunk, 1);
  const u64 each = ((trips - 1) / of.parts / chunk + 1) * chunk;
  const u64 blocks = (trips - 1) / each + 1;
  if (of.number >= blocks) {
    make_empty(first, last, step);
    return false;
  }
  const T end = last;
  first = plus(first, each * of.number * by);
  last = of.number + 1 == blocks ? end : plus(first, (each - 1) * by);
  return of.number + 1 == blocks;
}

template <class T, class Step>
bool take(part of, i32 schedule, T& first, T& last, Step& stride, Step step, Step chunk) noexcept {
  const u64 trips = count_trips(first, last, i64{step});
  if (trips == 0) {
    stride = step;
    return false;
  }
  const auto size = static_cast<u64>(std::max<Step>(chunk, 1));
  if (schedule == schedules::static_chunked) return take_chunks(of, first, last, stride, i64{step}, size);
  stride = static_cast<Step>(trips);
  return schedule == schedules::static_balanced_chunked ? take_even_chunks(of, first, last, i64{step}, size)
                                                        : take_block(of, first, last, i64{step});
}

/// Tells a tool of a loop, as the compiler says which construct it is of.
void tell(omp_thread& self, compiled_at at, u64 trips, const void* called_from) noexcept {
  using tool::work_kind;
  constexpr i32 of_sections = 0x400, of_distribute = 0x800;
  const i32 flags = at != nullptr ? at->flags : 0;
  self.told.called_from = called_from;
  tool::work_begins(self,
                    (flags & of_sections) != 0     ? work_kind::sections
                    : (flags & of_distribute) != 0 ? work_kind::distribute
                                                   : work_kind::loop_static,
                    trips);
}
#define CALLISTO_TELL(step)         \
  if (tool::watched()) [[unlikely]] \
  tell(this_thread(), at, count_trips(*first, *last, i64{step}), __builtin_return_address(0))

/// Narrows the bounds to the caller's; `team_last` gets the last iteration of the caller's team.
template <class T, class Step>
void init(i32 schedule, i32* is_last, T* first, T* last, Step* stride, Step step, Step chunk) noexcept {
  const omp_thread& self = this_thread();
  schedule = schedules::plain(schedule);
  const bool distributes = schedule >= schedules::distribute_static_chunked;
  const part of = distributes ? of_team(self) : of_thread(self);
  if (distributes) schedule -= schedules::distribute_static_chunked - schedules::static_chunked;
  Step ignored{};
  const bool mine = take(of, schedule, *first, *last, stride != nullptr ? *stride : ignored, step, chunk);
  if (is_last != nullptr) *is_last = mine ? 1 : 0;
}

template <class T, class Step>
void init_of_both(i32 schedule, i32* is_last, T* first, T* last, T* team_last, Step* stride, Step step,
                  Step chunk) noexcept {
  const omp_thread& self = this_thread();
  Step ignored{};
  bool mine = take(of_team(self), schedules::static_whole, *first, *last, ignored, step, Step{1});
  *team_last = *last;
  mine = take(of_thread(self), schedules::plain(schedule), *first, *last, *stride, step, chunk) && mine;
  if (is_last != nullptr) *is_last = mine ? 1 : 0;
}

template <class T, class Step>
void init_of_team(i32* is_last, T* first, T* last, Step* stride, Step step, Step chunk) noexcept {
  const bool mine =
      take(of_team(this_thread()), schedules::static_chunked, *first, *last, *stride, step, std::max<Step>(chunk, 1));
  if (is_last != nullptr) *is_last = mine ? 1 : 0;
}

}  // namespace
}  // namespace callisto::openmp::kmpc

using namespace callisto::openmp;
using namespace callisto::openmp::kmpc;

#define CALLISTO_STATIC_LOOPS(suffix, T, Step)                                                                        \
  CALLISTO_OPENMP_ABI void __kmpc_for_static_init_##suffix(compiled_at at, i32, i32 schedule, i32* is_last, T* first, \
                                                           T* last, Step* stride, Step step, Step chunk) {            \
    CALLISTO_TELL(step);                                                                                              \
    init(schedule, is_last, first, last, stride, step, chunk);                                                        \
  }                                                                                                                   \
  CALLISTO_OPENMP_ABI void __kmpc_dist_for_static_init_##suffix(compiled_at at, i32, i32 schedule, i32* is_last,      \
                                                                T* first, T* last, T* team_last, Step* stride,        \
                                                                Step step, Step chunk) {                              \
    CALLISTO_TELL(step);                                                                                              \
    init_of_both(schedule, is_last, first, last, team_last, stride, step, chunk);                                     \
  }                                                                                                                   \
  CALLISTO_OPENMP_ABI void __kmpc_team_static_init_##suffix(compiled_at, i32, i32* is_last, T* first, T* last,        \
                                                            Step* stride, Step step, Step chunk) {                    \
    init_of_team(is_last, first, last, stride, step, chunk);                                                          \
  }
CALLISTO_STATIC_LOOPS(4, i32, i32)
CALLISTO_STATIC_LOOPS(4u, u32, i32)
CALLISTO_STATIC_LOOPS(8, i64, i64)
CALLISTO_STATIC_LOOPS(8u, u64, i64)

CALLISTO_OPENMP_ABI void __kmpc_for_static_fini(compiled_at, i32) {
  if (tool::watched()) [[unlikely]]
    tool::work_ends(this_thread());
}
