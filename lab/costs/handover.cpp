// Measures how soon a context passes from one job to another, against the limits of EuroSys'14's policy as used here:
// - An idle context works for the other job within H_high and 50 microseconds.
// - Its owner has it back within P_low and 100 microseconds.
// Also measures what a lease poll costs a job that is alone.
//
//   handover [--quick]
//
// Two processes, each with a thread pinned to the same context. Exit code 1 if a limit is missed.
#include <lab/costs/compare.hpp>

#include <callisto/cosched/job.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace callisto;
using clock = std::chrono::steady_clock;

/// The memory through which the two processes communicate.
struct work_signal {
  std::atomic<std::uint32_t> taken{0};  ///< number of times that the borrower got the context
  std::atomic<std::int64_t> taken_at{0};
  std::atomic<bool> joined{false};
  std::atomic<bool> over{false};
};

// All operations are seq_cst: a hand-over takes microseconds and needs only a few.

std::int64_t now() { return clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

std::unique_ptr<cosched::job> join(const std::string& folder, unsigned context, unsigned weight) {
  // P_low is the paper's. H_high is shorter than the paper's 10 ms, to have more hand-overs in the time; the limit adds
  // to it.
  const cosched::timing delays{.h_high = 1'000'000, .h_low = 1'000'000, .p_low = 1'000'000};
  std::string refusal;
  auto job =
      cosched::job::join({.contexts = {context}, .main = {}, .weight = weight, .delays = delays}, {folder}, refusal);
  if (job == nullptr) {
    fmt::print(stderr, "handover: {}\n", refusal);
    std::exit(1);
  }
  return job;
}

void pin(unsigned context) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(context, &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// Works for about 100 ns between two lease polls.
void work() {
  for (int i = 0; i < 100; ++i) asm volatile("");
}

/// Runs on the context whenever it may, as the job with the lower weight.
void borrow(const std::string& folder, unsigned context, work_signal& shared) {
  const auto job = join(folder, context, 1);
  cosched::job::seat seat(*job, context);
  shared.joined = true;
  const auto over = [&] { return shared.over.load(); };
  while (seat.take(over)) {
    shared.taken_at = now();
    ++shared.taken;
    do {
      work();
    } while (!over() && (seat.undisturbed() || seat.keep()));
    if (over()) break;
  }
}

struct delays {
  std::vector<double> lent;  ///< microseconds from idle() to the borrower's first work
  std::vector<double> back;  ///< microseconds from take() to running again
};

/// Owns the context as the job with the higher weight: lends it by being idle, and takes it back. Returns the delays.
delays own(const std::string& folder, unsigned context, work_signal& shared, unsigned times) {
  const auto job = join(folder, context, 8);
  cosched::job::seat seat(*job, context);
  const auto never = [] { return false; };
  while (!shared.joined) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  seat.take(never);
  delays found;
  for (unsigned i = 0; i < times; ++i) {
    const std::uint32_t before = shared.taken;
    const std::int64_t idle_at = now();
    seat.idle();
    // Sleeps, like a worker without work, for longer than the borrower needs to take the context.
    std::this_thread::sleep_for(std::chrono::microseconds(1500 + i * 7 % 1000));
    const bool lent = shared.taken != before;
    if (lent) found.lent.push_back(static_cast<double>(shared.taken_at - idle_at) / 1e3);
    const std::int64_t wished_at = now();
    seat.take(never);
    if (lent) found.back.push_back(static_cast<double>(now() - wished_at) / 1e3);
    for (const std::int64_t until = now() + 20'000; now() < until;) {
      work();
      if (!seat.undisturbed() && !seat.keep()) seat.take(never);
    }
  }
  shared.over = true;
  return found;
}

double quantile(std::vector<double>& values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0
                        : values[std::min(values.size() - 1,
                                          static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

/// Returns the nanoseconds of a lease poll of a job that is alone.
double lease_poll(const std::string& folder, unsigned context, unsigned times) {
  const auto job = join(folder, context, 1);
  cosched::job::seat seat(*job, context);
  seat.take([] { return false; });
  unsigned disturbed = 0;
  const double seconds = lab::seconds_of([&] {
    for (unsigned i = 0; i < times; ++i) disturbed += seat.undisturbed() ? 0 : 1;
  });
  if (disturbed != 0) fmt::print("check-ins that found something: {}\n", disturbed);
  return seconds / times * 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  if (argc > (quick ? 2 : 1)) {
    fmt::print(stderr, "usage: handover [--quick]\n");
    return 2;
  }
  const machine::scratch_folder scratch;
  const std::string& folder = scratch.path();
  void* memory = ::mmap(nullptr, sizeof(work_signal), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("handover");
    return 1;
  }
  auto& shared = *new (memory) work_signal;
  const auto context = static_cast<unsigned>(sched_getcpu());
  pin(context);
  lab::limits limits;
  limits.at_most("a check-in of a job that is alone", lease_poll(folder, context, 100'000'000), 2, " ns");

  const pid_t borrower = ::fork();
  if (borrower == 0) {
    borrow(folder, context, shared);
    std::_Exit(0);
  }
  const unsigned times = quick ? 1000 : 10'000;
  delays found = own(folder, context, shared, times);
  ::waitpid(borrower, nullptr, 0);
  fmt::print("{} hand-overs of {} lent; microseconds, median, 99th percentile, most\n", found.lent.size(), times);
  for (auto& [name, values] :
       {std::pair<const char*, std::vector<double>&>{"lent", found.lent}, {"back", found.back}}) {
    fmt::print("  {}  {:8.1f} {:8.1f} {:8.1f}\n", name, quantile(values, 0.5), quantile(values, 0.99),
               quantile(values, 1));
  }
  limits.at_least("contexts lent", static_cast<double>(found.lent.size()), 0.99 * times);
  limits.at_most("at work for the other job after", quantile(found.lent, 0.99), 1000 + 50, " us");
  limits.at_most("back with its owner after", quantile(found.back, 0.99), 1000 + 100, " us");
  return limits.exit_code();
}
