#include <callisto/global/transport/here.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace callisto::global {

std::size_t rank_slots::next_number() noexcept {
  static std::atomic<std::size_t> numbers{0};
  const std::size_t number = numbers.fetch_add(1, std::memory_order_relaxed);  // relaxed: only uniqueness counts
  if (number >= most) {
    std::fputs("callisto::global: more than 64 types of objects of a rank\n", stderr);
    std::abort();
  }
  return number;
}

void rank_slots::clear() noexcept {
  while (!owned_.empty()) {
    objects_[owned_.back().first].store(nullptr, std::memory_order_relaxed);  // relaxed: no other thread is left
    owned_.pop_back();
  }
}

void set_here(rank_context* rank) noexcept { detail::here_of_thread = rank; }

void detail::no_session() {
  throw usage_error("callisto::global: this thread works for no rank; a global::session must be alive in it");
}

}  // namespace callisto::global
