// Many jobs at once on few contexts: all of them make progress, and none has less than half of its fair share of any
// second.
//
//   fair_jobs [--jobs N] [--seconds N]
//
// Each job is a process that runs parallel loops without an end. Work is counted, second by second; seconds in which
// others had more than a fifth of the processor time tell nothing about the sharing and do not count. Prints the least
// share; exit status 1 if it is too small, 77 if no second counts. ./x soak runs it for long.
#include <callisto/callisto.hpp>
#include <callisto/machine/limits.hpp>
#include <callisto/machine/scratch_folder.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/topology.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace callisto;
constexpr unsigned most_jobs = 64;
constexpr double least_share = 0.5;
constexpr double quiet = 0.8;

/// What a job tells.
struct told {
  alignas(64) std::atomic<std::uint64_t> iterations;
  std::atomic<std::uint32_t> wrong;
};

[[noreturn]] void run_job(told& t) {
  for (;;) {
    constexpr std::uint64_t n = 1000;
    const std::uint64_t sum = parallel_reduce(std::uint64_t{0}, n, std::uint64_t{0}, [](std::uint64_t i) {
      std::uint64_t x = i;
      for (int k = 0; k < 3000; ++k) asm volatile("" : "+r"(x));  // a microsecond
      return x;
    });
    if (sum != n * (n - 1) / 2) t.wrong.fetch_add(1);
    t.iterations.fetch_add(n);
  }
}

/// Jobs, until it is destroyed.
class crowd {
 public:
  explicit crowd(unsigned jobs) : pids_(jobs) {
    setenv("CALLISTO_COSCHED_DIR", folder_.path().c_str(), 1);
    setenv("CALLISTO_COSCHED", "on", 1);
    void* const room = mmap(nullptr, sizeof(told) * jobs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) std::abort();
    told_ = static_cast<told*>(room);
    static_cast<void>(machine::topology::host());  // once, and not in each
    for (unsigned j = 0; j < jobs; ++j) {
      pids_[j] = fork();
      if (pids_[j] == 0) run_job(told_[j]);
    }
  }
  crowd(const crowd&) = delete;
  ~crowd() {
    for (const pid_t pid : pids_) kill(pid, SIGKILL);
    for (const pid_t pid : pids_) waitpid(pid, nullptr, 0);
  }

  bool all_began() const {
    return std::all_of(told_, told_ + pids_.size(), [](const told& t) { return t.iterations.load() != 0; });
  }
  std::vector<std::uint64_t> iterations() const {
    std::vector<std::uint64_t> all;
    for (unsigned j = 0; j < pids_.size(); ++j) all.push_back(told_[j].iterations.load());
    return all;
  }
  /// Nanoseconds of processor time, of all together.
  std::uint64_t used() const {
    return std::accumulate(pids_.begin(), pids_.end(), std::uint64_t{0},
                           [](std::uint64_t n, pid_t pid) { return n + machine::processor_time_of(pid); });
  }
  unsigned wrong() const {
    return std::accumulate(told_, told_ + pids_.size(), 0u, [](unsigned n, const told& t) { return n + t.wrong; });
  }

 private:
  std::vector<pid_t> pids_;
  const machine::scratch_folder folder_;
  told* told_ = nullptr;
};

std::uint64_t number(const char* text) { return text == nullptr ? 0 : std::strtoull(text, nullptr, 10); }

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t jobs = most_jobs;
  std::uint64_t seconds = 5;
  for (int i = 1; i < argc; i += 2) {
    if (std::string_view(argv[i]) == "--jobs") {
      jobs = number(argv[i + 1]);
    } else if (std::string_view(argv[i]) == "--seconds") {
      seconds = number(argv[i + 1]);
    } else {
      seconds = 0;
    }
  }
  if (jobs < 2 || jobs > most_jobs || seconds == 0) {
    std::fprintf(stderr, "usage: fair_jobs [--jobs 2 to %u] [--seconds N]\n", most_jobs);
    return 2;
  }
  const crowd all(static_cast<unsigned>(jobs));
  for (int i = 0; i < 20'000 && !all.all_began(); ++i) usleep(1000);
  if (!all.all_began()) {
    std::printf("after 20 seconds a job has not run a loop\n");
    return 1;
  }
  const double contexts = static_cast<double>(machine::affinity_at_start().size());
  unsigned count = 0;
  double least = 1e300;
  double least_of_all = 1e300;
  double most_loops = 0;
  std::vector<std::uint64_t> before = all.iterations();
  for (std::uint64_t s = 0; s < seconds; ++s) {
    const std::uint64_t began = machine::shared_nanoseconds();
    const std::uint64_t used_before = all.used();
    usleep(1'000'000);
    const std::vector<std::uint64_t> now = all.iterations();
    const double took = static_cast<double>(machine::shared_nanoseconds() - began);
    const double used = static_cast<double>(all.used() - used_before) / (contexts * took);
    std::uint64_t sum = 0;
    std::uint64_t smallest = ~std::uint64_t{0};
    for (unsigned j = 0; j < jobs; ++j) {
      sum += now[j] - before[j];
      smallest = std::min(smallest, now[j] - before[j]);
    }
    before = now;
    most_loops = std::max(most_loops, static_cast<double>(sum) / (took * 1e-9));
    const double share = static_cast<double>(smallest * jobs) / std::max(1.0, static_cast<double>(sum));
    least_of_all = std::min(least_of_all, share);
    if (used < quiet) continue;
    ++count;
    least = std::min(least, share);
  }
  std::printf("%u jobs: %.0f iterations a second; the least share of a second %.2f; ", static_cast<unsigned>(jobs),
              most_loops, least_of_all);
  if (count != 0) std::printf("of the %u seconds that count %.2f\n", count, least);
  if (count == 0) std::printf("none of the %u seconds counts\n", static_cast<unsigned>(seconds));
  if (all.wrong() != 0) std::printf("wrong results\n");
  if (all.wrong() != 0 || (count != 0 && least < least_share)) return 1;
  return count != 0 ? 0 : 77;
}
