// Handing out the iterations of loops.
#include <callisto/openmp/worksharing/loop.hpp>

#include <callisto/openmp/region/engine.hpp>
#include <callisto/openmp/region/parallel.hpp>
#include <callisto/openmp/region/tool.hpp>

#include <algorithm>

namespace callisto::openmp {

loop_request resolve(const omp_thread& self, const iteration_space& space, schedule_kind kind, std::uint64_t chunk,
                     bool monotonic) noexcept {
  if (kind == schedule_kind::runtime) {
    const task_icvs& icv = self.icv();
    kind = icv.schedule;
    chunk = static_cast<std::uint64_t>(std::max(0, icv.chunk));
    monotonic = monotonic || icv.monotonic;
  }
  if (kind == schedule_kind::automatic || kind == schedule_kind::runtime) return {space, schedule_kind::fixed, 0, true};
  if (kind != schedule_kind::fixed) chunk = std::max<std::uint64_t>(1, chunk);
  return {space, kind, chunk, monotonic || !splits_loops(), !monotonic};
}

iteration_space signed_space(long start, long end, long step) noexcept {
  const auto from = static_cast<std::uint64_t>(start);
  const auto to = static_cast<std::uint64_t>(end);
  const auto by = static_cast<std::uint64_t>(step);
  // Unsigned differences: they can exceed the largest signed number.
  if (step > 0 && start < end) return {from, to, by, (to - from - 1) / by + 1};
  if (step < 0 && start > end) return {from, to, by, (from - to - 1) / (0 - by) + 1};
  return {from, from, by, 0};
}

iteration_space unsigned_space(bool up, unsigned long long start, unsigned long long end,
                               unsigned long long step) noexcept {
  if (up && start < end) return {start, end, step, (end - start - 1) / step + 1};
  if (!up && start > end) return {start, end, step, (start - end - 1) / (0 - step) + 1};
  return {start, start, step, 0};
}

void make_loop(workshare& share, team& of, const loop_request& loop) {
  share.space = loop.space;
  share.kind = loop.kind;
  share.chunk = loop.chunk;
  share.threads = of.threads;
  share.reserves = loop.reserves;
  share.unit = loop.unit;
  if (of.threads == 1) {
    share.kind = schedule_kind::fixed;
    share.chunk = 0;  // all at once
  }
  if (share.kind != schedule_kind::dynamic || loop.monotonic) return;
  const std::uint64_t units = loop.space.trips / loop.chunk + (loop.space.trips % loop.chunk != 0 ? 1 : 0);
  // For one or two chunks a thread, or for few threads, one counter is as good.
  const unsigned few = of.threads <= 64 ? 2 * of.threads : 1;
  if (units <= few || units - 1 > loop_pieces::ranges::most) return;
  share.pieces.make(units - 1, of.layout());  // all but the last chunk, see next_piece()
}

void enter_loop(omp_thread& self) noexcept {
  workshare& share = *self.at.share;
  self.at.trip = 0;
  self.at.first = self.at.last = 0;
  self.at.ran_last_chunk = false;
  self.at.reserved = self.at.batch = 0;
  if (auto* const pieces = share.pieces.get()) self.at.pieces = pieces->cursor_of(self.at.number);
  // The leader of a region that begins in a loop tells of it when the region has begun.
  if (tool::watched() && !(self.in().begins_in_loop && self.at.number == 0 && &share == self.in().first_share))
      [[unlikely]]
    tell_of_loop(self);
}

void tell_of_range(omp_thread& self) noexcept {
  tool::dispatches(self, self.at.share->space.value(self.at.first), self.at.last - self.at.first);
}

void tell_of_loop(omp_thread& self) noexcept {
  using tool::work_kind;
  const workshare& share = *self.at.share;
  const work_kind kind = share.kind == schedule_kind::fixed     ? work_kind::loop_static
                         : share.kind == schedule_kind::dynamic ? work_kind::loop_dynamic
                         : share.kind == schedule_kind::guided  ? work_kind::loop_guided
                                                                : work_kind::loop_other;
  tool::work_begins(self, kind, share.space.trips);
}

namespace {

/// Thread i has the i-th of nearly equal blocks; with a chunk size, every threads-th chunk from the i-th on.
bool next_static(omp_thread& self, const workshare& share) noexcept {
  position& at = self.at;
  const std::uint64_t trips = share.space.trips;
  if (share.chunk == 0) {
    if (at.trip++ != 0) return false;
    const std::uint64_t each = trips / share.threads;
    const std::uint64_t longer = trips % share.threads;
    at.first = each * at.number + std::min<std::uint64_t>(at.number, longer);
    at.last = at.first + each + (at.number < longer ? 1 : 0);
    return at.first < at.last;
  }
  const std::uint64_t before = at.trip++ * share.threads + at.number;  // in chunks
  if (before > (trips - 1) / share.chunk || trips == 0) return false;
  at.first = before * share.chunk;
  at.last = at.first + std::min(share.chunk, trips - at.first);
  return true;
}

/// Returns how many chunks the caller claims at once, of `left` iterations: as many as take some 5 us at the pace of
/// its last claim, and at most a quarter of a thread's part of the iterations left. It cannot give them back.
std::uint64_t chunks_at_once(position& at, const workshare& share, std::uint64_t left) noexcept {
  constexpr std::uint64_t most = 1U << 20;
  const std::uint64_t now = native::ticks();
  if (at.batch == 0) {
    at.batch = 1;
  } else {
    const std::uint64_t took = now - at.claimed_at + 1;
    const std::uint64_t fitting = at.batch * (native::ticks_per_second() / 200'000) / took;
    at.batch = std::clamp<std::uint64_t>(fitting, 1, std::min(2 * at.batch, most));
  }
  at.claimed_at = now;
  at.batch = std::min(at.batch, left / share.chunk / (4 * share.threads) + 1);
  return at.batch;
}

/// Takes a range from the counter, in order. The size of a guided range is the remaining iterations divided by the
/// threads, rounded up, as in libgomp.
bool next_counted(omp_thread& self, workshare& share) noexcept {
  const std::uint64_t trips = share.space.trips;
  position& at = self.at;
  if (at.reserved != 0) {
    at.first = at.last;
    at.last += std::min(share.chunk, at.reserved);
    at.reserved -= at.last - at.first;
    return true;
  }
  // relaxed: only the numbers matter. Barriers or ordered regions order what iterations write.
  std::uint64_t first = share.claimed.load(order::relaxed);
  if (share.kind == schedule_kind::dynamic && trips < (std::uint64_t{1} << 62) &&
      share.chunk < (std::uint64_t{1} << 40)) {
    if (first >= trips) return false;
    const std::uint64_t size = share.reserves ? share.chunk * chunks_at_once(at, share, trips - first) : share.chunk;
    first = share.claimed.fetch_add(size, order::relaxed);
    if (first >= trips) return false;
    const std::uint64_t claimed = std::min(size, trips - first);
    at.first = first;
    at.last = first + std::min(share.chunk, claimed);
    at.reserved = claimed - (at.last - at.first);
    return true;
  }
  while (first < trips) {
    const std::uint64_t left = trips - first;
    std::uint64_t size = share.chunk;
    if (share.kind == schedule_kind::guided) {
      size = std::max(size, left / share.threads + (left % share.threads != 0 ? 1 : 0));
      if (share.unit != 1) size += (share.unit - size % share.unit) % share.unit;
    }
    size = std::min(size, left);
    if (share.claimed.compare_exchange(first, first + size, order::relaxed)) {
      at.first = first;
      at.last = first + size;
      return true;
    }
  }
  return false;
}

/// Takes a range from the splitting ranges; their unit is a chunk. A thread reserves an eighth of its range at a time;
/// a thief can still steal the part of a reservation that has not begun.
///
/// The splitting ranges do not contain the loop's last chunk. Compiled code takes the values of `lastprivate` and
/// `linear` variables from the thread with the range that ends where the loop does. So the thread that runs that chunk
/// must run nothing afterwards. The first thread that finds all other chunks begun takes it. As in libgomp it begins
/// last, and a thread that holds it has no other work.
bool next_piece(omp_thread& self, workshare& share) noexcept {
  position& at = self.at;
  loop_pieces::ranges& from = *share.pieces.get();
  auto& cursor = at.pieces;
  if (at.ran_last_chunk) return false;
  distributor::range units;
  while ((units = from.piece(cursor, 1)).empty()) {
    if (from.reserve(cursor, std::max<std::uint64_t>(1, from.near(cursor) / 8))) continue;
    // relaxed: as in next_counted(). Loads first: all threads come here, and only one has to write.
    if (share.claimed.load(order::relaxed) != 0 || share.claimed.exchange(1, order::relaxed) != 0) return false;
    at.ran_last_chunk = true;
    at.first = (share.space.trips - 1) / share.chunk * share.chunk;
    at.last = share.space.trips;
    return true;
  }
  at.first = units.first * share.chunk;
  at.last = units.last * share.chunk;
  return true;
}

}  // namespace

bool next_range(omp_thread& self) noexcept {
  workshare& share = *self.at.share;
  if (share.pieces.get() != nullptr) return next_piece(self, share);
  return share.kind == schedule_kind::fixed ? next_static(self, share) : next_counted(self, share);
}

}  // namespace callisto::openmp
