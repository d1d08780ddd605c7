// Galois's queues of chunks, one queue per socket (Nguyen, Lenharth and Pingali, SOSP 2013): the work distribution that
// figure 6 of Callisto-RTS (ATC'15) compares with. This is a model for the simulated machine, not a distributor for
// users.
//
// A chunk is a block in memory that lists 32 iterations. A thread takes a whole chunk from its socket's queue under the
// queue's lock. If that queue is empty, the thread tries the next socket's queue. The model favours Galois: only the
// queues' locks and heads cost time. Filling the queues and reading the lists cost nothing.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/line_array.hpp>
#include <callisto/distributor/range.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/machine/policy.hpp>
#include <callisto/waiting/spin_lock.hpp>
#include <lab/names.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <span>

namespace callisto::lab {

template <machine::policy M>
class chunk_queues {
  using order = machine::order;

 public:
  static constexpr std::uint64_t most = std::uint64_t{1} << 62;
  static constexpr std::uint64_t chunk = 32;  ///< iterations in a chunk: Galois's default, which the paper uses

  struct cursor {
    unsigned queue;
    unsigned tried;  ///< number of queues found empty since the last chunk
    distributor::claim_counts counts = {};
  };

  chunk_queues(std::uint64_t n, const distributor::layout& where, std::span<const distributor::stage>)
      : where_(where), queues_(where.groups(distributor::level::socket), [&](unsigned s, void* place) {
          const std::uint64_t sockets = where.groups(distributor::level::socket);
          const std::uint64_t chunks = (n + chunk - 1) / chunk;
          const auto begin = [&](std::uint64_t socket) { return std::min(n, chunks * socket / sockets * chunk); };
          ::new (place) queue(begin(s), begin(s + 1));
        }) {}

  cursor cursor_of(unsigned thread) const noexcept { return {where_.group(distributor::level::socket, thread), 0, {}}; }

  /// Takes the first chunk of the first queue that has one, whatever number of iterations is asked for. Returns an
  /// empty range if all queues are empty.
  distributor::range claim(cursor& c, std::uint64_t) noexcept {
    for (; c.tried < queues_.size(); ++c.tried) {
      if (const distributor::range r = queues_[c.queue].pop(); !r.empty()) return r;
      c.queue = c.queue + 1 == queues_.size() ? 0 : c.queue + 1;
      ++c.counts.steals;
    }
    return {};
  }

  std::uint64_t near(const cursor&) const noexcept { return chunk; }
  void leave(cursor&) noexcept {}
  bool free(const cursor&) const noexcept { return true; }
  void exhaust() noexcept {
    // relaxed: dropped() is called after the loop, when no thread uses the queues.
    for (unsigned s = 0; s < queues_.size(); ++s) {
      if (queues_[s].clear()) dropped_.store(1, order::relaxed);
    }
  }
  bool dropped() const noexcept { return dropped_.load(order::relaxed) != 0; }

 private:
  class alignas(M::line_size) queue {
   public:
    queue(std::uint64_t first, std::uint64_t last) noexcept : head_(first), last_(last) {}

    distributor::range pop() noexcept {
      // relaxed: head_ only grows, so a stale value costs one acquisition of the lock.
      if (head_.load(order::relaxed) == last_) return {};
      const std::scoped_lock held(lock_);
      const std::uint64_t first = head_.load(order::relaxed);
      const distributor::range r{first, std::min(first + chunk, last_)};
      head_.store(r.last, order::relaxed);
      return r;
    }

    /// Empties the queue. Returns true if iterations were left.
    bool clear() noexcept {
      const std::scoped_lock held(lock_);
      const bool left = head_.load(order::relaxed) != last_;
      head_.store(last_, order::relaxed);
      return left;
    }

   private:
    waiting::spin_lock<M> lock_;
    machine::atomic_of<M, std::uint64_t> head_;
    const std::uint64_t last_;
  };

  const distributor::layout& where_;
  machine::atomic_of<M, unsigned> dropped_{0};
  distributor::line_array<M, queue> queues_;
};

}  // namespace callisto::lab
