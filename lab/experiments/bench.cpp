// callisto-lab bench, and bench schedule: compares ways to hand out iterations natively, with every runtime that is
// installed.
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/base/word_list.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/process/other_programs.hpp>
#include <callisto/app/process/spawn.hpp>
#include <callisto/distributor/schedule.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/commands.hpp>
#include <lab/experiments/gap.hpp>
#include <lab/experiments/manners.hpp>
#include <lab/experiments/pairs.hpp>
#include <lab/experiments/peer.hpp>
#include <lab/experiments/report.hpp>
#include <lab/experiments/schedule.hpp>
#include <lab/experiments/workload.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

namespace callisto::lab {
namespace {

constexpr std::string_view program_prefix = "callisto-peer-";

/// A candidate that the build can make, and what a user must install for it.
struct known_peer {
  const char* program;
  const char* name;
  const char* how_to_get;
};
constexpr known_peer known_peers[] = {
    {"libgomp", "GCC libgomp", "build Callisto with g++"},
    {"libiomp5", "LLVM libiomp5",
     "install clang and a release build (pip install intel-openmp), build with "
     "-DCALLISTO_IOMP5_LIBRARY=.../libiomp5.so"},
    {"onetbb", "oneTBB", "apt install libtbb-dev, and build again"},
    {"taskflow", "Taskflow", "install it from source, and build with -DCMAKE_PREFIX_PATH=its prefix"},
    {"dispenso", "dispenso", "install it from source, and build with -DCMAKE_PREFIX_PATH=its prefix"},
    {"parlay", "ParlayLib", "install it from source, and build with -DCMAKE_PREFIX_PATH=its prefix"},
    {"rayon", "Rayon", "install cargo (Rust 1.80 or newer), and build with -DCALLISTO_PEER_RAYON=ON"},
};

struct bench_arguments {
  std::vector<std::string> loops;
  std::vector<std::uint64_t> batches;
  std::vector<std::string> folders;
  std::vector<std::string> only;
  std::vector<schedule> schedules;
  std::optional<unsigned> rounds;
  bool quick = false;
  bool sweep = false;
  std::string svg = "schedule.svg";
  run_options run;
};

/// Returns the programs named like candidates in the given folders, or else in this build. They are sorted; each name
/// occurs once.
std::vector<std::filesystem::path> find_programs(const bench_arguments& o) {
  std::vector<std::filesystem::path> folders(o.folders.begin(), o.folders.end());
  if (folders.empty()) {
    folders = {std::filesystem::path(this_program()).parent_path() / "peers"};
  }
  std::vector<std::filesystem::path> found;
  for (const std::filesystem::path& folder : folders) {
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
      const std::string name = entry.path().filename();
      const bool known =
          std::any_of(found.begin(), found.end(), [&](const auto& path) { return path.filename() == name; });
      if (name.starts_with(program_prefix) && !known && ::access(entry.path().c_str(), X_OK) == 0) {
        found.push_back(entry.path());
      }
    }
    if (failed && !o.folders.empty()) {
      throw usage_error(fmt::format("--peers: {}: {}", one_line(folder.string()), failed.message()));
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.filename() < b.filename(); });
  return found;
}

/// Returns the part of a program's name that says which candidate it is.
std::string short_name(const std::filesystem::path& program) {
  return program.filename().string().substr(program_prefix.size());
}

bool wanted(const bench_arguments& o, const std::string& peer) {
  return o.only.empty() || std::find(o.only.begin(), o.only.end(), peer) != o.only.end();
}

/// Candidates run in turns. Without this setting, those that are Callisto would share the machine with each other while
/// they wait for their turns.
const std::pair<std::string, std::string> alone{"CALLISTO_COSCHED", "off"};

/// Starts Callisto once for each schedule, and all peers.
void start_candidates(const bench_arguments& o, schedule_report& r, const std::stop_token& stop) {
  const std::string threads = std::to_string(r.plan.threads);
  const auto add = [&](const std::string& file, const std::vector<std::string>& arguments,
                       std::vector<std::pair<std::string, std::string>> environment, bool callisto) {
    // Turns off what would cost the candidate time.
    for (const char* name : {"CALLISTO_STATS", "CALLISTO_TRACE"}) environment.emplace_back(name, "");
    environment.push_back(alone);
    auto program = std::make_unique<candidate_process>(file, arguments, environment, stop);
    program->halt();
    candidate_description d = program->description();
    if (!d.refusal.empty()) throw child_failure(d.refusal);
    r.candidates.push_back({file, std::move(d), std::move(program), callisto});
  };
  const std::vector<std::filesystem::path> programs = find_programs(o);
  for (const std::string& name : o.only) {
    const bool found = name == "none" || std::any_of(programs.begin(), programs.end(),
                                                     [&](const auto& program) { return short_name(program) == name; });
    if (!found) throw usage_error(fmt::format("--peer: no program {}{} is here", program_prefix, one_line(name)));
  }
  const std::vector<std::string> as_candidate{"bench", "peer", "--threads", threads};
  const std::string self = this_program();
  add(self, as_candidate, {{"CALLISTO_SCHEDULE", schedule::from_environment().to_string()}}, true);
  for (const schedule& how : o.schedules) {
    add(self, as_candidate, {{"CALLISTO_SCHEDULE", how.to_string()}}, true);
  }
  for (const std::filesystem::path& program : programs) {
    if (!wanted(o, short_name(program))) continue;
    try {
      add(program, {threads}, {}, false);
    } catch (const child_failure& failure) {
      r.absent.push_back({short_name(program), failure.what()});
    }
  }
  for (const known_peer& known : known_peers) {
    const bool here = std::any_of(programs.begin(), programs.end(),
                                  [&](const auto& program) { return short_name(program) == known.program; });
    if (!here && wanted(o, known.program)) r.absent.push_back({known.name, known.how_to_get});
  }
}

/// Returns the loops and other measurements that `o` asks for.
schedule_plan plan_of(const bench_arguments& o) {
  schedule_plan plan;
  plan.threads = o.run.threads != 0 ? o.run.threads : machine::default_threads(machine::limits::current());
  plan.rounds = o.rounds.value_or(o.quick ? 3 : 5);
  plan.paired_rounds = o.quick ? 5 : 3 * plan.rounds;
  plan.divisor = o.quick ? 16 : 1;
  plan.batches = !o.batches.empty()   ? o.batches
                 : o.quick || o.sweep ? std::vector<std::uint64_t>{1, 16, 256, 4096}
                                      : std::vector<std::uint64_t>{1, 4, 16, 64, 256, 1024, 4096};
  plan.loops = o.sweep ? sweep_workloads(plan.divisor) : table_workloads(plan.divisor);
  plan.claims = !o.sweep;
  plan.launches = !o.sweep;
  if (o.loops.empty()) return plan;

  const auto asked = [&](const std::string& name) {
    return std::find(o.loops.begin(), o.loops.end(), name) != o.loops.end();
  };
  for (const std::string& name : o.loops) {
    const bool known =
        name == "claims" || name == "launches" ||
        std::any_of(plan.loops.begin(), plan.loops.end(), [&](const bench_workload& w) { return w.name == name; });
    if (known) continue;
    std::string names;
    for (const bench_workload& w : plan.loops) names += w.name + ", ";
    throw usage_error(
        fmt::format("--workload: expected some of {}claims, launches; found '{}'", names, one_line(name)));
  }
  std::erase_if(plan.loops, [&](const bench_workload& w) { return !asked(w.name); });
  plan.claims = asked("claims");
  plan.launches = asked("launches");
  return plan;
}

void bench_schedule(const bench_arguments& o, const std::stop_token& stop) {
  schedule_report r;
  r.plan = plan_of(o);
  r.sweep = o.sweep;
  if (o.run.as_json) refuse_beside_json(o.svg, "--svg");
  result picture(o.svg, "--svg");
  const other_programs others;
  start_candidates(o, r, stop);
  auto baseline = std::make_unique<candidate_process>(
      this_program(), std::vector<std::string>{"bench", "peer", "--threads", std::to_string(r.plan.threads)},
      std::vector{alone}, stop);
  baseline->halt();
  progress_bar bar(o.run.progress_wanted());
  const stopwatch time;
  const auto print_now = [&](const std::string& text) {
    if (o.run.as_json || text.empty()) return;
    bar.finish();
    print(text);
  };
  print_now(heading_of(r));
  r.results = measure_schedules(r.plan, r.candidates, *baseline, {&bar, stop},
                                [&](const measured_loop& loop) { print_now(to_words(r, loop)); });
  const double seconds = time.seconds();
  bar.finish();
  // What a child used counts as used by this process only once the child has ended.
  for (candidate& c : r.candidates) c.program.reset();
  baseline.reset();
  r.other_programs = others.used();
  r.busy = others.warning();
  picture.write(to_svg(r));
  picture.commit();
  if (o.run.as_json) {
    json object = to_json(r);
    object["seconds"] = {{"measure", seconds}};
    object["svg"] = o.svg;
    print(to_text(object));
  } else {
    print(summary_of(r));
    if (!o.run.quiet) print(fmt::format("\n{}; picture: {}\n", human_seconds(seconds), one_line(o.svg)));
  }
  if (!r.results.wrong.empty()) throw error("bench: results are wrong: " + r.results.wrong.front());
}

std::vector<std::string> program_choices() {
  std::vector<std::string> choices;
  for (const known_peer& peer : known_peers) choices.emplace_back(peer.program);
  choices.emplace_back("none");
  return choices;
}

void add_threads(const command_parser& parser, const std::shared_ptr<bench_arguments>& o) {
  add_parsed(
      parser, "--threads", "N",
      [o](const std::string& text) { o->run.threads = static_cast<unsigned>(parse_count("--threads", text, 1, 1024)); },
      "Threads of each contestant [one for each CPU that may be used]");
}

command add_bench_schedule(const command_parser& bench) {
  const command_parser parser =
      bench.add_subcommand("schedule", "Compare handing out iterations with other runtimes, in turns");
  const auto o = std::make_shared<bench_arguments>();
  add_parsed(
      parser, "--workload", "LIST", [o](const std::string& text) { o->loops = words_of(text); },
      "even, skewed, skew75, power, each but even also as NAME-reversed, tiny, claims, launches [all]")
      .word_list({"even", "skewed", "skew75", "power", "skewed-reversed", "skew75-reversed", "power-reversed", "tiny",
                  "claims", "launches"});
  add_parsed(
      parser, "--batch", "LIST",
      [o](const std::string& text) {
        for (const std::string& word : words_of(text)) {
          o->batches.push_back(parse_count("--batch", word, 1, std::uint64_t{1} << 30));
        }
      },
      "Batch sizes, beside the automatic ones [1,4,16,64,256,1024,4096]");
  add_parsed(
      parser, "--schedule", "SCHEDULE",
      [o](const std::string& text) { o->schedules.push_back(schedule::parse(text, "--schedule")); },
      "Callisto by this schedule, too; may be repeated")
      .may_be_repeated()
      .words({"auto", "ranges", "counter(machine)", "counter(socket)", "counter(core)", "combine(core)/counter(core)",
              "combine(core,async)/counter(core)"});
  add_parsed(
      parser, "--peer", "LIST", [o](const std::string& text) { o->only = words_of(text); },
      "Only these, such as libgomp,onetbb; or none [all that are here]")
      .word_list(program_choices())
      .more("Contestants go by the ends of their programs' names; `none` is Callisto alone.");
  parser.add_option("--peers", o->folders, "Where programs callisto-peer-* are [peers beside this program]")
      .type_name("DIR")
      .one_value()
      .more("May be repeated.");
  add_parsed(
      parser, "--rounds", "N",
      [o](const std::string& text) { o->rounds = static_cast<unsigned>(parse_count("--rounds", text, 1, 10000)); },
      "Rounds, of which medians are taken [5, --quick: 3]");
  parser.add_flag("--quick", o->quick, "Loops 16 times as short, and fewer batch sizes and rounds")
      .more("About a minute.");
  parser.add_flag("--sweep", o->sweep, "Loops of 2 to 2^40 iterations of 2 ns to 10 ms instead")
      .more("One line for each loop instead of the table.");
  parser.add_option("--svg", o->svg, "Draw into FILE [schedule.svg]").type_name("FILE");
  add_threads(parser, o);
  o->run.add_reporting_to(parser);
  parser.more(
      "It also prints the cost of a batch and of a launch, and draws the speed-ups. Contestants are "
      "programs called `callisto-peer-*`, which the build makes of the runtimes that it finds; those "
      "that are absent are listed, with how to get them. A promise that is missed does not change the "
      "exit code.");
  parser.footer(
      "Runs the same loops with Callisto and with every other runtime that has a contestant here, one at a time in "
      "turns,\n"
      "checks that each iteration ran once, prints speed-ups over a plain loop (the best of each column marked *), "
      "and\n"
      "says which of Callisto's promises hold. A wrong result makes the exit code 1. Keep the machine idle.\n\n"
      "Examples:\n"
      "  callisto-lab bench schedule --quick\n"
      "  callisto-lab bench schedule --workload skewed,tiny --batch 1,64 --peer libgomp,onetbb\n"
      "  callisto-lab bench schedule --schedule 'counter(machine)' --schedule 'counter(core)' --svg counters.svg\n"
      "  callisto-lab bench schedule --sweep --json > sweep.json");
  return {parser, [o](const std::stop_token& stop) { bench_schedule(*o, stop); }};
}

command add_bench_peer(const command_parser& bench) {
  const command_parser parser = bench.add_subcommand("peer", "Be a contestant of 'bench schedule'");
  parser.hide();  // only `callisto-lab bench schedule` starts it
  const auto o = std::make_shared<bench_arguments>();
  add_threads(parser, o);
  return {parser, [o](const std::stop_token&) {
            if (const int code = serve_as_candidate(plan_of(*o).threads); code != 0) throw error("bench peer failed");
          }};
}

}  // namespace

command add_bench(const command_parser& app) {
  const command_parser parser = app.add_subcommand("bench", "Measure, in turns with other runtimes or programs");
  parser.footer(
      "Examples:\n"
      "  callisto-lab bench schedule --quick\n"
      "  callisto-lab bench gap --scale 18 --verify\n"
      "  callisto-lab bench pairs --budget 120");
  parser.only_subcommands();
  const std::array inner{add_bench_schedule(parser), add_bench_gap(parser),  add_bench_pairs(parser),
                         add_bench_manners(parser),  add_bench_peer(parser), add_bench_program(parser)};
  return {parser, [inner](const std::stop_token& stop) {
            for (const command& c : inner) {
              if (c.parser.chosen()) return c.run(stop);
            }
          }};
}

}  // namespace callisto::lab
