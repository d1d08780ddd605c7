// Which breakpoints stand in the program's code, as those know it who put them there, take them out and meet them
// (spin_traps.hpp).
//
// Whoever meets a breakpoint must find its trap, also if it was taken out a moment ago: traps are published before the
// first breakpoint is written, and stay. Code is changed by one thread at a time, and in handlers of signals nobody can
// wait: who finds another at it goes without.
#pragma once

#include <callisto/machine/policy.hpp>

#include <array>
#include <cstdint>

namespace callisto::workers {

/// `What`: what a trap's maker writes for those who meet it.
template <machine::policy M, class What, unsigned Most>
class trap_table {
  using order = machine::order;

 public:
  /// Publishes when the branch is published, whose address it is; 0: there is no such trap yet.
  struct trap {
    machine::atomic_of<M, std::uintptr_t> branch{0};
    machine::plain_of<M, What> what{};
    machine::atomic_of<M, unsigned> set{0};      ///< 1: the breakpoint is there
    machine::atomic_of<M, unsigned> in_vain{0};  ///< how often in a row it was met so
  };

  /// The first trap with is(branch, what); null: there is none.
  template <class Is>
  trap* find(Is is) noexcept {
    for (trap& t : traps_) {
      const std::uintptr_t branch = t.branch.load(order::acquire);  // acquire: what stands there
      if (branch == 0) break;
      if (is(branch, static_cast<const What&>(t.what))) return &t;
    }
    return nullptr;
  }

  /// A hint.
  bool is_set(const trap& t) const noexcept { return t.set.load(order::relaxed) != 0; }

  /// Returns f(), which alone may claim, set and take out; false if another one is in such a call.
  template <class F>
  bool alone(F f) noexcept {
    if (changing_.exchange(1, order::acquire) != 0) return false;  // acquire: what the last one wrote
    const bool result = f();
    changing_.store(0, order::release);  // release: as above
    return result;
  }

  /// The trap at this branch. A new one has what make() returns; null: there are as many as can be.
  template <class Make>
  trap* claim(std::uintptr_t branch, Make make) noexcept {
    for (trap& t : traps_) {
      const std::uintptr_t known = t.branch.load(order::relaxed);  // relaxed: written alone
      if (known == branch) return &t;
      if (known != 0) continue;
      t.what = make();
      t.branch.store(branch, order::release);  // release: for find()
      return &t;
    }
    return nullptr;
  }

  /// Has write() put the breakpoint there, which says whether it could.
  template <class Write>
  bool set(trap& t, Write write) noexcept {
    if (is_set(t)) return true;
    if (!write()) return false;
    t.in_vain.store(0, order::relaxed);  // relaxed, both: hints to others
    t.set.store(1, order::relaxed);
    return true;
  }
  /// Likewise, the branch.
  template <class Write>
  bool take_out(trap& t, Write write) noexcept {
    if (!is_set(t) || !write()) return false;
    t.set.store(0, order::relaxed);  // relaxed: a hint to others
    return true;
  }

  /// In a child of fork(): nobody else is at it.
  void forget_others() noexcept { changing_.store(0, order::relaxed); }  // relaxed: it has one thread

 private:
  std::array<trap, Most> traps_;
  machine::atomic_of<M, unsigned> changing_{0};
};

}  // namespace callisto::workers
