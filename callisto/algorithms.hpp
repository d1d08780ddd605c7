// Algorithms over Callisto's loops: sorting, scans, searches, reductions that are the same on any number of threads,
// loops over steps, rectangles and forward ranges; and tasks.
#pragma once

#if __cplusplus < 202002L
#error "Callisto needs C++20: compile with -std=c++20 or newer"
#else

#include <callisto/callisto.hpp>
#include <callisto/loop/algorithms/ranges.hpp>
#include <callisto/loop/algorithms/reduce.hpp>
#include <callisto/loop/algorithms/scan.hpp>
#include <callisto/loop/algorithms/search.hpp>
#include <callisto/loop/algorithms/sort.hpp>
#include <callisto/loop/tasks/task_group.hpp>

#endif
