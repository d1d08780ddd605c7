// Reads requests, times loops, and writes answers.
#include "protocol.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Always 0; volatile, so that the compiler does not know the value.
volatile std::uint64_t nothing_known = 0;

callisto_work read_work(std::istream& order) {
  callisto_work w{};
  std::uint32_t shape = 0;
  order >> shape >> w.reversed >> w.site >> w.n >> w.heavy >> w.blocks >> w.extra;
  if (!order || shape > callisto_sparse || w.n == 0) throw std::runtime_error("no such work");
  w.shape = static_cast<callisto_shape>(shape);
  w.zero = nothing_known;
  // Iteration 0 costs 100,000 units, iteration n - 1 costs one.
  const double slope = w.n > 1 ? std::log2(1e5) / std::log2(static_cast<double>(w.n)) : 0;
  for (int k = 0; k < 66; ++k) {
    w.octave[k] = static_cast<std::uint64_t>(std::max(1.0, std::round(1e5 * std::exp2(-slope * k))));
  }
  return w;
}

void run_sequentially(const callisto_work& w) {
  if (w.shape == callisto_sparse) return callisto_work_range(&w, 0, w.n);
  for (std::uint64_t i = 0; i < w.n; ++i) callisto_work_iteration(&w, i);
}

/// Returns the loop that runs before the timed one. It has another site, because it is no repetition of the timed loop.
callisto_work warm_work(std::uint64_t n) {
  callisto_work w{};
  w.shape = callisto_even;
  w.site = 15;
  w.n = n;
  w.blocks = 1;
  return w;
}

void answer_time(double seconds) {
  const callisto_balance all = callisto_work_settle();
  std::printf("time %.9g %016llx %llu\n", seconds, static_cast<unsigned long long>(all.sum),
              static_cast<unsigned long long>(all.count));
}

/// Carries out requests for one candidate.
class server {
 public:
  server(const callisto_peer& peer, unsigned threads) : peer_(peer), threads_(threads) {}

  void obey(const std::string& line) const {
    std::istringstream order(line);
    std::string verb;
    order >> verb;
    if (verb == "describe") return describe();
    if (verb == "run") return run(order);
    if (verb == "sequential") return sequential(order);
    if (verb == "perfect") return perfect(order);
    if (verb == "empty") return empty(order);
    if (verb == "launch") return launch(order);
    throw std::runtime_error("no such order");
  }

 private:
  void describe() const {
    if (peer_.refusal != nullptr) {
      std::printf("refuse %s\n", peer_.refusal);
      return;
    }
    std::printf("name %s\nversion %s\nlibrary %s\n", peer_.name, peer_.version, peer_.library);
    for (std::uint32_t i = 0; i < peer_.method_count; ++i) {
      const callisto_method& m = peer_.methods[i];
      std::printf("method %s %s%s%s\n", m.name, (m.flags & callisto_takes_batches) != 0 ? "b" : "",
                  (m.flags & callisto_chooses_batches) != 0 ? "a" : "",
                  (m.flags & callisto_runs_ranges) != 0 ? "r" : "");
    }
    std::puts("end");
  }

  struct way {
    std::uint32_t method;
    std::uint64_t batch;
  };
  way read_way(std::istream& order) const {
    way how{};
    if (!(order >> how.method >> how.batch) || how.method >= peer_.method_count) {
      throw std::runtime_error("no such method");
    }
    const std::uint32_t needed = how.batch == 0 ? callisto_chooses_batches : callisto_takes_batches;
    if ((peer_.methods[how.method].flags & needed) == 0) throw std::runtime_error("the method has no such batches");
    return how;
  }

  /// Lets the candidate prepare a loop, and calls f(once).
  template <class F>
  void prepared(way how, std::uint64_t n, callisto_body body, const callisto_work* w, F f) const {
    const callisto_measure m{&f, [](void* self, void (*once)(void*), void* argument) {
                               (*static_cast<F*>(self))([once, argument] { once(argument); });
                             }};
    peer_.run(peer_.self, how.method, n, how.batch, body, w, &m);
  }

  /// Runs a short loop of this kind, so that the threads exist and are awake, as after any earlier loop.
  void warm_up(way how) const {
    const callisto_work w = warm_work(std::max<std::uint64_t>(8192, 64 * threads_));
    prepared(how, w.n, callisto_iteration, &w, [](auto once) { once(); });
    callisto_work_settle();
  }

  void run(std::istream& order) const {
    const way how = read_way(order);
    unsigned repeats = 0;
    order >> repeats;
    const callisto_work w = read_work(order);
    warm_up(how);
    double seconds = 0;
    prepared(how, w.n, w.shape == callisto_sparse ? callisto_range : callisto_iteration, &w, [&](auto once) {
      const auto begin = clock_type::now();
      for (unsigned i = 0; i < repeats; ++i) once();
      seconds = seconds_since(begin);
    });
    answer_time(seconds);
  }

  static void sequential(std::istream& order) {
    unsigned repeats = 0;
    order >> repeats;
    const callisto_work w = read_work(order);
    run_sequentially(warm_work(8192));
    callisto_work_settle();
    const auto begin = clock_type::now();
    for (unsigned i = 0; i < repeats; ++i) run_sequentially(w);
    answer_time(seconds_since(begin));
  }

  /// Answers the harmonic mean of the times of plain loops, one on each of several threads at the same time. The number
  /// of threads divided by it is the speed of a loop without any cost of scheduling.
  static void perfect(std::istream& order) {
    unsigned threads = 0;
    order >> threads;
    const callisto_work w = read_work(order);
    callisto_work_settle();
    std::atomic<unsigned> ready{0};
    std::vector<double> times(threads);
    std::vector<std::thread> started;
    for (unsigned t = 0; t < threads; ++t) {
      started.emplace_back([&, t] {
        // Computes meanwhile, so that the kernel gives each thread a processor.
        const auto arrival = clock_type::now();
        while (seconds_since(arrival) < 2e-3) {
        }
        ready.fetch_add(1);
        while (ready.load() < threads) {
        }
        const auto begin = clock_type::now();
        run_sequentially(w);
        times[t] = seconds_since(begin);
      });
    }
    for (std::thread& member : started) member.join();
    double rate = 0;
    for (const double seconds : times) rate += 1 / seconds;
    answer_time(threads / rate);
  }

  void empty(std::istream& order) const {
    const way how = read_way(order);
    std::uint64_t n = 0;
    order >> n;
    warm_up(how);
    double seconds = 0;
    prepared(how, n, callisto_nothing, nullptr, [&](auto once) {
      const auto begin = clock_type::now();
      once();
      seconds = seconds_since(begin);
    });
    answer_time(seconds);
  }

  void launch(std::istream& order) const {
    const way how = read_way(order);
    std::string wait;
    unsigned count = 0;
    if (!(order >> wait >> count) || count == 0) throw std::runtime_error("no such launch");
    warm_up(how);
    std::vector<double> each;
    unsigned by_two = 0;
    if (wait == "none") {
      // A launch is too short to be timed alone.
      constexpr unsigned blocks = 15;
      const unsigned launches = std::max(1U, count / blocks);
      prepared(how, 2, callisto_nothing, nullptr, [&](auto once) {
        for (unsigned i = 0; i < launches; ++i) once();
        for (unsigned block = 0; block < blocks; ++block) {
          const auto begin = clock_type::now();
          for (unsigned i = 0; i < launches; ++i) once();
          each.push_back(seconds_since(begin) / launches);
        }
      });
    }
    prepared(how, 2, callisto_marking, nullptr, [&](auto once) {
      for (unsigned i = 0; i < count; ++i) {
        if (wait == "serial") {
          const auto begin = clock_type::now();
          while (seconds_since(begin) < 50e-6) {
          }
        } else if (wait == "sleep") {
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        const auto begin = clock_type::now();
        once();
        if (wait != "none") each.push_back(seconds_since(begin));
        by_two += callisto_work_marked_by_two() ? 1 : 0;
      }
    });
    std::printf("launch %.9g %.6g\n", median(each), static_cast<double>(by_two) / count);
  }

  const callisto_peer& peer_;
  unsigned threads_;
};

}  // namespace

extern "C" {

unsigned callisto_peer_threads(int argc, char** argv) {
  unsigned threads = 0;
  if (argc == 2) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), threads);
  if (threads == 0) {
    std::fprintf(stderr, "usage: %s THREADS; a contestant of 'callisto-lab bench schedule', which starts it\n",
                 argv[0]);
    std::exit(2);
  }
  return threads;
}

int callisto_peer_serve(const callisto_peer* peer, unsigned threads) {
  const server s(*peer, threads);
  std::string line;
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    try {
      s.obey(line);
    } catch (const std::exception& e) {
      std::printf("error %s\n", e.what());
    }
    std::fflush(stdout);
    line.clear();
  }
  return 0;
}
}
