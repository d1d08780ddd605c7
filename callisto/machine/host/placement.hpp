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
  automatic,  ///< spread, but unpinned if a CPU quota tells that other processes share the contexts
  spread,     ///< as far apart as possible, so that threads share as little as possible (ATC'15 section 4)
  compact,    ///< as near to each other as possible: a core's contexts, then its neighbours', package by package
  list,       ///< as the user lists them
  none,       ///< not pinned; numbered as if spread
};

/// The most threads that loops and runtimes take: as many contexts as the largest machines with one system have. The
/// cost of a loop and of its end rises with the threads, and with their square if there are many for each processor.
inline constexpr unsigned most_threads = 4096;

/// The placement that the user asks for.
struct placement_request {
  std::optional<unsigned> threads;  ///< nullopt: as many as the limits feed, or as the list names
  placement_rule rule = placement_rule::automatic;
  std::vector<unsigned> list;  ///< OS numbers of contexts, for placement_rule::list

  /// Reads CALLISTO_THREADS (a number) and CALLISTO_PLACEMENT (`spread`, `compact`, `none`, or a list of CPU numbers
  /// such as 0,2,8-11). Unset or empty variables ask for nothing. Throws usage_error.
  CALLISTO_API static placement_request from_environment();
};

/// A decision, with the reasons for it.
struct placement {
  std::vector<context> contexts;  ///< the context of thread i; thread 0 is the leader. At least one
  bool pinned;                    ///< true if followers stay on their contexts; leaders are never pinned
  /// Positions: the number of thread i if threads are counted so that close ones are neighbours.
  std::vector<unsigned> position_of_thread;
  std::vector<std::string> reasons;  ///< sentences for people: the reasons for the number and the places
};

/// Places threads on the machine `t` within the limits `l`. More threads than usable contexts share them in turns.
/// `leader_on` is the OS number of the context where the leader runs already: thread 0 gets it, if it is usable, and
/// the other threads are placed around it. A list in the request is kept in its order, with the leader's context first
/// if it is listed. Throws usage_error if the list names contexts that are not usable, or fewer than there are threads.
CALLISTO_API placement place(const topology& t, const limits& l, const placement_request& request,
                             std::optional<unsigned> leader_on = std::nullopt);

/// Returns placement::pinned of what place() would decide, if `l` names contexts of the machine. It does so without
/// looking at the machine, which takes about 10 ms.
CALLISTO_API bool pins(const limits& l, const placement_request& request) noexcept;

/// Pins a thread to one context; false if the system refuses. A system call.
CALLISTO_API bool pin(pthread_t thread, unsigned os_index) noexcept;
CALLISTO_API bool pin_this_thread(unsigned os_index) noexcept;
/// Lets the calling thread run wherever the process could when this library was loaded. A system call.
CALLISTO_API bool unpin_this_thread() noexcept;
/// Lets the calling thread run wherever the process could, while the object lives; then restores its affinity. For the
/// thread that made it. Three system calls; leaves errno alone at its end, and allocates nothing.
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
/// Lets threads that are made with these attributes run wherever the process could. Returns 0 or an error number.
int unpin(pthread_attr_t& how) noexcept;
/// Pins a thread to one context, unless it is pinned there. One or two system calls.
CALLISTO_API bool keep_this_thread_on(unsigned os_index) noexcept;
/// Pins a thread of another process of this user, by their numbers in the kernel (gettid(2)). False also if the process
/// has no such thread.
CALLISTO_API bool pin_thread_of(pid_t process, pid_t thread, unsigned os_index) noexcept;
/// Returns the number of contexts in the affinity of a thread; 0: unknown. One system call.
CALLISTO_API unsigned contexts_of_affinity(pid_t thread) noexcept;
/// True if the system lets this thread run on a context: not if it is unplugged, or a control group has taken it. Moves
/// the thread there and back if it is pinned elsewhere. One to three system calls.
CALLISTO_API bool may_run_on(unsigned os_index) noexcept;
/// True if this thread's affinity has a context. One system call.
CALLISTO_API bool has_affinity_to(unsigned os_index) noexcept;

/// Returns a drawing of the machine with the workers where they are placed: a paragraph for each package, a line for
/// the cores of each NUMA node and L3 cache, each core in brackets with its contexts' OS numbers.
CALLISTO_API std::string draw(const topology& t, const placement& p);

}  // namespace callisto::machine
