#include <callisto/global/transport/here.hpp>

#include <atomic>

namespace callisto::global {

std::size_t rank_slots::next_number() noexcept {
  static std::atomic<std::size_t> numbers{0};
  return numbers.fetch_add(1, std::memory_order_relaxed);  // relaxed: only uniqueness counts
}

void set_here(rank_context* rank) noexcept { detail::here_of_thread = rank; }

void detail::no_session() {
  throw usage_error("callisto::global: this thread works for no rank; a global::session must be alive in it");
}

}  // namespace callisto::global
