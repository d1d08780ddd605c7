// Which thread has changed what the kernel keeps for a thread.
#include <callisto/openmp/region/kernel_state.hpp>

#include <callisto/openmp/region/initial_thread.hpp>
#include <callisto/openmp/region/omp_thread.hpp>

#include <atomic>

namespace callisto::openmp {
namespace {

constinit thread_local kernel_state here [[gnu::tls_model("initial-exec")]];
std::atomic<std::uint32_t> changes{0};
std::atomic<std::uint32_t> of_workers{0};

void tell_leader() noexcept {
  omp_thread* const self = this_thread_or_null;
  if (self != nullptr && self->initial != nullptr) self->initial->stay_out();
}

}  // namespace

kernel_state kernel_state_here() noexcept { return here; }

void inherit_kernel_state(kernel_state from) noexcept { here = from; }

void kernel_state_changes() noexcept {
  here.number = changes.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: a unique number
  tell_leader();
}

void is_bound_here(bool to_some) noexcept {
  here.is_bound = to_some;
  if (to_some) tell_leader();
}

// relaxed, both: the pointer to the workers, which the caller of is_set_apart() has, hands it on.
void workers_inherit() noexcept { of_workers.store(here.number, std::memory_order_relaxed); }

bool is_set_apart() noexcept { return here.is_bound || here.number != of_workers.load(std::memory_order_relaxed); }

}  // namespace callisto::openmp
