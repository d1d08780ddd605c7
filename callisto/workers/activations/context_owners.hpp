// Which thread of the process has each hardware context: its worker, or an attached thread. An attached thread, such as
// an OpenMP program's initial thread, has one worker's context while it runs, and that worker waits. While the attached
// thread waits, its thread does the worker's work (attached_thread.hpp), so that the context stays where it is.
//
// So no more threads run than there are contexts, and the system has nothing to divide. Without this an initial thread
// and the worker that it shares a context with would each wait for milliseconds while its rival spins. The main thread
// has its dedicated context in this way, too (EuroSys 2014, section 2.1, rule 1).
//
// One word a context says which thread has it, and which waits for it: its worker, or one attached thread, never both.
// The thread that gives the context away hands it to the waiter, and wakes it. Both wait in the system, on that word.
//
//   idle -> working (acquire) -> idle (give)              the worker
//   idle -> lent (lend) -> idle (give)                    an attached thread
//   working -> working|attached_thread_waits -> lent      an attached thread asks, the worker gives
//   lent -> lent|worker_waits -> working                  the worker asks, the attached thread gives
//   lent -> away (step_away) -> lent (come_again)         an attached thread that will be back soon, as a rule
//   away -> lent -> idle, or working (reclaim)            a thread that has a use for the context
//
// An attached thread that steps away wakes no thread, and coming back costs one exchange.
//
// An attached thread asks one worker, which may be long in coming: what runs there may even wait for the attached
// thread. So the attached thread takes any other context that becomes free first:
//
// 1. *Attached thread, asks:* adds itself to a count of waiters, marks the context's word, and looks for a free
// context,
//    by a read-modify-write of each word, before it sleeps.
// 2. *Thread, frees a context:* changes the word, then looks at the count. If there are waiters, it marks the words of
//    their contexts as `look_elsewhere`, and wakes them. Of steps 1 and 2, the later change of the freed word sees what
//    went before the earlier one: the waiter finds the context free, or the other thread finds the waiter.
// 3. *Attached thread, sees another context free:* withdraws its mark, then takes that context. If the worker gave the
//    first context meanwhile, the attached thread has that. If another thread was faster at the free context, the
//    attached thread asks anew. It never has a context while it waits for another.
// 4. *Attached thread, finds each context lent or waited for:* has none, unless another attached thread moved in step 3
//    meanwhile, from a context that this one had yet to look at to one that it had looked at: then it looks again.
//
// Whether the process has the context at all is decided below, by the context_source: a thread that gets the word calls
// acquire() of that, and gives the word back if it fails.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/workers/activations/context_provider.hpp>
#include <callisto/workers/activations/context_source.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace callisto::workers {

template <machine::policy M>
class context_owners final : public context_provider<M> {
  using order = machine::order;
  using watching = context_watch<M>;

 public:
  static constexpr unsigned none = context_source<M>::none;

  /// `source` outlives this; null: the process has all contexts.
  explicit context_owners(unsigned contexts, context_source<M>* source = nullptr)
      : contexts_(contexts), source_(source != nullptr ? *source : all_mine_), each_(new context[contexts]) {}

  /// Returns how many contexts attached threads have; a hint.
  unsigned lent_contexts() const noexcept { return lent_.load(order::relaxed); }  // relaxed: a hint

  // For attached threads:

  /// Returns the context that the attached thread has from now on: the one where it is, `last`, or one that is free, if
  /// it can be; `none` if attached threads have all. Asks the worker that has it to yield, calls asked(), and waits for
  /// this context or for the first other one that becomes free.
  template <class Asked>
  unsigned take(unsigned last, Asked asked) noexcept {
    for (;;) {
      const unsigned c = choose(last, asked);
      if (c == none || source_.acquire(c, each_[c].watch, true)) return c;
      give_back(c);
    }
  }

  /// The attached thread has nothing to do on its context `c`, which is not `none`.
  void give_back(unsigned c) noexcept { give(c, lent, working); }

  /// The attached thread leaves its context as it is, and expects to be back soon, by come_again(). That returns false
  /// if the context was reclaimed meanwhile.
  void step_away(unsigned c) noexcept {
    std::uint64_t seen = lent;
    // release: publishes the attached thread's writes to reclaim()'s acquire. acquire: as in give().
    while (!each_[c].state.compare_exchange(seen, away_from(seen), order::acq_rel)) {
    }
    tell_waiters();
  }
  bool come_again(unsigned c) noexcept {
    std::uint64_t seen = each_[c].state.load(order::relaxed);  // relaxed: a first look
    return back_to(each_[c], seen);
  }
  /// If an attached thread is away from the context, its worker has it from now on, or it is idle. From any thread.
  void reclaim(unsigned c) noexcept {
    if (come_again(c)) give_back(c);
  }

  /// Called when another job may want context `c`. Blocks until the attached thread may run there again. False: it had
  /// better give the context back and take another.
  bool look(unsigned c) noexcept { return source_.acquire(c, each_[c].watch, true); }

  /// Returns the context that the attached thread has from now on instead of `c`: the one where the system has put it
  /// since, if that is idle. Else two threads of this process could be on one processor and none on a second processor,
  /// for as long as the system likes.
  unsigned follow(unsigned c) noexcept {
    const unsigned there = source_.here();
    std::uint64_t found = idle;
    if (there == c || there >= contexts_ || source_.main_context() < contexts_ || !lend(each_[there], found)) return c;
    if (!source_.acquire(there, each_[there].watch, true)) {
      give_back(there);
      return c;
    }
    give_back(std::exchange(c, there));
    return c;
  }

  // For the set of workers:

  const watching& watch(unsigned c) noexcept override { return each_[c].watch; }

  bool hand_over(unsigned worker) noexcept override {
    // relaxed: a request, withdrawn by the attached thread once it has the context.
    if ((each_[worker].watch.request.load(order::relaxed) & watching::attached_request) == 0) return goes_on(worker);
    fall_idle(worker);
    return come_back(worker);
  }

  bool fall_idle(unsigned worker) noexcept override { return give(worker, working, lent); }

  bool come_back(unsigned worker) noexcept override {
    acquire(each_[worker]);
    return goes_on(worker);
  }

  bool may_be_asked(unsigned worker) const noexcept override { return source_.may_be_asked(worker); }
  bool comes_too_late(unsigned worker) noexcept override { return source_.comes_too_late(worker); }
  unsigned contexts_at_hand(unsigned most) const noexcept override { return source_.contexts_at_hand(most); }

  // For the source:

  /// Lets the thread that has the context call acquire() of the source. From any thread.
  void request_look(unsigned c) noexcept {
    each_[c].watch.request.fetch_or(watching::look_request, order::relaxed);  // relaxed: a request
  }
  /// True if an attached thread waits for the context; a hint.
  bool is_awaited(unsigned c) const noexcept {
    // relaxed: a hint.
    return (each_[c].watch.request.load(order::relaxed) & watching::attached_request) != 0;
  }
  /// For the thread that acquire() waits for.
  watching& watch_of(unsigned c) noexcept { return each_[c].watch; }

 private:
  // Which thread has a context:
  static constexpr std::uint64_t idle = 0;
  static constexpr std::uint64_t working = 1;  ///< its worker
  static constexpr std::uint64_t lent = 2;     ///< an attached thread
  static constexpr std::uint64_t away = 3;     ///< an attached thread, until the context is reclaimed
  // And which waits for it:
  static constexpr std::uint64_t attached_thread_waits = 4;
  static constexpr std::uint64_t worker_waits = 8;
  static constexpr std::uint64_t look_elsewhere = 16;  ///< since an attached thread waits, another context was freed
  static constexpr std::uint64_t awaited = working | attached_thread_waits;

  static constexpr std::uint64_t away_from(std::uint64_t s) noexcept { return s + (away - lent); }
  static constexpr bool is_away(std::uint64_t s) noexcept { return (s & away) == away; }
  static constexpr bool is_lent(std::uint64_t s) noexcept { return s == lent || s == away; }
  static constexpr unsigned all = ~0U;

  struct alignas(M::line_size) context {
    watching watch;
    alignas(M::line_size) machine::atomic_of<M, std::uint64_t> state{idle};
  };

  /// Gives the calling attached thread a context, by its word, and returns that; `none` if attached threads have all.
  template <class Asked>
  unsigned choose(unsigned last, Asked asked) noexcept {
    const unsigned main = source_.main_context();
    const unsigned there = source_.here();
    const unsigned first = main < contexts_ ? main : there < contexts_ ? there : last < contexts_ ? last : 0;
    // A thread that moves from one context to another while this one looks may hide both.
    for (;;) {
      const std::uint64_t moves = moves_seen();
      // Among other jobs, only the main thread's context is free to take without asking.
      for (unsigned i = 0; i < (main < contexts_ ? 1 : contexts_); ++i) {
        const unsigned c = (first + i) % contexts_;
        std::uint64_t found = idle;
        if (lend(each_[c], found) || back_to(each_[c], found)) return c;
      }
      for (unsigned i = 0; i < contexts_; ++i) {
        const unsigned c = ask((first + i) % contexts_, asked);
        if (c != none) return c;
      }
      if (moves_seen() == moves) return none;
    }
  }
  // acquire: pairs with the release of the thread that moves, so that the mark which it has withdrawn is not seen.
  std::uint64_t moves_seen() const noexcept { return moves_.load(order::acquire); }

  /// Calls f(c) for the contexts other than `but` that the process can have at once, until it is true. Returns that
  /// context; `none`: there is none.
  template <class F>
  unsigned find_at_hand(unsigned but, F f) noexcept {
    for (unsigned i = 1; i < contexts_; ++i) {
      const unsigned c = (but + i) % contexts_;
      if (source_.is_at_hand(c) && f(each_[c])) return c;
    }
    return none;
  }

  /// True if no thread has the context, or one that is away.
  static bool is_free(context& k) noexcept {
    // release: publishes the caller's place in the count of waiters to give() and step_away(). acquire: not needed,
    // since a read-modify-write finds the newest value.
    const std::uint64_t state = k.state.fetch_or(0, order::release);
    return state == idle || is_away(state);
  }

  /// A context is free: lets attached threads that wait for other contexts look for this one.
  void tell_waiters() noexcept {
    if (waiting_.load(order::relaxed) != 0) [[unlikely]]  // relaxed: see give()
      tell_all_waiters();
  }
  [[gnu::cold, gnu::noinline]] void tell_all_waiters() noexcept {
    for (unsigned c = 0; c < contexts_; ++c) {
      auto& state = each_[c].state;
      for (std::uint64_t seen = state.load(order::relaxed); (seen & ~look_elsewhere) == awaited;) {
        // release: publishes the free context to wait_for(), also where the mark stands already.
        if (!state.compare_exchange(seen, awaited | look_elsewhere, order::release)) continue;
        if (seen == awaited) M::unpark(state, all);
        break;
      }
    }
  }

  /// From idle to an attached thread.
  bool lend(context& k, std::uint64_t& found) noexcept {
    found = idle;
    // acquire: pairs with give()'s release; the last owner's writes are visible. release: publishes a move (ask()) to a
    // thread that finds the context taken.
    if (!k.state.compare_exchange(found, lent, order::acq_rel)) return false;
    lent_.fetch_add(1, order::relaxed);  // relaxed: a hint
    return true;
  }

  /// From an attached thread that is away to one that is present.
  static bool back_to(context& k, std::uint64_t& seen) noexcept {
    while (is_away(seen)) {
      // acquire: pairs with step_away()'s release, of the same attached thread or of another. release: as in lend().
      if (k.state.compare_exchange(seen, seen - (away - lent), order::acq_rel)) return true;
    }
    return false;
  }

  bool goes_on(unsigned worker) noexcept {
    if (source_.acquire(worker, each_[worker].watch, false)) return true;
    fall_idle(worker);
    return false;
  }

  /// For the worker: blocks until it has the word.
  static void acquire(context& k) noexcept {
    for (std::uint64_t seen = idle;;) {
      // acquire: pairs with give()'s release.
      if (seen == idle && k.state.compare_exchange(seen, working, order::acquire)) return;
      // relaxed: nothing is read yet.
      if (is_lent(seen) && k.state.compare_exchange(seen, seen | worker_waits, order::relaxed)) break;
    }
    const auto not_yet = [](std::uint64_t s) { return (s & worker_waits) != 0; };
    // Without spinning, which would happen where the attached thread runs. acquire, by wait_while: pairs with the
    // release of the attached thread's give().
    std::uint64_t s = M::wait_while(k.state, not_yet, machine::patience::none);
    for (; not_yet(s); s = M::wait_while(k.state, not_yet, machine::patience::none)) {
      M::park(k.state, static_cast<std::uint32_t>(s));
    }
  }

  /// Called by the thread that has the context, so that its word is `mine`, with marks if the other side waits. Frees
  /// the context, which returns true, or hands it to the waiter: then the word is `others`.
  bool give(unsigned c, std::uint64_t mine, std::uint64_t others) noexcept {
    context& k = each_[c];
    // relaxed: a first look. If a thread of this process waits, it goes on, and other jobs need not be told.
    if (k.state.load(order::relaxed) == mine) source_.release(c);
    std::uint64_t seen = mine;
    // release: publishes this thread's writes to the next owner's acquire. acquire: pairs with is_free(), for the count
    // of waiters.
    while (!k.state.compare_exchange(seen, seen == mine ? idle : others, order::acq_rel)) {
    }
    // relaxed: a hint.
    if (mine == lent) lent_.fetch_sub(1, order::relaxed);
    if (seen == mine) {
      tell_waiters();
      return true;
    }
    if (others == lent) lent_.fetch_add(1, order::relaxed);
    M::unpark(k.state, all);
    return false;
  }

  /// For an attached thread. Returns the context that it has: this one, or another that became free first. `none`:
  /// another attached thread has it, or waits for it.
  template <class Asked>
  unsigned ask(unsigned c, Asked asked) noexcept {
    context& k = each_[c];
    std::uint64_t seen = k.state.load(order::relaxed);  // relaxed: a first look
    for (;;) {
      if (seen == idle) {
        if (lend(k, seen)) return c;
      } else if (is_away(seen)) {
        if (back_to(k, seen)) return c;
      } else if (seen != working) {
        const std::uint64_t found = seen;
        seen = k.state.load(order::acquire);  // acquire: pairs with lend() and back_to() of a thread that moved here
        if (seen == found) return none;
      } else {
        waiting_.fetch_add(1, order::relaxed);  // relaxed, both: is_free() publishes it
        // acquire: the last attached thread withdrew its request before.
        const bool asks = k.state.compare_exchange(seen, awaited, order::acquire);
        const bool has = asks && wait_for(c, asked);
        waiting_.fetch_sub(1, order::relaxed);
        if (has) return c;
        if (!asks) continue;
        moves_.fetch_add(1, order::release);  // release: publishes the withdrawal to moves_seen()
        const unsigned other = find_at_hand(c, [this](context& free) {
          std::uint64_t found = idle;
          return lend(free, found) || back_to(free, found);
        });
        if (other != none) return other;
        seen = k.state.load(order::relaxed);  // another thread was faster
      }
    }
  }

  /// For an attached thread that has marked context `c`. True: the thread has it. False: another context is free, or
  /// was, and the mark is withdrawn.
  template <class Asked>
  bool wait_for(unsigned c, Asked asked) noexcept {
    context& k = each_[c];
    // relaxed: a request; `state` decides.
    k.watch.request.fetch_or(watching::attached_request, order::relaxed);
    asked();
    const auto not_yet = [](std::uint64_t s) { return s == awaited; };
    bool looks = true;
    std::uint64_t s = awaited;
    for (;;) {
      if (std::exchange(looks, false) && find_at_hand(c, is_free) != none) break;
      s = M::wait_while(k.state, not_yet, machine::patience::brief);
      if (not_yet(s)) {
        M::park(k.state, awaited);
      } else if (s == (awaited | look_elsewhere)) {
        looks = k.state.compare_exchange(s, awaited, order::acquire);  // acquire: pairs with tell_all_waiters()
      } else {
        break;
      }
    }
    // relaxed: the worker reads it only once it has the context again, and no other thread asks before the mark is
    // gone.
    k.watch.request.fetch_and(~watching::attached_request, order::relaxed);
    while ((s & ~look_elsewhere) == awaited) {
      if (k.state.compare_exchange(s, working, order::relaxed)) return false;  // relaxed: publishes nothing
    }
    return (k.state.load(order::acquire) & lent) != 0;  // acquire: pairs with the release of the worker's give()
  }

  const unsigned contexts_;
  context_source<M> all_mine_;
  context_source<M>& source_;
  std::unique_ptr<context[]> each_;
  machine::atomic_of<M, std::uint64_t> moves_{0};  ///< how often a thread went on to another context than it asked for
  machine::atomic_of<M, unsigned> waiting_{0};     ///< attached threads that wait for a context
  alignas(M::line_size) machine::atomic_of<M, unsigned> lent_{0};  ///< contexts that attached threads have
};

}  // namespace callisto::workers
