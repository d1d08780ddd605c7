// Distances by vertex: an entry for every vertex, or only for the few that a search has reached.
#pragma once

#include <callisto/machine/system/page_array.hpp>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace callisto::graph {

/// The distances of the vertices 0 ... size() - 1; `unreached` for vertices without one. Distances of few vertices are
/// kept as a sparse set, which costs no time for the other vertices (Briggs and Torczon, "An efficient representation
/// for sparse sets", ACM Letters on Programming Languages and Systems 1993): if a vertex is not in `some`, its entry of
/// `places` may hold anything. Thread-safety: any number of threads may read.
class distance_map {
 public:
  static constexpr double unreached = std::numeric_limits<double>::infinity();

  struct entry {
    std::uint64_t vertex;
    double distance;
  };

  distance_map() noexcept = default;
  /// Takes a distance for each vertex.
  /// Takes a distance for each vertex.
  explicit distance_map(machine::page_array<double> all) noexcept : real_(std::move(all)) {}
  /// Takes whole distances; the largest std::uint32_t means unreached.
  explicit distance_map(machine::page_array<std::uint32_t> all) noexcept : whole_(std::move(all)) {}
  /// Takes the distances of some vertices; the entry of such a vertex v is some[places[v]].
  distance_map(machine::page_array<std::uint32_t> places, std::vector<entry> some) noexcept
      : places_(std::move(places)), some_(std::move(some)) {}

  std::uint64_t size() const noexcept { return real_.size() + whole_.size() + places_.size(); }

  double operator[](std::uint64_t v) const noexcept {
    if (!whole_.empty()) {
      constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
      return whole_[v] == none ? unreached : static_cast<double>(whole_[v]);
    }
    if (!real_.empty()) return real_[v];
    const std::uint32_t place = places_[v];
    return place < some_.size() && some_[place].vertex == v ? some_[place].distance : unreached;
  }

 private:
  machine::page_array<double> real_;
  machine::page_array<std::uint32_t> whole_;
  machine::page_array<std::uint32_t> places_;
  std::vector<entry> some_;
};

}  // namespace callisto::graph
