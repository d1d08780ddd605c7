// The bodies of the loops of direction-optimizing breadth-first search (Beamer, Asanovic, Patterson: SC'12). search.hpp
// distributes them and chooses between them.
#pragma once

#include <callisto/graph/csr/graph.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace callisto::graph {

/// The size of a level: its vertices, and the arcs that leave them.
struct bfs_frontier {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;

  friend bfs_frontier operator+(bfs_frontier a, bfs_frontier b) { return {a.vertices + b.vertices, a.arcs + b.arcs}; }
};

/// The arcs that a search follows: one row of each vertex, or two.
template <class Vertex>
struct bfs_rows {
  const adjacency<Vertex>* first;
  const adjacency<Vertex>* second = nullptr;  ///< null: there is one row

  std::uint64_t degree(std::uint64_t v) const noexcept {
    return first->degree(v) + (second != nullptr ? second->degree(v) : 0);
  }

  /// Calls f(w) for the neighbours w of v until it returns true.
  template <class Function>
  void find(std::uint64_t v, const Function& f) const {
    for (const adjacency<Vertex>* rows : {first, second}) {
      if (rows == nullptr) continue;
      for (const Vertex w : rows->row(v)) {
        if (f(w)) return;
      }
    }
  }
};

/// State that all levels of a search use.
template <class Vertex>
struct bfs_tree {
  static constexpr Vertex no_parent = std::numeric_limits<Vertex>::max();

  bfs_rows<Vertex> forward;
  bfs_rows<Vertex> backward;
  Vertex* parents;           ///< no_parent: not reached
  std::uint32_t* distances;  ///< null: not wanted

  void reach(std::uint64_t v, std::uint64_t parent, std::uint32_t level) const noexcept {
    parents[v] = static_cast<Vertex>(parent);
    if (distances != nullptr) distances[v] = level;
  }
};

/// Prefetches a cache line for writing. A prefetch for reading gets a shared copy, and the write then asks the line's
/// owner a second time. GCC emits the instruction only for processors that surely have it; processors without it skip
/// it.
inline void prefetch_to_write(const void* address) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// Prefetches what the list's vertices behind entry i need: the bounds of a row 12 entries ahead, its targets 8 ahead,
/// and, by ask(), the parents of the targets 4 ahead.
template <class Vertex, class Ask>
void ask_ahead(const bfs_tree<Vertex>& tree, const Vertex* list, std::uint64_t size, std::uint64_t i,
               const Ask& ask) noexcept {
  const adjacency<Vertex>& rows = *tree.forward.first;
  if (i + 12 >= size) return;
  __builtin_prefetch(rows.offsets.data() + list[i + 12]);
  __builtin_prefetch(rows.targets.data() + rows.offsets[list[i + 8]]);
  const auto row = rows.row(list[i + 4]);
  for (const Vertex v : row.first(std::min<std::size_t>(row.size(), 32))) ask(tree.parents + v);
}

/// Vertices that a thread has found and has not yet appended to the common list.
template <class Vertex>
struct bfs_finds {
  std::array<Vertex, 1024> vertices;
  std::size_t count = 0;
  bfs_frontier total;
};

/// The loop of a top-down level: iteration i follows the arcs of frontier[i] and appends the vertices found to `next`.
template <class Vertex>
struct bfs_top_down {
  const bfs_tree<Vertex>& tree;
  const Vertex* frontier;
  std::uint64_t frontier_size;
  Vertex* next;
  std::uint32_t level;
  std::atomic<std::uint64_t> size{0};
  std::atomic<std::uint64_t> arcs{0};

  void fork(bfs_finds<Vertex>&) noexcept {}

  void work(bfs_finds<Vertex>& mine, std::uint64_t first, std::uint64_t last) noexcept {
    for (std::uint64_t i = first; i < last; ++i) {
      ask_ahead(tree, frontier, frontier_size, i, [](const void* parent) { __builtin_prefetch(parent); });
      const Vertex u = frontier[i];
      tree.forward.find(u, [&](Vertex v) {
        // relaxed, here and below: any parent is of the level before; the loop's end orders the rest.
        const std::atomic_ref<Vertex> parent(tree.parents[v]);
        Vertex none = bfs_tree<Vertex>::no_parent;
        if (parent.load(std::memory_order_relaxed) == none &&
            parent.compare_exchange_strong(none, u, std::memory_order_relaxed)) {
          if (tree.distances != nullptr) tree.distances[v] = level;
          if (mine.count == mine.vertices.size()) publish(mine);
          mine.vertices[mine.count++] = v;
          __builtin_prefetch(tree.forward.first->offsets.data() + v);  // for publish(), which adds its degree
        }
        return false;
      });
    }
  }

  void join(bfs_finds<Vertex>& mine) noexcept {
    publish(mine);
    arcs.fetch_add(mine.total.arcs, std::memory_order_relaxed);
  }

  /// Does the whole level on the calling thread, without atomic claims.
  bfs_frontier alone() const noexcept {
    Vertex* end = next;
    for (std::uint64_t i = 0; i < frontier_size; ++i) {
      ask_ahead(tree, frontier, frontier_size, i, [](const void* parent) { __builtin_prefetch(parent); });
      const Vertex u = frontier[i];
      tree.forward.find(u, [&](Vertex v) {
        if (tree.parents[v] == bfs_tree<Vertex>::no_parent) {
          tree.reach(v, u, level);
          *end++ = v;
        }
        return false;
      });
    }
    bfs_frontier found{static_cast<std::uint64_t>(end - next), 0};
    for (const Vertex* v = next; v != end; ++v) found.arcs += tree.forward.degree(*v);
    return found;
  }

 private:
  void publish(bfs_finds<Vertex>& mine) noexcept {
    const std::uint64_t at = size.fetch_add(mine.count, std::memory_order_relaxed);
    for (std::size_t i = 0; i < mine.count; ++i) {
      next[at + i] = mine.vertices[i];
      mine.total.arcs += tree.forward.degree(mine.vertices[i]);
    }
    mine.count = 0;
  }
};

/// The loop of a top-down level before a bottom-up one, which needs no list: the new vertices are the vertices with a
/// parent. So no thread has to claim a vertex. That saves an atomic instruction and a look at the degree for each
/// vertex.
template <class Vertex>
struct bfs_flood {
  const bfs_tree<Vertex>& tree;
  const Vertex* frontier;
  std::uint64_t frontier_size;
  std::uint32_t level;

  void work(std::uint64_t first, std::uint64_t last) noexcept {
    for (std::uint64_t i = first; i < last; ++i) {
      ask_ahead(tree, frontier, frontier_size, i, prefetch_to_write);
      const Vertex u = frontier[i];
      tree.forward.find(u, [&](Vertex v) {
        // relaxed, all of them: any parent of the level before is right, and the last one written stays; the loop's end
        // orders the rest.
        const std::atomic_ref<Vertex> parent(tree.parents[v]);
        if (parent.load(std::memory_order_relaxed) != bfs_tree<Vertex>::no_parent) return false;
        parent.store(u, std::memory_order_relaxed);
        if (tree.distances != nullptr) std::atomic_ref(tree.distances[v]).store(level, std::memory_order_relaxed);
        return false;
      });
    }
  }
};

/// Returns the words of a bitmap, which has 64 vertices a word. Threads write disjoint words.
inline std::uint64_t bitmap_words(std::uint64_t vertices) noexcept { return vertices / 64 + (vertices % 64 != 0); }

/// Returns word w of a bitmap, in which bit v is set if is(v). Written without a branch per vertex, which nothing could
/// predict, and so that the compiler makes vector instructions of it.
template <class Predicate>
std::uint64_t word_of(std::uint64_t vertices, std::uint64_t w, const Predicate& is) noexcept {
  const std::uint64_t first = w * 64;
  std::array<std::uint8_t, 64> flags{};
  if (first + 64 <= vertices) {
    for (unsigned i = 0; i < 64; ++i) flags[i] = is(first + i);
  } else {
    for (unsigned i = 0; i < vertices - first; ++i) flags[i] = is(first + i);
  }
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) {
    std::uint64_t eight = 0;
    for (unsigned j = 0; j < 8; ++j) eight |= std::uint64_t{flags[8 * i + j]} << (8 * j);
    // The product moves bit 0 of byte j to bit 56 + j; no two bits collide on the way.
    word |= (eight * 0x0102040810204080U >> 56) << (8 * i);
  }
  return word;
}

/// The loop of a bottom-up level, over words of the bitmaps: each vertex of `unreached` looks for a parent in
/// `frontier` and moves to `next` if it finds one.
template <class Vertex>
struct bfs_bottom_up {
  const bfs_tree<Vertex>& tree;
  std::uint64_t vertices;
  const std::uint64_t* frontier;
  std::uint64_t* unreached;
  std::uint64_t* next;
  std::uint32_t level;
  bool first_upward;  ///< `unreached` may still have vertices without in-arcs

  /// Findings of a thread so far. The thread looks one word ahead, also beyond its batch: batches are short, and the
  /// next one is most often the same thread's. Waiting for rows at the beginning of each took a ninth of a level's
  /// time.
  struct share {
    bfs_frontier found;
    std::uint64_t ahead = std::numeric_limits<std::uint64_t>::max();  ///< the last word that ready() was asked for
    std::uint64_t looking = 0;                                        ///< the word that it returned

    friend share operator+(const share& a, const share& b) { return {a.found + b.found}; }
  };

  void operator()(std::uint64_t first, std::uint64_t last, share& mine) const noexcept {
    if (first == last) return;
    const std::uint64_t words = bitmap_words(vertices);
    std::uint64_t following = first == mine.ahead ? mine.looking : ready(first);
    for (std::uint64_t w = first; w < last; ++w) {
      const std::uint64_t looking = following;
      if (w + 1 < words) following = ready(w + 1);
      std::uint64_t now = 0;
      for (std::uint64_t left = looking; left != 0; left &= left - 1) {
        const std::uint64_t v = w * 64 + static_cast<unsigned>(std::countr_zero(left));
        const Vertex u = parent_of(v);
        if (u == bfs_tree<Vertex>::no_parent) continue;
        tree.reach(v, u, level);
        now |= left & -left;
        ++mine.found.vertices;
        mine.found.arcs += tree.forward.degree(v);
      }
      next[w] = now;
      // relaxed, as in ready(): a thread may look ahead at a word of another thread's. The thread that processes a word
      // read it after the level before, or in its own look ahead.
      std::atomic_ref(unreached[w]).store(looking ^ now, std::memory_order_relaxed);
    }
    mine.ahead = last;
    mine.looking = following;
  }

 private:
  /// Returns a word: bit 0 is set if the vertex is in the frontier.
  std::uint64_t in_frontier(std::uint64_t v) const noexcept { return frontier[v / 64] >> (v % 64); }

  /// Returns the vertices of word w that look for a parent: unreached, with in-arcs. Prefetches the first cache line of
  /// their rows; most rows are read no further.
  std::uint64_t ready(std::uint64_t w) const noexcept {
    std::uint64_t looking = std::atomic_ref(unreached[w]).load(std::memory_order_relaxed);
    if (first_upward && looking != 0) {
      std::uint64_t with_arcs = 0;
      for (const adjacency<Vertex>* rows : {tree.backward.first, tree.backward.second}) {
        if (rows == nullptr) break;
        const std::uint64_t* const offsets = rows->offsets.data();
        with_arcs |= word_of(vertices, w, [&](std::uint64_t v) { return offsets[v] != offsets[v + 1]; });
      }
      looking &= with_arcs;
    }
    const adjacency<Vertex>& rows = *tree.backward.first;
    for (std::uint64_t left = looking; left != 0; left &= left - 1) {
      __builtin_prefetch(rows.targets.data() + rows.offsets[w * 64 + static_cast<unsigned>(std::countr_zero(left))]);
    }
    return looking;
  }

  /// Returns the first neighbour of v in the frontier, or no_parent.
  Vertex parent_of(std::uint64_t v) const noexcept {
    for (const adjacency<Vertex>* rows : {tree.backward.first, tree.backward.second}) {
      if (rows == nullptr) break;
      const Vertex* a = rows->targets.data() + rows->offsets[v];
      const Vertex* const end = rows->targets.data() + rows->offsets[v + 1];
      const Vertex* const all = rows->targets.data() + rows->targets.size();
      if (a == end) continue;
      if ((in_frontier(*a) & 1) != 0) return *a;  // where hubs come first, this is most often the vertex's largest hub
      // The other neighbours are tested eight at a time, also across the row's end, with one branch: a branch each
      // would mostly be mispredicted. From the last to the first, so that the first gets bit 0.
      for (++a; a < end && all - a >= 8; a += 8) {
        std::uint64_t in = 0;
        for (unsigned i = 8; i-- != 0;) in = in + in + (in_frontier(a[i]) & 1);
        if (in != 0 && std::countr_zero(in) < end - a) return a[std::countr_zero(in)];
      }
      for (; a < end; ++a) {
        if ((in_frontier(*a) & 1) != 0) return *a;
      }
    }
    return bfs_tree<Vertex>::no_parent;
  }
};

/// The loop that turns words of a bitmap into a list of vertices, to which threads append.
template <class Vertex>
struct bfs_list_bits {
  const std::uint64_t* bits;
  Vertex* list;
  std::atomic<std::uint64_t> size{0};

  void work(std::uint64_t first, std::uint64_t last) noexcept {
    std::uint64_t count = 0;
    for (std::uint64_t w = first; w < last; ++w) count += static_cast<std::uint64_t>(std::popcount(bits[w]));
    if (count == 0) return;
    Vertex* end = list + size.fetch_add(count, std::memory_order_relaxed);  // relaxed: it only reserves places
    for (std::uint64_t w = first; w < last; ++w) {
      for (std::uint64_t left = bits[w]; left != 0; left &= left - 1) {
        *end++ = static_cast<Vertex>(w * 64 + static_cast<unsigned>(std::countr_zero(left)));
      }
    }
  }
};

}  // namespace callisto::graph
