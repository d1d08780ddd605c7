#include <lab/simulate/cluster_beyond.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/global/messages/routes.hpp>
#include <callisto/global/simulated/aggregation.hpp>
#include <lab/simulate/cluster_scale.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

using global::routes;
namespace sim = global::simulation;

std::string figures(double value) { return fmt::format("{:.3g}", value); }

/// The scheme that ranks take on a cluster with at most `hops` hops; 0: when packets are small.
routes::scheme scheme_of(unsigned nodes, unsigned ranks, unsigned hops) {
  std::vector<int> node_of;
  for (unsigned r = 0; r != nodes * ranks; ++r) node_of.push_back(static_cast<int>(r / ranks));
  return routes(0, node_of, hops).how(hops == 0);
}

/// Returns how many bytes the packets take that all ranks fill at once, one of 4 KiB for each neighbour.
double bytes_of_packets(unsigned nodes, unsigned ranks, unsigned hops) {
  std::vector<int> node_of;
  for (unsigned r = 0; r != nodes * ranks; ++r) node_of.push_back(static_cast<int>(r / ranks));
  return 4096.0 * nodes * ranks * static_cast<double>(routes(0, node_of, hops).far_neighbours(false));
}
/// A way with packets of more bytes does not fit into this machine.
constexpr double most_bytes_of_packets = 8e9;

const char* name_of(routes::scheme s) {
  switch (s) {
    case routes::scheme::direct:
      return "direct";
    case routes::scheme::by_node:
      return "by node";
    case routes::scheme::gathered:
      return "gathered";
    case routes::scheme::square:
      return "square";
    case routes::scheme::cube:
      return "cube";
  }
  return "";
}

}  // namespace

paper_table scale_table(const paper_setting& how, std::span<const unsigned> nodes, double microseconds) {
  paper_table t{fmt::format("Simulated: {}, {} ranks a node", how.net.name, how.ranks),
                {"nodes, hops", "us to start", "us a phase", "spread", "us to half", "M updates/s", "bytes a packet",
                 "KiB of packets a rank", "M edges/s"},
                {}};
  const graph_in_memory graph(how.scale);
  for (const unsigned n : nodes) {
    for (const unsigned hops : {1U, 2U, 3U, 0U}) {
      if (const double bytes = bytes_of_packets(n, how.ranks, hops); bytes > most_bytes_of_packets) {
        t.rows.push_back(
            {fmt::format("{}, {}", n, hops), "-", "-", "-", "-", "-", "-", figures(bytes / 1024 / n / how.ranks), "-"});
        how.advance();
        continue;
      }
      const scale_outcome o = simulate_scale(how.cluster(n), hops, graph, microseconds);
      t.rows.push_back({fmt::format("{}, {}", n, hops == 0 ? "chosen" : std::to_string(hops)), figures(o.start * 1e6),
                        figures(o.phase * 1e6), figures(o.spread), figures(o.first_task * 1e6),
                        figures(o.updates * 1e-6), figures(o.packet_bytes), figures(o.memory / 1024),
                        figures(o.edges * 1e-6)});
      how.advance();
    }
  }
  return t;
}

paper_table model_table(const paper_setting& how, std::span<const unsigned> nodes, double microseconds,
                        unsigned most_on_ranks) {
  paper_table t{fmt::format("Simulated: {}, {} ranks a node, the model of aggregation", how.net.name, how.ranks),
                {"nodes, hops", "way", "M updates/s", "on ranks", "error, %", "bytes a packet", "K packets/s a node",
                 "neighbours", "KiB a rank"},
                {}};
  for (const unsigned n : nodes) {
    std::vector<routes::scheme> done;
    for (const unsigned hops : {1U, 2U, 3U}) {
      const routes::scheme s = scheme_of(n, how.ranks, hops);
      if (std::ranges::find(done, s) != done.end()) continue;
      done.push_back(s);
      const sim::aggregation_outcome o = sim::run_aggregation(
          {.net = how.net, .nodes = n, .ranks = how.ranks, .how = s, .seconds = microseconds * 1e-6, .seed = how.seed});
      std::string on_ranks = "-";
      std::string error = "-";
      if (n * how.ranks <= most_on_ranks) {
        const double updates = simulate_updates_by(how.cluster(n), hops, microseconds).operations;
        on_ranks = figures(updates * 1e-6);
        error = fmt::format("{:+.0f}", (o.messages / updates - 1) * 100);
      }
      t.rows.push_back({fmt::format("{}, {}", n, hops), name_of(s), figures(o.messages * 1e-6), on_ranks, error,
                        figures(o.packet_bytes), figures(o.packets * 1e-3), with_separators(o.neighbours),
                        figures(o.memory / 1024)});
      how.advance();
    }
  }
  return t;
}

paper_table fault_table(const paper_setting& how, unsigned nodes, double microseconds) {
  paper_table t{fmt::format("Simulated: {}, {} nodes of {} ranks, with a fault", how.net.name, nodes, how.ranks),
                {"fault", "ms of tasks", "M updates/s", "what the job does"},
                {}};
  using kinds = sim::cluster_fault::kinds;
  std::vector<sim::cluster_fault> slow_node;
  for (unsigned r = 0; r != how.ranks; ++r) slow_node.push_back({.kind = kinds::slow_rank, .place = r, .factor = 2});
  const std::pair<const char*, std::vector<sim::cluster_fault>> all[kinds_of_faults] = {
      {"none", {}},
      {"a node of half the speed", slow_node},
      {"a link of a tenth", {{.kind = kinds::slow_link, .place = 0, .factor = 10}}},
      {"a rank on half a core", {{.kind = kinds::slow_rank, .place = how.ranks / 2, .factor = 2}}},
      {"a rank that dies", {{.kind = kinds::death, .place = nodes * how.ranks - 1, .nanoseconds = 300'000}}}};
  for (const auto& [name, faults] : all) {
    sim::cluster_options on = how.cluster(nodes);
    on.faults = faults;
    const fault_outcome o = simulate_fault(on, microseconds);
    t.rows.push_back(
        {name, figures(o.seconds * 1e3), figures(o.updates * 1e-6),
         o.told == 0 ? "ends"
                     : fmt::format("fails at {} ranks, {:.0f} us after the death", o.told, o.told_after * 1e6 - 300)});
    how.advance();
  }
  return t;
}

}  // namespace callisto::lab
