// callisto-lab simulate: runs the library's loops on simulated machines.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/commands.hpp>
#include <lab/simulate/calibrate.hpp>
#include <lab/simulate/compare_machine.hpp>
#include <lab/simulate/describe_machine.hpp>
#include <lab/simulate/figures.hpp>
#include <lab/simulate/machines.hpp>
#include <lab/simulate/options.hpp>
#include <lab/simulate/report.hpp>
#include <lab/simulate/trace.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

using machine::simulation::description;

struct simulate_arguments {
  std::string machine;
  graph_input input;  ///< --graph
  run_options run;
  std::optional<workload_kind> kind;
  std::optional<std::uint64_t> iterations;
  std::optional<std::uint64_t> cycles;
  std::uint64_t arc_cycles = 8;
  sweep_options vary;
  std::string output;
  std::string trace;
  bool list = false;
  bool show = false;
  bool joined = false;
  bool calibrate = false;
  bool compare = false;
};

/// Returns the powers of two from 1 to 1024.
std::vector<std::uint64_t> paper_batches() {
  std::vector<std::uint64_t> batches;
  for (std::uint64_t b = 1; b <= 1024; b *= 2) batches.push_back(b);
  return batches;
}

sweep_plan plan_of(const simulate_arguments& o, const description& m) {
  sweep_plan plan;
  plan.techniques = {{shared_counter(), paper_batches()}, {schedule(), paper_batches()}};
  plan.threads = halves(m.total_contexts(), 4);
  plan.holds = {m.hold};
  plan.other_holds = {0, 0.1, 0.4};
  std::erase(plan.other_holds, m.hold);
  plan.cap = 1;
  plan = o.vary.plan_for(m, plan);
  plan.joined = o.joined;
  return plan;
}

workload workload_of(const simulate_arguments& o, const description& m, const graph::run_control& context) {
  const std::uint64_t cycles = o.cycles.value_or(paper_iteration(m));
  const workload_kind kind = o.kind.value_or(workload_kind::even);
  if (kind == workload_kind::even) return workload::even(o.iterations.value_or(std::uint64_t{1} << 20), cycles);
  // N/1023 iterations are heavy. With only a few per thread, the run would measure the loop's end, not its scheduling.
  if (kind == workload_kind::skewed) return workload::skewed(o.iterations.value_or(std::uint64_t{1} << 22), cycles);
  const loaded_graph loaded = o.input.load(context);
  workload loop = workload::from_graph(kind, loaded.graph, o.cycles.value_or(20), o.arc_cycles, context);
  if (loop.size() == 0) throw input_error(o.input.file, 0, "the graph has no vertices to iterate over");
  return loop;
}

void list_machines(const simulate_arguments& o) {
  table rows(
      {{"MACHINE", table::align::left}, {"sockets"}, {"cores"}, {"contexts"}, {"GHz"}, {"name", table::align::left}});
  json machines = json::array();
  for (const shipped_machine& shipped : shipped_machines()) {
    const description m = load_machine(std::string(shipped.name));
    json object{{"file", shipped.name}};
    object.update(describe(m));
    machines.push_back(std::move(object));
    rows.add_row({std::string(shipped.name), with_separators(m.sockets), with_separators(m.total_cores()),
                  with_separators(m.total_contexts()), fmt::format("{:g}", m.clock * 1e-9), m.name});
  }
  print(o.run.as_json ? to_text(json{{"machines", std::move(machines)}}) : rows.render());
}

void simulate_sweep(const simulate_arguments& o, const description& m, const std::stop_token& stop) {
  if (o.run.as_json) refuse_beside_json(o.output);
  result picture(o.output);
  progress_bar bar(o.run.progress_wanted());
  const graph::run_control context{&bar, stop};
  const stopwatch time;
  const sweep_plan plan = plan_of(o, m);
  const workload loop = workload_of(o, m, context);
  bar.begin("simulating " + m.name, plan.setups().size(), "loops");
  const sweep runs(m, loop, plan, context);
  const double seconds = time.seconds();
  bar.finish();
  const simulated_loop both{&loop, &runs};
  const double hold = main_hold(m, plan);
  if (picture.to_file()) {
    std::vector<svg_plot> plots;
    add_plots(both, hold, m.name, plots);
    picture.write(svg_page("Simulated loops: speed-up over a plain loop, and where the cycles go", title_of(m), plots,
                           plots.size() / plan.techniques.size()));
    picture.commit();
  }
  if (o.run.as_json) {
    const json done{{"machine", describe(m)}, {"workloads", json::array({to_json(both)})}};
    print(to_text(json{{"simulated", json::array({done})},
                       {"seed", o.vary.seed},
                       {"events", runs.events()},
                       {"seconds", {{"simulate", seconds}}},
                       {"output", o.output.empty() ? json() : json(o.output)}}));
    return;
  }
  std::string text = title_of(m) + "\n\n" + describe(loop) + "\n\n" + speedup_tables(both, hold) +
                     cycle_tables(both, hold) + hold_table(both) + '\n' + simulation_speed(runs.events(), seconds);
  if (picture.to_file()) text += "Picture: " + one_line(o.output) + '\n';
  print(text);
}

/// Runs --trace: simulates one loop, and writes what each context did when.
void trace_one(const simulate_arguments& o, const description& m, const std::stop_token& stop) {
  if (o.run.as_json) refuse_beside_json(o.trace, "--trace");
  result file(o.trace, "--trace");
  progress_bar bar(o.run.progress_wanted());
  const graph::run_control context{&bar, stop};
  const workload loop = workload_of(o, m, context);
  const sweep_plan plan = plan_of(o, m);
  const std::vector<run_setup> setups = plan.setups();
  if (setups.size() != 1) {
    throw usage_error(fmt::format(
        "--trace: expected one loop, found {}; give one value each of --schedule, --batch, --threads and --hold",
        setups.size()));
  }
  run_setup setup = setups.front();
  setup.timeline = true;
  const run_outcome outcome = run_simulated(m, loop, setup, stop);
  bar.finish();
  file.write(to_chrome_trace(m, loop, setup, outcome));
  file.commit();
  if (is_standard_output(o.trace)) return;
  if (o.run.as_json) {
    print(to_text(json{{"trace", o.trace}, {"spans", outcome.timeline.size()}, {"speedup", outcome.speedup}}));
  } else if (!o.run.quiet) {
    print(fmt::format("{}: {}, speed-up {}; open it at https://ui.perfetto.dev\n", one_line(o.trace),
                      counted(outcome.timeline.size(), "span"), to_text(outcome)));
  }
}

void calibrate(const simulate_arguments& o, const std::stop_token& stop) {
  if (o.run.as_json) refuse_beside_json(o.output);
  result file(o.output);
  progress_bar bar(o.run.progress_wanted());
  const measured_costs costs = measure_costs({&bar, stop});
  bar.finish();
  const description m = describe_this_machine(costs);
  if (file.to_file() || !o.run.as_json) file.write(machine::simulation::to_text(m));
  file.commit();
  if (o.run.as_json) {
    print(to_text(json{
        {"machine", describe(m)}, {"costs", to_json(costs)}, {"output", file.to_file() ? json(o.output) : json()}}));
  }
}

/// True if two calibrations found the processors at the same distances.
bool same_distances(const measured_costs& a, const measured_costs& b) {
  for (std::size_t kind = 0; kind < nearness_kinds; ++kind) {
    if (a.hop[kind] && b.hop[kind] &&
        std::max(*a.hop[kind], *b.hop[kind]) > 1.3 * std::min(*a.hop[kind], *b.hop[kind])) {
      return false;
    }
  }
  return true;
}

void compare(const simulate_arguments& o, const std::stop_token& stop) {
  // A hypervisor may move the processors nearer to each other or apart during the measurement. In that case all begins
  // anew.
  constexpr int most_attempts = 10;
  progress_bar bar(o.run.progress_wanted());
  const graph::run_control context{&bar, stop};
  const bool calibrated = o.machine.empty();
  description m;
  comparison c;
  bool steady = false;
  for (int attempt = 0; attempt < most_attempts && !steady; ++attempt) {
    const measured_costs before = measure_costs(context);
    m = calibrated ? describe_this_machine(before) : load_machine(o.machine);
    const unsigned threads =
        o.vary.threads.empty() ? std::min(m.total_contexts(), usable_contexts()) : o.vary.threads.back();
    c = compare_with_reality(m, threads, o.vary.seed, context);
    steady = c.steady() && same_distances(before, measure_costs(context));
  }
  bar.finish();
  if (o.run.as_json) {
    json object{{"machine", describe(m)}};
    object.update(to_json(c));
    object["steady"] = steady;
    print(to_text(object));
  } else {
    print(title_of(m) + "\n\n" + to_words(c) +
          (steady ? "" : "The machine changed while it was measured, time and again: do not trust this.\n"));
  }
}

/// Throws usage_error for options that cannot be combined.
void check(const simulate_arguments& o) {
  const int modes = o.list + o.show + o.calibrate + o.compare + !o.trace.empty();
  if (modes > 1) throw usage_error("give one of --list, --show, --trace, --calibrate and --compare");
  const bool of_graph = o.kind == workload_kind::pagerank || o.kind == workload_kind::triangles;
  if (of_graph && o.input.file.empty()) {
    throw usage_error(fmt::format("--graph: the workload {} needs a graph", name_of(*o.kind)));
  }
  if (!of_graph && !o.input.file.empty()) {
    throw usage_error("--graph: only the workloads pagerank and triangles take one; give --workload");
  }
  if (of_graph && o.iterations) throw usage_error("--iterations: the graph says how many; leave it out");
  const bool needs_none = o.list || o.calibrate || o.compare;
  if (o.machine.empty() && !needs_none) throw usage_error("MACHINE: required; --list says which are known by name");
  if (!o.machine.empty() && (o.list || o.calibrate)) {
    throw usage_error(
        fmt::format("MACHINE: {} takes none, found '{}'", o.list ? "--list" : "--calibrate", one_line(o.machine)));
  }
  if (!o.output.empty() && (o.list || o.show || o.compare || !o.trace.empty())) {
    throw usage_error("--output: nothing to draw; it goes with sweeps, figures and --calibrate");
  }
}

void run(const simulate_arguments& o, const std::stop_token& stop) {
  check(o);
  if (o.list) return list_machines(o);
  if (o.show) return print(machine_text(o.machine));
  if (o.calibrate) return calibrate(o, stop);
  if (o.compare) return compare(o, stop);
  if (!o.trace.empty()) return trace_one(o, load_machine(o.machine), stop);
  simulate_sweep(o, load_machine(o.machine), stop);
}

}  // namespace

command add_simulate(const command_parser& app) {
  const command_parser parser = app.add_subcommand("simulate", "Run loops on simulated machines");
  const auto o = std::make_shared<simulate_arguments>();
  parser.add_option("MACHINE", o->machine, "A machine of --list, or a file that describes one")
      .words_or_file(machine_names());
  parser.add_flag("--list", o->list, "List the machines that are known by name");
  parser.add_flag("--show", o->show, "Print the description of MACHINE")
      .more("Each parameter stands with its source, or with the word `estimated`.");
  add_parsed(
      parser, "--workload", "KIND", [o](const std::string& text) { o->kind = parse_workload("--workload", text); },
      "even, skewed, pagerank or triangles [even]")
      .words({"even", "skewed", "pagerank", "triangles"})
      .more(
          "What the iterations cost. `even`: all the same. `skewed`: one in 1023 costs 1024 times as much "
          "as the others. `pagerank` and `triangles`: by the degrees of the vertices of a graph.");
  parser.add_option("--graph", o->input.file, "The graph of pagerank and triangles").type_name("FILE");
  add_parsed(
      parser, "--iterations", "N",
      [o](const std::string& text) { o->iterations = parse_count("--iterations", text, 1, most_iterations); },
      "Iterations of an even or skewed loop [2^20 or 2^22]")
      .more("2^20 for even and 2^22 for skewed loops; up to 2^40.");
  add_parsed(
      parser, "--cycles", "C",
      [o](const std::string& text) { o->cycles = parse_count("--cycles", text, 1, most_cycles); },
      "Cycles of an iteration, or of a vertex [the paper's, or 20]");
  add_parsed(
      parser, "--arc-cycles", "C",
      [o](const std::string& text) { o->arc_cycles = parse_count("--arc-cycles", text, 0, most_cycles); },
      "Cycles of an arc (pagerank) or a probe (triangles) [8]");
  o->vary.add_to(parser, {.schedules = "counter(machine) and auto",
                          .batches = "1,2,4,...,1024",
                          .threads = "all contexts, half of them, ..., four numbers",
                          .holds = "the machine's, and for some 0,0.1,0.4",
                          .cap = "1"});
  parser.add_flag("--joined", o->joined, "Threads stand ready inside the loop: handing out alone")
      .more("Publishing, joining and leaving the loop then cost nothing.");
  add_output(parser, o->output, "Draw into FILE (SVG); with --calibrate, the description");
  add_trace(parser, o->trace, "Write the timeline of one loop to FILE, for Perfetto");
  parser.add_flag("--calibrate", o->calibrate, "Measure this machine and print its description");
  parser.add_flag("--compare", o->compare, "Compare the prediction for this machine with what it does")
      .more(
          "It runs a loop on this machine at batch sizes from 1 to 1024, and prints the measured and the "
          "predicted speed-ups and the errors. Without MACHINE it calibrates first.");
  o->input.add_loading_options(parser);
  o->run.add_reporting_to(parser);
  parser.more(
      "The code of this library runs unchanged on hardware contexts, caches and lines that are made up "
      "from a description. Options that take a list take numbers separated by commas, and a loop is "
      "simulated for every combination.");
  parser.footer(
      "Runs this library's own loops on contexts and caches that are made up; speed-ups are over a plain loop.\n"
      "The outcome depends on the arguments alone, to the cycle.\n\n"
      "Examples:\n"
      "  callisto-lab simulate --list\n"
      "  callisto-lab simulate sparc-t5-8 --threads 128,1024 --batch 1,16,256 --output t5.svg\n"
      "  callisto-lab simulate epyc-9965 --workload pagerank --graph web.cg --batch 0,64\n"
      "  callisto-lab simulate x4-2 --schedule 'counter(machine)' --batch 8 --threads 32 --hold 0.1 --trace x4.json\n"
      "  callisto-lab simulate --calibrate --output here.txt && callisto-lab simulate here.txt --compare");
  parser.at_most_one_subcommand();
  const std::vector<command> figures = add_figures(parser);
  return {parser, [o, figures, parser](const std::stop_token& stop) {
            for (const command& figure : figures) {
              if (!figure.parser.chosen()) continue;
              figure.parser.refuse_options_of(parser);
              return figure.run(stop);
            }
            run(*o, stop);
          }};
}

}  // namespace callisto::lab
