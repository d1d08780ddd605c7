// Jobs that share a simulated machine: its time is the same on any machine, to the nanosecond.
#include <lab/limits/sharing.hpp>

#include <lab/simulate/machines.hpp>
#include <lab/simulate/simulated_jobs.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

constexpr shipped_machine machines[] = {
#include <lab/simulate/shipped_machines.hpp>
};

machine::simulation::description the_machine() {
  const auto* const found = std::ranges::find(machines, "epyc-9754", &shipped_machine::name);
  return machine::simulation::parse_description(std::string(found->text), "epyc-9754");
}

constexpr std::uint64_t seeds = 2;

/// Jobs on contexts of the machine.
struct situation {
  unsigned jobs;
  unsigned contexts;
  job_kind other = job_kind::batch;
  unsigned each = 0;   ///< one in `each` jobs is `other`, the rest are batch jobs; 0: none
  unsigned plain = 0;  ///< programs that are no jobs
};

std::vector<job_kind> actors_of(const situation& s) {
  std::vector<job_kind> all;
  for (unsigned j = 0; j < s.jobs; ++j)
    all.push_back(s.each != 0 && j % s.each == s.each - 1 ? s.other : job_kind::batch);
  for (unsigned i = 0; i < s.plain; ++i)
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(i * (s.jobs / s.plain)), job_kind::plain);
  return all;
}

/// Returns a function that simulates these jobs from several seeds, for half a second from a scale of 16 on and for
/// less below. It returns in seconds the mean of the time of a loop of the jobs of kind `judged`, or of the slowest in
/// 100.
std::function<double()> simulated(const situation& s, job_kind judged, bool slowest, unsigned scale) {
  const std::uint64_t length = std::uint64_t{500'000'000} >> (16 - std::min(scale, 16U));
  const auto machine = std::make_shared<machine::simulation::description>(the_machine());
  return [=, all = actors_of(s)] {
    const auto judged_jobs = static_cast<double>(std::ranges::count(all, judged));
    double sum = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const manners_setup setup{
          .actors = all, .contexts = s.contexts, .seed = seed, .warm_up = length, .length = length};
      const manners_outcome found = simulate_manners(*machine, setup, {judged}).front();
      const double loops = static_cast<double>(std::max<std::uint64_t>(1, found.loops));
      sum +=
          slowest ? static_cast<double>(found.slow) * 1e-9 : static_cast<double>(length) * 1e-9 * judged_jobs / loops;
    }
    return std::max(1e-9, sum / static_cast<double>(seeds));
  };
}

}  // namespace

const std::vector<swept_workload>& sharing_workloads() {
  using enum job_kind;
  const auto workload = [](const char* name, const char* what, const situation& s, job_kind judged, bool slowest) {
    return swept_workload{.name = name,
                          .what = what,
                          .tables = {"sharing"},
                          .prepare = [=](unsigned scale) { return simulated(s, judged, slowest, scale); },
                          .simulated = true};
  };
  const situation alike{.jobs = 16, .contexts = 32}, turns{.jobs = 32, .contexts = 8},
      crowd{.jobs = 200, .contexts = 16};
  const situation asleep{.jobs = 16, .contexts = 32, .other = light, .each = 4};
  const situation few{.jobs = 16, .contexts = 32, .plain = 2}, many{.jobs = 16, .contexts = 32, .plain = 8};
  const situation mute{.jobs = 16, .contexts = 32, .other = silent, .each = 16};
  static const std::vector<swept_workload> all{
      workload("sharing.alike", "simulated: a loop of 16 batch jobs on 32 contexts", alike, batch, false),
      workload("sharing.turns", "simulated: a loop of 32 batch jobs on 8 contexts", turns, batch, false),
      workload("sharing.turns.99", "simulated: the slowest in 100 of these", turns, batch, true),
      workload("sharing.crowd.99", "simulated: the slowest in 100 loops of 200 jobs on 16 contexts", crowd, batch,
               true),
      workload("sharing.asleep", "simulated: a loop of a batch job, a quarter of 16 mostly asleep", asleep, batch,
               false),
      workload("sharing.asleep.99", "simulated: the slowest in 100 loops of those asleep", asleep, light, true),
      workload("sharing.outsiders", "simulated: a loop, other programs on a quarter of the contexts", many, batch,
               false),
      workload("sharing.outsiders.99", "simulated: the slowest in 100, on a sixteenth of them", few, batch, true),
      workload("sharing.silent", "simulated: a loop, one of 16 jobs never checks in", mute, batch, false),
  };
  return all;
}

}  // namespace callisto::lab
