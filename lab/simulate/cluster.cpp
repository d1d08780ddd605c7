// Runs programs over the runtime on simulated clusters, draws the paper's figures of them, and compares the models of
// networks with what is stated of the networks.
#include <lab/simulate/cluster.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/cluster_beyond.hpp>
#include <lab/simulate/cluster_figure.hpp>
#include <lab/simulate/cluster_paper.hpp>
#include <lab/simulate/cluster_programs.hpp>
#include <lab/simulate/cluster_validate.hpp>
#include <lab/simulate/options.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

using global::simulation::cluster_options;
using global::simulation::network;

struct shipped_network {
  std::string_view name;
  std::string_view text;
};
constexpr shipped_network networks[] = {
#include <lab/simulate/shipped_networks.hpp>
};

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const shipped_network& n : networks) names.emplace_back(n.name);
  return names;
}

/// Returns the shipped network `name`, or what the file `name` describes.
network load_network(const std::string& name) {
  const auto* const shipped = std::ranges::find(networks, name, &shipped_network::name);
  if (shipped != std::end(networks)) return global::simulation::parse_network(shipped->text, name);
  std::ifstream file(name, std::ios::binary);
  if (!file) {
    const int failure = errno;
    if (name.find('/') != std::string::npos || name.ends_with(".txt"))
      throw input_error(one_line(name), 0, "cannot open: " + std::generic_category().message(failure));
    std::string names;
    for (const shipped_network& n : networks) names += (names.empty() ? "" : ", ") + std::string(n.name);
    throw usage_error(fmt::format("NETWORK: expected {}, or a file; found '{}'", names, one_line(name)));
  }
  constexpr std::size_t limit = 1 << 20;  // bytes; a description has a few thousand
  std::string text(limit, '\0');
  file.read(text.data(), limit);
  if (file.bad()) throw input_error(one_line(name), 0, "cannot read: " + std::generic_category().message(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return global::simulation::parse_network(text, one_line(name));
}

enum class programs : std::uint8_t {
  gups,
  uts,
  workers,
  programs,
  reads,
  tables,
  paper,
  scale,
  model,
  faults,
  probe,
  costs,
  validate,
  real
};
constexpr std::array<std::string_view, 14> program_names{"gups",   "uts",   "workers",  "programs", "reads",
                                                         "tables", "paper", "scale",    "model",    "faults",
                                                         "probe",  "costs", "validate", "real"};

struct cluster_arguments {
  programs what = programs::gups;
  std::string network = "interlagos-qdr";
  std::vector<unsigned> nodes;
  std::vector<unsigned> workers{16, 64, 256, 512, 1024};
  unsigned ranks = 0;  ///< of a node; 0: the network's cores
  double microseconds = 1000;
  unsigned scale = 18;
  std::uint64_t seed = 1;
  std::string output;
  run_options run;
};

std::vector<unsigned> parse_list(std::string_view flag, const std::string& text, std::uint64_t most) {
  std::vector<unsigned> all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    all.push_back(static_cast<unsigned>(parse_count(flag, text.substr(at, comma - at), 1, most)));
    at = comma + 1;
  }
  return all;
}

/// `scale` has 4,096 nodes of one rank each, if not told.
unsigned ranks_of(const cluster_arguments& o, const network& net) {
  if (o.ranks != 0) return o.ranks;
  return o.what == programs::scale ? 1 : net.cores;
}

std::vector<unsigned> nodes_of(const cluster_arguments& o, std::vector<unsigned> unless_said) {
  return o.nodes.empty() ? unless_said : o.nodes;
}
const std::vector<unsigned> paper_nodes{1, 2, 4, 8, 16, 32, 64};
const std::vector<unsigned> many_nodes{256, 1024, 4096};
const std::vector<unsigned> modelled_nodes{16, 32, 64, 256, 1024, 4096};

std::vector<double> numbers_of(const cluster_rate& r) {
  if (!r.is_right) throw error("simulate cluster: the words do not hold what the updates make of them");
  return {
      r.operations, r.packet_bytes, r.packets, r.latency, r.idle, r.virtual_seconds, static_cast<double>(r.rank_turns)};
}

std::vector<cluster_figure::column> columns_of(programs what) {
  const bool reads = what == programs::reads;
  return {{reads ? "reads_a_second" : "updates_a_second", reads ? "M reads/s" : "M updates/s", 1e-6},
          {"packet_bytes", "bytes a packet"},
          {"packets_a_second_and_node", "K packets/s a node", 1e-3, !reads},
          {"latency_seconds", "us a read", 1e6, reads},
          {"idle", "% idle", 100, reads, false},
          {"virtual_seconds", "seconds", 1, false},
          {"rank_turns", "turns", 1, false}};
}

cluster_figure update_figure(const cluster_arguments& o, const paper_setting& how) {
  cluster_figure f{.title = "Random updates by nodes",
                   .network = how.net.name,
                   .varies = "nodes",
                   .values = nodes_of(o, paper_nodes),
                   .columns = columns_of(programs::gups),
                   .all = {}};
  for (const bool aggregation : {true, false}) {
    f.all.push_back({aggregation ? "with aggregation" : "a packet a message", {}});
    // A packet of one message takes 4 KiB of this machine until it is sent: a tenth of the time is enough.
    const double time = aggregation ? o.microseconds : o.microseconds / 10;
    for (const unsigned n : f.values) {
      f.all.back().runs.push_back(numbers_of(simulate_gups(how.cluster(n), aggregation, time)));
      how.advance();
    }
  }
  return f;
}

cluster_figure read_figure(const cluster_arguments& o, const paper_setting& how) {
  cluster_figure f{.title = "Blocking reads by workers",
                   .network = how.net.name,
                   .varies = "workers a rank",
                   .varies_key = "workers",
                   .values = o.workers,
                   .columns = columns_of(programs::reads),
                   .all = {}};
  for (const unsigned n : nodes_of(o, {4})) {
    f.all.push_back({fmt::format("{} nodes", n), {}});
    for (const unsigned w : o.workers) {
      f.all.back().runs.push_back(numbers_of(simulate_reads(how.cluster(n), w, o.microseconds)));
      how.advance();
    }
  }
  return f;
}

cluster_figure figure_of(const cluster_arguments& o, const paper_setting& how) {
  switch (o.what) {
    case programs::uts:
      return tree_figure(how, nodes_of(o, paper_nodes));
    case programs::workers:
      return worker_figure(how, nodes_of(o, {48}).back(), o.workers);
    case programs::programs:
      return program_figure(how, nodes_of(o, paper_nodes));
    case programs::reads:
      return read_figure(o, how);
    default:
      return update_figure(o, how);
  }
}

/// How many runs a program takes.
std::size_t runs_of(const cluster_arguments& o) {
  const std::size_t nodes = nodes_of(o, paper_nodes).size();
  switch (o.what) {
    case programs::gups:
      return 2 * nodes;
    case programs::uts:
      return 4 * nodes;
    case programs::programs:
      return 3 * nodes;
    case programs::workers:
      return o.workers.size();
    case programs::reads:
      return nodes_of(o, {4}).size() * o.workers.size();
    case programs::tables:
      return runs_of_tables;
    case programs::scale:
      return ways_of_scale * nodes_of(o, many_nodes).size();
    case programs::model:
      return 3 * nodes_of(o, modelled_nodes).size();
    case programs::faults:
      return kinds_of_faults;
    case programs::validate:
      return runs_of_validation;
    default:
      return runs_of_tables + 9 * nodes + o.workers.size();
  }
}

paper_setting setting_of(const cluster_arguments& o, progress_bar& bar, const std::stop_token& stop) {
  paper_setting how{.net = load_network(o.network), .seed = o.seed, .scale = o.scale, .advance = {}};
  how.ranks = ranks_of(o, how.net);
  how.advance = [&bar, stop] {
    if (stop.stop_requested()) throw graph::cancelled();
    bar.advance(1);
  };
  bar.begin(how.net.name, runs_of(o), "runs");
  return how;
}

json head_of(const cluster_arguments& o, const paper_setting& how) {
  return {{"figure", program_names[static_cast<std::size_t>(o.what)]},
          {"network", how.net.name},
          {"ranks_a_node", how.ranks},
          {"microseconds", o.microseconds},
          {"scale", o.scale},
          {"seed", o.seed}};
}

void run_figure(const cluster_arguments& o, const std::stop_token& stop) {
  if (o.run.as_json) refuse_beside_json(o.output);
  result picture(o.output);
  progress_bar bar(o.run.progress_wanted());
  const stopwatch time;
  const paper_setting how = setting_of(o, bar, stop);
  const cluster_figure f = figure_of(o, how);
  const double seconds = time.seconds();
  bar.finish();
  if (picture.to_file()) {
    picture.write(f.drawing(fmt::format(", {} ranks a node", how.ranks)));
    picture.commit();
  }
  if (o.run.as_json) {
    json all = head_of(o, how);
    all["simulated"] = f.runs();
    all["seconds"] = {{"simulate", seconds}};
    all["output"] = o.output.empty() ? json() : json(o.output);
    print(to_text(all));
    return;
  }
  std::string text = f.words();
  if (picture.to_file()) text += "Picture: " + one_line(o.output) + '\n';
  print(text);
}

void refuse_picture(const cluster_arguments& o) {
  if (!o.output.empty()) throw usage_error("--output: only figures are drawn: gups, uts, workers, programs, reads");
}

void run_probe(const cluster_arguments& o) {
  refuse_picture(o);
  const network net = load_network(o.network);
  const network_figures found = probe_network(net);
  struct line {
    const char* key;
    const char* words;
    double model;
    double stated;
    double scale;
  };
  const line lines[] = {
      {"latency_seconds", "us, half of a round trip of 8 bytes", found.latency, net.stated_latency * 1e-9, 1e6},
      {"packets_a_second", "M packets/s, 8 bytes, all cores of a node", found.rate, net.stated_rate, 1e-6},
      {"bytes_a_second", "GB/s, one stream of 64 KiB", found.bandwidth, net.stated_bandwidth, 1e-9},
  };
  if (o.run.as_json) {
    json all = json::array();
    for (const line& l : lines)
      all.push_back({{"figure", l.key}, {"model", l.model}, {"stated", l.stated == 0 ? json() : json(l.stated)}});
    print(to_text(json{{"network", net.name}, {"probe", std::move(all)}}));
    return;
  }
  table rows({{"simulated: " + net.name, table::align::left}, {"model"}, {"stated"}, {"error"}});
  for (const line& l : lines)
    rows.add_row({l.words, fmt::format("{:.3g}", l.model * l.scale),
                  l.stated == 0 ? "-" : fmt::format("{:.3g}", l.stated * l.scale),
                  l.stated == 0 ? "-" : fmt::format("{:+.0f} %", 100 * (l.model / l.stated - 1))});
  print(rows.render());
}

void run_costs(const cluster_arguments& o) {
  refuse_picture(o);
  const step_costs costs = measure_steps();
  const std::pair<const char*, double> lines[] = {{"step.enqueue", costs.message / 2},
                                                  {"step.serialize", costs.message / 2},
                                                  {"step.deserialize", costs.deserialize},
                                                  {"step.switch", costs.change},
                                                  {"step.spawn", costs.spawn},
                                                  {"step.memory", costs.memory}};
  if (o.run.as_json) {
    json all;
    for (const auto& [key, ns] : lines) all[key] = ns;
    print(to_text(json{{"nanoseconds", std::move(all)}}));
    return;
  }
  std::string text =
      "# Measured on this machine. On another processor: times the clock of this one, divided by the other's.\n";
  for (const auto& [key, ns] : lines)
    text += fmt::format("{:<19} = {:.1f} ns  # estimated: measured on MACHINE\n", key, ns);
  print(text);
}

/// Ranks that are run beside the model of aggregation.
constexpr unsigned most_ranks = 1024;

std::vector<paper_table> tables_of(const cluster_arguments& o, const paper_setting& how) {
  if (o.what == programs::validate) return {validate(how)};
  if (o.what == programs::scale) return {scale_table(how, nodes_of(o, many_nodes), o.microseconds)};
  if (o.what == programs::model) return {model_table(how, nodes_of(o, modelled_nodes), o.microseconds, most_ranks)};
  if (o.what == programs::faults) return {fault_table(how, nodes_of(o, {16}).back(), o.microseconds)};
  const std::vector<unsigned> nodes = nodes_of(o, paper_nodes);
  const paper_runs runs = run_for_tables(how, nodes.back(), o.microseconds);
  std::vector<paper_table> tables{table_1(runs), table_2(runs)};
  if (o.what == programs::paper) {  // all figures, too
    tables.push_back(sentences(runs, update_figure(o, how), tree_figure(how, nodes),
                               worker_figure(how, std::min(48U, nodes.back()), o.workers), program_figure(how, nodes),
                               measure_steps()));
  }
  return tables;
}

void run_tables(const cluster_arguments& o, const std::stop_token& stop) {
  refuse_picture(o);
  progress_bar bar(o.run.progress_wanted());
  const paper_setting how = setting_of(o, bar, stop);
  const std::vector<paper_table> tables = tables_of(o, how);
  bar.finish();
  if (o.run.as_json) {
    json all = head_of(o, how);
    all["tables"] = json::array();
    for (const paper_table& t : tables) all["tables"].push_back({{"title", t.title}, {"rows", t.objects()}});
    print(to_text(all));
    return;
  }
  std::string text;
  for (const paper_table& t : tables) text += t.words();
  print(text);
}

void run(const cluster_arguments& o, const std::stop_token& stop) {
  switch (o.what) {
    case programs::probe:
      return run_probe(o);
    case programs::costs:
      return run_costs(o);
    case programs::tables:
    case programs::paper:
    case programs::scale:
    case programs::model:
    case programs::faults:
    case programs::validate:
      return run_tables(o, stop);
    case programs::real:
      refuse_picture(o);
      if (o.run.as_json) throw usage_error("--json: real prints a table, or bare numbers with --quiet");
      return print(run_real_ranks(o.scale, o.run.quiet));
    default:
      return run_figure(o, stop);
  }
}

}  // namespace

command add_cluster(const command_parser& simulate) {
  const command_parser parser = simulate.add_subcommand("cluster", "Run ranks on the model of a network");
  const auto o = std::make_shared<cluster_arguments>();
  const std::vector<std::string> names(program_names.begin(), program_names.end());
  add_parsed(
      parser, "PROGRAM", "PROGRAM",
      [o](const std::string& text) {
        const auto* const found = std::ranges::find(program_names, text);
        if (found == program_names.end())
          throw usage_error(
              fmt::format("PROGRAM: expected {}; found '{}'", fmt::join(program_names, ", "), one_line(text)));
        o->what = static_cast<programs>(found - program_names.begin());
      },
      "What runs [gups]")
      .words(names)
      .more(
          "Figures: `gups`: random updates by nodes, with aggregation and without. `uts`: unbalanced trees by nodes. "
          "`workers`: a tree by the workers of a core. `programs`: BFS, IntSort and PageRank by nodes. `reads`: "
          "workers "
          "that read far words. `tables`: specialized programs beside these, and what the runtime did. `paper`: all of "
          "this, and each sentence of the Grappa paper's section 7 with a number beside ours. `scale`: many "
          "nodes, by the hops of messages: time to start, to end a phase, to steal, updates, a search, memory. "
          "`model`: "
          "updates in the model of aggregation, beside ranks as far as there are 1,024. `faults`: a slow node, a slow "
          "link, half a core, a death. `probe`: "
          "micro-benchmarks of the network beside what is stated of it. `costs`: what the steps of the runtime cost on "
          "this machine. `validate`: programs on 1, 2 and 4 ranks of this machine, over shared memory and, for root, "
          "TCP between two namespaces of the network, beside what the simulation predicts from measured steps. `real`: "
          "these programs on the ranks of the launcher that starts this command.");
  parser.add_option("NETWORK", o->network, "A network by name, or a file that describes one [interlagos-qdr]")
      .words_or_file(network_names());
  add_parsed(
      parser, "--nodes", "LIST", [o](const std::string& text) { o->nodes = parse_list("--nodes", text, 4096); },
      "Numbers of nodes [1,2,4,...,64, for some others]")
      .more("`workers`: 48. `reads`: 4. `faults`: 16. `scale`: 256,1024,4096. `model`: 16,32,64,256,1024,4096.");
  add_parsed(
      parser, "--ranks", "N",
      [o](const std::string& text) { o->ranks = static_cast<unsigned>(parse_count("--ranks", text, 1, 1024)); },
      "Ranks of a node [its cores; scale: 1]");
  add_parsed(
      parser, "--workers", "LIST", [o](const std::string& text) { o->workers = parse_list("--workers", text, 65536); },
      "Workers of a rank [16,64,256,512,1024]");
  add_parsed(
      parser, "--microseconds", "T",
      [o](const std::string& text) {
        o->microseconds = static_cast<double>(parse_count("--microseconds", text, 10, 10'000'000));
      },
      "Virtual time for which ranks begin updates or reads [1000]");
  add_parsed(
      parser, "--scale", "S",
      [o](const std::string& text) { o->scale = static_cast<unsigned>(parse_count("--scale", text, 8, 24)); },
      "Size of graphs, trees and keys [18]")
      .more("Graphs have 2^S vertices, 2^(S+3) keys are sorted, and trees are those of the benchmark at 20.");
  add_parsed(
      parser, "--seed", "N",
      [o](const std::string& text) { o->seed = parse_count("--seed", text, 0, std::uint64_t{1} << 62); },
      "Chooses the words [1]");
  add_output(parser, o->output, "Draw into FILE (SVG)");
  o->run.add_reporting_to(parser);
  parser.footer(
      "Runs the runtime of callisto::global, unchanged, as many ranks on one thread, in virtual time over a network\n"
      "that a file describes. Equal arguments give equal runs.\n\n"
      "Examples:\n"
      "  callisto-lab simulate cluster gups --output figure6.svg\n"
      "  callisto-lab simulate cluster paper --scale 16\n"
      "  callisto-lab simulate cluster reads infiniband-ndr --nodes 8 --ranks 16 --workers 64,512\n"
      "  callisto-lab simulate cluster probe ethernet-100g");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::lab
