// The search and the sort of the Grappa paper for the ranks of a session, simulated or real.
#pragma once

#include <callisto/global/session/session.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <lab/simulate/grappa_programs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace callisto::lab {

/// Words of a line of memory that are read in turn: each costs so much less than a random one.
inline constexpr double words_of_line = 16;

/// Runs f(first, last) over parts of [0, n) in tasks of the calling rank, as a phase.
template <class F>
void run_in_tasks(global::session& s, std::size_t n, const F& f) {
  constexpr std::size_t sent_by_task = 64;  // vertices or keys
  s.run_phase([&] {
    for (std::size_t i = 0; i < n; i += sent_by_task)
      global::spawn([&f, i, last = std::min(n, i + sent_by_task)] { f(i, last); });
  });
}

/// What a rank has for the others, in the order of ranks.
template <class T>
class outgoing {
 public:
  explicit outgoing(int ranks) : of_(static_cast<std::size_t>(ranks)) {}
  void add(std::uint32_t rank, const T& value) { of_[rank].push_back(value); }
  /// Exchanges all; returns what came. Collective.
  std::vector<T> exchange() {
    std::vector<T> all;
    std::vector<std::uint64_t> counts;
    for (std::vector<T>& of : of_) {
      counts.push_back(of.size());
      all.insert(all.end(), of.begin(), of.end());
      of.clear();
    }
    std::vector<T> received;
    global::exchange(std::span<const T>(all), counts, received);
    return received;
  }

 private:
  std::vector<std::vector<T>> of_;
};

/// A breadth-first search: vertex v is at rank v % ranks.
class rank_search {
 public:
  static constexpr std::uint32_t unreached = ~0U;

  /// `cost`: of a random word of memory, in simulated nanoseconds.
  rank_search(global::session& s, const graph_in_memory& graph, double cost);

  /// Begins from the vertex with most arcs. The ranks meet between this and run().
  void restart(std::uint32_t root);
  /// Searches. Collective.
  void run(movement how);

  /// Returns the depths of this rank's vertices: place i has vertex i * ranks + rank.
  const std::vector<std::uint32_t>& depths() const noexcept;

 private:
  global::session& session_;
  const graph_in_memory& graph_;
  std::uint32_t ranks_;
  std::uint32_t me_;
};

/// Keys of NAS IS, 2^log2_keys of all ranks, sorted into ranges of values and counted there.
class rank_sort {
 public:
  static constexpr unsigned log2_values = 19;

  rank_sort(global::session& s, unsigned log2_keys, double cost);

  /// Returns the keys with the sequence numbers [first, last).
  static std::vector<std::uint32_t> keys_from(std::uint64_t first, std::uint64_t last);

  /// Sorts and counts. Collective.
  void run(movement how);

  /// The smallest value that this rank counts, and how many keys have each value from there on.
  std::uint32_t first() const noexcept;
  const std::vector<std::uint32_t>& counts() const noexcept;

 private:
  global::session& session_;
  std::uint64_t keys_;
  std::vector<std::uint32_t> mine_;
};

}  // namespace callisto::lab
