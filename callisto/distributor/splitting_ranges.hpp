// Ranges that split: each thread claims from its own range, and a thread that runs out steals half of another thread's.
// Iterations that a thread has reserved but not started can still move: the owner returns them when a thief asks, or
// the thief takes them by force.
//
// The paper's counters make thieves add to the victim's counter batch by batch, on the line that the victim uses (ATC
// 2015, section 3). And a thread must claim little, since it cannot give anything back. Here each thread has three
// words:
//
// - `stealable`: the part of its range that any thread may take from, [first, last). The owner takes from the front, a
//   thief takes the back half (as Kokkos and LLVM's static_steal do), both by compare-and-swap.
// - `reserved`: the part that the owner has set aside, about 10 us of work, [begun, limit). Only the owner writes it.
//   It claims each piece by a plain store that advances `begun`, and checks whether a thief asks for what is left.
//   There is no locked instruction and no fence: a piece costs 1 to 2 ns, even of a single iteration.
// - `request`: how thieves ask for what is reserved, politely and then by force (waiting/forced_steal.hpp). Units are
//   iterations. An owner that calls a thief off makes all that it has not begun `stealable` again.
//
// Where threads begin: initial_shares.hpp. Where thieves look: range_tree.hpp, then what they do: range_thieves.hpp.
#pragma once

#include <callisto/distributor/absent_threads.hpp>
#include <callisto/distributor/initial_shares.hpp>
#include <callisto/distributor/line_array.hpp>
#include <callisto/distributor/range.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/waiting/forced_steal.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <new>
#include <span>

namespace callisto::distributor {

/// A distributor with claims that are reserved, then run in pieces. Other threads may get pieces that are not begun:
///   reserve(c, k)   sets up to k iterations aside; false if nothing is left. The reservation before must be used up
///   piece(c, p)     returns up to p of them, to be run now; empty if the reservation is used up or given away
///   begun(c)        how many iterations of the last reservation were returned as pieces
template <class D>
concept divisible = work_distributor<D> && requires(D& d, typename D::cursor& c, std::uint64_t k) {
  { d.reserve(c, k) } -> std::same_as<bool>;
  { d.piece(c, k) } -> std::same_as<range>;
  { d.begun(c) } -> std::same_as<std::uint64_t>;
};

template <machine::policy M>
class splitting_ranges {
  using order = machine::order;
  struct stripe;
  using shares = initial_shares<M>;

 public:
  /// The most iterations: positions take half a word.
  static constexpr std::uint64_t most = std::uint64_t{1} << 31;

  using absentees = absent_threads<M>;

  /// Children of a node, a power of two. With 4, a loop of 16 to 256 threads costs beyond its work, on simulated
  /// machines, 0.55 to 1.1 of what it costs with 8; 2 are no better (docs/notebook/2026-11-26-end-of-a-loop.md).
  static constexpr unsigned arity = [] {
    if constexpr (requires { M::ranges_arity; }) return M::ranges_arity;
    return 4u;
  }();

  struct cursor {
    stripe* own;
    unsigned position;
    bool live;           ///< true if the thread's bits may be set
    std::uint32_t from;  ///< where the reservation began; [next, limit) is left of it
    std::uint32_t next;
    std::uint32_t limit;
    std::uint64_t left;  ///< stealable iterations, when last seen
    claim_counts counts;
  };

  /// Meets work_distributor, for n <= `most`. `absent` is by position and read only here; null: all threads are
  /// expected.
  splitting_ranges(std::uint64_t n, const layout& where, std::span<const stage> /*stages*/,
                   const absent_threads<M>* absent = nullptr)
      : splitting_ranges(where, shares(n, where.threads(), absent)) {}

  cursor cursor_of(unsigned thread) noexcept {
    const unsigned position = where_.position(thread);
    stripe& own = stripes_[position];
    return {&own, position, true, 0, 0, 0, size(own.stealable.load(order::relaxed)), {}};
  }

  std::uint64_t near(const cursor& c) const noexcept { return c.left; }

  bool reserve(cursor& c, std::uint64_t k) noexcept {
    if (ended_.load(order::relaxed) != 0) return false;
    // relaxed, as all accesses here: only the numbers matter. Data of iterations travels through the entry gate.
    std::uint64_t word = c.own->stealable.load(order::relaxed);
    while (!empty(word)) {
      const auto taken = static_cast<std::uint32_t>(std::min<std::uint64_t>(k, size(word)));
      if (c.own->stealable.compare_exchange(word, pack(first(word) + taken, last(word)), order::relaxed)) {
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
    c.own->reserved.store(pack(end, c.limit), order::relaxed);
    // relaxed, above: the fences of the request order it.
    c.next = end;
    if (c.own->request.is_asked()) [[unlikely]] {
      if (!answer(c)) return {};
    }
    // No thief need look here any more. The thread says so now and not when it runs out: then all threads run out at
    // once and wait for each other at the tree.
    if (end == c.limit && c.left == 0) [[unlikely]]
      has_nothing(c);
    return {begin, end};
  }

  std::uint64_t begun(const cursor& c) const noexcept { return c.next - c.from; }

  /// Reserves up to k iterations and returns them as one piece.
  range claim(cursor& c, std::uint64_t k) noexcept {
    for (;;) {
      if (!reserve(c, k)) return {};
      if (const range r = piece(c, k); !r.empty()) return r;
    }
  }

  void leave(cursor& c) noexcept {
    // relaxed: read after the loop, when no thread uses the distributor.
    if (!piece(c, c.limit - c.next).empty()) dropped_.store(1, order::relaxed);
    c.own->request.refuse();
  }

  bool free(const cursor& c) const noexcept { return c.next == c.limit; }

  void exhaust() noexcept { ended_.store(1, order::relaxed); }

  bool dropped() const noexcept {
    if (ended_.load(order::relaxed) == 0) return false;
    if (dropped_.load(order::relaxed) != 0) return true;
    for (unsigned p = 0; p < stripes_.size(); ++p) {
      if (!empty(stripes_[p].stealable.load(order::relaxed))) return true;
    }
    return false;
  }

 private:
  template <class T>
  using atomic = machine::atomic_of<M, T>;

  // Pairs [first, last) in one word.
  static constexpr std::uint64_t pack(std::uint64_t first, std::uint64_t last) noexcept { return last << 32 | first; }
  static constexpr std::uint32_t first(std::uint64_t pair) noexcept { return static_cast<std::uint32_t>(pair); }
  static constexpr std::uint32_t last(std::uint64_t pair) noexcept { return static_cast<std::uint32_t>(pair >> 32); }
  static constexpr bool empty(std::uint64_t pair) noexcept { return first(pair) >= last(pair); }
  static constexpr std::uint64_t size(std::uint64_t pair) noexcept {
    return empty(pair) ? 0 : last(pair) - first(pair);
  }

  struct alignas(M::line_size) stripe {
    explicit stripe(std::uint64_t home) noexcept : stealable(home) {}
    atomic<std::uint64_t> stealable;
    atomic<std::uint64_t> reserved{0};
    // A cut is an iteration. A stopped thief keeps thieves from the owner's reservation: loops wait for each thread.
    waiting::forced_steal<M, 32, false> request;
  };

  /// A node of the tree. Bit i of `live`, times a kind: the i-th child may have iterations of that kind.
  struct alignas(M::line_size) node {
    explicit node(std::uint64_t at_first) noexcept : live(at_first) {}
    atomic<std::uint64_t> live;
  };
  static constexpr std::uint64_t hunting = std::uint64_t{1} << 63;  ///< one of the node's threads looks beyond the node
  static constexpr std::uint64_t done = std::uint64_t{1} << 62;     ///< that thread found nothing: leave
  static constexpr std::uint64_t has_stealable = 1;
  static constexpr std::uint64_t has_reserved = std::uint64_t{1} << 16;
  static constexpr std::uint64_t both = has_stealable | has_reserved;
  static constexpr std::uint64_t children = (std::uint64_t{1} << arity) - 1;
  static constexpr unsigned shift = static_cast<unsigned>(std::bit_width(arity)) - 1;
  static_assert(std::has_single_bit(arity) && arity > 1 && arity <= 16);

  /// Returns the kinds of iterations that threads under a node may have.
  static constexpr std::uint64_t kinds_in(std::uint64_t live) noexcept {
    return ((live & children * has_stealable) != 0 ? has_stealable : 0) |
           ((live & children * has_reserved) != 0 ? has_reserved : 0);
  }

  /// The places of the nodes of each level. Level 0 stands over threads, the last level is the root.
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

  /// Returns which child of its node at a level a position is, or is under.
  static constexpr unsigned child(unsigned position, unsigned level) noexcept {
    return position >> shift * level & (arity - 1);
  }
  static constexpr std::uint64_t bit(unsigned position, unsigned level) noexcept {
    return std::uint64_t{1} << child(position, level);
  }
  atomic<std::uint64_t>& live_of(unsigned position, unsigned level) noexcept {
    return nodes_[tree_.begin[level] + (position >> shift * (level + 1))].live;
  }

  splitting_ranges(const layout& where, const shares& first)
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

  /// Answers a thief; called by the owner after it advanced `begun` to c.next. True if the piece is the owner's.
  [[gnu::cold, gnu::noinline]] bool answer(cursor& c) noexcept {
    using outcome = typename decltype(stripe::request)::outcome;
    stripe& own = *c.own;
    const auto heard = own.request.call_off_behind([&] {
      if (c.next != c.limit) own.reserved.store(pack(c.next, c.next), order::relaxed);
    });
    if (heard.how == outcome::unasked) return true;
    if (heard.how == outcome::called_off) {
      // The reservation is the owner's. The owner gives back all that it has not begun.
      if (c.next == c.limit) return true;
      std::uint64_t stealable = own.stealable.load(order::relaxed);
      // Even an empty stealable part begins where the reservation ends: only the owner takes from its front.
      while (!own.stealable.compare_exchange(stealable, pack(c.next, last(stealable)), order::relaxed)) {
      }
      c.limit = c.next;
      c.left = last(stealable) - c.next;
      ++c.counts.given_back;
      c.live = true;
      tell_others(c.position);
      return true;
    }
    // The thief took everything from the cut on. It has seen the piece that the owner is about to begin, or not.
    const auto cut = static_cast<std::uint32_t>(heard.cut);
    const bool mine = cut == c.next;
    // This part does not end where `stealable` does (for reserves_nothing()).
    own.reserved.store(pack(cut, cut), order::relaxed);
    own.request.end_cut();
    c.next = cut;
    c.limit = cut;
    return mine;
  }

  // The tree (range_tree.hpp):

  /// Returns the bits of a node's children that begin with iterations. `at` is where the node's first range begins, and
  /// afterwards where the next node's does.
  std::uint64_t live_at_first(unsigned level, unsigned index, const shares& first,
                              typename shares::walk& at) const noexcept;
  /// Clears the caller's bits: it has nothing stealable or reserved.
  [[gnu::cold, gnu::noinline]] void has_nothing(cursor& c) noexcept;
  /// Sets bits of a thread that has iterations to give, or of a node at a level. It sets even set bits by
  /// read-modify-writes: a thread that clears one does so by another and then looks at what is below (clear()).
  /// In either order, one of the two threads sees the change of its peer.
  void tell_others(unsigned position, std::uint64_t kinds = both, unsigned level = 0) noexcept;
  /// Clears bits of a node. Returns the word before, or 0 if none of them was set. In that case it writes nothing: many
  /// threads find the same victim empty at once, and vain read-modify-writes would keep the line from all other
  /// threads. For the caller's `own` bits it always writes.
  std::uint64_t clear_bits(atomic<std::uint64_t>& live, std::uint64_t bits, bool own) noexcept;
  /// Clears bits of threads under the node of `position`, and bits of nodes that have none left. `own`: they are the
  /// caller's, and set unless another thread has just cleared them.
  void clear(unsigned position, std::uint64_t bits, bool own = false) noexcept;
  /// Calls f(child) for the children of a node that may have iterations of `kind`, nearest to the caller first, until f
  /// returns true.
  template <class F>
  bool any_child(const cursor& c, std::uint64_t kind, unsigned level, unsigned index, F f) noexcept;

  // Thieves (range_thieves.hpp):

  using reply = waiting::steal_reply;
  struct thief;

  /// Reserves some of [from, to), which the thread has stolen, and offers the rest. It reserves few, whatever the
  /// thread usually takes: elsewhere in the loop, iterations may take a thousand times longer, and a begun piece cannot
  /// be stolen.
  void adopt(cursor& c, std::uint32_t from, std::uint32_t to, std::uint64_t k) noexcept;
  /// Steals the back half of what is stealable at `victim`. False if that is nothing, or changes just now.
  bool take_half(cursor& c, stripe& victim, std::uint64_t k) noexcept;
  /// True if a thread with nothing stealable has also used up its reservation. `reserved == 0` means that it has
  /// claimed nothing yet: it is not in the loop, or about to begin.
  static bool reserves_nothing(const stripe& of) noexcept;
  /// Steals half of what the nearest thread under a node has, of those that have something stealable.
  bool take_under(cursor& c, unsigned level, unsigned index, std::uint64_t k) noexcept;
  bool take_any(cursor& c, std::uint64_t k) noexcept { return take_under(c, tree_.levels - 1, 0, k); }
  /// Asks the thread at position `p` for what it has reserved.
  reply ask(cursor& c, unsigned p, std::uint64_t k) noexcept;
  /// Asks threads under a node, nearest first, until one gives something or is worth asking again.
  reply ask_under(cursor& c, unsigned level, unsigned index, std::uint64_t k) noexcept;
  /// Looks on behalf of all waiting threads: again for stealable iterations, then for reserved ones.
  bool hunt(cursor& c, std::uint64_t k) noexcept;
  /// Gets up to k iterations from other threads after the thread's own range is used up; false if there are none for
  /// it.
  [[gnu::cold, gnu::noinline]] bool find_elsewhere(cursor& c, std::uint64_t k) noexcept;

  const layout& where_;
  atomic<std::uint32_t> ended_{0};
  atomic<std::uint32_t> dropped_{0};
  const tree tree_;
  line_array<M, node> nodes_;
  line_array<M, stripe> stripes_;
};

}  // namespace callisto::distributor

// The rest of the members:
#include <callisto/distributor/range_thieves.hpp>
#include <callisto/distributor/range_tree.hpp>
