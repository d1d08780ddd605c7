// A loop as a work item: a thread claims a batch and runs the body over it, until nothing is left (ATC 2015, section
// 2.1).
#pragma once

#include <callisto/distributor/range.hpp>
#include <callisto/distributor/splitting_ranges.hpp>
#include <callisto/loop/batch_sizer.hpp>
#include <callisto/loop/record/recorder.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/machine/system/exceptions.hpp>
#include <callisto/machine/system/thread_sanitizer.hpp>
#include <callisto/workers/teams/work_item.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace callisto::loop {

/// A loop over [0, n) that `Distributor` hands out, of any body: all of it is compiled once, except the few lines that
/// call the body. `Stop` is checked before every batch: stop_possible(), stop_requested().
template <machine::policy M, class Distributor, class Stop = std::stop_token>
class loop_item final : public workers::work_item<M> {
  using order = machine::order;
  template <class T>
  using plain = machine::plain_of<M, T>;
  template <class T>
  using atomic = machine::atomic_of<M, T>;
  using publication = typename workers::work_item<M>::publication;
  using context_lease = workers::context_lease<M>;
  struct participation;

  /// State that a thread takes over from the leader; nothing on machines that have none.
  struct no_environment {
    static no_environment here() noexcept { return {}; }
    void apply() const noexcept {}
    static void left() noexcept {}
  };
  template <class Machine>
  struct environment_of {
    using type = no_environment;
  };
  template <class Machine>
    requires requires { typename Machine::thread_environment; }
  struct environment_of<Machine> {
    using type = typename Machine::thread_environment;
  };
  using environment = typename environment_of<M>::type;

  template <class D>
  struct absentees_of {
    using type = void;  // a distributor that deals out no parts need not know
  };
  template <distributor::divisible D>
  struct absentees_of<D> {
    using type = typename D::absentees;
  };
  using absentees = typename absentees_of<Distributor>::type;

 public:
  /// Where a thread that runs a loop by itself gets its batches: the loop is not published.
  class solo_batches {
   public:
    /// Returns the next batch; empty: the thread leaves.
    virtual distributor::range next() noexcept = 0;

   protected:
    ~solo_batches() = default;
  };

  /// The source from which a thread gets its batches, one at a time.
  class batches {
   public:
    /// Makes an empty source, or one that gives what `solo` does.
    explicit batches(solo_batches* solo = nullptr) noexcept
      requires(!distributor::divisible<Distributor>)
        : solo_(solo) {}
    batches(participation& mine, publication* published, typename recorder<M>::part recorded) noexcept
        : mine_(&mine), published_(published), recorded_(recorded) {}

    distributor::range operator()() const noexcept {
      // A piece of a reservation costs less than a call.
      if constexpr (distributor::divisible<Distributor>) {
        return next();
      } else {
        return mine_ == nullptr && solo_ == nullptr ? distributor::range{} : call_next();
      }
    }

   private:
    friend loop_item;

    distributor::range next() const noexcept {
      recorded_.worked();
      return first();
    }
    distributor::range first() const noexcept {
      const distributor::range r = mine_->next(published_);
      if (!r.empty()) recorded_.claimed(r.first, r.last, mine_->cursor);
      return r;
    }
    distributor::range call_next() const noexcept;

    participation* mine_ = nullptr;
    publication* published_ = nullptr;
    solo_batches* solo_ = nullptr;
    [[no_unique_address]] typename recorder<M>::part recorded_;
  };

  /// Refers to a body of any type, which provides
  ///   class participant { explicit participant(Body&); void work(first, last); void join(); };
  /// Each thread that claims anything makes a participant on its stack (fork), runs its batches, and joins at the end
  /// unless a body threw on that thread.
  class body {
   public:
    template <class Body>
      requires(!std::is_same_v<Body, body>)
    body(Body& of) noexcept : of_(&of), take_part_(take_part<Body>), one_by_one_(takes_one_by_one<Body>()) {}

    void operator()(distributor::range batch, const batches& rest) const { take_part_(of_, batch, rest, first_); }

    /// True if the body does not care how large batches are: it takes iterations one by one.
    bool one_by_one() const noexcept { return one_by_one_; }

    /// Returns the body of the loop that remains when the first `done` iterations have run: its iteration 0 is this
    /// one's iteration `done`.
    body without(std::uint64_t done) const noexcept {
      body rest = *this;
      rest.first_ += done;
      return rest;
    }

   private:
    template <class Body>
    static constexpr bool takes_one_by_one() noexcept {
      if constexpr (requires { Body::one_by_one; }) return Body::one_by_one;
      return false;
    }

    template <class Body>
    static void take_part(void* of, distributor::range batch, const batches& others, std::uint64_t first) {
      // If claiming is part of this code, a copy with no known address can stay in registers.
      std::conditional_t<distributor::divisible<Distributor>, const batches, const batches&> rest = others;
      const machine::seen_by_sanitizer shown(of);
      typename Body::participant mine(*static_cast<Body*>(of));
      do {
        mine.work(first + batch.first, first + batch.last);
        batch = rest();
      } while (!batch.empty());
      mine.join();
    }

    void* of_;
    void (*take_part_)(void*, distributor::range, const batches&, std::uint64_t);
    std::uint64_t first_ = 0;  ///< the body's number of the loop's iteration 0
    bool one_by_one_;
  };

  /// Makes a loop of the body `of`. `where` are the threads that may run it; it and the body outlive the item. `stages`
  /// are the schedule's. `batch` 0 sizes batches by time, with a hint of `hint` iterations. `recorded` is where the
  /// loop is recorded. `absent` are
  /// threads that are not expected; null: all are. `most` is how many threads may run it at once; 0: all.
  loop_item(const body& of, std::uint64_t n, const distributor::layout& where,
            std::span<const distributor::stage> stages, std::uint64_t batch, const Stop& stop, std::uint64_t hint = 1,
            recorder<M> recorded = {}, const absentees* absent = nullptr, std::uint32_t most = 0);
  ~loop_item();

  void run(unsigned thread, publication* published, context_lease* on) noexcept override;

  /// True if a thread left before nothing was left to claim; called by the leader after all have left. The leader then
  /// leads the loop again, from where it stands.
  bool deserted() noexcept {
    // relaxed, both: the gate ordered it.
    if (!workers::coscheduled || deserted_.load(order::relaxed) == 0) return false;
    came_.store(0, order::relaxed);
    return deserted_.exchange(0, order::relaxed) != 0;
  }

  /// True if a follower that came may run a loop with a limit. The last one takes the notice off: no more followers
  /// come. A follower that leaves early has no successor before the leader leads the loop again.
  [[gnu::cold, gnu::noinline]] bool finds_room(publication* published) noexcept {
    // relaxed: the count alone decides.
    const std::uint32_t before = came_.fetch_add(1, order::relaxed);
    if (before + 2 >= most_) withdraw(published);
    return before + 1 < most_;
  }

  /// Rethrows the first exception of a body, and returns true if no iteration was dropped; called by the leader after
  /// all have left.
  bool result() const;

 private:
  static constexpr unsigned scale_of(std::uint64_t n) noexcept {
    return static_cast<unsigned>(std::bit_width((n - (n != 0 ? 1 : 0)) / Distributor::most));
  }

  static constexpr std::uint64_t units(std::uint64_t n, unsigned bits) noexcept {
    return (n >> bits) + ((n & ((std::uint64_t{1} << bits) - 1)) != 0 ? 1 : 0);
  }

  /// State of one thread while it takes part.
  struct participation {
    participation(loop_item& of, unsigned thread, context_lease* stands_on) noexcept;

    /// Returns the iterations to run next; none: the thread leaves.
    distributor::range next(publication* published) noexcept {
      if (item.stoppable_ && item.stop_.stop_requested()) [[unlikely]] {
        stop(published);
        return {};
      }
      if (at != end) [[unlikely]]
        return part_of_unit();
      distributor::range r;
      if constexpr (distributor::divisible<Distributor>) {
        r = item.distributor_.piece(cursor, piece);
        if (r.empty()) r = reserve(published);
      } else {
        r = claim(published);
      }
      const unsigned bits = item.scale_bits_;
      const distributor::range all{r.first << bits, r.last == item.units_ ? std::uint64_t{item.n_} : r.last << bits};
      if (bits == 0 || r.empty()) return r;
      if (item.batch_ == 0 ? !sizer.one_at_a_time() : all.size() <= item.batch_) return all;
      at = all.first;
      end = all.last;
      return part_of_unit();
    }

    [[gnu::cold, gnu::noinline]] void stop(publication* published) noexcept;

    /// Keeps what a body threw.
    [[gnu::cold, gnu::noinline]] void fail(std::exception_ptr thrown, publication* published) noexcept;

    /// Returns a part of the unit at hand, which no other thread can run any more. In a huge loop a unit may be more
    /// than the caller wants at a time, or take long. Between two parts the thread checks in, and waits where it is.
    [[gnu::cold, gnu::noinline]] distributor::range part_of_unit() noexcept;

    /// Answers a check-in that found something, made while the thread has nothing that only it can run. False: it
    /// leaves.
    [[gnu::cold, gnu::noinline]] bool stays() noexcept;

    [[gnu::noinline]] distributor::range reserve(publication* published) noexcept
      requires distributor::divisible<Distributor>;
    distributor::range claim(publication* published) noexcept;

    loop_item& item;
    context_lease* const on;  ///< null: no other job can want the context
    workers::lease_poll<M> watched;
    const bool leads;  ///< it is the loop's leader, and cannot leave
    typename Distributor::cursor cursor;
    batch_sizer<M> sizer;
    std::uint64_t piece;     ///< units of a reservation to run at a time
    std::uint64_t last = 0;  ///< without reservations: units of the last claim
    std::uint64_t at = 0;    ///< iterations [at, end) have been claimed but not run
    std::uint64_t end = 0;
    std::optional<batch_sizer<M>> parts;  ///< the sizer of [at, end), once there is any
    std::uint64_t part = 0;               ///< iterations of the last part
  };

  /// Returns the units to ask the distributor for, or 0: by time.
  std::uint64_t asked() const noexcept {
    // A loop that one thread runs, and that cannot be stopped, is one batch.
    if (threads_ == 1 && !stoppable_ && batch_ == 0) return units_;
    if constexpr (distributor::divisible<Distributor>) return 0;
    return batch_ == 0 ? 0 : units(batch_, scale_bits_);
  }

  void withdraw(publication* published) noexcept {
    // In the paper the thread that claims the last iterations takes the item off. Here the first thread that finds none
    // left does so, usually the same thread a moment later, so that distributors need not count what is left.
    if (published != nullptr) published->withdraw();
  }

  void drop_the_rest(publication* published) noexcept {
    distributor_.exhaust();
    withdraw(published);
  }

  [[gnu::cold, gnu::noinline]] void fail(std::exception_ptr thrown, publication* published) noexcept;

  const body body_;
  const plain<std::uint64_t> n_;
  const plain<unsigned> scale_bits_;
  const plain<std::uint64_t> units_;
  const plain<unsigned> threads_;
  const Stop& stop_;
  const plain<bool> stoppable_;
  const plain<std::uint64_t> batch_;  ///< the caller's; 0: sized by time
  const plain<std::uint64_t> hint_;
  const plain<std::uint32_t> most_;  ///< threads that may run it at once; 0: all
  [[no_unique_address]] const recorder<M> recorded_;
  [[no_unique_address]] const environment environment_ = environment::here();
  atomic<std::uint32_t> failed_{0};
  atomic<std::uint32_t> dropped_{0};
  atomic<std::uint32_t> deserted_{0};
  atomic<std::uint32_t> came_{0};  ///< followers, while most_ counts
  plain<std::exception_ptr> thrown_;
  Distributor distributor_;
};

// Functions outside the class are compiled only in native_loops.cpp (native_loops.hpp).

template <machine::policy M, class Distributor, class Stop>
loop_item<M, Distributor, Stop>::loop_item(const body& of, std::uint64_t n, const distributor::layout& where,
                                           std::span<const distributor::stage> stages, std::uint64_t batch,
                                           const Stop& stop, std::uint64_t hint, recorder<M> recorded,
                                           const absentees* absent, std::uint32_t most)
    : body_(of),
      n_(n),
      scale_bits_(scale_of(n)),
      units_(units(n, scale_bits_)),
      threads_(where.threads()),
      stop_(stop),
      stoppable_(stop.stop_possible()),
      batch_(batch),
      hint_(hint),
      most_(most),
      recorded_(recorded),
      distributor_([&] {
        if constexpr (distributor::divisible<Distributor>) {
          return Distributor(units_, where, stages, absent);
        } else {
          return Distributor(units_, where, stages);
        }
      }()) {}

template <machine::policy M, class Distributor, class Stop>
loop_item<M, Distributor, Stop>::~loop_item() = default;

template <machine::policy M, class Distributor, class Stop>
void loop_item<M, Distributor, Stop>::run(unsigned thread, publication* published, context_lease* on) noexcept {
  // A follower from after set_threads(), in a loop from before.
  if (thread >= threads_) return;
  if (thread != 0) {  // 0 is the leader
    if (most_ != 0 && !finds_room(published)) return;
    environment_.apply();
  }
  const auto recorded = recorded_.part_of(thread);
  recorded.entered();
  participation mine(*this, thread, on);
  const batches all(mine, published, recorded);
  if (const distributor::range r = all.first(); !r.empty()) {
    CALLISTO_TRY { body_(r, all); }
    CALLISTO_CATCH_ALL { mine.fail(std::current_exception(), published); }
  }
  recorded.left(mine.cursor);
  if (thread != 0) environment::left();
}

template <machine::policy M, class Distributor, class Stop>
distributor::range loop_item<M, Distributor, Stop>::batches::call_next() const noexcept {
  return solo_ != nullptr ? solo_->next() : next();
}

template <machine::policy M, class Distributor, class Stop>
loop_item<M, Distributor, Stop>::participation::participation(loop_item& of, unsigned thread,
                                                              context_lease* stands_on) noexcept
    : item(of),
      on(workers::coscheduled ? stands_on : nullptr),
      watched(on != nullptr ? on->at() : workers::lease_poll<M>{}),
      leads(thread == 0),
      cursor(of.distributor_.cursor_of(thread)),
      sizer(of.asked(), of.hint_ >> of.scale_bits_),
      piece(of.asked()) {}

template <machine::policy M, class Distributor, class Stop>
void loop_item<M, Distributor, Stop>::participation::stop(publication* published) noexcept {
  item.drop_the_rest(published);
  item.distributor_.leave(cursor);
  if (at != end) item.dropped_.store(1, order::relaxed);  // relaxed: the gate orders the leader's read
}

template <machine::policy M, class Distributor, class Stop>
void loop_item<M, Distributor, Stop>::participation::fail(std::exception_ptr thrown, publication* published) noexcept {
  if (!thrown) machine::end_for_left_body();
  item.fail(std::move(thrown), published);
  item.distributor_.leave(cursor);
}

template <machine::policy M, class Distributor, class Stop>
distributor::range loop_item<M, Distributor, Stop>::participation::part_of_unit() noexcept {
  if (parts) {
    parts->ended(part);
  } else {
    parts.emplace(item.batch_);
  }
  if (on != nullptr && !on->undisturbed(parts->time())) stays();
  part = std::min(parts->next(end - at), end - at);
  at += part;
  return {at - part, at};
}

template <machine::policy M, class Distributor, class Stop>
bool loop_item<M, Distributor, Stop>::participation::stays() noexcept {
  // Only this thread can run the rest of its unit, and iterations that it was granted, or may be at any time.
  if (on->stay(!leads && at == end && item.distributor_.free(cursor))) {
    watched = on->at();
    return true;
  }
  item.distributor_.leave(cursor);
  item.deserted_.store(1, order::relaxed);  // relaxed: the gate orders the leader's read
  return false;
}

template <machine::policy M, class Distributor, class Stop>
distributor::range loop_item<M, Distributor, Stop>::participation::reserve(publication* published) noexcept
  requires distributor::divisible<Distributor>
{
  for (;;) {
    if (const std::uint64_t begun = item.distributor_.begun(cursor); begun != 0) sizer.ended(begun);
    if (on != nullptr && !on->undisturbed(sizer.time()) && !stays()) return {};
    const std::uint64_t batch = item.batch_ >> item.scale_bits_;
    std::uint64_t size = sizer.next(item.distributor_.near(cursor));
    if (batch > 1) size = std::max(size - size % batch, batch);
    if (!item.distributor_.reserve(cursor, size)) {
      item.withdraw(published);
      return {};
    }
    // A reservation is run in pieces: between two of them, what is left of it can be given back.
    piece = item.batch_ != 0                         ? std::max<std::uint64_t>(1, batch)
            : item.threads_ == 1 && !item.stoppable_ ? size
                                                     : sizer.piece(size, item.body_.one_by_one());
    const distributor::range r = item.distributor_.piece(cursor, piece);
    if (!r.empty()) return r;
  }
}

template <machine::policy M, class Distributor, class Stop>
distributor::range loop_item<M, Distributor, Stop>::participation::claim(publication* published) noexcept {
  if (last != 0) sizer.ended(last);
  if (!watched.undisturbed() && !stays()) return {};
  const distributor::range r = item.distributor_.claim(cursor, sizer.next(item.distributor_.near(cursor)));
  last = r.size();
  if (r.empty()) item.withdraw(published);
  return r;
}

template <machine::policy M, class Distributor, class Stop>
bool loop_item<M, Distributor, Stop>::result() const {
  if (const std::exception_ptr& thrown = thrown_; thrown) std::rethrow_exception(thrown);
  return dropped_.load(order::relaxed) == 0 && !distributor_.dropped();  // relaxed: the gate ordered it
}

template <machine::policy M, class Distributor, class Stop>
void loop_item<M, Distributor, Stop>::fail(std::exception_ptr thrown, publication* published) noexcept {
  drop_the_rest(published);
  // relaxed: it only elects one; the leader reads the exception behind the gate.
  if (failed_.exchange(1, order::relaxed) == 0) thrown_ = std::move(thrown);
}

}  // namespace callisto::loop
