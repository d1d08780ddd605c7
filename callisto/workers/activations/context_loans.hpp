// Hardware contexts that a set of workers lends to threads of the application: a thread that works with them, such as
// an OpenMP program's initial thread, has one worker's context while it runs, and that worker waits. Where the guest
// waits, its thread does the worker's work (guest.hpp), so that nothing has to change hands.
//
// So there are never more threads that run than contexts, and the system has nothing to divide: without this an initial
// thread and the worker that it shares a context with would each wait for milliseconds while the other spins. The main
// thread has its dedicated context so, too (EuroSys 2014, section 2.1, rule 1).
//
// A word for each context says who has it, and who waits for it: its worker, or one guest. Whoever gives it away hands
// it to the one who waits, and wakes him. Both wait in the system, on that word.
//
// A guest that goes away, and will be back soon as a rule, leaves the context as it is: nobody is woken, and coming
// back costs one exchange. Whoever wants it then reclaims it.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/workers/activations/context_provider.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace callisto::workers {

template <machine::policy M>
class context_loans : public context_provider<M> {
  using order = machine::order;

 public:
  static constexpr unsigned none = ~0U;

  explicit context_loans(unsigned contexts) : contexts_(contexts), each_(new context[contexts]) {}

  /// How many guests have; a hint.
  unsigned lent_contexts() const noexcept { return lent_.load(order::relaxed); }  // relaxed: a hint

  /// A thread of the application is to run: the context that it has from now on: where it is, `last`, or one that is
  /// free if it can be; `none` if guests have all. Waits for its worker, who is asked to yield it: then calls asked().
  template <class Asked>
  unsigned take(unsigned last, Asked asked) noexcept {
    for (;;) {
      const unsigned c = choose(last, asked);
      if (c == none || occupy(c, true)) return c;
      give_back(c);
    }
  }

  /// The thread of the application has nothing to do there. Not of `none`.
  void give_back(unsigned c) noexcept { give(c, lent, lent | worker_waits, working); }

  /// Likewise, but for a short time, it thinks. Then come_again(): false if it has lost the context.
  void step_away(unsigned c) noexcept {
    std::uint64_t seen = lent;
    // release: for who reclaims it.
    while (!each_[c].state.compare_exchange(seen, away_from(seen), order::release)) {
    }
  }
  bool come_again(unsigned c) noexcept {
    std::uint64_t seen = each_[c].state.load(order::relaxed);  // relaxed: a first look
    return back_to(each_[c], seen);
  }
  /// If a guest is away from it, its worker has it from now on, or nobody. From any thread.
  void reclaim(unsigned c) noexcept {
    if (come_again(c)) give_back(c);
  }

  /// Another job wants it, perhaps, and the guest who has it can wait: true: he may run again. False: he had better
  /// give it back and take another.
  bool look(unsigned c) noexcept { return occupy(c, true); }

  /// The context that the thread of the application has from now on instead of `c`: where the system has put it since
  /// it took that one, if nobody is there. Else two threads of this process could be on one processor, and nobody on
  /// the other, for as long as the system likes.
  unsigned follow(unsigned c) noexcept {
    const unsigned there = here();
    std::uint64_t found = idle;
    if (there == c || there >= contexts_ || main_context() < contexts_ || !lend(each_[there], found)) return c;
    if (!occupy(there, true)) {
      give_back(there);
      return c;
    }
    give_back(std::exchange(c, there));
    return c;
  }

  // For the set of workers.

  const context_watch<M>& watch(unsigned c) noexcept override { return each_[c].watch; }

  bool hand_over(unsigned worker) noexcept override {
    // relaxed: a wish, withdrawn when it is granted.
    if ((each_[worker].watch.request.load(order::relaxed) & attached_request) == 0) return goes_on(worker);
    fall_idle(worker);
    return come_back(worker);
  }

  bool fall_idle(unsigned worker) noexcept override { return give(worker, working, working | attached_thread_waits, lent); }

  bool come_back(unsigned worker) noexcept override {
    acquire(each_[worker]);
    return goes_on(worker);
  }

 protected:
  // For who has a context among the threads of this process:

  /// Waits until it is this job's: at first, and again when another job wants it. False, for guests only: they had
  /// better be elsewhere.
  virtual bool occupy(unsigned c, bool attached_thread) noexcept {
    static_cast<void>(c), static_cast<void>(attached_thread);
    return true;
  }
  /// Where the job's main thread has its own; `none`: anywhere.
  virtual unsigned main_context() const noexcept { return none; }
  /// Where the calling thread, a guest's, is now; `none`: elsewhere, or that is not known.
  virtual unsigned here() const noexcept { return none; }
  /// Nobody of this process needs it.
  virtual void vacate(unsigned c) noexcept { static_cast<void>(c); }

  context_watch<M>& watch_of(unsigned c) noexcept { return each_[c].watch; }

  // In context_watch::request:
  static constexpr std::uint32_t attached_request = 1;
  static constexpr std::uint32_t look_request = 2;  ///< to have occupy() called, which withdraws it

 private:
  // Who has a context.
  static constexpr std::uint64_t idle = 0;
  static constexpr std::uint64_t working = 1;  ///< its worker
  static constexpr std::uint64_t lent = 2;     ///< a guest
  static constexpr std::uint64_t away = 3;     ///< a guest, until somebody reclaims it
  // And who waits for it: never both.
  static constexpr std::uint64_t attached_thread_waits = 4;
  static constexpr std::uint64_t worker_waits = 8;

  static constexpr std::uint64_t away_from(std::uint64_t s) noexcept { return s + (away - lent); }
  static constexpr bool is_away(std::uint64_t s) noexcept { return (s & away) == away; }
  static constexpr bool is_lent(std::uint64_t s) noexcept { return s == lent || s == away; }
  static constexpr unsigned all = ~0U;

  struct alignas(M::line_size) context {
    context_watch<M> watch;
    alignas(M::line_size) machine::atomic_of<M, std::uint64_t> state{idle};
  };

  /// The context that a guest has from now on among the threads of this process.
  template <class Asked>
  unsigned choose(unsigned last, Asked asked) noexcept {
    const unsigned main = main_context();
    const unsigned there = here();
    const unsigned first = main < contexts_ ? main : there < contexts_ ? there : last < contexts_ ? last : 0;
    // Among other jobs, no other one may be free but the main thread's.
    for (unsigned i = 0; i < (main < contexts_ ? 1 : contexts_); ++i) {
      const unsigned c = (first + i) % contexts_;
      std::uint64_t found = idle;
      if (lend(each_[c], found) || back_to(each_[c], found)) return c;
    }
    for (unsigned i = 0; i < contexts_; ++i) {
      const unsigned c = (first + i) % contexts_;
      if (ask(each_[c], asked)) return c;
    }
    return none;
  }

  /// From nobody to a guest.
  bool lend(context& k, std::uint64_t& found) noexcept {
    found = idle;
    // acquire: the last writes of who had it, as with any hand-over.
    if (!k.state.compare_exchange(found, lent, order::acquire)) return false;
    lent_.fetch_add(1, order::relaxed);  // relaxed: a hint
    return true;
  }

  /// From a guest who is away, to a guest who is not.
  static bool back_to(context& k, std::uint64_t& seen) noexcept {
    while (is_away(seen)) {
      // acquire: the worker's last writes, and those of another guest.
      if (k.state.compare_exchange(seen, seen - (away - lent), order::acquire)) return true;
    }
    return false;
  }

  bool goes_on(unsigned worker) noexcept {
    if (occupy(worker, false)) return true;
    fall_idle(worker);
    return false;
  }

  /// For the worker.
  static void acquire(context& k) noexcept {
    for (std::uint64_t seen = idle;;) {
      // acquire: what who had it did.
      if (seen == idle && k.state.compare_exchange(seen, working, order::acquire)) return;
      // relaxed: nothing is read.
      if (is_lent(seen) && k.state.compare_exchange(seen, seen | worker_waits, order::relaxed)) break;
    }
    const auto not_yet = [](std::uint64_t s) { return (s & worker_waits) != 0; };
    // Without spinning, which would be where the guest runs. acquire, by wait_while: what the guest did, who hands it
    // over.
    std::uint64_t s = M::wait_while(k.state, not_yet, machine::patience::none);
    for (; not_yet(s); s = M::wait_while(k.state, not_yet, machine::patience::none)) {
      M::park(k.state, static_cast<std::uint32_t>(s));
    }
  }

  /// Whoever has the context, so that its state is `mine`, or `awaited` if the other waits, gives it away: to nobody,
  /// or so that it is `others`. True: to nobody.
  bool give(unsigned c, std::uint64_t mine, std::uint64_t awaited, std::uint64_t others) noexcept {
    context& k = each_[c];
    // relaxed: a look. Who waits goes on, so the other jobs need not be told that nobody is there.
    if (k.state.load(order::relaxed) == mine) vacate(c);
    std::uint64_t seen = mine;
    // release: whoever has it next sees what this thread did.
    while (!k.state.compare_exchange(seen, seen == awaited ? others : idle, order::release)) {
    }
    // relaxed: a hint.
    if (mine == lent) lent_.fetch_sub(1, order::relaxed);
    if (seen != awaited) return true;
    if (others == lent) lent_.fetch_add(1, order::relaxed);
    M::unpark(k.state, all);
    return false;
  }

  /// True: the context is the caller's. False: another guest has it, or will.
  template <class Asked>
  bool ask(context& k, Asked asked) noexcept {
    std::uint64_t seen = k.state.load(order::relaxed);  // relaxed: a first look
    for (;;) {
      if (seen == idle) {
        if (lend(k, seen)) return true;
      } else if (is_away(seen)) {
        if (back_to(k, seen)) return true;
      } else if (seen != working) {
        return false;
      } else if (k.state.compare_exchange(seen, working | attached_thread_waits, order::acquire)) {
        break;  // acquire: the last guest withdrew its request before
      }
    }
    k.watch.request.fetch_or(attached_request, order::relaxed);  // relaxed: a wish; what follows from it is in `state`
    asked();
    const auto not_yet = [](std::uint64_t s) { return s == (working | attached_thread_waits); };
    // acquire, by wait_while: what the worker did.
    while (not_yet(M::wait_while(k.state, not_yet, machine::patience::brief))) M::park(k.state, working | attached_thread_waits);
    // relaxed: the worker does not look before it has the context again. Nobody else asks while this thread has it.
    k.watch.request.fetch_and(~attached_request, order::relaxed);
    return true;
  }

  const unsigned contexts_;
  std::unique_ptr<context[]> each_;
  alignas(M::line_size) machine::atomic_of<M, unsigned> lent_{0};  ///< contexts that guests have
};

}  // namespace callisto::workers
