// The graph in memory: compressed sparse rows (CSR) of out- and in-edges.
#pragma once

#include <callisto/graph/csr/weight_array.hpp>
#include <callisto/graph/csr/weight_survey.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

namespace callisto::graph {

/// Rows of neighbours: row v is targets[offsets[v]] .. targets[offsets[v + 1]], ascending.
template <class Vertex>
struct adjacency {
  machine::page_array<std::uint64_t> offsets;  ///< vertices + 1 entries
  machine::page_array<Vertex> targets;
  weight_array weights;  ///< empty, or one for each target

  std::uint64_t degree(std::uint64_t v) const noexcept { return offsets[v + 1] - offsets[v]; }
  std::span<const Vertex> row(std::uint64_t v) const noexcept {
    return {targets.data() + offsets[v], static_cast<std::size_t>(degree(v))};
  }
};

/// An immutable graph. `Vertex` is std::uint32_t where vertex numbers fit, std::uint64_t otherwise. Reading is safe
/// from any number of threads. An undirected graph stores each edge in both rows and its in-edges are its out-edges.
template <class Vertex>
class csr_graph {
 public:
  using vertex_type = Vertex;

  csr_graph() = default;

  std::uint64_t vertices() const noexcept { return out_.offsets.empty() ? 0 : out_.offsets.size() - 1; }
  /// Stored out-edges: arcs of a directed graph, twice the edges (loops once) of an undirected one.
  std::uint64_t arcs() const noexcept { return out_.targets.size(); }
  bool directed() const noexcept { return directed_; }
  bool weighted() const noexcept { return !out_.weights.empty(); }
  /// Whether the weights, if it has any, are short ones; those of out- and in-edges have the same form.
  bool has_short_weights() const noexcept { return out_.weights.is_short(); }
  /// What whoever made the graph found when looking at all weights of its out-edges, if they did.
  const std::optional<weight_survey>& known_weights() const noexcept { return known_weights_; }

  const adjacency<Vertex>& out() const noexcept { return out_; }
  const adjacency<Vertex>& in() const noexcept { return directed_ ? in_ : out_; }
  /// False for a directed graph that was built without the rows of its in-edges.
  bool has_in() const noexcept { return !directed_ || in_.offsets.size() == out_.offsets.size(); }

  /// The user's name of vertex v.
  std::uint64_t label(std::uint64_t v) const noexcept { return labels_.empty() ? first_label_ + v : labels_[v]; }
  const machine::page_array<std::uint64_t>& labels() const noexcept { return labels_; }
  std::uint64_t first_label() const noexcept { return first_label_; }

  /// The vertices as their labels ascend: number i of them, and the list, empty where it is 0, 1, 2 ...
  std::uint64_t by_label(std::uint64_t i) const noexcept { return by_label_.empty() ? i : by_label_[i]; }
  const machine::page_array<Vertex>& by_label() const noexcept { return by_label_; }

  /// Takes ready rows; `in` is ignored for undirected graphs. Without `by_label` labels ascend with the vertices. The
  /// caller answers for their consistency, but for the form of weights: where only some rows' are short, all are made
  /// wide, which takes a while and may throw std::bad_alloc.
  csr_graph(bool directed, adjacency<Vertex> out, adjacency<Vertex> in, machine::page_array<std::uint64_t> labels,
            std::uint64_t first_label, machine::page_array<Vertex> by_label = {})
      : directed_(directed),
        out_(std::move(out)),
        in_(std::move(in)),
        labels_(std::move(labels)),
        first_label_(first_label),
        by_label_(std::move(by_label)) {
    give_weights_one_form();
  }

  /// The same directed graph with these rows of in-edges. The caller answers for their consistency as above.
  csr_graph with_in(adjacency<Vertex> in) && {
    in_ = std::move(in);
    give_weights_one_form();
    return std::move(*this);
  }

  /// The same graph with these weights, of which nothing is known: one for each target of the rows of out-edges and, if
  /// it is directed and has them, of in-edges. The caller answers for their consistency as above.
  csr_graph with_weights(weight_array out, weight_array in) && {
    out_.weights = std::move(out);
    in_.weights = std::move(in);
    give_weights_one_form();
    return std::move(*this).knowing_weights({});
  }

  /// The same graph, whose weights are known. The caller answers for the truth of it.
  csr_graph knowing_weights(std::optional<weight_survey> known) && {
    known_weights_ = known;
    return std::move(*this);
  }

 private:
  void give_weights_one_form() {
    if (in_.weights.empty() || out_.weights.is_short() == in_.weights.is_short()) return;
    out_.weights.widen();
    in_.weights.widen();
  }

  bool directed_ = false;
  adjacency<Vertex> out_;
  adjacency<Vertex> in_;
  machine::page_array<std::uint64_t> labels_;
  std::uint64_t first_label_ = 0;
  machine::page_array<Vertex> by_label_;
  std::optional<weight_survey> known_weights_;
};

using any_graph = std::variant<csr_graph<std::uint32_t>, csr_graph<std::uint64_t>>;

}  // namespace callisto::graph
