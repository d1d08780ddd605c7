// Graphs over the ranks of a cluster: loading, and the kernels of the command `callisto`.
//
//   callisto::global::session s(argc, argv);
//   const auto web = callisto::cluster::job_graph::load("/shared/web.cg");
//   const callisto::graph::pagerank_result ranked = callisto::cluster::pagerank(web);
//   if (s.rank() == 0) ...  // there ranked.scores has all vertices
#pragma once

#if __cplusplus < 202002L
#error "Callisto needs C++20: compile with -std=c++20 or newer"
#else

#include <callisto/cluster/job_graph.hpp>
#include <callisto/global.hpp>

#endif
