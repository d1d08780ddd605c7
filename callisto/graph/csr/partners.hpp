// Processes that compute one result together, each over a part of the vertices.
//
// A kernel that has a form for partners finds them in its shared_control. Rows are dealt, vectors of all vertices are
// replicated where each process reads them. The graph of a process has all offsets, and the targets and weights of its
// part; it must not read other rows.
#pragma once

#include <callisto/export.hpp>
#include <callisto/graph/csr/progress.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph {

/// The processes of one result. Every process calls the same functions in the same order, on one thread.
class CALLISTO_API partners {
 public:
  virtual ~partners() = default;

  std::size_t number() const noexcept { return number_; }
  std::size_t count() const noexcept { return bounds_.size() - 1; }
  /// True for the process that has the whole result at the end, and tells it.
  bool tells() const noexcept { return number_ == 0; }
  /// Returns the first vertex of each process, and the number of vertices.
  const std::vector<std::uint64_t>& bounds() const noexcept { return bounds_; }
  std::uint64_t first() const noexcept { return bounds_[number_]; }
  std::uint64_t last() const noexcept { return bounds_[number_ + 1]; }

  /// Copies each process' elements of `all`, [bounds[number], bounds[number + 1]), to all processes.
  template <class T>
  void share(T* all, const std::vector<std::uint64_t>& bounds) {
    static_assert(std::is_trivially_copyable_v<T>);
    share_bytes(reinterpret_cast<std::byte*>(all), in_bytes(bounds, sizeof(T)));
  }
  /// Copies each process' elements to the process that tells.
  template <class T>
  void collect(T* all, const std::vector<std::uint64_t>& bounds) {
    static_assert(std::is_trivially_copyable_v<T>);
    collect_bytes(reinterpret_cast<std::byte*>(all), in_bytes(bounds, sizeof(T)));
  }
  /// Returns the values of all processes, by number.
  template <class T>
  std::vector<T> all_of(const T& value) {
    std::vector<T> all(count());
    all[number_] = value;
    std::vector<std::uint64_t> ones(count() + 1);
    for (std::size_t i = 0; i != ones.size(); ++i) ones[i] = i;
    share(all.data(), ones);
    return all;
  }
  /// Returns the sum of the values of all processes, added by number.
  template <class T>
  T sum(const T& value) {
    T total{};
    for (const T& each : all_of(value)) total = total + each;
    return total;
  }
  /// Returns the lists of all processes, that of process 0 first.
  template <class T>
  std::vector<T> lists_of_all(const std::vector<T>& own) {
    std::vector<std::uint64_t> bounds{0};
    for (const std::uint64_t size : all_of(std::uint64_t{own.size()})) bounds.push_back(bounds.back() + size);
    std::vector<T> all(bounds.back());
    std::copy(own.begin(), own.end(), all.begin() + static_cast<std::ptrdiff_t>(bounds[number_]));
    share(all.data(), bounds);
    return all;
  }
  /// Returns what make() returns where the result is told; all processes get it.
  template <class T, class Make>
  std::vector<T> from_first(const Make& make) {
    std::vector<T> values;
    if (tells()) values = make();
    std::vector<std::uint64_t> counts(count(), values.size());
    const std::vector<T> one = values;
    for (std::size_t p = 1; p < count() && tells(); ++p) values.insert(values.end(), one.begin(), one.end());
    return exchange(values, counts);
  }
  /// Sends counts[p] elements of `from` to each process p, those for process 0 first; returns what came, by number.
  template <class T>
  std::vector<T> exchange(const std::vector<T>& from, const std::vector<std::uint64_t>& counts) {
    return exchange(std::span<const T>(from), counts);
  }
  template <class T>
  std::vector<T> exchange(std::span<const T> from, const std::vector<std::uint64_t>& counts) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> into;
    exchange_bytes(std::as_bytes(from), in_bytes(counts, sizeof(T)), [&into](std::size_t bytes) {
      into.resize(bytes / sizeof(T));
      return std::as_writable_bytes(std::span(into));
    });
    return into;
  }

 protected:
  partners(std::size_t number, std::vector<std::uint64_t> bounds) : number_(number), bounds_(std::move(bounds)) {}

  /// Makes memory for what came.
  using make_room = std::function<std::span<std::byte>(std::size_t)>;
  virtual void share_bytes(std::byte* all, const std::vector<std::uint64_t>& bounds) = 0;
  virtual void collect_bytes(std::byte* all, const std::vector<std::uint64_t>& bounds) = 0;
  virtual void exchange_bytes(std::span<const std::byte> from, const std::vector<std::uint64_t>& counts,
                              const make_room& room) = 0;

 private:
  static std::vector<std::uint64_t> in_bytes(std::vector<std::uint64_t> counts, std::size_t each) {
    for (std::uint64_t& n : counts) n *= each;
    return counts;
  }

  std::size_t number_;
  std::vector<std::uint64_t> bounds_;
};

/// The last parameter of operations that partners share.
struct shared_control : run_control {
  partners* among = nullptr;  ///< null: this process does all
};

/// Returns the vertices of one piece in the parts of partners: a part is whole pieces. Kernels cut the vertices into
/// blocks of sizes that divide this one, so that a result does not depend on the number of partners.
constexpr std::uint64_t partner_piece(std::uint64_t vertices) noexcept {
  constexpr std::uint64_t least = 64;
  constexpr std::uint64_t most = 4096;
  const std::uint64_t piece = std::clamp(std::bit_floor(vertices / 64), least, most);
  return std::max(piece, std::bit_ceil(vertices >> 16));
}

/// Returns the bounds of the parts in units of `each` vertices.
inline std::vector<std::uint64_t> in_blocks(const std::vector<std::uint64_t>& bounds, std::uint64_t each) {
  std::vector<std::uint64_t> blocks;
  for (const std::uint64_t b : bounds) blocks.push_back((b + each - 1) / each);
  return blocks;
}

}  // namespace callisto::graph
