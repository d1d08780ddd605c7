// Many jobs at once on few contexts: all of them make progress, and none has less than half of its fair share of any
// second, nor less than three quarters of all of the time.
//
//   fair_jobs [--jobs N | --weights W,W,...] [--seconds N] [--tries N]
//
// Each job is a process that runs parallel loops without an end. Work is counted, second by second; seconds in which
// others had more than a twentieth of the processor time tell nothing about the sharing and do not count. Prints the
// least share; exit status 1 if it is too small in each try, 77 if no second counts. ./x soak runs it for long. A host
// that takes a processor from the machine for part of a second is seen by one try, not by several.
#include <callisto/callisto.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

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
constexpr double least_share_of_all = 0.75;
constexpr double quiet = 0.95;

/// What a job reports.
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

/// Jobs that run until the object is destroyed.
class crowd {
 public:
  explicit crowd(const std::vector<unsigned>& weights) : pids_(weights.size()) {
    setenv("CALLISTO_COSCHED_DIR", folder_.path().c_str(), 1);
    setenv("CALLISTO_COSCHED", "on", 1);
    void* const room =
        mmap(nullptr, sizeof(told) * weights.size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) std::abort();
    told_ = static_cast<told*>(room);
    static_cast<void>(machine::topology::host());  // once, and not in each
    for (unsigned j = 0; j < weights.size(); ++j) {
      setenv("CALLISTO_WEIGHT", std::to_string(weights[j]).c_str(), 1);
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
  /// The processor time of all jobs together, in nanoseconds.
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

/// Reads the numbers of a text such as "3,1"; none if the text is not of this form.
std::vector<unsigned> numbers(const char* text) {
  std::vector<unsigned> all;
  for (const char* at = text; at != nullptr && *at != '\0';) {
    char* end = nullptr;
    const unsigned long n = std::strtoul(at, &end, 10);
    if (end == at || n == 0 || n > 1000 || (*end != ',' && *end != '\0')) return {};
    all.push_back(static_cast<unsigned>(n));
    at = *end == ',' ? end + 1 : end;
  }
  return all;
}

/// The smallest share that a job has of what its weight is worth; 1 is all of it.
double least_of(const std::vector<std::uint64_t>& had, const std::vector<unsigned>& weights) {
  const double sum = std::max(1.0, std::accumulate(had.begin(), had.end(), 0.0));
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double least = 1e300;
  for (std::size_t j = 0; j < had.size(); ++j)
    least = std::min(least, static_cast<double>(had[j]) / sum * total / weights[j]);
  return least;
}

/// Watches the jobs for some seconds, and prints what they had. Returns 0, 1 if one had too little, 77 if no second
/// counts.
int measure(const crowd& all, const std::vector<unsigned>& weights, unsigned seconds) {
  const double contexts = static_cast<double>(machine::affinity_at_start().size());
  unsigned count = 0;
  double least = 1e300;
  double most_loops = 0;
  std::vector<std::uint64_t> had_in_all(weights.size());
  std::vector<std::uint64_t> before = all.iterations();
  for (unsigned s = 0; s < seconds; ++s) {
    const std::uint64_t began = machine::shared_nanoseconds();
    const std::uint64_t used_before = all.used();
    usleep(1'000'000);
    const std::vector<std::uint64_t> now = all.iterations();
    const double took = static_cast<double>(machine::shared_nanoseconds() - began);
    const double used = static_cast<double>(all.used() - used_before) / (contexts * took);
    std::vector<std::uint64_t> had(weights.size());
    for (std::size_t j = 0; j < had.size(); ++j) had[j] = now[j] - before[j];
    before = now;
    most_loops = std::max(most_loops, std::accumulate(had.begin(), had.end(), 0.0) / (took * 1e-9));
    if (used < quiet) continue;
    ++count;
    least = std::min(least, least_of(had, weights));
    for (std::size_t j = 0; j < had.size(); ++j) had_in_all[j] += had[j];
  }
  std::printf("%zu jobs: %.0f iterations a second; %u of %u seconds count", weights.size(), most_loops, count, seconds);
  const double least_of_all = count == 0 ? 1 : least_of(had_in_all, weights);
  if (count != 0) std::printf("; the least share of a second %.2f, of all %.2f", least, least_of_all);
  std::printf("%s\n", all.wrong() != 0 ? "; wrong results" : "");
  if (all.wrong() != 0 || (count != 0 && (least < least_share || least_of_all < least_share_of_all))) return 1;
  return count != 0 ? 0 : 77;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<unsigned> weights(most_jobs, 1);
  unsigned seconds = 5;
  unsigned tries = 1;
  for (int i = 1; i < argc; i += 2) {
    const std::vector<unsigned> said = numbers(argv[i + 1]);
    if (std::string_view(argv[i]) == "--weights") {
      weights = said;
    } else if (std::string_view(argv[i]) == "--jobs" && said.size() == 1) {
      weights.assign(said.front(), 1);
    } else if (std::string_view(argv[i]) == "--tries" && said.size() == 1) {
      tries = said.front();
    } else {
      seconds = std::string_view(argv[i]) == "--seconds" && said.size() == 1 ? said.front() : 0;
    }
  }
  if (weights.size() < 2 || weights.size() > most_jobs || seconds == 0) {
    std::fprintf(stderr, "usage: fair_jobs [--jobs 2 to %u | --weights W,W,...] [--seconds N] [--tries N]\n",
                 most_jobs);
    return 2;
  }
  const crowd all(weights);
  for (int i = 0; i < 20'000 && !all.all_began(); ++i) usleep(1000);
  if (!all.all_began()) {
    std::printf("after 20 seconds a job has not run a loop\n");
    return 1;
  }
  int verdict = 1;
  for (; verdict == 1 && tries != 0; --tries) verdict = measure(all, weights, seconds);
  return verdict;
}
