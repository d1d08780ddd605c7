// The process's thread tree on the native machine: its threads, their start and end, fork() and exit.
#include <callisto/distributor/seats.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <callisto/cosched/settings.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/host/topology.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/blocked_signals.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/coscheduling.hpp>
#include <callisto/workers/teams/in_body.hpp>
#include <callisto/workers/teams/leader_placement.hpp>
#include <callisto/workers/teams/long_work.hpp>
#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/team.hpp>
#include <callisto/workers/teams/thread_tree.hpp>
#include <callisto/workers/teams/tree_node.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace callisto::workers {

// The one instantiation for the native machine; simulated and checked machines make their own.
template class team<machine::native>;
template class tree_node<machine::native>;
template class thread_tree<machine::native>;

constinit thread_local std::uint32_t bodies_of_thread = 0;

namespace {

using machine::native;
using machine::order;

constexpr unsigned max_threads = 65536;

using tree = thread_tree<native>;

/// The member of a follower, or of a thread that a loop brought into the tree; null: the calling thread leads from the
/// root. initial-exec: every loop reads it.
[[gnu::tls_model("initial-exec")]] thread_local member<native>* self = nullptr;

/// The lease of a thread that leads from the root, where jobs share the machine; null: unknown yet, or not shared.
[[gnu::tls_model("initial-exec")]] thread_local coscheduling::leader* leads_on = nullptr;

/// When to see whether the program's affinity has changed, in ticks. Outside the runtime: every loop reads it.
constexpr std::uint64_t never = ~std::uint64_t{0};
constinit native::atomic<std::uint64_t> look_after_affinity_at{never};

/// The choice for loops that one thread runs. Never destroyed, like the runtime.
tree_node<native>& one_thread() {
  static tree* const one = [] {
    const distributor::seat anywhere;
    return new tree(std::span(&anywhere, 1), {}, {});
  }();
  return one->root();
}

bool runs_body() noexcept { return self != nullptr || bodies_of_thread != 0; }

/// The runtime of the process. Never destroyed: loops may run in static destructors, when only the leader is left.
class runtime {
 public:
  static runtime& instance() {
    static runtime* const only = new runtime;
    return *only;
  }

  tree_node<native>& root() {
    // acquire: pairs with the stores below: a thread that sees the root sees the whole tree.
    tree_node<native>* const known = root_.load(order::acquire);
    if (known != nullptr) return *known;
    join_first();
    tree_node<native>& started = start();
    // Now, and not with the first loop: a program of one thread never leads one.
    lease_of_leader();
    return started;
  }

  void set_threads(unsigned count) {
    join_first();
    const std::scoped_lock held(mutex_);
    if (ended_) return;
    restart(count, wanted_levels_);
  }

  void set_levels(const nesting& levels) {
    const std::scoped_lock held(mutex_);
    if (!ended_) restart(wanted_, levels);
  }

  thread_hooks set_hooks(thread_hooks hooks) {
    auto wanted = std::make_shared<const thread_hooks>(std::move(hooks));
    const std::scoped_lock held(mutex_);
    const std::shared_ptr<const thread_hooks> before = std::exchange(hooks_, std::move(wanted));
    return before != nullptr ? *before : thread_hooks{};
  }

  nesting levels() {
    const std::scoped_lock held(mutex_);
    return tree_ != nullptr ? tree_->levels() : levels_or_environment(wanted_levels_);
  }

  void join_for_long_work(std::vector<unsigned> contexts) {
    contexts_of_long_work_ = std::move(contexts);
    join_first();
  }

  std::shared_ptr<context_lease<native>> lease_on(unsigned context) {
    if constexpr (!coscheduled) return nullptr;
    coscheduling* const with = sharing_now_.load(order::acquire);  // acquire: as in lease_of_leader()
    return with == nullptr ? nullptr : std::make_shared<coscheduling::follower>(*with, context);
  }

  /// Returns the lease of the calling thread, which leads from the root or is about to; null if no other job counts.
  /// The thread has its context when this returns.
  context_lease<native>* lease_of_leader() {
    if constexpr (!coscheduled) return nullptr;
    if (leads_on == nullptr) {
      // acquire: pairs with the store in join(), so this thread sees the whole object.
      coscheduling* const with = sharing_now_.load(order::acquire);
      if (with == nullptr) return nullptr;
      leads_on = &with->of_this_leader();
    }
    if (!leads_on->undisturbed()) leads_on->stay(false);
    return leads_on;
  }

  bool followers_wait() const noexcept {
    if constexpr (!coscheduled) return false;
    // acquire: as in lease_of_leader() and root().
    const coscheduling* const with = sharing_now_.load(order::acquire);
    const tree_node<native>* const known = root_.load(order::acquire);
    return with != nullptr && known != nullptr && known->threads() > 1 && with->waiting() >= known->threads() - 1;
  }

  const loop_team_choice* idle_threads() noexcept {
    // acquire: as in root().
    tree_node<native>* const known = root_.load(order::acquire);
    return known != nullptr && known->some_sleep() ? &known->at(0) : nullptr;
  }

  std::string sharing_in_words() {
    root();
    const std::scoped_lock held(mutex_);
    if (sharing_ == nullptr) return "no: " + alone_because_;
    return sharing_->table() + (sharing_->alone() ? ", no other job at the moment" : ", with others at the moment");
  }

  void stand(standing_item<native>& item) {
    root();
    const std::scoped_lock held(mutex_);
    standing_ = &item;
    if (tree_ != nullptr) {
      item.stand_at(&tree_->root().stand(item));
    } else {
      item.stand_at(&nowhere_);  // the process ends
    }
  }

  /// Starts anew with the contexts where the calling thread may run now, if it is the one that started the threads and
  /// its affinity mask has changed since. True if so. Other threads' masks say nothing about the program.
  bool follow_affinity(std::uint64_t now) {
    look_after_affinity_at.store(now + native::ticks_per_second() / 100, order::relaxed);
    std::vector<unsigned> mask = machine::affinity_of(0);
    const std::scoped_lock held(mutex_);
    if (ended_ || tree_ == nullptr || mask.empty() || starter_ != gettid() || mask == mask_) return false;
    if (placement_is_decided()) return false;
    limits_ = machine::read_limits("", mask);
    mask_ = std::move(mask);
    restart(wanted_, wanted_levels_);
    return true;
  }

  /// Makes room for the leader before it leads a loop at the root.
  void meet_leader() noexcept {
    const int here = sched_getcpu();
    if (leader_.is_elsewhere(here)) [[unlikely]]
      make_room(here);
  }

 private:
  using follower = follower_thread;

  // Short: a fork by another thread meanwhile would leave the child with a half-made runtime for ever. What takes long
  // is done under the lock, for which fork() waits.
  runtime() {
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] {
                     instance().in_child();
                     instance().mutex_.unlock();
                   });
    std::atexit([] { instance().end(); });
  }

  tree_node<native>& start() {
    const std::scoped_lock held(mutex_);
    tree_node<native>* const known = root_.load(order::relaxed);  // relaxed: stored under the lock
    return known != nullptr ? *known
                            : start_followers(make_plan(wanted_), levels_or_environment(wanted_levels_),
                                              cosched::settings::from_environment());
  }

  /// True if the program has a number of threads or contexts of its own, and so does not follow its affinity.
  bool placement_is_decided() const {
    if (wanted_ != 0) return true;
    const auto wanted = machine::placement_request::from_environment();
    return wanted.threads.has_value() || !wanted.list.empty();
  }

  machine::limits limits_now() const { return limits_ ? *limits_ : machine::limits::current(); }

  static nesting levels_or_environment(const std::optional<nesting>& wanted) {
    return wanted ? *wanted : nesting::from_environment();
  }

  /// Starts anew with so many threads, and these levels.
  void restart(unsigned count, const std::optional<nesting>& levels) {
    // What may throw comes before anything changes.
    machine::placement plan = make_plan(count);
    const nesting mapping = levels_or_environment(levels);
    static_cast<void>(schedule::from_environment());
    const cosched::settings with_others = cosched::settings::from_environment();
    end_followers();
    wanted_ = count;
    wanted_levels_ = levels;
    start_followers(std::move(plan), mapping, with_others);
  }

  /// Plans the contexts of `threads` threads, or if that is 0, of as many as the environment and the machine say. The
  /// leader stays where it runs now.
  machine::placement make_plan(unsigned threads) const {
    machine::placement_request request = machine::placement_request::from_environment();
    if (threads != 0) request.threads = threads;
    const int here = sched_getcpu();
    return machine::place(machine::topology::host(), limits_now(), request,
                          here < 0 ? std::nullopt : std::optional(static_cast<unsigned>(here)));
  }

  tree_node<native>& start_followers(machine::placement plan, const nesting& levels,
                                     const cosched::settings& with_others) {
    const schedule how = schedule::from_environment();
    native::prepare();
    // Here for the same reason as prepare(): a child of a fork would wait for ever for another thread's first call.
    static_cast<void>(one_thread());
    share(plan, with_others);
    for (;;) {
      tree_ = &keep(distributor::seats_of(plan.contexts), levels, how);
      if (start_threads(plan)) break;
      // If the system refuses more threads, the tree has those that it allows.
      plan.contexts.resize(followers_.size() + 1);
      end_followers();
    }
    leader_.set_spare_context(plan.contexts[0].os_index);
    // Not the context where it runs now: if it has moved meanwhile, its next loop will see.
    leader_.leader_is_on(static_cast<int>(plan.contexts[0].os_index));
    if (starter_ == 0) {
      starter_ = gettid();
      mask_ = machine::affinity_of(0);
    }
    look_after_affinity_at.store(placement_is_decided() ? never : native::ticks() + native::ticks_per_second() / 100,
                                 order::relaxed);
    if (standing_ != nullptr) standing_->stand_at(&tree_->root().stand(*standing_));
    root_.store(&tree_->root(), order::release);
    return tree_->root();
  }

  /// Gives the calling thread a context of its own before the first threads start. That takes a few milliseconds, most
  /// of them to examine the machine. Otherwise this thread would wait for threads that run everywhere, and they for it.
  void join_first() {
    if constexpr (!coscheduled) return;
    {
      const std::scoped_lock held(mutex_);
      if (ended_ || sharing_ != nullptr || tree_ != nullptr) return;
      const cosched::settings how = cosched::settings::from_environment();
      const machine::limits limits = machine::limits::current();
      const int here = sched_getcpu();
      if (!how.wanted || here < 0 || !machine::pins(limits, machine::placement_request::from_environment())) return;
      if (contexts_of_long_work_.empty()) {
        join(how, limits.cpus, static_cast<unsigned>(here));
      } else {
        const std::vector<unsigned>& own = contexts_of_long_work_;
        const auto at = std::find(own.begin(), own.end(), static_cast<unsigned>(here));
        join(how, own, at == own.end() ? own[0] : *at);
      }
    }
    lease_of_leader();
  }

  void join(const cosched::settings& how, std::vector<unsigned> contexts, unsigned here) {
    alone_because_.clear();
    sharing_ = coscheduling::join(
        how, std::move(contexts), here, [this](unsigned c) { return move_leader(c); }, alone_because_,
        contexts_of_long_work_.empty());
    // release: pairs with lease_of_leader(): a thread that sees the pointer sees the whole object.
    sharing_now_.store(sharing_.get(), order::release);
  }

  /// Joins the other jobs, or tells them where this job's threads are.
  void share(const machine::placement& plan, const cosched::settings& how) {
    if constexpr (!coscheduled) {
      alone_because_ = "built without (CALLISTO_COSCHED)";
      return;
    }
    std::vector<unsigned> contexts;
    for (const machine::context& c : plan.contexts) contexts.push_back(c.os_index);
    // One thread alone may run anywhere.
    if (contexts.size() == 1) contexts = limits_now().cpus;
    std::sort(contexts.begin(), contexts.end());
    contexts.erase(std::unique(contexts.begin(), contexts.end()), contexts.end());
    // Contexts can be shared out only among threads that stay on them.
    if (!plan.pinned) contexts.clear();
    if (sharing_ != nullptr) return sharing_->set_contexts(std::move(contexts));
    if (!how.wanted || contexts.empty()) {
      alone_because_ = how.wanted ? "the threads are not pinned" : "CALLISTO_COSCHED=off";
    } else {
      join(how, std::move(contexts), plan.contexts[0].os_index);
    }
    if (sharing_ == nullptr) how.tell_if_wanted(alone_because_);
  }

  /// Starts the followers; false if the system refuses one.
  bool start_threads(const machine::placement& plan) {
    followers_.reserve(plan.contexts.size());
    abandoned_.reserve(abandoned_.size() + plan.contexts.size());  // room for in_child()
    const machine::blocked_signals blocked;
    for (unsigned i = 1; i < plan.contexts.size(); ++i) {
      auto f = std::make_unique<follower>(follower{tree_, i, {}, std::nullopt, nullptr, hooks_});
      if (sharing_ != nullptr && plan.pinned) {
        f->on = std::make_unique<coscheduling::follower>(*sharing_, plan.contexts[i].os_index);
      }
      if (pthread_create(&f->thread, nullptr, &runtime::follower_main, f.get()) != 0) break;
      if (plan.pinned && machine::pin(f->thread, plan.contexts[i].os_index)) f->os_index = plan.contexts[i].os_index;
      followers_.push_back(std::move(f));
    }
    return followers_.size() + 1 == plan.contexts.size();
  }

  /// Makes a tree. Loops may still go on in an older tree: no tree is given up, and none is made twice.
  tree& keep(const std::vector<distributor::seat>& seats, const nesting& levels, const schedule& how) {
    const distributor::layout where(seats);
    const auto same = [&](const auto& t) { return t->where() == where && t->levels() == levels && t->how() == how; };
    const auto found = std::find_if(trees_.begin(), trees_.end(), same);
    if (found != trees_.end()) return **found;
    trees_.push_back(std::make_unique<tree>(seats, levels, how));
    abandoned_trees_.reserve(abandoned_trees_.size() + trees_.size());  // room for in_child()
    return *trees_.back();
  }

  static void* follower_main(void* argument) {
    const follower& f = *static_cast<follower*>(argument);
    self = &f.where->member_of(f.number);
    self->on = f.on.get();
    // The program cannot cancel a thread that it has not made; a body that asks for it would leave iterations undone.
    int before = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_setname_np(pthread_self(), ("callisto-" + std::to_string(f.number)).c_str());
    if (f.hooks != nullptr && f.hooks->start) f.hooks->start(f.number);
    f.where->root().follow(f.number);
    if (f.hooks != nullptr && f.hooks->end) f.hooks->end(f.number);
    return nullptr;
  }

  /// Makes room on the context `here`, to which the leader has come.
  void make_room(int here) noexcept {
    if (!leader_.may_move()) return;
    const std::unique_lock held(mutex_, std::try_to_lock);
    if (held) leader_.make_room(here, followers_, sharing_.get());
  }

  /// Moves the calling leader to its job's main context; false if it may not run there.
  bool move_leader(unsigned context) noexcept {
    if (sched_getcpu() == static_cast<int>(context)) return true;
    const std::unique_lock held(mutex_, std::try_to_lock);
    return !held || leader_.move_leader(context, followers_, sharing_.get());  // else meet_leader() tries again
  }

  void end_followers() {
    if (tree_ == nullptr) return;
    tree_->root().finish();
    for (const auto& f : followers_) {
      while (!has_ended(*f)) {
      }
    }
    followers_.clear();
    tree_->root().restart();
  }

  /// Joins a follower that must end, if it ends within two milliseconds. It may wait for its context: it then looks up
  /// when it is told, unless it was just about to sleep. If another job's thread runs there, it would also wait for
  /// that thread's time slice, some milliseconds; so it takes the place of this thread.
  bool has_ended(const follower& f) {
    if (sharing_ != nullptr) {
      const int here = sched_getcpu();
      if (f.os_index && here >= 0 && !sharing_->alone()) machine::pin(f.thread, static_cast<unsigned>(here));
      sharing_->wake_waiters();
    }
    timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 2'000'000;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    return pthread_timedjoin_np(f.thread, nullptr, &until) != ETIMEDOUT;
  }

  /// Ends the followers at exit, or when the library is unloaded. Later loops run on their leader.
  void end() {
    const std::scoped_lock held(mutex_);
    ended_ = true;
    root_.store(&one_thread(), order::release);
    if (tree_ != nullptr) tree_->root().finish();
    // exit() from a loop body: the followers wait for this thread, so it does not wait for them. Elsewhere they end at
    // once, unless another thread's loop still runs, which must not hold up the exit.
    int patience = self != nullptr ? 0 : 500;
    for (auto& f : followers_) {
      bool ended = false;
      while (!ended && patience-- > 0) ended = has_ended(*f);
      if (!ended) {
        pthread_detach(f->thread);
        abandoned_.push_back(std::move(f));  // its thread still reads it
      }
    }
    followers_.clear();
    sharing_now_.store(nullptr, order::release);
    if (sharing_ != nullptr) sharing_->leave();
  }

  /// Forgets the parent's threads in the child of a fork, which has only this one. The child's next loop starts
  /// followers again. If the fork happened in a loop body, iterations that followers had claimed are lost in the child.
  void in_child() {
    // A follower that forks is the child's only thread, and has no context of its own any more.
    for (const auto& f : followers_) {
      if (pthread_equal(f->thread, pthread_self()) != 0) machine::unpin_this_thread();
    }
    for (auto& f : followers_) abandoned_.push_back(std::move(f));
    followers_.clear();
    // This thread may be in a loop of one of the trees, so new loops get trees of their own.
    for (auto& t : trees_) {
      t->forget_others();
      abandoned_trees_.push_back(std::move(t));
    }
    trees_.clear();
    tree_ = nullptr;
    starter_ = 0;
    if (standing_ != nullptr) standing_->stand_at(nullptr);
    if (sharing_ != nullptr) {
      sharing_->forget_this_leader();
      leads_on = nullptr;
      sharing_->abandon();
      parents_ = sharing_.release();
      sharing_now_.store(nullptr, order::release);
    }
    root_.store(ended_ ? &one_thread() : nullptr, order::release);
  }

  std::mutex mutex_;  ///< guards the members below; the atomics are read without it
  bool ended_ = false;
  unsigned wanted_ = 0;                        ///< set_threads(); 0: as the environment and the machine say
  std::optional<nesting> wanted_levels_;       ///< set_levels(); none: as the environment says
  std::shared_ptr<const thread_hooks> hooks_;  ///< of followers that start from now on; null: none
  std::vector<std::unique_ptr<follower>> followers_;
  std::vector<std::unique_ptr<follower>> abandoned_;  ///< followers that cannot be joined any more
  std::vector<std::unique_ptr<tree>> trees_;
  std::vector<std::unique_ptr<tree>> abandoned_trees_;  ///< trees of this process's parent
  std::unique_ptr<coscheduling> sharing_;               ///< null: shares with no job, because
  std::string alone_because_;
  pid_t starter_ = 0;                                 ///< the thread that started the others; its affinity is followed
  std::vector<unsigned> mask_;                        ///< its affinity, when last looked at
  std::optional<machine::limits> limits_;             ///< after a change of it; none: as when the program began
  std::vector<unsigned> contexts_of_long_work_;       ///< join_for_long_work()'s
  coscheduling* parents_ = nullptr;                   ///< the parent process's; never used, never freed
  tree* tree_ = nullptr;                              ///< the followers' tree among trees_; null: not started
  native::atomic<tree_node<native>*> root_{nullptr};  ///< the node where loops are led; null: not started
  native::atomic<coscheduling*> sharing_now_{nullptr};  ///< sharing_, for leaders
  standing_item<native>* standing_ = nullptr;           ///< null: none yet
  standing_place<native> nowhere_;
  leader_placement leader_;  ///< where a leader is, and what makes room for it
};

}  // namespace

const loop_team_choice& alone() { return one_thread().at(0); }

const loop_team_choice& loop_team_here(unsigned level) {
  if (self == nullptr) return runtime::instance().root().at(level);
  return (self->here != nullptr ? *self->here : one_thread()).at(level);
}

const loop_team_choice& claim::take(const loop_team_choice& wanted) noexcept {
  tree_node<native>& in = static_cast<const node_team<native>&>(wanted).in;
  return in.claim() ? wanted : in.at(0);
}

void claim::give_back() noexcept { static_cast<const node_team<native>&>(with).in.give_back(); }

const distributor::absent_threads<native>* absent_from(const loop_team_choice& with) noexcept {
  return static_cast<const node_team<native>&>(with).absent();
}

const distributor::absent_threads<native>* all_but_leader(const loop_team_choice& with) noexcept {
  return static_cast<const node_team<native>&>(with).all_but_leader();
}

bool follow_affinity(std::uint64_t now) {
  // relaxed: a hint.
  const std::uint64_t at = look_after_affinity_at.load(order::relaxed);
  if (at == never || runs_body()) return false;
  if (now == 0) now = native::ticks();
  return now >= at && runtime::instance().follow_affinity(now);
}

bool inside_flat() noexcept { return self != nullptr && self->here == nullptr; }

const loop_team_choice* idle_threads() noexcept { return runtime::instance().idle_threads(); }

void stand(standing_item<native>& item) { runtime::instance().stand(item); }

void check_in(bool arrives) noexcept {
  if (self == nullptr) {
    runtime& all = runtime::instance();
    if (arrives) all.meet_leader();
    all.lease_of_leader();
  } else if (context_lease<native>* const on = self->on; on != nullptr && !on->undisturbed()) {
    on->stay(false);
  }
}

bool others_wait() noexcept { return self == nullptr && runtime::instance().followers_wait(); }

std::string sharing_in_words() { return runtime::instance().sharing_in_words(); }

void join_for_long_work(std::vector<unsigned> contexts) { runtime::instance().join_for_long_work(std::move(contexts)); }

context_lease<native>* lease_of_this_leader() { return runtime::instance().lease_of_leader(); }

std::shared_ptr<context_lease<native>> lease_on(unsigned context) { return runtime::instance().lease_on(context); }

void lead(work_item<native>& item, const loop_team_choice& with) noexcept {
  // A claim has it, so it is this loop's alone.
  auto& threads = const_cast<node_team<native>&>(static_cast<const node_team<native>&>(with));
  if (self != nullptr) return threads.in.lead(item, threads, *self);
  runtime& all = runtime::instance();
  all.meet_leader();
  member<native> top;
  top.on = all.lease_of_leader();
  self = &top;
  threads.in.lead(item, threads, top);
  self = nullptr;
}

}  // namespace callisto::workers

namespace callisto {

unsigned threads() {
  static_cast<void>(workers::runtime::instance().root());
  workers::follow_affinity(machine::native::ticks());
  return workers::runtime::instance().root().threads();
}

void set_threads(unsigned count) {
  if (count == 0 || count > workers::max_threads) {
    throw usage_error("set_threads(" + std::to_string(count) + "): expected a number of threads from 1 to " +
                      std::to_string(workers::max_threads));
  }
  if (workers::runs_body()) throw usage_error("set_threads: called from a loop body; call it between loops");
  workers::runtime::instance().set_threads(count);
}

nesting levels() { return workers::runtime::instance().levels(); }

void set_levels(const nesting& mapping) {
  if (workers::runs_body()) throw usage_error("set_levels: called from a loop body; call it between loops");
  workers::runtime::instance().set_levels(mapping);
}

thread_hooks set_thread_hooks(thread_hooks hooks) { return workers::runtime::instance().set_hooks(std::move(hooks)); }

unsigned this_thread() noexcept { return workers::self != nullptr ? workers::self->number : 0; }

}  // namespace callisto
