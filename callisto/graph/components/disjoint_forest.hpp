// A disjoint-set forest over the vertices, shared by many threads without locks.
//
// The structure is that of Shiloach and Vishkin ("An O(log n) parallel connectivity algorithm", 1982), as Afforest uses
// it (Sutton, Ben-Nun and Barak, IPDPS'18):
// - A vertex hangs from a smaller one, or is a root; so a tree's root is the smallest vertex of its set.
// - Only roots are hung, by compare-and-swap; so no tree is ever torn apart.
#pragma once

#include <atomic>
#include <cstdint>

namespace callisto::graph {

/// The words of a forest, stored as an array of vertices.
template <class Vertex>
struct forest_words {
  Vertex* parents;

  // relaxed: a word names a vertex and publishes nothing else. That a vertex only ever gets a smaller parent, and a
  // root is hung once, follows from the order of changes of that one word.
  std::uint64_t load(std::uint64_t v) const noexcept {
    return std::atomic_ref(parents[v]).load(std::memory_order_relaxed);
  }
  void store(std::uint64_t v, std::uint64_t parent) const noexcept {
    std::atomic_ref(parents[v]).store(static_cast<Vertex>(parent), std::memory_order_relaxed);
  }
  bool hang(std::uint64_t root, std::uint64_t parent) const noexcept {
    auto expected = static_cast<Vertex>(root);
    return std::atomic_ref(parents[root])
        .compare_exchange_strong(expected, static_cast<Vertex>(parent), std::memory_order_relaxed);
  }
};

/// Unites the sets of u and v. Thread-safe beside other calls of join() and compress().
template <class Words>
void join(const Words& words, std::uint64_t u, std::uint64_t v) noexcept {
  std::uint64_t a = words.load(u);
  std::uint64_t b = words.load(v);
  while (a != b) {
    const std::uint64_t high = a > b ? a : b;
    const std::uint64_t low = a > b ? b : a;
    const std::uint64_t above = words.load(high);
    if (above == low || (above == high && words.hang(high, low))) return;
    // `high` is not a root, or was hung by another thread: go on with its parent.
    a = words.load(words.load(high));
    b = words.load(low);
  }
}

/// Hangs v from its root. Thread-safe beside calls for other vertices.
template <class Words>
void compress(const Words& words, std::uint64_t v) noexcept {
  std::uint64_t parent = words.load(v);
  if (parent == words.load(parent)) return;
  do parent = words.load(parent);
  while (parent != words.load(parent));
  words.store(v, parent);
}

}  // namespace callisto::graph
