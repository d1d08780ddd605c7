// Breadth-first searches from up to 512 sources at once, a bit for each source.
//
// MS-BFS (Then et al., "The more the merrier: efficient multi-source graph traversal", VLDB 2014): an arc is read once
// for all sources that stand at its vertex. A level is pushed along the arcs of its vertices, or pulled by the vertices
// that some source has not reached, whichever reads fewer arcs (Beamer et al., SC'12).
#pragma once

#include <callisto/graph/csr/graph.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace callisto::graph {

/// A set of sources of one search.
template <unsigned Words>
struct source_set {
  std::array<std::uint64_t, Words> word{};

  bool empty() const noexcept {
    std::uint64_t any = 0;
    for (const std::uint64_t w : word) any |= w;
    return any == 0;
  }
  std::uint64_t size() const noexcept {
    std::uint64_t count = 0;
    for (const std::uint64_t w : word) count += static_cast<std::uint64_t>(std::popcount(w));
    return count;
  }
  source_set without(const source_set& other) const noexcept {
    source_set made;
    for (unsigned i = 0; i < Words; ++i) made.word[i] = word[i] & ~other.word[i];
    return made;
  }
  void operator|=(const source_set& other) noexcept {
    for (unsigned i = 0; i < Words; ++i) word[i] |= other.word[i];
  }
  void insert(unsigned source) noexcept { word[source / 64] |= std::uint64_t{1} << source % 64; }
};

/// The memory of such searches; one thread uses it. `out` and `in` are the rows along which it pushes and pulls; they
/// must outlive it.
template <class Vertex, unsigned Words>
class bit_search {
 public:
  using set = source_set<Words>;
  static constexpr unsigned most_sources = 64 * Words;
  /// Bytes a vertex that it takes.
  static constexpr std::uint64_t bytes = 3 * sizeof(set) + 2 * sizeof(Vertex);

  bit_search(const adjacency<Vertex>& out, const adjacency<Vertex>& in)
      : out_(out),
        in_(in),
        vertices_(out.offsets.size() - 1),
        seen_(vertices_, machine::page_kind::used),
        now_(vertices_, machine::page_kind::used),
        next_(vertices_, machine::page_kind::used) {}

  /// Searches from different sources, 1 to most_sources. Calls found(v, level, count) where `count` sources reach v in
  /// `level` steps, once for each v and level; level 0 is left out. Returns false if a stop was requested.
  template <class Found>
  bool run(std::span<const Vertex> sources, const Found& found, const std::stop_token& stop) {
    set all;
    for (unsigned i = 0; i < sources.size(); ++i) all.insert(i);
    // Sources that a search lacks have reached everything.
    if (!fill(seen_, full().without(all), stop)) return false;
    clear_ = clear_ || (fill(now_, {}, stop) && fill(next_, {}, stop));
    if (!clear_) return false;
    for (unsigned i = 0; i < sources.size(); ++i) {
      set& at = now_[sources[i]];
      if (at.empty()) level_.push_back(sources[i]);
      at.insert(i);
      seen_[sources[i]].insert(i);
    }
    std::uint64_t open = in_.targets.size();  // arcs into vertices that not all sources have reached
    bool complete = true;
    for (std::uint64_t steps = 1; !level_.empty(); ++steps) {
      std::uint64_t arcs = 0;
      for (const Vertex v : level_) arcs += out_.degree(v);
      const auto reach = [&](Vertex v, const set& by) {
        seen_[v] |= by;
        if (full().without(seen_[v]).empty()) open -= in_.degree(v);
        found(v, steps, by.size());
      };
      if (arcs * push_cost > open + vertices_ / 4) {
        complete = pull(reach, stop);
      } else {
        complete = push(reach, stop);
      }
      for (const Vertex v : level_) now_[v] = set{};
      level_.swap(behind_);
      behind_.clear();
      now_.swap(next_);
      if (!complete) break;
    }
    for (const Vertex v : level_) now_[v] = set{};
    level_.clear();
    return complete;
  }

 private:
  /// Cost of an out-arc of a level, in in-arcs that a pull reads in order.
  static constexpr std::uint64_t push_cost = 2;

  static constexpr set full() noexcept {
    set made;
    made.word.fill(~std::uint64_t{0});
    return made;
  }

  /// Fills an array, for the first time with pages that the system makes then. Returns false if a stop was requested.
  static bool fill(machine::page_array<set>& array, const set& with, const std::stop_token& stop) {
    constexpr std::size_t piece = std::size_t{1} << 16;
    for (std::size_t first = 0; first < array.size(); first += piece) {
      if (stop.stop_requested()) return false;
      std::fill(array.begin() + first, array.begin() + std::min(first + piece, array.size()), with);
    }
    return true;
  }

  /// Vertices between two looks at the stop token: on a large graph a level takes seconds.
  static constexpr std::uint64_t looks_after = 4096;

  /// Makes the next level in behind_ and next_. Returns false if a stop was requested; the level is then incomplete.
  template <class Reach>
  bool push(const Reach& reach, const std::stop_token& stop) {
    bool complete = true;
    for (std::size_t i = 0; i < level_.size(); ++i) {
      if (i % looks_after == looks_after - 1 && stop.stop_requested()) {
        complete = false;
        break;
      }
      const Vertex v = level_[i];
      const set here = now_[v];
      for (const Vertex w : out_.row(v)) {
        set& there = next_[w];
        if (there.empty()) behind_.push_back(w);
        there |= here;
      }
    }
    std::size_t kept = 0;
    for (const Vertex w : behind_) {
      next_[w] = next_[w].without(seen_[w]);
      if (next_[w].empty()) continue;
      reach(w, next_[w]);
      behind_[kept++] = w;
    }
    behind_.resize(kept);
    return complete && !stop.stop_requested();
  }

  /// Makes the next level as push() does.
  template <class Reach>
  bool pull(const Reach& reach, const std::stop_token& stop) {
    for (std::uint64_t v = 0; v < vertices_; ++v) {
      if (v % looks_after == looks_after - 1 && stop.stop_requested()) return false;
      const set missing = full().without(seen_[v]);
      if (missing.empty()) continue;
      set found;
      for (const Vertex u : in_.row(v)) {
        found |= now_[u];
        if (missing.without(found).empty()) break;
      }
      found = found.without(seen_[v]);
      if (found.empty()) continue;
      next_[v] = found;
      behind_.push_back(static_cast<Vertex>(v));
      reach(static_cast<Vertex>(v), found);
    }
    return !stop.stop_requested();
  }

  const adjacency<Vertex>& out_;
  const adjacency<Vertex>& in_;
  const std::uint64_t vertices_;
  machine::page_array<set> seen_;  ///< by vertex: the sources that have reached it
  machine::page_array<set> now_;   ///< by vertex: the sources that reached it in the level's step
  machine::page_array<set> next_;  ///< the same for the next level
  bool clear_ = false;             ///< now_ and next_ are empty between searches
  std::vector<Vertex> level_;
  std::vector<Vertex> behind_;
};

}  // namespace callisto::graph
