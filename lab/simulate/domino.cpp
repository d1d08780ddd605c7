// Runs Domino's scheduler, unchanged, on the contexts of a simulated machine.
#include <lab/simulate/domino.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/draw/svg_page.hpp>
#include <callisto/app/draw/svg_plot.hpp>
#include <callisto/domino/scheduler.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/simulated/machine.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/waiting/suspendable.hpp>
#include <lab/simulate/figures.hpp>
#include <lab/simulate/machines.hpp>
#include <lab/simulate/options.hpp>
#include <lab/simulate/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

using machine::order;
using machine::simulation::description;

/// The simulated machine with holds of so many tasks.
template <unsigned Hold>
struct with_hold : machine::simulated {
  static constexpr unsigned domino_hold = Hold;
  /// A look at a word by a thread that waits: lanes without work look at many words in turn.
  static void relax() noexcept {
    if (auto* const e = machine::simulation::engine::running()) e->execute(50, machine::simulation::activity::waiting);
  }
};

/// A computation on a machine: a tree of tasks, then phases of one task.
template <class M>
class computation {
  using lane = domino::lane<M>;

 public:
  computation(const domino_setup& what, std::uint64_t spin) : what_(what), scheduler_(what.threads) {
    scheduler_.add_type(branch_);
    scheduler_.add_type(step_);
    for (unsigned t = 0; t < what.threads; ++t) threads_.push_back(std::make_unique<waiting::plain_thread<M>>(spin));
  }

  /// The leader's: a run that begins with a task.
  std::uint64_t lead(domino::task_type<M>& type, std::uint64_t index) {
    lane& outside = scheduler_.outside();
    outside.spawn(group_, outside.now(group_), domino::task::of(type.number, index));
    const std::uint64_t begin = M::ticks();
    lane& mine = scheduler_.lane_of(0);
    scheduler_.begin(mine);
    party one{*threads_[0], *this, true};
    scheduler_.work(mine, one);
    return M::ticks() - begin;
  }
  domino_outcome lead_all() {
    domino_outcome out;
    // Others wait for work when the second run begins.
    out.tree_cycles = lead(branch_, what_.height);
    out.tasks = (std::uint64_t{2} << what_.height) - 1;
    out.phase_cycles = lead(step_, what_.phases - 1);
    end_.store(1, order::release);
    scheduler_.wake_all();
    return out;
  }
  void follow(unsigned thread) {
    party one{*threads_[thread], *this, false};
    scheduler_.work(scheduler_.lane_of(thread), one);
  }
  void count(domino_outcome& out) {
    for (unsigned t = 0; t < what_.threads; ++t) {
      lane& l = scheduler_.lane_of(t);
      out.steals += l.steals();
      out.forced += l.forced();
      out.sleeps += l.sleeps();
    }
  }

 private:
  struct party {
    waiting::suspendable<M>& self;
    computation& of;
    bool leads;
    bool should_yield(lane&) const { return false; }
    bool is_done() const { return leads ? of.scheduler_.is_over() : of.end_.load(order::acquire) != 0; }
  };
  struct own_type : domino::task_type<M> {
    own_type(typename domino::task_type<M>::body does, computation& by)
        : domino::task_type<M>(does, by.group_), owner(by) {}
    computation& owner;
  };
  static void branch(domino::task_type<M>& self, lane& here, const domino::task& t) {
    computation& of = static_cast<own_type&>(self).owner;
    M::work(of.what_.cycles);
    if (t.index() == 0) return;
    for (int i = 0; i < 2; ++i) here.spawn(*self.of, here.now(*self.of), domino::task::of(self.number, t.index() - 1));
  }
  static void step(domino::task_type<M>& self, lane& here, const domino::task& t) {
    if (t.index() != 0) here.spawn(*self.of, here.later(*self.of), domino::task::of(self.number, t.index() - 1));
  }

  const domino_setup what_;
  domino::scheduler<M> scheduler_;
  domino::group<M>& group_ = scheduler_.add_group(2, 1);
  own_type branch_{&computation::branch, *this};
  own_type step_{&computation::step, *this};
  machine::atomic_of<M, std::uint32_t> end_{0};
  std::vector<std::unique_ptr<waiting::plain_thread<M>>> threads_;
};

template <class M>
domino_outcome simulate_on(const description& m, const domino_setup& setup) {
  const auto begin = static_cast<std::uint64_t>(m.wait_lasting) + 1000;
  machine::simulation::options how;
  how.start_within = begin / 2;
  machine::simulation::engine engine(m, std::move(how));
  computation<M>* all = nullptr;
  domino_outcome out;
  engine.spawn(m.spread(0, setup.threads), [&] {
    // Inside a context, where the clock is the machine's.
    all = &engine.make<computation<M>>(setup, static_cast<std::uint64_t>(m.clock) / 25'000);
    engine.execute(begin - std::min(begin, engine.now()), machine::simulation::activity::waiting);
    out = all->lead_all();
  });
  for (unsigned t = 1; t < setup.threads; ++t) {
    engine.spawn(m.spread(t, setup.threads), [&, t] {
      engine.execute(begin - std::min(begin, engine.now()), machine::simulation::activity::waiting);
      all->follow(t);
    });
  }
  const machine::simulation::outcome run = engine.run();
  if (!run.stuck.empty()) throw error("simulate: the simulated machine came to a halt: " + run.stuck);
  if (!run.finished) throw error("simulate domino: the simulated machine ran for longer than can be simulated");
  all->count(out);
  out.events = run.events;
  return out;
}

constexpr unsigned holds[] = {1, 8, 32};

struct domino_options {
  std::string machine;
  std::vector<unsigned> threads;
  std::uint64_t cycles = 200;
  unsigned height = 17;
  unsigned phases = 200;
  std::string output;
  run_options run;
};

/// The runs on one machine: outcomes[hold * threads.size() + i] has threads[i] threads.
struct domino_runs {
  description machine;
  std::vector<unsigned> threads;
  std::vector<domino_outcome> outcomes;

  const domino_outcome& at(std::size_t hold, std::size_t i) const { return outcomes[hold * threads.size() + i]; }
  double tasks_a_microsecond(std::size_t hold, std::size_t i) const {
    const domino_outcome& r = at(hold, i);
    return static_cast<double>(r.tasks) / static_cast<double>(r.tree_cycles) * machine.clock * 1e-6;
  }
  double phase_microseconds(std::size_t hold, std::size_t i, unsigned phases) const {
    return static_cast<double>(at(hold, i).phase_cycles) / phases / machine.clock * 1e6;
  }
};

domino_runs simulate_all(const description& m, const domino_options& o, progress_bar& bar,
                         const graph::run_control& context) {
  domino_runs runs{m, o.threads.empty() ? halves(m.total_contexts(), 64) : o.threads, {}};
  check_threads(m, runs.threads);
  runs.outcomes.resize(std::size(holds) * runs.threads.size());
  bar.begin(m.name, runs.outcomes.size(), "computations");
  const auto run = [&](std::size_t i) {
    const std::size_t which = runs.outcomes.size() - 1 - i;
    runs.outcomes[which] = simulate_domino(m, {.threads = runs.threads[which % runs.threads.size()],
                                               .hold = holds[which / runs.threads.size()],
                                               .height = o.height,
                                               .cycles = o.cycles,
                                               .phases = o.phases});
    if (context.report != nullptr) context.report->advance(1);
  };
  parallel_for(std::size_t{0}, runs.outcomes.size(), run, {.batch = 1, .stop = context.stop});
  if (context.stop.stop_requested()) throw graph::cancelled();
  return runs;
}

std::string hold_name(std::size_t h) { return fmt::format("holds of {}", holds[h]); }

std::string to_words(const domino_runs& runs, const domino_options& o) {
  std::string text = title_of(runs.machine) + '\n';
  for (const bool phases : {false, true}) {
    std::vector<table::column> columns{
        {phases ? "us a phase of one task, by threads" : "tasks a us, by threads", table::align::left}};
    for (const unsigned threads : runs.threads) columns.push_back({with_separators(threads)});
    table rows(std::move(columns));
    for (std::size_t h = 0; h < std::size(holds); ++h) {
      std::vector<std::string> cells{hold_name(h)};
      for (std::size_t i = 0; i < runs.threads.size(); ++i) {
        cells.push_back(
            fmt::format("{:.3g}", phases ? runs.phase_microseconds(h, i, o.phases) : runs.tasks_a_microsecond(h, i)));
      }
      rows.add_row(std::move(cells));
    }
    text += rows.render(2) + '\n';
  }
  return text;
}

json to_json(const domino_runs& runs, const domino_options& o) {
  json all = json::array();
  for (std::size_t h = 0; h < std::size(holds); ++h) {
    for (std::size_t i = 0; i < runs.threads.size(); ++i) {
      const domino_outcome& r = runs.at(h, i);
      all.push_back({{"hold", holds[h]},
                     {"threads", runs.threads[i]},
                     {"tasks", r.tasks},
                     {"tree_cycles", r.tree_cycles},
                     {"tasks_a_microsecond", runs.tasks_a_microsecond(h, i)},
                     {"phase_microseconds", runs.phase_microseconds(h, i, o.phases)},
                     {"steals", r.steals},
                     {"forced", r.forced},
                     {"sleeps", r.sleeps}});
    }
  }
  return {{"machine", describe(runs.machine)}, {"runs", std::move(all)}};
}

svg_plot draw(const domino_runs& runs, const domino_options& o, bool phases) {
  svg_plot plot(runs.machine.name + (phases ? ", phases" : ", tasks"), {"threads", axis_scale::log2},
                {phases ? "us a phase of one task" : "tasks a us", axis_scale::log10});
  for (std::size_t h = 0; h < std::size(holds); ++h) {
    std::vector<svg_plot::point> points;
    for (std::size_t i = 0; i < runs.threads.size(); ++i) {
      points.push_back({static_cast<double>(runs.threads[i]),
                        phases ? runs.phase_microseconds(h, i, o.phases) : runs.tasks_a_microsecond(h, i)});
    }
    plot.add_line(hold_name(h), std::move(points));
  }
  return plot;
}

void run(const domino_options& o, const std::stop_token& stop) {
  if (o.run.as_json) refuse_beside_json(o.output);
  result picture(o.output);
  progress_bar bar(o.run.progress_wanted());
  const graph::run_control context{&bar, stop};
  std::vector<std::string> machines{o.machine};
  if (o.machine.empty()) machines = {"x4-2", "sparc-t5-8"};
  const stopwatch time;
  std::vector<domino_runs> all;
  std::uint64_t events = 0;
  for (const std::string& machine : machines) {
    all.push_back(simulate_all(load_machine(machine), o, bar, context));
    for (const domino_outcome& r : all.back().outcomes) events += r.events;
  }
  const double seconds = time.seconds();
  bar.finish();
  if (picture.to_file()) {
    std::vector<std::vector<svg_panel>> plots(2);
    for (const domino_runs& runs : all) {
      plots[0].push_back(draw(runs, o, false).render());
      plots[1].push_back(draw(runs, o, true).render());
    }
    picture.write(svg_document("Domino: tasks and phases by threads",
                               fmt::format("a binary tree of tasks of {} cycles, height {}; then {} phases of one "
                                           "empty task; simulated",
                                           o.cycles, o.height, o.phases),
                               plots));
    picture.commit();
  }
  if (o.run.as_json) {
    json simulated = json::array();
    for (const domino_runs& runs : all) simulated.push_back(to_json(runs, o));
    print(to_text(json{{"figure", "domino"},
                       {"simulated", std::move(simulated)},
                       {"cycles", o.cycles},
                       {"height", o.height},
                       {"phases", o.phases},
                       {"events", events},
                       {"seconds", {{"simulate", seconds}}},
                       {"output", o.output.empty() ? json() : json(o.output)}}));
    return;
  }
  std::string text;
  for (const domino_runs& runs : all) text += to_words(runs, o);
  text += simulation_speed(events, seconds);
  if (picture.to_file()) text += "Picture: " + one_line(o.output) + '\n';
  print(text);
}

}  // namespace

domino_outcome simulate_domino(const description& machine, const domino_setup& setup) {
  switch (setup.hold) {
    case 1:
      return simulate_on<with_hold<1>>(machine, setup);
    case 8:
      return simulate_on<with_hold<8>>(machine, setup);
    case 32:
      return simulate_on<with_hold<32>>(machine, setup);
    default:
      throw usage_error(fmt::format("simulate domino: holds of {}; expected 1, 8 or 32", setup.hold));
  }
}

command add_domino(const command_parser& simulate) {
  const command_parser parser = simulate.add_subcommand("domino", "Draw how Domino's tasks and phases scale");
  const auto o = std::make_shared<domino_options>();
  add_machine(parser, "MACHINE", o->machine, "x4-2 and sparc-t5-8");
  add_parsed(
      parser, "--threads", "LIST", [o](const std::string& text) { o->threads = parse_threads(text); },
      "Numbers of threads [all contexts, half of them, ..., 1]");
  add_parsed(
      parser, "--cycles", "C",
      [o](const std::string& text) { o->cycles = parse_count("--cycles", text, 0, most_cycles); },
      "Cycles of a task of the tree [200]");
  add_parsed(
      parser, "--height", "H",
      [o](const std::string& text) { o->height = static_cast<unsigned>(parse_count("--height", text, 1, 24)); },
      "The tree has 2^(H+1) - 1 tasks [17]");
  add_parsed(
      parser, "--phases", "N",
      [o](const std::string& text) { o->phases = static_cast<unsigned>(parse_count("--phases", text, 1, 100'000)); },
      "Phases of one empty task [200]");
  add_output(parser, o->output, "Draw into FILE (SVG)");
  o->run.add_reporting_to(parser);
  parser.footer(
      "Runs the scheduler of Domino, unchanged, on simulated contexts: a binary tree of tasks, then phases of one\n"
      "task while all other threads look for work or sleep. Holds are how many tasks a thread takes at once.\n\n"
      "Examples:\n"
      "  callisto-lab simulate domino --output domino.svg\n"
      "  callisto-lab simulate domino sparc-t5-8 --threads 128,1024 --cycles 1000 --json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::lab
