// A guest: a thread of the application that works together with a set of workers, as an OpenMP program's initial thread
// does, and has the context of one of them while it runs (context_loans.hpp).
//
// While it waits, and after a turn that a tick ended, its thread works as that context's worker: it runs activations on
// top of the guest's own stack, and goes on with the guest when that was resumed and the activation has come home. So
// what takes turns on a context does so by switches of some ten nanoseconds, not by threads that wake each other. Only
// where it finds nothing to do does it give the context back and sleep.
#pragma once

#include <callisto/machine/fiber.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/workers/context_loans.hpp>
#include <callisto/workers/party.hpp>

#include <cstdint>

namespace callisto::workers {

template <class M>
class worker_set;
template <class M>
class worker;
template <class M>
class activation;

/// Lives on its thread. It has a context from the beginning to the end, but while it sleeps. Where guests have all
/// contexts already it runs without.
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

  /// It has nothing to do with the workers for a time: no tick interrupts it. It keeps its context as long as nobody
  /// else has a use for it. Two locked instructions.
  void pause() noexcept;
  /// After pause(): as in the beginning.
  void proceed() noexcept;

  /// Another job wants its context, perhaps.
  bool should_yield() const noexcept;

  bool has_better_to_do() const noexcept override;

  /// The worker that its thread works as now; null: the guest itself runs.
  const worker<M>* works_as() const noexcept { return works_as_; }

 private:
  friend class worker_set<M>;
  friend class activation<M>;

  void stop() noexcept override;
  void go_on(bool sleeps) noexcept override;
  void make_way(typename base::place) noexcept override;

  /// Whether it would go on, if what runs on its thread came home.
  bool is_ready() const noexcept { return wants_turn_ || this->is_resumed(); }
  /// Looks for a time whether it is resumed, or something else `holds`; false: it does not.
  template <class Holds>
  bool awaits(Holds holds, std::uint64_t patient) const noexcept;

  void give_back() noexcept;
  void take_context() noexcept;

  /// It waits so many parts of a second for something to do on its context before it sleeps: ten microseconds, after it
  /// has spun already.
  static constexpr std::uint64_t patience_per_second = 100'000;

  worker_set<M>& set_;
  machine::fiber home_;  ///< of its thread
  unsigned number_;
  unsigned last_;                              ///< the context that it had last
  unsigned context_ = context_loans<M>::none;  ///< that it has
  bool paused_ = false;
  bool wants_turn_ = false;  ///< it has made way, and would go on
  worker<M>* works_as_ = nullptr;
};

}  // namespace callisto::workers
