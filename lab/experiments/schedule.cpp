// Takes turns, checks results, and makes paired runs.
#include <lab/experiments/schedule.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace callisto::lab {
namespace {

/// Returns the ways of one candidate that suit `w`.
std::vector<loop_way> ways_of(const candidate& e, std::size_t index, const bench_workload& w,
                              const std::vector<std::uint64_t>& batches) {
  const bool sparse = w.shape == cost_shape::sparse;
  std::vector<loop_way> ways;
  for (std::size_t m = 0; m < e.description.methods.size(); ++m) {
    const loop_method& method = e.description.methods[m];
    if (sparse && !method.runs_ranges) continue;
    if (method.takes_batches && !sparse) {
      for (const std::uint64_t batch : batches) {
        if (batch == 1 || batch < w.n) ways.push_back({index, m, batch});
      }
    }
    if (method.chooses_batches) ways.push_back({index, m, 0});
  }
  return ways;
}

class measurer {
 public:
  measurer(const schedule_plan& plan, std::vector<candidate>& candidates, candidate_process& baseline,
           const graph::run_control& context, const std::function<void(const measured_loop&)>& measured)
      : plan_(plan), candidates_(candidates), baseline_(baseline), context_(context), measured_(measured) {}

  schedule_results measure() {
    for (const bench_workload& w : plan_.loops) {
      measure_loop(w);
      measured_(results_.loops.back());
    }
    if (plan_.claims) measure_claims();
    if (plan_.launches) measure_launches();
    return std::move(results_);
  }

 private:
  /// Lets candidate `index` run during f(program). Leaves it out from then on if it fails.
  template <class F>
  void turn(std::size_t index, F f) {
    candidate& e = candidates_[index];
    if (e.program == nullptr) return;
    try {
      e.program->proceed();
      f(*e.program);
      e.program->halt();
    } catch (const child_failure& failure) {
      e.program.reset();
      e.failure = failure.what();
      if (index == 0) throw child_failure("the contestant Callisto " + e.failure);
    }
  }

  /// Calls f for each candidate. The order rotates from round to round, so that none always follows the same one.
  template <class F>
  void each_candidate(unsigned round, F f) {
    for (std::size_t i = 0; i < candidates_.size(); ++i) f((i + round) % candidates_.size());
  }

  void begin(const std::string& what, std::size_t runs) {
    if (context_.report != nullptr) context_.report->begin("timing " + what, runs, "runs");
  }
  void advance(std::size_t runs = 1) {
    if (context_.report != nullptr) context_.report->advance(runs);
  }

  bool right(const loop_timing& found, const loop_timing& expected, const bench_workload& w, const std::string& who) {
    if (found.same_result(expected)) return true;
    results_.wrong.push_back(fmt::format(
        "{}, {}: {}", who, w.name,
        found.count != expected.count ? fmt::format("{} iterations instead of {}", found.count, expected.count)
                                      : std::string("as many iterations as there are, but not each of them once")));
    return false;
  }

  std::string name_of(const loop_way& way) const {
    const candidate_description& d = candidates_[way.candidate].description;
    std::string name = d.name;
    if (d.methods.size() > 1) name += ' ' + d.methods[way.method].name;
    return way.batch == 0 ? name : fmt::format("{}, batch {}", name, way.batch);
  }

  void measure_loop(const bench_workload& w) {
    measured_loop loop;
    loop.workload = w;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      for (const loop_way& way : ways_of(candidates_[i], i, w, plan_.batches)) loop.ways.push_back({way});
    }
    begin(w.name, plan_.rounds * (loop.ways.size() + 1));
    const std::string order = w.order();
    baseline_.proceed();
    const loop_timing expected = baseline_.sequential(w.repeats, order);
    baseline_.halt();
    for (unsigned round = 0; round < plan_.rounds; ++round) {
      const auto [plain, perfect] = without_scheduler(w);
      loop.perfect.push_back(plain / perfect);
      advance();
      each_candidate(round, [&](std::size_t index) {
        turn(index, [&](candidate_process& program) { measure_turn(loop, order, expected, index, program); });
      });
    }
    // Drops ways that never had a right result.
    std::erase_if(loop.ways, [](const measured_way& way) { return way.speedups.empty(); });
    measure_paired_runs(loop, order);
    results_.loops.push_back(std::move(loop));
  }

  /// Returns the seconds of the plain loop, and those of the same work by one plain loop per thread at the same time.
  std::pair<double, double> without_scheduler(const bench_workload& w) {
    // Runs as long as the repeated loop, but in one piece.
    bench_workload whole = w;
    if (w.shape == cost_shape::even) whole.n = w.n * w.repeats;
    baseline_.proceed();
    const loop_timing plain = baseline_.sequential(1, whole.order());
    const loop_timing together = baseline_.perfect(plan_.threads, whole.order());
    baseline_.halt();
    return {plain.seconds, together.seconds / plan_.threads};
  }

  /// Runs all ways of one candidate once, between two plain loops.
  void measure_turn(measured_loop& loop, const std::string& order, const loop_timing& expected, std::size_t index,
                    candidate_process& program) {
    const bench_workload& w = loop.workload;
    std::vector<std::pair<measured_way*, double>> times;
    const loop_timing before = program.sequential(w.repeats, order);
    for (measured_way& way : loop.ways) {
      if (way.way.candidate != index) continue;
      const loop_timing t = program.run(way.way.method, way.way.batch, w.repeats, order);
      if (right(t, expected, w, name_of(way.way))) times.emplace_back(&way, t.seconds);
      advance();
    }
    const loop_timing after = program.sequential(w.repeats, order);
    if (!right(before, expected, w, candidates_[index].description.name + ", plain loop")) return;
    const double plain = (before.seconds + after.seconds) / 2;
    loop.plain.push_back(plain);
    for (const auto& [way, seconds] : times) way->speedups.push_back(plain / seconds);
  }

  /// Compares Callisto without settings with each peer's best way in more rounds, one right after the other.
  void measure_paired_runs(measured_loop& loop, const std::string& order) {
    constexpr std::size_t most = 4;
    if (loop.find(default_way) == nullptr || plan_.paired_rounds == 0) return;
    std::vector<std::pair<double, loop_way>> peers;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (candidates_[i].callisto || candidates_[i].program == nullptr) continue;
      const measured_way* best = loop.best([&](const loop_way& way) { return way.candidate == i; });
      if (best != nullptr) peers.emplace_back(best->median(), best->way);
    }
    std::sort(peers.begin(), peers.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    peers.resize(std::min(peers.size(), most));
    std::vector<std::vector<double>> ratios(peers.size());
    std::vector<double> of_perfect;
    begin(loop.workload.name + " again", plan_.paired_rounds * (peers.size() * 2 + 2));
    const auto time_of = [&](const loop_way& way) {
      std::optional<double> seconds;
      turn(way.candidate, [&](candidate_process& program) {
        seconds = program.run(way.method, way.batch, loop.workload.repeats, order).seconds;
      });
      advance();
      return seconds;
    };
    for (unsigned round = 0; round < plan_.paired_rounds; ++round) {
      for (std::size_t p = 0; p < peers.size(); ++p) {
        // Callisto and the peer alternate in beginning a round.
        const bool first = round % 2 == 0;
        std::optional<double> ours = first ? time_of(default_way) : std::nullopt;
        const std::optional<double> theirs = time_of(peers[p].second);
        if (!first) ours = time_of(default_way);
        if (ours && theirs) ratios[p].push_back(*theirs / *ours);
      }
      if (loop.workload.shape != cost_shape::sparse) {  // `perfect` runs a sparse loop once, not all repeats
        const double perfect = without_scheduler(loop.workload).second;
        of_perfect.push_back(perfect / *time_of(default_way));
      }
      advance();
    }
    if (!of_perfect.empty()) loop.of_perfect = estimate_of(of_perfect);
    for (std::size_t p = 0; p < peers.size(); ++p) {
      if (!ratios[p].empty()) loop.paired_runs.push_back({peers[p].second, estimate_of(ratios[p])});
    }
  }

  void measure_claims() {
    const std::uint64_t n = (std::uint64_t{1} << 22) / plan_.divisor;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      for (std::size_t m = 0; m < candidates_[i].description.methods.size(); ++m) {
        if (candidates_[i].description.methods[m].takes_batches) results_.claims.push_back({{i, m, 1}});
      }
    }
    begin("batches of one", plan_.rounds * results_.claims.size());
    for (unsigned round = 0; round < plan_.rounds; ++round) {
      each_candidate(round, [&](std::size_t index) {
        turn(index, [&](candidate_process& program) {
          for (measured_claim& claim : results_.claims) {
            if (claim.way.candidate != index) continue;
            const double seconds = program.empty(claim.way.method, claim.way.batch, n);
            claim.nanoseconds.push_back(seconds * 1e9 * plan_.threads / static_cast<double>(n));
            advance();
          }
        });
      });
    }
    std::erase_if(results_.claims, [](const measured_claim& c) { return c.nanoseconds.empty(); });
  }

  void measure_launches() {
    constexpr std::array<unsigned, launch_waits.size()> counts{15'000, 300, 60};
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      for (std::size_t m = 0; m < candidates_[i].description.methods.size(); ++m) {
        const bool chooses = candidates_[i].description.methods[m].chooses_batches;
        results_.launches.push_back({{i, m, chooses ? 0U : 1U}});
      }
    }
    begin("launches", plan_.rounds * results_.launches.size());
    for (unsigned round = 0; round < plan_.rounds; ++round) {
      each_candidate(round, [&](std::size_t index) {
        turn(index, [&](candidate_process& program) {
          for (measured_launch& launch : results_.launches) {
            if (launch.way.candidate != index) continue;
            for (std::size_t wait = 0; wait < launch_waits.size(); ++wait) {
              const auto count = static_cast<unsigned>(std::max<std::uint64_t>(15, counts[wait] / plan_.divisor));
              const launch_timing t = program.launch(launch.way.method, launch.way.batch, launch_waits[wait], count);
              launch.seconds[wait].push_back(t.seconds);
              launch.share[wait].push_back(t.share);
            }
            advance();
          }
        });
      });
    }
    std::erase_if(results_.launches, [](const measured_launch& l) { return l.share.back().empty(); });
  }

  const schedule_plan& plan_;
  std::vector<candidate>& candidates_;
  candidate_process& baseline_;
  const graph::run_control& context_;
  const std::function<void(const measured_loop&)>& measured_;
  schedule_results results_;
};

}  // namespace

const measured_way* measured_loop::find(const loop_way& way) const {
  const auto at = std::find_if(ways.begin(), ways.end(), [&](const measured_way& w) { return w.way == way; });
  return at == ways.end() ? nullptr : &*at;
}

schedule_results measure_schedules(const schedule_plan& plan, std::vector<candidate>& candidates,
                                   candidate_process& baseline, const graph::run_control& context,
                                   const std::function<void(const measured_loop&)>& measured) {
  return measurer(plan, candidates, baseline, context, measured).measure();
}

}  // namespace callisto::lab
