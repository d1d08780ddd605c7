// What a switch between workers costs, and what memory a worker takes, by the number of workers (Grappa, figure 5):
// each worker increments words of an array and yields.
//
// Usage: context_switch [workers...]; prints the median, the least and the most of five runs.
#include <callisto/global/tasks/core.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

using callisto::global::core;

/// A core without messages.
class alone final : public callisto::global::core_duties {
 public:
  bool poll(core&) override { return false; }
  /// All workers wait: main goes on.
  bool find_work(core& c) override {
    c.wake_here(c.root());
    return true;
  }
  void sleep(core&, unsigned) override {}
  void failed(core&, std::exception_ptr) noexcept override {}
};

/// Returns the memory of the process that is in use, page tables included.
std::size_t bytes_in_use() {
  std::size_t bytes = 0;
  std::FILE* const status = std::fopen("/proc/self/status", "r");
  std::array<char, 256> line{};
  while (status != nullptr && std::fgets(line.data(), static_cast<int>(line.size()), status) != nullptr) {
    std::size_t kib = 0;
    if (std::sscanf(line.data(), "VmRSS: %zu", &kib) == 1 || std::sscanf(line.data(), "VmPTE: %zu", &kib) == 1)
      bytes += kib * 1024;
  }
  if (status != nullptr) std::fclose(status);
  return bytes;
}

/// Returns the processor time of the thread in nanoseconds: what other programs take in between does not count.
double processor_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// Runs so many workers that yield in turns.
void measure(std::size_t workers) {
  constexpr std::size_t runs = 5;
  const std::size_t turns = std::max<std::size_t>(20'000'000 / workers, 4);
  alone duties;
  const std::size_t before = bytes_in_use();
  core c(duties, {.plenty = workers});
  std::vector<std::uint64_t> words(workers);
  std::vector<callisto::global::worker*> all;
  all.reserve(workers);
  for (std::size_t w = 0; w != workers; ++w) {
    c.spawn([&, w] {
      all.push_back(&c.running());
      for (std::size_t run = 0; run != runs; ++run) {
        c.suspend();
        for (std::size_t turn = 0; turn != turns; ++turn) {
          ++words[w];
          c.yield();
        }
      }
    });
  }
  c.suspend();
  const std::size_t used = bytes_in_use() - before;
  std::array<double, runs> nanoseconds{};
  for (double& ns : nanoseconds) {
    for (callisto::global::worker* const w : all) callisto::global::wake(*w);
    const std::uint64_t switches = c.counts().switches;
    const double begin = processor_time();
    c.suspend();
    ns = (processor_time() - begin) / static_cast<double>(c.counts().switches - switches);
  }
  std::ranges::sort(nanoseconds);
  fmt::print("{:>9} {:>9.1f} {:>7.1f} {:>7.1f} {:>12.2f}\n", workers, nanoseconds[runs / 2], nanoseconds.front(),
             nanoseconds.back(), static_cast<double>(used) / static_cast<double>(workers) / 1024);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("{:>9} {:>9} {:>7} {:>7} {:>12}\n", "workers", "ns/switch", "least", "most", "KiB/worker");
  std::vector<std::size_t> counts;
  for (int i = 1; i < argc; ++i) {
    const std::string text(argv[i]);
    std::size_t count = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (failed != std::errc() || end != text.data() + text.size() || count == 0 || count > 10'000'000) {
      fmt::print(stderr, "context_switch: '{}': expected a number of workers from 1 to 10000000\n", text);
      return 2;
    }
    counts.push_back(count);
  }
  if (counts.empty()) counts = {1'000, 50'000, 500'000};
  for (const std::size_t count : counts) measure(count);
}
