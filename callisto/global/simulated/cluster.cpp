#include <callisto/global/simulated/cluster.hpp>

#include <callisto/global/messages/message_engine.hpp>
#include <callisto/global/simulated/wires.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <callisto/machine/fibers/fiber.hpp>

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace callisto::global::simulation {
namespace {

/// One turn of a spin loop. A rank that waits looks at the network at each arrival, and at its other duties this often.
constexpr picoseconds spin_turn = 1'000'000;

struct cluster;

/// A packet on its way to a rank. Of two that are due at one time, the one that was sent first comes first.
struct arrival_of_packet {
  picoseconds due;
  std::uint64_t number;
  packet_pointer p;

  friend bool later(const arrival_of_packet& a, const arrival_of_packet& b) noexcept {
    return a.due != b.due ? a.due > b.due : a.number > b.number;
  }
};

/// A rank: its fiber, its time, and what it has counted when its time was last told.
class rank_of_cluster final : public simulated_rank {
 public:
  rank_of_cluster(cluster& of, unsigned number);

  std::uint64_t nanoseconds() noexcept override {
    charge();
    return now / 1000;
  }
  void pause() override;
  void work(double nanoseconds) noexcept override { now += from_nanoseconds(nanoseconds * slowness); }
  const std::byte* end_of_stack() const noexcept override { return stack_end; }

  /// Adds the cost of what the rank has done since the last call.
  void charge() noexcept;

  cluster& of;
  const unsigned number;
  const unsigned node;
  double slowness = 1;  ///< by which the processor takes longer
  picoseconds dies_at = ~picoseconds{0};
  picoseconds now = 0;
  std::uint64_t turn = 0;  ///< of its latest entry in the queue of ranks: earlier entries do not count
  bool waits = false;      ///< until its entry, or a packet
  bool woken = false;
  bool is_idle = false;
  bool has_left = false;  ///< main has ended
  picoseconds wakes_at = 0;
  std::vector<arrival_of_packet> inbox;  ///< a heap, the first to come in front
  std::deque<control_message> controls;
  std::deque<picoseconds> sending;  ///< when packets leave the adapter
  std::minstd_rand random;
  detail::thread_of_rank thread;  ///< of the thread, while another rank runs
  const std::byte* stack_end = nullptr;
  std::optional<machine::fiber> context;
  std::exception_ptr thrown;

 private:
  message_counts messages_;
  std::uint64_t forwarded_ = 0;
  std::uint64_t switches_ = 0;
  std::uint64_t tasks_ = 0;
};

/// All ranks, and the queue of their times.
struct cluster {
  cluster(const cluster_options& options_in, const std::function<void(std::unique_ptr<transport>)>& main_in);

  /// Lets ranks run that are so much earlier that a packet from them could be due at `r`.
  void let_earlier_ranks_run(rank_of_cluster& r) {
    while (has_earlier(r.now)) {
      enter(r, r.now);
      leave(&r);
    }
  }
  /// Stops a rank until `time`, or until a packet is due.
  void wait_until(rank_of_cluster& r, picoseconds time) {
    if (!r.inbox.empty()) time = std::min(time, r.inbox.front().due);
    if (time > r.now) {
      r.waits = true;
      enter(r, time);
      leave(&r);
      r.waits = false;
      r.now = std::max(r.now, r.wakes_at);
    }
    let_earlier_ranks_run(r);
  }
  /// Puts a packet into the inbox of `to`.
  void deliver(rank_of_cluster& to, picoseconds due, packet_pointer p);
  void throw_if_failed() const {
    if (failed) throw job_failed(*failed);
  }
  void fail(const std::string& why);
  void run();

  const cluster_options& options;
  const std::function<void(std::unique_ptr<transport>)>& main;
  wires net;
  picoseconds slack;  ///< the least time that any packet takes
  cluster_outcome outcome;
  std::uint64_t packet_bytes = 0;  ///< in memory
  std::optional<std::string> failed;
  std::deque<rank_of_cluster> ranks;

 private:
  struct entry {
    picoseconds time;
    std::uint64_t turn;
    rank_of_cluster* rank;
    bool counts() const noexcept { return rank->turn == turn; }
    bool operator<(const entry& other) const noexcept {  // the first is the greatest of a heap
      return time != other.time ? time > other.time : turn > other.turn;
    }
  };

  void enter(rank_of_cluster& r, picoseconds time) {
    r.turn = ++turns_;
    r.wakes_at = time;
    queue_.push_back({time, r.turn, &r});
    std::push_heap(queue_.begin(), queue_.end());
  }
  void drop_first() {
    std::pop_heap(queue_.begin(), queue_.end());
    queue_.pop_back();
  }
  bool has_earlier(picoseconds time) {
    while (!queue_.empty() && !queue_.front().counts()) drop_first();
    return !queue_.empty() && queue_.front().time + slack <= time;
  }
  /// Goes on with the earliest rank. The rank `from`, unless null, runs no more until its entry comes.
  void leave(rank_of_cluster* from);
  static void run_rank(void* self);

  std::vector<entry> queue_;
  std::uint64_t turns_ = 0;
  std::uint64_t packets_ = 0;
  unsigned left_ = 0;
  machine::fiber outside_;

  friend class rank_of_cluster;
  friend class simulated_transport;
};

rank_of_cluster::rank_of_cluster(cluster& of_in, unsigned number_in)
    : of(of_in),
      number(number_in),
      node(number_in / of_in.options.ranks_per_node),
      random(static_cast<unsigned>(of_in.options.seed * 7919 + number_in + 1)) {
  thread.simulated = this;
}

void rank_of_cluster::charge() noexcept {
  const network& n = of.options.net;
  double cost = 0;
  if (const rank_context* const rank = here_or_null(); rank != nullptr && rank->messages != nullptr) {
    const message_counts counted = rank->messages->counts();
    const std::uint64_t passed_on = rank->messages->forwarded_runs();
    if (counted.sent < messages_.sent || counted.handled < messages_.handled || passed_on < forwarded_) {
      messages_ = {};  // another engine
      forwarded_ = 0;
    }
    cost += static_cast<double>(counted.sent - messages_.sent) * (n.enqueue + n.serialize) +
            static_cast<double>(counted.handled - messages_.handled) * n.deserialize +
            static_cast<double>(passed_on - forwarded_) * (n.deserialize + n.serialize);
    messages_ = counted;
    forwarded_ = passed_on;
  }
  if (const core* const c = core::here(); c != nullptr) {
    const std::uint64_t switched = c->switches();
    const std::uint64_t begun = c->begun();
    if (switched < switches_ || begun < tasks_) switches_ = tasks_ = 0;  // another core
    cost += static_cast<double>(switched - switches_) * n.change + static_cast<double>(begun - tasks_) * n.spawn;
    switches_ = switched;
    tasks_ = begun;
  }
  work(cost);
}

void rank_of_cluster::pause() {
  charge();
  of.wait_until(*this, now + spin_turn);
}

/// The network, as a rank sees it.
class simulated_transport final : public transport {
 public:
  explicit simulated_transport(rank_of_cluster& rank) : me_(rank), of_(rank.of) {}

  int rank() const noexcept override { return static_cast<int>(me_.number); }
  int ranks() const noexcept override { return static_cast<int>(of_.options.ranks()); }
  int node_of(int rank) const noexcept override {
    return static_cast<int>(static_cast<unsigned>(rank) / of_.options.ranks_per_node);
  }
  std::string host_of(int rank) const override { return "node" + std::to_string(node_of(rank)); }
  int rivals() const noexcept override { return 1; }
  int place_among_rivals() const noexcept override { return 0; }

  packet_pointer take(int to, std::size_t capacity) override {
    packet_pointer p = transport::take(to, capacity);
    of_.packet_bytes += p->capacity;
    of_.outcome.most_packet_bytes = std::max(of_.outcome.most_packet_bytes, of_.packet_bytes);
    return p;
  }
  void give(packet_pointer p) noexcept override {
    of_.packet_bytes -= p->capacity;
    transport::give(std::move(p));
  }
  bool try_send(int to, packet_pointer& p) override;
  packet_pointer sent() override { return nullptr; }
  packet_pointer receive() override;
  bool sending() const noexcept override { return !me_.sending.empty() && me_.sending.back() > me_.now; }

  void post_control(int to, const control_message& m) override {
    of_.ranks[static_cast<std::size_t>(to)].controls.push_back(m);
  }
  bool take_control(control_message& m) override {
    if (me_.controls.empty()) return false;
    m = me_.controls.front();
    me_.controls.pop_front();
    return true;
  }

  void wait(std::chrono::microseconds most) override {
    me_.charge();
    if (std::exchange(me_.woken, false)) return;
    of_.wait_until(me_, me_.now + static_cast<picoseconds>(most.count()) * 1'000'000);
    me_.woken = false;
  }
  void wake() noexcept override { me_.woken = true; }  // called by the rank itself: it has one thread
  void say_idle(bool is_idle) noexcept override { me_.is_idle = is_idle; }
  bool is_idle(int rank) const noexcept override {
    const rank_of_cluster& other = of_.ranks[static_cast<std::size_t>(rank)];
    return other.node == me_.node && other.is_idle;
  }

  using transport::abort;
  void abort(const std::string& reason, int) override { of_.fail(reason); }
  void leave() override {}

 private:
  rank_of_cluster& me_;
  cluster& of_;
};

bool simulated_transport::try_send(int to, packet_pointer& p) {
  of_.throw_if_failed();
  const network& n = of_.options.net;
  rank_of_cluster& other = of_.ranks[static_cast<std::size_t>(to)];
  const std::uint64_t bytes = p->size();
  picoseconds due = 0;
  if (other.node == me_.node) {
    me_.work(n.near_send);
    due = me_.now + from_nanoseconds(n.near);
    ++of_.outcome.near_packets;
  } else {
    std::deque<picoseconds>& sending = me_.sending;
    while (!sending.empty() && sending.front() <= me_.now) sending.pop_front();
    if (sending.size() >= n.outstanding) return false;
    me_.work(n.send);
    picoseconds ready = me_.now;
    if (static_cast<double>(bytes) <= n.eager) {
      me_.work(static_cast<double>(bytes) / n.copy * 1e9);
      ready = me_.now;
    } else {  // the sides agree on where the bytes go
      ready += 2 * of_.net.latency(me_.node, other.node) + from_nanoseconds(n.send + n.receive);
    }
    const wires::passage way = of_.net.send(me_.node, other.node, bytes, ready);
    sending.push_back(std::max(way.left, sending.empty() ? 0 : sending.back()));
    due = way.arrived;
    ++of_.outcome.packets;
    of_.outcome.bytes += bytes;
  }
  if (of_.options.most_delay > 0)
    due += from_nanoseconds(std::uniform_real_distribution<double>(0, of_.options.most_delay)(me_.random));
  of_.deliver(other, due, std::move(p));
  return true;
}

packet_pointer simulated_transport::receive() {
  of_.throw_if_failed();
  const network& n = of_.options.net;
  me_.charge();
  me_.work(n.poll);
  if (me_.now >= me_.dies_at) of_.fail("rank " + std::to_string(me_.number) + " has died");
  of_.let_earlier_ranks_run(me_);
  of_.throw_if_failed();
  if (me_.inbox.empty() || me_.inbox.front().due > me_.now) return nullptr;
  std::ranges::pop_heap(me_.inbox, [](const auto& a, const auto& b) { return later(a, b); });
  packet_pointer p = std::move(me_.inbox.back().p);
  me_.inbox.pop_back();
  const auto bytes = static_cast<double>(p->size());
  if (of_.ranks[p->header().source].node == me_.node) {
    me_.work(bytes / n.near_bandwidth * 1e9);
  } else {
    me_.work(n.receive);
    if (bytes <= n.eager) me_.work(bytes / n.copy * 1e9);
  }
  return p;
}

cluster::cluster(const cluster_options& options_in, const std::function<void(std::unique_ptr<transport>)>& main_in)
    : options(options_in),
      main(main_in),
      net(options.net, options.nodes),
      slack(std::min(net.least_latency(), from_nanoseconds(options.net.near))) {
  for (unsigned r = 0; r != options.ranks(); ++r) ranks.emplace_back(*this, r);
  for (const cluster_fault& f : options.faults) {
    if (f.place >= (f.kind == cluster_fault::kinds::slow_link ? options.nodes : options.ranks()) || !(f.factor > 0))
      throw usage_error("a fault of a simulated cluster is at no rank or node of it, or slows it by no factor above 0");
    if (f.kind == cluster_fault::kinds::slow_rank) ranks[f.place].slowness = f.factor;
    if (f.kind == cluster_fault::kinds::slow_link) net.slow(f.place, f.factor);
    if (f.kind == cluster_fault::kinds::death) ranks[f.place].dies_at = from_nanoseconds(f.nanoseconds);
  }
}

void cluster::deliver(rank_of_cluster& to, picoseconds due, packet_pointer p) {
  to.inbox.push_back({due, ++packets_, std::move(p)});
  std::ranges::push_heap(to.inbox, [](const auto& a, const auto& b) { return later(a, b); });
  if (to.waits && due < to.wakes_at) enter(to, due);
}

void cluster::fail(const std::string& why) {
  if (failed) return;
  failed = why;
  for (rank_of_cluster& r : ranks)
    if (r.waits) enter(r, r.now);
}

void cluster::leave(rank_of_cluster* from) {
  while (!queue_.front().counts()) drop_first();
  rank_of_cluster& to = *queue_.front().rank;
  drop_first();
  if (&to == from) return;
  ++outcome.turns;
  if (from != nullptr) from->thread = detail::thread_of_rank::of_this_thread();
  to.thread.become_this_threads();
  machine::fiber::switch_to(from != nullptr ? *from->context : outside_, *to.context);
}

void cluster::run_rank(void* self) {
  auto& me = *static_cast<rank_of_cluster*>(self);
  cluster& of = me.of;
  me.stack_end = static_cast<const std::byte*>(__builtin_frame_address(0)) + sizeof(void*);
  try {
    of.main(std::make_unique<simulated_transport>(me));
  } catch (...) {
    me.thrown = std::current_exception();
  }
  me.charge();
  me.has_left = true;
  if (++of.left_ != of.ranks.size()) of.leave(&me);
  detail::thread_of_rank{}.become_this_threads();
  machine::fiber::switch_to(*me.context, of.outside_);
}

void cluster::run() {
  for (rank_of_cluster& r : ranks) {
    r.context.emplace(options.main_stack, &run_rank, &r);
    enter(r, 0);
  }
  leave(nullptr);
  picoseconds last = 0;
  std::vector<std::exception_ptr> thrown;
  for (rank_of_cluster& r : ranks) {
    last = std::max(last, r.now);
    thrown.push_back(r.thrown);
  }
  outcome.seconds = static_cast<double>(last) * 1e-12;
  rethrow_first(thrown);
}

}  // namespace

cluster_outcome run_cluster(const cluster_options& options,
                            const std::function<void(std::unique_ptr<transport>)>& main) {
  constexpr unsigned most_ranks = 4096;  // each has stacks, which are mappings of the process
  if (options.nodes < 1 || options.ranks_per_node < 1 || options.ranks_per_node > most_ranks ||
      options.nodes > most_ranks / options.ranks_per_node)
    throw usage_error("a simulated cluster of " + std::to_string(options.nodes) + " nodes with " +
                      std::to_string(options.ranks_per_node) + " ranks each; expected 1 to 4096 ranks");
  if (detail::of_thread::rank != nullptr || detail::of_thread::simulated != nullptr)
    throw usage_error("a simulated cluster runs on a thread that works for no rank");
  cluster all(options, main);
  all.run();
  return all.outcome;
}

cluster_outcome run_sessions(const cluster_options& options, const session_options& how,
                             const std::function<void(session&)>& main) {
  if (how.threads > 1)
    throw usage_error("a simulated rank with " + std::to_string(how.threads) + " threads; expected 1");
  session_options of_each = how;
  of_each.threads = 1;
  std::vector<std::exception_ptr> thrown(options.ranks());
  const cluster_outcome outcome = run_cluster(options, [&](std::unique_ptr<transport> net) {
    const auto rank = static_cast<std::size_t>(net->rank());
    thrown[rank] = run_rank(std::move(net), of_each, main);
  });
  rethrow_first(thrown);
  return outcome;
}

}  // namespace callisto::global::simulation
