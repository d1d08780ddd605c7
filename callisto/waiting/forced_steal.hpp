// Stealing by force: how a thief gets what an owner has set aside for itself and has not begun.
//
// An owner sets units aside (iterations, tasks) and begins them in a row. It publishes `reserved`, the part
// [begun, limit) that is left, by a plain store for each unit: no locked instruction, no processor fence. Thieves ask
// through one more word, the request: a state, a version and, once cut off, the cut:
//
//   idle --thief--> polite --thief, later--> forcing --thief--> cut off --owner--> idle
//                      |                        |
//                      +---- owner or thief ----+--> idle: called off, or nothing is reserved
//
// 1. *Owner, begins a unit:* stores `reserved` with `begun` advanced, passes its light fence, and loads the request. If
//    the request is idle, the unit is the owner's.
// 2. *Thief, finds something reserved:* changes idle to polite, or shares the request of another thief, and looks
// again.
//    If nothing is reserved any more, the owner may have begun its last unit before it could see the request: the thief
//    takes back the request that it has made.
// 3. *Thief, waits for a moment:* the owner answers between two units. If the request has changed, the thief starts
// anew.
// 4. *Thief, gets no answer:* uses force, since the owner's unit is long or the system has suspended the owner. Of the
//    thieves that share the request, one changes polite to forcing. It passes its heavy fence, and only then looks at
//    `reserved`. The other thieves start anew.
// 5. *Thief, has looked:* changes forcing to cut off, with the place where the part begins that it saw; to idle, if it
//    saw none. If that compare-and-swap succeeds, the part is the thief's. If it fails, the thief has been called off:
//    it has nothing, and starts anew.
// 6. *Owner, finds a request:* changes polite or forcing to idle by compare-and-swap. If that succeeds, the owner has
//    called the thief off: all units are the owner's, and it gives back what it has not begun. If a thief has changed
//    the request to idle before, all units are the owner's, too.
// 7. *Owner, finds itself cut off:* the thief has everything from the cut on. If the cut is `begun`, the owner runs the
//    unit before that place; otherwise the thief has seen the `begun` of one unit earlier, and runs that unit. The
//    owner publishes an empty part, passes a light fence, and changes the request to idle.
//
// Why no unit is run twice, and none is lost:
//
// - Steps 1 and 4 are Dekker's problem, as in the THE protocol of Cilk (Frigo, Leiserson, Randall, PLDI 1998): the
//   owner stores `reserved` and then loads the request; the thief stores the request and then loads `reserved`. One of
//   them sees what the other thread has stored. The thief pays for both fences: its heavy fence (membarrier) puts a
//   fence between the owner's two instructions, wherever the owner is (compare Folly's AsymmetricThreadFence).
// - If the thief has not seen the owner's newest `begun`, the owner sees `forcing`. Then one compare-and-swap of the
//   request decides between the two, in step 5 or in step 6.
// - Each change to forcing, and each change back to idle, has a new version. A thief that stops between its look and
//   step 5 finds another version when it goes on, even if a second thief uses force by then.
// - Units that an owner gives back go to a place where any thread takes them. An owner that gives back all at once
//   publishes an empty part before step 6, and passes a light fence: the next thief that uses force must not see the
//   old part. An owner that gives back unit by unit does step 1 for each.
// - The same holds in step 7: the next thief that uses force finds the empty part.
//
// A machine without a heavy fence has steps 1 to 3 and 6 only.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::waiting {

/// The answer to a thief that has asked an owner.
enum class steal_reply {
  nothing,  ///< nothing is reserved, or the thief cannot have it
  again,    ///< the owner has given something back, has begun it all, or another thief was faster: look again
  got,      ///< the thief has all that was reserved
};

/// The request word of one owner. `CutBits`: the bits of a cut, a number of the user's. `TakesOver`: a thief that has
/// waited for another one which uses force takes the force over: it changes forcing to forcing, of a new version. So a
/// thief that stops for ever keeps nothing back, but thieves may disturb each other. A thief that finds the owner cut
/// off then has nothing to wait for. Without `TakesOver`, a thief that has waited for another's force gets
/// nothing.
template <machine::policy M, unsigned CutBits, bool TakesOver>
class forced_steal {
  using order = machine::order;

 public:
  using word = machine::atomic_of<M, std::uint64_t>;

  // For the owner:

  /// True if a thief asks: answer. Called after each store of `reserved` that takes units away from thieves.
  bool is_asked() const noexcept {
    M::light_fence();  // step 1: pairs with the heavy fence in ask()
    return state_of(word_.load(order::relaxed)) != idle;
  }

  enum class outcome {
    unasked,     ///< no thief asks any more
    called_off,  ///< the thief has nothing
    cut_off,     ///< the thief has everything from the cut on; end_cut() follows
  };
  struct answer {
    outcome how;
    std::uint64_t cut;  ///< if it was cut off
  };

  /// Answers a thief (steps 6 and 7), for an owner that gives back nothing, or unit by unit. If it was cut off, what
  /// the thief has prepared is visible.
  [[gnu::cold, gnu::noinline]] answer call_off() noexcept {
    std::uint64_t found = word_.load(order::relaxed);
    while (state_of(found) == polite || state_of(found) == forcing) {
      // relaxed: publishes nothing. Units that the owner gives back travel in another word.
      if (word_.compare_exchange(found, next_version(found), order::relaxed)) return {outcome::called_off, 0};
    }
    if (state_of(found) == idle) return {outcome::unasked, 0};
    // acquire: pairs with the release in ask(), for what the thief has prepared. A cut stays until end_cut().
    return {outcome::cut_off, cut_of(word_.load(order::acquire))};
  }

  /// Does call_off() for an owner that then gives back all at once: hide() publishes an empty part. Even if no thief
  /// asks any more, the part may stay hidden until the owner's next unit.
  template <class Hide>
  answer call_off_behind(Hide hide) noexcept {
    if (state_of(word_.load(order::relaxed)) == idle) return {outcome::unasked, 0};
    hide();
    M::light_fence();  // pairs with the heavy fence of the next thief, which must not see what is given back
    return call_off();
  }

  /// Ends a cut (step 7). The owner has published an empty part.
  void end_cut() noexcept {
    M::light_fence();  // pairs with the heavy fence of the next thief, which must not see what is taken
    // relaxed: publishes nothing. No other thread changes the word while the owner is cut off.
    word_.store(next_version(word_.load(order::relaxed)), order::relaxed);
  }

  /// Lets a thief go on that asks in vain: the owner has begun all units.
  void refuse() noexcept {
    if (state_of(word_.load(order::relaxed)) != idle) [[unlikely]]
      call_off();
  }

  // For thieves:

  /// Asks the owner (steps 2 to 5) on behalf of a thief that has:
  ///   look()            looks at `reserved`; true if it finds something, which the thief remembers. With acquire, if
  ///                     units are data that the owner has written
  ///   cut()             the cut: where the part begins that it has found
  ///   prepare(w, v)     called before step 5: the part is the thief's once the word w has the value v
  ///   commit()          called after step 5: the part is the thief's
  ///   cancel()          called after step 5: it is not
  template <class Thief>
  steal_reply ask(Thief&& thief) {
    if (!thief.look()) return steal_reply::nothing;
    std::uint64_t found = word_.load(order::relaxed);
    const bool is_first = state_of(found) == idle;
    if (is_first) {
      const std::uint64_t request = in_state(found, polite);
      if (!word_.compare_exchange(found, request, order::relaxed)) return steal_reply::again;
      found = request;
    }
    const bool has_run_out = !thief.look();  // step 2
    if (has_run_out) {
      if (is_first) word_.compare_exchange(found, next_version(found), order::relaxed);
      return steal_reply::again;
    }
    if (TakesOver && state_of(found) == cut_off) return steal_reply::nothing;
    const auto unchanged = [found](std::uint64_t now) { return now == found; };
    if (!unchanged(M::wait_while(word_, unchanged, machine::patience::brief))) return steal_reply::again;
    if (!M::has_heavy_fence()) return steal_reply::nothing;
    if (!TakesOver && state_of(found) != polite) return steal_reply::nothing;
    // A new version: a thief that has begun to use force before this one cannot go on.
    const std::uint64_t force = in_state(next_version(found), forcing);
    if (!word_.compare_exchange(found, force, order::relaxed)) return steal_reply::again;
    M::heavy_fence();  // step 4: pairs with the light fences of the owner
    const bool some = thief.look();
    const std::uint64_t decided = some ? in_state(force, cut_off, thief.cut()) : next_version(force);
    if (some) thief.prepare(word_, decided);
    found = force;
    // release: publishes what the thief has prepared to call_off().
    while (!word_.compare_exchange(found, decided, order::release)) {
      if (found == force) continue;
      if (some) thief.cancel();
      return steal_reply::again;  // the owner, or another thief, has called it off
    }
    if (!some) return steal_reply::nothing;
    thief.commit();
    return steal_reply::got;
  }

 private:
  // From the low end: a state in 2 bits, a version, the cut in the highest bits.
  enum state : std::uint64_t { idle, polite, forcing, cut_off };
  static constexpr unsigned cut_shift = 64 - CutBits;
  static constexpr std::uint64_t version_bits = (std::uint64_t{1} << cut_shift) - 4;
  static_assert(cut_shift >= 32);

  static constexpr std::uint64_t state_of(std::uint64_t request) noexcept { return request & 3; }
  static constexpr std::uint64_t cut_of(std::uint64_t request) noexcept { return request >> cut_shift; }
  static constexpr std::uint64_t in_state(std::uint64_t request, state of, std::uint64_t cut = 0) noexcept {
    return cut << cut_shift | (request & version_bits) | of;
  }
  /// Returns an idle request of the next version.
  static constexpr std::uint64_t next_version(std::uint64_t request) noexcept {
    return ((request & version_bits) + 4) & version_bits;
  }

  word word_{0};
};

}  // namespace callisto::waiting
