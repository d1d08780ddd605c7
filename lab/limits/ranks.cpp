// Ranks of a simulated cluster: their time is the same on any machine, to the picosecond.
#include <lab/limits/ranks.hpp>

#include <lab/simulate/cluster_programs.hpp>
#include <lab/simulate/grappa_programs.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace callisto::lab {
namespace {

struct named_text {
  std::string_view name;
  std::string_view text;
};
constexpr named_text known_networks[] = {
#include <lab/simulate/shipped_networks.hpp>
};

/// Nodes of two ranks, at 100 Gbit/s: 16 from a scale of 12 on, fewer below.
global::simulation::cluster_options cluster_of(unsigned scale) {
  const auto* const found = std::ranges::find(known_networks, "ethernet-100g", &named_text::name);
  return {.net = global::simulation::parse_network(found->text, "ethernet-100g"),
          .nodes = scale >= 12 ? 16U : 2U,
          .ranks_per_node = 2};
}

/// Microseconds for which ranks work: 256 at a scale of 16.
double length_of(unsigned scale) { return std::max(32.0, std::ldexp(256.0, static_cast<int>(scale) - 16)); }

/// Returns the seconds of an operation.
double seconds_each(double rate, bool is_right) {
  if (!is_right) throw std::runtime_error("a simulated program computed something else");
  return 1 / rate;
}

std::function<double()> updates(unsigned scale) {
  return [microseconds = length_of(scale), on = cluster_of(scale)] {
    const cluster_rate found = simulate_gups(on, true, microseconds);
    return seconds_each(found.operations, found.is_right);
  };
}

std::function<double()> reads(unsigned scale) {
  return [microseconds = length_of(scale), on = cluster_of(scale)] {
    const cluster_rate found = simulate_reads(on, 256, microseconds);
    return seconds_each(found.operations, found.is_right);
  };
}

std::function<double()> tree(unsigned scale) {
  uts_tree law = uts_tree::t1();
  law.depth = std::clamp(scale / 2, 5U, 12U) - 2;
  return [law = std::make_shared<const tree_in_memory>(law), on = cluster_of(scale)] {
    const program_outcome found = simulate_tree_search(on, *law, 1024);
    return seconds_each(found.rate, found.is_right);
  };
}

}  // namespace

const std::vector<swept_workload>& rank_workloads() {
  const auto workload = [](const char* name, const char* what, std::function<double()> (*prepare)(unsigned)) {
    return swept_workload{.name = name, .what = what, .tables = {"rank"}, .prepare = prepare, .simulated = true};
  };
  static const std::vector<swept_workload> all{
      workload("rank.updates", "simulated: updates of random words by 32 ranks on 16 nodes", updates),
      workload("rank.reads", "simulated: reads of random words by 256 workers of each rank, one after the other",
               reads),
      workload("rank.tree", "simulated: a search of an unbalanced tree, whose tasks ranks steal", tree),
  };
  return all;
}

}  // namespace callisto::lab
