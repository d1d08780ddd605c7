// Divides cores among jobs: (1) a matching for the main threads, (2) shares by weight, (3) neighbouring cores together,
// (4) turns where a main thread's core is more than its job's weight is worth.
#include <callisto/cosched/context_assignment.hpp>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

namespace callisto::cosched {
namespace {

/// Returns the contexts of each core, ascending.
using core = std::pmr::vector<unsigned>;
using numbers = std::pmr::vector<unsigned>;
using core_list = std::pmr::vector<core>;
using job_demands = std::pmr::vector<job_demand>;
using flags = std::pmr::vector<bool>;
using memory = std::pmr::memory_resource;

core_list cores_of(const std::vector<unsigned>& core_of, memory* from) {
  std::pmr::map<unsigned, core> by_number(from);
  for (unsigned c = 0; c < core_of.size() && c < max_contexts; ++c) {
    if (core_of[c] != no_core) by_number[core_of[c]].push_back(c);
  }
  core_list all(from);
  for (auto& [number, contexts] : by_number) all.push_back(std::move(contexts));
  return all;
}

/// Returns the first context of the core that the job may use, or its main thread's if that is on the core; no_context:
/// none.
unsigned place_in(const core& k, const job_demand& j) {
  unsigned first = context_assignment::no_context;
  for (const unsigned c : k) {
    if (!j.contexts.has(c)) continue;
    if (c == j.main) return c;
    if (first == context_assignment::no_context) first = c;
  }
  return first;
}

bool usable(const core& k, const job_demand& j) { return place_in(k, j) != context_assignment::no_context; }

constexpr unsigned unowned = ~0u;

/// Finds cores for main threads: a maximum matching of jobs with cores (Kuhn's augmenting paths). A job gets its main
/// thread's core if no earlier job has it.
class matching {
 public:
  matching(const core_list& cores, const job_demands& jobs)
      : cores_(cores), jobs_(jobs), owner_(cores.size(), unowned, cores.get_allocator()) {
    for (unsigned j = 0; j < jobs.size(); ++j) {
      if (!jobs[j].wants_main) continue;
      for (unsigned k = 0; k < cores.size(); ++k) {
        if (owner_[k] == unowned && place_in(cores[k], jobs[j]) == jobs[j].main && jobs[j].main < max_contexts) {
          owner_[k] = j;
          break;
        }
      }
    }
    for (unsigned j = 0; j < jobs.size(); ++j) {
      if (!jobs[j].wants_main || std::find(owner_.begin(), owner_.end(), j) != owner_.end()) continue;
      flags seen(cores.size(), cores.get_allocator());
      find(j, seen);
    }
  }

  /// Holds, by core, an index of jobs, or unowned.
  numbers take() { return std::move(owner_); }

 private:
  bool find(unsigned j, flags& seen) {
    // Free cores first: no job has to move.
    for (unsigned k = 0; k < cores_.size(); ++k) {
      if (owner_[k] == unowned && usable(cores_[k], jobs_[j])) {
        owner_[k] = j;
        return true;
      }
    }
    for (unsigned k = 0; k < cores_.size(); ++k) {
      if (seen[k] || !usable(cores_[k], jobs_[j])) continue;
      seen[k] = true;
      if (find(owner_[k], seen)) {
        owner_[k] = j;
        return true;
      }
    }
    return false;
  }

  const core_list& cores_;
  const job_demands& jobs_;
  numbers owner_;
};

/// Gives each core without an owner to the job that has the fewest cores for its weight. All cores of a job count,
/// including its main thread's.
void share_out(const core_list& cores, const job_demands& jobs, numbers& owner) {
  std::pmr::vector<std::uint64_t> held(jobs.size(), jobs.get_allocator());
  for (const unsigned j : owner) {
    if (j != unowned) ++held[j];
  }
  for (unsigned k = 0; k < cores.size(); ++k) {
    if (owner[k] != unowned) continue;
    unsigned best = unowned;
    for (unsigned j = 0; j < jobs.size(); ++j) {
      if (!usable(cores[k], jobs[j])) continue;
      // (held + 1) / weight, compared without division.
      if (best == unowned || (held[j] + 1) * jobs[best].weight < (held[best] + 1) * jobs[j].weight) best = j;
    }
    if (best == unowned) continue;
    owner[k] = best;
    ++held[best];
  }
}

/// Rearranges the cores so that each job's are neighbours; numbers of cores and cores of main threads stay. Changes
/// nothing where masks forbid it.
void pack(const core_list& cores, const job_demands& jobs, const numbers& mains, numbers& owner) {
  numbers left(jobs.size(), jobs.get_allocator());
  for (unsigned k = 0; k < cores.size(); ++k) {
    if (owner[k] != unowned && mains[k] == unowned) ++left[owner[k]];
  }
  // In the order of the main threads, so that a job's cores lie around its main thread's.
  numbers order(jobs.get_allocator());
  for (const unsigned j : mains) {
    if (j != unowned) order.push_back(j);
  }
  for (unsigned j = 0; j < jobs.size(); ++j) {
    if (std::find(order.begin(), order.end(), j) == order.end()) order.push_back(j);
  }
  numbers packed(mains, mains.get_allocator());
  for (const unsigned j : order) {
    for (unsigned k = 0; k < cores.size() && left[j] != 0; ++k) {
      if (packed[k] != unowned || !usable(cores[k], jobs[j])) continue;
      packed[k] = j;
      --left[j];
    }
    if (left[j] != 0) return;
  }
  owner = std::move(packed);
}

/// A job's part in the time slices of a core.
struct part {
  unsigned job;  ///< an index of jobs
  std::uint64_t weight;
};
using parts = std::pmr::vector<part>;
using part_list = std::pmr::vector<parts>;

std::uint64_t weight_of(const parts& all) {
  return std::accumulate(all.begin(), all.end(), std::uint64_t{0},
                         [](std::uint64_t n, const part& p) { return n + p.weight; });
}

/// Returns a * b / c, though the product may not fit 64 bits.
std::uint64_t scaled(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b / c);
}

/// Shares the cores of main threads that are worth more than their job's weight: for example half of a machine of two
/// cores for a quarter of the weight. The excess goes in time slices to jobs that have less than their share. Other
/// cores stay whole. So does a core of which a job would get less than an eighth: such short slices cost more than they
/// give. The owners therefore keep an eighth, too.
void lend_surplus(const core_list& cores, const job_demands& jobs, part_list& turns) {
  numbers cores_of(jobs.size(), jobs.get_allocator());
  std::uint64_t divided = 0;
  for (const parts& of_core : turns) {
    for (const part& p : of_core) ++cores_of[p.job];
    divided += of_core.empty() ? 0 : 1;
  }
  // The unit: a core has `fine` times as many as the weights of all jobs together.
  // Heavy weights are fine enough by themselves, and the products below must fit 64 bits.
  const auto heaviest = std::max_element(jobs.begin(), jobs.end(),
                                         [](const job_demand& x, const job_demand& y) { return x.weight < y.weight; });
  const std::uint64_t fine = jobs.empty() || heaviest->weight <= 1024 ? 1024 : 16;
  std::uint64_t whole = 0;
  for (unsigned j = 0; j < jobs.size(); ++j) whole += cores_of[j] != 0 ? fine * jobs[j].weight : 0;
  const std::uint64_t least = whole / 8 + 1;
  const auto worth = [&](unsigned j) { return divided * fine * jobs[j].weight; };
  std::pmr::vector<std::uint64_t> held(jobs.size(), jobs.get_allocator());
  for (const parts& of_core : turns) {
    for (const part& p : of_core) held[p.job] += scaled(whole, p.weight, weight_of(of_core));
  }
  for (unsigned k = 0; k < cores.size(); ++k) {
    parts& of_core = turns[k];
    const bool only_one =
        std::all_of(of_core.begin(), of_core.end(), [&](const part& p) { return cores_of[p.job] == 1; });
    const std::uint64_t weight = weight_of(of_core);
    const std::uint64_t kept = std::max(divided * fine * weight, least);
    if (weight == 0 || !only_one || kept >= whole) continue;
    std::uint64_t spare = whole - kept;
    parts lent(turns.get_allocator());
    for (;;) {
      part most{unowned, least};
      for (unsigned j = 0; j < jobs.size(); ++j) {
        if (cores_of[j] == 0 || worth(j) <= held[j] || !usable(cores[k], jobs[j])) continue;
        const std::uint64_t lacks = std::min(spare, worth(j) - held[j]);
        if (lacks > most.weight || (lacks == most.weight && most.job == unowned)) most = {j, lacks};
      }
      if (most.job == unowned) break;
      lent.push_back(most);
      held[most.job] += most.weight;
      spare -= most.weight;
    }
    if (lent.empty()) continue;
    for (part& p : of_core) p.weight = scaled(kept + spare, p.weight, weight);
    of_core.insert(of_core.end(), lent.begin(), lent.end());
  }
}

}  // namespace

context_assignment divide(const std::vector<unsigned>& core_of, std::span<const job_demand> among, arrangement_rule how,
                          memory* from) {
  job_demands jobs(among.begin(), among.end(), from);
  std::sort(jobs.begin(), jobs.end(), [](const job_demand& a, const job_demand& b) { return a.job < b.job; });
  // Only the ratios count. Jobs at the usual priority have small numbers again.
  unsigned common = 0;
  for (const job_demand& j : jobs) common = std::gcd(common, j.weight);
  for (job_demand& j : jobs) j.weight = std::max(1u, j.weight / std::max(1u, common));
  const core_list cores = cores_of(core_of, from);
  const numbers mains = matching(cores, jobs).take();
  numbers owner(mains, from);
  share_out(cores, jobs, owner);
  if (how == arrangement_rule::packed) pack(cores, jobs, mains, owner);

  context_assignment d{.high = std::pmr::vector<time_slices>(from), .main = std::pmr::vector<unsigned>(from)};
  d.jobs = jobs.size();
  d.high.resize(std::min<std::size_t>(core_of.size(), max_contexts));
  d.main.assign(std::max(max_jobs, jobs.empty() ? 0 : jobs.back().job + 1), context_assignment::no_context);
  for (unsigned k = 0; k < cores.size(); ++k) {
    if (mains[k] != unowned) d.main[jobs[mains[k]].job] = place_in(cores[k], jobs[mains[k]]);
  }

  part_list turns(cores.size(), from);
  for (unsigned k = 0; k < cores.size(); ++k) {
    if (owner[k] != unowned) turns[k].push_back({owner[k], jobs[owner[k]].weight});
  }
  // Main threads without a core take turns with other jobs, on the core with the lowest number of turns for their
  // weight.
  for (unsigned j = 0; j < jobs.size(); ++j) {
    if (!jobs[j].wants_main || d.main[jobs[j].job] != context_assignment::no_context) continue;
    unsigned best = unowned;
    for (unsigned k = 0; k < cores.size(); ++k) {
      if (usable(cores[k], jobs[j]) && (best == unowned || weight_of(turns[k]) < weight_of(turns[best]))) best = k;
    }
    if (best == unowned) continue;
    turns[best].push_back({j, jobs[j].weight});
    d.main[jobs[j].job] = place_in(cores[best], jobs[j]);
  }
  lend_surplus(cores, jobs, turns);

  for (unsigned k = 0; k < cores.size(); ++k) {
    // Small enough for products with times.
    constexpr int bits = 24;
    int most = 0;
    for (const part& p : turns[k]) most = std::max(most, static_cast<int>(std::bit_width(p.weight)));
    const int shift = std::max(0, most - bits);
    for (const unsigned c : cores[k]) {
      for (const part& p : turns[k]) {
        if (jobs[p.job].contexts.has(c)) d.high[c].add(jobs[p.job].job, static_cast<unsigned>(p.weight >> shift));
      }
      if (!d.high[c].empty()) continue;
      // A context that the core's owner may not use goes to the jobs that may.
      const auto other = std::find_if(jobs.begin(), jobs.end(), [c](const job_demand& j) { return j.contexts.has(c); });
      if (other != jobs.end()) d.high[c].add(other->job, other->weight);
    }
  }
  return d;
}

}  // namespace callisto::cosched
