// Runs the simulations of figure 7, and makes its table and plots.
#include <lab/simulate/figure7.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/csr/counter_random.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/machines.hpp>
#include <lab/simulate/options.hpp>
#include <lab/simulate/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace callisto::lab {
namespace {

using machine::simulation::activity;
using machine::simulation::description;

struct simulate_fig7_arguments {
  std::string machine = "sparc-t5-8";
  graph_input input;
  unsigned scale = 17;
  std::vector<unsigned> threads;
  unsigned searches = 1;
  std::uint64_t seed = 1;
  std::string output;
  run_options run;
};

/// The degree of the graph that is generated if the user gives no file. It has about as many arcs, and about as many
/// vertices with an arc, as the paper's graph.
constexpr std::uint64_t generated_degree = 7;

/// The number of sources. Up to this many threads of a core search from different sources; more sources would take
/// memory and change nothing.
constexpr unsigned sources_drawn = 16;

struct cell {
  nested_form form;
  unsigned threads;
  nested_outcome outcome;
};

/// Returns the nesting levels of `form`. The loop over sources is at level 1, or at level 0 if `form` is flat.
nesting levels_of(nested_form form) {
  return nesting::parse(form == nested_form::socket ? "1:socket" : "1:core", "fig7");
}

/// Returns the number of searches that run at a time.
unsigned searchers(const description& m, nested_form form, unsigned threads) {
  switch (form) {
    case nested_form::flat:
      return threads;
    case nested_form::core:
      return std::min(threads, m.total_cores());
    case nested_form::socket:
      return std::min(threads, m.sockets);
    case nested_form::inner:
      return 1;
  }
  return 1;
}

graph::csr_graph<std::uint32_t> load_or_generate(const simulate_fig7_arguments& o, const graph::run_control& context) {
  graph::any_graph g;
  if (o.input.file.empty()) {
    graph::kronecker_options what;
    what.scale = o.scale;
    what.degree = generated_degree;
    what.meaning = graph::direction::directed;
    what.seed = o.seed;
    g = graph::build_graph(graph::generate_kronecker(what, context), o.input.options.build, context);
  } else {
    check_no_machine(o.input.file);
    g = o.input.load(context).graph;
  }
  if (auto* narrow = std::get_if<graph::csr_graph<std::uint32_t>>(&g)) return std::move(*narrow);
  throw input_error(o.input.file, 0, "fig7 takes graphs of fewer than 2^32 vertices");
}

json to_json(const description& m, const cell& c) {
  const nested_outcome& o = c.outcome;
  return {{"form", name_of(c.form)},
          {"threads", c.threads},
          {"searches", o.searches},
          {"cycles", o.cycles},
          {"searches_per_second", o.rate(m)},
          {"loads", o.memory.loads},
          {"l2_load_misses", o.memory.missed_loads},
          {"l2_miss_rate", o.miss_rate()},
          {"l3_misses", o.memory.l3_misses},
          {"lines_of_others", o.memory.lines_of_others},
          {"memory_bytes", o.memory.memory_lines * m.line},
          {"spent",
           {{"work", o.spent[activity::work]},
            {"claiming", o.spent[activity::claiming]},
            {"moving", o.spent[activity::moving]},
            {"waiting", o.spent[activity::waiting]}}},
          {"events", o.events},
          {"hash", fmt::format("{:016x}", o.hash)}};
}

std::string to_table(const description& m, const std::vector<cell>& cells) {
  table rows({{"form", table::align::left},
              {"threads"},
              {"searches/s"},
              {"L2 misses"},
              {"L3 misses"},
              {"memory"},
              {"work"},
              {"memory stalls"},
              {"waiting"}});
  for (const cell& c : cells) {
    const nested_outcome& o = c.outcome;
    std::uint64_t all = 0;
    for (const std::uint64_t cycles : o.spent.cycles) all += cycles;
    const auto share = [&](std::uint64_t part) {
      return fmt::format("{:.1f} %",
                         100 * static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(1, all)));
    };
    const double seconds = static_cast<double>(o.cycles) / m.clock;
    rows.add_row({name_of(c.form), with_separators(c.threads), fmt::format("{:.4g}", o.rate(m)),
                  fmt::format("{:.1f} %", 100 * o.miss_rate()),
                  fmt::format("{:.1f} %", 100 * static_cast<double>(o.memory.l3_misses) /
                                              static_cast<double>(std::max<std::uint64_t>(1, o.memory.loads))),
                  fmt::format("{:.4g} GB/s", static_cast<double>(o.memory.memory_lines * m.line) / seconds * 1e-9),
                  share(o.spent[activity::work]), share(o.spent[activity::moving]), share(o.spent[activity::waiting])});
  }
  return rows.render();
}

std::string draw(const description& m, const std::string& graph, const std::vector<cell>& cells) {
  svg_plot rates("Searches a second", {"threads", axis_scale::log2}, {"searches a second"});
  svg_plot misses("Loads that miss in the core's L2 cache", {"threads", axis_scale::log2}, {"%"});
  for (const nested_form form : nested_forms) {
    std::vector<svg_plot::point> rate;
    std::vector<svg_plot::point> miss;
    for (const cell& c : cells) {
      if (c.form != form) continue;
      rate.push_back({static_cast<double>(c.threads), c.outcome.rate(m)});
      miss.push_back({static_cast<double>(c.threads), 100 * c.outcome.miss_rate()});
    }
    rates.add_line(name_of(form), std::move(rate));
    misses.add_line(name_of(form), std::move(miss));
  }
  const svg_plot plots[] = {std::move(rates), std::move(misses)};
  return svg_page("ATC'15, figure 7: betweenness of " + graph + " with parallelism at different levels",
                  "simulated: " + title_of(m), plots);
}

void run(const simulate_fig7_arguments& o, const std::stop_token& stop) {
  const description m = load_machine(o.machine);
  if (m.l2_size == 0) {
    throw usage_error(
        fmt::format("--machine: expected a machine with l2.size and what follows it, found {}, of whose "
                    "caches nothing is said",
                    one_line(o.machine)));
  }
  const std::vector<unsigned> threads = o.threads.empty() ? halves(m.total_contexts(), 6) : o.threads;
  check_threads(m, threads);
  if (o.run.as_json) refuse_beside_json(o.output);
  result picture(o.output);
  progress_bar bar(o.run.progress_wanted());
  const graph::run_control context{&bar, stop};
  const graph::csr_graph<std::uint32_t> g = load_or_generate(o, context);
  const std::string name = o.input.file.empty() ? fmt::format("Kronecker {}", o.scale) : short_name(o.input.file);
  const std::vector<search_pattern> sources = draw_sources(g, sources_drawn, o.seed, context);

  std::vector<cell> cells;
  std::uint64_t searches = 0;
  for (const nested_form form : nested_forms) {
    for (const unsigned n : threads) {
      cells.push_back({form, n, {}});
      searches += std::uint64_t{searchers(m, form, n)} * o.searches;
    }
  }
  // Begins the most expensive cells first, so that none of them is left to run alone at the end.
  std::vector<std::size_t> order(cells.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return searchers(m, cells[a].form, cells[a].threads) > searchers(m, cells[b].form, cells[b].threads);
  });
  bar.begin("simulating " + m.name, searches, "searches");
  const stopwatch time;
  const auto simulate = [&](std::size_t i) {
    cell& c = cells[order[i]];
    c.outcome = run_nested(m, g, sources, c.form, c.threads, o.searches, context);
  };
  parallel_for(std::size_t{0}, cells.size(), simulate, {.batch = 1, .stop = stop});
  if (stop.stop_requested()) throw graph::cancelled();
  const double seconds = time.seconds();
  bar.finish();

  std::uint64_t events = 0;
  for (const cell& c : cells) events += c.outcome.events;
  if (picture.to_file()) {
    picture.write(draw(m, name, cells));
    picture.commit();
  }
  if (o.run.as_json) {
    json runs = json::array();
    for (const cell& c : cells) runs.push_back(to_json(m, c));
    print(to_text(json{{"figure", "fig7"},
                       {"machine", describe(m)},
                       {"graph", {{"name", name}, {"vertices", g.vertices()}, {"arcs", g.arcs()}}},
                       {"sources", sources.size()},
                       {"runs", std::move(runs)},
                       {"seed", o.seed},
                       {"events", events},
                       {"seconds", {{"simulate", seconds}}},
                       {"output", o.output.empty() ? json() : json(o.output)}}));
    return;
  }
  std::string text =
      fmt::format("{}\nBetweenness of {}: {} vertices, {} arcs, searches from {} sources in turn\n\n", title_of(m),
                  one_line(name), with_separators(g.vertices()), with_separators(g.arcs()), sources.size()) +
      to_table(m, cells) + '\n' + simulation_speed(events, seconds);
  if (picture.to_file()) text += "Picture: " + one_line(o.output) + '\n';
  print(text);
}

}  // namespace

const char* name_of(nested_form form) noexcept {
  constexpr const char* names[] = {"flat", "core", "socket", "inner"};
  return names[static_cast<unsigned>(form)];
}

double nested_outcome::rate(const description& m) const {
  return static_cast<double>(searches) / (static_cast<double>(cycles) / m.clock);
}

double nested_outcome::miss_rate() const {
  return static_cast<double>(memory.missed_loads) / static_cast<double>(std::max<std::uint64_t>(1, memory.loads));
}

std::vector<search_pattern> draw_sources(const graph::csr_graph<std::uint32_t>& g, unsigned count, std::uint64_t seed,
                                         const graph::run_control& context) {
  const std::uint64_t vertices = g.vertices();
  if (vertices == 0 || g.arcs() == 0) throw usage_error("fig7: the graph has no edges to search along");
  const auto random = graph::counter_random(seed);
  std::vector<search_pattern> drawn;
  const std::uint64_t tries = std::max<std::uint64_t>(64 * vertices, 1024);
  for (std::uint64_t i = 0; i < tries && drawn.size() < count; ++i) {
    if (context.stop.stop_requested()) throw graph::cancelled();
    const auto source = static_cast<std::uint32_t>(random(i) % vertices);
    if (g.out().degree(source) != 0) drawn.emplace_back(g, source);
  }
  std::size_t most = 0;
  for (const search_pattern& p : drawn) most = std::max(most, p.order.size());
  std::erase_if(drawn, [&](const search_pattern& p) { return 2 * p.order.size() < most; });
  return drawn;
}

nested_outcome run_nested(const description& m, const graph::csr_graph<std::uint32_t>& g,
                          const std::vector<search_pattern>& sources, nested_form form, unsigned threads, unsigned each,
                          const graph::run_control& context) {
  std::vector<unsigned> contexts;
  for (unsigned t = 0; t < threads; ++t) contexts.push_back(m.spread(t, threads));
  machine::simulation::caches memory(m);
  nested_program program(m, std::move(contexts), levels_of(form));
  simulated_search search(g, program, memory, context.stop);
  nested_outcome o;
  o.searches = std::uint64_t{searchers(m, form, threads)} * each;
  const auto one = [&](std::uint64_t i) {
    search.run(sources[i % sources.size()]);
    if (context.report != nullptr) context.report->advance(1);
  };
  const machine::simulation::outcome run = program.run([&] {
    if (form == nested_form::inner) {
      for (std::uint64_t i = 0; i < o.searches; ++i) one(i);
    } else {
      program.loop(form == nested_form::flat ? 0 : 1, o.searches, one);
    }
    o.cycles = program.engine().time();
  });
  if (!run.finished) throw error("simulate: the simulated machine came to a halt: " + run.stuck);
  o.memory = memory.counts();
  o.spent = run.total();
  o.events = run.events;
  o.hash = run.hash;
  return o;
}

command add_fig7(const command_parser& simulate) {
  const command_parser parser =
      simulate.add_subcommand("fig7", "Draw the paper's nested betweenness, with the machine's caches");
  const auto o = std::make_shared<simulate_fig7_arguments>();
  parser.add_option("FILE", o->input.file, "The graph [a generated one]");
  add_machine(parser, "--machine", o->machine, "sparc-t5-8");
  add_parsed(
      parser, "--scale", "S",
      [o](const std::string& text) { o->scale = static_cast<unsigned>(parse_count("--scale", text, 1, 31)); },
      "Without FILE, a directed Kronecker graph of 2^S vertices [17]");
  add_parsed(
      parser, "--threads", "LIST", [o](const std::string& text) { o->threads = parse_threads(text); },
      "Numbers of threads [all contexts, half of them, ..., six numbers]");
  add_parsed(
      parser, "--searches", "N",
      [o](const std::string& text) {
        o->searches = static_cast<unsigned>(parse_count("--searches", text, 1, 1 << 20));
      },
      "Searches of each thread, core or socket that searches [1]");
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->seed = parse_count("--seed", text, 0); },
      "Seed of the sources and of the generated graph [1]");
  add_output(parser, o->output, "Draw into FILE (SVG)");
  o->run.add_reporting_to(parser);
  o->input.add_loading_options(parser);
  parser.more(
      "It draws figure 7 of the Callisto-RTS paper. The description of the machine must say how large "
      "its caches are.");
  parser.footer(
      "Betweenness by breadth-first searches in parallel loops (ATC'15, section 4.3), and a model of the machine's\n"
      "caches, through which the searches' accesses to the graph and to their own state go. Forms: flat, every thread "
      "searches; core and\n"
      "socket, the threads of one search together; inner, all threads do.\n\n"
      "Examples:\n"
      "  callisto-lab simulate fig7 soc-Slashdot0902.txt.gz --output figure7.svg\n"
      "  callisto-lab simulate fig7 --scale 14 --threads 128,1024 --json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::lab
