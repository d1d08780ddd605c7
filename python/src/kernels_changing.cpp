// A graph that changes, and the analyses that follow it: _core.ChangingGraph and _core.Following.
#include "bindings.hpp"
#include "kernels.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::python {
namespace {

using graph::changing_graph;
using graph::run_control;
using machine::page_array;

class following;

/// A changing_graph with the analyses that follow it. A mutex lets calls of any threads take turns.
struct held_changing_graph {
  explicit held_changing_graph(changing_graph of) : graph(std::move(of)) {}

  /// Runs a change or a question of the graph, without the GIL.
  template <class F>
  auto locked(F&& f) {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(mutex);
    return f();
  }
  void grow(std::uint64_t vertices) {
    while (graph.vertices() < vertices) graph.vertex(graph.vertices());
  }
  /// Changes an edge and notes that for the analyses. True if there was one.
  bool set(std::uint64_t u, std::uint64_t v, std::optional<double> weight);

  std::mutex mutex;
  changing_graph graph;                ///< guarded
  std::vector<following*> followings;  ///< guarded
};

/// An analysis of a held_changing_graph, which it keeps alive, and the changes that it has not seen yet.
class following {
 public:
  using analysis = std::variant<graph::changing_pagerank, graph::changing_components, graph::changing_distances,
                                graph::changing_cores, graph::changing_communities>;

  /// make(graph, control) is an analysis. The caller holds the GIL.
  template <class Make>
  following(std::shared_ptr<held_changing_graph> of, nb::handle progress, Make&& make) : of_(std::move(of)) {
    run(progress, place::watched, [&](const run_control& control) {
      const std::lock_guard lock(of_->mutex);
      analysis_.emplace(make(of_->graph, control));
      of_->followings.push_back(this);
      return true;
    });
  }
  following(const following&) = delete;
  following& operator=(const following&) = delete;
  ~following() {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(of_->mutex);
    std::erase(of_->followings, this);
  }

  /// Called with the mutex held.
  void note(const changing_graph::change& change) { unseen_.push_back(change); }

  /// Returns the vertices that have changed since the last call, ascending.
  nb::object update() {
    return to_numpy(of_->locked([&] {
      follow();
      std::vector<std::int64_t> changed(changed_.begin(), changed_.end());
      changed_.clear();
      return changed;
    }));
  }

  /// Returns the values of all vertices.
  nb::object values() {
    using values = std::variant<page_array<double>, page_array<std::int64_t>>;
    values made = of_->locked([&]() -> values {
      follow();
      return std::visit(
          [&]<class Kind>(const Kind& of) -> values {
            constexpr bool whole =
                !std::is_same_v<Kind, graph::changing_pagerank> && !std::is_same_v<Kind, graph::changing_distances>;
            using value = std::conditional_t<whole, std::int64_t, double>;
            page_array<value> all(of_->graph.vertices());
            for (std::uint32_t v = 0; v < of_->graph.vertices(); ++v) all[v] = static_cast<value>(of[v]);
            return all;
          },
          *analysis_);
    });
    return std::visit([](auto& all) { return to_numpy(std::move(all)); }, made);
  }

  /// Returns the value of a vertex.
  double value(std::uint32_t v) {
    return of_->locked([&] {
      follow();
      return std::visit([&](const auto& of) { return static_cast<double>(of[v]); }, *analysis_);
    });
  }

  /// Returns the largest coreness.
  std::uint64_t degeneracy() {
    return of_->locked([&] {
      follow();
      return std::get<graph::changing_cores>(*analysis_).degeneracy();
    });
  }

  /// Returns the modularity of communities.
  double modularity() {
    return of_->locked([&] {
      follow();
      return std::get<graph::changing_communities>(*analysis_).quality();
    });
  }

  /// Returns how many components or communities there are.
  std::uint64_t count() {
    return of_->locked([&] {
      follow();
      if (const auto* const groups = std::get_if<graph::changing_communities>(&*analysis_)) return groups->count();
      return std::get<graph::changing_components>(*analysis_).count();
    });
  }

 private:
  /// Brings the analysis up to date.
  void follow() {
    if (unseen_.empty() && seen_vertices_ == of_->graph.vertices()) return;
    const auto more = std::visit([&](auto& of) { return of.update(unseen_); }, *analysis_);
    unseen_.clear();
    seen_vertices_ = of_->graph.vertices();
    std::vector<std::uint32_t> all;
    std::set_union(changed_.begin(), changed_.end(), more.begin(), more.end(), std::back_inserter(all));
    changed_ = std::move(all);
  }

  std::shared_ptr<held_changing_graph> of_;
  std::optional<analysis> analysis_;            ///< guarded by of_->mutex, as all that follows
  std::vector<changing_graph::change> unseen_;  ///< since the last update of the analysis
  std::vector<std::uint32_t> changed_;          ///< since the last call of update(), ascending
  std::uint64_t seen_vertices_ = of_->graph.vertices();
};

bool held_changing_graph::set(std::uint64_t u, std::uint64_t v, std::optional<double> weight) {
  const auto change = graph.set(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v), weight);
  if (change.before != change.after) {
    for (following* one : followings) one->note(change);
  }
  return change.before.has_value();
}

using held = std::shared_ptr<held_changing_graph>;

held changing_from(const held_graph& of, nb::handle progress) {
  return run(progress, by_arcs(of.any()),
             [&](const run_control&) { return std::make_shared<held_changing_graph>(changing_graph(of.any())); });
}

std::unique_ptr<following> follow_pagerank(const held& of, double damping, double tolerance, const std::string& weights,
                                           nb::handle progress) {
  const graph::weight_use use = weight_use_named(weights);
  return std::make_unique<following>(of, progress, [&](const changing_graph& g, const run_control& control) {
    return graph::changing_pagerank(g, {.damping = damping, .tolerance = tolerance, .weights = use}, control);
  });
}

std::unique_ptr<following> follow_components(const held& of, nb::handle progress) {
  return std::make_unique<following>(of, progress, [](const changing_graph& g, const run_control& control) {
    return graph::changing_components(g, control);
  });
}

std::unique_ptr<following> follow_distances(const held& of, std::uint32_t source, bool weighted, nb::handle progress) {
  return std::make_unique<following>(of, progress, [&](const changing_graph& g, const run_control& control) {
    return graph::changing_distances(g, source, weighted, control);
  });
}

std::unique_ptr<following> follow_communities(const held& of, const std::string& method, double resolution,
                                              std::uint64_t seed, const std::string& weights, nb::handle progress) {
  const auto options = communities_options_of(method, "modularity", "follow", resolution, 1, seed);
  const graph::weight_use use = weight_use_named(weights);
  return std::make_unique<following>(of, progress, [&](const changing_graph& g, const run_control& control) {
    return graph::changing_communities(g, options, use, control);
  });
}

std::unique_ptr<following> follow_cores(const held& of, nb::handle progress) {
  return std::make_unique<following>(of, progress, [](const changing_graph& g, const run_control& control) {
    return graph::changing_cores(g, control);
  });
}

/// Puts edges between vertices in, with weights or 1 each, or takes them out. Returns how many were there.
std::uint64_t set_edges(const held& of, const column<std::int64_t>& from, const column<std::int64_t>& to,
                        const std::optional<column<double>>& weights, bool remove) {
  return of->locked([&] {
    std::uint64_t there = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      std::optional<double> weight;
      if (!remove) weight = weights ? weights->data()[i] : 1;
      there += of->set(static_cast<std::uint64_t>(from.data()[i]), static_cast<std::uint64_t>(to.data()[i]), weight);
    }
    return there;
  });
}

/// The rows as arrays: offsets, targets, weights.
nb::tuple rows_of(const held& of) {
  page_array<std::uint64_t> offsets;
  page_array<std::uint32_t> targets;
  page_array<double> weights;
  of->locked([&] {
    const changing_graph& g = of->graph;
    offsets = page_array<std::uint64_t>(std::uint64_t{g.vertices()} + 1);
    offsets[0] = 0;
    for (std::uint32_t v = 0; v < g.vertices(); ++v) offsets[v + 1] = offsets[v] + g.out(v).size();
    targets = page_array<std::uint32_t>(offsets[g.vertices()]);
    weights = page_array<double>(targets.size());
    for (std::uint32_t v = 0; v < g.vertices(); ++v) {
      std::uint64_t at = offsets[v];
      for (const auto& arc : g.out(v)) {
        targets[at] = arc.to;
        weights[at++] = arc.weight;
      }
    }
  });
  return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(targets)), to_numpy(std::move(weights)));
}

}  // namespace

void bind_changing(nb::module_& m) {
  nb::class_<held_changing_graph>(m, "ChangingGraph", "A graph that changes, over the vertices 0 ... n - 1.")
      .def_prop_ro("vertices", [](const held& of) { return of->locked([&] { return of->graph.vertices(); }); })
      .def_prop_ro("edges", [](const held& of) { return of->locked([&] { return of->graph.edges(); }); })
      .def_prop_ro("directed", [](const held& of) { return of->graph.directed(); })
      .def("grow", [](const held& of, std::uint64_t vertices) { of->locked([&] { of->grow(vertices); }); })
      .def(
          "set",
          [](const held& of, std::uint64_t u, std::uint64_t v, std::optional<double> weight) {
            return of->locked([&] { return of->set(u, v, weight); });
          },
          nb::arg("from"), nb::arg("to"), nb::arg("weight").none())
      .def("set_edges", &set_edges, nb::arg("from").noconvert(), nb::arg("to").noconvert(),
           nb::arg("weights").noconvert().none(), nb::arg("remove"))
      .def("weight", [](const held& of, std::uint32_t u,
                        std::uint32_t v) { return of->locked([&] { return of->graph.weight(u, v); }); })
      .def("rows", &rows_of);
  nb::class_<following>(m, "Following", "An analysis that follows a ChangingGraph.")
      .def("update", &following::update)
      .def("values", &following::values)
      .def("value", &following::value)
      .def("count", &following::count)
      .def("modularity", &following::modularity)
      .def("degeneracy", &following::degeneracy);
  m.def("changing", [](bool directed) { return std::make_shared<held_changing_graph>(changing_graph(directed)); });
  m.def("changing_from", &changing_from, nb::arg("graph"), nb::arg("progress").none());
  m.def("follow_pagerank", &follow_pagerank, nb::arg("graph"), nb::arg("damping"), nb::arg("tolerance"),
        nb::arg("weights"), nb::arg("progress").none());
  m.def("follow_components", &follow_components, nb::arg("graph"), nb::arg("progress").none());
  m.def("follow_communities", &follow_communities, nb::arg("graph"), nb::arg("method"), nb::arg("resolution"),
        nb::arg("seed"), nb::arg("weights"), nb::arg("progress").none());
  m.def("follow_cores", &follow_cores, nb::arg("graph"), nb::arg("progress").none());
  m.def("follow_distances", &follow_distances, nb::arg("graph"), nb::arg("source"), nb::arg("weighted"),
        nb::arg("progress").none());
}

}  // namespace callisto::python
