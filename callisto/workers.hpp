// Callisto's workers, for the authors of runtimes (EuroSys 2014, sections 2.2 to 2.4): tickets with up-calls that run
// as activations, suspended and resumed on any worker, and the latches and SVars by which activations wait.
#pragma once

#if __cplusplus < 202002L
#error "Callisto needs C++20: compile with -std=c++20 or newer"
#else

#include <callisto/machine/system/error.hpp>
#include <callisto/workers/activations/create_workers.hpp>

#endif
