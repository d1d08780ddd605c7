// Splitters of a sample sort: buckets of elements by comparisons, without
// branches.
#pragma once

#include <callisto/loop/algorithms/sort_alone.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

namespace callisto::loop {

/// Tells between which splitters an element falls. Bucket 2i has the elements between two splitters, bucket 2i+1 the
/// elements that equal a splitter, if some splitters are equal; else these are in bucket 2i, too, and are few.
/// Splitters are copies of small elements, or large ones that stand where the sample found them: these must stay in
/// their places while elements are classified.
template <class Iterator, class Less>
class splitters {
 public:
  using T = std::iter_value_t<Iterator>;
  static constexpr unsigned most_levels = 8;
  static constexpr unsigned most_buckets = 2u << most_levels;

  /// Chooses 2^levels - 1 splitters of the n elements from `first` on, each from `samples` elements: 16 keep the
  /// largest bucket within some 1.5 times the mean. Throws what `less` throws, and std::bad_alloc.
  splitters(Iterator first, std::uint64_t n, unsigned levels, unsigned samples, Less& less)
      : levels_(levels), less_(less) {
    std::vector<held> sample;
    sample.reserve(std::size_t{samples} << levels);
    std::uint64_t random = n;
    for (std::uint64_t i = 0; i < std::uint64_t{samples} << levels; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
      const auto at = static_cast<std::uint64_t>((static_cast<unsigned __int128>(random) * n) >> 64);
      sample.push_back(hold(first[static_cast<std::iter_difference_t<Iterator>>(at)]));
    }
    const auto by_value = [&](const held& a, const held& b) { return static_cast<bool>(less(value(a), value(b))); };
    sort_alone<false>(sample.begin(), sample.end(), by_value);
    // Splitters may repeat; then buckets between equal ones stay empty.
    for (unsigned i = 1; i <= count(); ++i) sorted_.push_back(sample[std::size_t{i} * samples]);
    for (unsigned i = 1; i < count() && !some_are_equal_; ++i)
      some_are_equal_ = !less(value(sorted_[i - 1]), value(sorted_[i]));
    tree_.resize(count() + 1, sorted_.front());
    fill(1, 0, count());
  }

  unsigned buckets() const noexcept { return 2 * count() + 2; }
  /// Writes the buckets of n elements to `bucket`, and counts the elements of each.
  template <class Count>
  void classify(Iterator first, std::uint64_t n, std::uint16_t* bucket, Count& count) const {
    if (some_are_equal_) {
      classify_all<true>(first, n, bucket, count);
    } else {
      classify_all<false>(first, n, bucket, count);
    }
  }

 private:
  static constexpr bool copies = !std::is_lvalue_reference_v<std::iter_reference_t<Iterator>> ||
                                 (std::is_trivially_copyable_v<T> && sizeof(T) <= 32);
  using held = std::conditional_t<copies, T, const T*>;

  template <class Reference>
  static held hold(Reference&& element) {
    if constexpr (copies) {
      return element;
    } else {
      return std::addressof(element);
    }
  }
  static const T& value(const held& splitter) noexcept {
    if constexpr (copies) {
      return splitter;
    } else {
      return *splitter;
    }
  }
  template <bool Equal, class Count>
  void classify_all(Iterator first, std::uint64_t n, std::uint16_t* bucket, Count& count) const {
    const auto at = [&](std::uint64_t i) -> decltype(auto) {
      return first[static_cast<std::iter_difference_t<Iterator>>(i)];
    };
    constexpr unsigned side_by_side = 8;  // elements that go down the tree at once: no load waits for an unrelated one
    std::uint64_t i = 0;
    for (; i + side_by_side <= n; i += side_by_side) {
      unsigned nodes[side_by_side];
      for (unsigned& node : nodes) node = 1;
      for (unsigned level = 0; level < levels_; ++level) {
        for (unsigned j = 0; j < side_by_side; ++j) nodes[j] = below(nodes[j], at(i + j));
      }
      for (unsigned j = 0; j < side_by_side; ++j) ++count[bucket[i + j] = leaf<Equal>(nodes[j], at(i + j))];
    }
    for (; i < n; ++i) {
      unsigned node = 1;
      for (unsigned level = 0; level < levels_; ++level) node = below(node, at(i));
      ++count[bucket[i] = leaf<Equal>(node, at(i))];
    }
  }

  unsigned below(unsigned node, const T& x) const { return 2 * node + (less_(value(tree_[node]), x) ? 1 : 0); }
  template <bool Equal>
  std::uint16_t leaf(unsigned node, const T& x) const {
    const unsigned i = node - (count() + 1);  // splitters below x
    if constexpr (!Equal) return static_cast<std::uint16_t>(2 * i);
    const bool equal = i < count() && !less_(x, value(sorted_[i]));
    return static_cast<std::uint16_t>(2 * i + (equal ? 1 : 0));
  }
  unsigned count() const noexcept { return (1u << levels_) - 1; }

  /// Lays sorted_[from, to) out as the subtree at `node`.
  void fill(unsigned node, unsigned from, unsigned to) {
    const unsigned middle = (from + to) / 2;
    tree_[node] = sorted_[middle];
    if (2 * node > count()) return;
    fill(2 * node, from, middle);
    fill(2 * node + 1, middle + 1, to);
  }

  unsigned levels_;
  bool some_are_equal_ = false;  ///< among the splitters: many elements may equal one
  Less& less_;
  std::vector<held> sorted_;
  std::vector<held> tree_;
};

}  // namespace callisto::loop
