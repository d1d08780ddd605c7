// Calibrates programs, then measures them alone, in pairs and beside a load.
#include <lab/experiments/pairs_experiment.hpp>

#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/base/text.hpp>
#include <callisto/app/cli/progress_bar.hpp>
#include <callisto/app/jobs/table_access.hpp>
#include <callisto/app/process/other_programs.hpp>
#include <callisto/app/process/spawn.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/scratch_folder.hpp>
#include <lab/experiments/pairs_runs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

/// Gives a pair up once it takes this many times what its programs take alone, per round. Linux without Callisto slows
/// some programs 39 times.
constexpr double most_times_slower = 20;

/// Puts programs in their places: the machine's halves, and the environment of each way to share it.
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

  /// Returns `what` with its contexts and environment. `half` is 0 for the whole machine, 1 or 2 for a half.
  spawn_request put(spawn_request what, unsigned half, bool callisto) const {
    if (half == 1) what.contexts = first;
    if (half == 2) what.contexts = second;
    job_settings how;
    how.cosched = callisto;
    how.openmp = callisto;
    what.environment = environment_of(how);
    // The paper uses "passive synchronization where available". So does this experiment unless the user sets
    // OMP_WAIT_POLICY.
    if (!callisto && std::getenv("OMP_WAIT_POLICY") == nullptr)
      what.environment.emplace_back("OMP_WAIT_POLICY", "passive");
    // Turns off what would cost the program time.
    for (const char* name : {"CALLISTO_STATS", "CALLISTO_TRACE"}) what.environment.emplace_back(name, "");
    return what;
  }

  std::vector<unsigned> first;
  std::vector<unsigned> second;
};

class experiment {
 public:
  experiment(const pairs_plan& o, const std::stop_token& stop)
      : o_(o), stop_(stop), bar_(o.progress), folder_(o.scratch) {}

  pairs_results run() {
    all_ = paired_programs_of(o_, [this](std::uint64_t scale) { return graph_of(scale); });
    const std::vector<std::size_t> beside_load = chosen_for_background();
    if (std::any_of(all_.begin(), all_.end(), [](const paired_program& c) { return c.takes_graph; }))
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
      std::string text = what.program == "/bin/sh"
                             ? what.arguments.back()
                             : fmt::format("{} {}", what.program == this_program() ? "callisto-lab" : "callisto",
                                           fmt::join(what.arguments, " "));
      if (const std::size_t at = text.find(folder_.file("")); at != std::string::npos) {
        text.replace(at, folder_.file("").size(), "");
      }
      results_.programs.push_back({c.name, std::move(text)});
    }
    measure_alone();
    measure_pairs();
    measure_background(beside_load);
    results_.left_out = measurements - measured_;
    results_.other_programs = others_.used();
    results_.busy = others_.warning();
    bar_.finish();
    return std::move(results_);
  }

 private:
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
    // Takes three programs, like the paper.
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
    generate.what.program = callisto_command();
    generate.what.arguments = {"generate",         "kronecker", graph_of(scale), "--scale", std::to_string(scale),
                               "--random-weights", "1",         "--quiet"};
    generate.what.environment = environment_of({.cosched = false, .weight = {}, .openmp = false});
    run_together({&generate, 1}, 600, stop_, [] {});
  }

  /// Shortens the runs if the time for all of them is limited.
  void fit_length(std::size_t runs) {
    length_ = o_.length;
    if (!o_.budget) return;
    // Allows half as much again: one program of a pair waits for the other, and some are slower than they should be.
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
    r.output = nullptr;  // the output depends on the amount
    return run_together({&r, 1}, 600, stop_, [] {}).front().median();
  }

  /// Returns an amount that takes about `longer` times as long as the present one.
  static std::uint64_t next_amount(const paired_program& c, double longer) {
    const auto now = static_cast<double>(c.amount);
    const double wanted =
        c.growth != 0 ? now + std::log(longer) / std::log(c.growth) : now * std::clamp(longer, 0.02, 20.0);
    return std::min(c.most, static_cast<std::uint64_t>(std::max(1.0, std::round(wanted))));
  }

  /// Finds amounts of work that take the wanted time on half of the machine.
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

  /// One way to run a program alone: where, and whether as a job.
  struct way_alone {
    run_times alone_times::* times;
    unsigned half;
    bool callisto;
  };
  static constexpr way_alone ways_alone[] = {{&alone_times::half, 1, false},
                                             {&alone_times::whole, 0, false},
                                             {&alone_times::whole_callisto, 0, true},
                                             {&alone_times::half_callisto, 1, true}};

  /// Runs the four ways in turns, since the machine may become faster or slower meanwhile. All others are compared with
  /// the first, so at least one of its runs is never left out.
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
      // Measures the reference throughout the experiment.
      for (std::size_t i = 0; i < all_.size() && time_left(); ++i) run_alone(i);
      for (std::size_t b = a; b < all_.size(); ++b) {
        // Measures all ways of a pair one after the other, so that other load on the machine affects all of them.
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

  const pairs_plan& o_;
  std::stop_token stop_;
  progress_bar bar_;
  machine::scratch_folder folder_;
  places where_;
  std::vector<paired_program> all_;
  pairs_results results_;
  stopwatch time_;
  other_programs others_;
  double length_ = 0;
  std::size_t measured_ = 0;
};

}  // namespace

pairs_results run_pairs_experiment(const pairs_plan& plan, const std::stop_token& stop) {
  return experiment(plan, stop).run();
}

}  // namespace callisto::lab
