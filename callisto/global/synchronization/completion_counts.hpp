// How one rank counts what a completion event still waits for.
//
// The ranks that work for an event form a tree, as in Dijkstra and Scholten, "Termination Detection for Diffusing
// Computations" (1980):
//  1. The home of the event is the root. Each rank counts what it has enrolled and what was sent to it, until that
//  ends.
//  2. A rank that counts nothing joins under the rank that sends it something: its *parent*. It tells the parent that
//     the piece of work has ended only when its own count is 0 again; then it has left the tree.
//  3. A rank in the tree tells at once of further work that it gets: its own count covers it.
// So the home's count is 0 only when nothing is under way anywhere, although no message keeps any order.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::global {

/// The count, the parent, and whether a worker waits, in one word. Any thread of the rank may call.
template <machine::policy M>
class completion_counts {
  using order = machine::order;

 public:
  /// The result of settle().
  struct outcome {
    bool is_last;     ///< the count is 0: the parent is to be told, or the home's workers woken
    bool is_awaited;  ///< a worker waits at this rank
    int parent;
  };

  /// `parent`: the home itself, in the home; any rank elsewhere.
  explicit completion_counts(int parent = 0) noexcept : word_(parent_bits(parent)) {}

  /// Counts `n` more operations. The caller is the home, or runs an operation that is counted here.
  void enroll(std::uint64_t n) noexcept {
    // relaxed: the operations leave by messages or queues, which publish; the count itself orders nothing.
    word_.fetch_add(n, order::relaxed);
  }

  /// Counts an operation that `from` sent. True if `from` is to be told at once that it has ended; false if `from` is
  /// now the parent.
  bool arrive(int from) noexcept {
    std::uint64_t found = word_.load(order::relaxed);  // relaxed: the exchange below decides
    for (;;) {
      const bool is_inside = count_of(found) != 0;
      const std::uint64_t next = is_inside ? found + 1 : parent_bits(from) | 1;
      // relaxed: the operation's message ordered what it reads; settle() publishes what it does.
      if (word_.compare_exchange(found, next, order::relaxed)) return is_inside;
    }
  }

  /// Ends `n` operations.
  outcome settle(std::uint64_t n) noexcept {
    // acq_rel: release publishes what the operations did; acquire lets the last call pass on what all earlier calls
    // published.
    const std::uint64_t before = word_.fetch_sub(n, order::acq_rel);
    return {count_of(before) == n, (before & awaited) != 0, static_cast<int>(before >> parent_shift)};
  }

  /// True if nothing is counted; else notes that a worker waits, which the last settle() then says.
  bool is_done_or_await() noexcept {
    // acquire: pairs with settle()'s release. The waiters' list has a separate lock.
    return count_of(word_.fetch_or(awaited, order::acquire)) == 0;
  }
  /// Takes the note back.
  void stop_awaiting() noexcept { word_.fetch_and(~awaited, order::relaxed); }  // relaxed: under the waiters' lock

  /// True if nothing is counted; what the operations did is visible then.
  bool is_done() const noexcept {
    return count_of(word_.load(order::acquire)) == 0;  // acquire: pairs with settle()'s release
  }

 private:
  static constexpr unsigned parent_shift = 48;
  static constexpr std::uint64_t awaited = std::uint64_t{1} << 47;

  static constexpr std::uint64_t parent_bits(int rank) noexcept {
    return static_cast<std::uint64_t>(rank) << parent_shift;
  }
  static constexpr std::uint64_t count_of(std::uint64_t word) noexcept { return word & (awaited - 1); }

  machine::atomic_of<M, std::uint64_t> word_;
};

}  // namespace callisto::global
