#include <callisto/global/caches/contiguous.hpp>
#include <callisto/global/memory/answer.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/messages/wire.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

namespace callisto::global::detail {

namespace {

/// The most bytes of one message.
constexpr std::uint64_t most_bytes = 16 << 10;

/// A transfer that a worker waits for, on its stack.
struct transfer {
  block_cyclic dealt;
  std::uint64_t first = 0;
  std::byte* memory = nullptr;  ///< of the caller: where byte `first` is
  std::atomic<std::uint64_t> pending{0};
  arrival ended;

  void end(std::uint64_t bytes) noexcept {
    // acq_rel: release publishes the bytes; acquire lets the last one pass on what all others published.
    if (pending.fetch_sub(bytes, std::memory_order_acq_rel) == bytes) ended.set();
  }
};

/// Calls f(local, bytes, offset in the range) for each run of `bytes` of a rank's bytes that is contiguous in the
/// range.
template <class F>
void for_each_run(const block_cyclic& dealt, std::uint64_t first, std::uint64_t rank, std::uint64_t local,
                  std::uint64_t bytes, F f) {
  while (bytes != 0) {
    const std::uint64_t run = std::min(bytes, dealt.block() - local % dealt.block());
    f(local, run, dealt.unit_at({rank, local}) - first);
    local += run;
    bytes -= run;
  }
}

/// Calls f(pointer, bytes, offset) for each piece of own memory behind a place; the heap is not contiguous everywhere.
template <class F>
void for_each_piece(bool in_heap, std::byte* array_bytes, std::uint64_t local, std::uint64_t bytes, F f) {
  if (!in_heap) return f(array_bytes, bytes, std::uint64_t{0});
  growing_memory& memory = rank_local<global_heap>().memory();
  for (std::uint64_t done = 0; done != bytes;) {
    const std::uint64_t piece = std::min(bytes - done, growing_memory::contiguous_end(local + done) - (local + done));
    f(memory.at(local + done), piece, done);
    done += piece;
  }
}

/// What travels with a request or with bytes: the memory, at its owner, and the transfer, at the rank that asks.
struct passage {
  std::byte* array_bytes;  ///< null: in the heap
  std::uint64_t local;
  transfer* of;
  std::int32_t asker;
  std::uint32_t bytes;
};

struct take_bytes {
  transfer* to;
  std::uint64_t local;
  std::uint64_t rank;
  void operator()(std::span<const std::byte> got) const {
    const std::byte* from = got.data();
    for_each_run(to->dealt, to->first, rank, local, got.size(), [&](std::uint64_t, std::uint64_t n, std::uint64_t at) {
      std::memcpy(to->memory + at, from, n);
      from += n;
    });
    to->end(got.size());
  }
};

struct ask_bytes {
  passage p;
  void operator()() const {
    for_each_piece(p.array_bytes == nullptr, p.array_bytes, p.local, p.bytes,
                   [&](const std::byte* from, std::uint64_t n, std::uint64_t at) {
                     send(p.asker, take_bytes{p.of, p.local + at, static_cast<std::uint64_t>(here().rank)},
                          std::span(from, n));
                   });
  }
};

struct put_bytes {
  passage p;
  void operator()(std::span<const std::byte> got) const {
    for_each_piece(p.array_bytes == nullptr, p.array_bytes, p.local, got.size(),
                   [&](std::byte* to, std::uint64_t n, std::uint64_t at) { std::memcpy(to, got.data() + at, n); });
    send(p.asker, [of = p.of, n = std::uint64_t{got.size()}] { of->end(n); });
  }
};

/// Calls f(rank, passage) for each message that the range needs: each rank's bytes are contiguous there.
template <class F>
void for_each_message(const dealt_bytes& range, transfer* of, F f) {
  for (std::uint64_t rank = 0; rank != range.dealt.ranks(); ++rank) {
    const std::uint64_t end = range.dealt.owned_before(range.first + range.bytes, rank);
    for (std::uint64_t local = range.dealt.owned_before(range.first, rank); local < end;) {
      const std::uint64_t n = std::min(end - local, most_bytes);
      std::byte* const part = range.array == nullptr ? nullptr : range.array->part_of(rank) + local;
      f(static_cast<int>(rank), passage{part, local, of, here().rank, static_cast<std::uint32_t>(n)});
      local += n;
    }
  }
}

/// Moves the range: own bytes by own(memory, caller's memory, bytes), those of others by other(rank, passage).
template <class Own, class Other>
void move(const dealt_bytes& range, std::byte* memory, const std::source_location& where, Own own, Other other) {
  if (range.bytes == 0) return;
  const auto me = static_cast<std::uint64_t>(here().rank);
  const std::uint64_t own_bytes =
      range.dealt.owned_before(range.first + range.bytes, me) - range.dealt.owned_before(range.first, me);
  if (own_bytes != range.bytes) require_may_block(where);
  transfer t;
  t.dealt = range.dealt;
  t.first = range.first;
  t.memory = memory;
  // relaxed: the messages publish it.
  t.pending.store(range.bytes - own_bytes, std::memory_order_relaxed);
  if (own_bytes != range.bytes) t.ended.prepare();
  for_each_message(range, &t, [&](int rank, const passage& p) {
    if (rank != here().rank) return other(rank, p);
    for_each_run(
        range.dealt, range.first, me, p.local, p.bytes, [&](std::uint64_t local, std::uint64_t n, std::uint64_t at) {
          for_each_piece(
              p.array_bytes == nullptr, p.array_bytes + (local - p.local), local, n,
              [&](std::byte* mine, std::uint64_t bytes, std::uint64_t done) { own(mine, memory + at + done, bytes); });
        });
  });
  if (own_bytes != range.bytes) t.ended.wait();
}

}  // namespace

void gather(const dealt_bytes& from, std::byte* into, const std::source_location& where) {
  move(
      from, into, where,
      [](const std::byte* mine, std::byte* caller, std::uint64_t bytes) { std::memcpy(caller, mine, bytes); },
      [](int rank, const passage& p) { send(rank, ask_bytes{p}); });
}

void scatter(const std::byte* from, const dealt_bytes& to, const std::source_location& where) {
  std::vector<std::byte> collected;
  move(
      to, const_cast<std::byte*>(from), where,  // only read
      [](std::byte* mine, const std::byte* caller, std::uint64_t bytes) { std::memcpy(mine, caller, bytes); },
      [&](int rank, const passage& p) {
        collected.clear();
        for_each_run(to.dealt, to.first, static_cast<std::uint64_t>(rank), p.local, p.bytes,
                     [&](std::uint64_t, std::uint64_t n, std::uint64_t at) {
                       collected.insert(collected.end(), from + at, from + at + n);
                     });
        send(rank, put_bytes{p}, std::span<const std::byte>(collected));
      });
}

}  // namespace callisto::global::detail
