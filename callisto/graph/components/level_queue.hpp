// The queue of a search by levels: each level's vertices are found together from those of the level before.
#pragma once

#include <callisto/graph/csr/progress.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace callisto::graph {

/// Vertices in the order of their levels. Small levels are the work of one thread, so that a long path costs no loops.
template <class Vertex>
class level_queue {
 public:
  /// Room for `vertices` in all.
  explicit level_queue(std::uint64_t vertices) : order_(vertices), begins_{0} {}

  /// Adds a vertex to the first level. Called before next_level().
  void add_first(std::uint64_t v) noexcept { order_[size_++] = static_cast<Vertex>(v); }

  /// Ends the last level and finds the next: calls f(v, push) for each vertex of the last, which calls push(w) for each
  /// vertex that it claims; no vertex may be pushed twice. Many threads call f at once. Returns whether the last level
  /// had any vertex.
  template <class Function>
  bool next_level(const run_control& control, Function f) {
    const std::uint64_t first = begins_.back();
    const std::uint64_t last = size_;
    if (first == last) return false;
    begins_.push_back(last);
    if (last - first < few) {
      for (std::uint64_t i = first; i != last; ++i) f(order_[i], [&](Vertex w) { order_[size_++] = w; });
      if (control.stop.stop_requested()) throw cancelled();
      return true;
    }
    std::atomic<std::uint64_t> end = last;
    const auto batch = [&](std::uint64_t from, std::uint64_t to) {
      std::array<Vertex, 256> found;
      std::size_t count = 0;
      const auto flush = [&] {
        // relaxed: hands out places; the end of the loop orders what is written there.
        std::uint64_t at = end.fetch_add(count, std::memory_order_relaxed);
        for (std::size_t i = 0; i < count; ++i) order_[at++] = found[i];
        count = 0;
      };
      for (std::uint64_t i = from; i != to; ++i) {
        f(order_[i], [&](Vertex w) {
          if (count == found.size()) flush();
          found[count++] = w;
        });
      }
      flush();
    };
    if (!parallel_for(first, last, batch, {.stop = control.stop})) throw cancelled();
    size_ = end.load(std::memory_order_relaxed);
    return true;
  }

  std::uint64_t size() const noexcept { return size_; }
  /// Returns how many levels have vertices. Called after next_level() returned false, as are the functions below.
  std::uint64_t levels() const noexcept { return begins_.size() - 1; }
  std::uint64_t begin_of(std::uint64_t level) const noexcept { return begins_[level]; }
  std::uint64_t end_of(std::uint64_t level) const noexcept { return begins_[level + 1]; }
  Vertex operator[](std::uint64_t i) const noexcept { return order_[i]; }

  /// Calls f(v) for the vertices of one level; many threads at once.
  template <class Function>
  void over_level(std::uint64_t level, const run_control& control, Function f) const {
    const std::uint64_t first = begin_of(level);
    const std::uint64_t last = end_of(level);
    if (last - first < few) {
      for (std::uint64_t i = first; i != last; ++i) f(order_[i]);
      if (control.stop.stop_requested()) throw cancelled();
    } else if (!parallel_for(first, last, [&](std::uint64_t i) { f(order_[i]); }, {.stop = control.stop})) {
      throw cancelled();
    }
  }

 private:
  static constexpr std::uint64_t few = 1024;

  machine::page_array<Vertex> order_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> begins_;  ///< by level; the last: the first vertex that is not yet in a level
};

}  // namespace callisto::graph
