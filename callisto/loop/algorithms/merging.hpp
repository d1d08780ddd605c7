// Merging sorted sequences, and the set operations over them.
//
// A merge is cut by places of its result: what a place gets from each sequence is found by bisection (Deo and Sarkar,
// "Parallel algorithms for merging and sorting", 1991). Set operations are cut before the first of equal elements, in
// both sequences; each block counts what it writes, and then writes it.
#pragma once

#include <callisto/loop/algorithms/filtering.hpp>
#include <callisto/loop/algorithms/pieces.hpp>
#include <callisto/loop/algorithms/policy.hpp>
#include <callisto/loop/algorithms/sort_alone.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
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

/// Returns how many of the first k elements of a merge come from `a`; equal ones come from `a` first.
template <class I, class J, class Less>
std::uint64_t from_left(std::uint64_t k, I a, std::uint64_t n, J b, std::uint64_t m, Less& less) {
  std::uint64_t low = k > m ? k - m : 0;
  std::uint64_t high = std::min(k, n);
  while (low < high) {
    const std::uint64_t i = low + (high - low) / 2;
    if (std::invoke(less, *place(b, k - i - 1), *place(a, i))) {
      high = i;
    } else {
      low = i + 1;
    }
  }
  return low;
}

/// Counts what an algorithm writes.
class counting_output {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = void;
  using pointer = void;
  using reference = void;
  using iterator_category = std::output_iterator_tag;
  counting_output& operator*() noexcept { return *this; }
  counting_output& operator++() noexcept { return ++count_, *this; }
  counting_output operator++(int) noexcept {
    const counting_output before = *this;
    ++count_;
    return before;
  }
  template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, counting_output>)
  counting_output& operator=(T&&) noexcept {
    return *this;
  }
  std::uint64_t count() const noexcept { return count_; }

 private:
  std::uint64_t count_ = 0;
};

/// Two sorted sequences, cut into blocks so that equal elements are in one.
template <class I, class J>
class cut_sequences {
 public:
  struct part {
    I first;
    I last;
    J second;
    J end;
  };

  /// Throws what `less` throws, and std::bad_alloc.
  template <class Less>
  cut_sequences(I first, std::uint64_t n, J second, std::uint64_t m, Less& less) : first_(first), second_(second) {
    const std::uint64_t longer = std::max(n, m);
    const blocks all(longer, 1 << 12, 1 << 13);
    cuts_.push_back({0, 0});
    for (std::uint64_t b = 1; b < all.count(); ++b) {
      const auto by_less = [&](const auto& x, const auto& y) { return static_cast<bool>(std::invoke(less, x, y)); };
      const auto cut_by = [&](const auto& key) {
        const std::uint64_t i = count_between(first, std::lower_bound(first, place(first, n), key, by_less));
        const std::uint64_t j = count_between(second, std::lower_bound(second, place(second, m), key, by_less));
        // Whatever `less` says, parts do not overlap.
        cuts_.push_back({std::max(i, cuts_.back().first), std::max(j, cuts_.back().second)});
      };
      if (n == longer) {
        cut_by(*place(first, all.begin(b)));
      } else {
        cut_by(*place(second, all.begin(b)));
      }
    }
    cuts_.push_back({n, m});
  }
  std::uint64_t count() const noexcept { return cuts_.size() - 1; }
  part at(std::uint64_t b) const {
    return {place(first_, cuts_[b].first), place(first_, cuts_[b + 1].first), place(second_, cuts_[b].second),
            place(second_, cuts_[b + 1].second)};
  }

 private:
  I first_;
  J second_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> cuts_;  ///< where each part begins, and all end
};

/// Writes operation(part, out) of two sorted sequences; returns the end of what is written.
template <class I, class J, class Out, class Less, class Operation>
Out set_operation(const policy& by, I first, I last, J second, J end, Out out, Less& less, Operation operation) {
  static_assert(all_write_by_threads<Out>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const std::uint64_t n = count_between(first, last);
  const std::uint64_t m = count_between(second, end);
  using cut = cut_sequences<I, J>;
  constexpr std::uint64_t few = 1 << 13;
  if (n + m <= few) return operation(typename cut::part{first, last, second, end}, out);
  const cut cuts(first, n, second, m, less);
  // As long as the calling thread is alone, it writes at once.
  beginning_alone alone(cuts.count(), by);
  while (alone.next()) {
    for (std::uint64_t b = alone.from(); b < alone.to(); ++b) out = operation(cuts.at(b), out);
  }
  const std::uint64_t done = alone.to();
  std::vector<std::uint64_t> before(cuts.count() - done + 1, 0);
  const blocks rest(cuts.count() - done, 1, ~std::uint64_t{0});
  for_blocks(
      rest, [&](std::uint64_t b) { before[b + 1] = operation(cuts.at(done + b), counting_output()).count(); }, by);
  for (std::uint64_t b = 0; b < rest.count(); ++b) before[b + 1] += before[b];
  for_blocks(rest, [&](std::uint64_t b) { operation(cuts.at(done + b), place(out, before[b])); }, by);
  return place(out, before.back());
}

/// Merges [from + i, from + i_end) and [from + j, from + j_end) by moving them to `out`. If a comparison throws, the
/// rest of the elements is moved, too.
template <class From, class I, class Less>
void merge_by_moving(From from, std::uint64_t i, std::uint64_t i_end, std::uint64_t j, std::uint64_t j_end, I out,
                     Less& less) {
  struct rest {
    From from;
    std::uint64_t i;
    std::uint64_t i_end;
    std::uint64_t j;
    std::uint64_t j_end;
    I out;
    void take(std::uint64_t& at) noexcept { *out++ = std::move(from[at++]); }
    ~rest() {
      while (i < i_end) take(i);
      while (j < j_end) take(j);
    }
  } at{from, i, i_end, j, j_end, out};
  while (at.i < at.i_end && at.j < at.j_end) at.take(std::invoke(less, from[at.j], from[at.i]) ? at.j : at.i);
}

/// Merges the first `middle` of n elements with the rest of them, in place.
template <class I, class Less>
void merge_halves(I first, std::uint64_t middle, std::uint64_t n, Less& less, const policy& by) {
  using T = std::iter_value_t<I>;
  struct cut {
    std::uint64_t left;
    std::atomic<bool> done;
  };
  const blocks all(n, 1 << 12, 1 << 12);
  const auto cuts = std::make_unique<cut[]>(all.count() + 1);
  for (std::uint64_t b = 0; b <= all.count(); ++b) {
    const std::uint64_t begin = b == all.count() ? n : all.begin(b);
    const std::uint64_t left = from_left(begin, first, middle, place(first, middle), n - middle, less);
    // Whatever `less` says, parts do not overlap.
    const std::uint64_t known = b == 0 ? 0 : cuts[b - 1].left;
    const std::uint64_t right = b == 0 ? 0 : all.begin(b - 1) - known;
    cuts[b].left = b == all.count() ? middle : std::clamp(left, known, std::min(middle, begin - right));
  }
  const raw_elements<T> room(n);
  T* const from = room.data();
  move_pieces(
      n,
      [&](std::uint64_t b, std::uint64_t e) noexcept {
        for (; b < e; ++b) std::construct_at(from + b, std::move(*place(first, b)));
      },
      by.where());
  const auto merge_block = [&](std::uint64_t b, auto& by_less) {
    cuts[b].done.store(true, std::memory_order_relaxed);
    const std::uint64_t begin = all.begin(b);
    const std::uint64_t end = all.end(b);
    merge_by_moving(from, cuts[b].left, cuts[b + 1].left, middle + begin - cuts[b].left,
                    middle + end - cuts[b + 1].left, place(first, begin), by_less);
  };
  // Blocks that no thread has begun come back, too, whatever a comparison throws.
  const auto finish = [&]() noexcept {
    const auto any = [](const T&, const T&) noexcept { return false; };
    for (std::uint64_t b = 0; b < all.count(); ++b) {
      // relaxed, all: the loop has ended, which orders what its threads did.
      if (!cuts[b].done.load(std::memory_order_relaxed)) merge_block(b, any);
    }
    std::destroy_n(from, n);
  };
  struct at_end {
    const decltype(finish)& f;
    ~at_end() { f(); }
  } const ends{finish};
  for_blocks(all, [&](std::uint64_t b) { merge_block(b, less); }, policy(by.where()));
}

}  // namespace loop

/// Merges two sorted sequences into `out`, which overlaps neither; returns the end of what is written. Of equal
/// elements, the first sequence's come first.
template <std::random_access_iterator I, std::random_access_iterator J, std::random_access_iterator Out,
          class Less = std::less<>>
Out merge(const policy& by, I first, I last, J second, J end, Out out, Less less = {}) {
  static_assert(loop::all_write_by_threads<Out>, "elements of std::vector<bool> share words: use a std::vector<char>");
  const std::uint64_t n = loop::count_between(first, last);
  const std::uint64_t m = loop::count_between(second, end);
  loop::for_pieces(
      n + m,
      [&](std::uint64_t from, std::uint64_t to) {
        const std::uint64_t i = loop::from_left(from, first, n, second, m, less);
        const std::uint64_t j = loop::from_left(to, first, n, second, m, less);
        std::merge(loop::place(first, i), loop::place(first, j), loop::place(second, from - i),
                   loop::place(second, to - j), loop::place(out, from), std::ref(less));
      },
      by);
  return loop::place(out, n + m);
}
template <loop::sequence A, loop::sequence B, std::random_access_iterator Out, class Less = std::less<>>
Out merge(A&& a, B&& b, Out out, Less less = {}, std::source_location where = std::source_location::current()) {
  return callisto::merge(policy(where), std::ranges::begin(a), loop::end_of(a), std::ranges::begin(b), loop::end_of(b),
                         out, std::move(less));
}

/// Merges two sorted parts of a sequence, which meet at `middle`, in place and stably. Takes a second array. If `less`
/// throws, or is no order, the sequence holds the same elements in some order.
template <std::random_access_iterator I, class Less = std::less<>, class Projection = std::identity>
void inplace_merge(const policy& by, I first, I middle, I last, Less less = {}, Projection projection = {}) {
  using T = std::iter_value_t<I>;
  auto by_key = [&](const T& a, const T& b) {
    return static_cast<bool>(std::invoke(less, std::invoke(projection, a), std::invoke(projection, b)));
  };
  if (first == middle || middle == last) return;
  if constexpr (loop::moves_by_threads<I>) {
    loop::merge_halves(first, loop::count_between(first, middle), loop::count_between(first, last), by_key, by);
  } else {
    loop::merge_in_place(first, middle, last, by_key);
  }
}
template <loop::sequence Range, class Less = std::less<>, class Projection = std::identity>
void inplace_merge(Range&& range, std::ranges::iterator_t<Range> middle, Less less = {}, Projection projection = {},
                   std::source_location where = std::source_location::current()) {
  callisto::inplace_merge(policy(where), std::ranges::begin(range), middle, loop::end_of(range), std::move(less),
                          std::move(projection));
}

/// True if each element of the second sorted sequence is in the first one, as often as there.
template <std::random_access_iterator I, std::random_access_iterator J, class Less = std::less<>>
bool includes(const policy& by, I first, I last, J second, J end, Less less = {}) {
  const std::uint64_t n = loop::count_between(first, last);
  const std::uint64_t m = loop::count_between(second, end);
  if (m > n) return false;
  const loop::cut_sequences<I, J> cuts(first, n, second, m, less);
  const auto lacks = [&](std::uint64_t b) {
    const auto part = cuts.at(b);
    return !std::includes(part.first, part.last, part.second, part.end, std::ref(less));
  };
  return loop::find_first(
             cuts.count(),
             [&](std::uint64_t from, std::uint64_t to) { return loop::first_hit<false>(from, to, lacks); },
             by) == cuts.count();
}
template <loop::sequence A, loop::sequence B, class Less = std::less<>>
bool includes(A&& a, B&& b, Less less = {}, std::source_location where = std::source_location::current()) {
  return callisto::includes(policy(where), std::ranges::begin(a), loop::end_of(a), std::ranges::begin(b),
                            loop::end_of(b), std::move(less));
}

/// Writes the elements that are in one of two sorted sequences or in both, in order; returns the end of what is
/// written. An element that is equal in both comes from the first one. `less` is asked twice as often as by
/// std::set_union.
template <std::random_access_iterator I, std::random_access_iterator J, std::random_access_iterator Out,
          class Less = std::less<>>
Out set_union(const policy& by, I first, I last, J second, J end, Out out, Less less = {}) {
  return loop::set_operation(by, first, last, second, end, out, less, [&](const auto& part, auto to) {
    return std::set_union(part.first, part.last, part.second, part.end, to, std::ref(less));
  });
}
template <loop::sequence A, loop::sequence B, std::random_access_iterator Out, class Less = std::less<>>
Out set_union(A&& a, B&& b, Out out, Less less = {}, std::source_location where = std::source_location::current()) {
  return callisto::set_union(policy(where), std::ranges::begin(a), loop::end_of(a), std::ranges::begin(b),
                             loop::end_of(b), out, std::move(less));
}
/// Writes the elements of the first sorted sequence that are in the second one, too; the rest as set_union().
template <std::random_access_iterator I, std::random_access_iterator J, std::random_access_iterator Out,
          class Less = std::less<>>
Out set_intersection(const policy& by, I first, I last, J second, J end, Out out, Less less = {}) {
  return loop::set_operation(by, first, last, second, end, out, less, [&](const auto& part, auto to) {
    return std::set_intersection(part.first, part.last, part.second, part.end, to, std::ref(less));
  });
}
template <loop::sequence A, loop::sequence B, std::random_access_iterator Out, class Less = std::less<>>
Out set_intersection(A&& a, B&& b, Out out, Less less = {},
                     std::source_location where = std::source_location::current()) {
  return callisto::set_intersection(policy(where), std::ranges::begin(a), loop::end_of(a), std::ranges::begin(b),
                                    loop::end_of(b), out, std::move(less));
}
/// Writes the elements of the first sorted sequence that are not in the second one; the rest as set_union().
template <std::random_access_iterator I, std::random_access_iterator J, std::random_access_iterator Out,
          class Less = std::less<>>
Out set_difference(const policy& by, I first, I last, J second, J end, Out out, Less less = {}) {
  return loop::set_operation(by, first, last, second, end, out, less, [&](const auto& part, auto to) {
    return std::set_difference(part.first, part.last, part.second, part.end, to, std::ref(less));
  });
}
template <loop::sequence A, loop::sequence B, std::random_access_iterator Out, class Less = std::less<>>
Out set_difference(A&& a, B&& b, Out out, Less less = {},
                   std::source_location where = std::source_location::current()) {
  return callisto::set_difference(policy(where), std::ranges::begin(a), loop::end_of(a), std::ranges::begin(b),
                                  loop::end_of(b), out, std::move(less));
}
/// Writes the elements that are in one of two sorted sequences and not in both; the rest as set_union().
template <std::random_access_iterator I, std::random_access_iterator J, std::random_access_iterator Out,
          class Less = std::less<>>
Out set_symmetric_difference(const policy& by, I first, I last, J second, J end, Out out, Less less = {}) {
  return loop::set_operation(by, first, last, second, end, out, less, [&](const auto& part, auto to) {
    return std::set_symmetric_difference(part.first, part.last, part.second, part.end, to, std::ref(less));
  });
}
template <loop::sequence A, loop::sequence B, std::random_access_iterator Out, class Less = std::less<>>
Out set_symmetric_difference(A&& a, B&& b, Out out, Less less = {},
                             std::source_location where = std::source_location::current()) {
  return callisto::set_symmetric_difference(policy(where), std::ranges::begin(a), loop::end_of(a),
                                            std::ranges::begin(b), loop::end_of(b), out, std::move(less));
}

}  // namespace callisto
