// Dense vertex numbers for names: each thread collects the names that it meets in a table of its own; then all names
// are sorted together, and the rank of a name becomes its vertex.
#pragma once

#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace callisto::graph {

/// Distinct names, numbered from 0 in the order in which they are met. Thread-safety: one thread at a time.
class name_table {
 public:
  name_table();

  /// Returns the number of `name`, a new one if the name is new. Throws std::length_error for the 2^32nd name.
  std::uint32_t number_of(std::string_view name);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(names_.size()); }
  std::string_view operator[](std::uint32_t i) const noexcept { return names_[i]; }

 private:
  struct slot {
    std::uint32_t tag;     ///< top bits of the hash
    std::uint32_t number;  ///< number of the name, or `vacant`
  };
  static constexpr std::uint32_t vacant = ~std::uint32_t{0};

  void grow();
  std::string_view keep(std::string_view name);

  std::vector<slot> slots_;  ///< open addressing; the size is a power of two
  std::vector<std::string_view> names_;
  std::deque<std::vector<char>> blocks_;  ///< hold the bytes of the names
};

/// The name tables of a loop: as many as threads that parse at the same time. Thread-safety: any number of threads.
class name_table_pool {
 public:
  /// Returns the number of a table that no other thread uses.
  std::size_t take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      tables_.emplace_back();
      return tables_.size() - 1;
    }
    const std::size_t taken = free_.back();
    free_.pop_back();
    return taken;
  }
  void give_back(std::size_t table) {
    const std::lock_guard lock(mutex_);
    free_.push_back(table);
  }
  name_table& operator[](std::size_t table) {
    const std::lock_guard lock(mutex_);
    return tables_[table];
  }
  std::deque<name_table>& all() noexcept { return tables_; }

 private:
  std::mutex mutex_;  ///< guards both lists, not the tables; taken a few times a chunk
  std::deque<name_table> tables_;
  std::vector<std::size_t> free_;
};

/// Edges between names: numbers of the table `table`.
struct named_block {
  machine::page_array<edge<std::uint32_t>> edges;
  weight_array weights;  ///< empty or one for each edge
  std::size_t table = 0;
};

/// What becomes of names that are all whole numbers in their usual form.
enum class numeric_names {
  become_labels,  ///< the numbers are the labels of the list, which has no names
  stay_names,
};

/// Returns the same edges between dense vertices: the names of all tables, numbered in ascending order. Every name is a
/// vertex, also without an edge. There must be a name. Time: sorts the names; linear in the edges. Throws cancelled.
any_edge_list number_by_name(std::vector<named_block>&& blocks, std::deque<name_table>&& tables, bool weighted,
                             numeric_names numbers, const run_control& control);

}  // namespace callisto::graph
