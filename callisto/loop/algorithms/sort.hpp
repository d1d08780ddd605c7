// Parallel sorting: a sample sort (Sanders and Winkel, "Super Scalar Sample Sort", ESA 2004), after a look whether the
// input is sorted or the other way round.
//
// 1. Splitters are chosen from a sample and put into a search tree that is walked without branches. 2. Each block of
// the input counts how many of its elements fall between two splitters, and how many equal one. 3. Each block moves its
// elements to their buckets in a second array. 4. Each bucket is sorted, and moved back. Buckets of elements that equal
// a splitter are sorted already, so many equal elements cost less, not more.
#pragma once

#include <callisto/loop/algorithms/blocks.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/system/exceptions.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto {

namespace loop {

/// Memory for n elements, without elements.
template <class T>
class raw_elements {
 public:
  explicit raw_elements(std::size_t n) : n_(n), at_(std::allocator<T>().allocate(n)) {}
  raw_elements(const raw_elements&) = delete;
  raw_elements& operator=(const raw_elements&) = delete;
  ~raw_elements() { std::allocator<T>().deallocate(at_, n_); }
  T* data() const noexcept { return at_; }

 private:
  std::size_t n_;
  T* at_;
};

/// Tells between which splitters an element falls. Buckets 2i are those between splitters, 2i+1 those that equal one.
template <class T, class Less>
class splitters {
 public:
  static constexpr unsigned levels = 8;
  static constexpr unsigned most = (1u << levels) - 1;
  static constexpr unsigned buckets = 2 * most + 2;

  /// Takes a sorted sample; copies what it needs.
  splitters(const std::vector<T>& sample, Less& less) : less_(less) {
    // Splitters may repeat; then buckets between equal ones stay empty.
    sorted_.reserve(most);
    for (unsigned i = 1; i <= most; ++i) sorted_.push_back(sample[i * sample.size() / (most + 1)]);
    tree_.resize(most + 1, sorted_.front());
    fill(1, 0, most);
  }

  std::uint16_t bucket_of(const T& x) const {
    unsigned at = 1;
    for (unsigned level = 0; level < levels; ++level) at = 2 * at + (less_(tree_[at], x) ? 1 : 0);
    const unsigned i = at - (most + 1);  // splitters below x
    const bool equal = i < most && !less_(x, sorted_[i]);
    return static_cast<std::uint16_t>(2 * i + (equal ? 1 : 0));
  }

 private:
  /// Lays sorted_[from, to) out as the subtree at `node`.
  void fill(unsigned node, unsigned from, unsigned to) {
    const unsigned middle = (from + to) / 2;
    tree_[node] = sorted_[middle];
    if (2 * node > most) return;
    fill(2 * node, from, middle);
    fill(2 * node + 1, middle + 1, to);
  }

  Less& less_;
  std::vector<T> sorted_;
  std::vector<T> tree_;
};

template <bool Stable, class Iterator, class Less>
void sort_alone(Iterator first, Iterator last, Less& less) {
  if constexpr (Stable) {
    std::stable_sort(first, last, std::ref(less));
  } else {
    std::sort(first, last, std::ref(less));
  }
}

/// True if `in_order(i)` for each i of [1, n). Ends soon after the first that is not.
template <class F>
bool all_in_order(std::uint64_t n, F in_order, const std::source_location& where) {
  // Most input is out of order from its beginning on, and no thread is needed to see that.
  constexpr std::uint64_t first_look = 64;
  for (std::uint64_t i = 1; i < std::min(n, first_look); ++i) {
    if (!in_order(i)) return false;
  }
  machine::native::atomic<std::uint32_t> broken{0};
  static_cast<void>(parallel_for(
      std::uint64_t{1}, n,
      [&](std::uint64_t i, std::uint64_t end) {
        // Without branches inside a stretch, which compilers make vectors of.
        constexpr std::uint64_t stretch = 256;
        // relaxed, here and below: one flag, read by the caller after the loop.
        while (i < end && broken.load(machine::order::relaxed) == 0) {
          const std::uint64_t stop = std::min(end, i + stretch);
          unsigned wrong = 0;
          for (; i < stop; ++i) wrong |= in_order(i) ? 0u : 1u;
          if (wrong != 0) broken.store(1, machine::order::relaxed);
        }
      },
      {}, where));
  return broken.load(machine::order::relaxed) == 0;
}

template <bool Stable, class Iterator, class Less>
void sample_sort(Iterator first, std::uint64_t n, Less less, const std::source_location& where) {
  using T = std::iter_value_t<Iterator>;
  using difference = std::iter_difference_t<Iterator>;
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>,
                "parallel sort: moving an element must not throw");
  constexpr std::uint64_t worth_while = 1 << 14;
  const auto at = [&](std::uint64_t i) { return first + static_cast<difference>(i); };
  if (n < worth_while || workers::loop_team_here().where.threads() == 1 || !std::is_copy_constructible_v<T>) {
    return sort_alone<Stable>(first, at(n), less);
  }
  // Input that is sorted, or the other way round, is common.
  if (all_in_order(n, [&](std::uint64_t i) { return !less(*at(i), *at(i - 1)); }, where)) return;
  if (all_in_order(n, [&](std::uint64_t i) { return static_cast<bool>(less(*at(i), *at(i - 1))); }, where)) {
    static_cast<void>(parallel_for(
        std::uint64_t{0}, n / 2, [&](std::uint64_t i) { std::ranges::iter_swap(at(i), at(n - 1 - i)); }, {}, where));
    return;
  }
  if constexpr (std::is_copy_constructible_v<T>) {
    using tree = splitters<T, Less>;
    // 16 samples a splitter keep the largest bucket within some 1.5 times the mean.
    std::vector<T> sample;
    constexpr std::uint64_t samples = 16 * (tree::most + 1);
    std::uint64_t random = n;
    for (std::uint64_t i = 0; i < samples; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
      sample.push_back(*at(static_cast<std::uint64_t>((static_cast<unsigned __int128>(random) * n) >> 64)));
    }
    std::sort(sample.begin(), sample.end(), std::ref(less));
    const tree split(sample, less);

    const blocks all(n, 1 << 13, 256);
    const auto bucket = std::make_unique_for_overwrite<std::uint16_t[]>(n);
    std::vector<std::array<std::uint64_t, tree::buckets>> place(all.count());
    all.each(
        [&](std::uint64_t b) {
          auto& count = place[b];
          count.fill(0);
          for (std::uint64_t i = all.begin(b); i < all.end(b); ++i) ++count[bucket[i] = split.bucket_of(*at(i))];
        },
        where);
    // Where each block's part of each bucket begins.
    std::array<std::uint64_t, tree::buckets + 1> begins;
    std::uint64_t sum = 0;
    for (unsigned k = 0; k < tree::buckets; ++k) {
      begins[k] = sum;
      for (auto& of_block : place) sum += std::exchange(of_block[k], sum);
    }
    begins[tree::buckets] = n;

    const raw_elements<T> room(n);
    T* const to = room.data();
    all.each(
        [&](std::uint64_t b) {
          auto& next = place[b];
          for (std::uint64_t i = all.begin(b); i < all.end(b); ++i) {
            std::construct_at(to + next[bucket[i]]++, std::move(*at(i)));
          }
        },
        where);
    // From here on the elements are in `to`, and must come back whatever the comparison throws.
    const auto bring_back = [&](std::uint64_t k) {
      std::move(to + begins[k], to + begins[k + 1], at(begins[k]));
      std::destroy(to + begins[k], to + begins[k + 1]);
    };
    std::exception_ptr thrown;
    std::array<bool, tree::buckets> back{};
    CALLISTO_TRY {
      parallel_for(
          0u, tree::buckets,
          [&](unsigned k) {
            if (k % 2 == 0) sort_alone<Stable>(to + begins[k], to + begins[k + 1], less);
            bring_back(k);
            back[k] = true;
          },
          {.batch = 1}, where);
    }
    CALLISTO_CATCH_ALL { thrown = std::current_exception(); }
    if (thrown) {
      for (unsigned k = 0; k < tree::buckets; ++k) {
        if (!back[k]) bring_back(k);
      }
      std::rethrow_exception(thrown);
    }
  }
}

}  // namespace loop

/// Sorts a random-access range by `less`, a strict weak order. Equal elements come in any order. Uses a second array,
/// and two bytes an element. If `less` throws, the range holds the same elements in some order. Short ranges, ranges of
/// elements that cannot be copied, and sorts inside a loop body are sorted by std::sort.
template <std::ranges::random_access_range Range, class Less = std::less<>>
  requires std::ranges::sized_range<Range>
void sort(Range&& range, Less less = {}, std::source_location where = std::source_location::current()) {
  loop::sample_sort<false>(std::ranges::begin(range), static_cast<std::uint64_t>(std::ranges::size(range)),
                           std::move(less), where);
}

/// Sorts as sort(), and keeps the order of equal elements.
template <std::ranges::random_access_range Range, class Less = std::less<>>
  requires std::ranges::sized_range<Range>
void stable_sort(Range&& range, Less less = {}, std::source_location where = std::source_location::current()) {
  loop::sample_sort<true>(std::ranges::begin(range), static_cast<std::uint64_t>(std::ranges::size(range)),
                          std::move(less), where);
}

}  // namespace callisto
