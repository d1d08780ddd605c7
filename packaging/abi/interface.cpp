// All that users include, compiled with debugging information, so that abidw sees the layout of each public type without a
// build of the whole library with -g. What a header only declares counts by its symbol.
#include "callisto/algorithms.hpp"
#include "callisto/callisto.hpp"
#include "callisto/domino.hpp"
#include "callisto/graph.hpp"
#include "callisto/jobs.hpp"
#include "callisto/workers.hpp"
