// A thread's lease of the hardware context where it runs loops: between two batches it checks whether another job wants
// the context (EuroSys 2014, section 2.1, the check-in), and then leaves or waits.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <functional>

namespace callisto::workers {

/// True if loops are compiled with check-ins (CMake: CALLISTO_COSCHED). Without, no process shares anything.
#if defined(CALLISTO_WITHOUT_COSCHED)
inline constexpr bool coscheduled = false;
#else
inline constexpr bool coscheduled = true;
#endif

/// The check-in: one load of a line that other jobs write only if they want the context.
template <machine::policy M>
struct lease_poll {
  const machine::atomic_of<M, std::uint64_t>* word = nullptr;  ///< null: no other job can want the context
  std::uint64_t calm = ~std::uint64_t{0};                      ///< its value while no other job wants the context

  bool undisturbed() const noexcept {
    if constexpr (!coscheduled) return true;
    return word == nullptr ||
           word->load(machine::order::relaxed) == calm;  // relaxed: context_lease::stay() and come() look again
  }
};

/// The lease of one thread. The thread is present, or away: then another job has the context and the thread takes part
/// in no loop. Only the thread itself uses it. The derived class decides what happens if another job wants the context
/// (coscheduling.hpp; a subject of the checker).
///
/// In a loop the thread leaves between two batches, with nothing reserved, and comes back when it has the context
/// again. A thread that cannot leave, since an outer loop would wait for it, waits where it is. The leader of a loop
/// does so, too: its loop ends only when it has its context back.
template <machine::policy M>
class context_lease {
 protected:
  using order = machine::order;

 public:
  context_lease(const context_lease&) = delete;
  context_lease& operator=(const context_lease&) = delete;

  /// False if another job may want the context.
  bool undisturbed() const noexcept { return at_.undisturbed(); }

  /// False also if it is time for a look without a request; `now` in ticks, 0: unknown.
  bool undisturbed(std::uint64_t now) const noexcept { return undisturbed() && now < look_at_; }

  /// Returns a snapshot that a loop can poll. After stay() or come() it is stale and only means "ask again".
  lease_poll<M> at() const noexcept { return at_; }

  /// Decides between two batches, if not undisturbed. True: go on. False, only if it `may_leave`: the thread is away,
  /// leaves the loop, and takes part in none until come().
  virtual bool stay(bool may_leave) noexcept = 0;

  /// Blocks before a loop until the thread may take part, and returns true. False if `over()`, which it calls now and
  /// then, was true meanwhile.
  template <class Over>
  bool come(Over over) noexcept {
    return undisturbed() || arrive(over);
  }

  /// Lends the context before the thread sleeps for want of work.
  virtual void idle() noexcept = 0;

  bool away() const noexcept { return away_; }

  /// Says whether the loops that it follows are inside another loop, which ends only when all its threads have noticed.
  void set_nested(bool nested) noexcept { nested_ = nested; }

 protected:
  /// Begins disturbed. `word` lives as long as the lease.
  explicit context_lease(const machine::atomic_of<M, std::uint64_t>& word) noexcept : at_{&word} {}
  ~context_lease() = default;

  virtual bool arrive(const std::function<bool()>& over) noexcept = 0;

  lease_poll<M> at_;
  std::uint64_t look_at_ = ~std::uint64_t{0};  ///< ticks
  bool away_ = false;
  bool nested_ = false;
};

}  // namespace callisto::workers
