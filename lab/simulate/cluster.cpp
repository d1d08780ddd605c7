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
#include <callisto/app/draw/svg_page.hpp>
#include <callisto/app/draw/svg_plot.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/cluster_programs.hpp>
#include <lab/simulate/options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
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

enum class programs : std::uint8_t { gups, reads, probe, costs };
constexpr std::array<std::string_view, 4> program_names{"gups", "reads", "probe", "costs"};

struct cluster_arguments {
  programs what = programs::gups;
  std::string network = "interlagos-qdr";
  std::vector<unsigned> nodes;
  std::vector<unsigned> workers{16, 64, 256, 512, 1024};
  unsigned ranks = 0;  ///< of a node; 0: the network's cores
  double microseconds = 1000;
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

/// A line of a figure: a program by what varies.
struct series {
  std::string name;
  std::vector<cluster_rate> rates;  ///< one a value
};

/// A figure's runs.
struct cluster_runs {
  network net;
  std::string varies;  ///< "nodes" or "workers a rank"
  std::vector<unsigned> values;
  std::vector<series> all;
};

cluster_runs run_all(const cluster_arguments& o, progress_bar& bar, const std::stop_token& stop) {
  cluster_runs runs{load_network(o.network), {}, {}, {}};
  const unsigned ranks = o.ranks != 0 ? o.ranks : runs.net.cores;
  const auto cluster = [&](unsigned nodes) {
    return cluster_options{.net = runs.net, .nodes = nodes, .ranks_per_node = ranks, .seed = o.seed};
  };
  const auto add = [&](cluster_rate rate) {
    if (stop.stop_requested()) throw graph::cancelled();
    if (!rate.is_right) throw error("simulate cluster: the words do not hold what the updates make of them");
    runs.all.back().rates.push_back(rate);
    bar.advance(1);
  };
  if (o.what == programs::gups) {
    runs.varies = "nodes";
    runs.values = o.nodes.empty() ? std::vector<unsigned>{1, 2, 4, 8, 16, 32, 64} : o.nodes;
    bar.begin(runs.net.name, 2 * runs.values.size(), "runs");
    for (const bool aggregation : {true, false}) {
      runs.all.push_back({aggregation ? "with aggregation" : "a packet a message", {}});
      // A packet of one message takes 4 KiB of this machine until it is sent: a tenth of the time is enough.
      const double time = aggregation ? o.microseconds : o.microseconds / 10;
      for (const unsigned n : runs.values) add(simulate_gups(cluster(n), aggregation, time));
    }
  } else {
    runs.varies = "workers a rank";
    runs.values = o.workers;
    const std::vector<unsigned> nodes = o.nodes.empty() ? std::vector<unsigned>{4} : o.nodes;
    bar.begin(runs.net.name, nodes.size() * runs.values.size(), "runs");
    for (const unsigned n : nodes) {
      runs.all.push_back({fmt::format("{} nodes", n), {}});
      for (const unsigned w : runs.values) add(simulate_reads(cluster(n), w, o.microseconds));
    }
  }
  return runs;
}

/// What a table, a picture and JSON tell of a run.
struct figure_of_run {
  const char* key;
  const char* words;
  double scale;
  double cluster_rate::* value;
};
constexpr figure_of_run figures_of_gups[] = {
    {"updates_a_second", "M updates/s", 1e-6, &cluster_rate::operations},
    {"packet_bytes", "bytes a packet", 1, &cluster_rate::packet_bytes},
    {"packets_a_second_and_node", "K packets/s a node", 1e-3, &cluster_rate::packets},
};
constexpr figure_of_run figures_of_reads[] = {
    {"reads_a_second", "M reads/s", 1e-6, &cluster_rate::operations},
    {"latency_seconds", "us a read", 1e6, &cluster_rate::latency},
    {"idle", "% idle", 100, &cluster_rate::idle},
    {"packet_bytes", "bytes a packet", 1, &cluster_rate::packet_bytes},
};

std::span<const figure_of_run> figures_of(programs what) {
  if (what == programs::gups) return figures_of_gups;
  return figures_of_reads;
}

std::string to_words(const cluster_runs& runs, const cluster_arguments& o) {
  std::string text = fmt::format("Simulated: {}\n", runs.net.name);
  for (const figure_of_run& f : figures_of(o.what)) {
    std::vector<table::column> columns{{fmt::format("{}, by {}", f.words, runs.varies), table::align::left}};
    for (const unsigned v : runs.values) columns.push_back({with_separators(v)});
    table rows(std::move(columns));
    for (const series& s : runs.all) {
      std::vector<std::string> cells{s.name};
      for (const cluster_rate& r : s.rates) cells.push_back(fmt::format("{:.3g}", r.*f.value * f.scale));
      rows.add_row(std::move(cells));
    }
    text += rows.render(2) + '\n';
  }
  return text;
}

json to_json(const cluster_runs& runs, const cluster_arguments& o) {
  json all = json::array();
  for (const series& s : runs.all) {
    for (std::size_t i = 0; i != runs.values.size(); ++i) {
      json one{{"series", s.name}, {o.what == programs::gups ? "nodes" : "workers", runs.values[i]}};
      for (const figure_of_run& f : figures_of(o.what)) one[f.key] = s.rates[i].*f.value;
      one["virtual_seconds"] = s.rates[i].virtual_seconds;
      one["rank_turns"] = s.rates[i].rank_turns;
      all.push_back(std::move(one));
    }
  }
  return all;
}

std::string draw(const cluster_runs& runs, const cluster_arguments& o) {
  std::vector<svg_panel> row;
  for (const figure_of_run& f : figures_of(o.what)) {
    const auto scale = f.value == &cluster_rate::idle ? axis_scale::linear : axis_scale::log10;
    svg_plot plot(std::string("simulated: ") + f.words, {runs.varies, axis_scale::log2}, {f.words, scale});
    for (const series& s : runs.all) {
      std::vector<svg_plot::point> points;
      for (std::size_t i = 0; i != runs.values.size(); ++i)
        if (const double y = s.rates[i].*f.value * f.scale; y > 0 || scale == axis_scale::linear)
          points.push_back({static_cast<double>(runs.values[i]), y});
      plot.add_line(s.name, std::move(points));
    }
    row.push_back(plot.render());
  }
  return svg_document(
      o.what == programs::gups ? "Random updates by nodes" : "Blocking reads by workers",
      fmt::format("{}, {} ranks a node; simulated", runs.net.name, o.ranks != 0 ? o.ranks : runs.net.cores),
      std::vector<std::vector<svg_panel>>{std::move(row)});
}

void run_figure(const cluster_arguments& o, const std::stop_token& stop) {
  if (o.run.as_json) refuse_beside_json(o.output);
  result picture(o.output);
  progress_bar bar(o.run.progress_wanted());
  const stopwatch time;
  const cluster_runs runs = run_all(o, bar, stop);
  const double seconds = time.seconds();
  bar.finish();
  if (picture.to_file()) {
    picture.write(draw(runs, o));
    picture.commit();
  }
  if (o.run.as_json) {
    print(to_text(json{{"figure", program_names[static_cast<std::size_t>(o.what)]},
                       {"network", runs.net.name},
                       {"ranks_a_node", o.ranks != 0 ? o.ranks : runs.net.cores},
                       {"microseconds", o.microseconds},
                       {"seed", o.seed},
                       {"simulated", to_json(runs, o)},
                       {"seconds", {{"simulate", seconds}}},
                       {"output", o.output.empty() ? json() : json(o.output)}}));
    return;
  }
  std::string text = to_words(runs, o);
  if (picture.to_file()) text += "Picture: " + one_line(o.output) + '\n';
  print(text);
}

void refuse_picture(const cluster_arguments& o) {
  if (!o.output.empty()) throw usage_error("--output: only gups and reads are drawn");
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

void run(const cluster_arguments& o, const std::stop_token& stop) {
  switch (o.what) {
    case programs::probe:
      return run_probe(o);
    case programs::costs:
      return run_costs(o);
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
          throw usage_error(fmt::format("PROGRAM: expected gups, reads, probe or costs; found '{}'", one_line(text)));
        o->what = static_cast<programs>(found - program_names.begin());
      },
      "gups, reads, probe or costs [gups]")
      .words(names)
      .more(
          "`gups`: random updates, with aggregation and without. `reads`: workers that read far words. `probe`: "
          "micro-benchmarks of the network beside what is stated of it. `costs`: what the steps of the runtime cost "
          "on this machine.");
  parser.add_option("NETWORK", o->network, "A network by name, or a file that describes one [interlagos-qdr]")
      .words_or_file(network_names());
  add_parsed(
      parser, "--nodes", "LIST", [o](const std::string& text) { o->nodes = parse_list("--nodes", text, 4096); },
      "Numbers of nodes [1,2,4,...,64; reads: 4]");
  add_parsed(
      parser, "--ranks", "N",
      [o](const std::string& text) { o->ranks = static_cast<unsigned>(parse_count("--ranks", text, 1, 1024)); },
      "Ranks of a node [its cores]");
  add_parsed(
      parser, "--workers", "LIST", [o](const std::string& text) { o->workers = parse_list("--workers", text, 65536); },
      "Workers of a rank that read [16,64,256,512,1024]");
  add_parsed(
      parser, "--microseconds", "T",
      [o](const std::string& text) {
        o->microseconds = static_cast<double>(parse_count("--microseconds", text, 10, 10'000'000));
      },
      "Virtual time for which ranks begin updates or reads [1000]");
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
      "  callisto-lab simulate cluster reads infiniband-ndr --nodes 8 --ranks 16 --workers 64,512\n"
      "  callisto-lab simulate cluster probe ethernet-100g");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::lab
