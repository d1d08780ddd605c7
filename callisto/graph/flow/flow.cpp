// The largest flow, by pushes from the vertex of highest label.
#include <callisto/graph/components/level_queue.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/graph/flow/flow.hpp>
#include <callisto/graph/flow/residual.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace callisto::graph {
namespace {

/// Work of a relabelling beside the arcs that it looks at, and how much work, in arcs, waits for the next global
/// relabelling: the constants of Cherkassky and Goldberg.
constexpr std::uint64_t work_of_relabelling = 12;
constexpr std::uint64_t work_by_vertex = 6;
constexpr std::uint64_t work_by_global = 2;

template <class Vertex>
class push_relabel {
 public:
  push_relabel(residual_network<Vertex>& network, std::uint64_t source, std::uint64_t target,
               const run_control& control)
      : network_(network),
        control_(control),
        n_(network.vertices()),
        source_(source),
        target_(target),
        excess_(n_),
        label_(n_),
        current_(n_),
        next_active_(n_),
        next_still_(n_),
        before_still_(n_),
        active_(n_ + 1),
        still_(n_ + 1) {}

  /// Fills the arcs of the source, and brings to the target what gets there.
  void to_target() {
    for (std::uint64_t a = network_.offsets[source_]; a != network_.offsets[source_ + 1]; ++a) {
      residual_arc<Vertex>& arc = network_.arcs[a];
      if (arc.left == 0) continue;
      excess_[arc.target] += arc.left;
      network_.partner_of(arc).left += arc.left;
      arc.left = 0;
    }
    drain(target_, source_);
  }

  /// Brings back to the source what did not get to the target.
  void back_to_source() {
    const double value = excess_[target_];
    drain(source_, target_);
    excess_[target_] = value;
  }

  double value() const noexcept { return excess_[target_]; }

  /// Labels each vertex by its distance to `sink` along arcs that can carry more; n where there is no way.
  void label_by_distance(std::uint64_t sink, std::uint64_t closed) {
    fill_labels();
    level_queue<Vertex> queue(n_);
    label_[sink] = 0;
    queue.add_first(sink);
    std::uint64_t level = 1;
    const auto claim = [&](Vertex v, auto push) {
      for (std::uint64_t a = network_.offsets[v]; a != network_.offsets[v + std::uint64_t{1}]; ++a) {
        const residual_arc<Vertex>& arc = network_.arcs[a];
        // relaxed: all threads write the same level; the one that replaces n pushes the vertex, and the end of the
        // level orders what is written. Most vertices have a label, which is at hand sooner than the partner.
        const std::atomic_ref<Vertex> of(label_[arc.target]);
        Vertex unlabelled = none();
        if (of.load(std::memory_order_relaxed) != unlabelled || arc.target == closed) continue;
        if (network_.partner_of(arc).left != 0 &&
            of.compare_exchange_strong(unlabelled, static_cast<Vertex>(level), std::memory_order_relaxed)) {
          push(arc.target);
        }
      }
    };
    while (queue.next_level(control_, claim)) ++level;
  }

  /// True if v has no label: nothing can get from it to the sink of the last labelling.
  bool cut_off(std::uint64_t v) const noexcept { return label_[v] == none(); }

 private:
  Vertex none() const noexcept { return static_cast<Vertex>(n_); }

  void fill_labels() {
    if (!parallel_for(std::uint64_t{0}, n_, [&](std::uint64_t v) { label_[v] = none(); }, {.stop = control_.stop})) {
      throw cancelled();
    }
  }

  // Vertices with a label below n are in a list of their label: active ones, with an excess, linked forward, and still
  // ones, linked in both directions. Links are numbers plus 1; 0 ends a list.
  void add_active(std::uint64_t v) noexcept {
    next_active_[v] = active_[label_[v]];
    active_[label_[v]] = static_cast<Vertex>(v + 1);
    highest_active_ = std::max<std::uint64_t>(highest_active_, label_[v]);
    highest_ = std::max<std::uint64_t>(highest_, label_[v]);
  }
  void add_still(std::uint64_t v) noexcept {
    const Vertex first = still_[label_[v]];
    next_still_[v] = first;
    before_still_[v] = 0;
    if (first != 0) before_still_[first - 1] = static_cast<Vertex>(v + 1);
    still_[label_[v]] = static_cast<Vertex>(v + 1);
    highest_ = std::max<std::uint64_t>(highest_, label_[v]);
  }
  void remove_still(std::uint64_t v) noexcept {
    const Vertex before = before_still_[v];
    const Vertex next = next_still_[v];
    (before == 0 ? still_[label_[v]] : next_still_[before - 1]) = next;
    if (next != 0) before_still_[next - 1] = before;
  }

  /// Labels all vertices by their distances, and lists them anew.
  void relabel_all(std::uint64_t sink, std::uint64_t closed) {
    label_by_distance(sink, closed);
    std::fill(active_.begin(), active_.end(), Vertex{0});
    std::fill(still_.begin(), still_.end(), Vertex{0});
    highest_active_ = 0;
    highest_ = 0;
    for (std::uint64_t v = 0; v < n_; ++v) {
      if (label_[v] == none() || v == sink || v == closed) continue;
      current_[v] = network_.offsets[v];
      if (excess_[v] > 0) {
        add_active(v);
      } else {
        add_still(v);
      }
    }
    work_ = 0;
  }

  /// No vertex has the label `empty`: those with a higher one are cut off from the sink.
  void close_gap(std::uint64_t empty) noexcept {
    for (std::uint64_t l = empty + 1; l <= highest_; ++l) {
      for (Vertex v = still_[l]; v != 0; v = next_still_[v - 1]) label_[v - 1] = none();
      for (Vertex v = active_[l]; v != 0; v = next_active_[v - 1]) label_[v - 1] = none();
      still_[l] = 0;
      active_[l] = 0;
    }
    highest_ = empty == 0 ? 0 : empty - 1;
    highest_active_ = std::min(highest_active_, highest_);
  }

  /// Pushes all excess that can get there to `sink`, never over `closed`.
  void drain(std::uint64_t sink, std::uint64_t closed) {
    relabel_all(sink, closed);
    const std::uint64_t patience = (work_by_vertex * n_ + network_.arcs.size()) * work_by_global;
    std::uint64_t steps = 0;
    while (true) {
      while (highest_active_ != 0 && active_[highest_active_] == 0) --highest_active_;
      const Vertex first = active_[highest_active_];
      if (first == 0) break;  // label 0 is the sink's alone
      const std::uint64_t v = first - std::uint64_t{1};
      active_[highest_active_] = next_active_[v];
      discharge(v, sink, closed);
      if (++steps % 4096 == 0) control_.check();
      if (work_ > patience) relabel_all(sink, closed);
    }
  }

  void discharge(std::uint64_t v, std::uint64_t sink, std::uint64_t closed) {
    const std::uint64_t end = network_.offsets[v + 1];
    while (true) {
      const std::uint64_t label = label_[v];
      std::uint64_t a = current_[v];
      for (; a != end; ++a) {
        residual_arc<Vertex>& arc = network_.arcs[a];
        const std::uint64_t w = arc.target;
        if (arc.left == 0 || w == closed || label_[w] + std::uint64_t{1} != label) continue;
        const double pushed = std::min(excess_[v], arc.left);
        if (w != sink && excess_[w] == 0) {
          remove_still(w);
          add_active(w);
        }
        arc.left -= pushed;
        network_.partner_of(arc).left += pushed;
        excess_[v] -= pushed;
        excess_[w] += pushed;
        if (excess_[v] == 0) break;
      }
      current_[v] = a;
      if (a != end) {
        add_still(v);
        return;
      }
      // Relabelling: above the lowest neighbour that can take more.
      work_ += work_of_relabelling + (end - network_.offsets[v]);
      std::uint64_t lowest = n_;
      for (std::uint64_t b = network_.offsets[v]; b != end; ++b) {
        const residual_arc<Vertex>& arc = network_.arcs[b];
        if (arc.left == 0 || arc.target == closed || label_[arc.target] + std::uint64_t{1} >= lowest + 1) continue;
        lowest = label_[arc.target];
        current_[v] = b;
      }
      const bool alone = active_[label] == 0 && still_[label] == 0;
      if (alone) {
        // v was the only vertex of its label, so what is above it, v included, is cut off.
        label_[v] = none();
        close_gap(label);
        return;
      }
      if (lowest + 1 >= n_) {
        label_[v] = none();
        return;
      }
      label_[v] = static_cast<Vertex>(lowest + 1);
      highest_ = std::max(highest_, lowest + 1);
    }
  }

  residual_network<Vertex>& network_;
  const run_control& control_;
  std::uint64_t n_;
  std::uint64_t source_;
  std::uint64_t target_;
  machine::page_array<double> excess_;
  machine::page_array<Vertex> label_;
  machine::page_array<std::uint64_t> current_;  ///< by vertex: arcs before it cannot be pushed along
  machine::page_array<Vertex> next_active_;
  machine::page_array<Vertex> next_still_;
  machine::page_array<Vertex> before_still_;
  machine::page_array<Vertex> active_;  ///< by label: the first of a list
  machine::page_array<Vertex> still_;
  std::uint64_t highest_active_ = 0;
  std::uint64_t highest_ = 0;
  std::uint64_t work_ = 0;  ///< since the last global relabelling
};

}  // namespace

template <class Vertex>
flow_result maximum_flow(const csr_graph<Vertex>& graph, std::uint64_t source, std::uint64_t target,
                         const flow_options& options, const run_control& control) {
  const std::uint64_t n = graph.vertices();
  for (const auto& [what, v] : {std::pair("source", source), std::pair("target", target)}) {
    if (v >= n) throw usage_error(fmt::format("the {} is vertex {} of a graph that has {}", what, v, n));
  }
  if (source == target) throw usage_error("the source is the target: a flow leads from one vertex to another");
  if (!graph.has_in()) throw usage_error("the graph was built without in-edges, which flows need");
  const bool weighted = options.weighted && graph.arcs() != 0;
  if (weighted && !graph.weighted()) throw usage_error("the graph has no weights, which capacities need");
  if (weighted) survey_weights(graph, "capacities", control);
  residual_network<Vertex> network = residual_of(graph, weighted, control);
  push_relabel<Vertex> flow(network, source, target, control);
  flow.to_target();
  flow_result result;
  result.value = flow.value();
  flow.label_by_distance(target, n);
  result.on_source_side = machine::page_array<std::uint8_t>(n);
  for (std::uint64_t v = 0; v < n; ++v) {
    result.on_source_side[v] = flow.cut_off(v) ? 1 : 0;
    result.source_side += result.on_source_side[v];
  }
  for (std::uint64_t v = 0; v < n; ++v) {
    if (v % 65536 == 0) control.check();
    if (result.on_source_side[v] == 0) continue;
    each_capacity(graph, weighted, v, [&](Vertex w, double capacity) {
      if (capacity != 0 && result.on_source_side[w] == 0) result.cut.push_back({v, w, capacity, capacity});
    });
  }
  if (!options.edges) return result;
  flow.back_to_source();
  for (std::uint64_t v = 0; v < n; ++v) {
    if (v % 65536 == 0) control.check();
    std::uint64_t a = network.offsets[v];
    each_capacity(graph, weighted, v, [&](Vertex w, double capacity) {
      const double carried = capacity - network.arcs[a++].left;
      if (carried > 0) result.edges.push_back({v, w, carried, capacity});
    });
  }
  return result;
}

template CALLISTO_API flow_result maximum_flow(const csr_graph<std::uint32_t>&, std::uint64_t, std::uint64_t,
                                               const flow_options&, const run_control&);
template CALLISTO_API flow_result maximum_flow(const csr_graph<std::uint64_t>&, std::uint64_t, std::uint64_t,
                                               const flow_options&, const run_control&);

std::uint64_t needs::maximum_flow(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t arcs = s.directed ? 2 * s.m : s.m;
  // The network; excesses, current arcs, labels and lists; the queue of a labelling; edges with a flow, which double.
  return arcs * (8 + 2 * s.v) + s.m * 3 * 32 + s.n * (8 + 8 + 8 + 7 * s.v + 1);
}

}  // namespace callisto::graph
