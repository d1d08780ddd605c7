#include "run.hpp"

#include <callisto/callisto.hpp>

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>

namespace callisto::python {
namespace {

using namespace std::chrono_literals;

constexpr auto watch_period = 50ms;

/// Vertices and arcs of a graph that two threads search no sooner than one.
constexpr std::uint64_t small = 30'000;

std::uint64_t size_of(const graph::any_graph& graph) noexcept {
  return std::visit([](const auto& g) { return g.arcs() + g.vertices(); }, graph);
}

/// The kernels that run, and whether new ones may begin.
class running_kernels {
 public:
  /// The process's one, which a forked child begins anew: the threads of its kernels are not there.
  static running_kernels& here() {
    static running_kernels& all = []() -> running_kernels& {
      auto* made = new running_kernels;  // never destroyed: a daemon thread may outlast static destruction
      instance_ = made;
      pthread_atfork([] { instance_->mutex_.lock(); }, [] { instance_->mutex_.unlock(); },
                     [] {
                       instance_->kernels_.clear();
                       instance_->mutex_.unlock();
                     });
      return *made;
    }();
    return all;
  }

  class entry {
   public:
    explicit entry(std::stop_source stop) {
      running_kernels& all = here();
      const std::lock_guard lock(all.mutex_);
      if (all.ended_) throw cancelled();
      place_ = all.kernels_.insert(all.kernels_.end(), std::move(stop));
    }
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;
    ~entry() {
      running_kernels& all = here();
      const std::lock_guard lock(all.mutex_);
      all.kernels_.erase(place_);
    }

   private:
    std::list<std::stop_source>::iterator place_;
  };

  /// Stops all kernels. True if there were some.
  bool stop() {
    bool some = false;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      some = !kernels_.empty();
      for (std::stop_source& kernel : kernels_) kernel.request_stop();
    }
    // Callers that wait in a kernel take the GIL before they leave it.
    const nb::gil_scoped_release released;
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (kernels_.empty()) return some;
      }
      std::this_thread::sleep_for(1ms);
    }
  }

 private:
  static inline running_kernels* instance_ = nullptr;
  std::mutex mutex_;
  std::list<std::stop_source> kernels_;  ///< one for each kernel that runs; guarded
  bool ended_ = false;                   ///< guarded
};

/// Keeps the progress of a kernel until the watching thread asks. Threads of the kernel never touch Python.
class progress_keeper final : public graph::progress {
 public:
  struct state {
    std::string stage;
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::string unit;
  };

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override {
    const std::lock_guard lock(mutex_);
    now_ = {std::string(stage), 0, total, std::string(unit)};
  }
  void advance(std::uint64_t amount) override {
    const std::lock_guard lock(mutex_);
    now_.done += amount;
  }
  state now() {
    const std::lock_guard lock(mutex_);
    return now_;
  }

 private:
  std::mutex mutex_;
  state now_;
};

void tell(nb::handle progress, progress_keeper& keeper) {
  const progress_keeper::state now = keeper.now();
  if (!now.stage.empty()) progress(now.stage.c_str(), now.done, now.total, now.unit.c_str());
}

}  // namespace

place by_arcs(const graph::any_graph& graph) noexcept { return by_arcs(size_of(graph)); }

place by_arcs(std::uint64_t size) noexcept {
  return size < small ? place::alone : size < 100'000 ? place::caller : place::watched;
}

place by_neighbours(const graph::any_graph& graph) noexcept {
  return size_of(graph) < small ? place::alone : place::watched;
}

place by_searches(const graph::any_graph& graph) noexcept {
  return size_of(graph) < 1'000 ? place::alone : place::watched;
}

void run_unwatched(place where, const std::function<void(const graph::run_control&)>& kernel) {
  const nb::gil_scoped_release released;
  const running_kernels::entry listed{std::stop_source(std::nostopstate)};
  std::optional<thread_limit> one;
  if (where == place::alone) one.emplace(1);
  kernel({});
}

void run_watched(nb::handle progress, const std::function<void(const graph::run_control&)>& kernel) {
  progress_keeper keeper;
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;         // guarded by mutex
  std::exception_ptr thrown;  // written before `ended`
  std::exception_ptr python;  // what a signal handler or the receiver raised
  const bool told = !progress.is_none();

  {
    const nb::gil_scoped_release released;
    const running_kernels::entry listed(stop);
    std::thread worker([&] {
      try {
        kernel({told ? &keeper : nullptr, stop.get_token()});
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      ended = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, watch_period, [&] { return ended; })) {
      if (python) continue;
      lock.unlock();
      {
        const nb::gil_scoped_acquire held;
        try {
          if (PyErr_CheckSignals() != 0) nb::raise_python_error();
          if (told) tell(progress, keeper);
        } catch (...) {
          python = std::current_exception();
          stop.request_stop();
        }
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (python) std::rethrow_exception(python);
  if (thrown) std::rethrow_exception(thrown);
  if (told) tell(progress, keeper);
}

void stop_all() {
  // A daemon thread that the interpreter ends keeps what it held: nanobind would tell the user of leaks.
  if (running_kernels::here().stop()) nb::set_leak_warnings(false);
}

}  // namespace callisto::python
