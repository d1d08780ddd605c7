#include <callisto/global/arrays/array.hpp>
#include <callisto/global/loops/spawn_where.hpp>
#include <callisto/global/memory/delegates.hpp>
#include <callisto/global/session/session.hpp>
#include <callisto/global/transport/rank_clock.hpp>
#include <lab/simulate/grappa_programs.hpp>
#include <lab/simulate/measured_part.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace callisto::lab {
namespace {

namespace sim = global::simulation;
using global::rank_clock;

constexpr std::uint32_t block = 8;  ///< vertices that follow each other at a rank

/// What tasks of a search share on this machine.
struct tree_search {
  const tree_in_memory* tree;
  std::uint32_t ranks;
  double cost;  ///< of a random word, in nanoseconds
  std::uint64_t visited = 0;
  std::uint64_t waited = 0;  ///< nanoseconds, for reads of other ranks' vertices
  std::uint64_t reads = 0;
};

/// Reads a vertex, wherever it is, and lets its children be visited by any rank.
struct search_task {
  tree_search* all;
  std::uint32_t number;

  void operator()() const {
    const auto owner = static_cast<int>(number / block % all->ranks);
    auto* const place = const_cast<tree_in_memory::vertex*>(&all->tree->vertices[number]);
    const std::uint64_t asked = rank_clock::ticks();
    const tree_in_memory::vertex v = global::read(global::global_address<tree_in_memory::vertex>::at(owner, place));
    rank_clock::work(all->cost);
    if (owner != global::here().rank) {
      all->waited += rank_clock::ticks() - asked;
      ++all->reads;
    }
    ++all->visited;
    for (std::uint32_t c = 0; c != v.children; ++c) global::spawn_public(search_task{all, v.first_child + c});
  }
};

/// Visits vertices where they are, and sends tasks to their children.
struct tree_visitor {
  global::array<tree_in_memory::vertex> vertices;
  tree_search* all;

  void operator()(std::span<tree_in_memory::vertex> here) const {
    all->visited += here.size();
    rank_clock::work(all->cost);  // they share a line
    for (const tree_in_memory::vertex v : here)
      if (v.children != 0) global::spawn_where(vertices, v.first_child, v.first_child + v.children, *this);
  }
};

}  // namespace

tree_in_memory::tree_in_memory(const uts_tree& tree) {
  vertices.reserve(tree.vertices);
  std::vector<uts_state> level{tree.root()};
  std::uint32_t next = 1;
  for (std::uint32_t height = 0; !level.empty(); ++height) {
    std::vector<uts_state> below;
    for (const uts_state& state : level) {
      const std::uint32_t n = tree.children(state, height);
      vertices.push_back({next, n});
      next += n;
      for (std::uint32_t c = 0; c != n; ++c) below.push_back(uts_tree::child(state, c));
    }
    level = std::move(below);
  }
}

program_outcome simulate_tree_search(const sim::cluster_options& cluster, const tree_in_memory& tree,
                                     std::size_t workers) {
  tree_search all{.tree = &tree, .ranks = cluster.ranks(), .cost = cluster.net.memory};
  measured_part part(cluster);
  const sim::cluster_outcome done =
      sim::run_sessions(cluster, {.threads = 1, .workers = workers}, [&](global::session& s) {
        part.begin(s);
        s.run_phase([&] {
          if (s.rank() == 0) global::spawn_public(search_task{&all, 0});
        });
        part.end(s);
      });
  program_outcome o = part.outcome(tree.vertices.size(), all.visited == tree.vertices.size(), done);
  o.latency = static_cast<double>(all.waited) * 1e-9 / static_cast<double>(std::max<std::uint64_t>(all.reads, 1));
  return o;
}

program_outcome simulate_tree_visits(const sim::cluster_options& cluster, const tree_in_memory& tree) {
  tree_search all{.tree = &tree, .ranks = cluster.ranks(), .cost = cluster.net.memory};
  measured_part part(cluster);
  const sim::cluster_outcome done = sim::run_sessions(cluster, {.threads = 1}, [&](global::session& s) {
    const std::size_t row = std::size_t{block} * cluster.ranks();
    auto vertices =
        global::make_array<tree_in_memory::vertex>((tree.vertices.size() + row - 1) / row * row, global::cyclic(block));
    const std::span<tree_in_memory::vertex> own = vertices.local();
    for (std::size_t i = 0; i != own.size(); ++i) {
      const std::size_t number = i / block * row + static_cast<std::size_t>(s.rank()) * block + i % block;
      if (number < tree.vertices.size()) own[i] = tree.vertices[number];
    }
    part.begin(s);
    s.run_phase([&] {
      if (s.rank() == 0) global::spawn_where(vertices, 0, 1, tree_visitor{vertices, &all});
    });
    part.end(s);
  });
  return part.outcome(tree.vertices.size(), all.visited == tree.vertices.size(), done);
}

}  // namespace callisto::lab
