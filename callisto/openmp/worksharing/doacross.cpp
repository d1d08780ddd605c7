// Posting and waiting in doacross loops.
#include <callisto/openmp/worksharing/doacross.hpp>

#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/locks/parking_lot.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>

#include <climits>
#include <cstdarg>
#include <exception>

namespace callisto::openmp {
namespace {

constexpr std::uint64_t waited_for = std::uint64_t{1} << 63;

}  // namespace

doacross_state::doacross_state(const workshare& loop, unsigned loops, const std::uint64_t* trips)
    : inside_(trips + 1, trips + loops),
      outermost_(trips[0]),
      chunk_(loop.kind == schedule_kind::guided ? 1 : loop.chunk),
      among_(loop.threads),
      longer_(outermost_ % loop.threads) {
  // Half of what a word holds, so that one more cannot overflow.
  constexpr std::uint64_t most = waited_for / 2;
  bool fits = outermost_ < most;
  for (const std::uint64_t n : inside_) {
    fits = fits && (n == 0 || in_one_ <= most / n);
    in_one_ = fits ? in_one_ * n : 0;
  }
  fits = fits && (in_one_ == 0 || outermost_ <= most / in_one_);
  std::uint64_t words = among_;
  if (!fits) {
    // The numbers do not fit, so each iteration of the outermost loop has a word.
    in_one_ = 0;
    chunk_ = 1;
  }
  if (!fits || loop.kind != schedule_kind::fixed) {
    words = among_ = (outermost_ == 0 ? 0 : (outermost_ - 1) / chunk_) + 1;
  } else {
    apart_ = native::line_size / sizeof(std::uint64_t);
  }
  try {
    words_ = machine::page_array<std::uint64_t>(words * apart_, machine::page_kind::small);
  } catch (const std::exception&) {
    report_and_exit("Out of memory for a loop of %llu iterations with dependences",
                    static_cast<unsigned long long>(outermost_));
  }
}

atomic<std::uint64_t>& doacross_state::word_of(std::uint64_t outer) const noexcept {
  std::uint64_t word = 0;
  if (chunk_ != 0) {
    word = outer / chunk_ % among_;
  } else {
    const std::uint64_t each = outermost_ / among_;
    const std::uint64_t in_longer = longer_ * (each + 1);
    word = outer < in_longer ? outer / (each + 1) : longer_ + (outer - in_longer) / each;
  }
  // Any bit pattern is a value, and the zeros of fresh pages are the first value.
  return *reinterpret_cast<atomic<std::uint64_t>*>(const_cast<std::uint64_t*>(&words_[word * apart_]));
}

void doacross_state::post(std::uint64_t outer, std::uint64_t number) noexcept {
  atomic<std::uint64_t>& word = word_of(outer);
  // release: publishes what the iteration did before its source. The exchange returns the mark of waiting threads, so
  // no fence is needed to see them.
  if ((word.exchange(outer * in_one_ + number + 1, order::release) & waited_for) != 0) wake(&word, UINT_MAX);
}

void doacross_state::wait(std::uint64_t outer, std::uint64_t number, suspendable& self) noexcept {
  atomic<std::uint64_t>& word = word_of(outer);
  number += outer * in_one_;
  const auto has_come = [number](std::uint64_t value) { return (value & ~waited_for) > number; };
  // acquire, here and below: pairs with post()'s exchange.
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
  if (doacross_state* const loop = state_of(this_thread()); loop != nullptr) loop->post(counts);
}

/// `rest` holds the iteration numbers of the loops inside.
template <class Int>
void wait(Int first, va_list rest) noexcept {
  const omp_thread& self = this_thread();
  doacross_state* const loop = state_of(self);
  if (loop == nullptr) return;
  loop->wait(static_cast<std::uint64_t>(first), [&](std::size_t) { return va_arg(rest, Int); }, *self.self);
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
