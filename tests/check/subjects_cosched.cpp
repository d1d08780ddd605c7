// Subjects: jobs that share a context, and jobs that share a table. Each thread is a process; one of them may be killed
// at any step.
#include "subject.hpp"

#include <callisto/cosched/context_entry.hpp>
#include <callisto/cosched/table.hpp>

#include <array>
#include <cstdint>

namespace callisto::check {
namespace {

using machine::checking::place;

struct killed {};

/// A process that may be killed: once `doomed` is set, the victim's next operation does not happen.
class execution_of_victim {
 public:
  /// The calling thread is the victim from now on; `doomed` says when.
  void begin(atomic<std::uint32_t>& doomed) noexcept {
    stack_ = static_cast<const char*>(__builtin_frame_address(0));
    doomed_ = &doomed;
  }
  /// Also before each execution: the one before may have been given up in the middle.
  void end() noexcept { stack_ = nullptr; }

  /// Before each operation of any thread. Threads are told apart by their stacks.
  void step() const {
    const auto* const here = static_cast<const char*>(__builtin_frame_address(0));
    if (stack_ == nullptr || here > stack_ || here < stack_ - stack_reach) return;
    // relaxed: the signal comes at any time. Not a load: that it reads an old value is the same as a later signal.
    if (doomed_->fetch_or(0, order::relaxed) != 0) throw killed();
  }

 private:
  static constexpr std::ptrdiff_t stack_reach = 32 << 10;  // less than a fiber's stack
  const char* stack_ = nullptr;
  atomic<std::uint32_t>* doomed_ = nullptr;
};
thread_local execution_of_victim victim;

/// The checked machine on which the victim's operations may be its last.
struct mortal : machine::checked {
  template <class T>
  class atomic {
   public:
    atomic() noexcept : of_(T{}, place()) {}
    explicit atomic(T value, place where = place::current()) noexcept : of_(value, where) {}

    T load(order o, place where = place::current()) const {
      victim.step();
      return of_.load(o, where);
    }
    void store(T value, order o, place where = place::current()) {
      victim.step();
      of_.store(value, o, where);
    }
    T exchange(T value, order o, place where = place::current()) {
      victim.step();
      return of_.exchange(value, o, where);
    }
    T fetch_sub(T value, order o, place where = place::current()) {
      victim.step();
      return of_.fetch_sub(value, o, where);
    }
    T fetch_add(T value, order o, place where = place::current()) {
      victim.step();
      return of_.fetch_add(value, o, where);
    }
    T fetch_and(T value, order o, place where = place::current()) {
      victim.step();
      return of_.fetch_and(value, o, where);
    }
    T fetch_or(T value, order o, place where = place::current()) {
      victim.step();
      return of_.fetch_or(value, o, where);
    }
    bool compare_exchange(T& expected, T desired, order o, place where = place::current()) {
      victim.step();
      return of_.compare_exchange(expected, desired, o, where);
    }
    machine::checked::atomic<T>& below() noexcept { return of_; }
    const machine::checked::atomic<T>& below() const noexcept { return of_; }

   private:
    machine::checked::atomic<T> of_;
  };

  template <class T, class Keep>
  static T wait_while(const atomic<T>& word, Keep keep, machine::patience grade) {
    victim.step();
    return machine::checked::wait_while(word.below(), keep, grade);
  }
  static void park(const atomic<std::uint64_t>& word, std::uint32_t low) {
    victim.step();
    machine::checked::park(word.below(), low);
  }
  static void unpark(atomic<std::uint64_t>& word, unsigned count) {
    victim.step();
    machine::checked::unpark(word.below(), count);
  }
};

/// Runs f() as the victim; true: it was killed. Nothing is done in the handler: another fiber might throw meanwhile.
template <class F>
bool ends_early(atomic<std::uint32_t>& doomed, F f) {
  bool early = false;
  victim.begin(doomed);
  try {
    f();
  } catch (const killed&) {
    early = true;
  }
  victim.end();
  return early;
}

using entry = cosched::context_entry<mortal>;
using cosched::job_set;
using cosched::only;

constexpr std::uint64_t early = std::uint64_t{1} << 24;
constexpr std::uint64_t tick = 20'000'000;  // longer than the patience of a job that has asked

/// Delays that are over at once, or never.
constexpr std::uint64_t at_once = 0;
constexpr std::uint64_t never_over = 5'000'000'000;

/// What jobs see beside the words.
struct world {
  explicit world(bool sleeps_end, bool time_passes = false) : sleeps_end_(sleeps_end), time_passes_(time_passes) {
    victim.end();
  }

  /// Reads the clock. If time passes in the subject, it passes while a job reads the clock.
  std::uint64_t now() { return time_passes_ ? clock.fetch_add(tick, order::relaxed) : early; }
  void park(mortal::atomic<std::uint64_t>& word, std::uint32_t low, std::uint64_t, unsigned) {
    victim.step();
    if (sleeps_end_) {
      // Also when it has not changed, and nothing else can go on: that is the limit on each sleep.
      machine::checked::wait_while(
          word.below(), [low](std::uint64_t w) { return static_cast<std::uint32_t>(w) == low; },
          machine::patience::lasting);
    } else {
      machine::checked::park(word.below(), low);
    }
  }
  /// Lets the others go on; ends when they do not.
  void pause() {
    machine::checked::wait_while(nothing, [](std::uint32_t n) { return n == 0; }, machine::patience::lasting);
  }
  void unpark(mortal::atomic<std::uint64_t>& word, job_set) {
    victim.step();
    machine::checked::unpark(word.below(), ~0u);
  }
  bool gone(unsigned job) {
    victim.step();
    // acquire: the kernel has dropped its locks, after all that it did. It does not give old answers.
    if (dead[job].fetch_or(0, order::acquire) == 0) return false;
    // A job that is known to be dead is in no context assignment.
    const bool news = context.state().runs == job || (context.wants() & only(job)) != 0;
    context.reap(*this, job);
    return news;
  }
  bool dormant(unsigned) const { return false; }
  unsigned waiting() const { return 1; }

  /// A process in which f() runs, and which `doomed` kills.
  template <class F>
  void process(unsigned job, F f) {
    if (ends_early(doomed, f)) dead[job].store(1, order::release);
  }

  entry context;
  atomic<std::uint64_t> clock{early};
  atomic<std::uint32_t> doomed{0};
  atomic<std::uint32_t> nothing{0};
  std::array<atomic<std::uint32_t>, 3> dead{};

 private:
  const bool sleeps_end_;
  const bool time_passes_;
};

cosched::time_slices time_slices_of(unsigned job) {
  cosched::time_slices r;
  r.add(job, 1);
  return r;
}

bool never() { return false; }

/// Job 0, which has high priority, and borrowers: each runs on the context some times; no two at once. Every wait is
/// without a limit: no wake-up may be lost.
template <unsigned Jobs, unsigned Times, unsigned CheckIns>
class sharers {
 public:
  static constexpr unsigned threads = Jobs;
  static constexpr unsigned first_alike = 1;

  void run(unsigned me) {
    for (unsigned i = 0; i < Times; ++i) {
      cosched::lease mine;
      world_.context.take(world_, me, [this]() -> const cosched::time_slices& { return who_; }, delays_, mine, never);
      uses_ = uses_ + 1;
      bool here = true;
      for (unsigned c = 0; here && c < CheckIns; ++c) {
        here = world_.context.undisturbed(mine) || world_.context.keep(world_, me, who_, mine);
        if (here) uses_ = uses_ + 1;
      }
      if (i + 1 == Times) {
        world_.context.leave(world_, me, who_);
      } else if (here) {
        world_.context.idle(world_, me, who_);
      }
    }
  }

  void finish() {
    require(uses_ >= Jobs * Times, "every job ran");
    require(world_.context.state().runs == cosched::no_job && world_.context.wants() == 0, "nothing is left");
  }

 private:
  const cosched::timing delays_{.h_high = at_once, .h_low = at_once, .p_low = never_over};
  const cosched::time_slices who_ = time_slices_of(0);
  world world_{false};
  plain<unsigned> uses_{0};
};

/// Job 0 runs, and then has no work for good; the others run after it.
template <unsigned Jobs>
class lender {
 public:
  static constexpr unsigned threads = Jobs;
  static constexpr unsigned first_alike = 1;

  void run(unsigned me) {
    cosched::lease mine;
    world_.context.take(world_, me, [this]() -> const cosched::time_slices& { return who_; }, delays_, mine, never);
    uses_ = uses_ + 1;
    if (me == 0) {
      world_.context.idle(world_, me, who_);
    } else {
      world_.context.leave(world_, me, who_);
    }
  }

  void finish() {
    require(uses_ == Jobs, "every job ran");
    require(world_.context.wants() == 0, "no job wants the context");
  }

 private:
  const cosched::timing delays_{.h_high = at_once, .h_low = at_once, .p_low = never_over};
  const cosched::time_slices who_ = time_slices_of(0);
  world world_{false};
  plain<unsigned> uses_{0};
};

/// Jobs, of which the one that is `Victim` may be killed at any step: the others run in the end, and at no time do two.
template <unsigned Jobs, unsigned Victim>
class crash {
 public:
  static constexpr unsigned threads = Jobs + 1;

  void run(unsigned thread) {
    if (thread == Jobs) return world_.doomed.store(1, order::relaxed);  // relaxed: at any time
    const auto use_once = [&] {
      cosched::lease mine;
      world_.context.take(
          world_, thread, [this]() -> const cosched::time_slices& { return who_; }, delays_, mine, never);
      uses_ = uses_ + 1;
      if (!world_.context.undisturbed(mine) && !world_.context.keep(world_, thread, who_, mine)) return;
      uses_ = uses_ + 1;
      world_.context.leave(world_, thread, who_);
    };
    if (thread == Victim) return world_.process(thread, use_once);
    use_once();
    survived_[thread] = 1;
  }

  void finish() {
    for (unsigned j = 0; j < Jobs; ++j) require(j == Victim || survived_[j] == 1, "the survivors ran");
    if (world_.dead[Victim].load(order::relaxed) == 0) return;
    world_.gone(Victim);
    require(world_.context.state().runs != Victim && (world_.context.wants() & only(Victim)) == 0,
            "nothing is left of the dead");
  }

 private:
  // The job that asks looks at once whether the other lives; it never takes by force.
  const cosched::timing delays_{.h_high = at_once, .h_low = at_once, .p_low = at_once};
  const cosched::time_slices who_ = time_slices_of(0);
  world world_{true};
  plain<unsigned> uses_{0};
  std::array<plain<unsigned>, Jobs> survived_{};
};

/// Job 0 dies while it runs; two others find that out, each by itself or from the other, and see what it did.
class orphaned {
 public:
  static constexpr unsigned threads = 3;
  static constexpr unsigned first_alike = 1;

  void run(unsigned me) {
    cosched::lease mine;
    world_.context.take(world_, me, [this]() -> const cosched::time_slices& { return who_; }, delays_, mine, never);
    uses_ = uses_ + 1;
    if (me == 0) return world_.dead[0].store(1, order::release);
    world_.context.leave(world_, me, who_);
  }

  void finish() { require(uses_ == threads, "every job ran"); }

 private:
  const cosched::timing delays_{.h_high = at_once, .h_low = at_once, .p_low = at_once};
  const cosched::time_slices who_ = time_slices_of(0);
  world world_{true};
  plain<unsigned> uses_{0};
};

/// A borrower that may not check in before job 0's patience is over. Job 0 so takes the context at any step of the
/// borrower's. The borrower finds out, however it looks, and does not get into the way. A third thread makes it look at
/// any time.
class runaway {
 public:
  static constexpr unsigned threads = 3;

  void run(unsigned thread) {
    if (thread == 2) return world_.context.notify_holder();
    std::uint64_t wait = 0;
    cosched::request w;
    if (thread == 0) {
      for (unsigned attempts = 1; !world_.context.try_take(world_, 0, who_, delays_, w, owner_, wait); ++attempts) {
        const cosched::context_state s = cosched::context_state::of(w.seen);
        require(s.runs != 1 || s.idle || s.asked, "a holder that is in the way is asked");
        // Its patience is over at the second attempt.
        if (attempts > 2) world_.pause();
      }
      owns_ = 1;
      return;
    }
    // One attempt: the context may be the owner's already.
    if (!world_.context.try_take(world_, 1, who_, delays_, w, borrower_, wait)) return;
    borrowed_ = 1;
    if (!world_.context.undisturbed(borrower_) && !world_.context.keep(world_, 1, who_, borrower_)) return;
    world_.context.idle(world_, 1, who_);
  }

  void finish() {
    require(owns_ == 1 && world_.context.state().runs == 0 && !world_.context.state().idle,
            "the owner has its context");
    require(world_.context.undisturbed(owner_) || world_.context.keep(world_, 0, who_, owner_), "and keeps it");
    if (borrowed_ == 0) return;
    require(!world_.context.undisturbed(borrower_), "the check-in of a job that has lost the context says so");
    require(!world_.context.keep(world_, 1, who_, borrower_), "and so does a closer look");
    require(world_.context.state().runs == 0, "which takes nothing from the owner");
  }

 private:
  const cosched::timing delays_{.h_high = at_once, .h_low = at_once, .p_low = 1'000'000};
  const cosched::time_slices who_ = time_slices_of(0);
  world world_{true, true};
  cosched::lease owner_;
  cosched::lease borrower_;
  plain<unsigned> owns_{0};
  plain<unsigned> borrowed_{0};
};

/// A borrower that runs until a job may have wanted something of it, and an owner that waits as long as that takes.
class asked {
 public:
  static constexpr unsigned threads = 2;

  void run(unsigned me) {
    cosched::lease mine;
    if (me == 0) {
      world_.context.take(world_, 0, [this]() -> const cosched::time_slices& { return who_; }, delays_, mine, never);
      uses_ = uses_ + 1;
      world_.context.leave(world_, 0, who_);
      return;
    }
    std::uint64_t wait = 0;
    cosched::request w;
    if (!world_.context.try_take(world_, 1, who_, delays_, w, mine, wait)) return world_.context.withdraw(1);
    uses_ = uses_ + 1;
    world_.pause();
    if (world_.context.undisturbed(mine)) return world_.context.leave(world_, 1, who_);  // the owner was there before
    require(!world_.context.keep(world_, 1, who_, mine, false), "a holder that is asked must give the context");
    require(world_.context.state().runs == 1, "at a time of its own choice");
    require(!world_.context.keep(world_, 1, who_, mine), "a holder that is asked gives the context");
    world_.context.withdraw(1);
  }

  void finish() { require(world_.context.state().runs == cosched::no_job, "the owner had it, and left"); }

 private:
  const cosched::timing delays_{.h_high = at_once, .h_low = at_once, .p_low = never_over};
  const cosched::time_slices who_ = time_slices_of(0);
  world world_{false};
  plain<unsigned> uses_{0};
};

/// The kernel's locks: the process that has each; 0: none.
template <unsigned Locks>
struct kernel {
  std::array<atomic<std::uint32_t>, Locks> holder{};

  /// Locks as one process sees them.
  struct view {
    kernel* of;
    unsigned process;

    bool try_lock(std::size_t at) const {
      victim.step();
      for (;;) {
        // acq_rel, all of these: a lock orders, and the kernel does not give old answers.
        std::uint32_t found = of->holder[at].fetch_or(0, order::acq_rel);
        if (found != 0) return found == process + 1;
        if (of->holder[at].compare_exchange(found, process + 1, order::acq_rel)) return true;
      }
    }
    void unlock(std::size_t at) const {
      victim.step();
      of->holder[at].store(0, order::release);
    }
    bool locked_by_another(std::size_t at) const {
      victim.step();
      const std::uint32_t h = of->holder[at].fetch_or(0, order::acq_rel);
      return h != 0 && h != process + 1;
    }
  };

  /// A process has ended.
  void release_all_of(unsigned process) {
    for (auto& h : holder) {
      if (h.load(order::relaxed) == process + 1) h.store(0, order::release);
    }
  }
};

/// Processes that join a table, two or three of them, while one may be killed at any step, and another looks for dead
/// ones: no two have the same slot, and what the survivors say about themselves is there.
template <unsigned Processes>
class joiners {
 public:
  static constexpr unsigned threads = Processes + 1;

  joiners() { victim.end(); }

  void run(unsigned thread) {
    if (thread == Processes) return doomed_.store(1, order::relaxed);
    const typename kernel<slots + 1>::view locks{&kernel_, thread};
    const cosched::job_record r{.pid = thread + 1, .start = 7, .weight = 1, .main = 1, .contexts = all_};
    const auto join = [&] {
      // One change, and it is not mine: a job has come, and what it says of itself is to be seen.
      if (table_.generation() == 1) {
        unsigned used = 0;
        for (unsigned j = 0; j < slots; ++j) {
          const auto seen = table_.claim_of(j, all_);
          require(!seen || (seen->main == 0 && seen->contexts.has(0)), "what a slot says is complete");
          used += seen ? 1 : 0;
        }
        require(used == 1, "a process that sees the change sees the slot");
      }
      const auto slot = table_.join(locks, world_, r);
      number_[thread] = slot ? *slot : 9;
      for (unsigned j = 0; j < slots; ++j) {
        if (slot && j != *slot) table_.gone(locks, world_, j);
      }
    };
    if (thread != 0) return join();
    if (!ends_early(doomed_, join)) return;
    kernel_.release_all_of(0);
    killed_ = 1;
  }

  void finish() {
    for (unsigned p = 0; p < Processes; ++p) {
      if (p == 0 && killed_ == 1) continue;
      require(number_[p] < slots, "there is a slot for every process");
      for (unsigned q = p + 1; q < Processes; ++q) require(number_[p] != number_[q], "each slot has one job");
      const auto r = table_.record_of(number_[p]);
      require(r && r->pid == p + 1 && r->start == 7, "the slot says what its job says");
    }
  }

 private:
  // One more than jobs: a process that looks whether the holder of a slot lives has its lock for a moment.
  static constexpr unsigned slots = Processes + 1;

  struct no_world {
    std::uint64_t now() const { return early; }
    void unpark(mortal::atomic<std::uint64_t>&, job_set) {}
  };

  static cosched::context_set context_0() {
    cosched::context_set s;
    s.add(0);
    return s;
  }

  const cosched::context_set all_ = context_0();
  no_world world_;
  kernel<slots + 1> kernel_;
  cosched::table<mortal, slots, 1> table_;
  atomic<std::uint32_t> doomed_{0};
  std::array<plain<unsigned>, Processes> number_{};
  plain<unsigned> killed_{0};
};

constexpr const char* shares = "one job at a time; no wake-up is lost";
constexpr const char* survives = "a job that is killed at any step delays the other only until it is found dead";
constexpr const char* yields = "a holder that is asked for the context gives it";
constexpr const char* finds_out = "a holder that does not answer loses the context, and finds out";
constexpr const char* slots = "each job has a slot of its own, also beside one that is killed";

const registered<sharers<2, 1, 1>> share_2("cosched.share.2x1", shares, exhaustive({0, 1}), exhaustive({1, 1}));
const registered<sharers<2, 2, 0>> share_2x2("cosched.share.2x2", shares, preemptions(2, {0, 0}),
                                             preemptions(4, {1, 0}));
const registered<sharers<3, 1, 1>> share_3("cosched.share.3x1", shares, preemptions(1, {0, 0}), preemptions(2, {1, 0}));
const registered<lender<2>> lend_2("cosched.lend.2", shares, exhaustive({1, 1}), exhaustive({2, 1}));
const registered<lender<3>> lend_3("cosched.lend.3", shares, preemptions(2, {0, 0}), preemptions(3, {1, 0}));
const registered<crash<2, 1>> crash_b("cosched.crash.borrower", survives, preemptions(3, {0, 0}),
                                      preemptions(4, {1, 0}));
const registered<crash<2, 0>> crash_o("cosched.crash.owner", survives, preemptions(3, {0, 0}), preemptions(4, {1, 0}));
const registered<crash<3, 0>> crash_3("cosched.crash.3", survives, preemptions(1, {0, 0}), preemptions(2, {0, 0}));
const registered<orphaned> orphan("cosched.orphaned", survives, preemptions(2, {0, 0}), preemptions(3, {0, 0}));
const registered<asked> ask("cosched.asked", yields, exhaustive({0, 0}), exhaustive({1, 1}));
const registered<runaway> away("cosched.runaway", finds_out, preemptions(3, {0, 0}), exhaustive({0, 1}));
const registered<joiners<2>> join_2("cosched.join.2", slots, preemptions(2, {0, 0}), preemptions(3, {0, 1}));

}  // namespace
}  // namespace callisto::check
