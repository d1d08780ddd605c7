// The graph in memory: compressed sparse rows (CSR) of out- and in-edges.
#pragma once

#include <callisto/graph/csr/vertex_names.hpp>
#include <callisto/graph/csr/weight_array.hpp>
#include <callisto/graph/csr/weight_survey.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace callisto::graph {

struct graph_attributes;  // attributes/attributes.hpp

/// Rows of neighbours: row v holds the targets with indices [offsets[v], offsets[v + 1]), ascending.
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

/// An immutable graph. `Vertex` is std::uint32_t if vertex numbers fit, else std::uint64_t. Any number of threads may
/// read. An undirected graph stores each edge in the rows of both ends; its in-edges are its out-edges.
template <class Vertex>
class csr_graph {
 public:
  using vertex_type = Vertex;

  csr_graph() = default;

  std::uint64_t vertices() const noexcept { return out_.offsets.empty() ? 0 : out_.offsets.size() - 1; }
  /// Returns the number of stored out-edges: the arcs of a directed graph; for an undirected one twice the edges, with
  /// loops counted once.
  std::uint64_t arcs() const noexcept { return out_.targets.size(); }
  bool directed() const noexcept { return directed_; }
  bool weighted() const noexcept { return !out_.weights.empty(); }
  /// True if the weights are short ones; weights of out- and in-edges have the same form.
  bool has_short_weights() const noexcept { return out_.weights.is_short(); }
  /// Returns the survey of all weights of the out-edges, if the code that made the graph surveyed them.
  const std::optional<weight_survey>& known_weights() const noexcept { return known_weights_; }

  const adjacency<Vertex>& out() const noexcept { return out_; }
  const adjacency<Vertex>& in() const noexcept { return directed_ ? in_ : out_; }
  /// True unless a directed graph was built without the rows of its in-edges.
  bool has_in() const noexcept { return !directed_ || in_.offsets.size() == out_.offsets.size(); }

  /// Returns the user's number of vertex v; if vertices have names, the number of its name.
  std::uint64_t label(std::uint64_t v) const noexcept { return labels_.empty() ? first_label_ + v : labels_[v]; }
  const machine::page_array<std::uint64_t>& labels() const noexcept { return labels_; }
  std::uint64_t first_label() const noexcept { return first_label_; }

  /// Returns the names of the vertices by label, or null if users know vertices by their labels.
  const std::shared_ptr<const vertex_names>& names() const noexcept { return names_; }
  /// Appends what users call vertex v: its name or, if vertices have none, the digits of its label.
  void append_name(std::string& to, std::uint64_t v) const {
    if (names_ != nullptr) {
      to += (*names_)[label(v)];
      return;
    }
    char digits[20];
    to.append(digits, std::to_chars(digits, digits + sizeof digits, label(v)).ptr);
  }

  /// Returns the columns of vertices and of edges, or null if there are none.
  const std::shared_ptr<const graph_attributes>& attributes() const noexcept { return attributes_; }

  /// Returns the vertex with the i-th label in ascending order.
  std::uint64_t by_label(std::uint64_t i) const noexcept { return by_label_.empty() ? i : by_label_[i]; }
  /// Returns the vertices by ascending label; empty if they are 0, 1, 2 ...
  const machine::page_array<Vertex>& by_label() const noexcept { return by_label_; }

  /// Takes ready rows; `in` is ignored if the graph is undirected. Without `by_label` labels ascend with the vertices.
  /// The caller guarantees that rows are consistent; nothing is checked. If only `out` or only `in` has short weights,
  /// all are made wide, which may throw std::bad_alloc.
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

  /// Returns the same directed graph with these rows of in-edges, which the caller guarantees to be consistent.
  csr_graph with_in(adjacency<Vertex> in) && {
    in_ = std::move(in);
    give_weights_one_form();
    return std::move(*this);
  }

  /// Returns the same graph with these weights and without a survey: one weight for each target of the rows of
  /// out-edges and, if the graph is directed and has them, of in-edges. The caller guarantees that both are consistent.
  csr_graph with_weights(weight_array out, weight_array in) && {
    out_.weights = std::move(out);
    in_.weights = std::move(in);
    give_weights_one_form();
    return std::move(*this).knowing_weights({});
  }

  /// Returns the same graph with these labels, and its vertices by ascending label.
  csr_graph with_labels(machine::page_array<std::uint64_t> labels, machine::page_array<Vertex> by_label) && {
    labels_ = std::move(labels);
    by_label_ = std::move(by_label);
    return std::move(*this);
  }

  /// Returns the same graph with these names, of which there is one for each vertex, or none (null). The labels of a
  /// named graph are 0, 1, 2 ... in some order; the caller guarantees it.
  csr_graph with_names(std::shared_ptr<const vertex_names> names) && {
    names_ = std::move(names);
    return std::move(*this);
  }

  /// Returns the same graph with these columns (null: none). The caller guarantees that their rows fit.
  csr_graph with_attributes(std::shared_ptr<const graph_attributes> attributes) && {
    attributes_ = std::move(attributes);
    return std::move(*this);
  }

  /// Returns the same graph with this survey of its weights, which the caller guarantees to be true.
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
  std::shared_ptr<const vertex_names> names_;
  std::shared_ptr<const graph_attributes> attributes_;
  std::optional<weight_survey> known_weights_;
};

using any_graph = std::variant<csr_graph<std::uint32_t>, csr_graph<std::uint64_t>>;

}  // namespace callisto::graph
