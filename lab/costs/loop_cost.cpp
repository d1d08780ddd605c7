// Measures what a loop costs: the speed-up that loops of small iterations reach on two or more processors, the time to
// start and finish an empty loop, and the processor time that is used while no loop runs.
//
//   loop_cost [--quick]
//
// Exit code 1 if a limit that Callisto promises is missed.
#include <callisto/app/demo/openmp_kernels.hpp>
#include <lab/costs/compare.hpp>

#include <callisto/callisto.hpp>

#include <sys/resource.h>

#include <cstdint>
#include <string_view>
#include <thread>

#if defined(CALLISTO_BENCH_TBB)
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#endif

namespace {

using namespace callisto;
using lab::seconds_of;
using lab::variant;

/// Runs one iteration of about 50 cycles: 15 multiplications of 3 cycles, each of which needs the one before. A
/// thread-local word passes the last result to the next iteration, so that iterations do not overlap.
///
/// The paper's iteration (ATC'15, section 4.1) increments a variable in a loop. Its time here depends by a factor of
/// 1.5 on whether the branch predictor guesses the loop's end. Every variant calls this one function, because its place
/// in memory can matter as much.
[[gnu::noinline, gnu::aligned(64)]] void iteration() {
  thread_local std::uint64_t word = 3;
  std::uint64_t x = word;
#pragma GCC unroll 15
  for (int i = 0; i < 15; ++i) {
    x *= x;
    asm volatile("" : "+r"(x));
  }
  word = x;
}

/// Does nothing, in a way that the compiler must not drop.
inline void no_work() { asm volatile("" ::: "memory"); }

double plain_loop(std::uint64_t n) {
  return seconds_of([&] {
    for (std::uint64_t i = 0; i < n; ++i) iteration();
  });
}

double callisto_loop(std::uint64_t n, unsigned threads, std::uint64_t batch) {
  if (callisto::threads() != threads) set_threads(threads);
  parallel_for(0U, 64 * threads, [](unsigned) { iteration(); });  // starts and wakes the threads
  return seconds_of([&] { parallel_for(std::uint64_t{0}, n, [](std::uint64_t) { iteration(); }, {.batch = batch}); });
}

double openmp_loop(std::uint64_t n, unsigned threads, std::uint64_t batch) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (unsigned i = 0; i < 64 * threads; ++i) iteration();
  return seconds_of([&] {
#pragma omp parallel for num_threads(threads) schedule(dynamic, batch)
    for (std::uint64_t i = 0; i < n; ++i) iteration();
  });
}

/// Prints table (a): speed-up over the plain loop, by batch size.
void compare_batches(bool quick, unsigned threads, lab::limits& limits) {
  const std::uint64_t n = std::uint64_t{1} << (quick ? 20 : 24);
  const lab::turns turns{.rounds = quick ? 5U : 9U, .warm_up_rounds = 1};
  const std::string n_threads = fmt::format("{} threads", threads);
  std::vector<std::vector<std::string>> table{
      {"batch", "plain ns/iter", "1 thread", n_threads, "efficiency", "OpenMP " + n_threads, "spread"}};
  double worst_efficiency = 1e9;
  double overhead_at_64 = 0;
  for (const std::uint64_t batch : {1u, 4u, 16u, 64u, 256u, 1024u, 4096u, 0u}) {
    std::vector<variant> variants{
        {"plain", [&] { return plain_loop(n); }},
        {"one", [&] { return callisto_loop(n, 1, batch); }},
        {"all", [&] { return callisto_loop(n, threads, batch); }},
    };
    if (batch != 0) variants.push_back({"OpenMP", [&] { return openmp_loop(n, threads, batch); }});
    lab::compare(variants, turns);
    const double one = lab::ratio(variants[0], variants[1]);
    const double all = lab::ratio(variants[0], variants[2]);
    if (batch == 0 || batch >= 64) worst_efficiency = std::min(worst_efficiency, all / threads);
    if (batch == 64) overhead_at_64 = 1 / one - 1;
    table.push_back({batch == 0 ? "automatic" : std::to_string(batch),
                     fmt::format("{:.2f}", variants[0].median() / static_cast<double>(n) * 1e9),
                     fmt::format("{:.3f}x", one), fmt::format("{:.3f}x", all), fmt::format("{:.3f}", all / threads),
                     batch == 0 ? "" : fmt::format("{:.3f}x", lab::ratio(variants[0], variants[3])),
                     fmt::format("{:.1f} %", variants[2].spread() * 100)});
  }
  fmt::print("{} iterations of about 50 cycles: speed-up over the plain loop\n\n", n);
  lab::print_table(table);
  fmt::print("\n");
  limits.at_least("efficiency at batches of 64 and up", worst_efficiency, 0.97);
  limits.at_most("time that one thread adds at batch 64", overhead_at_64 * 100, 1, " %");
}

/// Prints table (b): nanoseconds of a loop of two empty iterations.
void compare_launches(bool quick, unsigned threads, lab::limits& limits) {
  const unsigned loops = quick ? 20'000 : 200'000;
  if (callisto::threads() != threads) set_threads(threads);
  const auto with_callisto = [] { parallel_for(0, 2, [](int) { no_work(); }); };
  const auto with_openmp_dynamic = [threads] {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int i = 0; i < 2; ++i) no_work();
  };
  const auto with_openmp_static = [threads] {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < 2; ++i) no_work();
  };

  // Back to back: times many loops together. After a serial stretch: times each loop, and takes the median.
  const auto back_to_back = [loops](auto loop) {
    return [loops, loop] {
      for (unsigned i = 0; i < 1000; ++i) loop();
      return seconds_of([&] {
               for (unsigned i = 0; i < loops; ++i) loop();
             }) /
             loops;
    };
  };
  const auto after_serial = [](auto loop) {
    return [loop] {
      std::vector<double> each;
      for (unsigned i = 0; i < 301; ++i) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
        while (std::chrono::steady_clock::now() < until) no_work();
        each.push_back(seconds_of(loop));
      }
      return app::median_of(each);
    };
  };
  std::vector<variant> launches;
  std::vector<variant> delayed;
  const auto add = [&](const std::string& name, auto loop) {
    launches.push_back({name, back_to_back(loop)});
    delayed.push_back({name, after_serial(loop)});
  };
  add("Callisto", with_callisto);
  add("OpenMP dynamic", with_openmp_dynamic);
  add("OpenMP static", with_openmp_static);
#if defined(CALLISTO_BENCH_TBB)
  const oneapi::tbb::global_control control(oneapi::tbb::global_control::max_allowed_parallelism, threads);
  add("oneTBB", [] { oneapi::tbb::parallel_for(0, 2, [](int) { no_work(); }); });
#endif
  lab::compare(launches, {});
  lab::compare(delayed, {});

  std::vector<std::vector<std::string>> table{{"", "back to back", "after 50 us serial", "spread"}};
  for (std::size_t i = 0; i < launches.size(); ++i) {
    table.push_back({launches[i].name, fmt::format("{:.0f} ns", launches[i].median() * 1e9),
                     fmt::format("{:.0f} ns", delayed[i].median() * 1e9),
                     fmt::format("{:.1f} %", launches[i].spread() * 100)});
  }
  fmt::print("\na loop of two empty iterations\n\n");
  lab::print_table(table);
  fmt::print("\n");
  limits.at_most("empty loop, back to back", launches[0].median() * 1e9, 150, " ns");
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Prints (c). Runs before any other runtime has threads that could count.
void measure_idle(lab::limits& limits) {
  parallel_for(0, 1 << 16, [](int) { iteration(); });
  // Waits for threads that spin for a moment in the hope of another loop.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  limits.at_most("processor time in an idle second after loops", (processor_seconds() - before) * 100, 0.1, " %");
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  if (argc > (quick ? 2 : 1)) {
    fmt::print(stderr, "usage: loop_cost [--quick]\n");
    return 2;
  }
  const unsigned threads = callisto::threads();
  fmt::print("{} threads; OpenMP is {}\n\n", threads, app::openmp_runtime_name());
  lab::limits limits;
  measure_idle(limits);
  compare_batches(quick, threads, limits);
  compare_launches(quick, threads, limits);
  return limits.exit_code();
}
