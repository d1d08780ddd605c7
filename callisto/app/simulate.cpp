// callisto simulate: the loops of this library on machines that are not here.
#include <callisto/app/calibrate.hpp>
#include <callisto/app/command.hpp>
#include <callisto/app/compare_machine.hpp>
#include <callisto/app/describe_machine.hpp>
#include <callisto/app/graph_input.hpp>
#include <callisto/app/numbers.hpp>
#include <callisto/app/run_options.hpp>
#include <callisto/app/simulate_report.hpp>
#include <callisto/app/simulate_sweep.hpp>
#include <callisto/app/simulate_trace.hpp>
#include <callisto/app/simulated_machines.hpp>
#include <callisto/app/stopwatch.hpp>
#include <callisto/app/text.hpp>
#include <callisto/machine/error.hpp>

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

namespace callisto::app {
namespace {

using machine::simulation::description;

/// Loops of lower speed-up are given up: they have collapsed, and are not worth the time. --figure4 has many.
constexpr double figure4_cap = 2;
constexpr std::uint64_t most_iterations = std::uint64_t{1} << 40;
constexpr std::uint64_t most_cycles = std::uint64_t{1} << 30;

struct options {
  std::string machine;
  graph_input input;  ///< --graph
  run_options run;
  std::optional<workload_kind> kind;
  std::optional<std::uint64_t> iterations;
  std::optional<std::uint64_t> cycles;
  std::uint64_t arc_cycles = 8;
  std::vector<distributor_kind> distributors;
  std::vector<std::uint64_t> batches;
  std::vector<unsigned> threads;
  std::vector<double> holds;
  std::optional<std::pair<double, double>> noise;  ///< microseconds: length, mean period
  std::optional<double> cap;
  std::uint64_t seed = 1;
  std::string output;
  std::string trace;
  bool list = false;
  bool show = false;
  bool joined = false;
  bool figure4 = false;
  bool calibrate = false;
  bool compare = false;
};

/// The parts of a list such as "1,8,64", each parsed by `parse`, ascending, each once.
template <class T, class Parse>
std::vector<T> parse_list(const std::string& text, Parse parse) {
  std::vector<T> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(parse(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::pair<double, double> parse_noise(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    throw usage_error(
        fmt::format("--noise: expected two times in microseconds, as 100,10000; found '{}'", one_line(text)));
  }
  const real_range positive{.low = 0, .high = 1e9, .above_low = true};
  return {parse_real("--noise", text.substr(0, comma), positive),
          parse_real("--noise", text.substr(comma + 1), positive)};
}

/// The paper's iteration: 140 cycles on the T5, which issues 0.34 instructions a cycle (ATC'15 section 4.1), hence 48
/// instructions; other machines take the time that these take there.
std::uint64_t iteration_cycles(const description& m) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::lround(140 * 0.34 / m.ipc)));
}

/// The powers of two from 1 to 1024.
std::vector<std::uint64_t> paper_batches() {
  std::vector<std::uint64_t> batches;
  for (std::uint64_t b = 1; b <= 1024; b *= 2) batches.push_back(b);
  return batches;
}

/// Up to `rows` numbers of threads: all contexts, and halves of that.
std::vector<unsigned> halves(unsigned contexts, unsigned rows) {
  std::vector<unsigned> threads;
  for (unsigned n = contexts; n >= 1 && threads.size() < rows; n /= 2) threads.insert(threads.begin(), n);
  return threads;
}

sweep_plan plan_of(const options& o, const description& m) {
  sweep_plan plan;
  plan.distributors = o.distributors;
  if (plan.distributors.empty()) plan.distributors = {distributor_kind::shared, distributor_kind::distributed};
  plan.batches = o.batches.empty() ? paper_batches() : o.batches;
  plan.threads = o.threads.empty() ? halves(m.total_contexts(), o.figure4 ? 5 : 4) : o.threads;
  if (plan.threads.back() > m.total_contexts()) {
    throw usage_error(fmt::format("--threads: {} has {}, found {}", m.name, counted(m.total_contexts(), "context"),
                                  plan.threads.back()));
  }
  plan.holds = o.holds;
  if (plan.holds.empty()) {
    plan.holds = {m.hold};
    plan.other_holds = {0, 0.1, 0.4};
    std::erase(plan.other_holds, m.hold);
  }
  plan.seed = o.seed;
  plan.joined = o.joined || o.figure4;
  plan.cap = o.cap.value_or(o.figure4 ? figure4_cap : 1);
  if (o.noise) {
    const double per_microsecond = m.clock * 1e-6;
    plan.noise.length = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(o.noise->first * per_microsecond));
    plan.noise.period = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(o.noise->second * per_microsecond));
  }
  return plan;
}

/// The loops to simulate: those of the options, or both of the paper's.
std::vector<workload> workloads_of(const options& o, const description& m, const graph::context& context) {
  const std::uint64_t cycles = o.cycles.value_or(iteration_cycles(m));
  const std::uint64_t even_iterations = o.iterations.value_or(std::uint64_t{1} << (o.figure4 ? 22 : 20));
  // N/1023 heavy iterations: fewer than some for each thread would measure the end of the loop, not its scheduling.
  const std::uint64_t skewed_iterations = o.iterations.value_or(std::uint64_t{1} << 22);
  if (o.figure4) return {workload::even(even_iterations, cycles), workload::skewed(skewed_iterations, cycles)};
  const workload_kind kind = o.kind.value_or(workload_kind::even);
  if (kind == workload_kind::even) return {workload::even(even_iterations, cycles)};
  if (kind == workload_kind::skewed) return {workload::skewed(skewed_iterations, cycles)};
  const loaded_graph loaded = o.input.load(context);
  workload loop = workload::from_graph(kind, loaded.graph, o.cycles.value_or(20), o.arc_cycles, context);
  if (loop.size() == 0) throw input_error(o.input.file, 0, "the graph has no vertices to iterate over");
  return {std::move(loop)};
}

json describe(const description& m) {
  return {{"name", m.name},       {"contexts", m.total_contexts()}, {"cores", m.total_cores()},
          {"sockets", m.sockets}, {"gigahertz", m.clock * 1e-9},    {"hold", m.hold}};
}

std::string title_of(const description& m) {
  return fmt::format("{}: {}, {}, {}, {:g} GHz", m.name, counted(m.sockets, "socket"), counted(m.total_cores(), "core"),
                     counted(m.total_contexts(), "context"), m.clock * 1e-9);
}

/// One machine and its sweeps.
struct simulated_machine {
  description machine;
  std::vector<workload> loops;
  std::vector<sweep> sweeps;

  std::vector<simulated_loop> both() const {
    std::vector<simulated_loop> pairs;
    for (std::size_t i = 0; i < sweeps.size(); ++i) pairs.push_back({&loops[i], &sweeps[i]});
    return pairs;
  }
  /// The hold window of the tables and pictures: the machine's own, if it is among those simulated.
  double main_hold() const {
    const std::vector<double>& holds = sweeps.front().plan().holds;
    return std::find(holds.begin(), holds.end(), machine.hold) != holds.end() ? machine.hold : holds.front();
  }
};

std::string to_words(const simulated_machine& s) {
  std::string text = title_of(s.machine) + '\n';
  for (const simulated_loop& l : s.both()) {
    text += '\n' + describe(*l.loop) + "\n\n" + speedup_tables(l, s.main_hold()) + cycle_tables(l, s.main_hold()) +
            hold_table(l);
  }
  return text;
}

json to_json(const simulated_machine& s) {
  json loops = json::array();
  for (const simulated_loop& l : s.both()) loops.push_back(to_json(l));
  return {{"machine", describe(s.machine)}, {"workloads", std::move(loops)}};
}

std::string draw(const std::vector<simulated_machine>& all) {
  std::vector<svg_plot> plots;
  std::size_t rows = 0;
  std::string names;
  for (const simulated_machine& s : all) {
    names += (names.empty() ? "" : "; ") + title_of(s.machine);
    for (const simulated_loop& l : s.both()) add_plots(l, s.main_hold(), s.machine.name, plots);
    rows += s.sweeps.size() * s.sweeps.front().plan().distributors.size();
  }
  return svg_page("Simulated loops: speed-up over a plain loop, and where the cycles go", names, plots,
                  plots.size() / rows);
}

/// The events of all sweeps.
std::uint64_t events_of(const std::vector<simulated_machine>& all) {
  std::uint64_t events = 0;
  for (const simulated_machine& s : all) {
    for (const sweep& runs : s.sweeps) {
      for (const sweep_cell& c : runs.cells()) events += c.outcome.events;
    }
  }
  return events;
}

void list_machines(const options& o) {
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

void simulate_sweeps(const options& o, const std::vector<description>& machines, const std::stop_token& stop) {
  result picture(o.output);
  progress_bar bar(o.run.progress_wanted());
  const graph::context context{&bar, stop};
  const stopwatch time;
  std::vector<simulated_machine> all;
  for (const description& m : machines) {
    sweep_plan plan = plan_of(o, m);
    simulated_machine s{m, workloads_of(o, m, context), {}};
    bar.begin("simulating " + m.name, s.loops.size() * plan.setups().size(), "loops");
    for (const workload& loop : s.loops) s.sweeps.emplace_back(m, loop, plan, context);
    all.push_back(std::move(s));
  }
  const double seconds = time.seconds();
  bar.finish();
  if (picture.to_file()) {
    picture.write(draw(all));
    picture.commit();
  }
  const std::uint64_t events = events_of(all);
  if (o.run.as_json) {
    json machines_done = json::array();
    for (const simulated_machine& s : all) machines_done.push_back(to_json(s));
    json object;
    object["simulated"] = std::move(machines_done);
    object["seed"] = o.seed;
    object["events"] = events;
    object["seconds"] = {{"simulate", seconds}};
    object["output"] = o.output.empty() ? json() : json(o.output);
    print(to_text(object));
    return;
  }
  std::string text;
  for (const simulated_machine& s : all) text += to_words(s) + '\n';
  text += fmt::format("{} simulated in {} ({}).\n", counted(events, "event"), human_seconds(seconds),
                      human_rate(static_cast<double>(events) / seconds, "events"));
  if (picture.to_file()) text += "Picture: " + one_line(o.output) + '\n';
  print(text);
}

/// --trace: one loop, and what every context did when.
void trace_one(const options& o, const description& m, const std::stop_token& stop) {
  result file(o.trace);
  progress_bar bar(o.run.progress_wanted());
  const graph::context context{&bar, stop};
  const std::vector<workload> loops = workloads_of(o, m, context);
  const sweep_plan plan = plan_of(o, m);
  const std::vector<run_setup> setups = plan.setups();
  if (setups.size() != 1) {
    throw usage_error(fmt::format(
        "--trace: expected one loop, found {}; give one value each of --distributor, --batch, --threads and --hold",
        setups.size()));
  }
  run_setup setup = setups.front();
  setup.timeline = true;
  const run_outcome outcome = run_simulated(m, loops.front(), setup, stop);
  bar.finish();
  file.write(to_chrome_trace(m, loops.front(), setup, outcome));
  file.commit();
  if (!file.to_file()) return;
  if (o.run.as_json) {
    print(to_text(json{{"trace", o.trace}, {"spans", outcome.timeline.size()}, {"speedup", outcome.speedup}}));
  } else if (!o.run.quiet) {
    print(fmt::format("{}: {}, speed-up {}; open it at https://ui.perfetto.dev\n", one_line(o.trace),
                      counted(outcome.timeline.size(), "span"), to_text(outcome)));
  }
}

void calibrate(const options& o, const std::stop_token& stop) {
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

/// Whether two calibrations found the processors equally far apart.
bool same_distances(const measured_costs& a, const measured_costs& b) {
  for (std::size_t kind = 0; kind < nearness_kinds; ++kind) {
    if (a.hop[kind] && b.hop[kind] &&
        std::max(*a.hop[kind], *b.hop[kind]) > 1.3 * std::min(*a.hop[kind], *b.hop[kind])) {
      return false;
    }
  }
  return true;
}

void compare(const options& o, const std::stop_token& stop) {
  // A hypervisor may move the processors nearer to each other or apart while we measure; then all begins anew.
  constexpr int most_attempts = 10;
  progress_bar bar(o.run.progress_wanted());
  const graph::context context{&bar, stop};
  const bool calibrated = o.machine.empty();
  description m;
  comparison c;
  bool steady = false;
  for (int attempt = 0; attempt < most_attempts && !steady; ++attempt) {
    const measured_costs before = measure_costs(context);
    m = calibrated ? describe_this_machine(before) : load_machine(o.machine);
    const unsigned threads = o.threads.empty() ? std::min(m.total_contexts(), usable_contexts()) : o.threads.back();
    c = compare_with_reality(m, threads, o.seed, context);
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

/// Refuses what makes no sense together.
void check(const options& o) {
  const int modes = o.list + o.show + o.figure4 + o.calibrate + o.compare + !o.trace.empty();
  if (modes > 1) throw usage_error("give one of --list, --show, --figure4, --trace, --calibrate and --compare");
  const bool of_graph = o.kind == workload_kind::pagerank || o.kind == workload_kind::triangles;
  if (of_graph && o.input.file.empty()) {
    throw usage_error(fmt::format("--graph: the workload {} needs a graph", name_of(*o.kind)));
  }
  if (!of_graph && !o.input.file.empty()) {
    throw usage_error("--graph: only the workloads pagerank and triangles take one; give --workload");
  }
  if (of_graph && o.iterations) throw usage_error("--iterations: the graph says how many; leave it out");
  if (o.figure4 && o.kind) throw usage_error("--workload: figure 4 has both an even and a skewed loop; leave it out");
  const bool needs_none = o.list || o.calibrate || o.compare || o.figure4;
  if (o.machine.empty() && !needs_none) throw usage_error("MACHINE: required; --list says which are known by name");
  if (!o.machine.empty() && (o.list || o.calibrate)) {
    throw usage_error(
        fmt::format("MACHINE: {} takes none, found '{}'", o.list ? "--list" : "--calibrate", one_line(o.machine)));
  }
  if (!o.output.empty() && (o.list || o.show || o.compare || !o.trace.empty())) {
    throw usage_error("--output: nothing to draw; it goes with sweeps, --figure4 and --calibrate");
  }
}

void run(const options& o, const std::stop_token& stop) {
  check(o);
  if (o.list) return list_machines(o);
  if (o.show) return print(machine_text(o.machine));
  if (o.calibrate) return calibrate(o, stop);
  if (o.compare) return compare(o, stop);
  if (!o.trace.empty()) return trace_one(o, load_machine(o.machine), stop);
  std::vector<description> machines;
  if (o.machine.empty()) {
    for (const char* name : {"x4-2", "sparc-t5-8"}) machines.push_back(load_machine(name));  // ATC'15, figure 4
  } else {
    machines.push_back(load_machine(o.machine));
  }
  simulate_sweeps(o, machines, stop);
}

}  // namespace

command add_simulate(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("simulate", "Run loops on simulated machines");
  const auto o = std::make_shared<options>();
  parser->add_option("MACHINE", o->machine, "A machine of --list, or a file that describes one");
  parser->add_flag("--list", o->list, "List the machines that are known by name");
  parser->add_flag("--show", o->show, "Print the description of MACHINE");
  add_parsed(
      *parser, "--workload", "KIND", [o](const std::string& text) { o->kind = parse_workload("--workload", text); },
      "even, skewed, pagerank or triangles [even]");
  parser->add_option("--graph", o->input.file, "The graph of pagerank and triangles")->type_name("FILE");
  add_parsed(
      *parser, "--iterations", "N",
      [o](const std::string& text) { o->iterations = parse_count("--iterations", text, 1, most_iterations); },
      "Iterations of an even or skewed loop [2^20 or 2^22]");
  add_parsed(
      *parser, "--cycles", "C",
      [o](const std::string& text) { o->cycles = parse_count("--cycles", text, 1, most_cycles); },
      "Cycles of an iteration, or of a vertex [the paper's, or 20]");
  add_parsed(
      *parser, "--arc-cycles", "C",
      [o](const std::string& text) { o->arc_cycles = parse_count("--arc-cycles", text, 0, most_cycles); },
      "Cycles of an arc (pagerank) or a probe (triangles) [8]");
  add_parsed(
      *parser, "--distributor", "LIST",
      [o](const std::string& text) {
        o->distributors = parse_list<distributor_kind>(
            text, [](const std::string& part) { return parse_distributor("--distributor", part); });
      },
      "shared, distributed, or both [both]");
  add_parsed(
      *parser, "--batch", "LIST",
      [o](const std::string& text) {
        o->batches = parse_list<std::uint64_t>(
            text, [](const std::string& part) { return parse_count("--batch", part, 0, most_iterations); });
      },
      "Batch sizes, such as 1,16,256; 0: automatic [1,2,4,...,1024]");
  add_parsed(
      *parser, "--threads", "LIST",
      [o](const std::string& text) {
        o->threads = parse_list<unsigned>(text, [](const std::string& part) {
          return static_cast<unsigned>(parse_count("--threads", part, 1, 65536));
        });
      },
      "Numbers of threads [all contexts, half of them, ...]");
  add_parsed(
      *parser, "--hold", "LIST",
      [o](const std::string& text) {
        o->holds = parse_list<double>(
            text, [](const std::string& part) { return parse_real("--hold", part, {.low = 0, .high = 100}); });
      },
      "How long a core keeps a line, in hops [the machine's, and for some 0,0.1,0.4]");
  add_parsed(
      *parser, "--noise", "LENGTH,PERIOD", [o](const std::string& text) { o->noise = parse_noise(text); },
      "Take each context away for LENGTH us every PERIOD us or so");
  add_parsed(
      *parser, "--cap", "X", [o](const std::string& text) { o->cap = parse_real("--cap", text, {.low = 0}); },
      "Give up loops whose speed-up must stay below X [1, --figure4: 2]");
  add_parsed(
      *parser, "--seed", "N", [o](const std::string& text) { o->seed = parse_count("--seed", text, 0); },
      "Seed of the random numbers [1]");
  parser->add_flag("--joined", o->joined, "Threads stand ready inside the loop: handing out alone");
  parser->add_flag("--figure4", o->figure4, "The paper's microbenchmark, on MACHINE or on both of its machines");
  add_output(*parser, o->output, "Draw into FILE (SVG); with --calibrate, the description");
  parser->add_option("--trace", o->trace, "Write the timeline of one loop to FILE, for Perfetto")->type_name("FILE");
  parser->add_flag("--calibrate", o->calibrate, "Measure this machine and print its description");
  parser->add_flag("--compare", o->compare, "Compare the prediction for this machine with what it does");
  o->input.add_loading_options(*parser);
  o->run.add_reporting_to(*parser);
  parser->footer(
      "Runs this library's own loops on contexts and caches that are made up; speed-ups are over a plain loop.\n"
      "The outcome depends on the arguments alone, to the cycle.\n\n"
      "Examples:\n"
      "  callisto simulate --list\n"
      "  callisto simulate sparc-t5-8 --threads 128,1024 --batch 1,16,256 --output t5.svg\n"
      "  callisto simulate epyc-9965 --workload pagerank --graph web.cg --batch 0,64\n"
      "  callisto simulate x4-2 --distributor shared --batch 8 --threads 32 --hold 0.1 --trace x4.json\n"
      "  callisto simulate --calibrate --output here.txt && callisto simulate here.txt --compare");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::app
