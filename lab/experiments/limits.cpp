#include <lab/experiments/limits.hpp>

#include <callisto/app/base/json.hpp>
#include <callisto/app/base/numbers.hpp>
#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/parser.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/cli/result.hpp>
#include <callisto/app/cli/run_options.hpp>
#include <callisto/app/process/child_process.hpp>
#include <callisto/app/process/spawn.hpp>
#include <callisto/machine/system/error.hpp>
#include <lab/commands.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <sstream>
#include <utility>

#include <unistd.h>

namespace callisto::lab {
namespace {

/// A run takes milliseconds; to prepare a graph takes seconds.
constexpr std::chrono::seconds longest_answer{600};

struct limits_options {
  std::vector<std::string> names;
  std::vector<std::string> workloads;
  unsigned rounds = 9;
  unsigned scale = 16;
  unsigned most = 4;
  std::string program;
  bool list = false;
  run_options run;
};

/// One limit on one workload.
struct swept_row {
  described_limit limit;
  std::string workload;
  std::vector<double> values;
  std::vector<double> seconds;  ///< by value: the least of all rounds
  double chance = 1;            ///< by how much the least times of two series at the same value differ
};

/// The program that measures, which stands still while it is not asked.
class swept_program {
 public:
  swept_program(const std::string& file, unsigned threads, const std::stop_token& stop)
      : process_(file, {}, environment(threads)), stop_(stop) {
    std::vector<std::string> lines{ask("describe")};
    while (lines.back() != "end") lines.push_back(process_.read_line(longest_answer, stop_));
    lines.pop_back();
    description = parse_swept(lines);
  }

  void order(const std::string& line) {
    if (const std::string answer = ask(line); answer != "ready")
      throw child_failure("answers '" + one_line(answer) + "'");
  }
  void set(const std::string& limit, double value) { order(fmt::format("set {} {}", limit, value)); }
  double time() { return parse_swept_time(ask("run")); }

  swept_description description;

 private:
  static variables environment(unsigned threads) {
    // Other jobs would not see that the program stands still.
    variables all{{"CALLISTO_COSCHED", "off"}, {"CALLISTO_STATS", ""}, {"CALLISTO_TRACE", ""}};
    if (threads != 0) all.emplace_back("CALLISTO_THREADS", std::to_string(threads));
    return all;
  }
  std::string ask(const std::string& line) {
    std::string answer = process_.ask(line, longest_answer, stop_);
    if (answer.starts_with("error "))
      throw child_failure(fmt::format("cannot '{}': {}", line, one_line(answer.substr(6))));
    return answer;
  }

  child_process process_;
  std::stop_token stop_;
};

std::string swept_file(const limits_options& o) {
  if (!o.program.empty()) return o.program;
  const std::filesystem::path file = std::filesystem::path(this_program()).parent_path() / "callisto-lab-swept";
  if (::access(file.c_str(), X_OK) != 0) {
    throw usage_error(
        fmt::format("{}: no such program; './x lab' builds it, or name one by --program", one_line(file.string())));
  }
  return file.string();
}

bool names_limit(const std::vector<std::string>& names, const described_limit& l) {
  return names.empty() || std::any_of(names.begin(), names.end(),
                                      [&](const std::string& name) { return name == l.name || name == l.table(); });
}
bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Returns what is to be measured, in the order of workloads. Throws usage_error for a name that is none.
std::vector<swept_row> chosen_rows(const limits_options& o, const swept_description& d) {
  for (const std::string& name : o.names) {
    if (std::none_of(d.limits.begin(), d.limits.end(), [&](const auto& l) { return names_limit({name}, l); }))
      throw usage_error(fmt::format("no limit or table '{}'; see 'callisto-lab limits --list'", one_line(name)));
  }
  for (const std::string& name : o.workloads) {
    if (std::none_of(d.workloads.begin(), d.workloads.end(), [&](const auto& w) { return w.name == name; }))
      throw usage_error(fmt::format("--workload: no '{}'; see 'callisto-lab limits --list'", one_line(name)));
  }
  std::vector<swept_row> rows;
  for (const described_workload& w : d.workloads) {
    if (!o.workloads.empty() && !contains(o.workloads, w.name)) continue;
    for (const described_limit& l : d.limits) {
      if (contains(w.tables, l.table()) && names_limit(o.names, l))
        rows.push_back({l, w.name, swept_values(l.value, o.most), {}});
    }
  }
  return rows;
}

/// Measures each value once a round, in turns, the table's own twice: so the row also tells what is chance.
void measure(swept_program& of, swept_row& row, unsigned rounds, progress_bar& bar) {
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> turns = row.values;
  turns.push_back(row.limit.value);
  std::vector<double> least(turns.size(), never);
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const std::size_t k = (i + round) % turns.size();
      of.set(row.limit.name, turns[k]);
      least[k] = std::min(least[k], of.time());
      bar.advance(1);
    }
  }
  of.set(row.limit.name, row.limit.value);
  const double again = least.back();
  least.pop_back();
  row.seconds = least;
  const auto own = std::find(row.values.begin(), row.values.end(), row.limit.value) - row.values.begin();
  double& first = row.seconds[static_cast<std::size_t>(own)];
  row.chance = std::max(first, again) / std::min(first, again);
  first = std::min(first, again);
}

std::string table_of(const std::vector<swept_row>& rows, unsigned most) {
  std::vector<table::column> columns{
      {"workload", table::align::left}, {"limit", table::align::left}, {"value"}, {"ms"}};
  for (unsigned by = most; by > 1; by /= 2) columns.push_back({fmt::format("/ {}", by)});
  for (unsigned by = 2; by <= most; by *= 2) columns.push_back({fmt::format("x {}", by)});
  columns.push_back({"flatness"});
  columns.push_back({"chance"});
  table all(std::move(columns));
  for (const swept_row& row : rows) {
    const auto seconds_at = [&](double value) {
      const auto at = std::find(row.values.begin(), row.values.end(), value) - row.values.begin();
      return static_cast<std::size_t>(at) == row.values.size() ? 0 : row.seconds[static_cast<std::size_t>(at)];
    };
    const double own = seconds_at(row.limit.value);
    std::vector<std::string> cells{row.workload, row.limit.name, fmt::format("{} {}", row.limit.value, row.limit.unit),
                                   fmt::format("{:.2f}", own * 1e3)};
    const auto add = [&](double by) {
      // The value that swept_values() made of it.
      const bool whole = row.limit.value == std::floor(row.limit.value);
      const double at = seconds_at(whole ? std::round(row.limit.value * by) : row.limit.value * by);
      cells.push_back(at == 0 ? "-" : fmt::format("{:.3f}", at / own));
    };
    for (unsigned by = most; by > 1; by /= 2) add(1.0 / by);
    for (unsigned by = 2; by <= most; by *= 2) add(by);
    cells.push_back(fmt::format("{:.3f}", flatness(row.values, row.seconds, row.limit.value)));
    cells.push_back(fmt::format("{:.3f}", row.chance));
    all.add_row(std::move(cells));
  }
  return all.render();
}

json json_of(const std::vector<swept_row>& rows) {
  json list = json::array();
  for (const swept_row& row : rows) {
    list.push_back({{"limit", row.limit.name},
                    {"value", row.limit.value},
                    {"unit", row.limit.unit},
                    {"workload", row.workload},
                    {"values", row.values},
                    {"least_seconds", row.seconds},
                    {"flatness", flatness(row.values, row.seconds, row.limit.value)},
                    {"chance", row.chance}});
  }
  return list;
}

void print_list(const swept_description& d, bool as_json) {
  if (as_json) {
    json limits = json::array();
    for (const described_limit& l : d.limits)
      limits.push_back({{"limit", l.name}, {"value", l.value}, {"unit", l.unit}});
    json workloads = json::array();
    for (const described_workload& w : d.workloads)
      workloads.push_back({{"workload", w.name}, {"tables", w.tables}, {"what", w.what}});
    return print(app::to_text({{"limits", std::move(limits)}, {"workloads", std::move(workloads)}}));
  }
  table limits({{"limit", table::align::left}, {"value"}, {"unit", table::align::left}});
  for (const described_limit& l : d.limits) limits.add_row({l.name, fmt::format("{}", l.value), l.unit});
  table workloads({{"workload", table::align::left}, {"tables", table::align::left}, {"what", table::align::left}});
  for (const described_workload& w : d.workloads)
    workloads.add_row({w.name, fmt::format("{}", fmt::join(w.tables, ", ")), w.what});
  print(limits.render() + "\n" + workloads.render());
}

void run(const limits_options& o, const std::stop_token& stop) {
  const std::string file = swept_file(o);
  try {
    swept_program program(file, o.run.threads, stop);
    if (o.list) return print_list(program.description, o.run.as_json);
    std::vector<swept_row> rows = chosen_rows(o, program.description);
    if (rows.empty()) throw usage_error("no workload depends on these limits; see 'callisto-lab limits --list'");
    const stopwatch time;
    std::uint64_t runs = 0;
    for (const swept_row& row : rows) runs += (row.values.size() + 1) * o.rounds;
    progress_bar bar(o.run.progress_wanted());
    bar.begin("measuring", runs, "runs");
    std::string prepared;
    for (swept_row& row : rows) {
      if (row.workload != prepared) {
        program.order(fmt::format("prepare {} {}", row.workload, o.scale));
        prepared = row.workload;
        program.time();  // the first run finds memory and loops' sites new
      }
      measure(program, row, o.rounds, bar);
    }
    bar.finish();
    if (o.run.as_json) {
      return print(app::to_text({{"scale", o.scale},
                                 {"rounds", o.rounds},
                                 {"limits", json_of(rows)},
                                 {"seconds", {{"measure", time.seconds()}}}}));
    }
    print(table_of(rows, o.most));
  } catch (const child_failure& failed) {
    throw error(fmt::format("{}: {}", one_line(file), failed.what()));
  }
}

}  // namespace

swept_description parse_swept(const std::vector<std::string>& lines) {
  swept_description d;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "limit") {
      described_limit l;
      words >> l.name >> l.value >> l.unit;
      if (words && l.name.find('.') != std::string::npos && l.value > 0) {
        d.limits.push_back(std::move(l));
        continue;
      }
    } else if (kind == "workload") {
      described_workload w;
      std::string tables;
      if (words >> w.name >> tables && std::getline(words >> std::ws, w.what)) {
        std::istringstream list(tables);
        for (std::string one; std::getline(list, one, ',');) w.tables.push_back(one);
        d.workloads.push_back(std::move(w));
        continue;
      }
    }
    throw child_failure(fmt::format("describes itself by '{}'", one_line(line)));
  }
  return d;
}

double parse_swept_time(std::string_view answer) {
  std::istringstream words{std::string(answer)};
  std::string verb;
  double seconds = 0;
  if (!(words >> verb >> seconds) || verb != "time" || !std::isfinite(seconds) || seconds <= 0)
    throw child_failure(fmt::format("answers '{}' instead of 'time SECONDS'", one_line(answer.substr(0, 200))));
  return seconds;
}

std::vector<double> swept_values(double value, unsigned most) {
  const bool whole = value == std::floor(value);
  std::vector<double> all;
  const auto add = [&](double v) {
    if (whole) v = std::round(v);
    if (v > 0 && (all.empty() || v > all.back())) all.push_back(v);
  };
  for (unsigned by = most; by > 1; by /= 2) add(value / by);
  // What rounds to the value itself would be measured twice.
  while (!all.empty() && all.back() >= value) all.pop_back();
  for (unsigned by = 1; by <= most; by *= 2) add(value * by);
  return all;
}

double flatness(const std::vector<double>& values, const std::vector<double>& seconds, double value) {
  double shortest = std::numeric_limits<double>::infinity();
  double longest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Whole values round: a quarter of 6 is 2.
    if (values[i] > 4 * value || std::ceil(4 * values[i]) < value) continue;
    shortest = std::min(shortest, seconds[i]);
    longest = std::max(longest, seconds[i]);
  }
  return longest / shortest;
}

command add_limits(const command_parser& program) {
  const command_parser parser =
      program.add_subcommand("limits", "Measure how flat the optimum of each limit of kernels and loops is");
  const auto o = std::make_shared<limits_options>();
  parser.add_option("LIMIT", o->names, "Limits such as bfs.alpha, or tables of them such as bfs [all]");
  add_parsed(
      parser, "--workload", "LIST",
      [o](const std::string& text) {
        std::istringstream list(text);
        for (std::string one; std::getline(list, one, ',');) o->workloads.push_back(one);
      },
      "Only these, such as bfs.grid,loop.even [all that depend on the limits]");
  add_parsed(
      parser, "--rounds", "N",
      [o](const std::string& text) { o->rounds = static_cast<unsigned>(parse_count("--rounds", text, 1, 10000)); },
      "Runs of each value, of which the shortest counts [9]");
  add_parsed(
      parser, "--scale", "N",
      [o](const std::string& text) { o->scale = static_cast<unsigned>(parse_count("--scale", text, 8, 26)); },
      "Graphs of 2^N vertices, loops of 2^N iterations [16]");
  add_parsed(
      parser, "--most", "FACTOR",
      [o](const std::string& text) {
        const std::uint64_t most = parse_count("--most", text, 2, 8);
        if (most != 2 && most != 4 && most != 8) throw usage_error("--most: expected 2, 4 or 8, found " + text);
        o->most = static_cast<unsigned>(most);
      },
      "Up to this factor around each value: 2, 4 or 8 [4]")
      .words({"2", "4", "8"});
  add_parsed(
      parser, "--threads", "N",
      [o](const std::string& text) { o->run.threads = static_cast<unsigned>(parse_count("--threads", text, 1, 1024)); },
      "Threads [one for each CPU that may be used]");
  parser.add_option("--program", o->program, "The program that measures [callisto-lab-swept beside this one]")
      .type_name("FILE");
  parser.add_flag("--list", o->list, "List limits and workloads instead");
  o->run.add_reporting_to(parser);
  parser.more(
      "The library has its limits as constants, in tables `limits.hpp` a kernel or scheduler. The program "
      "`callisto-lab-swept` has the same code with variables in their place; `./x lab` builds it, and nothing "
      "installs it.");
  parser.footer(
      "Runs kernels and loops with each limit at its value, at its value by 2, 4 and so on, in turns, and prints the "
      "time\n"
      "by the time at the value. Flatness is the longest by the shortest time within a factor of 4; chance is by how "
      "much\n"
      "two series of runs at the same value differ: a flatness no larger than that says that the limit makes no "
      "difference\n"
      "here. A result that depends on a limit makes the exit code 1. Keep the machine idle.\n\n"
      "Examples:\n"
      "  callisto-lab limits --list\n"
      "  callisto-lab limits bfs --workload bfs.kronecker --scale 20\n"
      "  callisto-lab limits loop.claims_a_second --most 8 --rounds 25 --json");
  return {parser, [o](const std::stop_token& stop) { run(*o, stop); }};
}

}  // namespace callisto::lab
