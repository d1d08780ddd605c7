// Sorting on one thread, whatever the comparison does. It may throw: no element is outside of the range meanwhile, or
// an object puts it back. It may be no order at all, such as <=: every step is bounded by positions, and not by what
// comparisons say, so nothing outside of the range is read.
//
// Quicksort with a depth limit, then heapsort (Musser, "Introspective sorting and selection algorithms", 1997). Small
// elements are partitioned without branches (Lomuto's scheme, as in Edelkamp and Weiss, "BlockQuicksort", ESA 2016,
// each comparison moves an index). Stable: runs by insertion, then merges back and forth between two arrays.
#pragma once

#include <callisto/loop/algorithms/second_array.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace callisto::loop {

/// Memory for n elements, without elements. Large memory is on pages that earlier arrays have left, if there are some.
template <class T>
class raw_elements {
 public:
  explicit raw_elements(std::size_t n)
      : n_(n), at_(is_large() ? static_cast<T*>(map_second_array(n * sizeof(T))) : std::allocator<T>().allocate(n)) {}
  raw_elements(const raw_elements&) = delete;
  raw_elements& operator=(const raw_elements&) = delete;
  ~raw_elements() {
    if (is_large()) {
      unmap_second_array(at_, n_ * sizeof(T));
    } else {
      std::allocator<T>().deallocate(at_, n_);
    }
  }
  T* data() const noexcept { return at_; }

 private:
  bool is_large() const noexcept {
    constexpr std::size_t large = std::size_t{1} << 20;
    constexpr std::size_t page = 4096;
    return alignof(T) <= page && n_ >= large / sizeof(T) && n_ <= static_cast<std::size_t>(-1) / 2 / sizeof(T);
  }

  std::size_t n_;
  T* at_;
};

/// True if an element can be taken out of its place and put back for certain.
template <class T>
inline constexpr bool moves_surely = std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;

/// An element that was taken out of its place, while the gap moves. Its end puts it into the gap.
template <class Iterator>
class lifted {
 public:
  explicit lifted(Iterator at) noexcept : gap_(at), value_(std::move(*at)) {}
  lifted(const lifted&) = delete;
  lifted& operator=(const lifted&) = delete;
  ~lifted() { *gap_ = std::move(value_); }

  const std::iter_value_t<Iterator>& value() const noexcept { return value_; }
  Iterator gap() const noexcept { return gap_; }
  void fill_from_before() noexcept {
    const Iterator before = gap_ - 1;
    *gap_ = std::move(*before);
    gap_ = before;
  }

 private:
  Iterator gap_;
  std::iter_value_t<Iterator> value_;
};

/// Sorts stably by insertion.
template <class Iterator, class Less>
void insertion_sort(Iterator first, Iterator last, Less& less) {
  if (first == last) return;
  for (Iterator at = first + 1; at != last; ++at) {
    if (!less(*at, *(at - 1))) continue;
    if constexpr (moves_surely<std::iter_value_t<Iterator>>) {
      lifted<Iterator> one(at);
      do {
        one.fill_from_before();
      } while (one.gap() != first && less(one.value(), *(one.gap() - 1)));
    } else {
      Iterator down = at;
      do {
        std::iter_swap(down, down - 1);
        --down;
      } while (down != first && less(*down, *(down - 1)));
    }
  }
}

template <class Iterator, class Less>
void heap_sort(Iterator first, std::iter_difference_t<Iterator> n, Less& less) {
  using difference = std::iter_difference_t<Iterator>;
  const auto sift = [&](difference at, difference end) {
    for (difference child = 2 * at + 1; child < end; at = child, child = 2 * at + 1) {
      if (child + 1 < end && less(first[child], first[child + 1])) ++child;
      if (!less(first[at], first[child])) return;
      std::iter_swap(first + at, first + child);
    }
  };
  for (difference at = n / 2; at-- > 0;) sift(at, n);
  for (difference end = n; end-- > 1;) {
    std::iter_swap(first, first + end);
    sift(0, end);
  }
}

/// True if elements are copied rather than moved away: a comparison sees a copy while the element stays in its place.
template <class Iterator>
inline constexpr bool is_small_and_plain =
    std::contiguous_iterator<Iterator> && std::is_trivially_copyable_v<std::iter_value_t<Iterator>> &&
    sizeof(std::iter_value_t<Iterator>) <= 32;

/// Moves the elements of [first, last) for which goes_left(x) is true to the front; returns where the rest begins. No
/// branch depends on an element.
template <class Iterator, class Predicate>
Iterator move_left(Iterator first, Iterator last, Predicate goes_left) {
  using T = std::iter_value_t<Iterator>;
  Iterator to = first;
  for (Iterator at = first; at != last; ++at) {
    const T x = *at;
    const bool left = goes_left(x);
    *at = *to;
    *to = x;
    to += left ? 1 : 0;
  }
  return to;
}

/// Parts [first, last) by the pivot *first: returns the place where the pivot belongs, and puts it there.
template <bool Branchless, class Iterator, class Less>
Iterator part_by_pivot(Iterator first, Iterator last, Less& less) {
  if constexpr (Branchless) {
    using T = std::iter_value_t<Iterator>;
    const T pivot = *first;
    const Iterator right = move_left(first + 1, last, [&](const T& x) { return static_cast<bool>(less(x, pivot)); });
    std::iter_swap(first, right - 1);
    return right - 1;
  } else {
    Iterator left = first + 1;
    Iterator right = last;
    for (;;) {
      while (left != right && less(*left, *first)) ++left;
      while (left != right && less(*first, *(right - 1))) --right;
      // One element is left at most: it equals the pivot by what both comparisons say.
      if (right - left <= 1) break;
      std::iter_swap(left++, --right);
    }
    std::iter_swap(first, left - 1);
    return left - 1;
  }
}

/// Puts an element that is probably near the median first. At least 5 elements.
template <class Iterator, class Less>
void choose_pivot(Iterator first, Iterator last, Less& less) {
  const auto order2 = [&](Iterator a, Iterator b) {
    if (less(*b, *a)) std::iter_swap(a, b);
  };
  const auto order3 = [&](Iterator a, Iterator b, Iterator c) {
    order2(a, b);
    order2(b, c);
    order2(a, b);
  };
  const auto n = last - first;
  const Iterator middle = first + n / 2;
  if (n > 128) {
    order3(first + 1, middle - 1, last - 2);
    order3(first + 2, middle + 1, last - 3);
    order3(first, middle, last - 1);
    order3(middle - 1, middle, middle + 1);
  } else {
    order3(first, middle, last - 1);
  }
  std::iter_swap(first, middle);
}

/// Branchless: for elements that are small and plain, in no order that processors could predict.
template <bool Branchless, class Iterator, class Less>
void quick_sort(Iterator first, Iterator last, Less& less, int depth) {
  constexpr std::iter_difference_t<Iterator> few = 20;
  while (last - first > few) {
    if (depth-- == 0) return heap_sort(first, last - first, less);
    choose_pivot(first, last, less);
    const Iterator pivot = part_by_pivot<Branchless>(first, last, less);
    Iterator right = pivot + 1;
    if constexpr (Branchless) {
      // Elements that equal the pivot went to the right. Many of them need no sorting.
      if (pivot - first < (last - first) / 8) {
        using T = std::iter_value_t<Iterator>;
        const T of = *pivot;
        right = move_left(right, last, [&](const T& x) { return !less(of, x); });
      }
    }
    if (pivot - first < last - right) {
      quick_sort<Branchless>(first, pivot, less, depth);
      first = right;
    } else {
      quick_sort<Branchless>(right, last, less, depth);
      last = pivot;
    }
  }
  insertion_sort(first, last, less);
}

enum class ordered { hardly, rising, falling };

/// Says whether most neighbours are in order, or most are not, by some that stand evenly spread.
template <class Iterator, class Less>
ordered looks_ordered(Iterator first, std::ptrdiff_t n, Less& less) {
  constexpr std::ptrdiff_t looks = 64;
  if (n <= 2 * looks) return ordered::hardly;
  std::ptrdiff_t rising = 0;
  for (std::ptrdiff_t i = 0; i < looks; ++i) {
    const Iterator at = first + n / looks * i;
    rising += less(*(at + 1), *at) ? 0 : 1;
  }
  return rising < looks / 8 ? ordered::falling : rising > looks - looks / 8 ? ordered::rising : ordered::hardly;
}

/// Merges neighbouring sorted runs of `width` elements from array `from` into array `to`, which has elements, or none
/// if `Begins`: all n elements move over. If a comparison throws, they are all in `from` again.
template <bool Begins, class From, class To, class Less>
void merge_runs(From from, To to, std::ptrdiff_t n, std::ptrdiff_t width, Less& less) {
  struct pass {
    From from;
    To to;
    std::ptrdiff_t n;
    From begin;  ///< all before it has moved
    From left;   ///< [begin, left) and [middle, right) have moved to `out`
    From middle;
    From right;
    To out;

    void put(From at) noexcept {
      if constexpr (Begins) {
        std::construct_at(std::to_address(out), std::move(*at));
      } else {
        *out = std::move(*at);
      }
      ++out;
    }
    ~pass() {
      if (out == to + n) return;
      To back = to;
      for (From at = from; at != begin; ++at, ++back) *at = std::move(*back);
      for (From at = begin; at != left; ++at, ++back) *at = std::move(*back);
      for (From at = middle; at != right; ++at, ++back) *at = std::move(*back);
      if constexpr (Begins) std::destroy(to, out);
    }
  } at{from, to, n, from, from, from, from, to};
  const From last = from + n;
  while (at.begin != last) {
    const From middle = at.begin + std::min(width, last - at.begin);
    const From end = middle + std::min(width, last - middle);
    at.left = at.begin;
    at.middle = at.right = middle;
    if (middle != end && less(*middle, *(middle - 1))) {
      while (at.left != middle && at.right != end) {
        if constexpr (is_small_and_plain<From>) {
          const std::iter_value_t<From> left = *at.left;
          const std::iter_value_t<From> right = *at.right;
          const bool takes_right = less(right, left);
          *at.out = takes_right ? right : left;
          ++at.out;
          at.right += takes_right ? 1 : 0;
          at.left += takes_right ? 0 : 1;
        } else if (less(*at.right, *at.left)) {
          at.put(at.right);
          ++at.right;
        } else {
          at.put(at.left);
          ++at.left;
        }
      }
    }
    for (; at.left != middle; ++at.left) at.put(at.left);
    for (; at.right != end; ++at.right) at.put(at.right);
    at.begin = end;
    at.left = at.middle = at.right = end;
  }
}

/// Elements of the runs with which a stable sort begins.
inline constexpr std::ptrdiff_t run_of_insertion = 8;

template <class Iterator, class Less>
void sort_runs(Iterator first, std::ptrdiff_t n, Less& less) {
  for (std::ptrdiff_t at = 0; at < n; at += run_of_insertion)
    insertion_sort(first + at, first + std::min(at + run_of_insertion, n), less);
}

/// Sorts n elements stably that stand in sorted runs of `width`, with a second array of elements that may be
/// overwritten. True if they are in `spare` then. If a comparison throws, they are in `first`.
template <class Iterator, class Spare, class Less>
[[nodiscard]] bool merge_sort(Iterator first, Spare spare, std::ptrdiff_t n, std::ptrdiff_t width, Less& less) {
  struct place {
    Iterator first;
    Spare spare;
    std::ptrdiff_t n;
    bool in_spare = false;
    bool ended = false;
    ~place() {
      if (in_spare && !ended) std::move(spare, spare + n, first);
    }
  } at{first, spare, n};
  for (; width < n; width *= 2) {
    if (at.in_spare) {
      merge_runs<false>(spare, first, n, width, less);
    } else {
      merge_runs<false>(first, spare, n, width, less);
    }
    at.in_spare = !at.in_spare;
  }
  at.ended = true;
  return at.in_spare;
}

/// Merges [first, middle) and [middle, last), both sorted, without a second array, for elements that may throw when
/// they move.
template <class Iterator, class Less>
void merge_in_place(Iterator first, Iterator middle, Iterator last, Less& less) {
  if (first == middle || middle == last) return;
  if (last - first == 2) {
    if (less(*middle, *first)) std::iter_swap(first, middle);
    return;
  }
  const auto by = [&](const auto& a, const auto& b) { return static_cast<bool>(less(a, b)); };
  const bool left_is_longer = middle - first > last - middle;
  const Iterator left = left_is_longer ? first + (middle - first) / 2
                                       : std::upper_bound(first, middle, *(middle + (last - middle) / 2), by);
  const Iterator right = left_is_longer ? std::lower_bound(middle, last, *left, by) : middle + (last - middle) / 2;
  // By the longer half, one element at least goes to each side: the recursion ends whatever `less` says.
  const Iterator now = std::rotate(left, middle, right);
  merge_in_place(first, left, now, less);
  merge_in_place(now, right, last, less);
}

/// Sorts on the calling thread. Stable: takes memory for as many elements, and may throw std::bad_alloc.
template <bool Stable, class Iterator, class Less>
void sort_alone(Iterator first, Iterator last, Less& less) {
  using T = std::iter_value_t<Iterator>;
  const auto n = static_cast<std::ptrdiff_t>(last - first);
  if constexpr (!Stable) {
    const int depth = 2 * static_cast<int>(std::bit_width(static_cast<std::size_t>(n)));
    const ordered looks = looks_ordered(first, n, less);
    if constexpr (is_small_and_plain<Iterator>) {
      if (looks == ordered::hardly) return quick_sort<true>(first, last, less, depth);
    }
    if (looks == ordered::falling) std::reverse(first, last);
    quick_sort<false>(first, last, less, depth);
  } else {
    sort_runs(first, n, less);
    if (n <= run_of_insertion) return;
    if constexpr (!moves_surely<T>) {
      for (std::ptrdiff_t width = run_of_insertion; width < n; width *= 2) {
        for (std::ptrdiff_t at = 0; at + width < n; at += 2 * width)
          merge_in_place(first + at, first + at + width, first + std::min(at + 2 * width, n), less);
      }
    } else {
      const raw_elements<T> room(static_cast<std::size_t>(n));
      T* const spare = room.data();
      // All are in `room`, and back at the end, also if a comparison throws.
      struct moved {
        Iterator first;
        T* spare;
        std::ptrdiff_t n;
        bool back = false;
        ~moved() {
          if (!back) std::move(spare, spare + n, first);
          std::destroy_n(spare, n);
        }
      };
      merge_runs<true>(first, spare, n, run_of_insertion, less);
      moved at{first, spare, n};
      at.back = merge_sort(spare, first, n, 2 * run_of_insertion, less);
    }
  }
}

}  // namespace callisto::loop
