// The subcommand: everyday situations, each without sharing and with it, and by how much jobs are worse off.
#include <lab/simulate/manners.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/sample_statistics.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/cosched/context_assignment.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/simulate/machines.hpp>
#include <lab/simulate/options.hpp>
#include <lab/simulate/simulated_jobs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

using machine::simulation::description;

/// The most by which a job may be worse off for sharing.
constexpr double limit = 1.1;

struct simulated_situation {
  const char* what;
  job_kind other;
  unsigned of_16;             ///< how many of 16 jobs are `other`; the rest are batch jobs
  unsigned contexts_a_plain;  ///< one program that is no job for so many contexts; 0: none
  std::vector<job_kind> judged;
};

const std::vector<simulated_situation>& simulated_situations() {
  using enum job_kind;
  static const std::vector<simulated_situation> all{
      {"jobs alike", batch, 0, 0, {batch}},
      {"half of them at nice level 19", nice, 8, 0, {batch}},
      {"a quarter of them mostly asleep", light, 4, 0, {batch, light}},
      {"others on a sixteenth of the contexts", batch, 0, 16, {batch}},
      {"others on a quarter of the contexts", batch, 0, 4, {batch}},
      {"one in 16 never checks in", silent, 1, 0, {batch}},
  };
  return all;
}

/// Returns the jobs of a situation, and the programs that are none among them.
std::vector<job_kind> actors_of(const simulated_situation& s, unsigned jobs, unsigned contexts) {
  std::vector<job_kind> all(jobs, job_kind::batch);
  for (unsigned j = 0; j < jobs; ++j) {
    if ((j + 1) * s.of_16 / 16 != j * s.of_16 / 16) all[j] = s.other;
  }
  const unsigned plain = s.contexts_a_plain == 0 ? 0 : contexts / s.contexts_a_plain;
  for (unsigned i = 0; i < plain; ++i) {
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(i * (jobs + plain) / plain % all.size()), job_kind::plain);
  }
  return all;
}

const char* name_of(job_kind kind) noexcept {
  constexpr std::array names{"batch", "nice", "light", "silent", "plain"};
  return names[static_cast<std::size_t>(kind)];
}

struct manners_options {
  std::string machine = "epyc-9754";
  std::vector<unsigned> jobs{16, 200};
  unsigned contexts = 128;
  unsigned rounds = 3;
  double seconds = 1;
  run_options run;
};

/// By how much a kind of job is worse off for sharing, the medians of all rounds; above 1: worse.
struct simulated_verdict {
  double loops;
  double median;
  double slow;
  double slow_off;   ///< milliseconds
  double slow_with;  ///< the same
};

simulated_verdict verdict_of(const std::vector<manners_outcome>& off, const std::vector<manners_outcome>& with) {
  const auto ratios = [&](auto worse) {
    std::vector<double> all;
    for (std::size_t i = 0; i < off.size(); ++i) all.push_back(worse(off[i], with[i]));
    return median_of(all);
  };
  const auto by = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(a) / static_cast<double>(std::max<std::uint64_t>(1, b));
  };
  using outcome = const manners_outcome&;
  return {.loops = ratios([&](outcome a, outcome b) { return by(a.loops, b.loops); }),
          .median = ratios([&](outcome a, outcome b) { return by(b.median, a.median); }),
          .slow = ratios([&](outcome a, outcome b) { return by(b.slow, a.slow); }),
          .slow_off = ratios([&](outcome a, outcome) { return by(a.slow, 1'000'000); }),
          .slow_with = ratios([&](outcome, outcome b) { return by(b.slow, 1'000'000); })};
}

void run(const manners_options& o, const std::stop_token& stop) {
  const description machine = load_machine(o.machine);
  if (o.contexts > machine.total_contexts()) {
    throw usage_error(
        fmt::format("--contexts: {} has {}, found {}", machine.name, machine.total_contexts(), o.contexts));
  }
  const stopwatch time;
  table rows({{"situation", table::align::left},
              {"jobs"},
              {"judged", table::align::left},
              {"loops: worse by"},
              {"median: worse by"},
              {"99 %: worse by"},
              {"without, ms"},
              {"with, ms"}});
  json list = json::array();
  unsigned missed = 0;
  progress_bar bar(o.run.progress_wanted());
  bar.begin("simulating", simulated_situations().size() * o.jobs.size() * o.rounds * 2, "runs");
  for (const unsigned jobs : o.jobs) {
    for (const simulated_situation& s : simulated_situations()) {
      manners_setup setup{.actors = actors_of(s, jobs, o.contexts),
                          .contexts = o.contexts,
                          .length = static_cast<std::uint64_t>(o.seconds * 1e9)};
      std::vector<std::array<std::vector<manners_outcome>, 2>> found(s.judged.size());
      for (setup.seed = 0; setup.seed < o.rounds; ++setup.seed) {
        for (const bool sharing : {false, true}) {
          if (stop.stop_requested()) throw graph::cancelled();
          setup.sharing = sharing;
          const std::vector<manners_outcome> one = simulate_manners(machine, setup, s.judged);
          for (std::size_t i = 0; i < one.size(); ++i) found[i][sharing ? 1 : 0].push_back(one[i]);
          bar.advance(1);
        }
      }
      for (std::size_t i = 0; i < s.judged.size(); ++i) {
        const simulated_verdict v = verdict_of(found[i][0], found[i][1]);
        // A batch job has all contexts at times, or some of them always: that medians differ says nothing.
        const bool light = s.judged[i] == job_kind::light;
        missed += (v.loops > limit ? 1 : 0) + (light && v.median > limit ? 1 : 0) + (v.slow > limit ? 1 : 0);
        rows.add_row({s.what, fmt::format("{}", jobs), name_of(s.judged[i]), fmt::format("{:.2f}", v.loops),
                      light ? fmt::format("{:.2f}", v.median) : "-", fmt::format("{:.2f}", v.slow),
                      fmt::format("{:.3g}", v.slow_off), fmt::format("{:.3g}", v.slow_with)});
        list.push_back({{"situation", s.what},
                        {"jobs", jobs},
                        {"judged", name_of(s.judged[i])},
                        {"loops_worse", v.loops},
                        {"median_worse", v.median},
                        {"slow_worse", v.slow}});
      }
    }
  }
  bar.finish();
  if (o.run.as_json) {
    print(app::to_text({{"machine", machine.name},
                        {"contexts", o.contexts},
                        {"limit", limit},
                        {"missed", missed},
                        {"results", std::move(list)},
                        {"seconds", {{"simulate", time.seconds()}}}}));
    return;
  }
  print(rows.render() + fmt::format("{} measures are above {}\n", missed, limit));
}

}  // namespace

command add_simulated_manners(const command_parser& simulate) {
  const command_parser parser =
      simulate.add_subcommand("manners", "Compare jobs that share a machine with the same jobs that do not");
  const auto o = std::make_shared<manners_options>();
  add_machine(parser, "MACHINE", o->machine, o->machine);
  add_parsed(
      parser, "--jobs", "N",
      [o](const std::string& text) { o->jobs = {static_cast<unsigned>(parse_count("--jobs", text, 2, 1000))}; },
      "How many jobs there are [16, then 200]");
  add_parsed(
      parser, "--rounds", "N",
      [o](const std::string& text) { o->rounds = static_cast<unsigned>(parse_count("--rounds", text, 1, 1000)); },
      "Runs of each situation, without sharing and with it [3]");
  add_parsed(
      parser, "--contexts", "N",
      [o](const std::string& text) {
        o->contexts = static_cast<unsigned>(parse_count("--contexts", text, 2, cosched::max_contexts));
      },
      "Use the machine's first N contexts [128]");
  add_parsed(
      parser, "--length", "SECONDS",
      [o](const std::string& text) { o->seconds = parse_real("--length", text, {.low = 0.01, .high = 10}); },
      "Simulated time in which loops count, after half a second [1]");
  o->run.add_reporting_to(parser);
  parser.footer(
      "Runs the situations of 'bench manners' on simulated contexts, by the library's table and policies, unchanged:\n"
      "once as with CALLISTO_COSCHED=off, and once with sharing. A table says how much worse off jobs are for it;\n"
      "above 1.1 is missed. Loops have two batches of 50 us for each context, those of light jobs two in all.\n\n"
      "Examples:\n"
      "  callisto-lab simulate manners\n"
      "  callisto-lab simulate manners sparc-t5-8 --jobs 16 --contexts 256 --json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::lab
