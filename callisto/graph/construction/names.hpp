// Dense vertex numbers for names: each thread collects the names that it meets in a separate table; then all names are
// sorted together, and the rank of a name becomes its vertex.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/edge_list.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/machine/system/page_array.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace callisto::graph {

/// Distinct names, numbered from 0 in the order in which they are met. Thread-safety: one thread at a time.
class CALLISTO_API name_table {
 public:
  /// A name and what a look-up needs of it.
  struct probe {
    std::string_view name;
    std::array<std::uint64_t, 3> head;  ///< the first 24 bytes, zeros behind a shorter name
    std::uint64_t hash;
  };

  name_table();

  /// Returns the number of `name`, a new one if the name is new. Throws std::length_error for the 2^32nd name.
  std::uint32_t number_of(std::string_view name) { return number_of(probe_of(name)); }
  std::uint32_t number_of(const probe& wanted);

  static probe probe_of(std::string_view name) noexcept {
    probe result{name, head_of(name), 0};
    result.hash = hash_of(result);
    return result;
  }
  /// Has the processor fetch what number_of(wanted) reads first.
  void prefetch(const probe& wanted) const noexcept { __builtin_prefetch(&slots_[wanted.hash & (slots_.size() - 1)]); }

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(names_.size()); }
  std::string_view operator[](std::uint32_t i) const noexcept { return names_[i]; }

 private:
  /// Half a cache line: a look-up of a name of up to 24 bytes touches nothing else. Zeros are a vacant slot.
  struct slot {
    std::array<std::uint64_t, 3> head;
    std::uint32_t size;   ///< bytes of the name, modulo 2^32
    std::uint32_t place;  ///< 1 + number of the name; 0 if the slot is vacant
  };

  static std::uint64_t load(const char* p, std::size_t bytes) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, p, bytes);
    return word;
  }

  /// Loads of a fixed size, which may overlap: copying by the size of the name takes several times as long.
  static std::array<std::uint64_t, 3> head_of(std::string_view name) noexcept {
    const char* const p = name.data();
    const std::size_t size = name.size();
    // Moves the last `bytes` of a word to its front.
    const auto back = [](std::uint64_t word, std::size_t bytes) { return word >> (64 - 8 * bytes); };
    if (size >= 24) return {load(p, 8), load(p + 8, 8), load(p + 16, 8)};
    if (size > 16) return {load(p, 8), load(p + 8, 8), back(load(p + size - 8, 8), size - 16)};
    if (size > 8) return {load(p, 8), back(load(p + size - 8, 8), size - 8), 0};
    if (size >= 4) return {load(p, 4) | load(p + size - 4, 4) << (8 * (size - 4)), 0, 0};
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size; ++i) word |= std::uint64_t{static_cast<unsigned char>(p[i])} << (8 * i);
    return {word, 0, 0};
  }

  /// Multiplies, and adds the halves of the product: each bit depends on all bits.
  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  static std::uint64_t hash_of(const probe& p) noexcept {
    const std::uint64_t size = p.name.size();
    if (size > sizeof p.head) return hash_of_long(p.name);
    // Odd numbers without a pattern: digits of the golden ratio, of pi and of e.
    return mix(mix(p.head[0] ^ 0x9e3779b97f4a7c15u, p.head[1] ^ 0x243f6a8885a308d3u) ^ size,
               p.head[2] ^ 0xb7e151628aed2a6bu);
  }
  static std::uint64_t hash_of_long(std::string_view name) noexcept;

  void grow();
  std::string_view keep(std::string_view name);

  machine::page_array<slot> slots_;  ///< open addressing; the size is a power of two
  std::vector<std::string_view> names_;
  std::deque<std::vector<char>> blocks_;  ///< hold the bytes of the names
};

/// Looks up many names in a table, some at a time: while one name is parsed, the processor fetches the slots of the
/// names before it. Thread-safety: one thread at a time.
class name_batch {
 public:
  explicit name_batch(name_table& table) noexcept : table_(table) {}

  /// Stores the number of `name` in `number` before flush() returns. Both stay valid until then.
  void add(std::string_view name, std::uint32_t& number) {
    pending& p = pending_[count_];
    p.wanted = name_table::probe_of(name);
    p.number = &number;
    table_.prefetch(p.wanted);
    if (++count_ == pending_.size()) flush();
  }
  CALLISTO_API void flush();

 private:
  struct pending {
    name_table::probe wanted;
    std::uint32_t* number;
  };

  name_table& table_;
  std::size_t count_ = 0;
  std::array<pending, 32> pending_;  // slots that arrive while further names are parsed
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

/// Replaces each name of all tables by `converted(name)`, which gives different names for different ones; the numbers
/// of names stay.
void convert_names(std::deque<name_table>& tables, const std::function<std::string(std::string_view)>& converted);

/// Treatment of names that are all whole numbers in their usual form.
enum class numeric_names {
  become_labels,  ///< the numbers are the labels of the list, which has no names
  stay_names,
};

/// Returns the same edges between dense vertices: the names of all tables, numbered in ascending order. Every name is a
/// vertex, also without an edge. There must be a name. Time: sorts the names; linear in the edges. Throws cancelled.
CALLISTO_API any_edge_list number_by_name(std::vector<named_block>&& blocks, std::deque<name_table>&& tables,
                                          bool weighted, numeric_names numbers, const run_control& control);

}  // namespace callisto::graph
