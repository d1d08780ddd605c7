// Simulates one superstep of PageRank with the techniques of the paper's figure 6 and with `auto`.
#include <lab/simulate/figure6.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/draw/svg_page.hpp>
#include <callisto/app/draw/svg_plot.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/simulated/machine.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/chunk_queues.hpp>
#include <lab/simulate/figures.hpp>
#include <lab/simulate/machines.hpp>
#include <lab/simulate/options.hpp>
#include <lab/simulate/report.hpp>
#include <lab/simulate/run.hpp>
#include <lab/simulate/workload.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

using machine::simulation::description;

struct fig6_options {
  std::string machine;
  graph_input input;
  unsigned scale = 22;
  std::vector<unsigned> threads;
  std::uint64_t seed = 1;
  std::string output;
  run_options run;
};

/// A technique that hands out vertices: a row of the table.
struct fig6_technique {
  const char* name;
  const char* schedule;  ///< null selects chunk_queues
  std::uint64_t batch;
};

// Both systems of the paper hand out batches of 32, Galois's default.
constexpr std::uint64_t batch = chunk_queues<machine::simulated>::chunk;
constexpr fig6_technique fig6_techniques[] = {
    {"Callisto-RTS, combine(core,async)/counter(core)", "combine(core,async)/counter(core)", batch},
    {"Callisto-RTS, counter(socket)", "counter(socket)", batch},
    {"Galois, chunk queues", nullptr, batch},
    {"auto, no batch size", "auto", 0},
};
constexpr std::size_t technique_count = std::size(fig6_techniques);

/// The runs on one machine. outcomes[technique * threads.size() + i] has threads[i] threads.
struct machine_runs {
  description machine;
  std::vector<unsigned> threads;
  std::vector<run_outcome> outcomes;

  const run_outcome& at(std::size_t technique, std::size_t i) const { return outcomes[technique * threads.size() + i]; }
};

machine_runs simulate_all(const description& m, const workload& loop, const fig6_options& o, progress_bar& bar,
                          const graph::run_control& context) {
  machine_runs runs{m, o.threads.empty() ? halves(m.total_contexts(), 64) : o.threads, {}};
  check_threads(m, runs.threads);
  runs.outcomes.resize(technique_count * runs.threads.size());
  bar.begin(m.name, runs.outcomes.size(), "loops");
  const auto run = [&](std::size_t i) {
    const std::size_t which = runs.outcomes.size() - 1 - i;  // the longest runs first
    const fig6_technique& how = fig6_techniques[which % technique_count];
    const std::size_t threads = which / technique_count;
    run_setup setup;
    setup.chunk_queues = how.schedule == nullptr;
    if (how.schedule != nullptr) setup.how = schedule::parse(how.schedule, "schedule");
    setup.batch = how.batch;
    setup.threads = runs.threads[threads];
    setup.hold = m.hold;
    setup.seed = o.seed;
    setup.jitter = figure_jitter;
    runs.outcomes[which % technique_count * runs.threads.size() + threads] =
        run_simulated(m, loop, setup, context.stop);
    if (context.report != nullptr) context.report->advance(1);
  };
  parallel_for(std::size_t{0}, runs.outcomes.size(), run, {.batch = 1, .stop = context.stop});
  if (context.stop.stop_requested()) throw graph::cancelled();
  return runs;
}

std::string to_words(const machine_runs& runs) {
  std::vector<table::column> columns{{"speed-up by threads", table::align::left}};
  for (const unsigned threads : runs.threads) columns.push_back({with_separators(threads)});
  table rows(std::move(columns));
  for (std::size_t t = 0; t < technique_count; ++t) {
    std::vector<std::string> cells{fig6_techniques[t].name};
    for (std::size_t i = 0; i < runs.threads.size(); ++i) cells.push_back(to_text(runs.at(t, i)));
    rows.add_row(std::move(cells));
  }
  return title_of(runs.machine) + '\n' + rows.render(2) + '\n';
}

json to_json(const machine_runs& runs) {
  json all = json::array();
  for (std::size_t t = 0; t < technique_count; ++t) {
    for (std::size_t i = 0; i < runs.threads.size(); ++i) {
      const run_outcome& r = runs.at(t, i);
      all.push_back({{"technique", fig6_techniques[t].name},
                     {"batch", fig6_techniques[t].batch},
                     {"threads", runs.threads[i]},
                     {"speedup", r.speedup},
                     {"cycles", r.cycles}});
    }
  }
  return {{"machine", describe(runs.machine)}, {"runs", std::move(all)}};
}

svg_plot draw(const machine_runs& runs) {
  svg_plot plot(runs.machine.name, {"threads", axis_scale::log2}, {"speed-up", axis_scale::log2});
  for (std::size_t t = 0; t < technique_count; ++t) {
    std::vector<svg_plot::point> points;
    for (std::size_t i = 0; i < runs.threads.size(); ++i) {
      points.push_back({static_cast<double>(runs.threads[i]), runs.at(t, i).speedup});
    }
    plot.add_line(fig6_techniques[t].name, std::move(points));
  }
  return plot;
}

void run(const fig6_options& o, const std::stop_token& stop) {
  if (o.run.as_json) refuse_beside_json(o.output);
  result picture(o.output);
  progress_bar bar(o.run.progress_wanted());
  const graph::run_control context{&bar, stop};
  std::string name;
  const graph::any_graph graph = [&] {
    if (!o.input.file.empty()) {
      check_no_machine(o.input.file);
      name = short_name(o.input.file);
      return o.input.load(context).graph;
    }
    name = fmt::format("Kronecker {}", o.scale);
    graph::kronecker_options what;
    what.scale = o.scale;
    return graph::build_graph(graph::generate_kronecker(what, context), o.input.options.build, context);
  }();
  const workload loop =
      workload::from_graph(workload_kind::pagerank, graph, vertex_cycles, pagerank_arc_cycles, context);
  if (loop.size() == 0) throw input_error(name, 0, "the graph has nothing to iterate over");

  std::vector<std::string> machines{o.machine};
  if (o.machine.empty()) machines = {"x4-2", "sparc-t5-8"};
  const stopwatch time;
  std::vector<machine_runs> all;
  std::uint64_t events = 0;
  for (const std::string& machine : machines) {
    all.push_back(simulate_all(load_machine(machine), loop, o, bar, context));
    for (const run_outcome& r : all.back().outcomes) events += r.events;
  }
  const double seconds = time.seconds();
  bar.finish();

  if (picture.to_file()) {
    std::vector<std::vector<svg_panel>> plots(1);
    for (const machine_runs& runs : all) plots.front().push_back(draw(runs).render());
    picture.write(svg_document("ATC'15, figure 6: PageRank on Callisto-RTS and on Galois's chunk queues",
                               "a superstep on " + name + ", batches of 32, simulated", plots));
    picture.commit();
  }
  if (o.run.as_json) {
    json simulated = json::array();
    for (const machine_runs& runs : all) simulated.push_back(to_json(runs));
    print(to_text(json{{"figure", "fig6"},
                       {"graph", name},
                       {"simulated", std::move(simulated)},
                       {"seed", o.seed},
                       {"events", events},
                       {"seconds", {{"simulate", seconds}}},
                       {"output", o.output.empty() ? json() : json(o.output)}}));
    return;
  }
  std::string text = "PageRank of " + name + ": " + describe(loop) + "\n\n";
  for (const machine_runs& runs : all) text += to_words(runs);
  text += simulation_speed(events, seconds);
  if (picture.to_file()) text += "Picture: " + one_line(o.output) + '\n';
  print(text);
}

}  // namespace

command add_fig6(const command_parser& simulate) {
  const command_parser parser = simulate.add_subcommand("fig6", "Draw the paper's comparison of PageRank with Galois");
  const auto o = std::make_shared<fig6_options>();
  parser.add_option("FILE", o->input.file, "The graph [a generated one]");
  add_machine(parser, "--machine", o->machine, "x4-2 and sparc-t5-8");
  add_parsed(
      parser, "--scale", "S",
      [o](const std::string& text) { o->scale = static_cast<unsigned>(parse_count("--scale", text, 1, 37)); },
      "Without FILE, the Kronecker graph of 2^S vertices [22]");
  add_parsed(
      parser, "--threads", "LIST", [o](const std::string& text) { o->threads = parse_threads(text); },
      "Numbers of threads [all contexts, half of them, ..., 1]");
  add_parsed(
      parser, "--seed", "N", [o](const std::string& text) { o->seed = parse_count("--seed", text, 0); },
      "Seed of the times of batches [1]");
  add_output(parser, o->output, "Draw into FILE (SVG)");
  o->run.add_reporting_to(parser);
  o->input.add_loading_options(parser);
  parser.footer(
      "A superstep of PageRank in batches of 32 vertices, by the paper's two techniques, by a model of Galois's\n"
      "queues of chunks, one a socket, filled at no cost, and by auto, which chooses batches itself.\n\n"
      "Examples:\n"
      "  callisto-lab simulate fig6 --output figure6.svg\n"
      "  callisto-lab simulate fig6 web.cg --machine x4-2 --json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::lab
