// Posting and waiting in doacross loops.
#include <callisto/openmp/doacross.hpp>

#include <callisto/openmp/abi.hpp>
#include <callisto/openmp/wait_table.hpp>

#include <climits>
#include <cstdarg>

namespace callisto::openmp {
namespace {

constexpr std::uint64_t waited_for = std::uint64_t{1} << 63;

}  // namespace

doacross_state::doacross_state(unsigned loops, const std::uint64_t* trips)
    : inside(trips + 1, trips + loops), outermost(trips[0]), come(new atomic<std::uint64_t>[trips[0]]()) {}

void doacross_state::post(std::uint64_t outer, std::uint64_t number) noexcept {
  // release: what the iteration did before its source. The mark goes with the value, so that no fence is needed to see
  // who waits.
  if ((come[outer].exchange(number + 1, order::release) & waited_for) != 0) wake(&come[outer], UINT_MAX);
}

void doacross_state::wait(std::uint64_t outer, std::uint64_t number, party& self) noexcept {
  atomic<std::uint64_t>& word = come[outer];
  const auto has_come = [number](std::uint64_t value) { return (value & ~waited_for) > number; };
  // acquire, here and below: what was done before the post.
  if (has_come(word.load(order::acquire))) return;
  if (spin_until(self, [&] { return has_come(word.load(order::acquire)); })) return;
  for (;;) {
    if (has_come(word.fetch_or(waited_for, order::acquire))) return;
    wait_at(&word, self, [&] {
      const std::uint64_t now = word.load(order::acquire);
      return !has_come(now) && (now & waited_for) != 0;
    });
    if (has_come(word.load(order::acquire))) return;
  }
}

namespace {

doacross_state* state_of(const omp_thread& self) noexcept { return self.at.share->doacross.get(); }

template <class Int>
void post(const Int* counts) noexcept {
  const omp_thread& self = this_thread();
  doacross_state* const loop = state_of(self);
  if (loop == nullptr) return;
  const auto outer = static_cast<std::uint64_t>(counts[0]);
  if (outer < loop->outermost) loop->post(outer, loop->number_inside(counts));
}

/// `rest` has the numbers of the loops inside.
template <class Int>
void wait(Int first, va_list rest) noexcept {
  const omp_thread& self = this_thread();
  const doacross_state* const loop = state_of(self);
  if (loop == nullptr) return;
  const auto outer = static_cast<std::uint64_t>(first);
  std::uint64_t number = 0;
  for (const std::uint64_t trips : loop->inside)
    number = number * trips + static_cast<std::uint64_t>(va_arg(rest, Int));
  if (outer < loop->outermost) state_of(self)->wait(outer, number, *self.self);
}

}  // namespace

CALLISTO_OPENMP_ABI void GOMP_doacross_post(long* counts) { post(counts); }
CALLISTO_OPENMP_ABI void GOMP_doacross_ull_post(unsigned long long* counts) { post(counts); }

CALLISTO_OPENMP_ABI void GOMP_doacross_wait(long first, ...) {
  va_list rest;
  va_start(rest, first);
  wait(first, rest);
  va_end(rest);
}

CALLISTO_OPENMP_ABI void GOMP_doacross_ull_wait(unsigned long long first, ...) {
  va_list rest;
  va_start(rest, first);
  wait(first, rest);
  va_end(rest);
}

}  // namespace callisto::openmp
