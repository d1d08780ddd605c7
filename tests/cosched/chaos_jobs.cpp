// Jobs in chaos: processes that share contexts while they are killed, stopped and forked, and while random bytes are
// written into their table. No job may wait for a context longer than --longest, and results are right. Every second
// job runs parallel loops, every fourth runs regions of activations as OpenMP's are; the others use the table by
// themselves.
//
//   chaos_jobs [--seconds N] [--jobs N] [--seed N] [--gentle] [--broker N] [--longest MS]
//
// --longest: the longest that a job may wait, 1,000 ms; more where other programs keep the processors busy. Jobs that
// wait at the end get their turn before it.
// --gentle: no random bytes. --broker: a broker divides the contexts, and is killed and begun anew each N seconds; if
// root runs this, the jobs are of two users. They have no table to damage.
// Prints a line of counts; on failure, what failed, with exit status 1. ./x soak runs it for long.
#include <callisto/broker/client.hpp>
#include <callisto/broker/server.hpp>
#include <callisto/callisto.hpp>
#include <callisto/cosched/job.hpp>
#include <callisto/machine/fibers/thread_identity.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/shared_memory.hpp>
#include <callisto/machine/system/scratch_folder.hpp>
#include <callisto/workers/activations/create_workers.hpp>

#include "../sanitizers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace callisto;
using namespace callisto::cosched;
using machine::shared_nanoseconds;

constexpr std::uint64_t ms = 1'000'000;
constexpr unsigned most_contexts = 4;
constexpr unsigned most_jobs = 32;

/// What a thread of a job tells the program that watches it.
struct progress {
  std::atomic<std::uint64_t> waiting_since;  ///< 0: not waiting for its context
  std::atomic<std::uint64_t> batches;
  std::atomic<std::uint64_t> takes;
};
struct job_progress {
  std::array<progress, most_contexts> threads;
  std::atomic<std::uint32_t> joined;
  std::atomic<std::uint32_t> wrong;  ///< results
  std::atomic<std::uint32_t> alone;  ///< times that the job could not join
  std::atomic<std::uint32_t> please_fork;
  std::atomic<std::uint32_t> forks;
};

/// About 20 microseconds of work with a known result.
std::uint64_t batch(std::uint64_t from) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    sum += from + i;
    asm volatile("" : "+r"(sum));
  }
  return sum;
}
bool right(std::uint64_t from, std::uint64_t sum) { return sum == 10'000 * from + 9'999 * 5'000; }

void run_thread(job& me, unsigned context, progress& p, std::atomic<std::uint32_t>& wrong, std::uint64_t seed) {
  machine::pin_this_thread(context);
  std::mt19937_64 random(seed);
  job::seat here(me, context);
  for (std::uint64_t n = 0;; ++n) {
    p.waiting_since.store(shared_nanoseconds());
    here.take([] { return false; });
    p.waiting_since.store(0);
    p.takes.fetch_add(1);
    for (std::uint64_t left = 1 + random() % 20'000; left != 0; --left) {
      const std::uint64_t from = n * 1'000'003 + left;
      if (!right(from, batch(from))) wrong.fetch_add(1);
      p.batches.fetch_add(1);
      if (!here.undisturbed() && !here.keep()) break;
    }
    // Now and then nothing to do, for less than H_high and for more.
    if (random() % 2 == 0) {
      here.idle();
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    }
  }
}

std::unique_ptr<job> join(const std::string& folder, const std::vector<unsigned>& contexts) {
  std::string refusal;
  auto joined = job::join({.contexts = contexts, .main = contexts.front(), .broker = broker::find}, {folder}, refusal);
  if (joined == nullptr) std::printf("refused: %s\n", refusal.c_str());
  return joined;
}

[[noreturn]] void run_job(const std::string& folder, const std::vector<unsigned>& contexts, job_progress& p,
                          std::uint64_t seed) {
  std::unique_ptr<job> me = join(folder, contexts);
  if (me == nullptr) {
    p.alone.fetch_add(1);
    _exit(0);
  }
  p.joined.store(1);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < contexts.size(); ++t) {
    threads.emplace_back(run_thread, std::ref(*me), contexts[t], std::ref(p.threads[t]), std::ref(p.wrong), seed + t);
  }
  for (;;) {
    usleep(1000);
    if (p.please_fork.exchange(0) == 0) continue;
#if defined(CALLISTO_CHILDREN_WORK)
    if (fork() == 0) {
      // Does what the runtime does in the child of a fork; then is a job of its own, for a moment.
      job::abandon(std::move(me));
      if (const auto mine = join(folder, contexts)) {
        job::seat here(*mine, contexts.back());
        const std::uint64_t begin = shared_nanoseconds();
        if (here.take([&] { return shared_nanoseconds() - begin > 200 * ms; })) here.idle();
      }
      _exit(0);
    }
    p.forks.fetch_add(1);
#endif
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

enum class kind : std::uint8_t { seats, loops, regions };
kind kind_of(unsigned job) {
  if (job % 2 == 1) return kind::loops;
  return job % 4 == 2 && machine::thread_identity::can_be_carried() ? kind::regions : kind::seats;
}

/// Runs loops of 100 iterations for a given time.
void run_loops(job_progress& p, std::uint64_t seed, std::uint64_t nanoseconds) {
  const std::uint64_t begin = shared_nanoseconds();
  for (std::uint64_t n = seed % 1000; shared_nanoseconds() - begin < nanoseconds; ++n) {
    std::atomic<std::uint64_t> ran{0};
    parallel_for(std::uint64_t{0}, std::uint64_t{100}, [&](std::uint64_t i) {
      if (!right(n + i, batch(n + i))) p.wrong.fetch_add(1);
      ran.fetch_add(1);
      p.threads[this_thread() % most_contexts].batches.fetch_add(1);
    });
    if (ran.load() != 100) p.wrong.fetch_add(1);
  }
}

[[noreturn]] void run_loop_job(job_progress& p, std::uint64_t seed) {
  for (;;) {
    run_loops(p, seed, 20 * ms);
    p.joined.store(1);
    if (seed % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(seed % 50));
    if (p.please_fork.exchange(0) == 0) continue;
#if defined(CALLISTO_CHILDREN_WORK)
    if (fork() == 0) {
      run_loops(p, seed, 50 * ms);
      std::exit(0);
    }
    p.forks.fetch_add(1);
#endif
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

/// Regions of five threads: the leader and four activations, which stay from region to region, compute, and meet at a
/// flag that they spin at, each first of all once.
class regions {
 public:
  regions(job_progress& p, unsigned contexts) : progress_(p) {
    for (auto& identity : identities_) identity = std::make_unique<machine::thread_identity>();
    set_ = workers::create_workers({.workers = contexts, .attached = 1, .coscheduled = true, .turn_ns = 1'000'000});
  }

  /// Runs regions for a given time, with a pause of at most so many microseconds after each.
  void run(std::uint64_t seed, std::uint64_t nanoseconds, unsigned pause) {
    std::mt19937_64 random(seed);
    workers::attached_here here(*set_);
    const workers::native_ticket ticket = (*set_)->create_ticket(
        [](workers::native_activation& self, void* data, workers::native_ticket of) {
          auto& mine = *static_cast<regions*>(data);
          const unsigned i = mine.begun_.fetch_add(1);
          if (i + 1 >= members) (*mine.set_)->set_drained(of);
          if (i < members) run_as(self, *mine.identities_[i], [&] { mine.live(self, i); });
        },
        this, members);
    for (const std::uint64_t begin = shared_nanoseconds(); shared_nanoseconds() - begin < nanoseconds;) {
      length_ = 1 + random() % 100;
      write(started_, started_.read() + 1);
      workers::this_suspendable().preemptible([&] {
        workers::this_suspendable().give_way();
        work(members, started_.read());
      });
      const auto all = [&](std::uint64_t ended) { return ended == started_.read() * members; };
      sync_wait_value(ended_, all, workers::this_suspendable());
      if (ran_.exchange(0) != (members + 1) * length_) progress_.wrong.fetch_add(1);
      if (random() % 4 != 0) continue;
      here.pause();
      std::this_thread::sleep_for(std::chrono::microseconds(random() % (pause + 1)));
      here.proceed();
    }
    write(started_, no_more);
    wait_complete(*set_, ticket);
    begun_.store(0);
    {
      const std::scoped_lock held(latch_);
      started_.write(0);
      ended_.write(0);
    }
    flag_.store(0);
  }

 private:
  static constexpr unsigned members = 4;
  static constexpr std::uint64_t no_more = ~std::uint64_t{0};

  void write(waiting::svar<machine::native>& v, std::uint64_t value) {
    const std::scoped_lock held(latch_);
    v.write(value);
  }

  void live(workers::native_activation& self, unsigned i) {
    for (std::uint64_t region = 1;; ++region) {
      const auto begins = [region](std::uint64_t now) { return now >= region; };
      if (sync_wait_value(started_, begins, self) == no_more) return;
      self.preemptible([&] { work(i, region); });
      const std::scoped_lock held(latch_);
      ended_.write(ended_.read() + 1);
    }
  }

  void work(unsigned i, std::uint64_t region) {
    const auto meet = [&](std::uint64_t met) {
      flag_.fetch_add(1);
      while (flag_.load() < met * (members + 1)) {
      }
    };
    meet(2 * region - 1);
    for (unsigned n = 0; n < length_; ++n) {
      if (!right(region + n, batch(region + n))) progress_.wrong.fetch_add(1);
      ran_.fetch_add(1);
      progress_.threads[i % most_contexts].batches.fetch_add(1);
    }
    meet(2 * region);
  }

  job_progress& progress_;
  std::array<std::unique_ptr<machine::thread_identity>, members> identities_;
  std::unique_ptr<workers::worker_threads> set_;
  waiting::latch<machine::native> latch_;
  waiting::svar<machine::native> started_{latch_, 0};  ///< regions, or no_more
  waiting::svar<machine::native> ended_{latch_, 0};    ///< members, of all regions
  std::atomic<unsigned> begun_{0};
  std::atomic<std::uint64_t> flag_{0};
  std::atomic<std::uint64_t> ran_{0};
  std::uint64_t length_ = 0;
};

[[noreturn]] void run_region_job(job_progress& p, unsigned contexts, std::uint64_t seed) {
  regions all(p, contexts);
  for (;;) {
    all.run(seed, 50 * ms, seed % 3 == 0 ? 30'000 : 300);
    p.joined.store(1);
    if (p.please_fork.exchange(0) == 0) continue;
    if (fork() == 0) {
      // The child has no workers of its parent.
      regions(p, contexts).run(seed, 50 * ms, 300);
      _exit(0);
    }
    p.forks.fetch_add(1);
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

class chaos {
 public:
  chaos(unsigned jobs, std::uint64_t seed, bool gentle, std::uint64_t broker_seconds, std::uint64_t longest)
      : jobs_(jobs),
        random_(seed),
        gentle_(gentle || broker_seconds != 0),
        broker_life_(broker_seconds * 1000 * ms),
        longest_allowed_(longest) {
    setenv("CALLISTO_COSCHED_DIR", folder_.path().c_str(), 1);
    setenv("CALLISTO_COSCHED", "on", 1);
    contexts_ = machine::affinity_at_start();
    contexts_.resize(std::min<std::size_t>(contexts_.size(), most_contexts));
    void* const room =
        mmap(nullptr, sizeof(job_progress) * most_jobs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) std::abort();
    told_ = static_cast<job_progress*>(room);
  }
  chaos(const chaos&) = delete;
  ~chaos() {
    for (unsigned j = 0; j < jobs_; ++j) end(j);
    end_broker();
  }

  bool run_for(std::uint64_t nanoseconds) {
    if (broker_life_ != 0) {
      for (const unsigned user : users) prepare(user);
      if (!begin_broker()) return false;
    }
    for (unsigned j = 0; j < jobs_; ++j) begin(j);
    // Its own mapping: this process is no job, and has no locks to lose.
    for (int i = 0; i < 10'000 && told_[0].joined.load() == 0; ++i) usleep(1000);
    if (broker_life_ == 0) {
      table_ = std::make_unique<machine::shared_file>(folder_.file(table_name()), sizeof(shared_table),
                                                      machine::shared_file::access::write);
    }
    std::uint64_t last = shared_nanoseconds();
    for (std::uint64_t end = last + nanoseconds; last < end || (oldest_wait_ != 0 && oldest_wait_ < end);) {
      usleep(2000);
      const std::uint64_t now = shared_nanoseconds();
      // A machine that stops this process stops the others, too. That time does not count.
      if (now - last > 50 * ms) {
        quiet_until_ = now + 2000 * ms;
        end += now - last;
      }
      last = now;
      if (now < end) event(now);
      if (broker_life_ != 0 && now - broker_began_ > broker_life_) {
        end_broker();
        if (!begin_broker()) return false;
      }
      if (broker_life_ != 0 && now - asked_at_ > 1000 * ms) ask_broker(now);
      if (!look(now)) return false;
    }
    std::uint64_t batches = 0, takes = 0, forks = 0;
    for (unsigned j = 0; j < jobs_; ++j) {
      forks += told_[j].forks.load();
      for (const progress& p : told_[j].threads) batches += p.batches.load(), takes += p.takes.load();
    }
    std::printf(
        "%u jobs on %zu contexts: %lu batches, %lu takes, %lu killed, %lu stopped, %lu forks, %lu damaged, %lu "
        "brokers; "
        "longest wait %.0f ms\n",
        jobs_, contexts_.size(), batches, takes, killed_, stopped_, forks, damaged_, brokers_, double(longest_) / ms);
    if (broker_life_ != 0) std::printf("at most %u jobs of %u users had a broker\n", served_, users_served_);
    return batches != 0 && takes != 0 && (broker_life_ == 0 || served_ != 0);
  }

 private:
  struct watched {
    pid_t pid = -1;
    std::uint64_t stopped_until = 0;  ///< 0: it runs
    std::uint64_t since = 0;          ///< when it began, or went on
    std::uint64_t batches = 0;        ///< of a job that runs loops or regions, when they were last looked at
    std::uint64_t changed = 0;        ///< and when they had last changed
  };

  /// The users of jobs under a broker of root. A user's folder leads to the broker's socket; so its table is there,
  /// too, for the moments without a broker.
  static constexpr std::array<unsigned, 2> users{64310, 64311};
  static unsigned user_of(unsigned j) { return users[j / 2 % users.size()]; }
  std::string folder_of(unsigned j) const {
    return broker_life_ == 0 ? folder_.path() : folder_.file(std::to_string(user_of(j)));
  }
  void prepare(unsigned user) {
    const std::string its = folder_.file(std::to_string(user));
    chmod(folder_.path().c_str(), 0755);
    mkdir(its.c_str(), 0700);
    if (symlink("../broker", (its + "/broker").c_str()) != 0) std::abort();
    if (geteuid() == 0 && chown(its.c_str(), user, user) != 0) std::abort();
  }
  /// Becomes the user of job j.
  void become(unsigned j) {
    if (broker_life_ == 0) return;
    setenv("CALLISTO_COSCHED_DIR", folder_of(j).c_str(), 1);
    const unsigned user = user_of(j);
    if (geteuid() != 0) return;
    if (setgroups(0, nullptr) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0)
      std::abort();
  }
  /// False: the broker could not begin.
  bool begin_broker() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    broker_ = fork();
    if (broker_ == 0) {
      broker::server serves({.path = folder_.file("broker"), .for_all_users = geteuid() == 0});
      if (write(ends[1], "b", 1) != 1) _exit(1);
      serves.run([] { return false; });
      _exit(1);
    }
    close(ends[1]);
    char said = 0;
    const bool begun = read(ends[0], &said, 1) == 1;
    close(ends[0]);
    if (!begun) std::printf("no broker\n");
    broker_began_ = shared_nanoseconds();
    ++brokers_;
    return begun;
  }
  /// Without it a broker that no job joins would pass.
  void ask_broker(std::uint64_t now) {
    asked_at_ = now;
    const auto by = broker::ask_for_report();
    if (!by || !by->answers) return;
    served_ = std::max(served_, by->says.jobs);
    users_served_ = std::max(users_served_, by->says.users);
  }
  void end_broker() {
    if (broker_ <= 0) return;
    kill(broker_, SIGKILL);
    waitpid(broker_, nullptr, 0);
    broker_ = -1;
  }

  void begin(unsigned j) {
    for (progress& p : told_[j].threads) p.waiting_since.store(0);
    told_[j].joined.store(0);
    const std::uint64_t seed = random_();
    watched_[j] = {.pid = fork(), .stopped_until = 0, .since = shared_nanoseconds()};
    if (watched_[j].pid != 0) return;
    become(j);
    if (kind_of(j) == kind::loops) run_loop_job(told_[j], seed);
    if (kind_of(j) == kind::regions) run_region_job(told_[j], static_cast<unsigned>(contexts_.size()), seed);
    run_job(folder_of(j), contexts_, told_[j], seed);
  }
  void end(unsigned j) {
    if (watched_[j].pid <= 0) return;
    kill(watched_[j].pid, SIGKILL);
    waitpid(watched_[j].pid, nullptr, 0);
    watched_[j].pid = -1;
  }

  void event(std::uint64_t now) {
    for (unsigned j = 0; j < jobs_; ++j) {
      if (watched_[j].stopped_until == 0 || now < watched_[j].stopped_until) continue;
      kill(watched_[j].pid, SIGCONT);
      watched_[j].stopped_until = 0;
      watched_[j].since = now;
    }
    const unsigned j = static_cast<unsigned>(random_() % jobs_);
    switch (random_() % 40) {
      case 0:
        end(j);
        begin(j);
        ++killed_;
        break;
      case 1:
        if (watched_[j].stopped_until != 0) break;
        kill(watched_[j].pid, SIGSTOP);
        watched_[j].stopped_until = now + random_() % 300 * ms;
        ++stopped_;
        break;
      case 2:
        told_[j].please_fork.store(1);
        break;
      case 3: {
        if (gentle_) break;
        // Random bytes somewhere, and in what every job needs: the slots, the contexts in use.
        std::byte* const data = table_->data();
        data[random_() % sizeof(shared_table)] = static_cast<std::byte>(random_());
        auto& table = *reinterpret_cast<shared_table*>(data);
        auto* const entry = reinterpret_cast<std::byte*>(&table.at(contexts_[random_() % contexts_.size()]));
        const std::uint64_t nonsense = random_();
        std::memcpy(entry + random_() % 2 * machine::native::line_size, &nonsense, sizeof nonsense);
        if (random_() % 4 == 0) {
          table.write(static_cast<unsigned>(random_() % jobs_),
                      {.pid = random_(), .start = random_(), .weight = random_(), .main = random_()});
        }
        ++damaged_;
        break;
      }
      default:
        break;
    }
  }

  bool look(std::uint64_t now) {
    oldest_wait_ = 0;
    for (unsigned j = 0; j < jobs_; ++j) {
      if (told_[j].wrong.load() != 0) {
        std::printf("job %u: a wrong result\n", j);
        return false;
      }
      if (told_[j].alone.load() != 0) {
        std::printf("job %u: could not join\n", j);
        return false;
      }
      if (watched_[j].stopped_until != 0 || now < quiet_until_) continue;
      // All of its threads: where its main thread has a right to run changes with the jobs that come and go.
      std::uint64_t since = watched_[j].since;
      bool waits = true;
      if (kind_of(j) != kind::seats) {
        std::uint64_t batches = 0;
        for (const progress& p : told_[j].threads) batches += p.batches.load();
        if (batches != std::exchange(watched_[j].batches, batches)) watched_[j].changed = now;
        since = std::max(since, watched_[j].changed);
      }
      for (unsigned t = 0; kind_of(j) == kind::seats && t < contexts_.size(); ++t) {
        const std::uint64_t of_thread = told_[j].threads[t].waiting_since.load();
        waits = waits && of_thread != 0;
        since = std::max(since, of_thread);
      }
      if (!waits) continue;
      if (oldest_wait_ == 0 || since < oldest_wait_) oldest_wait_ = since;
      const std::uint64_t for_long = now - std::min(now, std::max(since, quiet_until_));
      longest_ = std::max(longest_, for_long);
      if (for_long > longest_allowed_) {
        std::printf("job %u waits for %.0f ms\n", j, double(for_long) / ms);
        return false;
      }
    }
    return true;
  }

  const unsigned jobs_;
  std::mt19937_64 random_;
  const bool gentle_;
  const std::uint64_t broker_life_;  ///< 0: there is none
  const std::uint64_t longest_allowed_;
  std::uint64_t broker_began_ = 0;
  std::uint64_t asked_at_ = 0;
  unsigned served_ = 0, users_served_ = 0;
  pid_t broker_ = -1;
  const machine::scratch_folder folder_;
  std::vector<unsigned> contexts_;
  job_progress* told_ = nullptr;
  std::unique_ptr<machine::shared_file> table_;
  std::array<watched, most_jobs> watched_{};
  std::uint64_t quiet_until_ = 0;
  std::uint64_t oldest_wait_ = 0;  ///< when the first of the jobs began to wait that wait; 0: none does
  std::uint64_t killed_ = 0, stopped_ = 0, damaged_ = 0, longest_ = 0, brokers_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seconds = 3, jobs = 8, seed = 1, broker_seconds = 0, longest = 1000;
  bool gentle = false;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const auto number = [&](std::uint64_t& n) { n = i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    if (a == "--seconds") {
      number(seconds);
    } else if (a == "--jobs") {
      number(jobs);
    } else if (a == "--seed") {
      number(seed);
    } else if (a == "--broker") {
      number(broker_seconds);
      if (broker_seconds == 0) seconds = 0;
    } else if (a == "--longest") {
      number(longest);
      if (longest == 0) seconds = 0;
    } else if (a == "--gentle") {
      gentle = true;
    } else {
      seconds = 0;
    }
  }
  if (seconds == 0 || jobs == 0 || jobs > most_jobs) {
    std::fprintf(stderr,
                 "usage: chaos_jobs [--seconds N] [--jobs 1 to %u] [--seed N] [--gentle] [--broker N] [--longest MS]\n",
                 most_jobs);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return chaos(static_cast<unsigned>(jobs), seed, gentle, broker_seconds, longest * ms).run_for(seconds * 1'000 * ms)
             ? 0
             : 1;
}
