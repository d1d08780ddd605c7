// ordered regions: a turn goes from range to range, in the order of iterations.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/worksharing/loop.hpp>

namespace callisto::openmp {
namespace {

/// `self` is shielded.
void wait_for_turn(omp_thread& self) noexcept { self.at.share->turn.wait_for(self.at.first, *self.self); }

}  // namespace

bool next_ordered_range(omp_thread& self) noexcept {
  if (self.at.first != self.at.last) {
    const suspendable::shielded shield(*self.self);
    wait_for_turn(self);
    self.at.share->turn.hand_on(self.at.last);
  }
  if (next_range(self)) return true;
  self.at.first = self.at.last = 0;  // nothing to hand on any more
  return false;
}

CALLISTO_OPENMP_ABI void GOMP_ordered_start() {
  omp_thread& self = this_thread();
  if (self.in().threads == 1) return;
  const suspendable::shielded shield(*self.self);
  wait_for_turn(self);
}

// The turn is handed on with the range.
CALLISTO_OPENMP_ABI void GOMP_ordered_end() {}

}  // namespace callisto::openmp
