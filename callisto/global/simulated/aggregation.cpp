#include <callisto/global/simulated/aggregation.hpp>

#include <callisto/global/simulated/wires.hpp>
#include <callisto/global/transport/packet.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <string>
#include <vector>

namespace callisto::global::simulation {
namespace {

// As the engine has them (messages/message_engine.cpp).
constexpr picoseconds sweep = 5'000'000;
constexpr picoseconds sweep_each = 10'000'000;
constexpr picoseconds most_age = 5 * sweep;
constexpr double record_bytes = 16;  ///< a message of 8 bytes, and its run: hardly two have the same rank in turn

/// A step of a way: to one of `width` ranks, of which the first is the own one.
struct way_step {
  std::size_t width;
  bool is_far;
  bool may_stay = true;  ///< else the first is none, since nearly all messages leave the node
};

std::size_t root_of(std::size_t n, double power) {
  return static_cast<std::size_t>(std::ceil(std::pow(static_cast<double>(n), power) - 1e-9));
}

std::vector<way_step> steps_of(const aggregation_job& j) {
  const std::size_t n = j.nodes;
  const std::size_t r = j.ranks;
  switch (j.how) {
    case routes::scheme::direct:
      return {{n * r, true}};
    case routes::scheme::by_node:
      return {{n, true}, {r, false}};
    case routes::scheme::gathered:
      return {{r, false}, {(n + r - 1) / r + 1, true, false}, {r, false}};
    case routes::scheme::square:
      return {{root_of(n, 1.0 / 2), true}, {root_of(n, 1.0 / 2), true}, {r, false}};
    case routes::scheme::cube:
      return {{root_of(n, 1.0 / 3), true}, {root_of(n, 1.0 / 3), true}, {root_of(n, 1.0 / 3), true}, {r, false}};
  }
  return {};
}

/// The records that a rank collects for another one.
struct piece_of_model {
  std::uint32_t records = 0;
  std::uint32_t capacity = least_packet;
  picoseconds since = 0;
};

struct packet_of_model {
  std::uint32_t records;
  std::uint32_t step;  ///< that it makes
  bool is_far;
  picoseconds due;
  bool operator<(const packet_of_model& other) const noexcept { return due > other.due; }  // the first is the greatest
};

/// The pieces of a rank for one channel, by step and destination.
struct set_of_model {
  std::vector<std::vector<piece_of_model>> pieces;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> used;
};

struct rank_of_model {
  unsigned place = 0;
  picoseconds now = 0;
  picoseconds next_sweep = 0;
  picoseconds answers_since = 0;
  picoseconds last_left = 0;
  set_of_model own;
  set_of_model of_handlers;
  std::deque<picoseconds> sending;
  std::priority_queue<packet_of_model> inbox;
  std::uint64_t bytes = 0;  ///< of its pieces and of its packets that have not left
};

class node_of_model {
 public:
  explicit node_of_model(const aggregation_job& job)
      : job_(job),
        n_(job.net),
        steps_(steps_of(job)),
        end_(from_nanoseconds(job.seconds * 1e9)),
        way_(from_nanoseconds(n_.latency + switches() * n_.switch_latency)),
        random_(job.seed * 0x9e3779b97f4a7c15U + 1),
        ranks_(job.ranks) {
    for (unsigned r = 0; r != job.ranks; ++r) {
      ranks_[r].place = r;
      ranks_[r].next_sweep = sweep;
      for (set_of_model* s : {&ranks_[r].own, &ranks_[r].of_handlers})
        for (const way_step& step : steps_) s->pieces.emplace_back(step.width);
    }
  }

  aggregation_outcome run() {
    using entry = std::pair<picoseconds, unsigned>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> order;
    for (unsigned r = 0; r != job_.ranks; ++r) order.emplace(0, r);
    while (handled_ != sent_ || producing_ != 0 || !has_begun_) {
      rank_of_model& r = ranks_[order.top().second];
      r.now = std::max(r.now, order.top().first);
      order.pop();
      work(r);
      order.emplace(r.now, r.place);
    }
    aggregation_outcome o;
    const double seconds = static_cast<double>(last_) * 1e-12;
    o.messages = static_cast<double>(handled_) / seconds * job_.nodes;
    o.packets = static_cast<double>(packets_) / seconds;
    o.packet_bytes = packets_ == 0 ? 0 : packet_bytes_ / static_cast<double>(packets_);
    o.memory = static_cast<double>(most_bytes_);
    for (const way_step& s : steps_) o.neighbours += s.width - 1;
    return o;
  }

 private:
  unsigned switches() const {
    const bool is_near = job_.nodes <= (n_.shape == topology::fat_tree ? n_.leaf : n_.group);
    return n_.shape == topology::dragonfly ? (is_near ? 2 : 4) : (is_near ? 1 : 3);
  }
  std::size_t below(std::size_t n) noexcept {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>((random_ >> 33) * n >> 31);
  }
  void charge(rank_of_model& r, double ns) const noexcept { r.now += from_nanoseconds(ns); }

  /// One turn of a rank: 64 messages, or what has come.
  void work(rank_of_model& r) {
    if (r.now < end_) {
      if (!has_begun_) has_begun_ = true;
      const picoseconds before = r.now;
      if (before == 0) ++producing_;
      constexpr unsigned at_once = 64;
      sent_ += at_once;
      bool filled = false;
      for (unsigned i = 0; i != at_once; ++i) filled |= pass_on(r, r.own, 0);
      charge(r, at_once * (n_.enqueue + n_.serialize));
      if (filled) progress(r);
      if (r.now >= end_) {
        --producing_;
        flush(r, r.own);
      }
      return;
    }
    if (progress(r)) return;
    picoseconds next = r.now + 1'000'000;
    if (!r.inbox.empty()) next = std::max(r.now, std::min(next, r.inbox.top().due));
    r.now = next;
  }

  /// Takes one message the steps from `step` on; true if a packet filled.
  bool pass_on(rank_of_model& r, set_of_model& set, std::uint32_t step) {
    for (; step != steps_.size(); ++step) {
      const std::size_t to = steps_[step].may_stay ? below(steps_[step].width) : 1 + below(steps_[step].width - 1);
      if (to == 0) continue;
      piece_of_model& p = set.pieces[step][to];
      if (p.records == 0) {
        p.since = r.now;
        set.used.emplace_back(step, static_cast<std::uint32_t>(to));
        grow(r, p.capacity);
      }
      ++p.records;
      if (bytes_of(p.records) + record_bytes <= p.capacity) return false;
      leave(r, set, step, to, true);
      return true;
    }
    ++handled_;
    last_ = std::max(last_, r.now);
    charge(r, n_.deserialize + n_.memory);
    return false;
  }
  static double bytes_of(std::uint32_t records) noexcept { return sizeof(packet_header) + records * record_bytes; }
  void grow(rank_of_model& r, std::uint64_t bytes) noexcept {
    r.bytes += bytes;
    most_bytes_ = std::max(most_bytes_, r.bytes);
  }

  /// Sends a piece as a packet.
  void leave(rank_of_model& r, set_of_model& set, std::uint32_t step, std::size_t to, bool was_full) {
    piece_of_model& p = set.pieces[step][to];
    const double bytes = bytes_of(p.records);
    packet_of_model out{.records = p.records, .step = step, .is_far = steps_[step].is_far, .due = 0};
    // A direct way has ranks of this node among its ranks.
    if (job_.how == routes::scheme::direct && to < job_.ranks) out.is_far = false;
    r.bytes -= p.capacity;
    if (was_full)
      p.capacity = std::min<std::uint32_t>(2 * p.capacity, most_packet);
    else if (bytes < p.capacity / 4)
      p.capacity = std::max<std::uint32_t>(p.capacity / 2, least_packet);
    p.records = 0;
    std::erase(set.used, std::pair(step, static_cast<std::uint32_t>(to)));
    unsigned receiver = r.place;
    if (!out.is_far) {
      charge(r, n_.near_send);
      out.due = r.now + from_nanoseconds(n_.near);
      receiver = static_cast<unsigned>((r.place + 1 + (to - 1) % std::max(1U, job_.ranks - 1)) % job_.ranks);
    } else {
      while (!r.sending.empty() && r.sending.front() <= r.now) r.sending.pop_front();
      charge(r, n_.send);
      picoseconds ready = r.now;
      if (r.sending.size() >= n_.outstanding) ready = std::max(ready, *(r.sending.end() - n_.outstanding));
      if (bytes <= n_.eager)
        charge(r, bytes / n_.copy * 1e9), ready = std::max(ready, r.now);
      else
        ready += 2 * way_ + from_nanoseconds(n_.send + n_.receive);
      const double on_wire = bytes + n_.framing;
      const picoseconds serial = from_nanoseconds(on_wire / n_.bandwidth * 1e9);
      const picoseconds gap = std::max(serial, from_nanoseconds(1e9 / n_.rate));
      const picoseconds begin = std::max(ready, out_);
      out_ = begin + gap;
      // The links upward of a leaf with a taper are shared by more nodes.
      const bool leaves_leaf = switches() > (n_.shape == topology::dragonfly ? 2U : 1U);
      picoseconds head = begin + way_;
      if (leaves_leaf) {
        head = std::max(head, up_);
        up_ = head + from_nanoseconds(on_wire / n_.link * 1e9 * (n_.shape == topology::fat_tree ? n_.taper : 1));
      }
      head = std::max(head, in_);
      in_ = head + gap;
      out.due = head + serial;
      r.sending.push_back(begin + serial);
      ++packets_;
      packet_bytes_ += bytes;
      if (job_.how == routes::scheme::gathered) receiver = static_cast<unsigned>(below(job_.ranks));
      if (job_.how == routes::scheme::direct) receiver = static_cast<unsigned>(below(job_.ranks));
    }
    ranks_[receiver].inbox.push(out);
  }

  void flush(rank_of_model& r, set_of_model& set) {
    while (!set.used.empty()) leave(r, set, set.used.back().first, set.used.back().second, false);
  }

  bool progress(rank_of_model& r) {
    bool any = false;
    if (r.now >= r.next_sweep) {
      r.next_sweep = r.now + sweep;
      for (std::size_t i = r.own.used.size(); i-- > 0;) {
        const auto [step, to] = r.own.used[i];
        if (r.now - r.own.pieces[step][to].since < most_age) continue;
        leave(r, r.own, step, to, false);
        r.next_sweep += sweep_each;
        any = true;
      }
    }
    constexpr int most_at_once = 64;
    int taken = 0;
    charge(r, n_.poll);
    for (; taken != most_at_once && !r.inbox.empty() && r.inbox.top().due <= r.now; ++taken) {
      const packet_of_model p = r.inbox.top();
      r.inbox.pop();
      const double bytes = bytes_of(p.records);
      charge(r, n_.poll);
      if (!p.is_far)
        charge(r, bytes / n_.near_bandwidth * 1e9);
      else
        charge(r, n_.receive + (bytes <= n_.eager ? bytes / n_.copy * 1e9 : 0));
      const std::uint64_t before = handled_;
      for (std::uint32_t i = 0; i != p.records; ++i) pass_on(r, r.of_handlers, p.step + 1);
      charge(r, static_cast<double>(p.records - (handled_ - before)) * (n_.deserialize + n_.serialize));
      any = true;
    }
    if (taken < most_at_once && !r.of_handlers.used.empty()) {
      while (!r.sending.empty() && r.sending.front() <= r.now) r.sending.pop_front();
      if (r.sending.empty() || (r.answers_since != 0 && r.now - r.answers_since >= most_age)) {
        flush(r, r.of_handlers);
        r.answers_since = 0;
        any = true;
      } else {
        if (r.answers_since == 0) r.answers_since = r.now;
        for (std::size_t i = r.of_handlers.used.size(); i-- > 0;) {
          const auto [step, to] = r.of_handlers.used[i];
          if (steps_[step].is_far) continue;
          leave(r, r.of_handlers, step, to, false);
          any = true;
        }
      }
    }
    return any;
  }

  const aggregation_job& job_;
  const network& n_;
  const std::vector<way_step> steps_;
  const picoseconds end_;
  const picoseconds way_;
  std::uint64_t random_;
  std::vector<rank_of_model> ranks_;
  picoseconds out_ = 0;  ///< from when the adapter, and the links upward, are free
  picoseconds in_ = 0;
  picoseconds up_ = 0;
  bool has_begun_ = false;
  unsigned producing_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t handled_ = 0;
  picoseconds last_ = 0;
  std::uint64_t packets_ = 0;
  double packet_bytes_ = 0;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace

aggregation_outcome run_aggregation(const aggregation_job& job) {
  if (job.nodes < 1 || job.ranks < 1) throw usage_error("a model of aggregation: expected at least a rank");
  double pieces = 0;
  for (const way_step& s : steps_of(job)) pieces += static_cast<double>(s.width) * job.ranks;
  if (pieces > 1 << 26)
    throw usage_error("a model of aggregation with " + std::to_string(static_cast<std::uint64_t>(pieces)) +
                      " pieces a node; expected at most " + std::to_string(1 << 26));
  return node_of_model(job).run();
}

}  // namespace callisto::global::simulation
