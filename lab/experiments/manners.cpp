// Starts groups of actors, once without sharing and once with it, in turns, and compares what each kind of actor got.
#include <lab/experiments/manners.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/sample_statistics.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/base/word_list.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/app/process/spawn.hpp>
#include <callisto/callisto.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>
#include <lab/experiments/one_run.hpp>
#include <lab/experiments/pairs_experiment.hpp>
#include <lab/experiments/runtime_actors.hpp>
#include <lab/experiments/runtimes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/resource.h>

#ifdef CALLISTO_WITH_OPENMP
#include <callisto/app/demo/openmp_kernels.hpp>
#endif

namespace callisto::lab {
namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

/// The most by which a job may be worse off for sharing.
constexpr double limit = 1.1;

/// A situation: actors that run at the same time.
struct situation {
  const char* name;
  const char* what;
  std::vector<std::string> actors;
  /// The kinds of actors that must not be worse off. The throughput counts, and for `light` the times of loops.
  std::vector<std::string> judged;
  bool openmp = false;  ///< the actors are OpenMP programs, on Callisto's library
};

std::vector<situation> situations() {
  const auto times = [](std::size_t n, const std::string& kind) { return std::vector<std::string>(n, kind); };
  const auto with = [](std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  return {
      {"nice", "a job beside one at nice level 19", {"batch", "nice"}, {"batch"}},
      {"idle", "a job beside one under SCHED_IDLE", {"batch", "idle"}, {"batch"}},
      {"light", "a job that mostly sleeps beside three", with(times(3, "batch"), {"light"}), {"batch", "light"}},
      {"outsiders",
       "six jobs beside two programs that are no jobs",
       with(times(6, "batch"), times(2, "plain")),
       {"batch"}},
      {"silent", "a job beside one that never checks in", {"batch", "silent"}, {"batch"}},
      {"many", "more jobs than the table holds", times(70, "batch"), {"batch"}},
      {"pair", "two jobs with loops of some 50 us", times(2, "phases"), {"phases"}},
      {"OpenMP, nice", "an OpenMP program beside one at nice level 19", {"omp-batch", "omp-nice"}, {"omp-batch"}, true},
      {"OpenMP, light",
       "an OpenMP program that mostly sleeps beside three",
       with(times(3, "omp-batch"), {"omp-light"}),
       {"omp-batch", "omp-light"},
       true},
      {"OpenMP, outsiders",
       "four OpenMP programs beside two that are no jobs",
       with(times(4, "omp-batch"), times(2, "plain")),
       {"omp-batch"},
       true},
      {"OpenMP, pair", "two OpenMP programs", times(2, "omp-batch"), {"omp-batch"}, true},
  };
}

/// Returns the OpenMP library that actors run on; nullopt: there is none, and OpenMP programs are left out.
std::optional<std::string> library_for_actors() {
#ifdef CALLISTO_WITH_OPENMP
  return openmp_library();
#else
  return std::nullopt;
#endif
}

double sum_of(long iterations, bool openmp) {
#ifdef CALLISTO_WITH_OPENMP
  if (openmp) return app::sum_openmp(iterations);
#endif
  static_cast<void>(openmp);
  return parallel_reduce(0L, iterations, 0.0, [](long i) { return 1.0 / static_cast<double>(1 + (i & 15)); });
}

/// What an actor said.
struct said {
  double loops = 0;
  double median = 0;
  double slow = 0;  ///< the 99th percentile
};

/// How long after its own start the last actor begins with its work. All begin at once: one that is ready early would
/// have the machine for itself until the others are, and the longer, the more it holds them up.
std::chrono::milliseconds time_to_get_ready(std::size_t actors) { return 200ms + actors * 15ms; }

/// Runs the actors together, each once. Returns, by kind, the sum of loops and the means of times.
std::map<std::string, said> run_actors(const situation& s, const variables& environment, double seconds,
                                       const std::stop_token& stop) {
  std::vector<std::string> outputs(s.actors.size());
  std::vector<std::unique_ptr<one_run>> running;
  const auto begin = std::chrono::nanoseconds((clock::now() + time_to_get_ready(s.actors.size())).time_since_epoch());
  for (std::size_t i = 0; i < s.actors.size(); ++i) {
    running.push_back(std::make_unique<one_run>(
        s.actors[i],
        spawn_request{.program = this_program(),
                      .arguments = {"bench", "program", s.actors[i], std::to_string(static_cast<int>(seconds * 1e3)),
                                    std::to_string(begin.count())},
                      .environment = environment,
                      .contexts = {}},
        &outputs[i]));
  }
  std::map<std::string, said> found;
  std::map<std::string, unsigned> count;
  for (std::size_t i = 0; i < running.size(); ++i) {
    while (!running[i]->ended()) {
      if (stop.stop_requested()) throw graph::cancelled();
      std::this_thread::sleep_for(5ms);
    }
    said one;
    if (std::sscanf(outputs[i].c_str(), "%lf %lf %lf", &one.loops, &one.median, &one.slow) != 3) {
      throw error("bench manners: the program '" + s.actors[i] + "' said '" + one_line(outputs[i]) + "'");
    }
    said& sum = found[s.actors[i]];
    sum.loops += one.loops;
    sum.median += one.median;
    sum.slow += one.slow;
    ++count[s.actors[i]];
  }
  for (auto& [kind, sum] : found) {
    sum.median /= count[kind];
    sum.slow /= count[kind];
  }
  return found;
}

struct manners_arguments {
  unsigned rounds = 5;
  double seconds = 2;
  bool pairs = false;                 ///< true: measures pairs of programs, too
  std::vector<std::string> runtimes;  ///< measures these beside each other instead; none: the situations
  std::vector<std::string> ways;      ///< of the runtime beside; none: plain
  run_options run;
};

/// One line of the result: how much worse off a kind of actor is for sharing.
struct verdict {
  std::string situation;
  std::string what;
  std::string measure;
  double off;
  double sharing;
  double ratio;  ///< above 1: worse
};

std::vector<verdict> measure(const manners_arguments& o, const std::stop_token& stop) {
  const machine::scratch_folder folder;
  const auto environment = [&](const char* sharing, bool openmp) {
    variables all = environment_of({.cosched = {}, .weight = {}, .openmp = openmp});
    all.insert(all.end(),
               {{"CALLISTO_COSCHED", sharing}, {"CALLISTO_COSCHED_DIR", folder.path()}, {"CALLISTO_WEIGHT", ""}});
    return all;
  };
  std::vector<verdict> all;
  std::vector<situation> every = situations();
  if (!library_for_actors()) std::erase_if(every, [](const situation& s) { return s.openmp; });
  progress_bar bar(o.run.progress_wanted());
  bar.begin("measuring", every.size() * o.rounds * 2, "runs");
  for (const situation& s : every) {
    std::map<std::string, std::vector<said>> off;
    std::map<std::string, std::vector<said>> sharing;
    for (unsigned round = 0; round < o.rounds; ++round) {
      for (unsigned turn = 0; turn < 2; ++turn) {
        const bool shares = (round + turn) % 2 == 1;
        for (const auto& [kind, one] : run_actors(s, environment(shares ? "" : "off", s.openmp), o.seconds, stop)) {
          (shares ? sharing : off)[kind].push_back(one);
        }
        bar.advance(1);
      }
    }
    for (const std::string& kind : s.judged) {
      const auto add = [&](const char* measure, auto value, bool more_is_better) {
        std::vector<double> before;
        std::vector<double> after;
        std::vector<double> ratios;
        for (unsigned round = 0; round < o.rounds; ++round) {
          before.push_back(value(off[kind][round]));
          after.push_back(value(sharing[kind][round]));
          ratios.push_back(more_is_better ? before.back() / after.back() : after.back() / before.back());
        }
        all.push_back({s.name, s.what, kind + ": " + measure, median_of(before), median_of(after), median_of(ratios)});
      };
      if (kind.ends_with("light")) {
        add("median loop, ms", [](const said& x) { return x.median; }, false);
        add("99th percentile, ms", [](const said& x) { return x.slow; }, false);
      } else {
        add("loops a second", [&](const said& x) { return x.loops / o.seconds; }, true);
      }
    }
  }
  bar.finish();
  return all;
}

/// Returns how each pair of programs fares as jobs beside the plain system. What sharing is for must stay.
std::vector<verdict> measure_pairs(const manners_arguments& o, const std::stop_token& stop) {
  pairs_plan plan;
  plan.programs = {"barriers", "dynamic", "bursty"};
  plan.background.emplace();
  plan.rounds = o.rounds;
  plan.length = o.seconds / 4;
  plan.progress = o.run.progress_wanted();
  const pairs_results found = run_pairs_experiment(plan, stop);
  std::vector<verdict> all;
  for (std::size_t a = 0; a < found.programs.size(); ++a) {
    for (std::size_t b = a; b < found.programs.size(); ++b) {
      const std::optional<double> plain = found.of_pair(a, b, sharing_way::plain);
      const std::optional<double> shared = found.of_pair(a, b, sharing_way::callisto);
      if (!plain || !shared) continue;
      all.push_back({"pairs", "a pair of programs", found.programs[a].name + " + " + found.programs[b].name + ": time",
                     *plain, *shared, *shared / *plain});
    }
  }
  return all;
}

void run_runtimes(const manners_arguments& o, const std::stop_token& stop) {
  runtimes_plan plan{.runtimes = o.runtimes, .rounds = o.rounds, .seconds = o.seconds};
  if (!o.ways.empty()) plan.ways = o.ways;
  plan.progress = o.run.progress_wanted();
  const runtimes_result found = measure_runtimes(plan, stop);
  if (!o.run.as_json) return print(tables_of(found, limit));
  json all = json_of(found, limit);
  all["rounds"] = o.rounds;
  all["seconds"] = o.seconds;
  print(to_text(all));
}

std::vector<std::string> names_of_runtimes() {
  std::vector<std::string> all;
  for (const runtime_actor& a : runtime_actors()) all.emplace_back(a.name);
  return all;
}

std::string help_on_runtimes() {
  std::string text;
  for (const runtime_actor& a : runtime_actors()) text += fmt::format("  {:<12} {}\n", a.name, a.what);
  return text;
}

void run(const manners_arguments& o, const std::stop_token& stop) {
  if (!o.ways.empty() && o.runtimes.empty())
    throw usage_error("--beside: says how the runtimes of --runtimes run; expected --runtimes, too");
  if (o.pairs && !o.runtimes.empty()) throw usage_error("--pairs: expected either this or --runtimes");
  if (!o.runtimes.empty()) return run_runtimes(o, stop);
  std::vector<verdict> all = measure(o, stop);
  if (o.pairs) {
    const std::vector<verdict> pairs = measure_pairs(o, stop);
    all.insert(all.end(), pairs.begin(), pairs.end());
  }
  const auto missed = std::count_if(all.begin(), all.end(), [](const verdict& v) { return v.ratio > limit; });
  if (o.run.as_json) {
    json list = json::array();
    for (const verdict& v : all) {
      list.push_back({{"situation", v.situation},
                      {"measure", v.measure},
                      {"off", v.off},
                      {"sharing", v.sharing},
                      {"worse", v.ratio},
                      {"kept", v.ratio <= limit}});
    }
    print(to_text(
        {{"rounds", o.rounds}, {"seconds", o.seconds}, {"limit", limit}, {"missed", missed}, {"results", list}}));
    return;
  }
  table rows({{"situation", table::align::left},
              {"", table::align::left},
              {"without"},
              {"with"},
              {"worse by"},
              {"", table::align::left}});
  for (const verdict& v : all) {
    rows.add_row({v.what, v.measure, fmt::format("{:.4g}", v.off), fmt::format("{:.4g}", v.sharing),
                  fmt::format("{:.2f}", v.ratio), v.ratio <= limit ? "" : "above 1.1"});
  }
  print(rows.render());
  print(fmt::format("{} of {} measures are above {}{}\n", missed, all.size(), limit,
                    o.pairs ? ", pairs of programs included" : ""));
}

}  // namespace

std::string run_actor(const std::string& name, std::uint64_t milliseconds, std::uint64_t begin) {
  const bool openmp = name.starts_with("omp-");
  const std::string kind = openmp ? name.substr(4) : name;
  const bool nice = kind == "nice";
  const bool idle = kind == "idle";
  const bool light = kind == "light";
  const bool silent = kind == "silent";
  const bool phases = kind == "phases";
  if (!nice && !idle && !light && !silent && !phases && kind != "batch" && kind != "plain") return {};
  if (nice) ::setpriority(PRIO_PROCESS, 0, 19);
  if (idle) {
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_IDLE, &none);
  }
  // A process is one job, by loops or by regions.
  if (kind != "plain" && !openmp) static_cast<void>(threads());
  std::this_thread::sleep_until(clock::time_point(std::chrono::nanoseconds(begin)));
  const auto end = clock::now() + std::chrono::milliseconds(milliseconds);
  if (kind == "plain") {
    std::uint64_t turns = 0;
    for (; clock::now() < end; ++turns) {
      for (unsigned i = 0; i < 100'000; ++i) asm volatile("" : "+r"(i));
    }
    return fmt::format("{} 0 0", turns);
  }
  std::vector<double> times;
  while (clock::now() < end) {
    if (light) std::this_thread::sleep_for(5ms);
    const auto began = clock::now();
    if (silent) {
      // Each thread stays in its only iteration.
      parallel_for(0u, threads(),
                   [&](unsigned) {
                     while (clock::now() < end) {
                     }
                   },
                   {.batch = 1});
    } else {
      const double sum = sum_of(light ? 20'000 : phases ? 50'000 : 200'000, openmp);
      if (!(sum > 0)) throw error("bench manners: a loop has not done what it should");
    }
    times.push_back(std::chrono::duration<double, std::milli>(clock::now() - began).count());
  }
  std::sort(times.begin(), times.end());
  return fmt::format("{} {} {}", times.size(), times[times.size() / 2], times[times.size() * 99 / 100]);
}

command add_bench_manners(const command_parser& bench) {
  const command_parser parser = bench.add_subcommand("manners", "Measure whether a job is worse off for sharing");
  const auto o = std::make_shared<manners_arguments>();
  add_parsed(
      parser, "--rounds", "N",
      [o](const std::string& text) { o->rounds = static_cast<unsigned>(parse_count("--rounds", text, 1, 1000)); },
      "Runs of each situation, without sharing and with it [5]");
  add_parsed(
      parser, "--length", "SECONDS",
      [o](const std::string& text) { o->seconds = parse_real("--length", text, {.low = 0.2, .high = 3600}); },
      "How long a run takes [2]");
  parser.add_flag("--pairs", o->pairs, "Measure pairs of programs, too: as jobs and on the plain system");
  std::vector<std::string> offered = names_of_runtimes();
  offered.insert(offered.begin(), "all");
  add_parsed(
      parser, "--runtimes", "LIST",
      [o, offered](const std::string& text) {
        o->runtimes = text == "all" ? names_of_runtimes() : words_of(text, "--runtimes", names_of_runtimes());
      },
      "Measure a program of each of these beside a program of each instead: all, or names below")
      .word_list(offered);
  const std::vector<std::string> ways{"plain", std::string(actor_is_nice), std::string(actor_sleeps),
                                      std::string(actor_threads)};
  add_parsed(
      parser, "--beside", "LIST", [o, ways](const std::string& text) { o->ways = words_of(text, "--beside", ways); },
      "How the program beside runs: plain, nice, asleep, threads [plain]")
      .word_list(ways)
      .more(
          "`nice` is nice level 19; `asleep` sleeps 5 ms before each unit of its work; `threads` has twice as many "
          "threads as contexts.");
  o->run.add_reporting_to(parser);
  parser.footer(
      "Runs jobs beside others in everyday situations: at low priority, mostly asleep, beside programs that are no "
      "jobs,\n"
      "beside a job that never checks in, more jobs than the table holds; OpenMP programs, too. Each runs with "
      "CALLISTO_COSCHED=off and as\n"
      "jobs are by default, in turns; the medians of the rounds' ratios say by how much sharing makes them worse. "
      "Keep\n"
      "the machine idle.\n\n"
      "With --pairs, three programs of 'bench pairs' run in pairs, and the same limit counts: a pair's time by that "
      "of\n"
      "both alone on half of the machine, as jobs and on the plain system. One line says how many limits are "
      "missed.\n\n"
      "With --runtimes, the table has a row for each runtime and a column for what runs beside it; what a program did "
      "without\n"
      "sharing by what it did with it. Each program checks its results. A runtime that is not here is left out: "
      "ranks need\n"
      "mpirun, and python a python3 with the package callisto-graph.\n\n"
      "Units of work:\n" +
      help_on_runtimes() +
      "\n"
      "Examples:\n"
      "  callisto-lab bench manners\n"
      "  callisto-lab bench manners --pairs --rounds 3 --length 1\n"
      "  callisto-lab bench manners --runtimes all --beside plain,nice --rounds 3 --length 1\n"
      "  callisto-lab bench manners --rounds 7 --length 4 --json > manners.json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::lab
