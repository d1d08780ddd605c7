// A guest: a thread of the application that works together with a set of workers, as an OpenMP program's initial thread
// does, and has the context of one of them while it runs (context_loans.hpp).
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/workers/context_loans.hpp>
#include <callisto/workers/party.hpp>

#include <cstdint>

namespace callisto::workers {

template <class M>
class worker_set;

/// Lives on its thread. It has a context from the beginning to the end, but while it is suspended, and while it makes
/// way after a turn that a tick ended. Where guests have all contexts already it runs without.
template <class M>
class guest final : public party<M> {
  using order = machine::order;
  using base = party<M>;

 public:
  /// Waits until a worker has yielded its context, if none is free. The set was made for guests, and has at most as
  /// many at once as it was made for, else throws usage_error.
  guest(worker_set<M>& set, std::uint64_t spin_ticks);
  ~guest() override;

  /// For the timer: its number behind those of the workers.
  unsigned number() const noexcept { return number_; }

  /// Whether ticks of a timer may end its turns. At first none do.
  void may_be_left(bool may) noexcept { this->set_may_be_left(may); }

  /// It has no context from now on: it has nothing to do with the workers for a time. A store and a compare-and-swap.
  void pause() noexcept;
  /// It has one again, as in the beginning.
  void proceed() noexcept;

  /// Another job wants its context, perhaps.
  bool should_yield() const noexcept;

  /// Its context's worker waits for it, and could do something.
  bool has_better_to_do() const noexcept override;

 private:
  friend class worker_set<M>;

  void stop() noexcept override {
    if (!this->settle()) return;
    pause();
    // acquire: what the resumer did. Not a spin: park blocks, but may return early.
    while (this->word_.load(order::acquire) == base::suspended) M::park(this->word_, base::suspended);
    proceed();
  }
  void go_on() noexcept override { M::unpark(this->word_, 1); }
  void make_way(typename base::place) noexcept override;

  worker_set<M>& set_;
  unsigned number_;
  unsigned last_;                              ///< the context that it had last
  unsigned context_ = context_loans<M>::none;  ///< that it has
  unsigned ticks_ = 0;                         ///< since its turn began
  unsigned idle_ticks_ = 0;
};

}  // namespace callisto::workers
