#include <lab/simulate/cluster_programs.hpp>

#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/memory/global_heap.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/transport/in_process.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

namespace callisto::lab {
namespace {

namespace sim = global::simulation;
using global::rank_clock;

std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

constexpr std::uint64_t words_each = 4096;

/// What the ranks of a run share on this machine, beside the simulation: it takes no virtual time.
struct shared_counts {
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  unsigned senders = 0;   ///< ranks that still send
  std::uint64_t end = 0;  ///< when the last was handled, in nanoseconds
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of messages in packets
  std::uint64_t check = 0;  ///< the exclusive-or of what was sent, and of what all words hold in the end
};

/// A rank's part of the table.
struct table_part {
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(words_each);
  shared_counts* all = nullptr;
  double cost = 0;  ///< of a word, in nanoseconds
};

/// The one message of this program: 8 bytes on the wire.
struct update {
  std::uint64_t random;
  void operator()() const {
    auto& part = global::rank_local<table_part>();
    part.words[random % words_each] ^= random;
    ++part.all->handled;
    rank_clock::work(part.cost);
  }
};

void send_updates(const table_part& part, std::uint64_t seed, std::uint64_t end) {
  constexpr int between_looks = 64;
  const auto ranks = static_cast<std::uint64_t>(global::here().ranks);
  for (std::uint64_t n = 0; rank_clock::ticks() < end;) {
    for (int i = 0; i != between_looks; ++i) {
      const std::uint64_t random = mixed(seed + ++n);
      part.all->check ^= random;
      global::send(static_cast<int>((random >> 32) % ranks), update{random});
    }
    part.all->sent += between_looks;
  }
  --part.all->senders;
}

/// Handles messages until all ranks have sent all, and all is handled.
void finish_updates(shared_counts& all) {
  while (all.senders != 0 || all.handled != all.sent) {
    const std::uint64_t before = all.handled;
    global::flush();
    if (!global::progress()) {
      global::wait(std::chrono::microseconds(50));  // returns at once while packets wait to be sent
      rank_clock::relax();
    }
    if (all.handled != before || all.end == 0) all.end = std::max(all.end, rank_clock::ticks());
  }
}

/// A packet of so many bytes behind its header, for programs without an engine of messages.
global::packet_pointer packet_of(global::transport& net, int to, std::size_t bytes) {
  global::packet_pointer p = net.take(to, sizeof(global::packet_header) + bytes);
  p->header().bytes = static_cast<std::uint32_t>(sizeof(global::packet_header) + bytes);
  p->header().source = static_cast<std::uint16_t>(net.rank());
  return p;
}

void await_packet(global::transport& net) {
  for (;;) {
    if (global::packet_pointer p = net.receive()) return net.give(std::move(p));
    net.wait(std::chrono::microseconds(200));
  }
}

void send_packet(global::transport& net, int to, std::size_t bytes) {
  global::packet_pointer p = packet_of(net, to, bytes);
  while (!net.try_send(to, p)) rank_clock::relax();
}

/// Sends `count` packets from each rank of node 0 to the rank at its place on node 1; returns the seconds until all
/// have arrived.
double stream(const sim::network& net, unsigned pairs, unsigned count, std::size_t bytes) {
  sim::cluster_options how{.net = net, .nodes = 2, .ranks_per_node = pairs};
  std::uint64_t end = 0;
  sim::run_cluster(how, [&](std::unique_ptr<global::transport> by) {
    const auto me = static_cast<unsigned>(by->rank());
    for (unsigned i = 0; i != count; ++i) {
      if (me < pairs)
        send_packet(*by, static_cast<int>(me + pairs), bytes);
      else
        await_packet(*by);
    }
    end = std::max(end, rank_clock::ticks());
  });
  return static_cast<double>(end) * 1e-9;
}

double seconds_of(const std::chrono::steady_clock::time_point& begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct nothing {
  std::uint64_t word;
  void operator()() const {}
};

/// Sends messages to another rank of this process, then handles them there.
void measure_messages(step_costs& costs) {
  constexpr std::uint64_t most = 200'000;  // less than a window
  global::in_process_options two;
  two.ranks = 2;
  global::in_process_cluster cluster(two);
  global::rank_context contexts[2];
  const std::unique_ptr<global::transport> nets[] = {cluster.attach(0), cluster.attach(1)};
  global::message_engine from(contexts[0], *nets[0], {});
  global::message_engine to(contexts[1], *nets[1], {});
  for (int round = 0; round != 5; ++round) {
    global::set_here(&contexts[0]);
    auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i != most; ++i) global::send(1, nothing{i});
    global::flush();
    const double sent = seconds_of(begin) / most * 1e9;
    costs.message = round == 0 ? sent : std::min(costs.message, sent);
    global::set_here(&contexts[1]);
    begin = std::chrono::steady_clock::now();
    while (to.progress()) {
    }
    const double handled = seconds_of(begin) / most * 1e9;
    costs.deserialize = round == 0 ? handled : std::min(costs.deserialize, handled);
    to.flush();
    global::set_here(&contexts[0]);
    while (from.progress()) {
    }
  }
  global::set_here(nullptr);
}

void measure_tasks(step_costs& costs) {
  global::run_in_process({}, [&](global::session& s) {
    for (int round = 0; round != 5; ++round) {
      constexpr unsigned workers = 100;
      constexpr unsigned turns = 2000;
      auto begin = std::chrono::steady_clock::now();
      s.run_phase([] {
        for (unsigned w = 0; w != workers; ++w)
          global::spawn([] {
            for (unsigned i = 0; i != turns; ++i) global::yield();
          });
      });
      const double change = seconds_of(begin) / (workers * turns) * 1e9;
      costs.change = round == 0 ? change : std::min(costs.change, change);
      constexpr unsigned tasks = 200'000;
      begin = std::chrono::steady_clock::now();
      s.run_phase([] {
        for (unsigned i = 0; i != tasks; ++i) global::spawn([] {});
      });
      const double spawn = seconds_of(begin) / tasks * 1e9;
      costs.spawn = round == 0 ? spawn : std::min(costs.spawn, spawn);
    }
  });
}

}  // namespace

cluster_rate simulate_gups(const sim::cluster_options& cluster, bool aggregation, double microseconds) {
  shared_counts all;
  all.senders = cluster.ranks();
  const auto end = static_cast<std::uint64_t>(microseconds * 1e3);
  const sim::cluster_outcome done = sim::run_cluster(cluster, [&](std::unique_ptr<global::transport> net) {
    global::rank_context context;
    global::message_options how = global::message_options::from_environment();
    if (!aggregation) how.most_piece = 0;
    global::message_engine engine(context, *net, how);
    global::set_here(&context);
    auto& part = global::rank_local<table_part>();
    part.all = &all;
    part.cost = cluster.net.memory;
    send_updates(part, mixed(cluster.seed + static_cast<std::uint64_t>(net->rank()) * 0x1000003), end);
    finish_updates(all);
    const global::message_statistics counted = engine.statistics();
    all.messages += counted.messages;
    all.bytes += counted.message_bytes;
    for (const std::uint64_t w : part.words) all.check ^= w;
    context.slots.clear();
    global::set_here(nullptr);
  });
  return {
      .operations = static_cast<double>(all.handled) * 1e9 / static_cast<double>(std::max<std::uint64_t>(all.end, 1)),
      .packet_bytes = static_cast<double>(done.bytes) / static_cast<double>(std::max<std::uint64_t>(done.packets, 1)),
      .packets = static_cast<double>(done.packets) / done.seconds / cluster.nodes,
      .messages_a_core = static_cast<double>(all.messages) * 1e9 /
                         static_cast<double>(std::max<std::uint64_t>(all.end, 1)) / cluster.ranks(),
      .message_bytes = static_cast<double>(all.bytes) / static_cast<double>(std::max<std::uint64_t>(all.messages, 1)),
      .memory = static_cast<double>(done.most_packet_bytes),
      .virtual_seconds = done.seconds,
      .is_right = all.check == 0 && all.handled == all.sent,
      .rank_turns = done.turns};
}

cluster_rate simulate_reads(const sim::cluster_options& cluster, unsigned workers, double microseconds) {
  const auto end = static_cast<std::uint64_t>(microseconds * 1e3);
  std::uint64_t reads = 0;
  std::uint64_t nanoseconds = 0;
  double idle = 0;
  global::global_address<std::uint64_t> memory;
  const global::session_options how{.threads = 1, .workers = std::max(workers, 1U) + 1};
  const sim::cluster_outcome done = sim::run_sessions(cluster, how, [&](global::session& s) {
    const std::uint64_t words = words_each * static_cast<std::uint64_t>(s.ranks());
    if (s.rank() == 0) memory = global::global_allocate<std::uint64_t>(words);
    global::barrier();
    const std::uint64_t begin = rank_clock::ticks();
    const std::uint64_t half = begin + end / 2;
    const auto me = static_cast<std::uint64_t>(s.rank());
    const double cost = cluster.net.memory;
    s.run_phase([&] {
      for (std::uint64_t w = 0; w != workers; ++w) {
        global::spawn([&reads, &nanoseconds, memory, words, half, last = begin + end, cost,
                       state = mixed(cluster.seed + me * 0x1000003 + w * 0x10001)]() mutable {
          for (std::uint64_t now = rank_clock::ticks(); now < last;) {
            state = mixed(state + 1);
            static_cast<void>(global::read(memory + state % words));
            rank_clock::work(cost);
            const std::uint64_t then = rank_clock::ticks();
            if (now >= half) {
              ++reads;
              nanoseconds += then - now;
            }
            now = then;
          }
        });
      }
    });
    idle += s.own_statistics().idle_seconds;
  });
  return {
      .operations = static_cast<double>(reads) / (microseconds * 0.5e-6),
      .packet_bytes = static_cast<double>(done.bytes) / static_cast<double>(std::max<std::uint64_t>(done.packets, 1)),
      .packets = static_cast<double>(done.packets) / done.seconds / cluster.nodes,
      .latency = static_cast<double>(nanoseconds) * 1e-9 / static_cast<double>(std::max<std::uint64_t>(reads, 1)),
      .idle = idle / done.seconds / cluster.ranks(),
      .virtual_seconds = done.seconds,
      .rank_turns = done.turns};
}

network_figures probe_network(const sim::network& net) {
  network_figures figures;
  const unsigned apart = net.shape == sim::topology::fat_tree ? net.leaf : net.group;
  constexpr unsigned rounds = 100;
  sim::run_cluster({.net = net, .nodes = apart + 1, .ranks_per_node = 1}, [&](std::unique_ptr<global::transport> by) {
    const int other = by->rank() == 0 ? static_cast<int>(apart) : 0;
    if (by->rank() != 0 && by->rank() != static_cast<int>(apart)) return;
    for (unsigned i = 0; i != rounds; ++i) {
      if (by->rank() == 0) send_packet(*by, other, 8);
      await_packet(*by);
      if (by->rank() != 0) send_packet(*by, other, 8);
    }
    if (by->rank() == 0) figures.latency = static_cast<double>(rank_clock::ticks()) * 1e-9 / (2 * rounds);
  });
  constexpr unsigned many = 2000;
  figures.rate = many * net.cores / stream(net, net.cores, many, 8);
  const std::size_t largest = global::most_packet - sizeof(global::packet_header);
  figures.bandwidth = many * static_cast<double>(largest) / stream(net, 1, many, largest);
  return figures;
}

step_costs measure_steps() {
  step_costs costs;
  measure_messages(costs);
  measure_tasks(costs);
  constexpr std::uint64_t words = std::uint64_t{1} << 25;
  costs.memory = measure_word(words);
  return costs;
}

double measure_word(std::uint64_t words) {
  constexpr std::uint64_t ahead = 12;  // as handlers fetch (messages/handlers.hpp)
  constexpr std::uint64_t times = 4'000'000;
  machine::page_array<std::uint64_t> memory(words);
  for (std::uint64_t i = 0; i < words; i += 512) memory.data()[i] = i;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i != times; ++i) {
    __builtin_prefetch(memory.data() + (mixed(i + ahead) & (words - 1)), 1);
    memory.data()[mixed(i) & (words - 1)] ^= i;
  }
  return seconds_of(begin) / times * 1e9;
}

}  // namespace callisto::lab
