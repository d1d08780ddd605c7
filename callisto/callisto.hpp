// Callisto's loops: everything that a program needs to run parallel loops.
#pragma once

#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/loop/statistics.hpp>
#include <callisto/loop/trace.hpp>
#include <callisto/machine/error.hpp>
#include <callisto/workers/runtime.hpp>
