#include <lab/simulate/cluster_scale.hpp>

#include <callisto/global/session/session.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <callisto/global/transport/transport.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace callisto::lab {
namespace {

namespace sim = global::simulation;
using global::rank_clock;

/// Sets the number of hops for the sessions that begin meanwhile.
class hops_in_environment {
 public:
  explicit hops_in_environment(unsigned hops) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, std::to_string(hops).c_str(), 1);
  }
  ~hops_in_environment() {
    if (before_)
      ::setenv(name, before_->c_str(), 1);
    else
      ::unsetenv(name);
  }
  hops_in_environment(const hops_in_environment&) = delete;
  hops_in_environment& operator=(const hops_in_environment&) = delete;

 private:
  static constexpr const char* name = "CALLISTO_GLOBAL_HOPS";
  std::optional<std::string> before_;
};

constexpr double task_nanoseconds = 20'000;

/// A task of this length, and when each rank has begun its first one.
struct timed_task {
  std::vector<std::uint64_t>* first;
  void operator()() const {
    std::uint64_t& mine = (*first)[static_cast<std::size_t>(global::here().rank)];
    if (mine == 0) mine = rank_clock::ticks();
    rank_clock::work(task_nanoseconds);
  }
};

double seconds_since(std::uint64_t begin) { return static_cast<double>(rank_clock::ticks() - begin) * 1e-9; }

}  // namespace

scale_outcome simulate_scale(const sim::cluster_options& cluster, unsigned hops, const graph_in_memory& graph,
                             double microseconds) {
  const hops_in_environment of_all(hops);
  scale_outcome o;
  constexpr unsigned tasks_each = 4;
  std::vector<std::uint64_t> first(cluster.ranks());
  std::uint64_t began = 0;
  sim::run_sessions(cluster, {.threads = 1}, [&](global::session& s) {
    global::barrier();
    o.start = std::max(o.start, seconds_since(0));
    std::uint64_t begin = rank_clock::ticks();
    s.run_phase([] {});
    o.phase = std::max(o.phase, seconds_since(begin));
    begin = rank_clock::ticks();
    if (s.rank() == 0) began = begin;
    s.run_phase([&] {
      if (s.rank() != 0) return;
      for (unsigned i = 0; i != tasks_each * cluster.ranks(); ++i) global::spawn_public(timed_task{&first});
    });
    o.spread = std::max(o.spread, seconds_since(begin) / (tasks_each * task_nanoseconds * 1e-9));
  });
  const auto half = first.begin() + static_cast<std::ptrdiff_t>(first.size() / 2);
  std::ranges::replace(first, std::uint64_t{0}, ~std::uint64_t{0});
  std::ranges::nth_element(first, half);
  o.first_task = *half == ~std::uint64_t{0} ? 0 : static_cast<double>(*half - began) * 1e-9;
  const cluster_rate updates = simulate_gups(cluster, true, microseconds);
  o.updates = updates.is_right ? updates.operations : 0;
  o.packet_bytes = updates.packet_bytes;
  o.memory = updates.memory / cluster.ranks();
  const program_outcome search = simulate_search(cluster, graph, movement::messages);
  o.edges = search.is_right ? search.rate : 0;
  return o;
}

cluster_rate simulate_updates_by(const sim::cluster_options& cluster, unsigned hops, double microseconds) {
  const hops_in_environment of_all(hops);
  return simulate_gups(cluster, true, microseconds);
}

fault_outcome simulate_fault(const sim::cluster_options& cluster, double microseconds) {
  fault_outcome o;
  constexpr unsigned tasks_each = 50;
  std::vector<std::uint64_t> first(cluster.ranks());
  try {
    sim::run_sessions(cluster, {.threads = 1}, [&](global::session& s) {
      global::barrier();
      const std::uint64_t begin = rank_clock::ticks();
      try {
        s.run_phase([&] {
          for (unsigned i = 0; i != tasks_each; ++i) global::spawn_public(timed_task{&first});
        });
      } catch (const global::job_failed&) {
        ++o.told;
        o.told_after = std::max(o.told_after, seconds_since(0));
        throw;
      }
      o.seconds = std::max(o.seconds, seconds_since(begin));
    });
    o.updates = simulate_gups(cluster, true, microseconds).operations;
  } catch (const global::job_failed&) {  // a rank has died
    o.seconds = 0;
  }
  return o;
}

}  // namespace callisto::lab
