// A lock that its owner takes by plain stores, many million times a second, and that other threads take rarely.
//
// The owner announces itself and looks for a visitor; a visitor announces itself and looks for the owner (Dekker). The
// owner's two steps have a light fence between them, a visitor's a heavy one (machine/policy.hpp). On machines without
// heavy fences both announce themselves in the same word, by read-modify-writes.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::global {

/// Excludes one owner, which enters and leaves, and visitors, which try.
template <machine::policy M>
class owner_lock {
  using order = machine::order;

 public:
  owner_lock() noexcept : has_heavy_fence_(M::has_heavy_fence()) {}

  /// Blocks while a visitor is inside. Only the owner calls.
  void enter() noexcept {
    for (;;) {
      if (has_heavy_fence_) {
        owner_.store(1, order::relaxed);  // relaxed: the fences order it before the load below
        M::light_fence();
      } else {
        // acquire: a visitor's addition that came first is a release, and shows its visitor_ to the load below.
        owner_.exchange(1, order::acquire);
      }
      if (visitor_.load(order::acquire) == 0) return;  // acquire: pairs with end_visit()'s release
      owner_.store(0, order::release);                 // release: lets a visitor's look succeed; publishes nothing new
      M::wait_while(visitor_, [](std::uint32_t v) { return v != 0; }, machine::patience::brief);
    }
  }
  /// Ends what enter() began. Only the owner calls.
  void leave() noexcept { owner_.store(0, order::release); }  // release: publishes the owner's writes to try_visit()

  /// True if the caller is inside, alone; false if the owner or another visitor is. Never the owner.
  bool try_visit() noexcept {
    std::uint32_t found = 0;
    while (!visitor_.compare_exchange(found, 1, order::acquire))  // acquire: pairs with end_visit()'s release
      if (found != 0) return false;
    std::uint32_t owner;
    if (has_heavy_fence_) {
      M::heavy_fence();
      owner = owner_.load(order::acquire);  // acquire: pairs with leave()'s release
    } else {
      owner = owner_.fetch_add(0, order::acq_rel);  // acq_rel: shows visitor_ to enter(), sees what leave() released
    }
    if (owner == 0) return true;
    visitor_.store(0, order::release);  // release: as in end_visit()
    return false;
  }
  /// Ends a visit.
  void end_visit() noexcept {
    visitor_.store(0, order::release);
  }  // release: publishes the visitor's writes to enter()

 private:
  const bool has_heavy_fence_;
  machine::atomic_of<M, std::uint32_t> owner_{0};
  machine::atomic_of<M, std::uint32_t> visitor_{0};
};

}  // namespace callisto::global
