// The engine of one rank's messages: collects them into packets by destination, sends these, and handles what arrives.
#pragma once

#include <callisto/global/messages/activity.hpp>
#include <callisto/global/messages/handlers.hpp>
#include <callisto/global/messages/owner_lock.hpp>
#include <callisto/global/messages/portable.hpp>
#include <callisto/global/messages/routes.hpp>
#include <callisto/global/messages/wire.hpp>
#include <callisto/global/transport/here.hpp>
#include <callisto/global/transport/transport.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/waiting/spin_lock.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace callisto::global {

/// Numbers of messages that a rank has sent and handled, without system messages. Equal sums over all ranks, twice,
/// mean quiescence.
struct message_counts {
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
};

/// Counts of a rank's engine (paper, table 2).
struct message_statistics {
  std::uint64_t messages = 0;       ///< sent by tasks and handlers of this rank
  std::uint64_t message_bytes = 0;  ///< of packets that were sent, without headers of packets
  std::uint64_t packets = 0;        ///< sent
  std::uint64_t packets_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t handled = 0;          ///< messages
  std::uint64_t forwarded_runs = 0;   ///< that this rank passed on to another rank
  std::uint64_t forwarded_bytes = 0;  ///< of messages that this rank passed on to another rank of its node
  std::uint64_t full_waits = 0;       ///< a sender waited because too much was under way to a rank
};

/// How an engine collects messages.
struct message_options {
  std::size_t least_piece = least_packet;     ///< bytes of the first packet to a destination
  std::size_t most_piece = most_packet;       ///< bytes that it grows to if it fills fast; 0: each message is a packet
  std::size_t window = std::size_t{4} << 20;  ///< bytes under way to one rank, at least 2 MiB in use
  unsigned most_hops = 0;                     ///< of a message: 1 to 3; 0: as the number of ranks needs (routes.hpp)

  /// Reads CALLISTO_GLOBAL_BUFFER, CALLISTO_GLOBAL_WINDOW and CALLISTO_GLOBAL_HOPS. Throws usage_error.
  static message_options from_environment();
};

/// The messages to one destination that one thread has collected.
struct piece {
  std::byte* cursor = nullptr;
  std::byte* limit = nullptr;
  std::uint32_t key = no_run;  ///< handler and rank of the open run
  std::uint32_t age = 0;       ///< sweeps that found it in use
  run_header* open = nullptr;
  packet_pointer p;
  std::size_t next_capacity = 0;

  static constexpr std::uint32_t no_run = 0xffffffff;
};

/// The pieces of one thread, by destination.
class piece_set {
 public:
  piece_set(int ranks, std::uint8_t channel, std::size_t first_capacity);

 private:
  friend class message_engine;

  void count(bool is_system) noexcept {
    // relaxed: only this thread writes; messages themselves are ordered by the hand-off.
    if (!is_system)
      sent_.store(sent_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    else
      system_.store(system_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  struct owner_guard {
    explicit owner_guard(piece_set& set_in) noexcept : set(set_in) { set.lock_.enter(); }
    ~owner_guard() { set.lock_.leave(); }
    piece_set& set;
  };

  owner_lock<machine::native> lock_;
  const std::thread::id owner_ = std::this_thread::get_id();
  const std::uint8_t channel_;
  std::vector<piece> pieces_;
  std::vector<int> used_;  ///< destinations with a packet in their piece
  // Of the latest packets to other nodes, for note_packet():
  bool by_few_ = false;  ///< messages take the way over few ranks
  std::uint8_t packets_ = 0;
  std::uint8_t against_ = 0;  ///< of these, the ones that speak against the way
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> system_{0};
};

/// Sends, receives and handles the messages of one rank.
class message_engine {
 public:
  /// Becomes the engine of `rank`. Throws usage_error for bad options or environment variables.
  message_engine(rank_context& rank, transport& net, message_options options = message_options::from_environment());
  ~message_engine();

  /// Sends a message to handler `h`: `write(at)` writes its `bytes` bytes, a multiple of wire_alignment. May call
  /// progress(), and waits if too much is under way to `to`; inside a handler it does neither. `directly`: not by way
  /// of another rank of the destination's node, which may have left the job.
  template <bool directly = false, class Write>
  void send(int to, const handler& h, std::size_t bytes, Write write);

  /// Sends a message of a group: `group` are the `size` bytes that messages of its run share, which travel once.
  template <std::size_t size, class Write>
  void send_grouped(int to, const handler& h, const std::byte* group, std::size_t bytes, Write write);

  /// Sends what is due, receives, and handles what arrived. True if anything was done. False at once if another thread
  /// of the rank does so already. Any thread; inside a handler it does nothing.
  bool progress();
  /// Lets the messages that the calling thread has collected leave, without waiting for more. Any thread.
  void flush();
  /// Does so for a thread without work: while the network still sends packets of this rank, messages to other nodes go
  /// on to collect, for at most as long as any may be collected. Packets of few messages would only wait for each
  /// other.
  void flush_if_sent();
  /// Lets the messages that all threads have collected leave, but handles none. For a thread that runs no handlers.
  /// Returns whether any left; nothing if another thread was at them.
  std::optional<bool> push_out();
  /// Called when a thread begins to collect messages for a destination, outside of handlers; it must not send. Set
  /// before threads send.
  void on_collecting(std::function<void()> call) { on_collecting_ = std::move(call); }
  /// Blocks until a packet may have arrived, another thread calls wake(), or the time is over. Returns at once if
  /// packets wait to be sent.
  void wait(std::chrono::microseconds most);
  /// Ends a wait(). Any thread.
  void wake() noexcept { net_.wake(); }

  /// Returns the sums over all threads of the rank; each number only grows.
  message_counts counts() const;
  /// Returns the statistics of the rank; waits for a thread that makes progress.
  message_statistics statistics();
  /// Returns how many runs this rank has passed on. For the thread that makes progress.
  std::uint64_t forwarded_runs() const noexcept { return statistics_.forwarded_runs; }
  const message_options& options() const noexcept { return options_; }
  transport& net() noexcept { return net_; }
  /// Returns for each rank that owes credits or has packets waiting one line, for the report of what waits for what.
  std::string report();

  /// Calls f(transport&) while no other thread uses the transport; false, without the call, if one does.
  template <class F>
  bool with_transport(F f) {
    const std::unique_lock turn(progress_, std::try_to_lock);
    if (turn) f(net_);
    return turn.owns_lock();
  }

 private:
  struct peer;

  piece_set& mine() {
    if (in_handler()) return *handler_set_;
    if (detail::of_thread::engine != number_) [[unlikely]]
      return attach_thread();
    return *detail::of_thread::pieces;
  }
  piece_set& attach_thread();
  template <std::size_t size, bool directly, class Write>
  void send_by(int to, const handler& h, const std::byte* group, std::size_t bytes, Write write);
  /// Makes room for `bytes` in a run of `key`. True if a packet was handed off.
  bool open_run(piece_set& set, int hop, std::uint32_t key, std::size_t bytes);
  /// Hands the piece to the peer's queue.
  void hand_off(piece_set& set, int hop, bool was_full);
  /// Chooses the way of the set's messages by its packets to other nodes.
  void note_packet(piece_set& set, std::size_t bytes);
  void hand_off_all(piece_set& set);
  /// Hands off all but those for other nodes while the network still sends. True if any is left.
  bool hand_off_if_sent(piece_set& set);
  /// Makes progress, and waits while too much is under way to `hop`.
  void after_hand_off(int hop);
  void hand_off_overdue();
  /// Hands off what handlers have collected, or leaves it until the network has sent.
  bool hand_off_answers();
  bool is_near(int rank) const { return net_.node_of(rank) == net_.node_of(net_.rank()); }
  bool send_queued();
  bool send_packet(int to, peer& of, packet_pointer& p);
  /// Removes what is left of a packet that has been taken from the front of a queue. Under queue_lock_.
  void pop_queue(peer& of, unsigned channel, std::uint32_t charge);
  bool return_credits();
  bool handle_own();
  void handle(packet_pointer p, bool is_own);
  [[noreturn]] void no_rank(int to) const;
  [[noreturn]] void fail(const std::string& cause);

  rank_context& rank_;
  transport& net_;
  const message_options options_;
  const handler_table& handlers_;
  const std::uint64_t number_;  ///< of this engine in the process
  const routes routes_;
  std::function<void()> on_collecting_;
  waiting::spin_lock<machine::native> progress_;  ///< held by the thread that makes progress

  // Under queue_lock_.
  std::mutex queue_lock_;
  std::unique_ptr<peer[]> peers_;
  std::vector<int> active_;  ///< peers with queued packets
  std::atomic<std::uint64_t> queued_packets_{0};
  std::atomic<std::uint64_t> queued_by_handlers_{0};  ///< bytes
  std::atomic<bool> holds_back_{false};               ///< messages wait until the network has sent

  // For the thread that makes progress.
  std::unique_ptr<piece_set> handler_set_;
  std::vector<int> sending_;  ///< scratch
  std::vector<int> in_debt_;  ///< peers that get credits back
  std::uint64_t answers_due_ =
      0;  ///< ticks at which the handlers' messages leave that wait for the network; 0: none do
  std::uint64_t next_sweep_ = 0;
  const std::uint64_t sweep_ticks_;
  const std::uint64_t sweep_ticks_each_;
  message_statistics statistics_;
  ended_count<machine::native> handled_;  ///< without system messages
  std::atomic<std::uint64_t> full_waits_{0};

  mutable std::mutex sets_lock_;
  std::vector<std::unique_ptr<piece_set>> sets_;
};

template <bool directly, class Write>
void message_engine::send(int to, const handler& h, std::size_t bytes, Write write) {
  if constexpr (directly)
    send_by<0, true>(to, h, nullptr, bytes, write);
  else
    send_grouped<0>(to, h, nullptr, bytes, write);
}

template <std::size_t size, class Write>
void message_engine::send_grouped(int to, const handler& h, const std::byte* group, std::size_t bytes, Write write) {
  if (static_cast<unsigned>(to) >= static_cast<unsigned>(rank_.ranks)) [[unlikely]]
    no_rank(to);
  send_by<size, false>(to, h, group, bytes, write);
}

template <std::size_t size, bool directly, class Write>
void message_engine::send_by(int to, const handler& h, const std::byte* group, std::size_t bytes, Write write) {
  bool full = false;
  int hop = to;
  {
    piece_set& set = mine();
    const piece_set::owner_guard guard(set);
    if constexpr (!directly) hop = routes_.next(to, set.by_few_);
    piece& q = set.pieces_[static_cast<std::size_t>(hop)];
    const std::uint32_t key = static_cast<std::uint32_t>(h.id) << 16 | static_cast<std::uint32_t>(to);
    const auto is_of_another_group = [&] {
      if constexpr (size == 0) return false;
      return std::memcmp(q.open + 1, group, size) != 0;
    };
    if (q.key != key || static_cast<std::size_t>(q.limit - q.cursor) < bytes || is_of_another_group()) [[unlikely]] {
      full = open_run(set, hop, key, size + bytes);
      if constexpr (size != 0) {  // a run begins with its group
        std::memcpy(q.cursor, group, size);
        q.cursor += size;
      }
    }
    write(q.cursor);
    q.cursor += bytes;
    set.count(h.is_system);
  }
  if (full) [[unlikely]]
    after_hand_off(hop);
}

}  // namespace callisto::global
