// Which traps stand in the program's code, for threads that put them there, take them out and meet them
// (spin_traps.hpp).
//
// A thread that meets a changed byte must find its trap, even if the byte was written back a moment ago. So traps are
// published before the first byte is changed, and stay. Code is changed by one thread at a time. A thread in a
// handler of signals cannot wait: if another one is changing code, it gives up.
#pragma once

#include <callisto/machine/policy.hpp>

#include <array>
#include <cstdint>

namespace callisto::workers {

/// `What`: what a trap's maker writes for the threads that meet it.
template <machine::policy M, class What, unsigned Most>
class trap_table {
  using order = machine::order;

 public:
  /// A trap is published with the address of its branch; 0: there is none in this place yet.
  struct trap {
    machine::atomic_of<M, std::uintptr_t> branch{0};
    machine::plain_of<M, What> what{};
    machine::atomic_of<M, unsigned> set{0};             ///< 1: the byte is changed
    machine::atomic_of<M, unsigned> without_demand{0};  ///< how often in a row it was met so
  };

  /// Returns the first trap with is(branch, what); null: there is none.
  template <class Is>
  trap* find(Is is) noexcept {
    for (trap& t : traps_) {
      const std::uintptr_t branch = t.branch.load(order::acquire);  // acquire: pairs with claim()'s release
      if (branch == 0) break;
      if (is(branch, static_cast<const What&>(t.what))) return &t;
    }
    return nullptr;
  }

  /// True if the byte is changed; a hint.
  bool is_set(const trap& t) const noexcept { return t.set.load(order::relaxed) != 0; }

  /// Returns f(), which may claim, set and take out; false if another thread is in such a call.
  template <class F>
  bool alone(F f) noexcept {
    if (changing_.exchange(1, order::acquire) != 0) return false;  // acquire: pairs with the release below
    const bool result = f();
    changing_.store(0, order::release);  // release: pairs with the acquire above
    return result;
  }

  /// Returns the trap at this branch. A new one has what make() returns; null: the table is full.
  template <class Make>
  trap* claim(std::uintptr_t branch, Make make) noexcept {
    for (trap& t : traps_) {
      const std::uintptr_t known = t.branch.load(order::relaxed);  // relaxed: written within alone() only
      if (known == branch) return &t;
      if (known != 0) continue;
      t.what = make();
      t.branch.store(branch, order::release);  // release: publishes `what` to find()'s acquire
      return &t;
    }
    return nullptr;
  }

  /// Calls write(), which changes the byte, and says whether it could.
  template <class Write>
  bool set(trap& t, Write write) noexcept {
    if (is_set(t)) return true;
    if (!write()) return false;
    t.without_demand.store(0, order::relaxed);  // relaxed, both: hints to other threads
    t.set.store(1, order::relaxed);
    return true;
  }
  /// Calls write(), which puts the branch back, and says whether it could.
  template <class Write>
  bool take_out(trap& t, Write write) noexcept {
    if (!is_set(t) || !write()) return false;
    t.set.store(0, order::relaxed);  // relaxed: a hint to other threads
    return true;
  }

  /// In a child of fork(), in which no other thread changes code.
  void forget_others() noexcept { changing_.store(0, order::relaxed); }  // relaxed: it has one thread

 private:
  std::array<trap, Most> traps_;
  machine::atomic_of<M, unsigned> changing_{0};
};

}  // namespace callisto::workers
