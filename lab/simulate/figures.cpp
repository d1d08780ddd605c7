// Defines what each figure simulates, its tables and its heat maps.
#include <lab/simulate/figures.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/draw/svg_heat_map.hpp>
#include <callisto/app/graph/input.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/cluster.hpp>
#include <lab/simulate/domino.hpp>
#include <lab/simulate/figure6.hpp>
#include <lab/simulate/figure7.hpp>
#include <lab/simulate/machines.hpp>
#include <lab/simulate/manners.hpp>
#include <lab/simulate/options.hpp>
#include <lab/simulate/report.hpp>
#include <lab/simulate/task_queues.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace callisto::lab {
namespace {

using machine::simulation::description;

/// Options that both figures take.
struct figure_options {
  sweep_options vary;
  std::optional<std::uint64_t> cycles;
  std::string output;
  run_options run;
};

struct fig4_options : figure_options {
  std::string machine;
  std::uint64_t iterations = std::uint64_t{1} << 22;
};

struct fig5_options : figure_options {
  std::string machine = "sparc-t5-8";
  std::vector<std::string> files;
  graph_input input;  ///< how to read the graphs
  unsigned scale = 22;
  std::optional<std::uint64_t> arc_cycles;
};

// A superstep of PageRank reads the value at the other end of each arc, which may lie anywhere in memory. An arc costs
// 100 cycles, estimated from the paper's best batches with one shared counter: 512 threads, batches of 1,024 vertices
// of LiveJournal. With smaller batches the counter is too slow. A probe of a triangle count reads the next word of a
// row.
constexpr std::uint64_t triangles_arc_cycles = 10;

/// Gives up loops with a lower speed-up. They have collapsed, and the figures have too many of them to simulate in
/// full.
constexpr double figure_cap = 2;
constexpr double figure_cap_per_thread = 1 / 64.0;

/// Every technique of the paper, with those of section 4.1 in its order, and Callisto's own.
constexpr const char* techniques[] = {
    "counter(machine)",
    "counter(socket)",
    "counter(core)",
    "counter(thread)",
    "combine(core)/counter(core)",
    "combine(core,async)/counter(core)",
    "combine(core,async)/combine(socket)/counter(machine)",
    "ranges",
    "auto",
};

/// Returns a plan with the paper's batch sizes, 4 to 1024, and with 1 if `single`. The schedule `auto` chooses its
/// batch size itself.
sweep_plan plan_of(const description& m, bool single) {
  std::vector<std::uint64_t> batches;
  if (single) batches.push_back(1);
  for (std::uint64_t b = 4; b <= 1024; b *= 2) batches.push_back(b);
  sweep_plan plan;
  for (const char* name : techniques) {
    const schedule how = schedule::parse(name, "schedule");
    plan.techniques.push_back({how, how.automatic() ? std::vector<std::uint64_t>{0} : batches});
  }
  plan.threads = halves(m.total_contexts(), 6);
  if (plan.threads.back() >= 32) std::erase_if(plan.threads, [](unsigned n) { return n < 4; });
  plan.holds = {m.hold};
  plan.jitter = figure_jitter;
  plan.cap = figure_cap;
  plan.cap_per_thread = figure_cap_per_thread;
  return plan;
}

/// One loop on one machine, run with every technique.
struct figure_part {
  description machine;
  std::string name;  ///< the loop's name
  workload loop;
  std::optional<sweep> runs;

  simulated_loop both() const { return {&loop, &*runs}; }
  double hold() const { return main_hold(machine, runs->plan()); }

  /// Returns the fastest run of a technique.
  const sweep_cell& best(const schedule& how) const {
    const sweep_cell* fastest = nullptr;
    for (const sweep_cell& c : runs->cells()) {
      if (c.setup.how != how || c.setup.hold != hold()) continue;
      if (fastest == nullptr || c.outcome.speedup > fastest->outcome.speedup) fastest = &c;
    }
    if (fastest == nullptr) throw error("the figure has no run of one of its techniques");
    return *fastest;
  }

  const sweep_plan& plan() const { return runs->plan(); }
  /// Returns the run with which times are compared: the fastest of the first technique.
  const sweep_cell& reference() const { return best(plan().techniques.front().how); }
  double time_of(const run_outcome& o) const { return reference().outcome.speedup / o.speedup; }
};

std::string best_table(const figure_part& p) {
  table rows({{"schedule", table::align::left}, {"speed-up"}, {"threads"}, {"batch size"}, {"time"}});
  for (const technique& t : p.plan().techniques) {
    const sweep_cell& c = p.best(t.how);
    rows.add_row({t.how.to_string(), to_text(c.outcome), with_separators(c.setup.threads), batch_name(c.setup.batch),
                  fmt::format("{:.2f}", p.time_of(c.outcome))});
  }
  return fmt::format("Each schedule at its best; time over that of {}:\n",
                     p.plan().techniques.front().how.to_string()) +
         rows.render(2) + '\n';
}

/// Returns all batch sizes of all techniques.
std::vector<std::uint64_t> all_batches(const sweep_plan& plan) {
  std::vector<std::uint64_t> all;
  for (const technique& t : plan.techniques) all.insert(all.end(), t.batches.begin(), t.batches.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string schedule_table(const figure_part& p, unsigned threads) {
  const std::vector<std::uint64_t> batches = all_batches(p.plan());
  std::vector<table::column> columns{{"schedule", table::align::left}};
  for (const std::uint64_t b : batches) columns.push_back({batch_name(b)});
  table rows(std::move(columns));
  for (const technique& t : p.plan().techniques) {
    std::vector<std::string> cells{t.how.to_string()};
    for (const std::uint64_t b : batches) {
      const sweep_cell* c = p.runs->find(t.how, b, threads, p.hold());
      cells.push_back(c == nullptr ? "" : to_text(c->outcome));
    }
    rows.add_row(std::move(cells));
  }
  return fmt::format("{}: speed-up by schedule and batch size, hold window {:g} of a hop\n", counted(threads, "thread"),
                     p.hold()) +
         rows.render(2) + '\n';
}

std::string to_words(const figure_part& p) {
  std::string text = p.machine.name + ", " + p.name + ": " + counted(p.loop.size(), "iteration") + ", " +
                     with_separators(p.loop.total()) + " cycles of work, " + with_separators(p.loop.largest()) +
                     " in the dearest iteration\n\n" + best_table(p);
  for (const unsigned threads : p.plan().threads) text += schedule_table(p, threads);
  return text + hold_table(p.both());
}

json to_json(const figure_part& p) {
  json object = to_json(p.both());
  object["name"] = p.name;
  json best = json::array();
  for (const technique& t : p.plan().techniques) {
    const sweep_cell& c = p.best(t.how);
    best.push_back({{"schedule", t.how.to_string()},
                    {"batch", c.setup.batch},
                    {"threads", c.setup.threads},
                    {"speedup", c.outcome.speedup},
                    {"time", p.time_of(c.outcome)}});
  }
  object["best"] = std::move(best);
  return object;
}

/// Draws a heat map like the paper's: threads downwards, batch sizes from large to small across.
heat_map draw(const figure_part& p, const technique& t) {
  heat_map map;
  map.title = t.how.to_string();
  for (auto b = t.batches.rbegin(); b != t.batches.rend(); ++b) map.columns.push_back(batch_name(*b));
  for (const unsigned threads : p.plan().threads) {
    map.rows.push_back(with_separators(threads));
    for (auto b = t.batches.rbegin(); b != t.batches.rend(); ++b) {
      const run_outcome& o = p.runs->at(t.how, *b, threads, p.hold());
      const double time = p.time_of(o);
      map.cells.push_back({time, !o.complete,
                           fmt::format("{}, {}: speed-up {}, time {}{:.2f}", counted(threads, "thread"),
                                       *b == 0 ? "automatic batches" : "batches of " + batch_name(*b), to_text(o),
                                       o.complete ? "" : "> ", time)});
    }
  }
  const sweep_cell& best = p.best(t.how);
  map.notes = {fmt::format("{:.2f}", p.time_of(best.outcome)),
               fmt::format("{}, {}", counted(best.setup.threads, "thread"),
                           best.setup.batch == 0 ? "automatic" : "batch " + batch_name(best.setup.batch))};
  return map;
}

svg_panel heading(const std::string& text) {
  return {720, 44, fmt::format("<text class=\"title\" x=\"24\" y=\"34\">{}</text>\n", xml(text))};
}

/// Plots speed-up against batch size, with a line for each technique. Loops that were given up are no points.
svg_plot lines_of(const figure_part& p, unsigned threads) {
  svg_plot plot(fmt::format("{}, {}, {}", p.machine.name, p.name, counted(threads, "thread")),
                {"batch size", axis_scale::log2}, {"speed-up", axis_scale::log2});
  for (const technique& t : p.plan().techniques) {
    std::vector<svg_plot::point> points;
    for (const std::uint64_t b : t.batches) {
      const run_outcome& o = p.runs->at(t.how, b, threads, p.hold());
      if (!o.complete) continue;  // of a loop that was given up, only a bound is known
      if (b == 0) {
        plot.add_level(t.how.to_string(), o.speedup);
      } else {
        points.push_back({static_cast<double>(b), o.speedup});
      }
    }
    if (!points.empty()) plot.add_line(t.how.to_string(), std::move(points));
  }
  return plot;
}

/// Returns the paper's three columns: a moderate number of threads, one thread per core, and all threads.
std::vector<unsigned> columns_of(const figure_part& p) {
  const std::vector<unsigned>& all = p.plan().threads;
  std::vector<unsigned> some{all.front()};
  if (std::find(all.begin(), all.end(), p.machine.total_cores()) != all.end()) some.push_back(p.machine.total_cores());
  some.push_back(all.back());
  some.erase(std::unique(some.begin(), some.end()), some.end());
  return some;
}

std::string draw(const std::string& title, const std::vector<figure_part>& parts, bool with_lines) {
  constexpr std::size_t panels_a_row = 5;
  heat_scale scale;
  for (const figure_part& p : parts) {
    for (const sweep_cell& c : p.runs->cells()) {
      while (p.time_of(c.outcome) < scale.low) scale.low /= 2;
    }
  }
  std::vector<std::vector<svg_panel>> rows;
  rows.push_back(
      {heat_legend(scale, fmt::format("time, over the best of the first schedule ({}); down: threads, across: "
                                      "batch sizes; a stroke: stopped early, too slow; below, each schedule's best",
                                      parts.front().plan().techniques.front().how.to_string()))});
  for (const figure_part& p : parts) {
    rows.push_back({heading(p.machine.name + ", " + p.name)});
    const std::vector<technique>& shown = p.plan().techniques;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (i % panels_a_row == 0) rows.emplace_back();
      rows.back().push_back(draw(p, shown[i]).render(scale));
    }
    if (!with_lines) continue;
    rows.emplace_back();
    for (const unsigned threads : columns_of(p)) rows.back().push_back(lines_of(p, threads).render());
  }
  std::string subtitle;
  for (const figure_part& p : parts) {
    if (subtitle.find(p.machine.name) == std::string::npos) {
      subtitle += (subtitle.empty() ? "" : "; ") + title_of(p.machine);
    }
  }
  return svg_document(title, "simulated: " + subtitle, rows);
}

/// Runs the plan of each part, then prints the tables and draws the picture.
void simulate_parts(const char* figure, const std::string& title, const figure_options& o, result& picture,
                    std::vector<figure_part> parts, const std::vector<sweep_plan>& plans, progress_bar& bar,
                    const graph::run_control& context, bool with_lines) {
  const stopwatch time;
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    figure_part& p = parts[i];
    bar.begin(fmt::format("{}, {}", p.machine.name, p.name), plans[i].setups().size(), "loops");
    p.runs.emplace(p.machine, p.loop, plans[i], context);
    events += p.runs->events();
  }
  const double seconds = time.seconds();
  bar.finish();
  if (picture.to_file()) {
    picture.write(draw(title, parts, with_lines));
    picture.commit();
  }
  if (o.run.as_json) {
    json simulated = json::array();
    for (const figure_part& p : parts) {
      simulated.push_back({{"machine", describe(p.machine)}, {"workloads", json::array({to_json(p)})}});
    }
    print(to_text(json{{"figure", figure},
                       {"simulated", std::move(simulated)},
                       {"seed", o.vary.seed},
                       {"events", events},
                       {"seconds", {{"simulate", seconds}}},
                       {"output", o.output.empty() ? json() : json(o.output)}}));
    return;
  }
  std::string text;
  for (const figure_part& p : parts) text += to_words(p) + '\n';
  text += simulation_speed(events, seconds);
  if (picture.to_file()) text += "Picture: " + one_line(o.output) + '\n';
  print(text);
}

void run_fig4(const fig4_options& o, const std::stop_token& stop) {
  std::vector<std::string> names{o.machine};
  if (o.machine.empty()) names = {"x4-2", "sparc-t5-8"};
  if (o.run.as_json) refuse_beside_json(o.output);
  result picture(o.output);
  progress_bar bar(o.run.progress_wanted());
  std::vector<figure_part> parts;
  std::vector<sweep_plan> plans;
  for (const std::string& name : names) {
    const description m = load_machine(name);
    sweep_plan plan = o.vary.plan_for(m, plan_of(m, true));
    plan.joined = true;
    const std::uint64_t cycles = o.cycles.value_or(paper_iteration(m));
    for (const workload& loop : {workload::even(o.iterations, cycles), workload::skewed(o.iterations, cycles)}) {
      parts.push_back({m, name_of(loop.kind()), loop, std::nullopt});
      plans.push_back(plan);
    }
  }
  simulate_parts("fig4", "ATC'15, figure 4: a loop's time by schedule, threads and batch size", o, picture,
                 std::move(parts), plans, bar, {&bar, stop}, true);
}

void run_fig5(const fig5_options& o, const std::stop_token& stop) {
  const description m = load_machine(o.machine);
  const sweep_plan plan = o.vary.plan_for(m, plan_of(m, false));
  if (o.run.as_json) refuse_beside_json(o.output);
  result picture(o.output);
  progress_bar bar(o.run.progress_wanted());
  const graph::run_control context{&bar, stop};
  std::vector<figure_part> parts;
  const auto add = [&](const graph::any_graph& g, const std::string& name) {
    const auto loop = [&](workload_kind kind, std::uint64_t arc_cycles) {
      workload costs =
          workload::from_graph(kind, g, o.cycles.value_or(vertex_cycles), o.arc_cycles.value_or(arc_cycles), context);
      if (costs.size() == 0) throw input_error(name, 0, "the graph has nothing to iterate over");
      parts.push_back({m, fmt::format("{} of {}", name_of(kind), name), std::move(costs), std::nullopt});
    };
    loop(workload_kind::pagerank, pagerank_arc_cycles);
    loop(workload_kind::triangles, triangles_arc_cycles);
  };
  for (const std::string& file : o.files) {
    check_no_machine(file);
    graph_input input = o.input;
    input.file = file;
    add(input.load(context).graph, short_name(file));
  }
  if (o.files.empty()) {
    graph::kronecker_options what;
    what.scale = o.scale;
    add(graph::build_graph(graph::generate_kronecker(what, context), o.input.options.build, context),
        fmt::format("Kronecker {}", o.scale));
  }
  const std::vector<sweep_plan> plans(parts.size(), plan);
  simulate_parts("fig5", "ATC'15, figure 5: graph algorithms by schedule, threads and batch size", o, picture,
                 std::move(parts), plans, bar, context, false);
}

/// Adds the options that end both parsers' lists.
void add_common(const command_parser& parser, figure_options& o, const std::string& cycles,
                const std::string& batches) {
  add_parsed(
      parser, "--cycles", "C",
      [&o](const std::string& text) { o.cycles = parse_count("--cycles", text, 1, most_cycles); }, cycles);
  o.vary.add_to(parser, {.schedules = "nine of them",
                         .batches = batches,
                         .threads = "all contexts, half of them, ..., six numbers",
                         .holds = "the machine's",
                         .cap = "2, or a 64th of the threads"});
  add_output(parser, o.output, "Draw into FILE (SVG)");
  o.run.add_reporting_to(parser);
}

command add_fig4(const command_parser& simulate) {
  const command_parser parser = simulate.add_subcommand("fig4", "Draw the paper's microbenchmark for every schedule");
  const auto o = std::make_shared<fig4_options>();
  add_machine(parser, "MACHINE", o->machine, "x4-2 and sparc-t5-8");
  add_parsed(
      parser, "--iterations", "N",
      [o](const std::string& text) { o->iterations = parse_count("--iterations", text, 1, most_iterations); },
      "Iterations of both loops [2^22]");
  add_common(parser, *o, "Cycles of an iteration [the paper's]", "1,4,8,16,...,1024");
  parser.more("It draws figure 4 of the Callisto-RTS paper. MACHINE is by default both of the paper's machines.");
  parser.footer(
      "An even and a skewed loop (ATC'15, section 4.1) with all threads ready inside it. Batches take up to 15%\n"
      "longer or shorter at random.\n\n"
      "Examples:\n"
      "  callisto-lab simulate fig4 --output figure4.svg\n"
      "  callisto-lab simulate fig4 sparc-t5-8 --threads 1024 --batch 1,8,64 --schedule ranges --schedule "
      "'counter(core)'");
  return {parser, [o](const std::stop_token& stop) { run_fig4(*o, stop); }};
}

command add_fig5(const command_parser& simulate) {
  const command_parser parser = simulate.add_subcommand("fig5", "Draw the paper's graph algorithms for every schedule");
  const auto o = std::make_shared<fig5_options>();
  parser.add_option("FILE", o->files, "Graphs [a generated one]");
  add_machine(parser, "--machine", o->machine, "sparc-t5-8");
  add_parsed(
      parser, "--scale", "S",
      [o](const std::string& text) { o->scale = static_cast<unsigned>(parse_count("--scale", text, 1, 37)); },
      "Without FILE, the Kronecker graph of 2^S vertices [22]");
  add_parsed(
      parser, "--arc-cycles", "C",
      [o](const std::string& text) { o->arc_cycles = parse_count("--arc-cycles", text, 0, most_cycles); },
      "Cycles of an arc or a probe [pagerank: 100, triangles: 10]");
  add_common(parser, *o, "Cycles of a vertex [20]", "4,8,16,...,1024");
  o->input.add_loading_options(parser);
  parser.more("It draws figure 5 of the Callisto-RTS paper.");
  parser.footer(
      "A superstep of PageRank, and triangle counting: loops with iterations that cost what vertices' degrees say, "
      "from\n"
      "their publication to their end; up to 15% longer or shorter at random.\n\n"
      "Examples:\n"
      "  callisto-lab simulate fig5 --output figure5.svg\n"
      "  callisto-lab simulate fig5 web.cg roads.mtx.gz --threads 128,1024 --json");
  return {parser, [o](const std::stop_token& stop) { run_fig5(*o, stop); }};
}

}  // namespace

std::vector<command> add_figures(const command_parser& simulate) {
  return {add_fig4(simulate),        add_fig5(simulate),   add_fig6(simulate),
          add_fig7(simulate),        add_domino(simulate), add_simulated_manners(simulate),
          add_task_queues(simulate), add_cluster(simulate)};
}

}  // namespace callisto::lab
