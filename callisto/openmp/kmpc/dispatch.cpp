// Loops with iterations that the runtime hands out, and sections, over worksharing/loop.hpp.
#include <callisto/openmp/kmpc/kmpc.hpp>
#include <callisto/openmp/kmpc/schedules.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/worksharing/loop.hpp>

#include <algorithm>

namespace callisto::openmp::kmpc {
namespace {

schedule_kind schedule_of(i32 schedule) noexcept {
  switch (schedule) {
    case schedules::static_chunked:
    case schedules::static_whole:
    case schedules::static_greedy:
    case schedules::static_balanced:
    case schedules::static_balanced_chunked:
      return schedule_kind::fixed;
    case schedules::guided:
    case schedules::guided_iterative:
    case schedules::guided_analytical:
    case schedules::guided_simd:
      return schedule_kind::guided;
    case schedules::runtime:
    case schedules::runtime_simd:
      return schedule_kind::runtime;
    case schedules::automatic:
      return schedule_kind::automatic;
    default:
      return schedule_kind::dynamic;
  }
}

/// Returns the loop with its effective schedule. `chunk` is 0 if there is none.
loop_request request_of(const omp_thread& self, const iteration_space& space, i32 schedule, u64 chunk,
                        bool monotonic) noexcept {
  schedule_kind kind = schedule_of(schedule);
  const bool of_vectors = schedule == schedules::guided_simd || schedule == schedules::runtime_simd;
  // The compiler's chunk is the length of a vector then.
  const u64 vector = of_vectors ? std::max<u64>(chunk, 1) : 1;
  if (kind == schedule_kind::runtime) {
    const task_icvs& icv = self.icv();
    // libomp's default.
    kind = icv.schedule_unset ? schedule_kind::fixed : icv.schedule;
    chunk = icv.schedule_unset ? 0 : static_cast<u64>(std::max(icv.chunk, 0)) * vector;
    monotonic = monotonic || icv.monotonic;
    if (kind == schedule_kind::automatic) {
      kind = schedule_kind::fixed;
      chunk = 0;
    }
    // Nearly equal parts of whole vectors.
    if (of_vectors && kind == schedule_kind::fixed && chunk == 0 && space.trips != 0)
      chunk = ((space.trips - 1) / self.in().threads / vector + 1) * vector;
  }
  loop_request loop = resolve(self, space, kind, chunk, monotonic);
  if (of_vectors) loop.unit = std::max<u64>(loop.chunk, 1);
  return loop;
}

template <class T, class Step>
void init(i32 schedule, T first, T last, Step step, Step chunk) {
  omp_thread& self = this_thread();
  const bool monotonic = (schedule & schedules::nonmonotonic_bit) == 0;
  schedule = schedules::plain(schedule);
  const bool in_order = schedules::is_ordered(schedule);
  if (in_order) schedule -= schedules::ordered;
  const bool whole = schedule == schedules::static_whole || chunk <= 0;
  const u64 trips = count_trips(first, last, i64{step});
  const iteration_space space{static_cast<u64>(first), static_cast<u64>(last), static_cast<u64>(step), trips};
  begin_loop(self, request_of(self, space, schedule, whole ? 0 : static_cast<u64>(chunk), monotonic || in_order));
  self.at.in_order = in_order;
}

template <class T, class Step>
i32 next(i32* is_last, T* first, T* last, Step* step) {
  omp_thread& self = this_thread();
  // Compiled code reads `is_last` behind the loop, so a thread that finds nothing more keeps what its latest range
  // said.
  if (!(self.at.in_order ? next_ordered_range(self) : next_range(self))) {
    if (tool::watched()) [[unlikely]]
      tool::work_ends(self);
    return 0;
  }
  const iteration_space& space = self.at.share->space;
  *first = static_cast<T>(space.start + self.at.first * space.step);
  *last = static_cast<T>(space.start + (self.at.last - 1) * space.step);
  if (step != nullptr) *step = static_cast<Step>(space.step);
  if (is_last != nullptr) *is_last = self.at.last == space.trips ? 1 : 0;
  if (tool::watched()) [[unlikely]]
    tell_of_range(self);
  return 1;
}

/// Narrows the bounds to the caller's team's part of the loop.
template <class T, class Step>
void init_in_team(i32 schedule, i32* is_last, T* first, T* last, Step step, Step chunk) {
  const team& here = this_team();
  const u64 trips = count_trips(*first, *last, i64{step}), by = static_cast<u64>(step);
  const u64 each = trips / here.teams, longer = trips % here.teams;
  const u64 begin = each * here.team_number + std::min<u64>(here.team_number, longer);
  const u64 mine = each + (here.team_number < longer ? 1 : 0);
  if (is_last != nullptr) *is_last = mine != 0 && begin + mine == trips ? 1 : 0;
  const auto from = static_cast<u64>(*first);
  *first = static_cast<T>(from + begin * by);
  // Without iterations, the interval is empty.
  *last = static_cast<T>(from + (begin + mine - 1) * by);
  init(schedule, *first, *last, step, chunk);
}

}  // namespace
}  // namespace callisto::openmp::kmpc

using namespace callisto::openmp;
using namespace callisto::openmp::kmpc;

// A thread passes the right to run ordered regions on with a whole range, so nothing is to do behind each iteration.
#define CALLISTO_DISPATCHED_LOOPS(suffix, T, Step)                                                                   \
  CALLISTO_OPENMP_ABI void __kmpc_dispatch_init_##suffix(compiled_at, i32, i32 schedule, T first, T last, Step step, \
                                                         Step chunk) {                                               \
    CALLISTO_CALLED(this_thread());                                                                                  \
    init(schedule, first, last, step, chunk);                                                                        \
  }                                                                                                                  \
  CALLISTO_OPENMP_ABI void __kmpc_dist_dispatch_init_##suffix(compiled_at, i32, i32 schedule, i32* is_last, T first, \
                                                              T last, Step step, Step chunk) {                       \
    init_in_team(schedule, is_last, &first, &last, step, chunk);                                                     \
  }                                                                                                                  \
  CALLISTO_OPENMP_ABI i32 __kmpc_dispatch_next_##suffix(compiled_at, i32, i32* is_last, T* first, T* last,           \
                                                        Step* step) {                                                \
    return next(is_last, first, last, step);                                                                         \
  }                                                                                                                  \
  CALLISTO_OPENMP_ABI void __kmpc_dispatch_fini_##suffix(compiled_at, i32) {}
CALLISTO_DISPATCHED_LOOPS(4, i32, i32)
CALLISTO_DISPATCHED_LOOPS(4u, u32, i32)
CALLISTO_DISPATCHED_LOOPS(8, i64, i64)
CALLISTO_DISPATCHED_LOOPS(8u, u64, i64)
CALLISTO_OPENMP_ABI void __kmpc_dispatch_deinit(compiled_at, i32) {}

// Sections. clang makes a static loop of them; these are for compilers that do not.

CALLISTO_OPENMP_ABI i32 __kmpc_sections_init(compiled_at, i32) {
  if (tool::watched()) [[unlikely]]
    tool::work_begins(this_thread(), tool::work_kind::sections, 0);
  next_share(this_thread(), [](workshare&) {});
  return 1;
}
/// Returns the number of the caller's next section, from 0; `count` or more: none is left.
CALLISTO_OPENMP_ABI i32 __kmpc_next_section(compiled_at, i32, i32 count) {
  auto& claimed = this_thread().at.share->claimed;
  // relaxed: only the numbers matter.
  if (claimed.load(order::relaxed) >= static_cast<u64>(count)) return count;
  return static_cast<i32>(std::min(claimed.fetch_add(1, order::relaxed), static_cast<u64>(count)));
}
CALLISTO_OPENMP_ABI void __kmpc_end_sections(compiled_at, i32) {
  if (tool::watched()) [[unlikely]]
    tool::work_ends(this_thread());
}
