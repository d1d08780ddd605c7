// Starts two actors at a time. Each pair runs once with sharing and once without in a round; which comes first changes.
#include <lab/experiments/runtimes.hpp>

#include <callisto/app/base/sample_statistics.hpp>
#include <callisto/app/base/table.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/app/process/spawn.hpp>
#include <callisto/callisto.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>
#include <lab/experiments/one_run.hpp>
#include <lab/experiments/runtime_actors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include <unistd.h>

namespace callisto::lab {
namespace {

using namespace std::chrono_literals;

/// Returns the file of a program that PATH has; empty: none.
std::string on_path(std::string_view program) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    std::string file = fmt::format("{}/{}", rest.substr(0, colon), program);
    if (colon != 0 && ::access(file.c_str(), X_OK) == 0) return file;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return {};
}

/// What an actor said.
struct actor_figures {
  double units = 0;
  double median = 0;
  double used = 0;  ///< seconds of processor time
};

/// The programs of an experiment, and where they share.
class actor_starter {
 public:
  spawn_request request(const std::string& name, bool shares, double seconds, std::int64_t begin) const {
    const std::string kind = name.substr(0, name.find(':'));
    std::vector<std::string> arguments = {name, std::to_string(static_cast<std::int64_t>(seconds * 1e3)),
                                          std::to_string(begin)};
    spawn_request made{.program = this_program(), .arguments = {"bench", "program"}, .environment = {}, .contexts = {}};
    made.environment = environment_of({.cosched = {}, .weight = {}, .openmp = kind.starts_with("openmp")});
    const auto set = [&](const char* variable, const std::string& value) {
      made.environment.emplace_back(variable, value);
    };
    set("CALLISTO_COSCHED", shares ? "" : "off");
    set("CALLISTO_COSCHED_DIR", folder_.path());
    set("CALLISTO_WEIGHT", "");
    if (name.ends_with(actor_threads)) {
      const std::string twice = std::to_string(2 * threads());
      for (const char* variable : {"CALLISTO_THREADS", "OMP_NUM_THREADS"}) set(variable, twice);
      // Cores of a rank have contexts of their own: two ranks have as many as there are contexts.
    }
    if (kind == "python") {
      made.program = python_;
      made.arguments = {"-c", std::string(python_actor())};
      // The package of this build; else the one that is installed.
      const auto package = (std::filesystem::path(this_program()).parent_path() / ".." / "python").lexically_normal();
      std::error_code ignored;
      if (std::filesystem::is_directory(package / "callisto_graph", ignored)) set("PYTHONPATH", package.string());
    } else if (kind == "ranks") {
      made.program = launcher_;
      made.arguments = {"-n", "2", this_program(), "bench", "program"};
      // Open MPI refuses more ranks than cores, and root, unless it is told.
      for (const char* variable : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT",
                                   "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"})
        set(variable, "1");
    }
    made.arguments.insert(made.arguments.end(), arguments.begin(), arguments.end());
    return made;
  }

  /// Returns why the runtime's program does not run here; empty: it does.
  std::string refusal(const std::string& kind, const std::stop_token& stop) const {
    if (kind == "ranks" && launcher_.empty()) return "no mpirun on the path";
    if (kind == "python" && python_.empty()) return "no python3 on the path";
    if (kind != "ranks" && kind != "python") return {};
    try {
      static_cast<void>(run({kind}, true, 0.01, stop));
      return {};
    } catch (const error& e) {
      return e.what();
    }
  }

  /// Runs actors side by side, each once; returns what each said.
  std::vector<actor_figures> run(const std::vector<std::string>& names, bool shares, double seconds,
                                 const std::stop_token& stop) const {
    // What starts through a launcher or an interpreter is ready late.
    const bool starts_late = std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return name.starts_with("ranks") || name.starts_with("python");
    });
    const auto begin = std::chrono::nanoseconds(
        (std::chrono::steady_clock::now() + (starts_late ? 1500ms : 300ms)).time_since_epoch());
    std::vector<std::string> outputs(names.size());
    std::vector<std::unique_ptr<one_run>> running;
    for (std::size_t i = 0; i < names.size(); ++i) {
      running.push_back(
          std::make_unique<one_run>(names[i], request(names[i], shares, seconds, begin.count()), &outputs[i]));
    }
    std::vector<actor_figures> all(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      while (!running[i]->ended()) {
        if (stop.stop_requested()) throw graph::cancelled();
        std::this_thread::sleep_for(5ms);
      }
      if (std::sscanf(outputs[i].c_str(), "%lf %lf %*f %*f %lf", &all[i].units, &all[i].median, &all[i].used) != 3)
        throw error(fmt::format("bench manners: the program '{}' said '{}'", names[i], one_line(outputs[i])));
      all[i].units = std::max(all[i].units, 1.0);
      all[i].used = std::max(all[i].used, 1e-6);
    }
    return all;
  }

 private:
  machine::scratch_folder folder_;
  const std::string python_ = on_path("python3");
  // MPICH leaves ranks where the system puts them; Open MPI binds each to a core.
  const std::string launcher_ = on_path("mpirun.mpich").empty() ? on_path("mpirun") : on_path("mpirun.mpich");
};

}  // namespace

runtimes_result measure_runtimes(const runtimes_plan& plan, const std::stop_token& stop) {
  const actor_starter actors;
  runtimes_result found;
  std::vector<std::string> here;
  for (const std::string& name : plan.runtimes) {
    if (std::string why = actors.refusal(name, stop); why.empty()) {
      here.push_back(name);
    } else {
      found.absent.push_back({name, std::move(why)});
    }
  }
  struct pair_to_run {
    std::string first;
    std::string second;
    std::string way;
  };
  std::vector<pair_to_run> pairs;
  for (const std::string& way : plan.ways) {
    for (std::size_t a = 0; a < here.size(); ++a) {
      // Two that run alike are one pair, whichever is first.
      for (std::size_t b = way == "plain" ? a : 0; b < here.size(); ++b) pairs.push_back({here[a], here[b], way});
    }
  }
  progress_bar bar(plan.progress);
  bar.begin("measuring", pairs.size() * plan.rounds * 2, "runs");
  for (const pair_to_run& p : pairs) {
    const bool plain = p.way == "plain";
    std::vector<std::vector<actor_figures>> off;
    std::vector<std::vector<actor_figures>> sharing;
    for (unsigned round = 0; round < plan.rounds; ++round) {
      for (unsigned turn = 0; turn < 2; ++turn) {
        const bool shares = (round + turn) % 2 == 1;
        (shares ? sharing : off)
            .push_back(actors.run({p.first, plain ? p.second : p.second + ":" + p.way}, shares, plan.seconds, stop));
        bar.advance(1);
      }
    }
    const auto add = [&](const std::string& runtime, const std::string& beside, const char* measure, auto value,
                         bool more_is_better) {
      std::vector<double> before;
      std::vector<double> after;
      std::vector<double> ratios;
      for (unsigned round = 0; round < plan.rounds; ++round) {
        before.push_back(value(off[round]));
        after.push_back(value(sharing[round]));
        ratios.push_back(more_is_better ? before.back() / after.back() : after.back() / before.back());
      }
      found.cells.push_back({runtime, beside, p.way, measure, median_of(before), median_of(after), median_of(ratios)});
    };
    using both = std::vector<actor_figures>;
    const char* const rate = "units a second";
    const char* const efficiency = "units a second of processor time";
    if (plain && p.first == p.second) {
      const auto units = [](const both& f) { return f[0].units + f[1].units; };
      add(p.first, p.second, rate, [&](const both& f) { return units(f) / plan.seconds; }, true);
      add(p.first, p.second, efficiency, [&](const both& f) { return units(f) / (f[0].used + f[1].used); }, true);
      continue;
    }
    const auto add_of = [&](const std::string& runtime, const std::string& beside, std::size_t which) {
      add(runtime, beside, rate, [&](const both& f) { return f[which].units / plan.seconds; }, true);
      add(runtime, beside, efficiency, [&](const both& f) { return f[which].units / f[which].used; }, true);
    };
    add_of(p.first, p.second, 0);
    if (plain) add_of(p.second, p.first, 1);
    if (p.way == actor_sleeps)
      add(p.second, p.first, "median unit, ms", [](const both& f) { return f[1].median; }, false);
  }
  bar.finish();
  return found;
}

std::string tables_of(const runtimes_result& of, double limit) {
  std::string text;
  std::vector<std::pair<std::string, std::string>> headings;  // way and measure, in order of their first cells
  std::vector<std::string> names;
  for (const runtime_cell& c : of.cells) {
    if (std::find(headings.begin(), headings.end(), std::pair(c.way, c.measure)) == headings.end())
      headings.emplace_back(c.way, c.measure);
    if (std::find(names.begin(), names.end(), c.runtime) == names.end()) names.push_back(c.runtime);
  }
  for (const auto& [way, measure] : headings) {
    const bool sleeper = measure.starts_with("median");
    std::vector<table::column> columns{{way == "plain" ? "beside"
                                        : sleeper      ? way + ", beside"
                                                       : "beside, " + way,
                                        table::align::left}};
    for (const std::string& name : names) columns.push_back({name});
    table rows(columns);
    for (const std::string& runtime : names) {
      std::vector<std::string> cells{runtime};
      for (const std::string& beside : names) {
        const auto cell = std::find_if(of.cells.begin(), of.cells.end(), [&](const runtime_cell& c) {
          return c.runtime == runtime && c.beside == beside && c.way == way && c.measure == measure;
        });
        cells.push_back(cell == of.cells.end() ? "-"
                                               : fmt::format("{:.2f}{}", cell->ratio, cell->ratio > limit ? "*" : ""));
      }
      rows.add_row(cells);
    }
    text += fmt::format("{}\n{}\n", measure, rows.render());
  }
  for (const auto& a : of.absent) text += fmt::format("left out: {} ({})\n", a.name, one_line(a.why));
  const auto missed =
      std::count_if(of.cells.begin(), of.cells.end(), [&](const runtime_cell& c) { return c.ratio > limit; });
  return text + fmt::format("{} of {} measures are above {}\n", missed, of.cells.size(), limit);
}

json json_of(const runtimes_result& of, double limit) {
  json list = json::array();
  for (const runtime_cell& c : of.cells) {
    list.push_back({{"runtime", c.runtime},
                    {"beside", c.beside},
                    {"way", c.way},
                    {"measure", c.measure},
                    {"off", c.off},
                    {"sharing", c.sharing},
                    {"worse", c.ratio},
                    {"kept", c.ratio <= limit}});
  }
  json absent = json::object();
  for (const auto& a : of.absent) absent[a.name] = a.why;
  const auto missed =
      std::count_if(of.cells.begin(), of.cells.end(), [&](const runtime_cell& c) { return c.ratio > limit; });
  return {{"limit", limit}, {"missed", missed}, {"runtimes", list}, {"absent", absent}};
}

}  // namespace callisto::lab
