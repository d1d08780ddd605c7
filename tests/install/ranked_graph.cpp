// A graph over ranks, as a user would write it: prints what any number of ranks finds. Usage: ranked_graph FILE
#include <callisto/cluster.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  namespace cluster = callisto::cluster;
  callisto::global::session s(argc, argv);
  const auto g = cluster::job_graph::load(argv[1]);
  const auto ranked = cluster::pagerank(g);
  const auto groups = cluster::communities(g);
  const auto tree = cluster::bfs(g, 0);
  const auto triangles = cluster::count_triangles(g).triangles;
  if (s.rank() != 0) return 0;
  std::printf("%llu vertices, %llu communities, %llu triangles, %llu reached, score %.6f\n",
              static_cast<unsigned long long>(g.vertices()), static_cast<unsigned long long>(groups.communities),
              static_cast<unsigned long long>(triangles), static_cast<unsigned long long>(tree.reached),
              ranked.scores[0]);
}
