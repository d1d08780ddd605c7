// Callisto's loops: everything that a program needs to run parallel loops.
#pragma once

#if __cplusplus < 202002L
#error "Callisto needs C++20: compile with -std=c++20 or newer"
#else

#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/loop/record/statistics.hpp>
#include <callisto/loop/record/trace.hpp>
#include <callisto/machine/system/error.hpp>
#include <callisto/workers/teams/runtime.hpp>
#include <callisto/workers/teams/thread_hooks.hpp>
#include <callisto/workers/teams/unpinned.hpp>

#endif
