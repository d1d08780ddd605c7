#include <callisto/global/caches/contiguous.hpp>
#include <callisto/global/caches/transfer_count.hpp>
#include <callisto/global/memory/answer.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/messages/wire.hpp>
#include <callisto/global/transport/limits.hpp>
#include <callisto/machine/native.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <source_location>
#include <span>

namespace callisto::global::detail {

namespace {

/// The transfers of a rank that are under way: they divide the window.
struct transfers_of_rank {
  std::atomic<std::uint64_t> count{0};
};

/// A transfer that a worker waits for, on its stack.
class transfer {
 public:
  transfer(const dealt_bytes& range, std::byte* to)
      : dealt(range.dealt),
        first(range.first),
        memory(to),
        // relaxed: a limit
        window_(std::max(rank_limits::transfer_window / (all_.count.fetch_add(1, std::memory_order_relaxed) + 1),
                         rank_limits::transfer_message)),
        count_(window_ / 2) {}
  ~transfer() { all_.count.fetch_sub(1, std::memory_order_relaxed); }  // relaxed: as above
  transfer(const transfer&) = delete;
  transfer& operator=(const transfer&) = delete;

  /// Counts bytes of which the worker is about to send a message; suspends it while too many are under way.
  void begin(std::uint64_t bytes, const std::source_location& where) {
    while (count_.under_way() + bytes > window_ && count_.under_way() != 0)
      wait_if([this] { return count_.await_few(); }, where);
    count_.begin(bytes);
  }
  /// Suspends the worker until all bytes have arrived.
  void finish(const std::source_location& where) {
    wait_if([this] { return count_.await_none(); }, where);
  }
  /// Ends bytes that have arrived. Handlers call it.
  void end(std::uint64_t bytes) noexcept {
    if (count_.end(bytes)) told_.set();
  }

  const block_cyclic dealt;
  const std::uint64_t first;
  std::byte* const memory;  ///< of the caller: where byte `first` is

 private:
  template <class MustWait>
  void wait_if(MustWait must_wait, const std::source_location& where) {
    told_.clear();
    told_.prepare();
    if (must_wait()) told_.wait("bytes of another rank", where);
  }

  transfers_of_rank& all_ = rank_local<transfers_of_rank>();
  const std::uint64_t window_;
  transfer_count<machine::native> count_;
  arrival told_;
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

/// Travels with a request or with bytes: the memory, at its owner, and the transfer, at the rank that asks.
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

/// Calls f(rank, passage) for each message that the range needs: each rank's bytes are contiguous there. The ranks
/// after this one come first, so that several ranks that read one range do not ask the same rank at once.
template <class F>
void for_each_message(const dealt_bytes& range, transfer* of, F f) {
  const std::uint64_t ranks = range.dealt.ranks();
  for (std::uint64_t i = 1; i <= ranks; ++i) {
    const std::uint64_t rank = (static_cast<std::uint64_t>(here().rank) + i) % ranks;
    const std::uint64_t end = range.dealt.owned_before(range.first + range.bytes, rank);
    for (std::uint64_t local = range.dealt.owned_before(range.first, rank); local < end;) {
      const std::uint64_t n = std::min(end - local, rank_limits::transfer_message);
      std::byte* const part = range.array == nullptr ? nullptr : range.array->part_of(rank) + local;
      f(static_cast<int>(rank), passage{part, local, of, here().rank, static_cast<std::uint32_t>(n)});
      local += n;
    }
  }
}

/// Moves the range: this rank's bytes by own(memory, caller's memory, bytes), other ranks' bytes by other(rank,
/// passage).
template <class Own, class Other>
void move(const dealt_bytes& range, std::byte* memory, const std::source_location& where, Own own, Other other) {
  if (range.bytes == 0) return;
  const auto me = static_cast<std::uint64_t>(here().rank);
  const std::uint64_t own_bytes =
      range.dealt.owned_before(range.first + range.bytes, me) - range.dealt.owned_before(range.first, me);
  if (own_bytes != range.bytes) require_may_block(where);
  transfer t(range, memory);
  for_each_message(range, &t, [&](int rank, const passage& p) {
    if (rank != here().rank) {
      t.begin(p.bytes, where);
      return other(rank, p);
    }
    for_each_run(
        range.dealt, range.first, me, p.local, p.bytes, [&](std::uint64_t local, std::uint64_t n, std::uint64_t at) {
          for_each_piece(
              p.array_bytes == nullptr, p.array_bytes + (local - p.local), local, n,
              [&](std::byte* mine, std::uint64_t bytes, std::uint64_t done) { own(mine, memory + at + done, bytes); });
        });
  });
  if (own_bytes != range.bytes) t.finish(where);
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
