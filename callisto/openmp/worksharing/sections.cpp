// sections: a loop over their numbers, from 1, handed out by one counter. Also scope, which has no sections.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/parallel.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/worksharing/workshare.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace callisto::openmp {
namespace {

/// Returns the next section's number; 0: none is left.
unsigned next_section(omp_thread& self) noexcept {
  workshare& share = *self.at.share;
  // relaxed: only the numbers matter.
  if (share.claimed.load(order::relaxed) >= share.space.trips) return 0;
  const std::uint64_t number = share.claimed.fetch_add(1, order::relaxed);
  if (tool::watched() && number < share.space.trips) [[unlikely]]
    tool::dispatches_section(self);
  return number < share.space.trips ? static_cast<unsigned>(number) + 1 : 0;
}

void tell_of_sections(omp_thread& self, tool::work_kind kind, unsigned count) noexcept {
  if (tool::watched()) [[unlikely]]
    tool::work_begins(self, kind, count);
}

void end_sections(omp_thread& self) noexcept {
  if (tool::watched()) [[unlikely]]
    tool::work_ends(self);
}

team& enter_sections_region(omp_thread& self, unsigned threads, unsigned count, unsigned flags) {
  unsigned granted = resolve_threads(self, threads);
  // More threads than sections would do nothing, but only dyn-var allows fewer than requested.
  if (self.icv().dynamic && count != 0) granted = std::min(granted, count);
  team& region = enter_region(self, granted, flags);
  workshare* const fresh = take_share(self);
  fresh->staying.store(region.threads, order::relaxed);  // relaxed: published when the region begins
  fresh->space.trips = count;
  give_share(self, std::exchange(region.first_share, fresh));
  self.at.share = fresh;
  return region;
}

}  // namespace

CALLISTO_OPENMP_ABI unsigned GOMP_sections_start(unsigned count) {
  omp_thread& self = this_thread();
  CALLISTO_CALLED(self);
  next_share(self, [count](workshare& share) { share.space.trips = count; });
  tell_of_sections(self, tool::work_kind::sections, count);
  return next_section(self);
}

CALLISTO_OPENMP_ABI unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** mem) {
  omp_thread& self = this_thread();
  const bool made = next_share(self, [&](workshare& share) {
    share.space.trips = count;
    if (mem != nullptr) share.memory = std::make_unique<std::byte[]>(reinterpret_cast<std::uintptr_t>(*mem));
  });
  if (reductions != nullptr) join_share_reductions(self, *self.at.share, reductions, made);
  if (mem != nullptr) *mem = self.at.share->memory.get();
  CALLISTO_CALLED(self);
  tell_of_sections(self, tool::work_kind::sections, count);
  return next_section(self);
}

CALLISTO_OPENMP_ABI unsigned GOMP_sections_next() { return next_section(this_thread()); }

CALLISTO_OPENMP_ABI void GOMP_sections_end() {
  omp_thread& self = this_thread();
  CALLISTO_ENTERED(self);
  end_sections(self);
  self.in().barrier(self);
}
CALLISTO_OPENMP_ABI void GOMP_sections_end_nowait() {
  if (tool::watched()) [[unlikely]]
    end_sections(this_thread());
}
CALLISTO_OPENMP_ABI bool GOMP_sections_end_cancel() {
  omp_thread& self = this_thread();
  CALLISTO_ENTERED(self);
  end_sections(self);
  return self.in().barrier_cancellable(self);
}

CALLISTO_OPENMP_ABI void GOMP_parallel_sections(void (*body)(void*), void* data, unsigned threads, unsigned count,
                                                unsigned flags) {
  omp_thread& self = this_thread();
  CALLISTO_ENTERED(self);
  enter_sections_region(self, threads, count, flags);
  run_in_region(self, body, data);
}

CALLISTO_OPENMP_ABI void GOMP_parallel_sections_start(void (*body)(void*), void* data, unsigned threads,
                                                      unsigned count) {
  begin_region(enter_sections_region(this_thread(), threads, count, 0), body, data);
}

// A scope construct is a sections construct without sections.
CALLISTO_OPENMP_ABI void GOMP_scope_start(std::uintptr_t* reductions) {
  omp_thread& self = this_thread();
  const bool made = next_share(self, [](workshare&) {});
  if (reductions != nullptr) join_share_reductions(self, *self.at.share, reductions, made);
}

}  // namespace callisto::openmp
