// Algorithms over Callisto's loops: those of the standard library that take an execution policy, under the same names;
// reductions that are the same on any number of threads, loops over steps, rectangles and forward ranges; and tasks.
#pragma once

#if __cplusplus < 202002L
#error "Callisto needs C++20: compile with -std=c++20 or newer"
#else

#include <callisto/callisto.hpp>
#include <callisto/loop/algorithms/comparing.hpp>
#include <callisto/loop/algorithms/elements.hpp>
#include <callisto/loop/algorithms/extremes.hpp>
#include <callisto/loop/algorithms/filtering.hpp>
#include <callisto/loop/algorithms/groups.hpp>
#include <callisto/loop/algorithms/merging.hpp>
#include <callisto/loop/algorithms/policy.hpp>
#include <callisto/loop/algorithms/ranges.hpp>
#include <callisto/loop/algorithms/reduce.hpp>
#include <callisto/loop/algorithms/scan.hpp>
#include <callisto/loop/algorithms/search.hpp>
#include <callisto/loop/algorithms/selecting.hpp>
#include <callisto/loop/algorithms/sort.hpp>
#include <callisto/loop/algorithms/uninitialized.hpp>
#include <callisto/loop/tasks/task_group.hpp>

#endif
