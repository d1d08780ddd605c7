// Creating the workers, by the settings.
#include <callisto/openmp/region/engine.hpp>

#include <callisto/cosched/settings.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/one_line.hpp>
#include <callisto/openmp/region/kernel_state.hpp>
#include <callisto/openmp/region/omp_thread.hpp>
#include <callisto/openmp/settings/diagnostics.hpp>
#include <callisto/openmp/settings/icv.hpp>
#include <callisto/workers/preemption/program_loops.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include <pthread.h>

namespace callisto::openmp {
namespace {

using machine::native;

/// The most initial threads that can be attached at once. Further ones share contexts as the system schedules them.
constexpr unsigned most_attached = 64;
/// How long a thread computes while other threads wait for its context: 1 ms.
constexpr std::uint64_t turn_ns = 1'000'000;
/// How long after its first region a program joins other jobs: 2 ms. Joining takes some 250 us, in which a program of
/// one small region is over.
constexpr std::uint64_t joins_after_ns = 2'000'000;

void tell_of_mistake(const char* line) noexcept { report("%s; it counts as unset", line); }

/// True if a variable is "on", or as `usual` says if it is unset, empty or, with one line about it, wrong: a site may
/// have preloaded this library, and ends no program.
bool is_on(const char* variable, bool usual) {
  const char* const value = std::getenv(variable);
  const std::string_view text = value == nullptr ? std::string_view() : std::string_view(value);
  if (text == "on" || text == "off") return text == "on";
  if (!text.empty())
    tell_of_mistake((variable + ("=" + machine::one_line(std::string(text))) + ": expected on or off").c_str());
  return usual;
}

std::atomic<workers::worker_threads*> the_engine{nullptr};
std::mutex making;
/// The workers that before_fork() found: another thread may make them meanwhile.
constinit thread_local workers::worker_threads* forks_with [[gnu::tls_model("initial-exec")]] = nullptr;

/// Creates the workers. If the system refuses timers, creates them without preemption. If it refuses threads, tries
/// fewer, at last one worker without the thread that watches other jobs. If that fails too, ends the program.
workers::worker_threads* make_workers() noexcept {
  unsigned workers = contexts();
  cosched::settings::forgive(tell_of_mistake);
  const bool wanted = is_on("CALLISTO_PREEMPTION", true);
  bool preempted = true;
  for (;; preempted = !preempted) {
    try {
      return workers::create_workers({.workers = std::max(1U, workers),
                                      .warm_stacks = 256,
                                      .spin_ticks = spin_ticks(),
                                      .attached = most_attached,
                                      .coscheduled = workers != 0,
                                      .joins_after_ns = joins_after_ns,
                                      .turn_ns = preempted && wanted ? turn_ns : 0,
                                      .is_wait = workers::waits_of_program(),
                                      .take_signals = true,
                                      .own_threads = true})
          .release();
    } catch (const usage_error& e) {
      report_and_exit("%s", e.what());
    } catch (const std::exception& e) {
      if (preempted) continue;
      if (workers == 0) report_and_exit("%s", e.what());
      --workers;
    }
  }
}

/// Leaves the other jobs at exit. The workers stay until the very end, for the application's destructors.
[[gnu::destructor]] void at_exit() {
  // acquire: pairs with engine()'s release.
  auto* const made = the_engine.load(std::memory_order_acquire);
  if (made == nullptr) return;
  // A thread that ends the program may be in a region, for example in a task that calls exit(). The shield keeps its
  // context while it holds the job's lock: a thread that took the context could wait for that lock forever.
  const omp_thread* const self = this_thread_or_null;
  const suspendable::shielded_if shield(self != nullptr ? self->self : nullptr);
  made->leave_other_jobs();
}

}  // namespace

workers::worker_threads& engine() noexcept {
  // acquire: pairs with the release below.
  if (auto* const made = the_engine.load(std::memory_order_acquire); made != nullptr) return *made;
  const std::scoped_lock held(making);
  // relaxed: ordered by the mutex.
  if (auto* const made = the_engine.load(std::memory_order_relaxed); made != nullptr) return *made;
  workers_inherit();
  workers::worker_threads* const made = make_workers();
  the_engine.store(made, std::memory_order_release);  // release: publishes the workers to the acquire above
  return *made;
}

void before_fork() noexcept {
  forks_with = the_engine.load(std::memory_order_acquire);  // acquire: as in engine()
  if (forks_with != nullptr) forks_with->before_fork();
}
void after_fork() noexcept {
  if (forks_with != nullptr) forks_with->after_fork();
}

void forget_engine() noexcept {
  // relaxed: the child has one thread.
  the_engine.store(nullptr, std::memory_order_relaxed);
  new (&making) std::mutex;  // another thread may have held it
}

unsigned contexts() noexcept { return std::max(1U, static_cast<unsigned>(machine::affinity_at_start().size())); }

std::size_t stack_bytes() noexcept {
  if (icvs().stack_bytes != 0) return std::max<std::size_t>(icvs().stack_bytes, std::size_t{64} << 10);
  static const std::size_t usual = [] {
    pthread_attr_t as_usual;
    std::size_t bytes = 0;
    if (pthread_getattr_default_np(&as_usual) == 0) {
      pthread_attr_getstacksize(&as_usual, &bytes);
      pthread_attr_destroy(&as_usual);
    }
    return std::max(bytes, std::size_t{256} << 10);
  }();
  return usual;
}

bool splits_loops() noexcept {
  static const bool does = is_on("CALLISTO_NONMONOTONIC", false);
  return does;
}

std::uint64_t spin_ticks() noexcept {
  // libgomp's unit is an iteration of its spin loop. 300,000 of them, its default, take about 1 ms.
  const double turns_per_second = 300e6;
  static const auto ticks =
      static_cast<std::uint64_t>(static_cast<double>(std::min<std::uint64_t>(icvs().spin_count, 30'000'000'000)) *
                                 (static_cast<double>(native::ticks_per_second()) / turns_per_second));
  return ticks;
}

std::uint64_t crowded_spin_ticks() noexcept {
  static const std::uint64_t ticks = std::min(spin_ticks(), native::ticks_per_second() / 100'000);
  return ticks;
}

}  // namespace callisto::openmp
