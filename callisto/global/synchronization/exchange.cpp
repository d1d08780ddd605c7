// The exchange of bytes between all ranks.
//
// 1. *Each rank:* enters the exchange, and tells every other rank how many bytes it expects from that one (`ready`).
// 2. *A rank that another one is ready for:* sends its piece in messages, to all ranks that are ready in turns.
// 3. *The handler at the receiver:* copies each message to its place.
// 4. *Each rank:* goes on when its pieces have left, and all bytes for it have come.
//
// Messages wait while too much is under way to their rank. So memory is bounded.
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/global/synchronization/main_waits.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace callisto::global::detail {

namespace {

/// An exchange, at one rank. A rank that is ahead may say that it is ready before this rank has entered.
struct bulk_transfer {
  std::vector<std::optional<std::uint64_t>> expected;  ///< by rank: the bytes that it is ready for
  std::size_t ready = 0;                               ///< ranks that are
  std::vector<std::span<std::byte>> in;                ///< by rank
  std::uint64_t arrived = 0;                           ///< bytes from other ranks
  std::uint64_t awaited = 0;
  arrival* waiter = nullptr;
};

/// The exchanges of a rank that are under way.
struct transfers {
  std::mutex lock;
  std::uint64_t next = 0;
  std::map<std::uint64_t, bulk_transfer> all;

  /// Under the lock. A transfer stays where it is while it is under way.
  bulk_transfer& at(std::uint64_t number) {
    bulk_transfer& found = all[number];
    if (found.expected.empty()) found.expected.resize(static_cast<std::size_t>(global::here().ranks));
    return found;
  }
};

struct say_ready {
  std::uint64_t number;
  std::uint64_t bytes;
  std::int64_t from;
  told_collective at;
  void operator()() const {
    const int child = static_cast<int>(from);
    if (child != 0 && (child - 1) / 2 == global::here().rank) session::hear_of(child, at);
    transfers& mine = rank_local<transfers>();
    const std::lock_guard guard(mine.lock);
    bulk_transfer& t = mine.at(number);
    t.expected[static_cast<std::size_t>(from)] = bytes;
    ++t.ready;
    wake(t.waiter);
  }
};

struct put_piece {
  std::uint64_t number;
  std::uint64_t from;
  std::uint64_t offset;
  void operator()(std::span<const std::byte> bytes) const {
    transfers& mine = rank_local<transfers>();
    bulk_transfer* t = nullptr;
    {
      const std::lock_guard guard(mine.lock);
      t = &mine.at(number);
    }
    // This rank has entered, as it has said that it is ready. Its main does not touch these bytes now.
    std::memcpy(t->in[from].data() + offset, bytes.data(), bytes.size());
    const std::lock_guard guard(mine.lock);
    t->arrived += bytes.size();
    if (t->arrived == t->awaited) wake(t->waiter);
  }
};

/// Sends this rank's pieces to the other ranks, a message to each in turn.
class sender {
 public:
  sender(std::uint64_t number, const std::vector<std::span<const std::byte>>& out) : number_(number), out_(out) {}

  /// Takes ranks in that have become ready. Under the lock. Throws usage_error if one expects another size.
  void look_for_ready(const bulk_transfer& t, const std::source_location& where) {
    const auto ranks = out_.size();
    seen_.resize(ranks);
    for (std::size_t i = 1; i != ranks; ++i) {
      const std::size_t r = (static_cast<std::size_t>(global::here().rank) + i) % ranks;
      if (seen_[r] || !t.expected[r]) continue;
      seen_[r] = true;
      ++count_;
      if (*t.expected[r] != out_[r].size()) {
        throw usage_error(place_of_call(where) + "rank " + std::to_string(global::here().rank) + " sends " +
                          std::to_string(out_[r].size()) + " bytes to rank " + std::to_string(r) + ", which expects " +
                          std::to_string(*t.expected[r]) + "; expected the same bounds at all ranks");
      }
      if (!out_[r].empty()) open_.push_back({r, 0});
    }
  }
  bool has_all() const noexcept { return count_ + 1 == out_.size(); }
  std::size_t count() const noexcept { return count_; }
  bool has_work() const noexcept { return !open_.empty(); }

  /// Sends a message to each rank that is ready.
  void send_some() {
    for (piece& p : open_) {
      const auto bytes = out_[p.rank].subspan(p.sent, std::min(most_payload, out_[p.rank].size() - p.sent));
      send(static_cast<int>(p.rank), put_piece{number_, static_cast<std::uint64_t>(global::here().rank), p.sent},
           bytes);
      p.sent += bytes.size();
    }
    std::erase_if(open_, [this](const piece& p) { return p.sent == out_[p.rank].size(); });
  }

 private:
  struct piece {
    std::size_t rank;
    std::size_t sent;
  };
  std::uint64_t number_;
  const std::vector<std::span<const std::byte>>& out_;
  std::vector<bool> seen_;
  std::size_t count_ = 0;  ///< ranks that are ready
  std::vector<piece> open_;
};

}  // namespace

void exchange_bytes(const std::vector<std::span<const std::byte>>& out, const std::vector<std::span<std::byte>>& in,
                    const std::source_location& where) {
  require_main("an exchange", where);
  const auto me = static_cast<std::size_t>(here().rank);
  const auto ranks = static_cast<std::size_t>(here().ranks);
  if (ranks != 1) {
    const told_collective at = session::here().enter(collective{.kind = collective::kinds::exchange, .where = where});
    transfers& mine = rank_local<transfers>();
    std::uint64_t number = 0;
    bulk_transfer* t = nullptr;
    {
      const std::lock_guard guard(mine.lock);
      number = mine.next++;
      t = &mine.at(number);
      t->in = in;
      for (std::size_t r = 0; r != ranks; ++r) t->awaited += r == me ? 0 : in[r].size();
    }
    for (std::size_t i = 1; i != ranks; ++i) {
      const std::size_t r = (me + i) % ranks;
      send(static_cast<int>(r), say_ready{number, in[r].size(), static_cast<std::int64_t>(me), at});
    }
    flush();
    sender pieces(number, out);
    while (!pieces.has_all() || pieces.has_work()) {
      if (!pieces.has_work()) {
        wait_until(mine.lock, t->waiter, "an exchange", where, [&] { return t->ready != pieces.count(); });
      }
      {
        const std::lock_guard guard(mine.lock);
        pieces.look_for_ready(*t, where);
      }
      pieces.send_some();
    }
    flush();
    wait_until(mine.lock, t->waiter, "an exchange", where, [&] { return t->arrived == t->awaited; });
    const std::lock_guard guard(mine.lock);
    mine.all.erase(number);
  }
  if (!out[me].empty() && out[me].data() != in[me].data()) {
    std::memmove(in[me].data(), out[me].data(), std::min(in[me].size(), out[me].size()));
  }
}

std::vector<std::uint64_t> exchange_counts(std::span<const std::uint64_t> counts, std::uint64_t elements,
                                           const std::source_location& where) {
  const auto ranks = static_cast<std::size_t>(here().ranks);
  if (counts.size() != ranks || std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) != elements) {
    throw usage_error(place_of_call(where) + "an exchange of " + std::to_string(elements) + " elements by " +
                      std::to_string(counts.size()) + " counts; expected a count for each of " + std::to_string(ranks) +
                      " ranks, of this sum");
  }
  std::vector<std::uint64_t> came(ranks);
  const std::vector<std::uint64_t> ones(ranks, 1);
  exchange_bytes(pieces_of<const std::byte>(counts, ones), pieces_of<std::byte>(std::span(came), ones), where);
  return came;
}

void require_bounds(std::span<const std::uint64_t> bounds, std::uint64_t size, const std::source_location& where) {
  const auto ranks = static_cast<std::size_t>(here().ranks);
  if (bounds.size() == ranks + 1 && std::ranges::is_sorted(bounds) && bounds.front() == 0 && bounds.back() == size)
    return;
  throw usage_error(place_of_call(where) + "bounds of " + std::to_string(bounds.size()) +
                    " numbers; expected a part for each of " + std::to_string(ranks) + " ranks, from 0 to " +
                    std::to_string(size));
}

}  // namespace callisto::global::detail
