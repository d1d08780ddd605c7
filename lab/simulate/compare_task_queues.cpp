// callisto-lab simulate tasks: the command and its tables.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <lab/simulate/domino.hpp>
#include <lab/simulate/figures.hpp>
#include <lab/simulate/machines.hpp>
#include <lab/simulate/options.hpp>
#include <lab/simulate/report.hpp>
#include <lab/simulate/task_queues.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

using machine::simulation::description;

struct task_queue_options {
  std::string machine;
  std::vector<unsigned> threads;
  std::uint64_t cycles = 1000;
  unsigned height = 15;
  run_options run;
};

/// The runs on one machine: each way of queues, and Domino.
struct task_queue_runs {
  description machine;
  std::vector<unsigned> threads;
  std::vector<task_queue_outcome> outcomes;

  static constexpr std::size_t domino_row = 7;
  static constexpr std::size_t rows = domino_row + 1;
  static std::string name(std::size_t row) {
    return row == domino_row ? "Domino's rings and holds" : task_queue_ways()[row].name;
  }
  const task_queue_outcome& at(std::size_t row, std::size_t t) const { return outcomes[row * threads.size() + t]; }
  double rate(const task_queue_outcome& r) const {
    return static_cast<double>(r.tasks) / static_cast<double>(std::max<std::uint64_t>(1, r.cycles)) * machine.clock *
           1e-6;
  }
  double end(const task_queue_outcome& r) const { return static_cast<double>(r.end_cycles) / machine.clock * 1e6; }
};

task_queue_outcome simulate_row(const task_queue_runs& of, std::size_t row, unsigned threads,
                                const task_queue_options& o) {
  if (row != task_queue_runs::domino_row) {
    return simulate_task_queues(
        of.machine,
        {.queues = task_queue_ways()[row].queues, .threads = threads, .height = o.height, .cycles = o.cycles});
  }
  const domino_outcome d = simulate_domino(
      of.machine, {.threads = threads, .hold = 32, .height = o.height, .cycles = o.cycles, .phases = 1});
  task_queue_outcome out;
  out.finished = true;
  out.cycles = d.tree_cycles;
  out.tasks = d.tasks;
  out.steals = d.steals + d.forced;
  out.events = d.events;
  return out;
}

std::string to_words(const task_queue_runs& runs) {
  std::string text = title_of(runs.machine) + '\n';
  for (const bool at_end : {false, true}) {
    std::vector<table::column> columns{
        {at_end ? "us from the last task until all know it, by threads" : "tasks a us, by threads",
         table::align::left}};
    for (const unsigned t : runs.threads) columns.push_back({with_separators(t)});
    table rows(std::move(columns));
    for (std::size_t row = 0; row < task_queue_runs::rows; ++row) {
      if (at_end && row == task_queue_runs::domino_row) continue;
      std::vector<std::string> cells{task_queue_runs::name(row)};
      for (std::size_t t = 0; t < runs.threads.size(); ++t) {
        const task_queue_outcome& r = runs.at(row, t);
        const double value = at_end ? runs.end(r) : runs.rate(r);
        cells.push_back(!r.finished && at_end ? "-" : fmt::format("{}{:.3g}", r.finished ? "" : "< ", value));
      }
      rows.add_row(std::move(cells));
    }
    text += rows.render(2) + '\n';
  }
  return text;
}

json to_json(const task_queue_runs& runs) {
  json all = json::array();
  for (std::size_t row = 0; row < task_queue_runs::rows; ++row) {
    for (std::size_t t = 0; t < runs.threads.size(); ++t) {
      const task_queue_outcome& r = runs.at(row, t);
      all.push_back(
          {{"queues", task_queue_runs::name(row)},
           {"threads", runs.threads[t]},
           {"finished", r.finished},
           {"tasks", r.tasks},
           {"cycles", r.cycles},
           {"tasks_a_microsecond", runs.rate(r)},
           {"end_microseconds", r.finished && row != task_queue_runs::domino_row ? json(runs.end(r)) : json()},
           {"steals", r.steals},
           {"stolen", r.stolen},
           {"served", r.served}});
    }
  }
  return {{"machine", describe(runs.machine)}, {"runs", std::move(all)}};
}

void run(const task_queue_options& o, const std::stop_token& stop) {
  std::vector<std::string> names{o.machine};
  if (o.machine.empty()) names = {"sparc-t5-8", "epyc-9754"};
  progress_bar bar(o.run.progress_wanted());
  const stopwatch time;
  std::uint64_t events = 0;
  std::string text;
  json simulated = json::array();
  for (const std::string& name : names) {
    const description m = load_machine(name);
    task_queue_runs runs{m, o.threads.empty() ? halves(m.total_contexts(), 4) : o.threads, {}};
    check_threads(m, runs.threads);
    runs.outcomes.resize(task_queue_runs::rows * runs.threads.size());
    bar.begin(m.name, runs.outcomes.size(), "computations");
    parallel_for(std::size_t{0}, runs.outcomes.size(),
                 [&](std::size_t i) {
                   // The largest first.
                   const std::size_t t = runs.threads.size() - 1 - i / task_queue_runs::rows;
                   const std::size_t row = i % task_queue_runs::rows;
                   runs.outcomes[row * runs.threads.size() + t] = simulate_row(runs, row, runs.threads[t], o);
                   bar.advance(1);
                 },
                 {.batch = 1, .stop = stop});
    if (stop.stop_requested()) throw graph::cancelled();
    for (const task_queue_outcome& r : runs.outcomes) events += r.events;
    text += to_words(runs);
    simulated.push_back(to_json(runs));
  }
  bar.finish();
  const double seconds = time.seconds();
  if (!o.run.as_json) return print(text + simulation_speed(events, seconds));
  print(to_text(json{{"figure", "tasks"},
                     {"simulated", std::move(simulated)},
                     {"cycles", o.cycles},
                     {"height", o.height},
                     {"events", events},
                     {"seconds", {{"simulate", seconds}}}}));
}

}  // namespace

std::span<const task_queue_way> task_queue_ways() {
  static constexpr task_queue_way all[] = {
      {task_queues::of_threads, "deques of threads, as task groups"},
      {task_queues::of_threads_back_off, "... thieves back off"},
      {task_queues::of_threads_half, "... and take half"},
      {task_queues::of_threads_combined, "... one thief a core, for all its threads"},
      {task_queues::of_cores, "locked queues of cores"},
      {task_queues::of_cores_combined, "... with combining"},
      {task_queues::of_cores_async, "... asked before the task before"},
  };
  static_assert(std::size(all) == task_queue_runs::domino_row);
  return all;
}

command add_task_queues(const command_parser& simulate) {
  const command_parser parser =
      simulate.add_subcommand("tasks", "Compare queues of tasks, one a thread and one a core with combining");
  const auto o = std::make_shared<task_queue_options>();
  add_machine(parser, "MACHINE", o->machine, "sparc-t5-8 and epyc-9754");
  add_parsed(
      parser, "--threads", "LIST", [o](const std::string& text) { o->threads = parse_threads(text); },
      "Numbers of threads [all contexts, half of them, a quarter, an eighth]");
  add_parsed(
      parser, "--cycles", "C",
      [o](const std::string& text) { o->cycles = parse_count("--cycles", text, 0, most_cycles); },
      "Cycles of a task [1000]");
  add_parsed(
      parser, "--height", "H",
      [o](const std::string& text) { o->height = static_cast<unsigned>(parse_count("--height", text, 1, 24)); },
      "There are 2^(H+1) - 1 tasks [15]");
  o->run.add_reporting_to(parser);
  parser.footer(
      "A task of a tree runs one of its two children itself, and the other one waits in a queue. A thread without "
      "tasks\n"
      "looks at the other queues, and ends when all tasks have been counted. With combining, threads leave requests "
      "in\n"
      "slots; the one with the lock of its core's queue serves them, and one thread of a core steals for all. Runs "
      "that\n"
      "are 16 times as fast as one thread at most are given up.\n\n"
      "Examples:\n"
      "  callisto-lab simulate tasks\n"
      "  callisto-lab simulate tasks sparc-t5-8 --threads 128,1024 --cycles 200 --json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::lab
