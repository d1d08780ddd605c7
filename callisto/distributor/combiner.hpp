// Request combiners: neighbouring threads put their requests for work together, and one of them claims for all (ATC
// 2015, section 3, "Request combining" and "Asynchronous combining").
//
// 1. *Member:* writes a request into its slot and tries the combiner's lock. If the lock is held, the member waits for
//    the lock alone, then looks at its slot, until the slot has an answer.
// 2. *Holder of the lock:* adds up the requests that it finds and claims as much upstream in one piece. It gives each
//    requester a batch no larger than the request, and claims again if the piece was too small.
//
// The requests of n members cost one read-modify-write upstream and, at best, one on the lock; the other n - 1 members
// only store to their slots and load from them. On machines with total store order all accesses to slots are plain
// moves. The orders that other machines need stand at each access.
//
// Asynchronous: a member's next request stands while the member runs its current batch, so other members answer it
// meanwhile. A grant to a leaving member is lost, so a member asks only while it is in the loop: every slot begins
// without a request, and leave() takes one back.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/line_array.hpp>
#include <callisto/distributor/range.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/machine/policy.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

namespace callisto::distributor {

/// One combiner for each group of threads at a level of the machine, over a distributor `Upstream`. Its members are the
/// group's threads or, upstream of another combiner, that combiner's groups.
template <machine::policy M, class Upstream>
class combiner {
  using order = machine::order;
  template <class T>
  using plain = machine::plain_of<M, T>;
  struct slot;
  struct node;

 public:
  static constexpr std::uint64_t most = Upstream::most;

  struct cursor {
    node* of;
    slot* own;
    range rest{};            ///< what was granted beyond the last claim
    std::uint64_t near = 0;  ///< the value of near()
    bool asked = false;      ///< the slot has a request or its answer
    bool ended = false;      ///< nothing is left
    claim_counts counts = {};
  };

  /// Meets work_distributor. The first stage is a combine, all further stages are for `Upstream`. `members` is the
  /// level of the groups that ask here.
  combiner(std::uint64_t n, const layout& where, std::span<const stage> stages, level members = level::thread)
      : where_(where),
        at_(stages.front().at),
        members_(members),
        async_(stages.front().async),
        packed_(members == level::thread && at_ <= level::core),
        upstream_(make_upstream(n, where, stages)),
        lines_per_node_(packed_ ? (most_members() + slots_per_line - 1) / slots_per_line : most_members()),
        lines_(lines_per_node_ * where.groups(at_), [](unsigned, void* place) { ::new (place) line(); }),
        nodes_(where.groups(at_), [&](unsigned group, void* place) {
          ::new (place) node(upstream_.cursor_of(at_, group), group * lines_per_node_, members_of(group));
        }) {}

  cursor cursor_of(unsigned thread) noexcept {
    // Only a combiner that threads ask directly has threads as members.
    return cursor_of(level::thread, where_.group(level::thread, thread));
  }

  /// Returns the cursor of a group at the level of the members.
  cursor cursor_of(level inner, unsigned group) noexcept {
    const unsigned outer = where_.outer_group(inner, group, at_);
    node& of = nodes_[outer];
    return {.of = &of,
            .own = &slot_at(of, group - first_member(outer)),
            .near = upstream_.near(upstream_.cursor_of(at_, outer))};
  }

  std::uint64_t near(const cursor& c) const noexcept { return c.near + c.rest.size(); }

  range claim(cursor& c, std::uint64_t k) noexcept {
    k = std::min(k, max_request);
    if (c.rest.empty() && !c.ended) {
      if (!c.asked) {
        ask(*c.own, k);
        c.asked = true;
      } else if (answered(c, k)) {
        return up_to(c, k);
      }
      do {
        if (try_lock(*c.of)) {
          // An answer may have come between the two looks.
          if (c.own->start.load(order::relaxed) == request) {
            serve(c, k);
            unlock(*c.of);
            break;
          }
          unlock(*c.of);
        } else {
          M::wait_while(c.of->held, is_held, machine::patience::brief);
        }
      } while (!answered(c, k));
    }
    return up_to(c, k);
  }

  void leave(cursor& c) noexcept {
    bool drops = !c.rest.empty();
    if (c.asked) {
      // Under the lock, since its holder answers by plain stores.
      while (!try_lock(*c.of)) M::wait_while(c.of->held, is_held, machine::patience::brief);
      // relaxed: other threads stored here under the lock.
      const std::uint64_t start = c.own->start.load(order::relaxed);
      c.own->start.store(idle, order::relaxed);
      unlock(*c.of);
      drops = drops || start < none_left;
    }
    // relaxed: read after the loop, when no thread uses the distributor.
    if (drops) dropped_.store(1, order::relaxed);
    c.rest = {};
    c.asked = false;
    c.ended = true;
  }

  bool free(const cursor& c) const noexcept { return c.rest.empty() && !c.asked; }

  void exhaust() noexcept { upstream_.exhaust(); }

  bool dropped() const noexcept { return upstream_.dropped() || dropped_.load(order::relaxed) != 0; }

 private:
  // The values of `start` that are no iterations. All but `request` mean that no request stands.
  static constexpr std::uint64_t none_left = ~std::uint64_t{0} - 2;
  static constexpr std::uint64_t idle = ~std::uint64_t{0} - 1;
  static constexpr std::uint64_t request = ~std::uint64_t{0};

  /// The largest request, as for a counter: the sum over all threads of a machine does not overflow.
  static constexpr std::uint64_t max_request = std::uint64_t{1} << 45;

  /// The paper's pair of start or request, and end. Here the size stands in place of the end, which leaves room for a
  /// hint.
  struct slot {
    machine::atomic_of<M, std::uint64_t> start{idle};
    /// In a request, the iterations wanted. In a batch, its iterations and, from bit near_shift on, the bit width of
    /// the number of iterations that are left nearby.
    machine::atomic_of<M, std::uint64_t> size{0};
  };
  static constexpr unsigned near_shift = 56;

  static constexpr unsigned slots_per_line = std::max<std::size_t>(1, M::line_size / sizeof(slot));
  struct alignas(M::line_size) line {
    std::array<slot, slots_per_line> slots;
  };

  struct node {
    node(const typename Upstream::cursor& c, unsigned line, unsigned count) noexcept
        : upstream(c), first_line(line), members(count) {}

    /// The lock, alone on its line, which waiters watch.
    alignas(M::line_size) machine::atomic_of<M, std::uint32_t> held{0};
    alignas(M::line_size) plain<typename Upstream::cursor> upstream;  ///< guarded by the lock
    const unsigned first_line;
    const unsigned members;
  };

  static bool is_held(std::uint32_t held) noexcept { return held != 0; }

  Upstream make_upstream(std::uint64_t n, const layout& where, std::span<const stage> stages) {
    if constexpr (std::constructible_from<Upstream, std::uint64_t, const layout&, std::span<const stage>, level>) {
      return Upstream(n, where, stages.subspan(1), at_);
    } else {
      return Upstream(n, where, stages.subspan(1));
    }
  }

  /// Returns the number, at their own level, of the first member of a group. Members of a group follow each other.
  unsigned first_member(unsigned group) const noexcept { return where_.outer_group(at_, group, members_); }
  unsigned members_of(unsigned group) const noexcept {
    const unsigned end = group + 1 < where_.groups(at_) ? first_member(group + 1) : where_.groups(members_);
    return end - first_member(group);
  }
  unsigned most_members() const noexcept {
    unsigned largest = 0;
    for (unsigned g = 0; g < where_.groups(at_); ++g) largest = std::max(largest, members_of(g));
    return largest;
  }

  slot& slot_at(const node& of, unsigned member) noexcept {
    return packed_ ? lines_[of.first_line + member / slots_per_line].slots[member % slots_per_line]
                   : lines_[of.first_line + member].slots[0];
  }

  static void ask(slot& own, std::uint64_t k) noexcept {
    own.size.store(k, order::relaxed);
    // release: pairs with the acquire in serve(): the holder that finds the request finds this size, and stores another
    // one only after this thread has read the last.
    own.start.store(request, order::release);
  }

  /// Takes the slot's answer; false if there is none.
  bool answered(cursor& c, std::uint64_t k) noexcept {
    // acquire: pairs with the release in serve(), so that the size belongs to the start.
    const std::uint64_t start = c.own->start.load(order::acquire);
    if (start == request) return false;
    if (start == none_left) {
      c.asked = false;
      c.ended = true;
      return true;
    }
    ++c.counts.combined;
    const std::uint64_t size = c.own->size.load(order::relaxed);
    c.rest = {start, start + (size & ((std::uint64_t{1} << near_shift) - 1))};
    c.near = (std::uint64_t{1} << (size >> near_shift)) - 1;
    c.asked = async_;
    if (async_) ask(*c.own, k);
    return true;
  }

  static range up_to(cursor& c, std::uint64_t k) noexcept {
    const range r{c.rest.first, c.rest.first + std::min(k, c.rest.size())};
    c.rest.first = r.last;
    return r;
  }

  /// Answers the caller's request and those of other members. The caller holds the lock and has a request.
  void serve(cursor& c, std::uint64_t k) noexcept {
    node& of = *c.of;
    std::uint64_t wanted = k;
    for (unsigned i = 0; i < of.members; ++i) {
      slot& s = slot_at(of, i);
      if (&s != c.own && wants(s)) wanted += s.size.load(order::relaxed);
    }

    typename Upstream::cursor from = of.upstream;
    range supply;
    // Requests that came since the first look get a batch, too. If the supply then runs out, another claim serves those
    // of the first look that have none yet. So nothing of the supply is left at the end.
    const auto batch = [&](std::uint64_t want) {
      if (supply.empty()) supply = upstream_.claim(from, std::max(want, wanted));
      const range r{supply.first, supply.first + std::min(want, supply.size())};
      supply.first = r.last;
      wanted -= std::min(want, wanted);
      return r;
    };
    c.rest = batch(k);
    c.near = upstream_.near(from);
    c.ended = c.rest.empty();
    c.asked = async_ && !c.ended;
    // relaxed: only the next holder of the lock reads it. If asynchronous, the standing request is the next one.
    if (c.asked) {
      c.own->size.store(k, order::relaxed);
    } else {
      c.own->start.store(idle, order::relaxed);
    }
    for (unsigned i = 0; i < of.members; ++i) {
      slot& s = slot_at(of, i);
      if (&s == c.own || !wants(s)) continue;
      const range r = batch(s.size.load(order::relaxed));
      if (r.empty()) {
        s.start.store(none_left, order::relaxed);  // relaxed: the value is all that the member needs
      } else {
        s.size.store(r.size() | std::uint64_t(std::bit_width(upstream_.near(from))) << near_shift, order::relaxed);
        // release: pairs with the acquire in answered(): the member that sees the start sees this size.
        s.start.store(r.first, order::release);
      }
    }
    of.upstream = from;
  }

  static bool wants(const slot& s) noexcept {
    // acquire: pairs with the release in ask().
    return s.start.load(order::acquire) == request;
  }

  static bool try_lock(node& of) noexcept {
    // relaxed load: a thread that comes while the lock is held does not take the line. acquire: pairs with unlock():
    // sees the slots and the upstream cursor as the last holder left them.
    return of.held.load(order::relaxed) == 0 && of.held.exchange(1, order::acquire) == 0;
  }
  static void unlock(node& of) noexcept {
    // release: pairs with try_lock(): the next holder sees the answers, and that they are answers.
    of.held.store(0, order::release);
  }

  const layout& where_;
  const level at_;
  const level members_;
  const bool async_;
  const bool packed_;
  Upstream upstream_;
  const unsigned lines_per_node_;
  line_array<M, line> lines_;
  line_array<M, node> nodes_;
  machine::atomic_of<M, unsigned> dropped_{0};
};

}  // namespace callisto::distributor
