// The two words that a broker and one job have for one context: the broker writes the offer, the job writes the reply.
//
// Each word lies in memory that the two processes alone share, and that its reader cannot write. So no third process
// sees, wakes or delays anything there. Every value is valid. The broker copies a reply once and then uses the copy.
//
// The job has the context if the offer is granted and the reply does not give back the grant of that number. The
// number changes with each grant and each revocation.
//
// 1. *Job that wants the context:* loads the offer. If it has the context, it says busy. Otherwise it writes a request
//    with the offer's number into the reply, and rings. Then it sleeps while the low half of the offer stays the same.
// 2. *Broker, is rung:* loads the reply, and decides (arbiter.hpp). It grants by a store of the offer, and wakes.
// 3. *Broker, wants the context for another job:* sets asked in the offer of the holder.
// 4. *Holder, finds the offer changed at a check-in:* if it is asked, it gives back by its reply, and rings.
// 5. *Broker, sees that:* revokes the offer, and grants to the other job.
// 6. *Holder without work:* says idle in its reply. It rings if the broker watches. The broker may revoke an idle offer
//    without a question.
// 7. *Job that withdraws a request:* says so, and rings. The broker revokes what it granted meanwhile.
// 8. *Broker, has had no answer for the grace period:* revokes. The holder finds out at its next check-in.
//
// In steps 6 and 8 the old holder may run until its next check-in beside the new one. A request counts for the number
// that it names: a job asks anew if its offer has changed since, and rings. In steps 6 and 8 the job may give the
// context back meanwhile, and sleep: there the broker wakes it, and it asks anew. So no revocation loses a request.
#pragma once

#include <callisto/cosched/context_entry.hpp>
#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::broker {

/// The broker's word to the job.
///
///   low half, on which the job's threads sleep: granted (1 bit), number (31 bits)    high half: asked (1 bit)
struct offer {
  std::uint32_t number = 0;
  bool granted = false;
  bool asked = false;  ///< the job is to give the context back

  static constexpr std::uint32_t numbers = std::uint32_t{1} << 31;

  static constexpr offer of(std::uint64_t word) noexcept {
    const auto low = static_cast<std::uint32_t>(word);
    return {.number = low & (numbers - 1), .granted = (low & numbers) != 0, .asked = (word >> 32 & 1) != 0};
  }
  constexpr std::uint64_t word() const noexcept {
    return std::uint64_t{asked} << 32 | (granted ? numbers : 0) | (number & (numbers - 1));
  }
  constexpr std::uint32_t next() const noexcept { return (number + 1) & (numbers - 1); }
};

/// The job's word to the broker.
///
///   number (31 bits), wants (1 bit), idle (1 bit), back (1 bit), since (30 bits): in units of 1,024 ns
struct reply {
  std::uint32_t number = 0;  ///< of the offer that it answers
  bool wants = false;
  bool idle = false;  ///< the job has the context, and no work there
  bool back = false;  ///< the grant of that number is given back
  std::uint32_t since = 0;

  static constexpr reply of(std::uint64_t word) noexcept {
    return {.number = static_cast<std::uint32_t>(word) & (offer::numbers - 1),
            .wants = (word >> 31 & 1) != 0,
            .idle = (word >> 32 & 1) != 0,
            .back = (word >> 33 & 1) != 0,
            .since = static_cast<std::uint32_t>(word >> 34)};
  }
  constexpr std::uint64_t word() const noexcept {
    return std::uint64_t{since & (since_values - 1)} << 34 | std::uint64_t{back} << 33 | std::uint64_t{idle} << 32 |
           std::uint64_t{wants} << 31 | (number & (offer::numbers - 1));
  }
  static constexpr std::uint32_t stamp(std::uint64_t now) noexcept {
    return static_cast<std::uint32_t>(now >> 10) & (since_values - 1);
  }
  /// Returns for how many nanoseconds the job says that it has been idle; 0 if it names a moment that is to come.
  constexpr std::uint64_t idle_for(std::uint64_t now) const noexcept {
    const std::uint32_t units = (stamp(now) - since) & (since_values - 1);
    return units >= since_values / 2 ? 0 : std::uint64_t{units} << 10;
  }

 private:
  static constexpr std::uint32_t since_values = std::uint32_t{1} << 30;
};

/// True if the job has the context.
constexpr bool has_it(const offer& o, const reply& r) noexcept {
  return o.granted && !(r.back && r.number == o.number);
}

/// True if the job has the context, and has not withdrawn the request for which it was granted; for the broker.
constexpr bool holds_it(const offer& o, const reply& r) noexcept {
  return has_it(o, r) && (r.wants || r.number == o.number);
}

/// The broker's line of one context, which the job only reads.
template <machine::policy M>
struct offer_line {
  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> word{0};
  machine::atomic_of<M, std::uint64_t> watched{0};  ///< not 0: a job waits for this one to be idle, or to leave
  machine::atomic_of<M, std::uint64_t> share{0};    ///< of the time with high priority, in units of 2^-32
};

/// The job's line of one context, which the broker only reads.
template <machine::policy M>
struct reply_line {
  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> word{0};
};

/// The job's side. Threads of the job may use it at once. `World` supplies
///   now()               nanoseconds
///   ring(context)       wakes the broker, which then sees what the caller did before
///   park(word, low, ns) sleeps while the low half of `word` is `low`, for a time at most
template <machine::policy M>
class job_side {
  using order = machine::order;

 public:
  job_side(const offer_line<M>& from, reply_line<M>& to, unsigned context) noexcept
      : from_(from), to_(to), context_(context) {}

  /// Makes one attempt to run here, and registers the request. True if the job runs here. Otherwise `seen` is the offer
  /// to wait for a change of.
  template <class World>
  bool try_take(World& world, cosched::lease& mine, std::uint64_t& seen) const {
    // relaxed: each exchange below compares it.
    std::uint64_t word = to_.word.load(order::relaxed);
    for (;;) {
      // acquire: pairs with the release store of grant(), so this job sees what the last holder did.
      seen = from_.word.load(order::acquire);
      const offer o = offer::of(seen);
      const reply r = reply::of(word);
      if (has_it(o, r)) {
        if (o.asked) {
          give(world, word, o);
          continue;
        }
        const reply busy{.number = o.number, .wants = true};
        // relaxed: publishes nothing.
        if (word != busy.word() && !to_.word.compare_exchange(word, busy.word(), order::relaxed)) continue;
        mine.word = seen;
        return true;
      }
      if (r.wants && r.number == o.number) return false;
      const reply request{.number = o.number, .wants = true, .back = o.granted};
      // relaxed: publishes nothing more. An exchange continues the release of an idle() before it.
      if (!to_.word.compare_exchange(word, request.word(), order::relaxed)) continue;
      world.ring(context_);
      return false;
    }
  }

  /// Blocks until the job runs here, and returns true. Calls `give_up()` at each change and at least every `longest`
  /// nanoseconds; if it is true, withdraws the request and returns false.
  template <class World, class GiveUp>
  bool take(World& world, cosched::lease& mine, GiveUp give_up, std::uint64_t longest) const {
    for (std::uint64_t seen = 0;;) {
      if (try_take(world, mine, seen)) return true;
      if (give_up()) {
        withdraw(world);
        return false;
      }
      world.park(from_.word, static_cast<std::uint32_t>(seen), longest);
    }
  }

  /// Answers a check-in that found something: true if the job may go on. False if it has given the context back, or had
  /// lost it before; its request stays. Without `gives`, a holder that is asked keeps the context until the next call.
  template <class World>
  bool keep(World& world, cosched::lease& mine, bool gives = true) const {
    for (;;) {
      // acquire: as in try_take().
      const std::uint64_t seen = from_.word.load(order::acquire);
      const offer o = offer::of(seen);
      std::uint64_t word = to_.word.load(order::relaxed);  // relaxed: the exchange in give() compares it
      if (!has_it(o, reply::of(word))) return false;
      if (!o.asked) {
        mine.word = seen;
        return true;
      }
      if (!gives || give(world, word, o)) return false;
    }
  }

  /// Says that there is no work here for now. take() comes back when there is.
  template <class World>
  void idle(World& world) const {
    std::uint64_t word = to_.word.load(order::relaxed);  // relaxed: the exchange compares it
    for (;;) {
      const offer o = offer::of(from_.word.load(order::relaxed));  // relaxed: the broker compares the number
      const bool has = has_it(o, reply::of(word));
      const reply rest{.number = o.number, .idle = has, .back = o.granted && !has, .since = reply::stamp(world.now())};
      if (!to_.word.compare_exchange(word, rest.word(), order::release)) continue;  // release: as in give()
      // relaxed: a broker that begins to watch now looks again by its clock.
      if (has ? from_.watched.load(order::relaxed) != 0 : reply::of(word).wants) world.ring(context_);
      return;
    }
  }

  /// Gives the context back, if the job has it, and withdraws its request.
  template <class World>
  void leave(World& world) const {
    std::uint64_t word = to_.word.load(order::relaxed);  // relaxed: the exchange compares it
    for (;;) {
      const offer o = offer::of(from_.word.load(order::relaxed));  // relaxed: the broker compares the number
      const bool has = has_it(o, reply::of(word));
      const reply gone{.number = o.number, .back = o.granted};
      if (!to_.word.compare_exchange(word, gone.word(), order::release)) continue;  // release: as in give()
      if (has || reply::of(word).wants) world.ring(context_);
      return;
    }
  }

  /// Withdraws the request of a job that does not run here. Rings, since the broker may grant it at this moment.
  template <class World>
  void withdraw(World& world) const {
    std::uint64_t word = to_.word.load(order::relaxed);  // relaxed, both: publishes nothing
    reply r = reply::of(word);
    do {
      r = reply::of(word);
      r.wants = false;
    } while (!to_.word.compare_exchange(word, r.word(), order::relaxed));
    world.ring(context_);
  }

 private:
  /// Gives back the grant `o`, and keeps the request. False if the reply was not `word` any more.
  template <class World>
  bool give(World& world, std::uint64_t& word, const offer& o) const {
    const reply back{.number = o.number, .wants = true, .back = true};
    // release: pairs with the acquire load of look(), so the next holder sees what this job did here.
    if (!to_.word.compare_exchange(word, back.word(), order::release)) return false;
    word = back.word();
    world.ring(context_);
    return true;
  }

  const offer_line<M>& from_;
  reply_line<M>& to_;
  unsigned context_;
};

/// The broker's side of one job and one context. One thread uses it.
template <machine::policy M>
class broker_side {
  using order = machine::order;

 public:
  broker_side(offer_line<M>& to, const reply_line<M>& from) noexcept : to_(to), from_(from) {}

  /// Returns a copy of the reply. acquire: pairs with the release of the job's exchanges.
  reply look() const { return reply::of(from_.word.load(order::acquire)); }

  /// Says `o`; the caller wakes the job if it waits for that. release: publishes what earlier holders did, to the
  /// acquire load in try_take().
  void say(const offer& o) const { to_.word.store(o.word(), order::release); }

  /// Says whether the job is to ring when it is idle. relaxed: a hint; the broker looks again by its clock.
  void watch(bool on) const { to_.watched.store(on ? 1 : 0, order::relaxed); }

 private:
  offer_line<M>& to_;
  const reply_line<M>& from_;
};

}  // namespace callisto::broker
