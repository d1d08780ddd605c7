// Which worker runs on which hardware context.
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/host/cpu_mask.hpp>
#include <callisto/machine/host/limits.hpp>
#include <callisto/machine/host/topology.hpp>

#include <optional>
#include <string>
#include <vector>

#include <pthread.h>

namespace callisto::machine {

/// How contexts are chosen for threads.
enum class placement_rule {
  automatic,  ///< as spread, but unpinned where a CPU quota tells that other processes share the contexts
  spread,     ///< as far apart as possible, so that threads share as little as possible (ATC'15 section 4)
  compact,    ///< as near to each other as possible: a core's contexts, then its neighbours', package by package
  list,       ///< as the user lists them
  none,       ///< not pinned; numbered as if spread
};

/// What the user wants.
struct placement_request {
  std::optional<unsigned> threads;  ///< nullopt: as many as the limits feed, or as the list names
  placement_rule rule = placement_rule::automatic;
  std::vector<unsigned> list;  ///< OS numbers of contexts, for placement_rule::list

  /// Reads CALLISTO_THREADS (a number) and CALLISTO_PLACEMENT (`spread`, `compact`, `none`, or a list of CPU numbers
  /// such as 0,2,8-11). Variables that are unset or empty ask for nothing. Throws usage_error.
  CALLISTO_API static placement_request from_environment();
};

/// A decision, with the reasons for it.
struct placement {
  std::vector<context> contexts;  ///< of thread i; thread 0 is the leader. At least one
  bool pinned;                    ///< whether the followers are to stay on their contexts; leaders are never pinned
  /// Of thread i, its number if they were counted so that those who are close to each other are neighbours.
  std::vector<unsigned> position_of_thread;
  std::vector<std::string> reasons;  ///< sentences for people: why so many, why there
};

/// Places threads on the machine `t` within the limits `l`. More threads than usable contexts share them in turns.
/// `leader_on` is the OS number of the context where the leader runs already: thread 0 gets it, if it is usable, and
/// the others are placed around it. A list in the request is kept in its order, with the leader's context first if it
/// is listed. Throws usage_error if the list names contexts that are not usable, or fewer than there are threads.
CALLISTO_API placement place(const topology& t, const limits& l, const placement_request& request,
                             std::optional<unsigned> leader_on = std::nullopt);

/// placement::pinned of what place() would decide, where `l` names contexts of the machine: to know it before the
/// machine is looked at, which takes some ten milliseconds.
CALLISTO_API bool pins(const limits& l, const placement_request& request) noexcept;

/// Keeps a thread on one context from now on; false if the system refuses. Costs a system call.
CALLISTO_API bool pin(pthread_t thread, unsigned os_index) noexcept;
inline bool pin_this_thread(unsigned os_index) noexcept { return pin(pthread_self(), os_index); }
/// The calling thread may run wherever the process could when this library was loaded. A system call.
CALLISTO_API bool unpin_this_thread() noexcept;
/// While it lives, the calling thread may do so; then it may run where it could before. For the thread that made it.
/// Three system calls; leaves errno alone at its end, and allocates nothing.
class unpinned_here {
 public:
  unpinned_here() noexcept;
  ~unpinned_here();
  unpinned_here(const unpinned_here&) = delete;
  unpinned_here& operator=(const unpinned_here&) = delete;

 private:
  cpu_mask before_;
  const bool moved_;
};
/// So may threads that are made with these attributes. Returns 0, or an error's number.
int unpin(pthread_attr_t& how) noexcept;
/// The same, if it is not so already. One or two system calls.
CALLISTO_API bool keep_this_thread_on(unsigned os_index) noexcept;
/// The same for a thread of another process of this user, by their numbers in the kernel (gettid(2)). False also if the
/// process has no such thread.
CALLISTO_API bool pin_thread_of(pid_t process, pid_t thread, unsigned os_index) noexcept;
/// How many contexts the affinity of a thread has, as it is now; 0: that cannot be told. One system call.
CALLISTO_API unsigned contexts_of_affinity(pid_t thread) noexcept;
/// Whether the system lets this thread run on a context, which it does not where that is unplugged, or where a control
/// group has taken it. Moves the thread there and back if it is pinned elsewhere. One to three system calls.
CALLISTO_API bool may_run_on(unsigned os_index) noexcept;
/// Whether this thread's affinity, as it is now, has a context. One system call.
CALLISTO_API bool has_affinity_to(unsigned os_index) noexcept;

/// A drawing of the machine with the workers where they are placed: a paragraph for each package, a line for the cores
/// of each NUMA node and L3 cache, each core in brackets with its contexts' OS numbers.
CALLISTO_API std::string draw(const topology& t, const placement& p);

}  // namespace callisto::machine
