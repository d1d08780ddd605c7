// Measures how soon the context of a job that is killed, or does not answer, passes to another job:
// - Under a broker, a killed job's context works for the next job within 2 ms.
// - There, threads of a job that does not answer are off its context within 1 ms after the grace period.
//
//   forced [--quick] [--broker CALLISTO]
//
// Two processes, each with a thread for the same context. With --broker they are two users' jobs, each in a session of
// its own, under `CALLISTO broker` with grade group; that needs root and two contexts. Exit code 1 if a limit is
// missed.
#include <lab/costs/compare.hpp>
#include <lab/costs/two_users.hpp>

#include <callisto/broker/client.hpp>
#include <callisto/cosched/job.hpp>
#include <callisto/machine/system/scratch_folder.hpp>

#include <fmt/format.h>

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

const std::int64_t grace = static_cast<std::int64_t>(cosched::timing{}.grace());

/// What the processes tell each other. All operations are seq_cst: each hand-over needs a few.
struct facts {
  std::atomic<std::int64_t> taken_at{0};  ///< when the other job was last given the context
  std::atomic<std::int64_t> works_at{0};  ///< when it was last known to work there
  std::atomic<std::int64_t> holds_at{0};  ///< when the job in question was
  std::atomic<std::int64_t> asked_at{0};  ///< when it saw the question that it does not answer
  std::atomic<bool> answers{true};        ///< it is to answer
  std::atomic<bool> works{true};          ///< the other job has work
  std::atomic<bool> over{false};
};

std::unique_ptr<cosched::job> join(const meeting_place& there, unsigned context, unsigned weight) {
  std::string refusal;
  cosched::membership how{.contexts = {context}, .main = {}, .weight = weight};
  std::vector<std::string> folders{there.folder};
  if (there.has_broker) {
    how.broker = broker::find;
    folders.clear();
    // Where a job may run that has lost the context.
    for (unsigned c = 0; c < std::thread::hardware_concurrency(); ++c) {
      if (c != context) how.contexts.push_back(c);
    }
  }
  auto job = cosched::job::join(how, folders, refusal);
  if (job == nullptr) {
    fmt::print(stderr, "forced: {}\n", refusal);
    std::_Exit(1);
  }
  return job;
}

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

/// Wants the context while it has work, and works there when it has it.
void want(const meeting_place& there, unsigned context, unsigned weight, facts& shared) {
  pin(context);
  const auto job = join(there, context, weight);
  cosched::job::seat seat(*job, context);
  const auto over = [&] { return shared.over.load(); };
  while (!over()) {
    if (!shared.works) {
      seat.idle();
      while (!shared.works && !over()) sleep_ms(1);
    }
    if (!seat.take(over)) break;
    shared.taken_at = now();
    do {
      shared.works_at = now();
      work();
    } while (shared.works && !over() && (seat.undisturbed() || seat.keep()));
  }
}

/// Holds the context whenever it may. While it is not to answer, its thread runs on wherever the system lets it.
void hold(const meeting_place& there, unsigned context, unsigned weight, facts& shared) {
  const auto job = join(there, context, weight);
  cosched::job::seat seat(*job, context);
  const auto over = [&] { return shared.over.load(); };
  while (seat.take(over)) {
    bool keeps = true;
    while (keeps && !over()) {
      if (static_cast<unsigned>(sched_getcpu()) == context) {
        shared.holds_at = now();
      } else if (shared.answers) {
        pin(context);  // the broker lets it there again, a moment after the answer
      }
      work();
      if (seat.undisturbed()) continue;
      if (shared.answers) {
        shared.asked_at = 0;
        keeps = seat.keep();
      } else if (shared.asked_at == 0) {
        shared.asked_at = now();
      }
    }
    if (over()) break;
  }
}

/// Waits until the job in question has worked on the context since `since`.
void await_holder(const facts& shared, std::int64_t since) {
  while (shared.holds_at <= since) sleep_ms(1);
}

/// Runs the other job while `f` runs.
template <class F>
auto beside(const meeting_place& there, uid_t user, unsigned context, unsigned weight, facts& shared, const F& f) {
  shared.over = false;
  const pid_t other = start_as(there, user, [&] { want(there, context, weight, shared); });
  auto found = f();
  shared.over = true;
  ::waitpid(other, nullptr, 0);
  return found;
}

/// Kills the context's owner again and again, while a job with the lower weight wants it. Returns the microseconds
/// until that one works there.
std::vector<double> kill_holders(const meeting_place& there, unsigned context, facts& shared, unsigned times) {
  std::vector<double> found;
  while (found.size() < times) {
    const std::int64_t begun = now();
    const pid_t victim = start_as(there, first_user, [&] { hold(there, context, owner_weight, shared); });
    await_holder(shared, begun);
    sleep_ms(3 + static_cast<int>(found.size() % 5));
    const std::int64_t killed_at = now();
    ::kill(victim, SIGKILL);
    // A turn of the other's began just before: nothing to measure.
    const bool held = killed_at - shared.holds_at < 100'000 && shared.works_at < killed_at - 100'000;
    if (held) {
      while (shared.taken_at <= killed_at) sleep_ms(1);
      found.push_back(static_cast<double>(shared.taken_at - killed_at) / 1e3);
    }
    ::waitpid(victim, nullptr, 0);
  }
  return found;
}

struct off {
  std::vector<double> context;  ///< microseconds from the end of the grace period until the other job has the context
  std::vector<double> threads;  ///< until the last thread of the job that did not answer has left it
};

/// Has a job that has borrowed the context not answer, when the owner wants it back; again and again.
off force_holders(const meeting_place& there, unsigned context, facts& shared, unsigned times) {
  off found;
  const pid_t offender = start_as(there, first_user + 1, [&] { hold(there, context, 1, shared); });
  while (found.context.size() < times) {
    shared.works = false;
    await_holder(shared, now() + 2'000'000);
    shared.answers = false;
    const std::int64_t wanted_at = now();
    shared.works = true;
    while (shared.taken_at < wanted_at) sleep_ms(1);
    sleep_ms(20);
    if (shared.asked_at >= wanted_at) {
      const std::int64_t over_at = shared.asked_at + grace;
      found.context.push_back(static_cast<double>(shared.taken_at - over_at) / 1e3);
      found.threads.push_back(static_cast<double>(shared.holds_at - over_at) / 1e3);
    }
    shared.answers = true;
    while (shared.asked_at != 0) sleep_ms(1);
  }
  ::kill(offender, SIGKILL);
  ::waitpid(offender, nullptr, 0);
  return found;
}

void print(const char* name, std::vector<double>& values) {
  fmt::print("  {:<46} {:8.0f} {:8.0f} {:8.0f}\n", name, quantile(values, 0.5), quantile(values, 0.99),
             quantile(values, 1));
}

}  // namespace

int main(int argc, char** argv) {
  const options asked = options_of(argc, argv, "forced", 2);
  const machine::scratch_folder scratch;
  const meeting_place there{scratch.path(), asked.broker != nullptr};
  auto& shared = in_shared_memory<facts>();
  const pid_t broker = asked.broker != nullptr ? start_broker(there, asked.broker) : -1;
  constexpr unsigned context = 0;
  const unsigned times = asked.quick ? 50 : 500;
  std::vector<double> killed =
      beside(there, first_user + 1, context, 1, shared, [&] { return kill_holders(there, context, shared, times); });
  off forced = beside(there, first_user, context, owner_weight, shared,
                      [&] { return force_holders(there, context, shared, times); });
  stop_broker(broker);
  fmt::print("{} times each; microseconds, median, 99th percentile, most\n", times);
  print("killed: until the other has the context", killed);
  print("no answer: behind the grace period, the same", forced.context);
  if (there.has_broker) print("no answer: the same, until its threads are off", forced.threads);
  lab::limits limits;
  if (there.has_broker) {
    limits.at_most("a killed job's context works for the other after", quantile(killed, 0.99), 2000, " us");
    limits.at_most("threads without an answer are off after the grace period and", quantile(forced.threads, 0.99), 1000,
                   " us");
  }
  return limits.exit_code();
}
