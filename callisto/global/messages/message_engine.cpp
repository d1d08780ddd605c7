#include <callisto/global/messages/message_engine.hpp>
#include <callisto/global/messages/peer.hpp>
#include <callisto/global/messages/unpack.hpp>
#include <callisto/global/transport/limits.hpp>
#include <callisto/global/transport/rank_clock.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

namespace callisto::global {

namespace {

std::uint64_t next_engine() noexcept {
  static std::atomic<std::uint64_t> engines{0};
  return engines.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: only uniqueness counts
}

std::vector<int> nodes_of(const transport& net) {
  std::vector<int> nodes;
  for (int r = 0; r != net.ranks(); ++r) nodes.push_back(net.node_of(r));
  return nodes;
}

struct handling {
  handling() noexcept { detail::of_thread::in_handler = true; }
  ~handling() { detail::of_thread::in_handler = false; }
};

}  // namespace

piece_set::piece_set(int ranks, std::uint8_t channel, std::size_t first_capacity)
    : channel_(channel), pieces_(static_cast<std::size_t>(ranks)) {
  for (piece& q : pieces_) q.next_capacity = first_capacity;
}

message_engine::message_engine(rank_context& rank, transport& net, message_options options)
    : rank_(rank),
      net_(net),
      options_(options),
      handlers_(handler_table::get()),
      number_(next_engine()),
      routes_(net.rank(), nodes_of(net), options.most_hops),
      peers_(std::make_unique<peer[]>(static_cast<std::size_t>(net.ranks()))),
      handler_set_(std::make_unique<piece_set>(net.ranks(), std::uint8_t{1}, options.least_piece)),
      sweep_ticks_(rank_clock::ticks_of(rank_limits::sweep_ns)),
      sweep_ticks_each_(rank_clock::ticks_of(rank_limits::sweep_each_ns)) {
  const int ranks = net_.ranks();
  handler_set_->by_few_ = routes_.has_choice();
  rank_.rank = net_.rank();
  rank_.ranks = ranks;
  rank_.messages = this;
  rank_.net = &net_;
}

message_engine::~message_engine() {
  if (rank_.messages == this) rank_.messages = nullptr;
}

void message_engine::no_rank(int to) const {
  throw usage_error("callisto::global::send: to rank " + std::to_string(to) + "; expected 0 to " +
                    std::to_string(net_.ranks() - 1));
}

piece_set& message_engine::attach_thread() {
  const std::lock_guard guard(sets_lock_);
  // A thread may come back, or have the identity of one that has ended.
  for (const auto& set : sets_)
    if (set->owner_ == std::this_thread::get_id()) {
      detail::of_thread::engine = number_;
      detail::of_thread::pieces = set.get();
      return *set;
    }
  auto made = std::make_unique<piece_set>(net_.ranks(), std::uint8_t{0}, options_.least_piece);
  piece_set& set = *made;
  set.by_few_ = routes_.has_choice();
  sets_.push_back(std::move(made));
  detail::of_thread::engine = number_;
  detail::of_thread::pieces = &set;
  return set;
}

void message_engine::after_hand_off(int hop) {
  if (in_handler()) return;
  progress();
  const auto& of_tasks = peers_[static_cast<std::size_t>(hop)].window[0];
  if (!of_tasks.is_over(options_.window)) return;
  full_waits_.fetch_add(1, std::memory_order_relaxed);  // relaxed: a statistic
  int quiet = 0;
  while (of_tasks.is_over(options_.window)) {
    if (progress())
      quiet = 0;
    else if (++quiet > 50)
      net_.wait(std::chrono::microseconds(200));
    else
      rank_clock::relax();
  }
}

bool message_engine::progress() {
  if (in_handler()) return false;
  const std::unique_lock turn(progress_, std::try_to_lock);
  if (!turn) return false;
  bool done = false;
  while (packet_pointer p = net_.sent()) net_.give(std::move(p));
  hand_off_overdue();
  done |= send_queued();
  done |= handle_own();
  int handled = 0;
  for (; handled < rank_limits::packets_a_look; ++handled) {
    packet_pointer p = net_.receive();
    if (p == nullptr) break;
    handle(std::move(p), false);
    done = true;
  }
  // Answers leave when no more requests come that would add to them.
  if (handled < rank_limits::packets_a_look && !handler_set_->used_.empty()) done |= hand_off_answers();
  done |= return_credits();
  if (queued_packets_.load(std::memory_order_relaxed) != 0) done |= send_queued();  // relaxed: a hint
  return done;
}

bool message_engine::send_packet(int to, peer& of, packet_pointer& p) {
  packet_header& h = p->header();
  for (const unsigned channel : {0u, 1u}) h.credit[channel] = of.debt[channel].owed();
  h.phase = rank_.latest_phase.load(std::memory_order_relaxed);  // relaxed: as in hear_of_phase()
  const std::uint32_t bytes = h.bytes;
  if (!net_.try_send(to, p)) return false;
  for (credit_debt& debt : of.debt) debt.clear();
  ++statistics_.packets;
  statistics_.message_bytes += bytes - sizeof(packet_header);
  return true;
}

void message_engine::pop_queue(peer& of, unsigned channel, std::uint32_t charge) {
  of.queue[channel].pop_front();
  if (channel == 1) queued_by_handlers_.fetch_sub(charge, std::memory_order_relaxed);  // relaxed: a limit
  queued_packets_.fetch_sub(1, std::memory_order_relaxed);                             // relaxed: a hint
}

bool message_engine::send_queued() {
  if (queued_packets_.load(std::memory_order_relaxed) == 0) return false;  // relaxed: a later call finds it
  bool any = false;
  const std::lock_guard guard(queue_lock_);
  for (std::size_t i = 0; i < active_.size();) {
    const int to = active_[i];
    peer& of = peers_[static_cast<std::size_t>(to)];
    if (to == net_.rank()) {  // handle_own() takes them
      ++i;
      continue;
    }
    for (const unsigned channel : {1u, 0u}) {
      auto& queue = of.queue[channel];
      while (!queue.empty()) {
        const std::uint32_t charge = queue.front()->header().charge;
        if (!of.window[channel].admits(charge, options_.window)) break;
        if (!send_packet(to, of, queue.front())) return any;
        pop_queue(of, channel, charge);
        of.window[channel].leave(charge);
        any = true;
      }
    }
    if (of.queue[0].empty() && of.queue[1].empty()) {
      of.is_active = false;
      active_[i] = active_.back();
      active_.pop_back();
    } else {
      ++i;
    }
  }
  return any;
}

bool message_engine::handle_own() {
  if (queued_packets_.load(std::memory_order_relaxed) == 0) return false;  // relaxed: a later call finds it
  peer& of = peers_[static_cast<std::size_t>(net_.rank())];
  bool any = false;
  for (int i = 0; i < rank_limits::packets_a_look; ++i) {
    packet_pointer p;
    {
      const std::lock_guard guard(queue_lock_);
      if (!of.is_active) return any;
      const unsigned channel = of.queue[1].empty() ? 0 : 1;
      p = std::move(of.queue[channel].front());
      const std::uint32_t charge = p->header().charge;
      pop_queue(of, channel, charge);
      of.window[channel].drop(charge);
      if (of.queue[0].empty() && of.queue[1].empty()) {
        of.is_active = false;
        std::erase(active_, net_.rank());
      }
    }
    handle(std::move(p), true);
    any = true;
  }
  return any;
}

void message_engine::handle(packet_pointer p, bool is_own) {
  const int me = net_.rank();
  std::uint64_t handled = 0;
  std::uint64_t system = 0;
  std::string damage;
  if (!is_own && p->size() >= sizeof(packet_header)) rank_.hear_of_phase(p->header().phase);
  try {
    const handling mark;
    damage = unpack(p->bytes(), p->size(), handlers_.size(), static_cast<std::size_t>(net_.ranks()),
                    [&](const run_header& run, const std::byte* records) {
                      const handler& h = handlers_[run.id];
                      if (run.to == me) return h.run(records, run.bytes, h.is_system ? system : handled);
                      ++statistics_.forwarded_runs;
                      statistics_.forwarded_bytes += run.bytes;
                      const std::uint32_t key = std::uint32_t{run.id} << 16 | run.to;
                      const int next = routes_.next(run.to, handler_set_->by_few_);
                      open_run(*handler_set_, next, key, run.bytes);
                      piece& q = handler_set_->pieces_[static_cast<std::size_t>(next)];
                      std::memcpy(q.cursor, records, run.bytes);
                      q.cursor += run.bytes;
                      return true;
                    });
  } catch (const job_failed&) {
    throw;
  } catch (const std::exception& e) {
    fail(std::string("a message handler threw an exception: ") + e.what());
  }
  const packet_header& h = p->header();
  if (!damage.empty())
    fail("a packet from rank " + std::to_string(p->size() >= sizeof h ? h.source : p->peer) + " is damaged: " + damage);
  handled_.add(handled);
  statistics_.handled += handled + system;
  if (!is_own) {
    ++statistics_.packets_received;
    statistics_.bytes_received += h.bytes;
    const int source = h.source;
    peer& of = peers_[static_cast<std::size_t>(source)];
    if ((h.credit[0] | h.credit[1]) != 0) {
      const std::lock_guard guard(queue_lock_);
      for (const unsigned channel : {0u, 1u}) {
        if (!of.window[channel].give_back(h.credit[channel]))
          fail("a packet from rank " + std::to_string(source) + " is damaged: it gives back " +
               std::to_string(h.credit[channel]) + " bytes of " + std::to_string(of.window[channel].under_way()));
      }
    }
    of.debt[h.channel].add(h.charge);
    if (!of.is_in_debt && h.charge != 0) {
      of.is_in_debt = true;
      in_debt_.push_back(source);
    }
  }
  net_.give(std::move(p));
}

bool message_engine::return_credits() {
  bool any = false;
  for (std::size_t i = 0; i < in_debt_.size();) {
    peer& of = peers_[static_cast<std::size_t>(in_debt_[i])];
    // relaxed: a limit
    const bool holds_back = queued_by_handlers_.load(std::memory_order_relaxed) > rank_limits::queued_by_handlers;
    if (of.debt[1].is_due(options_.window) || (of.debt[0].is_due(options_.window) && !holds_back)) {
      packet_pointer p = net_.take(-1, 0);
      p->header().bytes = sizeof(packet_header);
      p->header().source = static_cast<std::uint16_t>(net_.rank());
      const std::lock_guard guard(queue_lock_);
      if (!send_packet(in_debt_[i], of, p)) {
        net_.give(std::move(p));
        return any;
      }
      any = true;
    }
    if ((of.debt[0].owed() | of.debt[1].owed()) == 0) {
      of.is_in_debt = false;
      in_debt_[i] = in_debt_.back();
      in_debt_.pop_back();
    } else {
      ++i;
    }
  }
  return any;
}

void message_engine::wait(std::chrono::microseconds most) {
  // relaxed: packets that another thread queues at this moment are sent by that thread
  if (queued_packets_.load(std::memory_order_relaxed) != 0) return;
  const bool looks_again = holds_back_.exchange(false, std::memory_order_relaxed) || net_.sending();  // relaxed: a hint
  net_.wait(looks_again ? std::min(most, std::chrono::microseconds(50)) : most);
}

message_counts message_engine::counts() const {
  message_counts c;
  const std::lock_guard guard(sets_lock_);
  // Handled first: a message that is counted as handled has been counted as sent, by this rank or another.
  c.handled = handled_.get();
  for (const auto& set : sets_) c.sent += set->sent_.load(std::memory_order_relaxed);  // relaxed: two equal rounds
  c.sent += handler_set_->sent_.load(std::memory_order_relaxed);                       // relaxed: as above
  return c;
}

message_statistics message_engine::statistics() {
  const std::scoped_lock turn(progress_);
  message_statistics s = statistics_;
  const std::lock_guard sets(sets_lock_);
  const auto add = [&](const piece_set& set) {
    // relaxed: statistics
    s.messages += set.sent_.load(std::memory_order_relaxed) + set.system_.load(std::memory_order_relaxed);
  };
  for (const auto& set : sets_) add(*set);
  add(*handler_set_);
  s.full_waits = full_waits_.load(std::memory_order_relaxed);  // relaxed: a statistic
  return s;
}

std::string message_engine::report() {
  std::string lines;
  const std::lock_guard guard(queue_lock_);
  for (int r = 0; r < net_.ranks(); ++r) {
    const peer& of = peers_[static_cast<std::size_t>(r)];
    const std::uint64_t queued = of.window[0].queued() + of.window[1].queued();
    const std::uint64_t under_way = of.window[0].under_way() + of.window[1].under_way();
    if (queued + under_way == 0) continue;
    lines += "rank " + std::to_string(net_.rank()) + ": to rank " + std::to_string(r) + " at " + net_.host_of(r) +
             ": " + std::to_string(queued) + " bytes wait to be sent, " + std::to_string(under_way) +
             " are not confirmed\n";
  }
  return lines;
}

void message_engine::fail(const std::string& cause) {
  const std::string line = net_.name_of(net_.rank()) + ": " + cause;
  net_.abort(line);
  throw job_failed(line);
}

}  // namespace callisto::global
