// Callisto's graph library: reads or builds a graph, and runs kernels on it.
//
//   const callisto::graph::any_graph web = callisto::graph::load_graph("web.txt.gz");
//   const std::vector<double> scores = callisto::graph::pagerank(web).scores;
//
// Every kernel is one function. Any thread may call it; it runs parallel loops, reports progress and can be stopped.
// Errors are exceptions derived from callisto::error.
#pragma once

#if __cplusplus < 202002L
#error "Callisto needs C++20: compile with -std=c++20 or newer"
#else

#include <callisto/graph/betweenness/betweenness.hpp>
#include <callisto/graph/bfs/bfs.hpp>
#include <callisto/graph/changing/changing_components.hpp>
#include <callisto/graph/changing/changing_cores.hpp>
#include <callisto/graph/changing/changing_distances.hpp>
#include <callisto/graph/changing/changing_graph.hpp>
#include <callisto/graph/changing/changing_pagerank.hpp>
#include <callisto/graph/cliques/cliques.hpp>
#include <callisto/graph/cliques/motifs.hpp>
#include <callisto/graph/closeness/closeness.hpp>
#include <callisto/graph/communities/changing_communities.hpp>
#include <callisto/graph/communities/communities.hpp>
#include <callisto/graph/communities/compare.hpp>
#include <callisto/graph/components/biconnected.hpp>
#include <callisto/graph/components/components.hpp>
#include <callisto/graph/components/kcore.hpp>
#include <callisto/graph/components/scc.hpp>
#include <callisto/graph/components/topological.hpp>
#include <callisto/graph/components/transitive_reduction.hpp>
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/generate.hpp>
#include <callisto/graph/construction/random_weights.hpp>
#include <callisto/graph/csr/degrees.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/csr/statistics.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/distance/diameter.hpp>
#include <callisto/graph/distance/distances.hpp>
#include <callisto/graph/distance/eccentricities.hpp>
#include <callisto/graph/embedding/embedding.hpp>
#include <callisto/graph/embedding/node2vec.hpp>
#include <callisto/graph/files/load.hpp>
#include <callisto/graph/files/native_file.hpp>
#include <callisto/graph/files/read.hpp>
#include <callisto/graph/files/write.hpp>
#include <callisto/graph/flow/flow.hpp>
#include <callisto/graph/forest/spanning_forest.hpp>
#include <callisto/graph/greedy/colouring.hpp>
#include <callisto/graph/greedy/independent_set.hpp>
#include <callisto/graph/greedy/matching.hpp>
#include <callisto/graph/order/reorder.hpp>
#include <callisto/graph/pagerank/pagerank.hpp>
#include <callisto/graph/pair/pair.hpp>
#include <callisto/graph/pair/routes.hpp>
#include <callisto/graph/pair/temporal.hpp>
#include <callisto/graph/partition/partition.hpp>
#include <callisto/graph/similarity/similarity.hpp>
#include <callisto/graph/spectral/spectral.hpp>
#include <callisto/graph/sssp/bellman_ford.hpp>
#include <callisto/graph/sssp/paths.hpp>
#include <callisto/graph/sssp/sssp.hpp>
#include <callisto/graph/subgraph/projection.hpp>
#include <callisto/graph/subgraph/subgraph.hpp>
#include <callisto/graph/triangles/clustering.hpp>
#include <callisto/graph/triangles/triangles.hpp>
#include <callisto/graph/triangles/valued_clustering.hpp>
#include <callisto/graph/truss/truss.hpp>
#include <callisto/graph/walks/random_walks.hpp>

#endif
