// The process's one team on the native machine: its threads, their start, their end, fork() and exit.
#include <callisto/workers/runtime.hpp>

#include <callisto/machine/error.hpp>
#include <callisto/machine/limits.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/placement.hpp>
#include <callisto/machine/topology.hpp>
#include <callisto/workers/team.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>

namespace callisto::workers {

// The one instantiation for the native machine; simulated and checked machines make their own.
template class team<machine::native>;

namespace {

using machine::native;
using machine::order;

constexpr unsigned max_threads = 65536;

/// What the calling thread is to the runtime. initial-exec: read on the way into every loop.
struct membership {
  bool inside = false;  ///< in a loop body, or a follower: loops run serially
  unsigned number = 0;
};
[[gnu::tls_model("initial-exec")]] thread_local membership self;

/// For a loop that one thread runs. Never destroyed, as little as the runtime.
const arrangement& one_thread() {
  static const arrangement* const one = new arrangement{distributor::layout::flat(1), {}};
  return *one;
}

/// Never destroyed: loops may run in static destructors, when only the leader is left.
class runtime {
 public:
  static runtime& instance() {
    static runtime* const only = new runtime;
    return *only;
  }

  const arrangement& arranged() {
    // acquire: pairs with the stores below; whoever sees the arrangement sees the team.
    const arrangement* const known = arranged_.load(order::acquire);
    return known != nullptr ? *known : start();
  }

  void set_threads(unsigned count) {
    const std::scoped_lock held(mutex_);
    if (ended_) return;
    const machine::placement plan = make_plan(count);  // may throw: before anything changes
    const schedule how = schedule::from_environment();
    end_followers();
    wanted_ = count;
    start_followers(plan, how);
  }

  /// Only after arranged().
  void lead(work_item& item) noexcept {
    const int here = sched_getcpu();
    // relaxed: a hint, which make_room looks at again under the lock.
    if (here != leader_context_.load(order::relaxed)) [[unlikely]]
      make_room(here);
    team_->lead(item);
  }

 private:
  struct follower {
    runtime* owner;
    unsigned number;
    unsigned position;
    pthread_t thread;
    std::optional<unsigned> os_index;  ///< the context that it is pinned to
  };

  // Short, because a fork by another thread while it runs would leave the child with a half-made runtime for ever. What
  // takes its time is done under the lock, which fork() waits for.
  runtime() {
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] {
                     instance().in_child();
                     instance().mutex_.unlock();
                   });
    std::atexit([] { instance().end(); });
  }

  const arrangement& start() {
    const std::scoped_lock held(mutex_);
    const arrangement* const known = arranged_.load(order::relaxed);  // relaxed: stored under the lock
    return known != nullptr ? *known : start_followers(make_plan(wanted_), schedule::from_environment());
  }

  /// Who is to run where, for `threads` threads, or for as many as the environment and the machine say if 0. The
  /// leader stays where it runs now.
  static machine::placement make_plan(unsigned threads) {
    machine::placement_request request = machine::placement_request::from_environment();
    if (threads != 0) request.threads = threads;
    const int here = sched_getcpu();
    return machine::place(machine::topology::host(), machine::limits::current(), request,
                          here < 0 ? std::nullopt : std::optional(static_cast<unsigned>(here)));
  }

  const arrangement& start_followers(const machine::placement& plan, const schedule& how) {
    native::prepare();
    // Here for the same reason as prepare(): a child of a fork would wait for ever for another thread's first call.
    static_cast<void>(one_thread());
    if (!team_) team_.emplace(1u);
    team_->resize(static_cast<unsigned>(plan.contexts.size()));
    followers_.reserve(plan.contexts.size());
    // Signals are the application's business: its handlers run on its own threads.
    sigset_t all;
    sigset_t saved;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved);
    for (unsigned i = 1; i < plan.contexts.size(); ++i) {
      auto f = std::make_unique<follower>(follower{this, i, plan.position_of_thread[i], {}, std::nullopt});
      // A system that refuses more threads has fewer; loops are complete with any number.
      if (pthread_create(&f->thread, nullptr, &runtime::follower_main, f.get()) != 0) break;
      if (plan.pinned && machine::pin(f->thread, plan.contexts[i].os_index)) f->os_index = plan.contexts[i].os_index;
      followers_.push_back(std::move(f));
    }
    pthread_sigmask(SIG_SETMASK, &saved, nullptr);
    spare_context_ = plan.contexts[0].os_index;
    // Not where it runs now: if it has moved meanwhile, its next loop will see.
    leader_context_.store(static_cast<int>(spare_context_), order::relaxed);
    std::vector<distributor::seat> seats;
    for (std::size_t t = 0; t <= followers_.size(); ++t) {
      const machine::context& c = plan.contexts[t];
      seats.push_back({c.core, c.l2, c.l3, c.numa, c.package});
    }
    const arrangement& made = keep({distributor::layout(seats), how});
    arranged_.store(&made, order::release);
    return made;
  }

  /// Loops in flight may go by an older arrangement: none is given up, and none made twice.
  const arrangement& keep(arrangement made) {
    const auto same = [&](const auto& a) { return a->where == made.where && a->how == made.how; };
    const auto found = std::find_if(arrangements_.begin(), arrangements_.end(), same);
    if (found != arrangements_.end()) return **found;
    arrangements_.push_back(std::make_unique<const arrangement>(std::move(made)));
    return *arrangements_.back();
  }

  static void* follower_main(void* argument) {
    const follower& f = *static_cast<follower*>(argument);
    self = {true, f.number};
    pthread_setname_np(pthread_self(), ("callisto-" + std::to_string(f.number)).c_str());
    f.owner->team_->follow(f.number, f.position);
    return nullptr;
  }

  /// The leader has come to the context `here`, where a follower may be pinned: a leader is not, and the system wakes
  /// it wherever nobody runs, such as where a follower sleeps. That one would then wait for the leader's time slice to
  /// end while another context idles. It takes the context that the plan had kept for the leader.
  void make_room(int here) noexcept {
    // Two leaders on different contexts would send a follower to and fro at each loop, at some microseconds each.
    const std::uint64_t now = native::ticks();
    if (now - moved_at_.load(order::relaxed) < native::ticks_per_second() / 1000) return;  // relaxed: a hint
    const std::unique_lock held(mutex_, std::try_to_lock);
    if (!held) return;
    moved_at_.store(now, order::relaxed);
    leader_context_.store(here, order::relaxed);
    for (const auto& f : followers_) {
      if (here < 0 || f->os_index != static_cast<unsigned>(here)) continue;
      if (machine::pin(f->thread, spare_context_)) std::swap(*f->os_index, spare_context_);
      return;
    }
  }

  void end_followers() {
    if (!team_) return;
    team_->finish();
    for (const auto& f : followers_) pthread_join(f->thread, nullptr);
    followers_.clear();
    team_->restart();
  }

  /// At exit, or when the library is unloaded. Loops that come later run on their leader.
  void end() {
    const std::scoped_lock held(mutex_);
    ended_ = true;
    arranged_.store(&one_thread(), order::release);
    if (team_) team_->finish();
    // exit() from a loop body: the followers wait for us, so do not wait for them. Elsewhere they end at once unless
    // another thread's loop is still running, which must not hold up the exit.
    timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    for (auto& f : followers_) {
      if (self.inside || pthread_timedjoin_np(f->thread, nullptr, &deadline) != 0) {
        pthread_detach(f->thread);
        abandoned_.push_back(std::move(f));  // still read by its thread
      }
    }
    followers_.clear();
  }

  /// The child of a fork has this thread alone; followers are started again by its next loop. If the fork happened in a
  /// loop body, the iterations that followers had claimed are lost in the child.
  void in_child() {
    for (auto& f : followers_) abandoned_.push_back(std::move(f));
    followers_.clear();
    if (team_) team_->forget_others();
    arranged_.store(ended_ ? &one_thread() : nullptr, order::release);
  }

  std::mutex mutex_;  ///< guards what follows; the atomics are read without it, and team_ once arranged_ is set
  bool ended_ = false;
  unsigned wanted_ = 0;         ///< set_threads(); 0: as the environment and the machine say
  unsigned spare_context_ = 0;  ///< of those planned, the one that no follower is pinned to
  std::vector<std::unique_ptr<follower>> followers_;
  std::vector<std::unique_ptr<follower>> abandoned_;  ///< of threads that cannot be joined any more
  std::vector<std::unique_ptr<const arrangement>> arrangements_;
  native::atomic<const arrangement*> arranged_{nullptr};  ///< of followers and the leader; null: not started
  native::atomic<int> leader_context_{-1};                ///< where a leader was last seen; written under the lock
  native::atomic<std::uint64_t> moved_at_{0};             ///< ticks; written under the lock
  std::optional<team<native>> team_;                      ///< made with the first followers, then there for good
};

}  // namespace

const distributor::layout& alone() { return one_thread().where; }

const arrangement& arrangement_here() { return self.inside ? one_thread() : runtime::instance().arranged(); }

void lead(work_item& item) noexcept {
  self.inside = true;
  runtime::instance().lead(item);
  self.inside = false;
}

}  // namespace callisto::workers

namespace callisto {

unsigned threads() { return workers::runtime::instance().arranged().where.threads(); }

void set_threads(unsigned count) {
  if (count == 0 || count > workers::max_threads) {
    throw usage_error("set_threads(" + std::to_string(count) + "): expected a number of threads from 1 to " +
                      std::to_string(workers::max_threads));
  }
  if (workers::self.inside) throw usage_error("set_threads: called from a loop body; call it between loops");
  workers::runtime::instance().set_threads(count);
}

unsigned this_thread() noexcept { return workers::self.number; }

}  // namespace callisto
