// Times loops in turns on pinned threads.
#include <lab/simulate/native_loop.hpp>

#include <callisto/distributor/compose.hpp>
#include <callisto/distributor/layout.hpp>
#include <callisto/distributor/seats.hpp>
#include <callisto/loop/loop_item.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/team.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

#include <pthread.h>

namespace callisto::lab {
namespace {

using machine::native;

/// Waits until all earlier instructions have ended; no later instruction begins before that.
inline void finish_earlier_instructions() noexcept {
#if defined(__x86_64__)
  asm volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Returns the seconds that a thread has run on a processor. They are exact even if the thread runs on another
/// processor at present; the process's clock is not.
double processor_seconds(pthread_t thread) {
  clockid_t clock;
  timespec t;
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// How long a function took, and whether each thread had a processor all that time. Other processes may take it away.
struct timed {
  double seconds;
  bool undisturbed;
};

template <class F>
timed time_of(const std::vector<pthread_t>& threads, F f) {
  const auto used = [&threads] {
    double sum = 0;
    for (const pthread_t t : threads) sum += processor_seconds(t);
    return sum;
  };
  const double before = used();
  const std::uint64_t begin = native::ticks();
  f();
  const double seconds = static_cast<double>(native::ticks() - begin) / static_cast<double>(native::ticks_per_second());
  return {seconds, used() - before > 0.97 * static_cast<double>(threads.size()) * seconds};
}

/// A team of pinned threads. The thread that constructs it leads.
class started_team {
 public:
  explicit started_team(const machine::placement& placed) : where_(distributor::seats_of(placed.contexts)) {
    team_ = std::make_unique<workers::team<native>>(where_.threads());
    for (unsigned t = 1; t < where_.threads(); ++t) {
      followers_.emplace_back([this, t, cpu = placed.contexts[t].os_index, position = placed.position_of_thread[t]] {
        machine::pin_this_thread(cpu);
        team_->follow(t, position);
      });
    }
  }
  ~started_team() { team_->finish(); }
  started_team(const started_team&) = delete;
  started_team& operator=(const started_team&) = delete;

  /// Returns the team's threads, the leader first.
  std::vector<pthread_t> threads() {
    std::vector<pthread_t> all{pthread_self()};
    for (std::jthread& f : followers_) all.push_back(f.native_handle());
    return all;
  }

  void run(const schedule& how, std::uint64_t n, std::uint64_t batch) {
    const schedule chosen = how.automatic() ? schedule::best(where_, false) : how;
    distributor::with_distributor<native>(chosen.stages(), [&]<class Distributor>() {
      chained_body b;
      const std::stop_token never;
      loop::loop_item<native, Distributor> item(b, n, where_, chosen.stages(), batch, never);
      team_->lead(item);
    });
  }

 private:
  distributor::layout where_;
  std::unique_ptr<workers::team<native>> team_;
  std::vector<std::jthread> followers_;
};

}  // namespace

double quantile(std::vector<double> values, double q) {
  const auto at = values.begin() + std::lround(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

std::uint64_t run_iterations(std::uint64_t first, std::uint64_t last, std::uint64_t chain) noexcept {
  for (; first != last; ++first) {
    chain ^= first << 1;
    finish_earlier_instructions();
#pragma GCC unroll 15
    for (int i = 0; i < 15; ++i) {
      chain *= chain;
      asm volatile("" : "+r"(chain));
    }
  }
  return chain;
}

native_loop_result run_native_loops(unsigned threads, const std::vector<schedule>& schedules,
                                    const std::vector<std::uint64_t>& batches, unsigned rounds,
                                    const graph::run_control& context) {
  constexpr std::uint64_t iterations = 1 << 16;  // about 1 ms on one thread: few such short runs are disturbed
  constexpr unsigned most_attempts = 10;
  const machine::limits limits = machine::limits::current();
  if (threads > limits.cpus.size()) {
    throw usage_error(
        fmt::format("--threads: this process may use {} contexts, found {}", limits.cpus.size(), threads));
  }
  machine::placement_request request;
  request.threads = threads;
  request.rule = machine::placement_rule::spread;
  const machine::placement placed = machine::place(machine::topology::host(), limits, request);

  struct cell {
    schedule how;
    std::uint64_t batch;
    std::vector<double> speedups;
    std::vector<double> disturbed;  ///< speed-ups of runs during which other processes used the contexts
  };
  std::vector<cell> cells;
  for (const schedule& how : schedules) {
    for (const std::uint64_t batch : batches) cells.push_back({how, batch, {}, {}});
  }
  std::vector<double> plain_times;
  std::vector<double> disturbed_times;
  if (context.report != nullptr) context.report->begin("timing loops", rounds * cells.size(), "runs");
  bool stopped = false;
  // Leads on a new thread, because the leader is pinned too.
  std::thread([&] {
    machine::pin_this_thread(placed.contexts[0].os_index);
    started_team threads_of_loop(placed);
    std::uint64_t chain = 3;
    for (unsigned round = 0; round < rounds; ++round) {
      for (cell& c : cells) {
        for (unsigned attempt = 1;; ++attempt) {
          if ((stopped = context.stop.stop_requested())) return;
          threads_of_loop.run(c.how, iterations / 16, c.batch);  // wakes the followers, which then spin
          const timed parallel =
              time_of(threads_of_loop.threads(), [&] { threads_of_loop.run(c.how, iterations, c.batch); });
          const timed plain = time_of({pthread_self()}, [&] { chain = run_iterations(0, iterations, chain); });
          const bool undisturbed = parallel.undisturbed && plain.undisturbed;
          if (!undisturbed && attempt < most_attempts) continue;
          (undisturbed ? c.speedups : c.disturbed).push_back(plain.seconds / parallel.seconds);
          (undisturbed ? plain_times : disturbed_times).push_back(plain.seconds);
          break;
        }
        if (context.report != nullptr) context.report->advance(1);
      }
    }
  }).join();
  if (stopped) throw graph::cancelled();

  native_loop_result result;
  result.threads = threads;
  result.iteration =
      quantile(plain_times.empty() ? disturbed_times : plain_times, 0.25) * 1e9 / static_cast<double>(iterations);
  for (const cell& c : cells) {
    const bool quiet = c.speedups.size() > rounds / 4;
    const std::vector<double>& speedups = quiet ? c.speedups : c.disturbed;
    result.speedups.push_back(
        {c.how, c.batch, quantile(speedups, 0.5), quantile(speedups, 0.25), quantile(speedups, 0.75), !quiet});
  }
  return result;
}

}  // namespace callisto::lab
