#include <callisto/global/transport/limits.hpp>
#include <callisto/global/transport/packet.hpp>

#include <cstdlib>
#include <new>

namespace callisto::global {

void packet_deleter::operator()(packet* p) const noexcept {
  if (p->home >= 0) return;  // it stays where it is until the job ends
  p->~packet();
  std::free(p);
}

packet_pointer make_packet(std::size_t capacity) {
  void* memory = std::aligned_alloc(64, packet_memory(capacity));
  if (memory == nullptr) throw std::bad_alloc();
  packet_pointer p(new (memory) packet(capacity));
  new (p->bytes()) packet_header{};
  return p;
}

packet_pointer packet_pool::take(std::size_t capacity) {
  unsigned size = 0;
  while (least_packet << size < capacity) ++size;
  {
    const std::lock_guard guard(lock_);
    if (!kept_[size].empty()) {
      packet_pointer p = std::move(kept_[size].back());
      kept_[size].pop_back();
      new (p->bytes()) packet_header{};
      p->peer = -1;
      return p;
    }
  }
  return make_packet(least_packet << size);
}

void packet_pool::give(packet_pointer p) noexcept {
  unsigned size = 0;
  while (size + 1 < sizes && least_packet << size < p->capacity) ++size;
  if (least_packet << size != p->capacity) return;
  const std::lock_guard guard(lock_);
  if (kept_[size].size() < rank_limits::kept_packets) {
    if (kept_[size].capacity() == 0)
      kept_[size].reserve(rank_limits::kept_packets);  // may throw only at the first call
    kept_[size].push_back(std::move(p));
  }
}

}  // namespace callisto::global
