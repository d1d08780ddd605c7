// ordered regions: the right to run them passes from range to range, in the order of iterations.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/region/tool.hpp>
#include <callisto/openmp/worksharing/loop.hpp>
#include <callisto/openmp/worksharing/synchronization.hpp>

namespace callisto::openmp {
namespace {

/// The caller has shielded `self`.
void wait_for_turn(omp_thread& self) noexcept { self.at.share->turn.wait_for(self.at.first, *self.self); }

}  // namespace

bool next_ordered_range(omp_thread& self) noexcept {
  if (self.at.first != self.at.last) {
    const suspendable::shielded shield(*self.self);
    wait_for_turn(self);
    self.at.share->turn.hand_on(self.at.last);
  }
  if (next_range(self)) return true;
  self.at.first = self.at.last = 0;  // there is nothing left to pass on
  return false;
}

void begin_ordered(omp_thread& self) noexcept {
  if (self.in().threads == 1) return;
  const suspendable::shielded shield(*self.self);
  wait_for_turn(self);
}

CALLISTO_OPENMP_ABI void GOMP_ordered_start() {
  omp_thread& self = this_thread();
  tool::taking(tool::mutex_kind::ordered, self.at.share, CALLISTO_CALLER, [&] { begin_ordered(self); });
}

// The right passes on with the whole range: next_ordered_range().
CALLISTO_OPENMP_ABI void GOMP_ordered_end() {
  if (tool::watched()) [[unlikely]]
    tool::mutex_released(tool::mutex_kind::ordered, this_thread().at.share, CALLISTO_CALLER);
}

}  // namespace callisto::openmp
