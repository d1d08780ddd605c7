// Joins the table, and does what a thread must do when another job wants its context.
#include <callisto/workers/teams/coscheduling.hpp>

#include <callisto/broker/client.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/shared_memory.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace callisto::workers {

using machine::order;

namespace {

/// How often a follower inside an outer loop checks whether that loop is over: 1 ms. Elsewhere another thread wakes it.
constexpr std::uint64_t nested_watch = 1'000'000;

}  // namespace

// --- the membership

struct coscheduling::guarded {
  std::mutex mutex;
  std::vector<unsigned> planned;   ///< the contexts of the process's threads
  std::vector<unsigned> contexts;  ///< the contexts of these that are not lost
  unsigned main_on = cosched::context_assignment::no_context;
  std::vector<std::unique_ptr<leader>> leaders;
  std::vector<leader*> free_leaders;  ///< leases of threads that have ended
  pthread_key_t key{};                ///< the key of a thread's lease
};

coscheduling::coscheduling(std::unique_ptr<cosched::job> job)
    : job_(std::move(job)), under_lock_(std::make_unique<guarded>()) {}

coscheduling::~coscheduling() = default;

std::unique_ptr<coscheduling> coscheduling::join(const cosched::settings& how, std::vector<unsigned> contexts,
                                                 unsigned main, mover move_leader, std::string& refusal,
                                                 bool takes_turns) {
  auto job = cosched::job::join({.contexts = contexts,
                                 .main = main,
                                 .weight = how.weight.value_or(1),
                                 .follows_priority = !how.weight,
                                 .delays = how.delays,
                                 .may_step_aside = !how.told_if_not,
                                 .takes_turns = takes_turns,
                                 .broker = broker::find},
                                machine::shared_folders(), refusal);
  if (job == nullptr) return nullptr;
  std::unique_ptr<coscheduling> made(new coscheduling(std::move(job)));
  const auto give_back = [](void* its) {
    guarded& g = *static_cast<leader*>(its)->of_.under_lock_;
    const std::scoped_lock held(g.mutex);
    g.free_leaders.push_back(static_cast<leader*>(its));
  };
  if (const int failed = pthread_key_create(&made->under_lock_->key, give_back); failed != 0) {
    refusal = "no key for data of threads: " + std::string(std::strerror(failed));
    return nullptr;
  }
  made->under_lock_->planned = contexts;
  made->under_lock_->contexts = std::move(contexts);
  made->move_leader_ = std::move(move_leader);
  made->look_every_ = machine::ticks_of<native>(how.delays.p_high);
  return made;
}

void coscheduling::set_contexts(std::vector<unsigned> contexts) {
  const std::scoped_lock held(under_lock_->mutex);
  // relaxed, here and below: a thread that checks for lost contexts checks again at its next look.
  for (const unsigned c : under_lock_->planned) lost_[c].store(none, order::relaxed);
  lost_contexts_.store(0, order::relaxed);
  under_lock_->planned = contexts;
  under_lock_->contexts = std::move(contexts);
  job_->set_contexts(under_lock_->contexts);
}

void coscheduling::lost(unsigned context) { lose(context, refused); }

void coscheduling::lose(unsigned context, loss why) {
  const std::scoped_lock held(under_lock_->mutex);
  // The job keeps its last context: the system runs the threads somewhere.
  if (under_lock_->contexts.size() == 1 || std::erase(under_lock_->contexts, context) == 0) return;
  lost_[context].store(why, order::relaxed);
  lost_contexts_.fetch_add(1, order::relaxed);
  job_->set_contexts(under_lock_->contexts);
}

/// Handles a main context on which the calling leader may not run. The leader asks for the context where it does run.
/// If it has asked already, and another job's main thread has that one, the job does without a main context rather than
/// run on that job's.
void coscheduling::leader_avoids(unsigned main) {
  if (!machine::may_run_on(main)) return lose(main, refused);
  const int here = sched_getcpu();
  if (here < 0 || !job_->set_main(static_cast<unsigned>(here))) lose(main, avoided);
}

bool coscheduling::is_lost(unsigned context) const noexcept { return lost_[context].load(order::relaxed) != none; }

/// Takes back lost contexts on which threads may run again. `leads`: the caller is a leader.
void coscheduling::look_for_lost(bool leads) noexcept {
  if (lost_contexts_.load(order::relaxed) == 0) return;
  const std::unique_lock held(under_lock_->mutex, std::try_to_lock);
  if (!held) return;
  bool found = false;
  for (const unsigned c : under_lock_->planned) {
    const std::uint32_t why = lost_[c].load(order::relaxed);
    const bool back = why == refused   ? machine::may_run_on(c)
                      : why == avoided ? leads && (job_->alone() || machine::has_affinity_to(c))
                                       : false;
    if (!back) continue;
    lost_[c].store(none, order::relaxed);
    lost_contexts_.fetch_sub(1, order::relaxed);
    under_lock_->contexts.push_back(c);  // has room: the context was there before
    found = true;
  }
  if (found) job_->set_contexts(under_lock_->contexts);
}

void coscheduling::leave() {
  job_->leave();
  pthread_key_delete(under_lock_->key);
}

void coscheduling::abandon() noexcept { cosched::job::abandon(std::move(job_)); }

void coscheduling::wake_waiters() {
  const std::scoped_lock held(under_lock_->mutex);
  for (const unsigned c : under_lock_->contexts) job_->wake_waiters(c);
}

bool coscheduling::alone() { return !active() || job_->alone(); }

bool coscheduling::takes_no_context() { return !active() || job_->stands_aside() || job_->alone(); }

std::optional<unsigned> coscheduling::main_context() {
  const unsigned context = job_->main_context();
  return context == cosched::context_assignment::no_context ? std::nullopt : std::optional(context);
}

std::string coscheduling::table() const { return job_->path(); }

bool coscheduling::main_is_on(unsigned context) {
  const std::scoped_lock held(under_lock_->mutex);
  if (under_lock_->main_on == context) return false;
  // relaxed, here and below: counts that decide when a context is lent. A wrong count is noticed at the next check-in.
  working_[context].fetch_add(1, order::relaxed);
  const unsigned before = std::exchange(under_lock_->main_on, context);
  return before != cosched::context_assignment::no_context && working_[before].fetch_sub(1, order::relaxed) == 1;
}

bool coscheduling::unconcerned(lease_poll<native>& at, std::uint64_t& look_at) noexcept {
  at = {};
  look_at = ~std::uint64_t{0};
  return true;
}

bool coscheduling::main_is_nowhere() {
  const std::scoped_lock held(under_lock_->mutex);
  const unsigned before = std::exchange(under_lock_->main_on, cosched::context_assignment::no_context);
  // relaxed: as in main_is_on().
  return before != cosched::context_assignment::no_context && working_[before].fetch_sub(1, order::relaxed) == 1;
}

// --- leaders

coscheduling::leader::leader(coscheduling& of) noexcept : context_lease(of.unread_), of_(of) {}

bool coscheduling::leader::stay(bool /*may_leave*/) noexcept {
  for (;;) {
    if (!of_.active()) return of_.unconcerned(at_, look_at_);
    if (of_.job_->stands_aside()) {
      if (seat_ && !of_.main_is_nowhere()) seat_->forget();
      seat_.reset();
      at_ = {&of_.unread_};  // asks again at each check-in
      return true;
    }
    const std::optional<unsigned> main = of_.main_context();
    if (!main) {
      // The job has no share, as while its slot is damaged; that is repaired within P_high.
      of_.unconcerned(at_, look_at_);
      of_.job_->look_after();
      look_at_ = of_.next_look();
      return true;
    }
    const bool sits = seat_ && seat_->context() == *main;
    if (sits && seat_->keep()) break;
    if (!sits) {
      // Other threads of this process may work where it was, and go on.
      if (const bool left_alone = of_.main_is_on(*main); seat_ && !left_alone) seat_->forget();
      seat_.reset();
      seat_.emplace(*of_.job_, *main);
    }
    if (seat_->take([this, main] { return of_.main_context() != main; })) break;
  }
  at_ = {&seat_->word(), seat_->calm()};
  look_at_ = of_.next_look();
  // Without other jobs it runs wherever the system puts it.
  const unsigned here = seat_->context();
  if (of_.active() && of_.job_->alone()) {
    if (!machine::may_run_on(here)) of_.lost(here);
  } else if (of_.active() && !of_.move_leader_(here)) {
    of_.leader_avoids(here);
  }
  of_.look_for_lost(true);
  return true;
}

// A key instead of a thread_local with a destructor: that would keep a plug-in that runs loops from being unloaded as
// long as the thread lives.
coscheduling::leader& coscheduling::of_this_leader() {
  guarded& g = *under_lock_;
  if (void* const known = pthread_getspecific(g.key)) return *static_cast<leader*>(known);
  const std::scoped_lock held(g.mutex);
  leader* its = nullptr;
  if (g.free_leaders.empty()) {
    g.free_leaders.reserve(g.leaders.size() + 1);
    g.leaders.push_back(std::make_unique<leader>(*this));
    its = g.leaders.back().get();
  } else {
    its = g.free_leaders.back();
    g.free_leaders.pop_back();
  }
  pthread_setspecific(g.key, its);
  return *its;
}

void coscheduling::forget_this_leader() noexcept { pthread_setspecific(under_lock_->key, nullptr); }

// --- followers

coscheduling::follower::follower(coscheduling& of, unsigned home) noexcept
    : context_lease(of.unread_), of_(of), home_(home) {}

coscheduling::follower::~follower() { get_up(); }

bool coscheduling::follower::stay(bool may_leave) noexcept {
  if (!of_.active()) return of_.unconcerned(at_, look_at_);
  if (of_.job_->stands_aside()) return apart();
  if (!seat_) sit_on(place());
  // keep() first: it may tell of a new home. The follower leaves the loop before it gives the context up, by idle() or
  // arrive(). A job that gets the context takes the processor from this thread at once, and the other threads would
  // wait for it at the loop's end, for milliseconds.
  const bool keeps = seat_->keep(!may_leave);
  if (keeps && !(may_leave && place() != seat_->context())) return here();
  at_.calm = ~std::uint64_t{0};
  away_ = true;
  if (may_leave) return false;
  uncount();
  wait_with_work();
  return true;
}

/// Waits with begun work, for which other threads wait, so it must end. The thread waits where the job has high
/// priority at least at times: here, or else on the context of the main thread, beside that thread.
void coscheduling::follower::wait_with_work() noexcept {
  for (;;) {
    const unsigned at = seat_->context();
    const auto has_no_turns = [this, at] { return !of_.job_->has_turns_on(at); };
    if (has_no_turns()) {
      const std::optional<unsigned> main = of_.main_context();
      if (!main || *main == at || !of_.active()) break;
      sit_on(*main);
    } else if (seat_->take(has_no_turns)) {
      break;
    }
  }
  count();
  here();
}

bool coscheduling::follower::arrive(const std::function<bool()>& over) noexcept {
  if (!of_.active()) {
    away_ = false;
    return of_.unconcerned(at_, look_at_);
  }
  if (of_.job_->stands_aside()) return apart();
  const unsigned home = place();
  if (!seat_ || seat_->context() != home) {
    sit_on(home);
  } else if (counted_) {
    // It has the context, and may have been asked for it.
    if (seat_->keep()) return here();
    uncount();
  }
  at_.calm = ~std::uint64_t{0};
  const auto give_up = [&] { return over() || place() != home || !belongs_to(home); };
  of_.waiting_.fetch_add(1, order::relaxed);  // relaxed, here and below: a hint
  const bool taken = seat_->take(give_up, nested_ ? nested_watch : cosched::sharing_limits::watch_period);
  of_.waiting_.fetch_sub(1, order::relaxed);
  // The thread was moved meanwhile: the mover may have come too early to disturb it.
  away_ = !taken || place() != home;
  if (away_) return false;
  count();
  return here();
}

/// Takes part although it has no context: the job stands aside. It goes where its home is by now, since a leader moves
/// about then, and two threads of a short loop on one context take several times as long.
bool coscheduling::follower::apart() noexcept {
  if (const unsigned at = place(); apart_at_ != at) {
    get_up();
    belongs_to(at);
    apart_at_ = at;
  }
  at_ = {&of_.unread_};  // asks again at each check-in
  away_ = false;
  return true;
}

bool coscheduling::follower::here() noexcept {
  const unsigned context = seat_->context();
  if (place() == context) belongs_to(context);
  of_.look_for_lost(false);
  at_ = {&seat_->word(), seat_->calm()};
  look_at_ = of_.next_look(seat_->look_within());
  away_ = false;
  return true;
}

/// Returns its home, or the context of the main thread while the home is lost.
unsigned coscheduling::follower::place() noexcept {
  const unsigned home = home_.load(order::relaxed);
  return of_.is_lost(home) ? of_.main_context().value_or(home) : home;
}

/// Pins the thread to its place, from which another job may have moved it for not answering in time. False if that
/// cannot be, since the context was unplugged or taken from the process and the system runs the thread anywhere; its
/// place is then elsewhere. A system call.
bool coscheduling::follower::belongs_to(unsigned place) noexcept {
  if (machine::keep_this_thread_on(place)) return true;
  of_.lost(place);
  return false;
}

void coscheduling::follower::set_home(unsigned context) noexcept {
  const unsigned before = home_.exchange(context, order::relaxed);
  // Otherwise it would go on elsewhere until it looks by itself. A change that this misses waits for that look.
  if (of_.active()) of_.job_->notify_holder(before);
}

void coscheduling::follower::idle() noexcept {
  if (!of_.active()) return;
  if (apart_at_) of_.job_->look_around();
  if (!counted_) return;
  at_.calm = ~std::uint64_t{0};
  if (uncount()) seat_->idle();
}

void coscheduling::follower::sit_on(unsigned context) noexcept {
  get_up();
  apart_at_.reset();
  seat_.emplace(*of_.job_, context, gettid());
  machine::pin_this_thread(context);  // if refused, here() looks again
}

void coscheduling::follower::get_up() noexcept {
  if (!seat_) return;
  uncount();
  if (of_.working_[seat_->context()].load(order::relaxed) != 0) seat_->forget();
  seat_.reset();
}

void coscheduling::follower::count() noexcept {
  counted_ = true;
  of_.working_[seat_->context()].fetch_add(1, order::relaxed);
}

/// True if no other thread of this process works there.
bool coscheduling::follower::uncount() noexcept {
  return std::exchange(counted_, false) && of_.working_[seat_->context()].fetch_sub(1, order::relaxed) == 1;
}

}  // namespace callisto::workers
