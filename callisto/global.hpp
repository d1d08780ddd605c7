// Callisto over a cluster: one address space, the same loops, on MPI or in one process (Grappa).
#pragma once

#if __cplusplus < 202002L
#error "Callisto needs C++20: compile with -std=c++20 or newer"
#else

#include <callisto/global/arrays/array.hpp>
#include <callisto/global/arrays/checkpoint.hpp>
#include <callisto/global/bulk/bitmap.hpp>
#include <callisto/global/bulk/group_by.hpp>
#include <callisto/global/bulk/hash_map.hpp>
#include <callisto/global/bulk/scan.hpp>
#include <callisto/global/bulk/sort.hpp>
#include <callisto/global/caches/caches.hpp>
#include <callisto/global/caches/lists.hpp>
#include <callisto/global/loops/parallel_for.hpp>
#include <callisto/global/loops/spawn_loop.hpp>
#include <callisto/global/loops/spawn_where.hpp>
#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/messages/messages.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/completion_event.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/global/synchronization/full_empty.hpp>
#include <callisto/global/synchronization/mutex.hpp>
#include <callisto/global/tasks/core.hpp>
#include <callisto/machine/system/error.hpp>

#endif
