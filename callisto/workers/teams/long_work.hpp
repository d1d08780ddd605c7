// Leases of hardware contexts for threads that are no leaders and followers of loops: they work for as long as the
// process, and wait for threads of other processes (the ranks of callisto::global).
#pragma once

#include <callisto/export.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/workers/teams/context_lease.hpp>

#include <memory>
#include <vector>

namespace callisto::workers {

/// Lets the process take part in the division of contexts, for threads that will run on these. It stands aside while
/// there are more jobs than contexts: taking turns would make the other processes wait, too. Called before the first
/// loop, and once; does nothing if the process may not share (CALLISTO_COSCHED). Throws usage_error for bad variables
/// of the environment. Takes as long as cosched::job::join.
CALLISTO_API void join_for_long_work(std::vector<unsigned> contexts);

/// Returns the lease of the thread that runs main, which has its context when this returns; null if the process shares
/// with no job. Lives as long as the thread.
CALLISTO_API context_lease<machine::native>* lease_of_this_leader();

/// Returns a lease for another thread, on the context where it will be pinned; null if the process shares with no job.
/// Only that thread uses it, and destroys it before the process ends.
CALLISTO_API std::shared_ptr<context_lease<machine::native>> lease_on(unsigned context);

}  // namespace callisto::workers
