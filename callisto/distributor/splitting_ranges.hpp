// Ranges that split: each thread takes from a range of its own, and who runs dry takes half of another's. What a thread
// has reserved for itself but not begun can still be had: it is given back on request, or taken by force.
//
// The paper's counters make thieves add to the victim's counter batch by batch, on the line that the victim uses
// (ATC'15 section 3); and whoever claims has to claim little, since it cannot give anything back. Here
//
//   rest    the part of a thread's range that anybody may take from, one word [first, last): the owner takes from its
//           front, a thief takes the back half (as Kokkos' and LLVM's static_steal do), both by compare-and-swap;
//   held    the part that the owner has reserved, some ten microseconds' worth, one word [begun, limit) that the owner
//           alone writes: it claims one piece after the other by moving `begun` on, with a plain store, and looks
//           whether somebody asks for what is left. No locked instruction, no fence: a piece costs a nanosecond or two,
//           be it a single iteration;
//   asked   how thieves ask: a state, a version and, once cut off, where:
//
//     idle --thief--> polite --thief, later--> forcing --thief--> cut off --owner--> idle
//                        |                        |
//                        +--------- owner --------+--> idle, and what it had not begun is in `rest` again
//
// A thief that finds no `rest` anywhere asks politely; the owner answers between two pieces. If it does not, because
// its piece takes long or because the system has suspended it, the thief uses force. That is Dekker's problem, as in
// the THE protocol of Cilk (Frigo, Leiserson, Randall, PLDI 1998): the owner stores `held`, then loads `asked`; the
// thief stores `asked`, then loads `held`; one of them must see the other. The thief pays for both: its heavy fence
// (membarrier) puts a fence between the owner's two instructions, wherever the owner is (compare Folly's
// AsymmetricThreadFence). Hence, when the thief has found [begun, limit) behind its fence, any piece that the owner
// claims without the thief's having seen it finds `forcing`, and the owner then either calls it off, by
// compare-and-swap, or finds it cut off. The version keeps a thief that was suspended half way from taking by a look at
// `held` that is out of date.
//
// Who begins where. Each thread that is expected gets an equal part; of fewer iterations than threads, some get one.
// Absent ones (absences.hpp) get none: sixteen threads of which eight were away took 60 microseconds longer than eight
// for 300 of work, since what one of them fetched from those the others had to fetch from it.
//
// Who looks where. A tree of words over the threads, neighbours under one node: a bit says that the child, a thread or
// a node, may have a rest to take from, another one that it may hold something. A thread clears its own when it begins
// its last piece, while others work. Who runs dry takes from the nearest thread that has a rest; whoever finds that
// there is none says so in the tree, for all of a node's threads at once, so that a thousand thieves do not look at the
// lines of those that run what they hold. When the tree shows no rest, one of a node's threads at a time looks on, and
// the others wait; the last of them asks, and all learn together that nobody has anything left.
#pragma once

#include <callisto/distributor/absent_threads.hpp>
#include <callisto/distributor/line_array.hpp>
#include <callisto/distributor/range.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <new>
#include <span>

namespace callisto::distributor {

/// A distributor whose claims can be reserved and then run in pieces, of which others may get those that are not begun:
///   reserve(c, k)   sets up to k iterations aside; false if nothing is left. The reservation before must be used up
///   piece(c, p)     up to p of them to be run now; empty when the reservation is used up or has been given away
///   begun(c)        how many of the last reservation were handed out as pieces
template <class D>
concept divisible = work_distributor<D> && requires(D& d, typename D::cursor& c, std::uint64_t k) {
  { d.reserve(c, k) } -> std::same_as<bool>;
  { d.piece(c, k) } -> std::same_as<range>;
  { d.begun(c) } -> std::same_as<std::uint64_t>;
};

template <machine::policy M>
class ranges {
  using order = machine::order;
  struct stripe;
  class shares;

 public:
  /// The most iterations: positions take half a word.
  static constexpr std::uint64_t most = std::uint64_t{1} << 31;

  using absent_threads = absences<M>;

  /// Children of a node, a power of two. What a loop of 16 to 256 threads costs beyond its work on simulated machines
  /// is with 4 between 0.55 and 1.1 of what it is with 8, and 2 are no better
  /// (docs/notebook/2026-11-26-end-of-a-loop.md).
  static constexpr unsigned arity = [] {
    if constexpr (requires { M::ranges_arity; }) return M::ranges_arity;
    return 4u;
  }();

  struct cursor {
    stripe* own;
    unsigned position;
    bool live;           ///< whether the thread's bit may be set
    std::uint32_t from;  ///< where the reservation began; what is left of it is [next, limit)
    std::uint32_t next;
    std::uint32_t limit;
    std::uint64_t left;  ///< in the rest, when last seen
    claim_counts counts;
  };

  /// As work_distributor says, for n <= `most`. `absent`: by position; null: nobody is. Read here alone.
  ranges(std::uint64_t n, const layout& where, std::span<const stage> /*stages*/, const absences<M>* absent = nullptr)
      : ranges(where, shares(n, where.threads(), absent)) {}

  cursor cursor_of(unsigned thread) noexcept {
    const unsigned position = where_.position(thread);
    stripe& own = stripes_[position];
    return {&own, position, true, 0, 0, 0, size(own.rest.load(order::relaxed)), {}};
  }

  std::uint64_t near(const cursor& c) const noexcept { return c.left; }

  bool reserve(cursor& c, std::uint64_t k) noexcept {
    if (ended_.load(order::relaxed) != 0) return false;
    // relaxed, here as everywhere: only the numbers matter, what they stand for travels through the gate.
    std::uint64_t word = c.own->rest.load(order::relaxed);
    while (!empty(word)) {
      const auto taken = static_cast<std::uint32_t>(std::min<std::uint64_t>(k, size(word)));
      if (c.own->rest.compare_exchange(word, pack(first(word) + taken, last(word)), order::relaxed)) {
        c.from = c.next = first(word);
        c.limit = c.next + taken;
        c.left = size(word) - taken;
        return true;
      }
    }
    return find_elsewhere(c, k);
  }

  range piece(cursor& c, std::uint64_t p) noexcept {
    if (c.next == c.limit) return {};
    const std::uint32_t begin = c.next;
    const auto end = static_cast<std::uint32_t>(begin + std::min<std::uint64_t>(p, c.limit - begin));
    c.own->held.store(pack(end, c.limit), order::relaxed);
    // The thief that uses force has a fence for both (see above). relaxed, then: on one side or the other it is seen.
    M::light_fence();
    c.next = end;
    if (state_of(c.own->asked.load(order::relaxed)) != idle) [[unlikely]] {
      if (!answer(c)) return {};
    }
    // Nobody need look here any more. Now, and not when it is dry: then all are, and wait for each other at the tree.
    if (end == c.limit && c.left == 0) [[unlikely]]
      has_nothing(c);
    return {begin, end};
  }

  std::uint64_t begun(const cursor& c) const noexcept { return c.next - c.from; }

  /// Reserves, and runs as one piece.
  range claim(cursor& c, std::uint64_t k) noexcept {
    for (;;) {
      if (!reserve(c, k)) return {};
      if (const range r = piece(c, k); !r.empty()) return r;
    }
  }

  void leave(cursor& c) noexcept {
    // relaxed: read when nobody uses the distributor any more.
    if (!piece(c, c.limit - c.next).empty()) dropped_.store(1, order::relaxed);
    refuse(*c.own);
  }

  bool free(const cursor& c) const noexcept { return c.next == c.limit; }

  void exhaust() noexcept { ended_.store(1, order::relaxed); }

  bool dropped() const noexcept {
    if (ended_.load(order::relaxed) == 0) return false;
    if (dropped_.load(order::relaxed) != 0) return true;
    for (unsigned p = 0; p < stripes_.size(); ++p) {
      if (!empty(stripes_[p].rest.load(order::relaxed))) return true;
    }
    return false;
  }

 private:
  template <class T>
  using atomic = machine::atomic_of<M, T>;

  // Pairs [first, last) in a word.
  static constexpr std::uint64_t pack(std::uint64_t first, std::uint64_t last) noexcept { return last << 32 | first; }
  static constexpr std::uint32_t first(std::uint64_t pair) noexcept { return static_cast<std::uint32_t>(pair); }
  static constexpr std::uint32_t last(std::uint64_t pair) noexcept { return static_cast<std::uint32_t>(pair >> 32); }
  static constexpr bool empty(std::uint64_t pair) noexcept { return first(pair) >= last(pair); }
  static constexpr std::uint64_t size(std::uint64_t pair) noexcept {
    return empty(pair) ? 0 : last(pair) - first(pair);
  }

  // Words of `asked`: from the low end, a state in 2 bits, a version in 30, the cut.
  enum asked_state : std::uint64_t { idle, polite, forcing, cut_off };
  static constexpr std::uint64_t state_of(std::uint64_t asked) noexcept { return asked & 3; }
  static constexpr std::uint32_t cut_of(std::uint64_t asked) noexcept {
    return static_cast<std::uint32_t>(asked >> 32);
  }
  static constexpr std::uint64_t in_state(std::uint64_t asked, asked_state state, std::uint64_t cut = 0) noexcept {
    return cut << 32 | (asked & 0xffff'fffc) | state;
  }
  static constexpr std::uint64_t next_version(std::uint64_t asked) noexcept {
    return ((asked & 0xffff'fffc) + 4) & 0xffff'fffc;
  }

  struct alignas(M::line_size) stripe {
    explicit stripe(std::uint64_t home) noexcept : rest(home) {}
    atomic<std::uint64_t> rest;
    atomic<std::uint64_t> held{0};
    atomic<std::uint64_t> asked{0};
  };

  /// Bit i of `live`, times a kind: the i-th child may have such a thing to give.
  struct alignas(M::line_size) node {
    explicit node(std::uint64_t at_first) noexcept : live(at_first) {}
    atomic<std::uint64_t> live;
  };
  static constexpr std::uint64_t hunting = std::uint64_t{1} << 63;  ///< one of the node's threads looks beyond it
  static constexpr std::uint64_t done = std::uint64_t{1} << 62;     ///< it found nothing: leave
  static constexpr std::uint64_t a_rest = 1;
  static constexpr std::uint64_t a_hold = std::uint64_t{1} << 16;
  static constexpr std::uint64_t both = a_rest | a_hold;
  static constexpr std::uint64_t children = (std::uint64_t{1} << arity) - 1;
  static constexpr unsigned shift = static_cast<unsigned>(std::bit_width(arity)) - 1;
  static_assert(std::has_single_bit(arity) && arity > 1 && arity <= 16);

  /// What anybody under a node may have.
  static constexpr std::uint64_t kinds_in(std::uint64_t live) noexcept {
    return ((live & children * a_rest) != 0 ? a_rest : 0) | ((live & children * a_hold) != 0 ? a_hold : 0);
  }

  /// Where the nodes of each level are; level 0 stands over threads, the last is the root.
  struct tree {
    explicit tree(unsigned threads) noexcept {
      unsigned below = threads;
      do {
        below = (below + arity - 1) / arity;
        begin[levels + 1] = begin[levels] + below;
        ++levels;
      } while (below > 1);
    }
    unsigned nodes() const noexcept { return begin[levels]; }

    unsigned levels = 0;
    std::array<unsigned, 32 / shift + 2> begin{};
  };

  /// Which child of its node at a level a position is, or is under.
  static constexpr unsigned child(unsigned position, unsigned level) noexcept {
    return position >> shift * level & (arity - 1);
  }
  static constexpr std::uint64_t bit(unsigned position, unsigned level) noexcept {
    return std::uint64_t{1} << child(position, level);
  }
  atomic<std::uint64_t>& live_of(unsigned position, unsigned level) noexcept {
    return nodes_[tree_.begin[level] + (position >> shift * (level + 1))].live;
  }

  /// How much each thread begins with: equal parts for those that are expected.
  class shares {
   public:
    shares(std::uint64_t n, unsigned threads, const absences<M>* absent) noexcept : threads_(threads) {
      if (absent != nullptr && absent->count() != 0) leave_out(*absent);
      each_ = n / expected_;
      more_ = n % expected_;
    }

    bool everybody_has_some() const noexcept { return each_ != 0 && expected_ == threads_; }

    /// Through all positions, in their order.
    class walk {
     public:
      explicit walk(const shares& of) noexcept : of_(&of), due_(of.expected_ - 1) {}
      std::uint64_t begin() const noexcept { return at_; }
      /// Past position p: where its part ends.
      std::uint64_t next(unsigned p) noexcept {
        if (of_->is_absent(p)) return at_;
        // Those that have one more are spread among the others (Bresenham), and so are the iterations if there are few.
        due_ += of_->more_;
        const bool one_more = due_ >= of_->expected_;
        if (one_more) due_ -= of_->expected_;
        return at_ += of_->each_ + (one_more ? 1 : 0);
      }

     private:
      const shares* of_;
      std::uint64_t due_;  ///< the first one has one more if anybody has
      std::uint64_t at_ = 0;
    };

   private:
    static constexpr unsigned most_threads = 1024;  // of which some may be absent: as many as jobs share contexts
    static constexpr unsigned word_bits = absences<M>::word_bits;

    /// A copy, since others change theirs meanwhile, and all must come to the same parts.
    void leave_out(const absences<M>& absent) noexcept {
      if (threads_ > most_threads) return;
      unsigned left = 0;
      for (unsigned w = 0; w * word_bits < threads_; ++w) {
        const unsigned here = std::min(threads_ - w * word_bits, word_bits);
        absent_[w] = absent.word(w) & (~std::uint64_t{0} >> (word_bits - here));
        left += here - static_cast<unsigned>(std::popcount(absent_[w]));
      }
      if (left != 0) expected_ = left;  // else all begin, as if all were there
    }
    bool is_absent(unsigned p) const noexcept {
      return expected_ != threads_ && (absent_[p / word_bits] >> p % word_bits & 1) != 0;
    }

    unsigned threads_;
    std::uint64_t expected_ = threads_;
    std::uint64_t each_;
    std::uint64_t more_;
    std::array<std::uint64_t, most_threads / word_bits> absent_;  ///< only where not all are expected
  };

  ranges(const layout& where, const shares& first)
      : where_(where),
        tree_(where.threads()),
        nodes_(tree_.nodes(),
               [&, level = 0u, at = typename shares::walk(first)](unsigned i, void* place) mutable {
                 if (i == tree_.begin[level + 1]) {
                   ++level;
                   at = typename shares::walk(first);
                 }
                 ::new (place) node(live_at_first(level, i - tree_.begin[level], first, at));
               }),
        stripes_(where.threads(), [at = typename shares::walk(first)](unsigned p, void* place) mutable {
          const std::uint64_t begin = at.begin();
          ::new (place) stripe(pack(begin, at.next(p)));
        }) {}

  /// Whose children have a range that is not empty. `at`: where the node's first range begins; afterwards the next
  /// one's.
  std::uint64_t live_at_first(unsigned level, unsigned index, const shares& first,
                              typename shares::walk& at) const noexcept {
    const unsigned below = level == 0 ? where_.threads() : tree_.begin[level] - tree_.begin[level - 1];
    const unsigned has = std::min(arity, below - index * arity);
    if (first.everybody_has_some()) return ((std::uint64_t{1} << has) - 1) * both;
    std::uint64_t live = 0;
    for (unsigned i = 0; i < has; ++i) {
      const std::uint64_t begin = at.begin();
      const unsigned p = (index * arity + i) << shift * level;
      const unsigned end = std::min(p + (1u << shift * level), where_.threads());
      for (unsigned q = p; q < end; ++q) at.next(q);
      if (at.begin() != begin) live |= both << i;
    }
    return live;
  }

  /// Owner, having moved `begun` on to c.next: somebody has asked. True if the piece is the owner's.
  [[gnu::cold, gnu::noinline]] bool answer(cursor& c) noexcept {
    stripe& own = *c.own;
    std::uint64_t asked = own.asked.load(order::relaxed);
    // Before it calls the thief off: from then on another one may use force, and must not see what is given back. The
    // light fence is for that one's heavy fence.
    if (c.next != c.limit && state_of(asked) != idle) {
      own.held.store(pack(c.next, c.next), order::relaxed);
      M::light_fence();
    }
    while (state_of(asked) == polite || state_of(asked) == forcing) {
      if (!own.asked.compare_exchange(asked, next_version(asked), order::relaxed)) continue;
      // Called off: what is reserved is the owner's. It gives back all that it has not begun.
      if (c.next == c.limit) return true;
      std::uint64_t rest = own.rest.load(order::relaxed);
      // The rest, even if there is none, begins where the reservation ends: none but the owner takes from its front.
      while (!own.rest.compare_exchange(rest, pack(c.next, last(rest)), order::relaxed)) {
      }
      c.limit = c.next;
      c.left = last(rest) - c.next;
      ++c.counts.given_back;
      c.live = true;
      tell_others(c.position);
      return true;
    }
    if (state_of(asked) == idle) return true;
    // Taken from the cut on. The thief has seen the piece that the owner is about to begin, or has not.
    const std::uint32_t cut = cut_of(asked);
    const bool mine = cut == c.next;
    own.held.store(pack(cut, cut), order::relaxed);
    M::light_fence();  // the next thief that uses force must not see what is taken
    own.asked.store(next_version(asked), order::relaxed);
    c.next = cut;
    c.limit = cut;
    return mine;
  }

  /// Owner: there is nothing to be had here any more.
  [[gnu::cold, gnu::noinline]] void has_nothing(cursor& c) noexcept {
    if (c.live) clear(c.position, bit(c.position, 0) * both, true);
    c.live = false;
  }

  /// Owner: it does not answer any more.
  void refuse(stripe& own) noexcept {
    std::uint64_t asked = own.asked.load(order::relaxed);
    while (state_of(asked) != idle) {
      if (own.asked.compare_exchange(asked, next_version(asked), order::relaxed)) return;
    }
  }

  /// Sets bits of a thread that has something to give, or of a node at a level. By read-modify-writes, bits that are
  /// set as well: who clears one does so by another, and then looks at what is below (clear). Whichever comes first,
  /// one of the two sees it.
  void tell_others(unsigned position, std::uint64_t kinds = both, unsigned level = 0) noexcept {
    for (; kinds != 0 && level < tree_.levels; ++level) {
      // release: pairs with clear_bits().
      kinds &= ~kinds_in(live_of(position, level).fetch_or(bit(position, level) * kinds, order::release));
    }
  }

  /// Clears bits of a node; returns its word before, or 0 if none of them was set. Then it writes nothing: many find
  /// the same thread without anything at once, and read-modify-writes in vain would keep the line from all others. Not
  /// so the bits of the caller's `own`.
  std::uint64_t clear_bits(atomic<std::uint64_t>& live, std::uint64_t bits, bool own) noexcept {
    // relaxed: nobody else fills what is its own.
    if (own) return live.fetch_and(~bits, order::relaxed);
    // acquire: pairs with tell_others. Whoever has something to offer meanwhile sets the bit behind our change, or we
    // see, behind it, what there is.
    std::uint64_t seen = live.load(order::relaxed);
    while ((seen & bits) != 0) {
      if (live.compare_exchange(seen, seen & ~bits, order::acquire)) return seen;
    }
    return 0;
  }

  /// Clears bits of threads under the node of the one at `position`, and those of nodes that have none left. `own`: the
  /// caller's, which are set, if nobody has cleared them just now.
  void clear(unsigned position, std::uint64_t bits, bool own = false) noexcept {
    std::uint64_t before = clear_bits(live_of(position, 0), bits, own);
    for (std::uint64_t left = (before & bits) / a_rest | (before & bits) / a_hold; (left & children) != 0;
         left &= left - 1) {
      const unsigned p = (position & ~(arity - 1)) + static_cast<unsigned>(std::countr_zero(left));
      const bool holds = (before & bits & bit(p, 0) * a_hold) != 0 && !empty(stripes_[p].held.load(order::relaxed));
      if (holds || !empty(stripes_[p].rest.load(order::relaxed))) tell_others(p);
    }
    for (unsigned level = 1; level < tree_.levels; ++level) {
      // What the node had before, and has not now. Of several that clear its last bits one finds that.
      const std::uint64_t kinds = kinds_in(before) & ~kinds_in(before & ~bits);
      if (kinds == 0) return;
      bits = bit(position, level) * kinds;
      before = clear_bits(live_of(position, level), bits, false);
      // Up to the root: who told others found the bit here still set, and somebody else may have cleared those above.
      if (before != 0)
        tell_others(position, kinds & kinds_in(live_of(position, level - 1).load(order::relaxed)), level);
    }
  }

  /// Sets some of [from, to), which the thread has taken, aside, and offers the others. Few, whatever the thread is
  /// used to take at a time: elsewhere in the loop, iterations may take a thousand times longer, and what is begun is
  /// not to be had any more.
  void adopt(cursor& c, std::uint32_t from, std::uint32_t to, std::uint64_t k) noexcept {
    const std::uint64_t count = to - from;
    const auto mine = static_cast<std::uint32_t>(std::min(k / 16 + 1, count - count / 2));
    c.from = c.next = from;
    c.limit = from + mine;
    c.left = count - mine;
    c.own->rest.store(pack(c.limit, to), order::relaxed);  // it was empty: nobody else writes it
    if (count > 1) {
      c.live = true;
      tell_others(c.position);
    }
  }

  /// Takes the back half of what `victim` has in its rest; false if that is nothing, or changes just now.
  bool take_half(cursor& c, stripe& victim, std::uint64_t k) noexcept {
    std::uint64_t word = victim.rest.load(order::relaxed);
    while (!empty(word)) {
      const std::uint32_t from = first(word) + static_cast<std::uint32_t>(size(word) / 2);
      const std::uint32_t to = last(word);
      if (victim.rest.compare_exchange(word, pack(first(word), from), order::relaxed)) {
        ++c.counts.steals;
        adopt(c, from, to, k);
        return true;
      }
    }
    return false;
  }

  /// Calls f(child) for the children of a node that may have such a thing, nearest to the caller first, until f returns
  /// true.
  template <class F>
  bool any_child(const cursor& c, std::uint64_t kind, unsigned level, unsigned index, F f) noexcept {
    auto& live = nodes_[tree_.begin[level] + index].live;
    const auto from = static_cast<int>(child(c.position, level));
    const auto turned = [&] { return std::rotr(live.load(order::relaxed) / kind & children, from); };
    std::uint64_t left = turned();
    while (left != 0) {
      const unsigned below = index * arity + static_cast<unsigned>((std::countr_zero(left) + from) % 64);
      if ((level != 0 || below != c.position) && f(below)) return true;
      left &= left - 1;
      if (left != 0) left &= turned();  // others may have found that there is nothing
    }
    return false;
  }

  /// Of a thread without a rest: whether it has begun all that it had, too. Who has never held anything is not in the
  /// loop, or about to begin.
  static bool holds_nothing(const stripe& of) noexcept {
    const std::uint64_t held = of.held.load(order::relaxed);
    // Else it has reserved the last of its rest, and not said so yet.
    return held == 0 || (empty(held) && last(held) == last(of.rest.load(order::relaxed)));
  }

  /// Takes half of what some thread under a node has, the nearest that has anything.
  bool take_under(cursor& c, unsigned level, unsigned index, std::uint64_t k) noexcept {
    if (level != 0) {
      return any_child(c, a_rest, level, index, [&](unsigned below) { return take_under(c, level - 1, below, k); });
    }
    std::uint64_t without = 0;
    const auto take = [&](unsigned p) {
      if (take_half(c, stripes_[p], k)) return true;
      without |= bit(p, 0) * (holds_nothing(stripes_[p]) ? both : a_rest);
      return false;
    };
    if (any_child(c, a_rest, 0, index, take)) return true;
    // The next thief need not look.
    if (without != 0) clear(index * arity, without);
    return false;
  }
  bool take_any(cursor& c, std::uint64_t k) noexcept { return take_under(c, tree_.levels - 1, 0, k); }

  /// What asking came to.
  enum class reply { nothing, again, got };

  /// Asks the thread at position `p` for what it has reserved.
  reply ask(cursor& c, unsigned p, std::uint64_t k) noexcept {
    stripe& victim = stripes_[p];
    if (empty(victim.held.load(order::relaxed))) return reply::nothing;
    std::uint64_t asked = victim.asked.load(order::relaxed);
    if (state_of(asked) == idle) {
      const std::uint64_t request = in_state(asked, polite);
      if (!victim.asked.compare_exchange(asked, request, order::relaxed)) return reply::again;
      asked = request;
      // A look behind the request: the owner may have gone dry meanwhile, and not look any more.
      if (empty(victim.held.load(order::relaxed))) {
        victim.asked.compare_exchange(asked, next_version(asked), order::relaxed);
        return reply::again;
      }
    }
    const auto unchanged = [asked](std::uint64_t word) { return word == asked; };
    if (!unchanged(M::wait_while(victim.asked, unchanged, machine::patience::brief))) return reply::again;
    if (!M::has_heavy_fence() || state_of(asked) != polite) return reply::nothing;
    const std::uint64_t force = in_state(asked, forcing);
    if (!victim.asked.compare_exchange(asked, force, order::relaxed)) return reply::again;
    asked = force;
    M::heavy_fence();
    const std::uint64_t held = victim.held.load(order::relaxed);
    const bool some = !empty(held);
    const std::uint64_t outcome = some ? in_state(force, cut_off, first(held)) : next_version(force);
    while (!victim.asked.compare_exchange(asked, outcome, order::relaxed)) {
      if (asked != force) return reply::again;  // called off
    }
    if (!some) return reply::nothing;
    ++c.counts.taken_back;
    adopt(c, first(held), last(held), k);
    return reply::got;
  }

  /// Asks threads under a node, the nearest first, until one is worth asking again or has given something.
  reply ask_under(cursor& c, unsigned level, unsigned index, std::uint64_t k) noexcept {
    reply heard = reply::nothing;
    any_child(c, a_hold, level, index, [&](unsigned below) {
      heard = level != 0 ? ask_under(c, level - 1, below, k) : ask(c, below, k);
      return heard != reply::nothing;
    });
    return heard;
  }

  /// For all that wait: looks again, and for what is reserved.
  bool hunt(cursor& c, std::uint64_t k) noexcept {
    const unsigned root = tree_.levels - 1;
    // Where there are many threads, some have work in their hands that they are about to offer: look again.
    unsigned looks = root == 0 ? 1 : 16;
    for (;;) {
      if (ended_.load(order::relaxed) != 0) return false;
      if (take_any(c, k)) return true;
      const reply heard = ask_under(c, root, 0, k);
      if (heard == reply::got) return true;
      if (heard == reply::nothing && (--looks == 0 || kinds_in(live_of(0, root).load(order::relaxed)) == 0)) {
        return false;
      }
    }
  }

  /// The thread's own range is used up: gets k iterations from others, or false if there is nothing that it could have.
  [[gnu::cold, gnu::noinline]] bool find_elsewhere(cursor& c, std::uint64_t k) noexcept {
    has_nothing(c);
    refuse(*c.own);
    const unsigned root = tree_.levels - 1;
    unsigned hunts = 0;  // levels at which the thread looks for its node
    bool found = false;
    bool leave = false;
    while (!found && !leave) {
      if ((found = take_any(c, k))) break;
      if (hunts == root) {
        found = hunt(c, k);
        leave = !found;
        break;
      }
      auto& live = live_of(c.position, hunts);
      std::uint64_t seen = live.load(order::relaxed);
      bool hunts_here = false;
      while ((seen & (hunting | done)) == 0 && !hunts_here) {
        hunts_here = live.compare_exchange(seen, seen | hunting, order::relaxed);
      }
      if (hunts_here) {
        ++hunts;
      } else if (!(leave = (seen & done) != 0 || ended_.load(order::relaxed) != 0)) {
        M::wait_while(live, [seen](std::uint64_t word) { return word == seen; }, machine::patience::brief);
      }
    }
    // Those who wait take from what was found, or leave as well.
    while (hunts-- > 0) {
      auto& live = live_of(c.position, hunts);
      if (found) {
        live.fetch_and(~hunting, order::relaxed);
      } else {
        live.fetch_or(done, order::relaxed);
      }
    }
    return found;
  }

  const layout& where_;
  atomic<std::uint32_t> ended_{0};
  atomic<std::uint32_t> dropped_{0};
  const tree tree_;
  line_array<M, node> nodes_;
  line_array<M, stripe> stripes_;
};

}  // namespace callisto::distributor
