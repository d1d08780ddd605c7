// A thread's presence on the hardware context where it runs loops: whether another job wants the context, asked between
// two batches (EuroSys'14 section 2.1, the check-in), and what to do then.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <functional>

namespace callisto::workers {

/// Whether loops are compiled with check-ins (CMake: CALLISTO_COSCHED). Without, no process shares anything.
#if defined(CALLISTO_WITHOUT_COSCHED)
inline constexpr bool coscheduled = false;
#else
inline constexpr bool coscheduled = true;
#endif

/// The check-in: one load of a line that others write only when they may want something.
template <machine::policy M>
struct lease_poll {
  const machine::atomic_of<M, std::uint64_t>* word = nullptr;  ///< null: nobody can want anything
  std::uint64_t calm = ~std::uint64_t{0};                            ///< what it reads while nobody does

  bool undisturbed() const noexcept {
    if constexpr (!coscheduled) return true;
    return word == nullptr || word->load(machine::order::relaxed) == calm;  // relaxed: presence::stay() and come() look
  }
};

/// Present, or away: then the context is another job's, and the thread takes part in no loop. Its own thread's alone.
/// What it does when somebody wants something is its maker's business (coscheduling.hpp; a subject of the checker).
///
/// In a loop it leaves between two batches, with nothing in its hands, and comes back when it has the context again. A
/// thread that cannot leave, since what it has begun further out would have to wait, waits where it is: the leader of a
/// loop, for whom it is over anyway only when it has its context back.
template <machine::policy M>
class context_lease {
 protected:
  using order = machine::order;

 public:
  context_lease(const context_lease&) = delete;
  context_lease& operator=(const context_lease&) = delete;

  /// False if somebody may want something.
  bool undisturbed() const noexcept { return at_.undisturbed(); }

  /// False also when it is time for a look that nobody asks for; `now` in ticks, 0: not known.
  bool undisturbed(std::uint64_t now) const noexcept { return undisturbed() && now < look_at_; }

  /// A copy for a loop to keep at hand: it says no more than that the thread had better ask again, once stay() or
  /// come() have been called.
  lease_poll<M> at() const noexcept { return at_; }

  /// Between two batches, when not undisturbed: true: go on. False, only if it `may_leave`: the thread is away, leaves
  /// the loop, and takes part in none until come().
  virtual bool stay(bool may_leave) noexcept = 0;

  /// Before a loop: true when the thread may take part. False: `over()`, asked now and then, said so meanwhile.
  template <class Over>
  bool come(Over over) noexcept {
    return undisturbed() || arrive(over);
  }

  /// Before it sleeps, for want of work.
  virtual void idle() noexcept = 0;

  bool away() const noexcept { return away_; }

  /// Whether the loops that it follows are inside of another one, which ends only when all its threads have noticed.
  void set_nested(bool nested) noexcept { nested_ = nested; }

 protected:
  /// Disturbed: `word` lives as long as the presence.
  explicit context_lease(const machine::atomic_of<M, std::uint64_t>& word) noexcept : at_{&word} {}
  ~context_lease() = default;

  virtual bool arrive(const std::function<bool()>& over) noexcept = 0;

  lease_poll<M> at_;
  std::uint64_t look_at_ = ~std::uint64_t{0};  ///< ticks
  bool away_ = false;
  bool nested_ = false;
};

}  // namespace callisto::workers
