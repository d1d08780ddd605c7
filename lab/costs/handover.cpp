// Measures how soon a context passes from one job to another, against the limits of EuroSys'14's policy as used here:
// - An idle context works for the other job within H_high and 50 microseconds.
// - Its owner has it back within P_low and 100 microseconds.
// Also measures what a lease poll costs a job that is alone.
//
//   handover [--quick] [--broker CALLISTO]
//
// Two processes, each with a thread pinned to the same context. With --broker they are two users' jobs, each in a
// session of its own, under `CALLISTO broker`; that needs root. Exit code 1 if a limit is missed.
#include <lab/costs/compare.hpp>
#include <lab/costs/two_users.hpp>

#include <callisto/broker/client.hpp>
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
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace callisto;
using namespace callisto::lab;

/// The memory through which the two processes communicate.
struct work_signal {
  std::atomic<std::uint32_t> taken{0};  ///< number of times that the borrower got the context
  std::atomic<std::int64_t> taken_at{0};
  std::atomic<bool> joined{false};
  std::atomic<bool> over{false};
};

// All operations are seq_cst: a hand-over takes microseconds and needs only a few.

std::unique_ptr<cosched::job> join(const meeting_place& there, unsigned context, unsigned weight) {
  std::string refusal;
  if (there.has_broker) {
    auto job = cosched::job::join({.contexts = {context}, .main = {}, .broker = broker::find}, {}, refusal);
    if (job == nullptr) {
      fmt::print(stderr, "handover: {}\n", refusal);
      std::_Exit(1);
    }
    return job;
  }
  // P_low is the paper's. H_high is shorter than the paper's 10 ms, to have more hand-overs in the time; the limit adds
  // to it.
  const cosched::timing delays{.h_high = 1'000'000, .h_low = 1'000'000, .p_low = 1'000'000};
  auto job = cosched::job::join({.contexts = {context}, .main = {}, .weight = weight, .delays = delays}, {there.folder},
                                refusal);
  if (job == nullptr) {
    fmt::print(stderr, "handover: {}\n", refusal);
    std::exit(1);
  }
  return job;
}

constexpr unsigned most_times = 10'000;

/// What the processes leave for the one that prints.
struct results {
  work_signal signal;
  double poll = 0;
  std::size_t count = 0;
  double lent[most_times];
  double back[most_times];
};

/// Runs on the context whenever it may, as the job with the lower weight.
void borrow(const meeting_place& there, unsigned context, work_signal& shared) {
  const auto job = join(there, context, 1);
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
delays own(const meeting_place& there, unsigned context, work_signal& shared, unsigned times) {
  const auto job = join(there, context, owner_weight);
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
    std::this_thread::sleep_for(there.pause + std::chrono::microseconds(i * 7 % 1000));
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

/// Returns the nanoseconds of a lease poll of a job that is alone.
double lease_poll(const meeting_place& there, unsigned context, unsigned times) {
  const auto job = join(there, context, 1);
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
  const options asked = options_of(argc, argv, "handover");
  const machine::scratch_folder scratch;
  const meeting_place there = asked.broker == nullptr
                                  ? meeting_place{scratch.path()}
                                  : meeting_place{scratch.path(), true, std::chrono::microseconds(12'000)};
  auto& shared = in_shared_memory<results>();
  const auto context = static_cast<unsigned>(sched_getcpu());
  const pid_t broker = asked.broker != nullptr ? start_broker(there, asked.broker) : -1;
  pin(context);
  lab::limits limits;
  const auto poll = [&] { shared.poll = lease_poll(there, context, 100'000'000); };
  ::waitpid(start_as(there, first_user, poll), nullptr, 0);
  limits.at_most("a check-in of a job that is alone", shared.poll, 2, " ns");

  const unsigned times = asked.quick ? 1000 : most_times;
  const pid_t borrower = start_as(there, first_user + 1, [&] { borrow(there, context, shared.signal); });
  const auto measure = [&] {
    const delays found = own(there, context, shared.signal, times);
    shared.count = found.lent.size();
    std::copy(found.lent.begin(), found.lent.end(), shared.lent);
    std::copy(found.back.begin(), found.back.end(), shared.back);
  };
  ::waitpid(start_as(there, first_user, measure), nullptr, 0);
  ::waitpid(borrower, nullptr, 0);
  stop_broker(broker);
  std::vector<double> lent(shared.lent, shared.lent + shared.count);
  std::vector<double> back(shared.back, shared.back + shared.count);
  fmt::print("{} hand-overs of {} lent; microseconds, median, 99th percentile, most\n", shared.count, times);
  for (auto& [name, values] : {std::pair<const char*, std::vector<double>&>{"lent", lent}, {"back", back}}) {
    fmt::print("  {}  {:8.1f} {:8.1f} {:8.1f}\n", name, quantile(values, 0.5), quantile(values, 0.99),
               quantile(values, 1));
  }
  limits.at_least("contexts lent", static_cast<double>(shared.count), 0.99 * times);
  // A broker's H_high is the paper's 10 ms.
  limits.at_most("at work for the other job after", quantile(lent, 0.99), (there.has_broker ? 10'000 : 1000) + 50,
                 " us");
  limits.at_most("back with its owner after", quantile(back, 0.99), 1000 + 100, " us");
  return limits.exit_code();
}
