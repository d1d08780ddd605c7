// When what threads and handlers have collected for a rank becomes a packet.
#include <callisto/global/messages/peer.hpp>
#include <callisto/global/transport/limits.hpp>
#include <callisto/global/transport/rank_clock.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace callisto::global {

bool message_engine::open_run(piece_set& set, int hop, std::uint32_t key, std::size_t bytes) {
  piece& q = set.pieces_[static_cast<std::size_t>(hop)];
  bool handed_off = false;
  const std::size_t needed = sizeof(run_header) + bytes;
  if (q.p != nullptr && (static_cast<std::size_t>(q.limit - q.cursor) < needed || options_.most_piece == 0)) {
    hand_off(set, hop, true);
    handed_off = true;
  }
  if (q.p == nullptr) {
    q.p = net_.take(hop, std::max(options_.most_piece == 0 ? 0 : q.next_capacity, sizeof(packet_header) + needed));
    q.cursor = q.p->body();
    // A packet in shared memory has room for more than a destination needs that fills it slowly.
    q.limit =
        q.p->bytes() + std::min<std::size_t>(q.p->capacity, std::max(q.next_capacity, sizeof(packet_header) + needed));
    q.age = 0;
    q.open = nullptr;
    set.used_.push_back(hop);
    if (on_collecting_ && set.channel_ == 0) on_collecting_();
  }
  if (q.open != nullptr)
    q.open->bytes = static_cast<std::uint32_t>(q.cursor - reinterpret_cast<std::byte*>(q.open + 1));
  q.open = new (q.cursor) run_header{static_cast<handler_id>(key >> 16), static_cast<std::uint16_t>(key), 0};
  q.cursor += sizeof(run_header);
  // Without aggregation the next message finds no run that it could join.
  q.key = options_.most_piece == 0 ? piece::no_run : key;
  return handed_off;
}

void message_engine::hand_off(piece_set& set, int hop, bool was_full) {
  piece& q = set.pieces_[static_cast<std::size_t>(hop)];
  packet_pointer p = std::move(q.p);
  q.open->bytes = static_cast<std::uint32_t>(q.cursor - reinterpret_cast<std::byte*>(q.open + 1));
  packet_header& h = p->header();
  h.bytes = static_cast<std::uint32_t>(q.cursor - p->bytes());
  h.source = static_cast<std::uint16_t>(net_.rank());
  h.channel = set.channel_;
  h.charge = p->capacity;
  if (routes_.has_choice() && !is_near(hop)) note_packet(set, h.bytes);
  // Grows while packets fill before they are overdue, shrinks while they leave nearly empty.
  if (was_full)
    q.next_capacity = std::min(2 * q.next_capacity, std::max(options_.most_piece, least_packet));
  else if (h.bytes < q.next_capacity / 4)
    q.next_capacity = std::max(q.next_capacity / 2, options_.least_piece);
  q.cursor = q.limit = nullptr;
  q.key = piece::no_run;
  q.open = nullptr;
  std::erase(set.used_, hop);

  const std::lock_guard guard(queue_lock_);
  peer& to = peers_[static_cast<std::size_t>(hop)];
  auto& queue = to.queue[set.channel_];
  const std::uint32_t charge = h.charge;
  // Small packets of several threads to one destination leave as one.
  if (!queue.empty() && options_.most_piece != 0) {
    packet& last = *queue.back();
    const std::uint32_t more = h.bytes - static_cast<std::uint32_t>(sizeof(packet_header));
    if (last.header().bytes < least_packet && last.header().bytes + more <= last.capacity) {
      std::memcpy(last.bytes() + last.header().bytes, p->body(), more);
      last.header().bytes += more;
      net_.give(std::move(p));
      return;
    }
  }
  queued_packets_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a hint for wait(); the lock publishes packets
  queue.push_back(std::move(p));
  to.window[set.channel_].enqueue(charge);
  if (set.channel_ == 1) queued_by_handlers_.fetch_add(charge, std::memory_order_relaxed);  // relaxed: a limit
  if (!to.is_active) {
    to.is_active = true;
    active_.push_back(hop);
  }
}

// A packet speaks for few ranks if it is small and one of many: that destinations share packets makes these larger. It
// speaks for the short way if it is the only one, such as that of a task that reads far memory, or large enough to be
// divided among all. A set begins with few ranks: the first packets to all would keep the adapter busy for long.
void message_engine::note_packet(piece_set& set, std::size_t bytes) {
  bool is_against = false;
  if (set.by_few_) {
    const std::size_t divided =
        bytes * routes_.far_neighbours(true) / std::max<std::size_t>(routes_.far_neighbours(false), 1);
    is_against = divided >= 2 * rank_limits::small_packet || set.used_.size() < 2;
  } else {
    is_against = bytes < rank_limits::small_packet && set.used_.size() >= rank_limits::few_pieces;
  }
  if (is_against) ++set.against_;
  if (++set.packets_ < rank_limits::packets_that_decide) return;
  if (set.against_ > rank_limits::packets_that_decide / 2) set.by_few_ = !set.by_few_;
  set.packets_ = set.against_ = 0;
}

void message_engine::hand_off_all(piece_set& set) {
  while (!set.used_.empty()) hand_off(set, set.used_.back(), false);
}

bool message_engine::hand_off_if_sent(piece_set& set) {
  if (!net_.sending()) {
    hand_off_all(set);
    return false;
  }
  for (std::size_t i = set.used_.size(); i-- > 0;) {
    const int hop = set.used_[i];
    if (is_near(hop)) hand_off(set, hop, false);
  }
  return !set.used_.empty();
}

void message_engine::flush() {
  if (in_handler()) return;
  {
    piece_set& set = mine();
    const piece_set::owner_guard guard(set);
    hand_off_all(set);
  }
  progress();
}

void message_engine::flush_if_sent() {
  if (in_handler()) return;
  {
    piece_set& set = mine();
    const piece_set::owner_guard guard(set);
    // relaxed: this thread, or one that lies down later, looks again soon
    if (hand_off_if_sent(set)) holds_back_.store(true, std::memory_order_relaxed);
  }
  progress();
}

std::optional<bool> message_engine::push_out() {
  const std::unique_lock turn(progress_, std::try_to_lock);
  if (!turn) return std::nullopt;
  bool was_at_all = true;
  {
    const std::lock_guard sets(sets_lock_);
    for (const auto& set : sets_) {
      if (!set->lock_.try_visit()) {
        was_at_all = false;
        continue;
      }
      hand_off_all(*set);
      set->lock_.end_visit();
    }
  }
  hand_off_all(*handler_set_);
  answers_due_ = 0;
  const bool any = send_queued();
  return was_at_all ? std::optional(any) : std::nullopt;
}

void message_engine::hand_off_overdue() {
  const std::uint64_t time = rank_clock::ticks();
  if (time < next_sweep_) return;
  next_sweep_ = time + sweep_ticks_;
  std::uint64_t left = 0;
  const piece_set* own = detail::of_thread::engine == number_ ? detail::of_thread::pieces : nullptr;
  const std::lock_guard guard(sets_lock_);
  for (const auto& set : sets_) {
    if (set.get() == own)
      set->lock_.enter();
    else if (!set->lock_.try_visit())
      continue;
    for (std::size_t i = set->used_.size(); i-- > 0;) {
      const int hop = set->used_[i];
      const bool is_awaited = net_.is_idle(hop);
      if (set->pieces_[static_cast<std::size_t>(hop)].age++ < rank_limits::most_age && !is_awaited) continue;
      hand_off(*set, hop, false);
      left += is_awaited ? 1 : 5;
    }
    if (set.get() == own)
      set->lock_.leave();
    else
      set->lock_.end_visit();
  }
  next_sweep_ += left * sweep_ticks_each_ / 5;
}

bool message_engine::hand_off_answers() {
  const std::uint64_t time = rank_clock::ticks();
  if (answers_due_ != 0 && time >= answers_due_) {
    hand_off_all(*handler_set_);
  } else if (hand_off_if_sent(*handler_set_)) {
    if (answers_due_ == 0) answers_due_ = time + rank_limits::most_age * sweep_ticks_;
    holds_back_.store(true, std::memory_order_relaxed);  // relaxed: as in flush_if_sent()
    return false;
  }
  answers_due_ = 0;
  return true;
}

}  // namespace callisto::global
