// Graphs over the ranks of a job: callisto_graph.cluster.
#include "bindings.hpp"
#include "kernels.hpp"
#include "rank_main.hpp"

#include <callisto/cluster/job_graph.hpp>
#include <callisto/cluster/memory.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/graph/communities/communities_among.hpp>
#include <callisto/graph/sssp/paths_among.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace callisto::python {
namespace {

using cluster::job_graph;
using machine::page_array;

/// A graph of which this rank has the rows of its vertices, bound as _core.JobGraph.
class held_part {
 public:
  explicit held_part(job_graph graph) : graph_(std::make_shared<job_graph>(std::move(graph))) {}

  job_graph& graph() const noexcept { return *graph_; }

  /// Returns a graph without arcs of which vertices are called as those of this one: at rank 0, which knows.
  held_graph named() const {
    return std::visit(
        [&]<class Vertex>(const graph::csr_graph<Vertex>& g) {
          graph::adjacency<Vertex> none;
          none.offsets = page_array<std::uint64_t>(g.vertices() + 1);
          auto labels = page_array<std::uint64_t>::view({g.labels().data(), g.labels().size()}, graph_);
          return held_graph(graph::csr_graph<Vertex>(false, std::move(none), {}, std::move(labels), g.first_label())
                                .with_names(g.names()));
        },
        graph_->rows());
  }

 private:
  std::shared_ptr<job_graph> graph_;
};

/// Throws memory_error if this machine has not the memory that its ranks take for a kernel together.
void require_among(std::string_view kernel, const job_graph& of) {
  graph::require_memory(kernel, cluster::memory_of_rank(kernel, of.rows(), of.among()) * cluster::ranks_of_machine());
}

/// Runs kernel(graph) on all ranks; `name`: the subcommand that runs the same one.
template <class F>
auto run_among(const held_part& of, std::string_view name, const F& kernel) {
  return rank_main::here().run([&] {
    require_among(name, of.graph());
    return kernel(of.graph());
  });
}

/// Returns the first rank that cannot read a file, and the system's number of the error; 0 for both if all can.
nb::tuple check_file(const std::string& path) {
  const std::vector<int> all = rank_main::here().run([&] {
    struct stat of{};
    int wrong = 0;
    if (stat(path.c_str(), &of) != 0 || access(path.c_str(), R_OK) != 0) {
      wrong = errno;
    } else if (S_ISDIR(of.st_mode)) {
      wrong = EISDIR;
    }
    return global::gather_all(wrong);
  });
  for (std::size_t r = 0; r != all.size(); ++r) {
    if (all[r] != 0) return nb::make_tuple(r, all[r]);
  }
  return nb::make_tuple(0, 0);
}

held_part load(const std::string& path, const std::string& format, bool undirected, bool directed,
               const std::vector<std::string>& columns, const std::optional<std::string>& weights_column,
               const std::optional<std::string>& separator, const std::optional<bool>& header, const std::string& ids,
               const std::optional<std::string>& repeats, bool drop_loops) {
  const graph::load_options options = load_options_of(
      {format, undirected, directed, columns, weights_column, separator, header, ids, repeats, drop_loops});
  return rank_main::here().run([&] { return held_part(job_graph::load(path, options)); }, throwers::job);
}

/// `graph`: None but at rank 0.
held_part deal(const held_graph* graph) {
  return rank_main::here().run(
      [&] { return held_part(job_graph::deal(graph == nullptr ? graph::any_graph() : shared_graph(*graph))); },
      throwers::job);
}

/// Returns the numbers of rank 0, at all ranks.
nb::object tell(const column<std::uint64_t>& numbers) {
  return to_numpy(rank_main::here().run([&] {
    std::uint64_t size = global::broadcast(std::uint64_t{numbers.size()});
    std::vector<std::uint64_t> told(size);
    if (global::here().rank == 0) told.assign(numbers.data(), numbers.data() + numbers.size());
    global::replicate(std::span(told));
    return told;
  }));
}

nb::dict statistics(const held_part& of) {
  const graph::graph_statistics made = run_among(of, "info", [](job_graph& g) { return cluster::statistics(g); });
  return dictionary_of(made, of.graph().directed());
}

nb::tuple pagerank(const held_part& of, double damping, double tolerance, unsigned iterations, bool accelerated,
                   const std::string& weights, const std::optional<column<std::uint64_t>>& seeds,
                   const std::optional<column<double>>& shares) {
  graph::pagerank_options options{.damping = damping,
                                  .tolerance = tolerance,
                                  .iterations = iterations,
                                  .accelerated = accelerated,
                                  .weights = weight_use_named(weights)};
  for (std::size_t i = 0; seeds && shares && i < seeds->size(); ++i)
    options.seeds.push_back({seeds->data()[i], shares->data()[i]});
  graph::pagerank_result made = run_among(of, "pagerank", [&](job_graph& g) { return cluster::pagerank(g, options); });
  return nb::make_tuple(to_numpy(std::move(made.scores)), made.iterations, made.change, made.converged);
}

nb::tuple betweenness(const held_part& of, std::uint64_t samples, std::uint64_t seed,
                      const std::optional<column<std::uint64_t>>& from, bool normalized) {
  graph::betweenness_options options{.samples = samples, .seed = seed, .normalized = normalized};
  if (from) options.from.assign(from->data(), from->data() + from->size());
  graph::betweenness_result made =
      run_among(of, "betweenness", [&](job_graph& g) { return cluster::betweenness(g, options); });
  return nb::make_tuple(to_numpy(std::move(made.scores)),
                        made.standard_errors.empty() ? nb::none() : to_numpy(std::move(made.standard_errors)),
                        made.sources);
}

nb::object components(const held_part& of) {
  return to_numpy(run_among(of, "components", [](job_graph& g) { return cluster::components(g); }));
}

nb::tuple communities(const held_part& of, const std::string& method, const std::string& quality,
                      const std::string& directions, std::optional<double> resolution, unsigned iterations,
                      std::uint64_t seed) {
  auto options = communities_options_of(method, quality, directions, resolution, iterations, seed);
  graph::communities_result made = run_among(of, "communities", [&](job_graph& g) {
    if (!resolution) options.resolution = graph::usual_resolution_among(g.rows(), options.quality, {{}, &g.among()});
    return cluster::communities(g, options);
  });
  return nb::make_tuple(to_numpy(std::move(made.of)), made.communities, made.quality, made.converged);
}

nb::tuple kcore(const held_part& of) {
  graph::kcore_result made = run_among(of, "kcore", [](job_graph& g) { return cluster::kcore(g); });
  return nb::make_tuple(to_numpy(std::move(made.coreness)), made.degeneracy, made.innermost);
}

std::uint64_t count_triangles(const held_part& of) {
  return run_among(of, "triangles", [](job_graph& g) { return cluster::count_triangles(g); }).triangles;
}

nb::tuple clustering(const held_part& of) {
  graph::clustering_result made = run_among(of, "clustering", [](job_graph& g) { return cluster::clustering(g); });
  return nb::make_tuple(to_numpy(std::move(made.triangles)), to_numpy(std::move(made.coefficients)), made.total,
                        made.average, made.transitivity);
}

nb::tuple bfs(const held_part& of, std::uint64_t source) {
  cluster::search_result made = run_among(of, "bfs", [&](job_graph& g) { return cluster::bfs(g, source); });
  return nb::make_tuple(to_numpy(std::move(made.parents)), to_numpy(std::move(made.distances)), made.reached,
                        made.eccentricity);
}

nb::tuple sssp(const held_part& of, std::uint64_t source, double delta) {
  struct tree {
    page_array<double> distances;
    page_array<std::uint64_t> parents;
    std::uint64_t reached = 0;
    double eccentricity = 0;
  };
  tree made = run_among(of, "sssp", [&](job_graph& g) {
    const graph::sssp_result found = cluster::sssp(g, source, {.delta = delta});
    tree all{all_of(found.distances, {}), page_array<std::uint64_t>(g.vertices(), machine::page_kind::used),
             found.reached, found.eccentricity};
    std::visit(
        [&]<class Vertex>(const graph::csr_graph<Vertex>& rows) {
          const auto parents = graph::shortest_path_parents_among(rows, source, found.distances, {{}, &g.among()});
          // They come together at rank 0.
          for (std::uint64_t v = 0; g.among().tells() && v != g.vertices(); ++v) {
            all.parents[v] = parents[v] == graph::no_parent<Vertex> ? ~std::uint64_t{0} : parents[v];
          }
        },
        g.rows());
    global::deal_parts(std::span(all.parents.data(), all.parents.size()), g.among().bounds());
    return all;
  });
  return nb::make_tuple(to_numpy(std::move(made.distances)), to_numpy(std::move(made.parents)), made.reached,
                        made.eccentricity);
}

void draw_weights(const held_part& of, std::uint64_t seed) {
  rank_main::here().run([&] {
    of.graph().draw_weights(seed);
    return true;
  });
}

}  // namespace

void bind_cluster(nb::module_& m) {
  m.def("job_join", [] {
    const rank_main& self = rank_main::join();
    return nb::make_tuple(self.rank(), self.ranks());
  });
  m.def("job_leave", &rank_main::leave);
  m.def("job_end", [](const std::string& text, int status) { rank_main::here().end_job(text, status); });
  m.def("job_tell", &tell, nb::arg("numbers"));
  m.def("job_check_file", &check_file, nb::arg("path"));
  m.def("job_load", &load, nb::arg("path"), nb::arg("format"), nb::arg("undirected"), nb::arg("directed"),
        nb::arg("columns"), nb::arg("weights_column").none(), nb::arg("separator").none(), nb::arg("header").none(),
        nb::arg("ids"), nb::arg("repeats").none(), nb::arg("drop_loops"));
  m.def("job_deal", &deal, nb::arg("graph").none());
  nb::class_<held_part>(m, "JobGraph", "The rows of this rank's vertices of a graph over the ranks of a job.")
      .def_prop_ro("vertices", [](const held_part& of) { return of.graph().vertices(); })
      .def_prop_ro("arcs", [](const held_part& of) { return of.graph().arcs(); })
      .def_prop_ro("directed", [](const held_part& of) { return of.graph().directed(); })
      .def_prop_ro("weighted", [](const held_part& of) { return of.graph().weighted(); })
      .def_prop_ro("first", [](const held_part& of) { return of.graph().first(); })
      .def_prop_ro("last", [](const held_part& of) { return of.graph().last(); })
      .def("named", &held_part::named)
      .def("draw_weights", &draw_weights)
      .def("statistics", &statistics)
      .def("pagerank", &pagerank, nb::arg("damping"), nb::arg("tolerance"), nb::arg("iterations"),
           nb::arg("accelerated"), nb::arg("weights"), nb::arg("seeds").noconvert().none(),
           nb::arg("shares").noconvert().none())
      .def("betweenness", &betweenness, nb::arg("samples"), nb::arg("seed"), nb::arg("sources").noconvert().none(),
           nb::arg("normalized"))
      .def("components", &components)
      .def("communities", &communities, nb::arg("method"), nb::arg("quality"), nb::arg("directions"),
           nb::arg("resolution").none(), nb::arg("iterations"), nb::arg("seed"))
      .def("kcore", &kcore)
      .def("count_triangles", &count_triangles)
      .def("clustering", &clustering)
      .def("bfs", &bfs, nb::arg("source"))
      .def("sssp", &sssp, nb::arg("source"), nb::arg("delta"));
}

}  // namespace callisto::python
