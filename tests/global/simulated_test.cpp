// Simulated clusters: the runtime over a described network, in virtual time.
#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/memory/global_heap.hpp>
#include <callisto/global/simulated/aggregation.hpp>
#include <callisto/global/simulated/cluster.hpp>
#include <callisto/global/simulated/wires.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <callisto/machine/system/error.hpp>

#include "simulated_networks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace callisto::global::simulation {
namespace {

using test::network_text;

cluster_options of(unsigned nodes, unsigned ranks_per_node, double most_delay = 0) {
  cluster_options o;
  o.net = parse_network(network_text, "test");
  o.nodes = nodes;
  o.ranks_per_node = ranks_per_node;
  o.most_delay = most_delay;
  return o;
}

/// Returns the text with the line of `key` replaced; an empty line takes it away.
std::string with(const std::string& key, const std::string& line) {
  std::string text(network_text);
  const auto at = text.find("\n" + key + " ") + 1;
  return text.replace(at, text.find('\n', at) - at, line);
}

std::string fault_of(const std::string& text) {
  try {
    parse_network(text, "net.txt");
  } catch (const input_error& e) {
    return e.what();
  }
  return "";
}

TEST(simulated_network, is_read_in_units_of_seconds_and_bytes) {
  const network n = parse_network(network_text, "");
  EXPECT_EQ(n.name, "test network");
  EXPECT_DOUBLE_EQ(n.rate, 1e8);
  EXPECT_DOUBLE_EQ(n.bandwidth, 12.5e9);
  EXPECT_DOUBLE_EQ(n.eager, 8192);
  EXPECT_DOUBLE_EQ(n.latency, 1000);
  EXPECT_EQ(n.shape, topology::fat_tree);
  EXPECT_EQ(n.leaf, 4U);
  EXPECT_EQ(n.sources.at("step.spawn"), "estimated: a test");
}

TEST(simulated_network, names_file_and_line_of_a_fault) {
  EXPECT_EQ(fault_of(with("cores", "")), "net.txt: cores is missing");
  EXPECT_EQ(fault_of(with("cores", "cores = 3.5 # estimated: x")),
            "net.txt:2: cores: found '3.5', expected a whole number");
  EXPECT_EQ(fault_of(with("cores", "cores = 0 # estimated: x")), "net.txt:2: cores: found '0', expected 1 to 1024 ");
  EXPECT_EQ(fault_of(with("cores", "cores = 4")),
            "net.txt:2: cores: found '', expected where the value comes from: '# source: ...' or '# estimated: ...'");
  EXPECT_EQ(fault_of(with("cores", "cores 4")),
            "net.txt:2: found 'cores 4', expected 'parameter = value  # source: ...'");
  EXPECT_EQ(fault_of(with("cores", "core = 4 # estimated: x")), "net.txt:2: no parameter is called 'core'");
  EXPECT_EQ(fault_of(with("cores", "name = x # estimated: x")), "net.txt:2: name is given twice");
  EXPECT_EQ(fault_of(with("adapter.rate", "adapter.rate = 5 Hz # estimated: x")),
            "net.txt:3: adapter.rate: found '5 Hz', expected a number and the unit 'M/s' or 'K/s'");
  EXPECT_EQ(fault_of(with("topology", "topology = ring # estimated: x")),
            "net.txt:16: topology: found 'ring', expected fat-tree or dragonfly");
  EXPECT_EQ(fault_of(with("leaf.nodes", "group.nodes = 4 # estimated: x")), "net.txt: leaf.nodes is missing");
  EXPECT_EQ(fault_of(std::string(network_text) + "group.nodes = 4 # estimated: x\n"),
            "net.txt:27: group.nodes is for networks with topology = dragonfly only");
}

TEST(simulated_network, serves_one_packet_after_the_other) {
  network n = parse_network(with("leaf.taper", "leaf.taper = 4 # estimated: x"), "");
  wires w(n, 16);
  // 1,210 bytes and 40 of framing take 100 ns; one leaf is one switch away, another one three.
  EXPECT_EQ(w.send(0, 1, 1210, 0).arrived, 1'200'000U);
  EXPECT_EQ(w.send(0, 2, 1210, 0).arrived, 1'300'000U) << "the adapter of node 0 sends one packet at a time";
  EXPECT_EQ(w.send(3, 2, 1210, 0).arrived, 1'400'000U) << "that of node 2 receives one at a time";
  EXPECT_EQ(w.send(4, 8, 1210, 0).arrived, 1'400'000U);
  EXPECT_EQ(w.send(5, 9, 1210, 0).arrived, 1'500'000U) << "a leaf with a taper of 4 has one link upward";
}

TEST(simulated_network, dragonflies_have_links_between_groups) {
  std::string text = with("topology", "topology = dragonfly # estimated: x");
  text.replace(text.find("leaf.nodes"), text.find("link.bandwidth") - text.find("leaf.nodes"),
               "group.nodes = 4 # estimated: x\ngroup.links = 1 # estimated: x\n");
  const network n = parse_network(text, "");
  wires w(n, 12);
  EXPECT_EQ(w.send(0, 1, 1210, 0).arrived, 1'300'000U);
  EXPECT_EQ(w.send(2, 8, 1210, 0).arrived, 1'500'000U);
  EXPECT_EQ(w.send(3, 9, 1210, 0).arrived, 1'600'000U) << "groups 0 and 2 have one link";
  EXPECT_EQ(w.send(1, 4, 1210, 0).arrived, 1'500'000U) << "groups 0 and 1 have another one";
}

TEST(simulated_cluster, collectives_delegates_and_messages_work) {
  std::vector<std::uint64_t> sums;
  global_address<std::uint64_t> cells;
  run_sessions(of(4, 4), {}, [&](session& s) {
    if (s.rank() == 0) cells = global_allocate<std::uint64_t>(64);
    barrier();
    const auto me = static_cast<std::uint64_t>(s.rank());
    s.run_phase([&] {
      for (std::uint64_t i = 0; i != 64; ++i) spawn([at = cells + i, more = me + i] { fetch_add(at, more); });
    });
    std::uint64_t sum = 0;
    for (std::uint64_t i = me; i < 64; i += 16) sum += read(cells + i);
    sums.push_back(reduce_all(sum, std::plus<>()));
  });
  // 16 times the sum of 0 to 63, and 64 times that of 0 to 15.
  EXPECT_EQ(sums, std::vector<std::uint64_t>(16, 16 * 2016 + 64 * 120));
}

/// Returns what a program with tasks, steals and messages did, and when.
std::tuple<double, std::uint64_t, std::uint64_t, std::vector<std::uint64_t>> one_run(const cluster_options& o) {
  std::vector<std::uint64_t> trace;
  const cluster_outcome done = run_sessions(o, {}, [&](session& s) {
    s.run_phase([&] {
      if (s.rank() != 0) return;
      for (std::uint64_t i = 0; i != 500; ++i)
        spawn_public([i] {
          rank_clock::work(2000);
          send(static_cast<int>(i % static_cast<std::uint64_t>(here().ranks)), [] { rank_clock::work(100); });
          yield();
        });
    });
    trace.push_back(static_cast<std::uint64_t>(s.rank()));
    trace.push_back(rank_clock::ticks());
    trace.push_back(s.own_statistics().tasks);
  });
  return {done.seconds, done.packets, done.turns, trace};
}

TEST(simulated_cluster, equal_arguments_give_equal_runs) {
  const auto first = one_run(of(8, 2, 3000));
  EXPECT_EQ(first, one_run(of(8, 2, 3000)));
  cluster_options other = of(8, 2, 3000);
  other.seed = 2;
  EXPECT_NE(first, one_run(other));
}

TEST(simulated_cluster, tasks_are_stolen_in_virtual_time) {
  const auto [seconds, packets, turns, trace] = one_run(of(8, 2));
  EXPECT_GT(packets, 0U);
  EXPECT_LT(seconds, 500 * 2e-6) << "16 ranks share what takes one rank 1 ms";
  EXPECT_GT(seconds, 500 * 2e-6 / 16);
}

// Thieves that asked at random alone, with pauses up to 2 ms, took 34 times as long as tasks that are evenly dealt.
TEST(simulated_cluster, tasks_of_one_rank_reach_all_ranks) {
  constexpr int ranks = 64;
  constexpr std::uint64_t nanoseconds_each = 4 * 20'000;
  std::vector<unsigned> ran(ranks);
  std::uint64_t longest = 0;
  run_sessions(of(ranks, 1), {}, [&](session& s) {
    barrier();
    const std::uint64_t begin = rank_clock::ticks();
    s.run_phase([&] {
      if (s.rank() != 0) return;
      for (int i = 0; i != 4 * ranks; ++i)
        spawn_public([of_each = &ran] {
          ++(*of_each)[static_cast<std::size_t>(here().rank)];
          rank_clock::work(20'000);
        });
    });
    longest = std::max(longest, rank_clock::ticks() - begin);
  });
  EXPECT_EQ(std::accumulate(ran.begin(), ran.end(), 0U), 4U * ranks);
  EXPECT_LT(longest, 8 * nanoseconds_each);
  EXPECT_GT(std::ranges::count_if(ran, [](unsigned n) { return n != 0; }), ranks * 3 / 4);
}

TEST(simulated_cluster, a_message_takes_the_networks_time) {
  std::uint64_t round = 0;
  run_sessions(of(8, 1), {}, [&](session& s) {
    auto cells = global_allocate<std::uint64_t>(64);
    s.run_phase([&] {
      if (s.rank() != 0) return;
      const std::uint64_t begin = rank_clock::ticks();
      for (std::uint64_t i = 0; i != 8; ++i) static_cast<void>(read(cells + 8 * 7));
      round = (rank_clock::ticks() - begin) / 8;
    });
  });
  EXPECT_GT(round, 2 * 1300U) << "two latencies over three switches, at least";
  EXPECT_LT(round, 2 * 1300U + 30'000) << "and what the ranks do, and how long they collect";
}

// The end of a job that sends by two hops: a rank that has left passes nothing on.
TEST(simulated_cluster, ranks_of_32_nodes_all_leave) {
  unsigned ended = 0;
  const cluster_outcome done = run_sessions(of(32, 2), {}, [&](session& s) {
    s.run_phase([&] { send((s.rank() + 17) % s.ranks(), [] { rank_clock::work(1000); }); });
    ++ended;
  });
  EXPECT_EQ(ended, 64U);
  EXPECT_LT(done.seconds, 0.5) << "no search for a deadlock";
}

// What the handler of a job's end tells other ranks leaves with the rank, even while the adapter is busy.
TEST(simulated_cluster, ranks_leave_while_the_network_is_busy) {
  for (const double factor : {10.0, 100.0, 1000.0}) {
    cluster_options o = of(4, 2);
    o.faults = {{.kind = cluster_fault::kinds::slow_link, .place = 0, .factor = factor}};
    const cluster_outcome done = run_sessions(o, {}, [&](session& s) {
      s.run_phase([] {
        for (int i = 0; i != 50; ++i) spawn_public([] { rank_clock::work(20'000); });
      });
    });
    EXPECT_LT(done.seconds, 0.5) << "no search for a deadlock";
  }
}

TEST(simulated_cluster, a_deadlock_and_an_exception_end_the_job) {
  try {
    run_sessions(of(2, 2), {}, [](session& s) {
      s.run_phase([] {
        spawn([] {
          suspend();
          suspend();
        });
      });
    });
    ADD_FAILURE() << "the job has ended well";
  } catch (const job_failed& e) {
    EXPECT_NE(std::string(e.what()).find("deadlock"), std::string::npos) << e.what();
  }
  EXPECT_THROW(run_sessions(of(2, 2), {},
                            [](session& s) {
                              if (s.rank() == 3) throw std::range_error("x");
                            }),
               std::range_error);
  EXPECT_EQ(here_or_null(), nullptr);
}

/// Returns the virtual time of a phase in which each rank does the same, and sends to its neighbour.
double seconds_with(std::vector<cluster_fault> faults) {
  cluster_options o = of(2, 2);
  o.faults = std::move(faults);
  double seconds = 0;
  run_sessions(o, {}, [&](session& s) {
    barrier();
    const std::uint64_t begin = rank_clock::ticks();
    s.run_phase([&] {
      for (int i = 0; i != 1000; ++i) {
        rank_clock::work(500);
        send((s.rank() + 2) % 4, [] {});
      }
    });
    seconds = std::max(seconds, static_cast<double>(rank_clock::ticks() - begin) * 1e-9);
  });
  return seconds;
}

TEST(simulated_cluster, a_slow_rank_or_link_slows_the_job) {
  using kinds = cluster_fault::kinds;
  const double well = seconds_with({});
  EXPECT_GT(seconds_with({{.kind = kinds::slow_rank, .place = 3, .factor = 3}}), 2 * well);
  EXPECT_GT(seconds_with({{.kind = kinds::slow_link, .place = 0, .factor = 1e5}}), 2 * well);
  EXPECT_THROW(seconds_with({{.kind = kinds::slow_rank, .place = 4}}), usage_error);
  EXPECT_THROW(seconds_with({{.kind = kinds::slow_link, .place = 2}}), usage_error);
}

TEST(simulated_cluster, all_ranks_learn_that_one_has_died) {
  cluster_options o = of(4, 2);
  o.faults = {{.kind = cluster_fault::kinds::death, .place = 5, .nanoseconds = 50'000}};
  unsigned told = 0;
  try {
    run_sessions(o, {}, [&](session& s) {
      try {
        s.run_phase([] {
          for (int i = 0; i != 1000; ++i) spawn([] { rank_clock::work(1000); });
        });
      } catch (const job_failed&) {
        ++told;
        throw;
      }
    });
    ADD_FAILURE() << "the job has ended well";
  } catch (const job_failed& e) {
    EXPECT_EQ(std::string(e.what()), "rank 5 has died");
  }
  EXPECT_GE(told, 7U);
}

// A rank with tasks of many microseconds looks at messages after each: thieves get their answers.
TEST(simulated_cluster, long_tasks_do_not_keep_messages_waiting) {
  std::uint64_t handled = 0;
  run_sessions(of(2, 1), {}, [&](session& s) {
    barrier();
    const std::uint64_t begin = rank_clock::ticks();
    s.run_phase([&] {
      if (s.rank() == 1) {
        send(0, [&handled, begin] { handled = rank_clock::ticks() - begin; });
        flush();
      } else {
        for (int i = 0; i != 30; ++i) spawn([] { rank_clock::work(100'000); });
      }
    });
  });
  EXPECT_GT(handled, 0U);
  EXPECT_LT(handled, 1'000'000U) << "nanoseconds: less than ten of thirty tasks";
}

TEST(simulated_cluster, the_model_of_aggregation_has_fewer_neighbours_with_more_hops) {
  const network n = parse_network(network_text, "test");
  const auto run = [&](routes::scheme how) {
    return run_aggregation({.net = n, .nodes = 64, .ranks = 4, .how = how, .seconds = 1e-4});
  };
  const aggregation_outcome direct = run(routes::scheme::direct);
  const aggregation_outcome by_node = run(routes::scheme::by_node);
  const aggregation_outcome gathered = run(routes::scheme::gathered);
  EXPECT_EQ(direct.neighbours, 255U);
  EXPECT_EQ(by_node.neighbours, 66U);
  EXPECT_EQ(gathered.neighbours, 22U);
  EXPECT_GT(by_node.packet_bytes, 2 * direct.packet_bytes);
  EXPECT_EQ(run(routes::scheme::direct).messages, direct.messages) << "equal arguments give equal runs";
  EXPECT_THROW(run_aggregation({.net = n, .nodes = 0}), usage_error);
}

TEST(simulated_cluster, bad_options_are_refused) {
  const auto refuse = [](const cluster_options& o, unsigned threads) {
    EXPECT_THROW(run_sessions(o, {.threads = threads}, [](session&) {}), usage_error);
  };
  refuse(of(0, 1), 1);
  refuse(of(64, 65), 1);
  refuse(of(1, 1), 2);
}

}  // namespace
}  // namespace callisto::global::simulation
