// The runtime of the process: one thread tree. Its threads start with the first loop. For the sources of this folder:
//
// - runtime.cpp: starts the threads, follows the program's affinity, leads loops.
// - join_other_jobs.cpp: shares the machine with other jobs.
// - runtime_fork.cpp: fork().
// - runtime_exit.cpp: ends the threads.
#pragma once

#include <callisto/cosched/settings.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/placement.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/workers/teams/coscheduling.hpp>
#include <callisto/workers/teams/leader_placement.hpp>
#include <callisto/workers/teams/long_work.hpp>
#include <callisto/workers/teams/nesting.hpp>
#include <callisto/workers/teams/runtime.hpp>
#include <callisto/workers/teams/team.hpp>
#include <callisto/workers/teams/thread_hooks.hpp>
#include <callisto/workers/teams/thread_tree.hpp>
#include <callisto/workers/teams/tree_node.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/types.h>

namespace callisto::workers {

/// The member of a follower, or of a thread that a loop brought into the tree; null: the calling thread leads from the
/// root. initial-exec: every loop reads it.
extern constinit thread_local member<machine::native>* own_member [[gnu::tls_model("initial-exec")]];

/// The lease of a thread that leads from the root, where jobs share the machine; null: unknown yet, or not shared.
extern constinit thread_local coscheduling::leader* leads_on [[gnu::tls_model("initial-exec")]];

/// The choice for loops that one thread runs. Never destroyed, like the runtime.
tree_node<machine::native>& one_thread();

/// The runtime of the process. Never destroyed: loops may run in static destructors, when only the leader is left.
class runtime {
  using native = machine::native;
  using order = machine::order;

 public:
  static runtime& instance();

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

  void set_threads(unsigned count);
  void set_levels(const nesting& levels);
  thread_hooks set_hooks(thread_hooks hooks);
  nesting levels();
  void join_for_long_work(std::vector<unsigned> contexts);
  std::shared_ptr<context_lease<native>> lease_on(unsigned context);

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

  std::string sharing_in_words();
  void stand(standing_item<native>& item);

  /// Starts anew with the contexts where the calling thread may run now, if it is the one that started the threads and
  /// its affinity mask has changed since. True if so. Other threads' masks say nothing about the program.
  bool follow_affinity(std::uint64_t now);

  /// Makes room for the leader before it leads a loop at the root.
  void meet_leader() noexcept {
    const int here = sched_getcpu();
    if (leader_.is_elsewhere(here)) [[unlikely]]
      make_room(here);
  }

 private:
  using follower = follower_thread;
  using tree = thread_tree<native>;

  // Short: a fork by another thread meanwhile would leave the child with a half-made runtime for ever. Work that takes
  // long is done under the lock, for which fork() waits.
  runtime();

  tree_node<native>& start();

  /// True if the program, or its environment, names the number of threads or the contexts, and so does not follow its
  /// affinity.
  bool placement_is_decided() const;

  machine::limits limits_now() const { return limits_ ? *limits_ : machine::limits::current(); }

  static nesting levels_or_environment(const std::optional<nesting>& wanted) {
    return wanted ? *wanted : nesting::from_environment();
  }

  /// Starts anew with `count` threads, and these levels.
  void restart(unsigned count, const std::optional<nesting>& levels);

  /// Plans the contexts of `threads` threads, or if that is 0, of as many as the environment and the machine say. The
  /// leader stays where it runs now.
  machine::placement make_plan(unsigned threads) const;

  tree_node<native>& start_followers(machine::placement plan, const nesting& levels,
                                     const cosched::settings& with_others);

  /// Gives the calling thread a context for itself before the first threads start. That takes a few milliseconds, most
  /// of them to examine the machine. Otherwise this thread would wait for threads that run everywhere, and they for it.
  void join_first();
  void join(const cosched::settings& how, std::vector<unsigned> contexts, unsigned here);

  /// Joins the other jobs, or tells them where this job's threads are.
  void share(const machine::placement& plan, const cosched::settings& how);

  /// Starts the followers; false if the system refuses one.
  bool start_threads(const machine::placement& plan);

  /// Makes a tree. Loops may still go on in an older tree: no tree is given up, and none is made twice.
  tree& keep(const std::vector<distributor::seat>& seats, const nesting& levels, const schedule& how);
  static void* follower_main(void* argument);

  /// Makes room on the context `here`, to which the leader has come.
  void make_room(int here) noexcept;

  /// Moves the calling leader to its job's main context; false if it may not run there.
  bool move_leader(unsigned context) noexcept;
  void end_followers();

  /// Joins a follower that must end, if it ends within two milliseconds. It may wait for its context: it then looks up
  /// when it is told, unless it was just about to sleep. If another job's thread runs there, it would also wait for
  /// that thread's time slice, some milliseconds; so it takes the place of this thread.
  bool has_ended(const follower& f);

  /// Ends the followers at exit, or when the library is unloaded. Later loops run on their leader.
  void end();

  /// Forgets the parent's threads in the child of a fork, which has only this one. The child's next loop starts
  /// followers again. If the fork happened in a loop body, iterations that followers had claimed are lost in the child.
  void in_child();

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
  pid_t starter_ = 0;                                 ///< the thread that made the followers; its affinity is followed
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

}  // namespace callisto::workers
