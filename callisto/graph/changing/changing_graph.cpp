#include <callisto/graph/changing/changing_graph.hpp>

#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace callisto::graph {

namespace {

constexpr std::uint64_t most_vertices = std::numeric_limits<std::uint32_t>::max() - 1;

void require_weight(double weight) {
  if (!(weight >= 0) || !std::isfinite(weight))
    throw usage_error(fmt::format("an edge with the weight {}; expected a finite number of at least 0", weight));
}

auto place_of(auto& row, std::uint32_t to) {
  return std::lower_bound(row.begin(), row.end(), to,
                          [](const changing_graph::arc& a, std::uint32_t v) { return a.to < v; });
}

}  // namespace

changing_graph::changing_graph(const any_graph& from) {
  std::visit(
      [this](const auto& graph) {
        directed_ = graph.directed();
        const std::uint64_t n = graph.vertices();
        if (n > most_vertices)
          throw usage_error(
              fmt::format("a graph that changes has at most {} vertices; this one has {}", most_vertices, n));
        labels_.reserve(n);
        for (std::uint64_t v = 0; v < n; ++v) vertex(graph.label(v));
        for (std::uint64_t v = 0; v < n; ++v) {
          row& mine = out_[v];
          mine.reserve(graph.out().degree(v));
          for (std::uint64_t i = graph.out().offsets[v]; i < graph.out().offsets[v + 1]; ++i) {
            const auto to = static_cast<std::uint32_t>(graph.out().targets[i]);
            const double weight = graph.weighted() ? graph.out().weights[i] : 1;
            require_weight(weight);
            if (!mine.empty() && mine.back().to == to) {
              mine.back().weight = std::min(mine.back().weight, weight);
            } else {
              mine.push_back({to, weight});
            }
          }
          for (const arc& a : mine) {
            if (directed_) in_[a.to].push_back({static_cast<std::uint32_t>(v), a.weight});
            if (directed_ || a.to >= v) ++edges_;
          }
        }
      },
      from);
}

std::optional<std::uint32_t> changing_graph::find(std::uint64_t label) const {
  const auto known = by_label_.find(label);
  if (known == by_label_.end()) return std::nullopt;
  return known->second;
}

std::uint32_t changing_graph::vertex(std::uint64_t label) {
  if (const auto known = find(label)) return *known;
  if (out_.size() >= most_vertices)
    throw usage_error(fmt::format("a graph that changes has at most {} vertices", most_vertices));
  const auto made = static_cast<std::uint32_t>(out_.size());
  out_.emplace_back();
  if (directed_) in_.emplace_back();
  labels_.push_back(label);
  by_label_.emplace(label, made);
  return made;
}

std::optional<double> changing_graph::weight(std::uint32_t u, std::uint32_t v) const noexcept {
  const auto at = place_of(out_[u], v);
  if (at == out_[u].end() || at->to != v) return std::nullopt;
  return at->weight;
}

void changing_graph::set_arc(row& of, std::uint32_t to, std::optional<double> weight) {
  const auto at = place_of(of, to);
  if (at == of.end() || at->to != to) {
    if (weight) of.insert(at, {to, *weight});
  } else if (weight) {
    at->weight = *weight;
  } else {
    of.erase(at);
  }
}

changing_graph::change changing_graph::set(std::uint32_t u, std::uint32_t v, std::optional<double> weight) {
  if (weight) require_weight(*weight);
  const change made{u, v, this->weight(u, v), weight};
  set_arc(out_[u], v, weight);
  if (directed_) {
    set_arc(in_[v], u, weight);
  } else if (u != v) {
    set_arc(out_[v], u, weight);
  }
  if (weight && !made.before) ++edges_;
  if (!weight && made.before) --edges_;
  return made;
}

}  // namespace callisto::graph
