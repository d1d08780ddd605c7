// The table of queues.
#include <callisto/openmp/locks/parking_lot.hpp>

#include <array>
#include <memory>
#include <utility>

namespace callisto::openmp {
namespace {

constexpr unsigned table_bits = 6;
std::array<wait_queue, std::size_t{1} << table_bits> table;

}  // namespace

wait_queue& queue_of(const void* address) noexcept {
  // Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
  const std::uint64_t spread = reinterpret_cast<std::uintptr_t>(address) * 0x9e37'79b9'7f4a'7c15;
  return table[spread >> (64 - table_bits)];
}

void wake(const void* address, unsigned most) noexcept {
  wait_queue& queue = queue_of(address);
  const suspendable::shielded shield(*this_thread().self);
  waiter* ready = nullptr;
  {
    const std::scoped_lock held(queue.latch);
    waiter* kept = nullptr;
    waiter** to = &ready;
    for (waiter* w = queue.first; w != nullptr && most > 0;) {
      waiter* const next = w->next;
      if (w->address == address) {
        (kept == nullptr ? queue.first : kept->next) = next;
        if (queue.last == w) queue.last = kept;
        w->next = nullptr;
        *to = w;
        to = &w->next;
        --most;
      } else {
        kept = w;
      }
      w = next;
    }
  }
  // An entry is gone once its thread continues.
  while (ready != nullptr) std::exchange(ready, ready->next)->thread->resume();
}

void forget_waiters() noexcept {
  for (wait_queue& queue : table) {
    std::destroy_at(&queue);
    std::construct_at(&queue);
  }
}

}  // namespace callisto::openmp
