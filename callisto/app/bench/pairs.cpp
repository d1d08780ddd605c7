// The programs, how long they run, and the order of measurements of the pairs experiment.
#include <callisto/app/bench/pairs.hpp>

#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/base/word_list.hpp>
#include <callisto/app/bench/pairs_report.hpp>
#include <callisto/app/bench/pairs_results.hpp>
#include <callisto/app/bench/pairs_runs.hpp>
#include <callisto/app/bench/synthetic_program.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/app/process/spawn.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::app {
namespace {

constexpr double least_length = 0.05;
/// A pair is given up after so many times what its programs take alone, for each round: Linux without Callisto was seen
/// to slow a program 39 times.
constexpr double most_times_slower = 20;

struct bench_pairs_arguments {
  std::vector<std::string> commands;
  std::optional<std::vector<std::string>> programs;
  std::optional<std::vector<std::string>> background;
  unsigned rounds = 5;
  double length = 0.5;
  std::optional<double> budget;
  unsigned scale = 16;
  bool quick = false;
  bool markdown = false;
  std::string page = "pairs.html";
  std::string scratch;
  run_options run;
};

/// A program that is to run for longer gets a graph that is up to so many times twice as large.
constexpr unsigned most_scales = 6;

constexpr std::uint64_t without_limit = std::numeric_limits<std::uint64_t>::max();

/// A program that can be measured.
struct paired_program {
  std::string name;
  /// Its program and arguments for an amount of work; commands of the user have no amount.
  std::function<spawn_request(std::uint64_t)> make = {};
  std::uint64_t amount = 0;            ///< 0: it is what it is
  std::uint64_t most = without_limit;  ///< amount that it can do
  double growth = 0;         ///< the amount is a graph's scale, and one more takes so many times as long; or 0
  bool same_output = false;  ///< every run must write the same
  std::string output = {};   ///< what that was
};

/// A kernel of this project on a graph in a file.
struct graph_program {
  const char* name;
  const char* option = nullptr;  ///< the work is proportional to what it says; null: it is the graph's size
  double growth = 0;             ///< then: on a Kronecker graph of twice the size it takes so many times as long
  const char* arguments[4] = {};
  bool once_a_vertex = false;  ///< no more of the option than the graph has vertices
  bool same_output = false;
};
constexpr graph_program graph_programs[] = {
    // By its graph: more iterations change nothing once the ranks are what they will be.
    {.name = "pagerank", .growth = 2.2, .arguments = {"--iterations", "20", "--tolerance", "0"}},
    {.name = "triangles", .growth = 2.4, .same_output = true},
    {.name = "betweenness", .option = "--samples", .once_a_vertex = true},
    {.name = "sssp", .option = "--sources"},
};

std::vector<std::string> known_programs() {
  std::vector<std::string> all;
  for (const synthetic_program& p : synthetic_programs()) all.emplace_back(p.name);
  for (const graph_program& p : graph_programs) all.emplace_back(p.name);
  return all;
}

bool chosen(const std::optional<std::vector<std::string>>& list, const std::string& name) {
  return !list || std::find(list->begin(), list->end(), name) != list->end();
}

/// The name of a command for tables: of its program, without folders.
std::string short_name(const std::string& command) {
  std::string word = command.substr(0, command.find_first_of(" \t"));
  word = word.substr(word.find_last_of('/') + 1);
  constexpr std::size_t longest = 14;
  std::size_t end = std::min(longest, word.size());
  // No part of a character.
  while (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xc0) == 0x80) --end;
  return end == 0 ? "command" : one_line(word.substr(0, end));
}

/// `graph`: the file of the graph of a scale.
std::vector<paired_program> paired_programs_of(const bench_pairs_arguments& o,
                                               const std::function<std::string(std::uint64_t)>& graph) {
  std::vector<paired_program> all;
  const std::string self = this_program();
  const bool built_in = o.programs || o.commands.empty();
  for (const synthetic_program& p : synthetic_programs()) {
    if (!built_in || !chosen(o.programs, p.name)) continue;
    all.push_back({.name = p.name,
                   .make =
                       [self, name = std::string(p.name)](std::uint64_t amount) {
                         spawn_request what;
                         what.program = self;
                         what.arguments = {"bench", "program", name, std::to_string(amount)};
                         return what;
                       },
                   .amount = p.first_amount,
                   .same_output = true});
  }
  for (const graph_program& p : graph_programs) {
    if (!built_in || !chosen(o.programs, p.name)) continue;
    paired_program c{.name = p.name, .growth = p.growth, .same_output = p.same_output};
    c.make = [self, graph, p, scale = o.scale](std::uint64_t amount) {
      spawn_request what;
      what.program = self;
      what.arguments = {p.name, graph(p.option == nullptr ? amount : scale), "--quiet"};
      if (p.option != nullptr) what.arguments.insert(what.arguments.end(), {p.option, std::to_string(amount)});
      for (const char* a : p.arguments)
        if (a != nullptr) what.arguments.emplace_back(a);
      return what;
    };
    c.amount = p.option == nullptr ? o.scale : 1;
    if (p.option == nullptr) c.most = o.scale + most_scales;
    if (p.once_a_vertex) c.most = std::uint64_t{1} << o.scale;
    all.push_back(std::move(c));
  }
  for (const std::string& command : o.commands) {
    if (command.find_first_not_of(" \t\n") == std::string::npos) throw usage_error("COMMAND: expected one, found ''");
    std::string name = short_name(command);
    const auto taken = [&](const std::string& n) {
      return std::any_of(all.begin(), all.end(), [&](const paired_program& c) { return c.name == n; });
    };
    for (unsigned i = 2; taken(name); ++i) name = fmt::format("{}#{}", short_name(command), i);
    all.push_back({.name = std::move(name), .make = [command](std::uint64_t) {
                     spawn_request what;
                     what.program = "/bin/sh";
                     what.arguments = {"-c", command};
                     return what;
                   }});
  }
  return all;
}

/// What runs where: the machine's halves, and the environment of each way to share it.
class places {
 public:
  explicit places() {
    const std::vector<unsigned> usable = machine::limits::current().cpus;
    std::vector<unsigned> all;
    for (const machine::context& c : machine::topology::host().contexts()) {
      if (std::binary_search(usable.begin(), usable.end(), c.os_index)) all.push_back(c.os_index);
    }
    if (all.size() < 2) throw usage_error("bench pairs: expected two contexts or more to share, found one");
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    first.assign(all.begin(), middle);
    second.assign(middle, all.end());
  }

  /// `half` 0: the whole machine; 1, 2: that half.
  spawn_request put(spawn_request what, unsigned half, bool callisto) const {
    if (half == 1) what.contexts = first;
    if (half == 2) what.contexts = second;
    sharing how;
    how.cosched = callisto;
    how.openmp = callisto;
    what.environment = environment_of(how);
    // "Using passive synchronization where available": the paper's choice, and ours unless the user has another.
    if (!callisto && std::getenv("OMP_WAIT_POLICY") == nullptr)
      what.environment.emplace_back("OMP_WAIT_POLICY", "passive");
    // What would make it do something besides.
    for (const char* name : {"CALLISTO_STATS", "CALLISTO_TRACE"}) what.environment.emplace_back(name, "");
    return what;
  }

  std::vector<unsigned> first;
  std::vector<unsigned> second;
};

class experiment {
 public:
  experiment(const bench_pairs_arguments& o, const std::stop_token& stop)
      : o_(o), stop_(stop), bar_(o.run.progress_wanted()), folder_(o.scratch) {}

  pairs_results run() {
    all_ = paired_programs_of(o_, [this](std::uint64_t scale) { return graph_of(scale); });
    const std::vector<std::size_t> beside_load = chosen_for_background();
    if (std::any_of(all_.begin(), all_.end(), [](const paired_program& c) { return is_graph(c); }))
      make_graph(o_.scale);
    const std::size_t n = all_.size();
    const std::size_t duties = duty_cycles().size();
    const std::size_t measurements = 4 * n + 3 * n * (n + 1) / 2 + 2 * duties * beside_load.size();
    const std::size_t runs = o_.rounds * (4 * n + 3 * n * (n + 1) + 2 * duties * beside_load.size()) + 4 * n * n;
    fit_length(o_.rounds * measurements + 4 * n * n);
    calibrate();
    bar_.begin("pairs", runs, "runs");
    results_.first_half = where_.first;
    results_.second_half = where_.second;
    results_.rounds = o_.rounds;
    results_.openmp = openmp_library().has_value();
    for (const paired_program& c : all_) {
      const spawn_request what = c.make(c.amount);
      std::string text = what.program == "/bin/sh" ? what.arguments.back()
                                                   : fmt::format("callisto {}", fmt::join(what.arguments, " "));
      if (const std::size_t at = text.find(folder_.file("")); at != std::string::npos) {
        text.replace(at, folder_.file("").size(), "");
      }
      results_.programs.push_back({c.name, std::move(text)});
    }
    measure_alone();
    measure_pairs();
    measure_background(beside_load);
    results_.left_out = measurements - measured_;
    bar_.finish();
    return std::move(results_);
  }

 private:
  static bool is_graph(const paired_program& c) {
    return std::any_of(std::begin(graph_programs), std::end(graph_programs),
                       [&](const graph_program& p) { return c.name == p.name && c.make(1).program != "/bin/sh"; });
  }

  static std::vector<unsigned> duty_cycles() { return {0, 20, 40, 60, 80, 100}; }

  std::vector<std::size_t> chosen_for_background() const {
    std::vector<std::size_t> found;
    if (o_.background) {
      for (const std::string& name : *o_.background) {
        if (name == "none") continue;
        const auto at = std::find_if(all_.begin(), all_.end(), [&](const paired_program& c) { return c.name == name; });
        if (at == all_.end()) {
          std::string names;
          for (const paired_program& c : all_) names += c.name + ", ";
          throw usage_error(fmt::format("--background: expected some of {}none; found '{}'", names, one_line(name)));
        }
        found.push_back(static_cast<std::size_t>(at - all_.begin()));
      }
      return found;
    }
    // As many as the paper has.
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const bool representative = all_[i].name == "dynamic" || all_[i].name == "memory" || all_[i].name == "pagerank";
      if (representative || (!o_.programs && !o_.commands.empty() && i < 3)) found.push_back(i);
    }
    return found;
  }

  std::string graph_of(std::uint64_t scale) const { return folder_.file(fmt::format("graph{}.cg", scale)); }

  void make_graph(std::uint64_t scale) {
    if (std::filesystem::exists(graph_of(scale))) return;
    bar_.begin("generating a graph", 0, "");
    repeated_command generate;
    generate.name = "callisto generate";
    generate.what.program = this_program();
    generate.what.arguments = {"generate",         "kronecker", graph_of(scale), "--scale", std::to_string(scale),
                               "--random-weights", "1",         "--quiet"};
    generate.what.environment = environment_of({.cosched = false, .weight = {}, .openmp = false});
    run_together({&generate, 1}, 600, stop_, [] {});
  }

  /// Shorter runs where the time for all of them is limited.
  void fit_length(std::size_t runs) {
    length_ = o_.length;
    if (!o_.budget) return;
    // Half as much again for the program of a pair that waits for the other, and for what is slower than it should be.
    const double wanted = *o_.budget / (1.5 * static_cast<double>(runs));
    length_ = std::clamp(wanted, least_length, o_.length);
  }

  bool time_left() const { return !o_.budget || time_.seconds() < *o_.budget; }

  repeated_command command(std::size_t i, unsigned half, bool callisto) {
    paired_program& c = all_[i];
    repeated_command r;
    r.name = c.name;
    r.what = where_.put(c.make(c.amount), half, callisto);
    r.rounds = o_.rounds;
    r.output = c.same_output ? &c.output : nullptr;
    return r;
  }

  double how_long(std::size_t i) {
    repeated_command r = command(i, 1, false);
    r.rounds = std::min(o_.rounds, 3u);
    r.output = nullptr;  // it depends on the amount
    return run_together({&r, 1}, 600, stop_, [] {}).front().median();
  }

  /// What takes `longer` times as long as the amount that it has now, more or less.
  static std::uint64_t next_amount(const paired_program& c, double longer) {
    const auto now = static_cast<double>(c.amount);
    const double wanted =
        c.growth != 0 ? now + std::log(longer) / std::log(c.growth) : now * std::clamp(longer, 0.02, 20.0);
    return std::min(c.most, static_cast<std::uint64_t>(std::max(1.0, std::round(wanted))));
  }

  /// Finds amounts of work that take as long as they should on half of the machine.
  void calibrate() {
    const auto begin = [this] { bar_.begin("finding how long programs run", all_.size(), "programs"); };
    begin();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (int attempt = 0; attempt < 4 && all_[i].amount != 0; ++attempt) {
        const double seconds = how_long(i);
        if (seconds > 0.7 * length_ && seconds < 1.4 * length_) break;
        const std::uint64_t next = next_amount(all_[i], length_ / seconds);
        if (next == all_[i].amount) break;
        all_[i].amount = next;
        if (all_[i].growth == 0) continue;
        make_graph(next);
        begin();
        bar_.advance(i);
      }
      bar_.advance(1);
    }
  }

  std::vector<run_times> measure(std::span<const repeated_command> commands, double limit) {
    ++measured_;
    return run_together(commands, limit, stop_, [this] { bar_.advance(1); });
  }

  /// Where a program runs alone, and as what.
  struct way_alone {
    run_times alone_times::* times;
    unsigned half;
    bool callisto;
  };
  static constexpr way_alone ways_alone[] = {{&alone_times::half, 1, false},
                                             {&alone_times::whole, 0, false},
                                             {&alone_times::whole_callisto, 0, true},
                                             {&alone_times::half_callisto, 1, true}};

  /// The four ways in turns, since the machine may become faster or slower meanwhile. The first is what all others are
  /// compared with, so at least one of its runs is never left out.
  void run_alone(std::size_t i) {
    for (const way_alone& way : ways_alone) {
      std::vector<double>& all = (results_.alone[i].*way.times).seconds;
      const bool needed = way.times == &alone_times::half && all.empty();
      if (!needed && !time_left()) continue;
      repeated_command once = command(i, way.half, way.callisto);
      once.rounds = 1;
      const run_times found = run_together({&once, 1}, 600, stop_, [this] { bar_.advance(1); }).front();
      if (found.seconds.empty()) throw error(fmt::format("{}: alone, it does not end in ten minutes", once.name));
      all.push_back(found.seconds.front());
    }
  }

  void measure_alone() {
    results_.alone.resize(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (unsigned round = 0; round < o_.rounds; ++round) run_alone(i);
      for (const way_alone& way : ways_alone) measured_ += (results_.alone[i].*way.times).any() ? 1 : 0;
    }
  }

  void measure_pairs() {
    for (std::size_t a = 0; a < all_.size(); ++a) {
      // What all is compared with is measured all along.
      for (std::size_t i = 0; i < all_.size() && time_left(); ++i) run_alone(i);
      for (std::size_t b = a; b < all_.size(); ++b) {
        // All ways of a pair one after the other, so that what else happens on the machine hits all of them.
        for (const sharing_way way : sharing_ways) {
          if (!time_left()) return;
          const bool halves = way == sharing_way::halves;
          const bool callisto = way == sharing_way::callisto;
          const std::array both{command(a, halves ? 1 : 0, callisto), command(b, halves ? 2 : 0, callisto)};
          const double expected = results_.alone[a].half.median() + results_.alone[b].half.median();
          std::vector<run_times> times = measure(both, most_times_slower * o_.rounds * expected);
          results_.pairs.push_back({a, b, way, std::move(times[0]), std::move(times[1])});
        }
      }
    }
  }

  void measure_background(const std::vector<std::size_t>& programs) {
    for (const std::size_t i : programs) {
      for (const unsigned duty : duty_cycles()) {
        for (const sharing_way way : {sharing_way::plain, sharing_way::callisto}) {
          if (!time_left()) return;
          const bool callisto = way == sharing_way::callisto;
          repeated_command load;
          load.name = "the load";
          load.what.program = this_program();
          load.what.arguments = {"bench", "program", "background", std::to_string(duty)};
          load.what = where_.put(load.what, 0, callisto);
          load.rounds = 0;
          const std::array both{command(i, 0, callisto), load};
          std::vector<run_times> times =
              measure(both, most_times_slower * o_.rounds * 2 * results_.alone[i].half.median());
          results_.background.push_back({i, duty, way, std::move(times[0])});
        }
      }
    }
  }

  const bench_pairs_arguments& o_;
  std::stop_token stop_;
  progress_bar bar_;
  machine::scratch_folder folder_;
  places where_;
  std::vector<paired_program> all_;
  pairs_results results_;
  stopwatch time_;
  double length_ = 0;
  std::size_t measured_ = 0;
};

void run(bench_pairs_arguments o, const std::stop_token& stop) {
  if (o.markdown && o.run.as_json) throw usage_error("--markdown: excludes --json");
  if (o.quick) {
    o.rounds = std::min(o.rounds, 2u);
    o.length = std::min(o.length, 0.2);
    o.scale = std::min(o.scale, 14u);
  }
  result page(o.page);
  if (!page.to_file()) throw usage_error("--output: standard output is taken by the tables; name a file");
  tell_if_openmp_library_is_out_of_reach();
  const stopwatch time;
  const pairs_results found = experiment(o, stop).run();
  page.write(to_page(found));
  page.commit();
  if (o.run.as_json) {
    json object = to_json(found);
    object["seconds"] = {{"measure", time.seconds()}};
    object["output"] = o.page;
    print(to_text(object));
  } else if (o.markdown) {
    print(to_markdown(found));
  } else {
    print(to_words(found));
    if (!o.run.quiet) print(fmt::format("\n{}; page: {}\n", human_seconds(time.seconds()), one_line(o.page)));
  }
}

}  // namespace

command add_bench_pairs(const command_parser& bench) {
  const command_parser parser =
      bench.add_subcommand("pairs", "Measure how programs that share the machine slow each other");
  const auto o = std::make_shared<bench_pairs_arguments>();
  parser.add_option("COMMAND", o->commands, "Programs to measure, each a command for the shell [built-in ones]");
  add_parsed(
      parser, "--programs", "LIST",
      [o](const std::string& text) { o->programs = words_of(text, "--programs", known_programs()); },
      "Built-in programs, named below [all if there is no COMMAND]")
      .word_list(known_programs());
  add_parsed(
      parser, "--background", "LIST", [o](const std::string& text) { o->background = words_of(text); },
      "Programs beside a load, or none [dynamic,memory,pagerank, or three commands]")
      .word_list({"dynamic", "memory", "pagerank", "none"})
      .more(
          "The load works for 0 to 100 percent of each 100 ms. With commands, the default is the first "
          "three of them.");
  add_parsed(
      parser, "--rounds", "N",
      [o](const std::string& text) { o->rounds = static_cast<unsigned>(parse_count("--rounds", text, 1, 10000)); },
      "Runs of each program of a pair, at least [5]");
  add_parsed(
      parser, "--length", "SECONDS",
      [o](const std::string& text) { o->length = parse_real("--length", text, {.low = least_length, .high = 3600}); },
      "How long a built-in program runs, alone on half of the machine [0.5]");
  add_parsed(
      parser, "--budget", "SECONDS",
      [o](const std::string& text) { o->budget = parse_real("--budget", text, {.low = 1}); },
      "Shorten runs so that all takes about so long, and begin nothing later [no limit]")
      .more("What was left out is said.");
  add_parsed(
      parser, "--scale", "S",
      [o](const std::string& text) { o->scale = static_cast<unsigned>(parse_count("--scale", text, 1, 30)); },
      "2^S vertices of the graph of the built-in graph programs; pagerank and triangles get\nlarger ones if they end "
      "too soon [16]");
  parser.add_flag("--quick", o->quick, "At most 2 rounds of 0.2 s on a small graph");
  parser.add_flag("--markdown", o->markdown, "Print the tables of docs/results/papers.md instead");
  parser.add_option("-o,--output", o->page, "Write the page of heat maps to FILE [pairs.html]").type_name("FILE");
  parser.add_option("--scratch", o->scratch, "Where graphs go for a while [$TMPDIR or /tmp]").type_name("DIR");
  o->run.add_reporting_to(parser);
  std::string built_in;
  for (const synthetic_program& p : synthetic_programs()) built_in += fmt::format("  {:<12} {}\n", p.name, p.what);
  for (const graph_program& p : graph_programs) {
    built_in += fmt::format("  {:<12} callisto {} on a generated graph\n", p.name, p.name);
  }
  parser.more(
      "Times are compared with those of the program alone on half of the machine. The result is a page "
      "of heat maps and curves, and tables.");
  parser.footer(
      "Runs each program alone, and each pair (a program beside itself included) so that both start again and again\n"
      "until each has ended N times, as EuroSys'14 section 4.2 does: on static halves of the machine, as the plain\n"
      "system has it (OpenMP waits passively unless OMP_WAIT_POLICY says otherwise), and as Callisto's jobs, for "
      "which\n"
      "OpenMP programs get Callisto's library if it is there. Keep the machine idle.\n\n"
      "Built-in programs, which check their results:\n" +
      built_in +
      "\n"
      "Examples:\n"
      "  callisto bench pairs\n"
      "  callisto bench pairs --programs barriers,dynamic,spinlock --budget 120\n"
      "  callisto bench pairs './cg.A.x' './lu.A.x' 'python3 model.py' --rounds 7 --output mine.html\n"
      "  callisto bench pairs --programs dynamic,pagerank './bt.A.x' --json > pairs.json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

command add_bench_program(const command_parser& bench) {
  const command_parser parser = bench.add_subcommand("program", "Be one of the programs of 'bench pairs'");
  parser.hide();  // no interface for others
  struct program_options {
    std::string name;
    std::string amount;
  };
  const auto o = std::make_shared<program_options>();
  parser.add_option("NAME", o->name, "A built-in program").required();
  parser.add_option("AMOUNT", o->amount, "How much of its work it does").required();
  parser.footer("Runs the program and prints a number that depends on all of its work. 'bench pairs' starts these.");
  return {parser, [o](const std::stop_token&) {
            if (o->name == "background")
              run_background(static_cast<unsigned>(parse_count("AMOUNT", o->amount, 0, 100)));
            print(fmt::format("{}\n", run_synthetic(o->name.c_str(), parse_count("AMOUNT", o->amount, 1))));
          }};
}

}  // namespace callisto::app
