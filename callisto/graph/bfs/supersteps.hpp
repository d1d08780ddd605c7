// Breadth-first search where levels are small and many, as in grids and road networks: each level is a superstep of
// threads that stay together (loop/supersteps.hpp).
//
// No thread claims a vertex. Two threads that look at it at once may both find it, and each notes the parent it found
// it from. In the next superstep the entry is followed if its parent has stayed, otherwise dropped. That is rare,
// since each thread goes on with its own part of the wave front. It costs one comparison an entry instead of an atomic
// instruction a vertex.
#pragma once

#include <callisto/graph/bfs/kernel.hpp>
#include <callisto/graph/bfs/limits.hpp>
#include <callisto/loop/supersteps.hpp>
#include <callisto/machine/native.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph {

/// A vertex as it was found, and the parent it was found from, in one word that is written at once.
template <class Vertex>
class bfs_find {
  __extension__ using wide = unsigned __int128;
  using word = std::conditional_t<sizeof(Vertex) == 4, std::uint64_t, wide>;
  static constexpr unsigned bits = 8 * sizeof(Vertex);

 public:
  bfs_find() = default;
  bfs_find(Vertex vertex, Vertex parent) noexcept : word_(word{parent} << bits | vertex) {}
  Vertex vertex() const noexcept { return static_cast<Vertex>(word_); }
  Vertex parent() const noexcept { return static_cast<Vertex>(word_ >> bits); }

 private:
  word word_;
};

/// The vertices that a slot has found for a superstep. Only the slot's thread uses the list while it grows.
template <class Vertex>
struct bfs_find_list {
  std::unique_ptr<bfs_find<Vertex>[]> finds;
  std::uint64_t room = 0;

  /// Keeps the first `size` entries and makes room for `more` behind them. Returns false if there is no memory.
  bool make_room(std::uint64_t size, std::uint64_t more) noexcept {
    const std::uint64_t wanted = size + more + std::clamp<std::uint64_t>(size, 4096, 65'536);
    std::unique_ptr<bfs_find<Vertex>[]> larger(new (std::nothrow) bfs_find<Vertex>[wanted]);
    if (larger == nullptr) return false;
    std::copy_n(finds.get(), size, larger.get());
    finds = std::move(larger);
    room = wanted;
    return true;
  }
};

/// The loop of many levels: iteration i runs slot i.
template <class Vertex>
struct bfs_supersteps {
  using native = machine::native;

  struct alignas(native::line_size) slot {
    std::array<bfs_find_list<Vertex>, 2> lists;  ///< of even and odd supersteps
    bfs_frontier expanded;                       ///< vertices and arcs that this slot has followed
  };

  const bfs_tree<Vertex>& tree;
  loop::supersteps<native> steps;
  std::vector<slot> slots;
  std::uint32_t level = 0;  ///< of the entries of the first superstep
  std::atomic<bool> no_memory{false};
  bool straight_on = false;  ///< prefetch in the direction of the search, see ask_straight_on()

  bfs_supersteps(const bfs_tree<Vertex>& of, unsigned threads)
      : tree(of), steps(threads, bfs_limits::superstep_piece), slots(threads) {}

  /// Begins with `size` reached vertices, in slot 0.
  void put(const Vertex* frontier, std::uint64_t size) {
    bfs_find_list<Vertex>& first = slots[0].lists[0];
    if (first.room < size && !first.make_room(0, size)) throw std::bad_alloc();
    for (std::uint64_t i = 0; i < size; ++i) first.finds[i] = bfs_find<Vertex>(frontier[i], tree.parents[frontier[i]]);
    steps.put([size](unsigned s) { return s == 0 ? size : 0; });
  }

  /// Writes the vertices of the level that is not yet followed to `frontier`; returns how many there are.
  std::uint64_t take(Vertex* frontier) const noexcept {
    Vertex* end = frontier;
    for (unsigned s = 0; s < steps.slots(); ++s) {
      const auto* const finds = slots[s].lists[steps.parity()].finds.get();
      for (std::uint64_t i = 0; i < steps.in_list(s); ++i) {
        if (tree.parents[finds[i].vertex()] == finds[i].parent()) *end++ = finds[i].vertex();
      }
    }
    return static_cast<std::uint64_t>(end - frontier);
  }

  /// Returns the vertices and arcs followed so far, over all runs. The caller takes differences.
  bfs_frontier expanded() const noexcept {
    bfs_frontier all;
    for (const slot& s : slots) all = all + s.expanded;
    return all;
  }

  void work(unsigned i) noexcept {
    slot& mine = slots[i];
    std::uint64_t growing = 0;  // the superstep that the slot's next list is for
    std::uint64_t size = 0;     // entries of that list
    steps.run(i, [&](std::uint64_t round, unsigned owner, std::uint64_t first, std::uint64_t last) {
      if (std::exchange(growing, round + 1) != round + 1) size = 0;
      const bfs_find<Vertex>* const from = slots[owner].lists[round % 2].finds.get();
      size = follow(mine, mine.lists[(round + 1) % 2], size, from + first, from + last,
                    level + static_cast<std::uint32_t>(round + 1 - steps.first_round()));
      return size;
    });
  }

 private:
  using find = bfs_find<Vertex>;

  /// Follows the arcs of entries [at, end) and appends the vertices found, which are of level `found_at`. Chooses a
  /// version: distances and a second row would cost instructions with every arc in searches that have neither.
  std::uint64_t follow(slot& mine, bfs_find_list<Vertex>& next, std::uint64_t size, const find* at, const find* end,
                       std::uint32_t found_at) noexcept {
    if (tree.forward.second == nullptr && tree.distances == nullptr) {
      return straight_on ? follow<true, true>(mine, next, size, at, end, found_at)
                         : follow<true, false>(mine, next, size, at, end, found_at);
    }
    return straight_on ? follow<false, true>(mine, next, size, at, end, found_at)
                       : follow<false, false>(mine, next, size, at, end, found_at);
  }

  /// Prefetches what the search needs `rounds_ahead` supersteps later if it goes on as it came to u and rows there are
  /// as long. In grids it does so, and each row of a level lies in separate pages and cache lines.
  template <bool Plain>
  void ask_straight_on(Vertex u, Vertex parent, std::uint64_t row, std::uint64_t degree) const noexcept {
    const adjacency<Vertex>& rows = *tree.forward.first;
    const std::uint64_t way = bfs_limits::rounds_ahead * (std::uint64_t{u} - parent);  // modulo 2^64, as all sums below
    ask(rows.offsets.data(), u + way);
    ask(rows.targets.data(), row + way * degree);
    ask(tree.parents, u + way);
    if constexpr (!Plain) {
      if (tree.distances != nullptr) ask(tree.distances, u + way);
    }
  }

  /// Prefetches element i, which may lie beyond the array: processors ignore such a prefetch.
  template <class T>
  static void ask(const T* array, std::uint64_t i) noexcept {
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(array) + i * sizeof(T)));
  }

  template <bool Plain, bool StraightOn>
  std::uint64_t follow(slot& mine, bfs_find_list<Vertex>& next, std::uint64_t size, const find* at, const find* end,
                       [[maybe_unused]] std::uint32_t found_at) noexcept {
    const adjacency<Vertex>& rows = *tree.forward.first;
    [[maybe_unused]] const adjacency<Vertex>* const others = tree.forward.second;
    const auto* const offsets = rows.offsets.data();
    const Vertex* const targets = rows.targets.data();
    Vertex* const parents = tree.parents;
    bfs_frontier expanded;
    find* tail = next.finds.get() + size;
    const find* room = next.finds.get() + next.room;
    const find* const last = end - 1;
    for (; at <= last; ++at) {
      __builtin_prefetch(targets + offsets[(last - at > 6 ? at + 6 : last)->vertex()]);
      const Vertex u = at->vertex();
      // relaxed, all of them: while parents change, any value read says that the vertex has been found. Which parent
      // has stayed is read a superstep later, and the change of superstep orders that.
      if (std::atomic_ref(parents[u]).load(std::memory_order_relaxed) != at->parent()) continue;
      const std::uint64_t row = offsets[u];
      const std::uint64_t row_end = offsets[u + 1];
      std::uint64_t degree = row_end - row;
      if constexpr (StraightOn) ask_straight_on<Plain>(u, at->parent(), row, degree);
      if constexpr (!Plain) degree += others == nullptr ? 0 : others->degree(u);
      if (degree >= static_cast<std::uint64_t>(room - tail)) [[unlikely]] {
        const auto used = static_cast<std::uint64_t>(tail - next.finds.get());
        if (!next.make_room(used, degree + 1)) {
          no_memory.store(true, std::memory_order_relaxed);
          break;
        }
        tail = next.finds.get() + used;
        room = next.finds.get() + next.room;
      }
      ++expanded.vertices;
      expanded.arcs += degree;
      const auto look_at = [&](const Vertex* a, const Vertex* const stop) {
        for (; a != stop; ++a) {
          const Vertex v = *a;
          const std::atomic_ref<Vertex> parent(parents[v]);
          if (parent.load(std::memory_order_relaxed) != bfs_tree<Vertex>::no_parent) continue;
          parent.store(u, std::memory_order_relaxed);
          if constexpr (!Plain) {
            if (tree.distances != nullptr)
              std::atomic_ref(tree.distances[v]).store(found_at, std::memory_order_relaxed);
          }
          *tail++ = find(v, u);
          __builtin_prefetch(offsets + v);  // read one level later
        }
      };
      look_at(targets + row, targets + row_end);
      if constexpr (!Plain) {
        if (others != nullptr) look_at(others->row(u).data(), others->row(u).data() + others->row(u).size());
      }
    }
    mine.expanded = mine.expanded + expanded;
    return static_cast<std::uint64_t>(tail - next.finds.get());
  }
};

}  // namespace callisto::graph
