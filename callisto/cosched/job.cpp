// A process's membership on the native machine: the file, its locks, futexes and the clock.
#include <callisto/cosched/job.hpp>

#include <callisto/cosched/activity_sampler.hpp>
#include <callisto/cosched/owner_cache.hpp>
#include <callisto/cosched/run_message.hpp>
#include <callisto/cosched/surroundings.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/host/priority.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/machine/system/one_line.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <utility>

#include <sys/prctl.h>
#include <unistd.h>

namespace callisto::cosched {
namespace {

using machine::native;
using machine::order;
using machine::shared_file;

constexpr std::uint64_t millisecond = 1'000'000;
/// How often a job reads the weights of its control groups, which takes 0.2 ms at most.
constexpr std::uint64_t groups_period = 1'000 * millisecond;
/// The futex group of words on which all jobs sleep.
constexpr std::uint32_t everybodys_group = 1;

context_set set_of(const std::vector<unsigned>& contexts) {
  context_set set;
  for (const unsigned c : contexts) {
    if (c < max_contexts) set.add(c);
  }
  return set;
}

job_record record_for(const membership& how) {
  job_record r;
  r.pid = static_cast<std::uint64_t>(getpid());
  r.start = machine::look_at_process(getpid()).start;
  r.weight = std::clamp(how.weight, 1u, max_weight);
  r.main = how.main && *how.main < max_contexts ? *how.main + 1 : 0;
  r.contexts = set_of(how.contexts);
  std::array<char, sizeof r.name> name{};
  prctl(PR_GET_NAME, name.data());
  std::memcpy(r.name.data(), name.data(), sizeof r.name);
  return r;
}

}  // namespace

std::string table_name() { return "callisto-" + std::to_string(table_version) + "-" + machine::shared_world(); }

/// The World of the table's protocols (context_entry.hpp), and what the protocols are told.
struct job::impl {
  impl(shared_file f, const membership& how)
      : file(std::move(f)),
        delays(how.delays),
        follows_priority(how.follows_priority),
        may_step_aside(how.may_step_aside),
        takes_turns(how.takes_turns) {
    // The bytes are words of the table, whichever process wrote them; all bit patterns are valid.
    shared = reinterpret_cast<shared_table*>(file.data());
    for (unsigned j = 0; j < max_jobs; ++j) each_alone[j].add(j, 1);
  }

  // --- World

  std::uint64_t now() const noexcept { return machine::shared_nanoseconds(); }
  void park(const native::atomic<std::uint64_t>& word, std::uint32_t low, std::uint64_t nanoseconds,
            unsigned job) const noexcept {
    machine::park_shared(word, low, nanoseconds, futex_groups_of(only(job)));
  }
  void unpark(native::atomic<std::uint64_t>& word, job_set jobs) const noexcept {
    machine::unpark_shared(word, futex_groups_of(jobs));
  }
  bool gone(unsigned job) {
    if (job == number) return false;
    // The locks belong to the process: two of its threads could both hold one, and one could drop it under the other.
    const std::scoped_lock held(reaping);
    return shared->gone(file, *this, job);
  }
  bool dormant(unsigned job) {
    const activity_sampler::activity a = activity_of(job);
    if (a.awake || a.quiet_for < delays.h_high) return false;
    // On a machine that is busy with other things, runnable threads wait for longer than that.
    if (machine::could_run(a.pid)) {
      activities.could_run(job);
      return false;
    }
    // The first thread that finds out wakes those that wait for the job's other contexts.
    if (!activities.tell_dormant(job) || waiting() <= 1) return true;
    for (unsigned c = 0; c < max_contexts; ++c) {
      if ((shared->at(c).wants() & only(number)) != 0) shared->at(c).wake_waiters(*this, number);
    }
    return true;
  }
  unsigned waiting() const noexcept { return waits.load(order::relaxed); }  // relaxed: a hint

  activity_sampler::activity activity_of(unsigned job) {
    if (job >= max_jobs || job == number) return {};
    const std::optional<job_record> r = shared->record_of(job);
    if (!r || r->pid == 0 || r->pid > max_pid) return {};
    return activities.look(job, *r, now(), delays);
  }

  /// Returns the job that has high priority on the seat's context, if its main thread belongs there and it does not
  /// want the context; no_job if there is none. A job keeps that context as long as it is awake (rule 1). If all of it
  /// slept and the context was borrowed, it may wake up in sequential code that cannot ask.
  unsigned silent_owner(const seat& s) {
    const unsigned top = s.slices_->holder(now());
    if (top >= max_jobs || top == number) return no_job;
    if (s.turns_ != nullptr ? s.turns_->main[top] != s.context_ : !s.is_owners_main_) return no_job;
    return (shared->at(s.context_).wants() & only(top)) == 0 ? top : no_job;
  }
  /// Returns when to look again at a sleeping owner, as seat::look_within(). If the owner has woken up, requests the
  /// context for it, which asks the holder to look.
  std::uint64_t look_at_owner_of(const seat& s) {
    const unsigned owner = silent_owner(s);
    if (owner == no_job) return 0;
    const activity_sampler::activity a = activity_of(owner);
    if (!a.awake) return std::max(delays.p_low, std::min(delays.h_high, a.quiet_for / 64));
    shared->at(s.context_).request_for(owner);
    return 0;
  }

  /// Requests the context of the main thread for a job that has just joined, so that its holder makes room at once.
  /// That thread would ask by itself at its first loop. But until then it may wait for the system for a slice or two,
  /// while another job's thread runs beside it.
  void request_for_main() {
    const std::shared_ptr<const context_assignment> now = divided();
    const unsigned main = now->main[number];
    if (main == context_assignment::no_context || now->jobs <= 1) return;
    requested.store(main, order::relaxed);  // relaxed: no other thread knows this yet
    shared->at(main).request_for(number);
  }

  /// Moves the thread that lost this context without an answer to the context of its job's main thread, if that is
  /// elsewhere. The owner then has the processor for itself, and what the thread holds up in its own job ends. Any
  /// process of the user may do that, and the thread can undo it, which is not so for SCHED_IDLE. The thread comes back
  /// by itself when it has the context again.
  void displace(const missed_answers& missed, unsigned context) {
    const unsigned job = missed.last;
    if (job >= max_jobs || job == number) return;
    const auto thread = static_cast<pid_t>(shared->at(context).thread_of(job));
    const unsigned elsewhere = divided()->main[job];
    const std::optional<job_record> r = shared->record_of(job);
    if (thread <= 0 || elsewhere == context_assignment::no_context || elsewhere == context || !r || r->pid > max_pid)
      return;
    // Only a thread of that process, whatever the table says.
    const auto pid = static_cast<pid_t>(r->pid);
    if (machine::look_at_process(pid).start == r->start) machine::pin_thread_of(pid, thread, elsewhere);
  }

  /// Returns the priority of this process. Under `telling`.
  unsigned priority() {
    if (const std::uint64_t at = now(); at - groups_read_at >= groups_period) {
      groups_read_at = at;
      groups = machine::weight_of_groups("");
    }
    return machine::priority_of_this_process(groups);
  }

  /// Samples processor time and decides whether the job stands aside. `has_no_work` as in surroundings.
  void look_aside(std::uint64_t now, bool has_no_work) {
    const std::unique_lock held(looking_aside, std::try_to_lock);
    if (!held) return;
    const aside found = around.look(
        *shared, number, now, native::working_time(), has_no_work,
        [](std::uint64_t process) { return machine::processor_time_of(static_cast<pid_t>(process)); },
        [](const context_set& contexts) {
          return machine::busy_time_of([&](unsigned c) { return c < max_contexts && contexts.has(c); });
        });
    is_light.store(around.light() ? 1 : 0, order::relaxed);  // relaxed: a hint
    const aside without = may_step_aside ? found : aside::no;
    const aside why = without == aside::no && is_crowded() ? aside::crowded : without;
    // relaxed: a hint.
    if (stands_aside.exchange(static_cast<std::uint32_t>(why), order::relaxed) == static_cast<std::uint32_t>(why))
      return;
    shared->tell_aside(number, why);
    machine::unpark_shared(shared->generation_word(), everybodys_group);
  }

  /// True if the job would take turns on its main context, and does not take turns.
  bool is_crowded() {
    if (takes_turns) return false;
    if (const std::uint64_t now = shared->generation(); std::exchange(crowded_for, now) != now) {
      crowded = owners.would_take_turns(*shared, number);
    }
    return crowded;
  }

  // --- what the protocols are told

  std::shared_ptr<const context_assignment> divided() { return owners.assignment(*shared); }

  shared_file file;
  shared_table* shared;
  const timing delays;
  unsigned number = no_job;
  job_record mine;        ///< what the slot must say; protected by `telling`
  bool follows_priority;  ///< protected by `telling`, as are the two below
  double groups = 1;      ///< the factor by the process's control groups
  std::uint64_t groups_read_at = 0;
  const bool may_step_aside;
  const bool takes_turns;
  native::atomic<std::uint64_t> aside_looked_at{0};
  native::atomic<std::uint32_t> stands_aside{0};  ///< an aside
  native::atomic<std::uint64_t> looked_around_at{0};
  native::atomic<std::uint32_t> is_light{1};
  std::mutex looking_aside;  ///< guards the three below
  surroundings<shared_table> around;
  bool crowded = false;
  std::uint64_t crowded_for = ~std::uint64_t{0};  ///< the generation of `crowded`
  native::atomic<std::uint32_t> expelled{0};
  native::atomic<std::uint64_t> repaired{0};
  native::atomic<std::uint64_t> looked_at{0};  ///< when look_after() last ran
  native::atomic<unsigned> waits{0};           ///< threads in seat::take()
  native::atomic<unsigned> requested{
      context_assignment::no_context};  ///< the context of request_for_main(), until the main thread comes

  std::mutex telling;
  owner_cache owners;
  std::array<time_slices, max_jobs> each_alone;  ///< by job: that job alone has high priority
  time_slices no_one;
  std::mutex reaping;
  activity_sampler activities;
};

namespace {

/// Says on standard error, once a process, that another user has made a file where this user's jobs look for theirs.
void tell_of_foreign_file(const std::string& which, const std::string& instead) {
  static native::atomic<unsigned> told{0};
  // relaxed: it only elects one caller.
  if (told.exchange(1, order::relaxed) != 0) return;
  std::fprintf(stderr, "callisto: %s\n", machine::one_line(which + "; " + instead).c_str());
}

}  // namespace

job::job(std::unique_ptr<impl> in) noexcept : in_(std::move(in)) {}

std::unique_ptr<job> job::join(const membership& how, const std::vector<std::string>& folders, std::string& refusal) {
  refusal.clear();
  const auto refuse = [&](const std::string& why) {
    refusal += (refusal.empty() ? "" : "; ") + why;
    return nullptr;
  };
  if (std::any_of(how.contexts.begin(), how.contexts.end(), [](unsigned c) { return c >= max_contexts; })) {
    std::string why = std::to_string(max_contexts - 1);
    why.insert(0, "CPUs numbered above ").append(" cannot be shared");
    return refuse(why);
  }
  std::string foreign;
  for (const std::string& folder : folders) {
    std::unique_ptr<impl> in;
    try {
      in = std::make_unique<impl>(
          shared_file(folder + "/" + table_name(), sizeof(shared_table), shared_file::access::create), how);
    } catch (const machine::foreign_file& e) {
      foreign = e.what();
      refuse(e.what());
      continue;
    } catch (const error& e) {
      refuse(e.what());
      continue;
    }
    // A job that makes or repairs the header needs less than a millisecond. This one does not wait for a job that
    // stands still.
    bool repair = false;
    std::optional<std::vector<unsigned>> cores = in->shared->cores();
    for (int attempt = 0; !cores && attempt < 100; ++attempt) {
      if (in->file.try_lock(shared_table::header_lock)) {
        cores = in->shared->cores();
        if (!cores) {
          in->shared->make_header(cores_of_host());
          cores = in->shared->cores();
          repair = true;
        }
        in->file.unlock(shared_table::header_lock);
      } else {
        pause_for(millisecond);
        cores = in->shared->cores();
      }
    }
    // Another process may have been stopped while it wrote the header; the header says what this machine says, too.
    in->owners.reset(cores ? *std::move(cores) : cores_of_host());
    in->mine = record_for(how);
    if (how.follows_priority) in->mine.priority = in->priority();
    const std::optional<unsigned> number = in->shared->join(in->file, *in, in->mine);
    if (!number) {
      refuse(in->file.path() + ": has room for " + std::to_string(max_jobs) + " jobs, and as many are running");
      continue;
    }
    in->number = *number;
    for (unsigned c = 0; c < max_contexts; ++c) {
      if (in->owners.cores()[c] != no_core) in->shared->at(c).clear_blame(*number);
    }
    // A dead job blocks no job, but has its share until a job notices its end.
    if (repair) {
      in->shared->reap_the_dead(in->file, *in, *number);
    } else {
      for (unsigned j = 0; j < max_jobs; ++j) {
        if (j != *number && in->shared->record_of(j)) in->gone(j);
      }
    }
    in->looked_at.store(in->now(), order::relaxed);  // relaxed: only paces look_after()
    // A job that may step aside begins so, and takes no context yet.
    if (!how.may_step_aside) in->request_for_main();
    refusal.clear();
    std::unique_ptr<job> joined(new job(std::move(in)));
    joined->wake_watchers();
    tell_run_of_job();
    if (!foreign.empty()) tell_of_foreign_file(foreign, "jobs meet in " + joined->path());
    return joined;
  }
  if (!foreign.empty()) tell_of_foreign_file(foreign, "the machine is shared with no other job");
  if (refusal.empty()) refuse("no folder for the table");
  return nullptr;
}

job::~job() {
  if (in_ != nullptr) leave();
}

void job::leave() {
  const std::scoped_lock held(in_->telling);
  if (!member()) return;
  in_->expelled.store(1, order::relaxed);
  // This process holds the slot's lock, so no other has the slot.
  in_->shared->leave(*in_, in_->number);
  wake_watchers();
  in_->file.unlock(shared_table::lock_of(in_->number));
}

void job::abandon(std::unique_ptr<job> parents) noexcept {
  // Neither leaves nor unmaps: a seat of a thread that the child does not have may point there, and the locks are the
  // parent's. Closing the descriptor, which is a copy, drops none of them. Leaked on purpose. The memory becomes the
  // child's own: it may give up rights, and must not reach the parent's table then.
  parents->in_->file.make_private();
  static_cast<void>(parents.release());
}

unsigned job::number() const noexcept { return in_->number; }
const std::string& job::path() const noexcept { return in_->file.path(); }
bool job::member() const noexcept { return in_->expelled.load(order::relaxed) == 0; }  // relaxed: a flag by itself
std::uint64_t job::repairs() const noexcept { return in_->repaired.load(order::relaxed); }

std::uint64_t job::generation() const noexcept { return in_->shared->generation(); }
void job::wait_for_change(std::uint64_t generation, std::uint64_t nanoseconds) const noexcept {
  machine::park_shared(in_->shared->generation_word(), static_cast<std::uint32_t>(generation), nanoseconds,
                       everybodys_group);
}
void job::wake_watchers() const noexcept { machine::unpark_shared(in_->shared->generation_word(), everybodys_group); }

unsigned job::main_context() {
  impl& in = *in_;
  const unsigned main = in.divided()->main[in.number];
  if (in.requested.load(order::relaxed) != context_assignment::no_context) {  // relaxed, as below: a number
    const unsigned requested = in.requested.exchange(context_assignment::no_context, order::relaxed);
    // The assignment has changed since. If another thread of the job wants that context, it says so again.
    if (requested != context_assignment::no_context && requested != main && member())
      in.shared->at(requested).withdraw(in.number);
  }
  return main;
}

void job::set_weight(unsigned weight) {
  const std::scoped_lock held(in_->telling);
  in_->mine.weight = std::clamp(weight, 1u, max_weight);
  in_->mine.priority = machine::usual_priority;
  in_->follows_priority = false;
  in_->shared->write(in_->number, in_->mine);
}

bool job::set_main(unsigned context) {
  const std::scoped_lock held(in_->telling);
  if (!member() || context >= max_contexts || in_->mine.main == context + 1) return false;
  in_->mine.main = context + 1;
  in_->shared->write(in_->number, in_->mine);
  return true;
}

void job::set_contexts(const std::vector<unsigned>& contexts) {
  const std::scoped_lock held(in_->telling);
  if (!member()) return;
  const context_set wanted = set_of(contexts);
  if (wanted == in_->mine.contexts) return;
  in_->mine.contexts = wanted;
  in_->shared->write(in_->number, in_->mine);
}

bool job::alone() { return in_->divided()->jobs <= 1; }

bool job::stands_aside() {
  impl& in = *in_;
  if ((!in.may_step_aside && in.takes_turns) || !member()) return false;
  const std::uint64_t now = in.now();
  std::uint64_t last = in.aside_looked_at.load(order::relaxed);  // relaxed, all: a hint, and its pace
  // relaxed: as above. A light job's loops are short, and one of them is not to pay for each look.
  if (now - last >= (in.is_light.load(order::relaxed) != 0 ? stepping_aside::own_window / 4 : millisecond) &&
      in.aside_looked_at.compare_exchange(last, now, order::relaxed)) {
    in.look_aside(now, false);
  }
  return in.stands_aside.load(order::relaxed) != 0;
}

bool job::stands_aside_as_light() const noexcept {
  return in_->stands_aside.load(order::relaxed) == static_cast<std::uint32_t>(aside::light);  // relaxed: a hint
}

void job::look_around() {
  impl& in = *in_;
  if (!in.may_step_aside || !member()) return;
  const std::uint64_t now = in.now();
  std::uint64_t last = in.looked_around_at.load(order::relaxed);  // relaxed, both: only paces
  if (now - last >= stepping_aside::outsiders_window &&
      in.looked_around_at.compare_exchange(last, now, order::relaxed)) {
    in.look_aside(now, true);
  }
}

void job::shares_of(std::span<const unsigned> contexts, std::span<double> shares) {
  const std::shared_ptr<const context_assignment> d = in_->divided();
  std::transform(contexts.begin(), contexts.end(), shares.begin(),
                 [&](unsigned context) { return d->high[context].share_of(in_->number); });
}

bool job::has_turns_on(unsigned context) { return in_->divided()->high[context].has(in_->number); }

void job::wake_waiters(unsigned context) {
  if (context < max_contexts) in_->shared->at(context).wake_waiters(*in_, in_->number);
}

void job::notify_holder(unsigned context) {
  if (context < max_contexts) in_->shared->at(context).notify_holder();
}

void job::look_after() {
  const std::scoped_lock held(in_->telling);
  if (!member()) return;
  // Taking the lock again does nothing while this process holds it.
  if (!in_->file.try_lock(shared_table::lock_of(in_->number))) {
    in_->expelled.store(1, order::relaxed);
    return;
  }
  if (const unsigned wished = in_->shared->take_wish(in_->number); wished != 0) {
    in_->mine.weight = wished;
    in_->mine.priority = machine::usual_priority;
    in_->follows_priority = false;
    in_->shared->write(in_->number, in_->mine);
  }
  // renice(1) and moves between groups come without a message.
  if (const unsigned priority = in_->follows_priority ? in_->priority() : 0;
      priority != 0 && priority != in_->mine.priority) {
    in_->mine.priority = priority;
    in_->shared->write(in_->number, in_->mine);
  } else if (in_->shared->record_of(in_->number) != in_->mine) {
    in_->repaired.fetch_add(1, order::relaxed);
    in_->shared->write(in_->number, in_->mine);
  }
}

void job::look_after_in_time() {
  const std::uint64_t now = in_->now();
  std::uint64_t last = in_->looked_at.load(order::relaxed);  // relaxed, both: only paces
  if (now - last >= in_->delays.p_high && in_->looked_at.compare_exchange(last, now, order::relaxed)) look_after();
}

job::seat::seat(job& of, unsigned context, int thread) noexcept : of_(&of), context_(context), thread_(thread) {}

job::seat::~seat() {
  if (of_ == nullptr) return;
  impl& in = *of_->in_;
  if (!of_->member()) return;
  learn(true);
  in.shared->at(context_).leave(in, in.number, *slices_);
}

/// Looks at the assignment if it has changed. False, if not `patiently`: another thread of the process computes it now.
bool job::seat::learn(bool patiently) {
  impl& in = *of_->in_;
  for (unsigned attempt = 0;; ++attempt) {
    const std::uint64_t generation = in.shared->generation();
    if (slices_ != nullptr && generation == knows_for_) return true;
    const std::uint64_t word = in.owners.word(context_);
    const std::uint64_t owner = word & owner_word::owner_mask;
    if (word >> 32 == (generation & 0xffffffff) && (word & owner_word::known) != 0) {
      knows_for_ = generation;
      is_owners_main_ = (word & owner_word::main) != 0;
      turns_ = owner == owner_word::turns ? in.divided() : nullptr;
      slices_ = turns_ != nullptr ? &turns_->high[context_] : owner == 0 ? &in.no_one : &in.each_alone[owner - 1];
      return true;
    }
    if (in.owners.try_assignment(*in.shared) != nullptr) continue;
    if (!patiently) return false;
    owner_cache::pause_in_turn(attempt + 1);
  }
}

bool job::seat::undisturbed() const noexcept { return of_->in_->shared->at(context_).undisturbed(mine_); }

bool job::seat::keep(bool gives) {
  impl& in = *of_->in_;
  of_->look_after_in_time();
  if (!of_->member()) return true;
  // The seat stays disturbed, and its next check-in comes here again.
  if (!learn(false)) return true;
  look_within_ = in.look_at_owner_of(*this);
  return in.shared->at(context_).keep(in, in.number, *slices_, mine_, gives);
}

void job::seat::look_at_owner() {
  impl& in = *of_->in_;
  if (of_->member() && learn(false)) look_within_ = in.look_at_owner_of(*this);
}

void job::seat::set_thread(int thread) {
  impl& in = *of_->in_;
  thread_ = thread;
  if (of_->member()) in.shared->at(context_).set_thread(in.number, static_cast<std::uint32_t>(thread));
}

const native::atomic<std::uint64_t>& job::seat::word() const noexcept { return of_->in_->shared->at(context_).word(); }

bool job::seat::take(const std::function<bool()>& give_up, std::uint64_t longest) {
  impl& in = *of_->in_;
  look_within_ = 0;
  if (!of_->member()) return true;
  const auto time_slices_now = [&]() -> const time_slices& {
    learn(true);
    return *slices_;
  };
  const auto enough = [&] {
    // A job with a damaged slot may have no share, and so no thread that runs and repairs it.
    of_->look_after_in_time();
    return !of_->member() || give_up();
  };
  context_entry<native>& entry = in.shared->at(context_);
  const std::uint32_t missed_before = entry.unanswered().times;
  in.waits.fetch_add(1, order::relaxed);  // relaxed, both: a hint
  const bool taken = entry.take(in, in.number, time_slices_now, in.delays, mine_, enough, longest);
  in.waits.fetch_sub(1, order::relaxed);
  if (taken && of_->member()) {
    if (const missed_answers missed = entry.unanswered(); missed.times != missed_before) in.displace(missed, context_);
    set_thread(thread_);
    look_within_ = in.silent_owner(*this) != no_job ? in.delays.p_low : 0;
  }
  return taken || !of_->member();
}

void job::seat::idle() {
  impl& in = *of_->in_;
  look_within_ = 0;
  if (!of_->member()) return;
  // Only the choice of the job to wake depends on it.
  learn(slices_ == nullptr);
  in.shared->at(context_).idle(in, in.number, *slices_);
}

}  // namespace callisto::cosched
