// Implements the work. CMake compiles this file once, with options of its own (CMakeLists.txt).
#include "work.hpp"

#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>

namespace {

/// The account of one thread. It takes two cache lines, for processors that fetch lines in pairs.
struct alignas(128) account {
  std::uint64_t sum;
  std::uint64_t count;
};

constexpr std::uint32_t most_accounts = 1024;
account accounts[most_accounts];
std::atomic<std::uint32_t> opened{0};
std::uint64_t marks[2][16];  // a cache line for each iteration

[[gnu::tls_model("initial-exec")]] thread_local account* mine = nullptr;

/// Returns a new account. Accounts outlive their threads, which come and go in some peers, so that a sum misses none.
[[gnu::cold, gnu::noinline]] account* open_account() {
  const std::uint32_t at = opened.fetch_add(1, std::memory_order_relaxed);
  if (at >= most_accounts) {
    std::fputs("more threads than accounts\n", stderr);
    std::abort();
  }
  return mine = &accounts[at];
}

std::uint64_t units_of(const callisto_work* w, std::uint64_t i) {
  const std::uint64_t at = w->reversed != 0 ? w->n - 1 - i : i;
  switch (w->shape) {
    case callisto_skewed:
      return at < w->heavy ? 1024 : 1;
    case callisto_power: {
      const auto k = static_cast<unsigned>(std::bit_width(at + 1)) - 1;
      const std::uint64_t beyond = at + 1 - (std::uint64_t{1} << k);
      return w->octave[k] - (((w->octave[k] - w->octave[k + 1]) * beyond) >> k);
    }
    default:
      return 1;
  }
}

inline std::uint64_t multiply(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15u;
  asm volatile("" : "+r"(x));  // keeps the multiplications separate
  return x;
}

}  // namespace

extern "C" {

// Has a page of its own, so that all address bits by which a processor predicts branches are equal in all programs.
[[gnu::aligned(4096)]] void callisto_work_iteration(const callisto_work* w, std::uint64_t i) {
  account* a = mine;
  if (a == nullptr) [[unlikely]] {
    a = open_account();
  }
  std::uint64_t x = 2 * i + 1 + (a->sum & w->zero);
  for (std::uint64_t blocks = units_of(w, i) * w->blocks; blocks != 0; --blocks) {
#pragma GCC unroll 19
    for (int k = 0; k < 19; ++k) x = multiply(x);
  }
  for (std::uint64_t extra = w->extra; extra != 0; --extra) x = multiply(x);
  a->sum += x ^ (x >> 32);
  ++a->count;
}

void callisto_work_range(const callisto_work* w, std::uint64_t first, std::uint64_t last) {
  constexpr std::uint64_t stride = std::uint64_t{1} << 20;
  account* a = mine != nullptr ? mine : open_account();
  std::uint64_t costly = 0;
  for (std::uint64_t i = (first + stride - 1) / stride * stride; i < last; i += stride, ++costly) {
    callisto_work_iteration(w, i);
  }
  a->count += last - first - costly;
}

void callisto_work_mark(std::uint64_t i) {
  account* a = mine != nullptr ? mine : open_account();
  marks[i & 1][0] = reinterpret_cast<std::uintptr_t>(a);
}

bool callisto_work_marked_by_two() { return marks[0][0] != marks[1][0]; }

callisto_balance callisto_work_settle() {
  callisto_balance all{0, 0};
  for (account& a : accounts) {
    all.sum += a.sum;
    all.count += a.count;
    a = {0, 0};
  }
  return all;
}
}
