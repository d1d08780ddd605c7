// Domino: tasks that writes trigger (Callisto, EuroSys 2014, section 3.2). A computation has cells; a change of a cell
// spawns tasks, which change other cells, until nothing changes any more.
#pragma once

#if __cplusplus < 202002L
#error "Callisto needs C++20: compile with -std=c++20 or newer"
#else

#include <callisto/domino/cells.hpp>
#include <callisto/domino/computation.hpp>
#include <callisto/machine/system/error.hpp>

#endif
