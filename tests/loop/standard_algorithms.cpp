// Each algorithm with a policy, against the standard library's of the same name, on random elements.
#include "standard_algorithms.hpp"

#include <callisto/algorithms.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace callisto::tests {

namespace {

/// The algorithms of a group, one after the other, on elements of type T, which has +, == and <. Over ranges or with a
/// policy, as chance has it.
template <class T>
class standard_algorithms {
 public:
  standard_algorithms(std::mt19937_64& random, std::vector<T> in) : random_(random), in_(std::move(in)) {
    key_ = in_.empty() ? T() : in_[below(in_.size())];
    other_ = in_.empty() ? T() : in_[below(in_.size())];
    middle_ = static_cast<std::ptrdiff_t>(below(in_.size() + 1));
    sorted_ = in_;
    std::sort(sorted_.begin(), sorted_.end());
  }

  /// Returns the name of an algorithm that differs; empty: none.
  std::string operator()() {
    differs_.clear();
    // What is compiled for numbers alone. All else is the same for any type.
    if constexpr (std::is_arithmetic_v<T>) {
      below(2) != 0 ? searches() : folds();
      return differs_;
    } else {
      using group = void (standard_algorithms::*)();
      static constexpr group groups[] = {
          &standard_algorithms::writes,   &standard_algorithms::moves,   &standard_algorithms::searches,
          &standard_algorithms::compares, &standard_algorithms::filters, &standard_algorithms::merges,
          &standard_algorithms::selects,  &standard_algorithms::folds,   &standard_algorithms::constructs};
      (this->*groups[below(std::size(groups))])();
      return differs_;
    }
  }

 private:
  using vector = std::vector<T>;

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool by_range() { return below(2) != 0; }
  void require(bool right, const char* what) {
    if (!right && differs_.empty()) differs_ = what;
  }
  /// Both algorithms return a place of the vector that they change.
  template <class Mine, class Std>
  void same_in_place(const char* what, Mine mine, Std expected) {
    vector a = in_;
    vector b = in_;
    const auto at = mine(a) - a.begin();
    const auto expected_at = expected(b) - b.begin();
    require(at == expected_at && a == b, what);
  }
  /// Compares as same_in_place(), but what is behind the place may differ.
  template <class Mine, class Std>
  void same_front(const char* what, Mine mine, Std expected) {
    vector a = in_;
    vector b = in_;
    a.erase(mine(a), a.end());
    b.erase(expected(b), b.end());
    require(a == b, what);
  }
  /// Both write into a vector of `size` elements, and return a place of it.
  template <class Mine, class Std>
  void same_copy(const char* what, std::size_t size, Mine mine, Std expected) {
    vector a(size, key_);
    vector b(size, key_);
    const auto at = mine(a.begin()) - a.begin();
    const auto expected_at = expected(b.begin()) - b.begin();
    require(at == expected_at && a == b, what);
  }
  static vector sorted(vector of) {
    std::sort(of.begin(), of.end());
    return of;
  }

  void writes() {
    const auto first = in_.begin();
    const auto last = in_.end();
    const std::size_t n = in_.size();
    const auto twice = [](const T& x) { return static_cast<T>(x + x); };
    const auto is_key = [this](const T& x) { return x == key_; };
    const bool ranges = by_range();
    same_in_place(
        "fill, fill_n",
        [&](vector& v) { return ranges ? (fill(v, key_), v.end()) : fill_n(par, v.begin(), middle_, key_); },
        [&](vector& v) {
          return ranges ? (std::fill(v.begin(), v.end(), key_), v.end()) : std::fill_n(v.begin(), middle_, key_);
        });
    same_in_place(
        "generate, for_each",
        [&](vector& v) {
          if (ranges) {
            generate(par, v.begin(), v.end(), [this] { return key_; });
          } else {
            callisto::for_each(par, v.begin(), v.end(), [&](T& x) { x = twice(x); });
          }
          return generate_n(par, callisto::for_each_n(par, v.begin(), 2 * middle_ / 3, [](T& x) { x = T(); }), 0,
                            [] { return T(); });
        },
        [&](vector& v) {
          for (T& x : v) x = ranges ? key_ : twice(x);
          return std::fill_n(v.begin(), 2 * middle_ / 3, T());
        });
    same_copy(
        "copy, transform", n,
        [&](auto out) {
          return ranges ? callisto::copy(in_, out) : callisto::transform(in_, out, std::identity(), twice);
        },
        [&](auto out) { return ranges ? std::copy(first, last, out) : std::transform(first, last, out, twice); });
    same_copy(
        "copy_n, transform of two", n,
        [&](auto out) {
          return ranges ? callisto::copy_n(par, first, middle_, out)
                        : callisto::transform(par, first, last, sorted_.begin(), out, std::plus<>());
        },
        [&](auto out) {
          return ranges ? std::copy_n(first, middle_, out)
                        : std::transform(first, last, sorted_.begin(), out, std::plus<>());
        });
    same_copy(
        "move", n, [&](auto out) { return callisto::move(par, sorted_.begin(), sorted_.end(), out); },
        [&](auto out) { return std::copy(in_.begin(), in_.end(), out), std::move(in_.begin(), in_.end(), out); }, true);
    same_in_place(
        "replace, replace_if",
        [&](vector& v) {
          if (ranges) {
            callisto::replace(v, key_, other_);
          } else {
            callisto::replace_if(par, v.begin(), v.end(), is_key, other_);
          }
          return v.end();
        },
        [&](vector& v) { return std::replace(v.begin(), v.end(), key_, other_), v.end(); });
    same_copy(
        "replace_copy, replace_copy_if", n,
        [&](auto out) {
          return ranges ? callisto::replace_copy(in_, out, key_, other_)
                        : callisto::replace_copy_if(par, first, last, out, is_key, other_);
        },
        [&](auto out) { return std::replace_copy(first, last, out, key_, other_); });
    const auto minus = [](const T& a, const T& b) { return static_cast<T>(a + b); };
    same_copy(
        "adjacent_difference", n,
        [&](auto out) {
          return ranges ? callisto::adjacent_difference(in_, out, minus)
                        : callisto::adjacent_difference(par, first, last, out, minus);
        },
        [&](auto out) { return std::adjacent_difference(first, last, out, minus); });
  }

  /// Moves elements out of a vector that is not looked at again: the standard's algorithm is not asked.
  template <class Mine, class Std>
  void same_copy(const char* what, std::size_t size, Mine mine, Std, bool) {
    vector a(size);
    const vector expected = sorted_;
    const auto end = mine(a.begin());
    require(end == a.end() && a == expected, what);
    sorted_ = expected;
  }

  void moves() {
    const auto first = in_.begin();
    const auto last = in_.end();
    const std::size_t n = in_.size();
    const bool ranges = by_range();
    same_in_place(
        "reverse", [&](vector& v) { return ranges ? reverse(v) : callisto::reverse(par, v.begin(), v.end()), v.end(); },
        [&](vector& v) { return std::reverse(v.begin(), v.end()), v.end(); });
    same_copy(
        "reverse_copy", n,
        [&](auto out) { return ranges ? reverse_copy(in_, out) : callisto::reverse_copy(par, first, last, out); },
        [&](auto out) { return std::reverse_copy(first, last, out); });
    same_in_place(
        "rotate",
        [&](vector& v) {
          return ranges ? callisto::rotate(v, v.begin() + middle_)
                        : callisto::rotate(par, v.begin(), v.begin() + middle_, v.end());
        },
        [&](vector& v) { return std::rotate(v.begin(), v.begin() + middle_, v.end()); });
    same_copy(
        "rotate_copy", n,
        [&](auto out) {
          return ranges ? callisto::rotate_copy(in_, first + middle_, out)
                        : callisto::rotate_copy(par, first, first + middle_, last, out);
        },
        [&](auto out) { return std::rotate_copy(first, first + middle_, last, out); });
    const std::ptrdiff_t by = below(3) == 0 ? std::min<std::ptrdiff_t>(middle_, 3) : middle_;
    same_front(
        "shift_left",
        [&](vector& v) {
          return ranges ? callisto::shift_left(v, by) : callisto::shift_left(par, v.begin(), v.end(), by);
        },
        [&](vector& v) { return std::shift_left(v.begin(), v.end(), by); });
    vector a = in_;
    vector b = in_;
    const auto mine = ranges ? callisto::shift_right(a, by) : callisto::shift_right(par, a.begin(), a.end(), by);
    const auto expected = std::shift_right(b.begin(), b.end(), by);
    require(mine - a.begin() == expected - b.begin() && std::equal(mine, a.end(), expected), "shift_right");
    a = in_;
    b = sorted_;
    if (ranges) {
      callisto::swap_ranges(a, b);
    } else {
      require(callisto::swap_ranges(par, a.begin(), a.end(), b.begin()) == b.end(), "the end of swap_ranges");
    }
    require(a == sorted_ && b == in_, "swap_ranges");
  }

  void searches() {
    const auto first = in_.begin();
    const auto last = in_.end();
    const bool ranges = by_range();
    const T key = below(2) != 0 ? key_ : static_cast<T>(key_ + key_);
    const auto is_key = [&](const T& x) { return x == key; };
    require((ranges ? callisto::find(in_, key) : callisto::find(par, first, last, key)) == std::find(first, last, key),
            "find");
    require((ranges ? callisto::find_if_not(in_, is_key) : callisto::find_if_not(par, first, last, is_key)) ==
                std::find_if_not(first, last, is_key),
            "find_if_not");
    require((ranges ? callisto::find_if(in_, is_key) : callisto::find_if(par, first, last, is_key)) ==
                std::find_if(first, last, is_key),
            "find_if");
    require((ranges ? callisto::any_of(in_, is_key) : callisto::any_of(par, first, last, is_key)) ==
                std::any_of(first, last, is_key),
            "any_of");
    require((ranges ? callisto::all_of(in_, is_key) : callisto::all_of(par, first, last, is_key)) ==
                std::all_of(first, last, is_key),
            "all_of");
    require((ranges ? callisto::none_of(in_, is_key) : callisto::none_of(par, first, last, is_key)) ==
                std::none_of(first, last, is_key),
            "none_of");
    require((ranges ? callisto::adjacent_find(in_) : callisto::adjacent_find(par, first, last)) ==
                std::adjacent_find(first, last),
            "adjacent_find");
    const auto count = std::count(first, last, key);
    require(callisto::count(par, first, last, key) == count &&
                callisto::count(in_, key) == static_cast<std::uint64_t>(count),
            "count");
    require(callisto::count_if(par, first, last, is_key) == count, "count_if");
    // A piece of the sequence, perhaps with its last element changed.
    const auto from = static_cast<std::ptrdiff_t>(below(in_.size() + 1));
    const auto most = std::min<std::uint64_t>(in_.size() - static_cast<std::uint64_t>(from), 1 + below(5));
    vector part(first + from, first + from + static_cast<std::ptrdiff_t>(most));
    if (!part.empty() && below(3) == 0) part.back() = key;
    require((ranges ? callisto::search(in_, part) : callisto::search(par, first, last, part.begin(), part.end())) ==
                std::search(first, last, part.begin(), part.end()),
            "search");
    require((ranges ? callisto::find_end(in_, part) : callisto::find_end(par, first, last, part.begin(), part.end())) ==
                std::find_end(first, last, part.begin(), part.end()),
            "find_end");
    require((ranges ? callisto::find_first_of(in_, part)
                    : callisto::find_first_of(par, first, last, part.begin(), part.end())) ==
                std::find_first_of(first, last, part.begin(), part.end()),
            "find_first_of");
    const auto run = static_cast<int>(below(4));
    require((ranges ? callisto::search_n(in_, run, key) : callisto::search_n(par, first, last, run, key)) ==
                std::search_n(first, last, run, key),
            "search_n");
    const auto least = std::minmax_element(first, last);
    require((ranges ? callisto::min_element(in_) : callisto::min_element(par, first, last)) == least.first,
            "min_element");
    require((ranges ? callisto::max_element(in_) : callisto::max_element(par, first, last)) ==
                std::max_element(first, last),
            "max_element");
    const auto mine = ranges ? callisto::minmax_element(in_) : callisto::minmax_element(par, first, last);
    require(mine == least, "minmax_element");
    const auto greater = [](const T& a, const T& b) { return b < a; };
    require(callisto::minmax_element(par, first, last, greater) == std::minmax_element(first, last, greater),
            "minmax_element by a comparison");
  }

  void compares() {
    const bool ranges = by_range();
    vector other = in_;
    if (!other.empty() && below(2) != 0) other[below(other.size())] = key_;
    if (below(3) == 0) other.resize(below(other.size() + 2));
    const auto first = in_.begin();
    const auto last = in_.end();
    const auto found = std::mismatch(first, last, other.begin(), other.end());
    require((ranges ? callisto::mismatch(in_, other)
                    : callisto::mismatch(par, first, last, other.begin(), other.end())) == found,
            "mismatch");
    require((ranges ? callisto::equal(in_, other) : callisto::equal(par, first, last, other.begin(), other.end())) ==
                (in_ == other),
            "equal");
    require((ranges ? callisto::lexicographical_compare(in_, other)
                    : callisto::lexicographical_compare(par, first, last, other.begin(), other.end())) == (in_ < other),
            "lexicographical_compare");
    vector nearly = below(2) != 0 ? sorted_ : in_;
    if (!nearly.empty() && below(2) != 0) nearly[below(nearly.size())] = key_;
    require(
        (ranges ? callisto::is_sorted_until(nearly) : callisto::is_sorted_until(par, nearly.begin(), nearly.end())) ==
            std::is_sorted_until(nearly.begin(), nearly.end()),
        "is_sorted_until");
    require((ranges ? callisto::is_sorted(nearly) : callisto::is_sorted(par, nearly.begin(), nearly.end())) ==
                std::is_sorted(nearly.begin(), nearly.end()),
            "is_sorted");
    const auto small = [this](const T& x) { return x < key_; };
    require((ranges ? callisto::is_partitioned(nearly, small)
                    : callisto::is_partitioned(par, nearly.begin(), nearly.end(), small)) ==
                std::is_partitioned(nearly.begin(), nearly.end(), small),
            "is_partitioned");
    std::reverse(nearly.begin(), nearly.end());
    require((ranges ? callisto::is_heap_until(nearly) : callisto::is_heap_until(par, nearly.begin(), nearly.end())) ==
                std::is_heap_until(nearly.begin(), nearly.end()),
            "is_heap_until");
    require((ranges ? callisto::is_heap(nearly) : callisto::is_heap(par, nearly.begin(), nearly.end())) ==
                std::is_heap(nearly.begin(), nearly.end()),
            "is_heap");
  }

  void filters() {
    const auto first = in_.begin();
    const auto last = in_.end();
    const std::size_t n = in_.size();
    const bool ranges = by_range();
    const auto small = [this](const T& x) { return x < key_; };
    const auto near = [](const T& a, const T& b) { return !(a < b) && !(b < a); };
    const vector& of = below(2) != 0 ? in_ : sorted_;
    same_copy(
        "copy_if", n,
        [&](auto out) {
          return ranges ? callisto::copy_if(of, out, small) : callisto::copy_if(par, of.begin(), of.end(), out, small);
        },
        [&](auto out) { return std::copy_if(of.begin(), of.end(), out, small); });
    same_copy(
        "remove_copy_if", n,
        [&](auto out) {
          return ranges ? callisto::remove_copy_if(in_, out, small)
                        : callisto::remove_copy_if(par, first, last, out, small);
        },
        [&](auto out) { return std::remove_copy_if(first, last, out, small); });
    same_copy(
        "remove_copy", n,
        [&](auto out) {
          return ranges ? callisto::remove_copy(in_, out, key_) : callisto::remove_copy(par, first, last, out, key_);
        },
        [&](auto out) { return std::remove_copy(first, last, out, key_); });
    same_copy(
        "unique_copy", n,
        [&](auto out) {
          return ranges ? callisto::unique_copy(of, out) : callisto::unique_copy(par, of.begin(), of.end(), out, near);
        },
        [&](auto out) { return std::unique_copy(of.begin(), of.end(), out); });
    same_front(
        "remove, remove_if",
        [&](vector& v) {
          return ranges ? callisto::remove(v, key_) : callisto::remove_if(par, v.begin(), v.end(), small);
        },
        [&](vector& v) {
          return ranges ? std::remove(v.begin(), v.end(), key_) : std::remove_if(v.begin(), v.end(), small);
        });
    same_front(
        "unique",
        [&](vector& v) {
          v = of;
          return ranges ? callisto::unique(v) : callisto::unique(par, v.begin(), v.end(), near);
        },
        [&](vector& v) {
          v = of;
          return std::unique(v.begin(), v.end());
        });
    same_in_place(
        "stable_partition",
        [&](vector& v) {
          return ranges ? callisto::stable_partition(v, small)
                        : callisto::stable_partition(par, v.begin(), v.end(), small);
        },
        [&](vector& v) { return std::stable_partition(v.begin(), v.end(), small); });
    vector mine = in_;
    const auto at =
        ranges ? callisto::partition(mine, small) : callisto::partition(par, mine.begin(), mine.end(), small);
    require(std::all_of(mine.begin(), at, small) && std::none_of(at, mine.end(), small) && sorted(mine) == sorted_,
            "partition");
    vector yes(n);
    vector no(n);
    vector expected_yes(n);
    vector expected_no(n);
    const auto ends = ranges ? callisto::partition_copy(in_, yes.begin(), no.begin(), small)
                             : callisto::partition_copy(par, first, last, yes.begin(), no.begin(), small);
    const auto expected = std::partition_copy(first, last, expected_yes.begin(), expected_no.begin(), small);
    require(ends.first - yes.begin() == expected.first - expected_yes.begin() && yes == expected_yes &&
                no == expected_no && ends.second - no.begin() == expected.second - expected_no.begin(),
            "partition_copy");
    // A condition that throws leaves all where it was.
    mine = in_;
    std::atomic<std::uint64_t> left{below(2 * n + 1)};
    const auto throws = [&](const T& x) {
      if (left.fetch_sub(1) == 0) throw std::runtime_error("on purpose");
      return x < key_;
    };
    try {
      if (ranges) {
        callisto::stable_partition(mine, std::ref(throws));
      } else {
        callisto::remove_if(par, mine.begin(), mine.end(), std::ref(throws));
      }
    } catch (const std::runtime_error&) {
      require(mine == in_, "what a condition that throws left");
    }
  }

  void merges() {
    const bool ranges = by_range();
    // Two sorted sequences with elements in common.
    vector a;
    vector b;
    const std::uint64_t share = 1 + below(4);
    for (const T& x : sorted_) {
      const std::uint64_t to = below(share + 2);
      if (to != 0) a.push_back(x);
      if (to < 2) b.push_back(x);
    }
    if (below(2) != 0) a.swap(b);
    const std::size_t n = a.size() + b.size();
    const auto all = [&](auto algorithm) { return algorithm(a.begin(), a.end(), b.begin(), b.end()); };
    const auto compare = [&](const char* what, auto mine_range, auto mine, auto expected) {
      same_copy(
          what, n,
          [&](auto out) {
            return ranges ? mine_range(a, b, out) : all([&](auto... ends) { return mine(par, ends..., out); });
          },
          [&](auto out) { return all([&](auto... ends) { return expected(ends..., out); }); });
    };
#define CALLISTO_BOTH(name)                                         \
  compare(                                                          \
      #name, [](const auto&... x) { return callisto::name(x...); }, \
      [](const auto&... x) { return callisto::name(x...); }, [](const auto&... x) { return std::name(x...); })
    CALLISTO_BOTH(merge);
    CALLISTO_BOTH(set_union);
    CALLISTO_BOTH(set_intersection);
    CALLISTO_BOTH(set_difference);
    CALLISTO_BOTH(set_symmetric_difference);
#undef CALLISTO_BOTH
    require((ranges ? callisto::includes(a, b) : callisto::includes(par, a.begin(), a.end(), b.begin(), b.end())) ==
                std::includes(a.begin(), a.end(), b.begin(), b.end()),
            "includes");
    vector both = a;
    both.insert(both.end(), b.begin(), b.end());
    const auto middle = static_cast<std::ptrdiff_t>(a.size());
    vector mine = both;
    if (ranges) {
      callisto::inplace_merge(mine, mine.begin() + middle);
    } else {
      callisto::inplace_merge(par, mine.begin(), mine.begin() + middle, mine.end());
    }
    require(mine == sorted(both), "inplace_merge");
    // The same elements are left by a comparison that throws, or is no order.
    mine = both;
    const bool random = below(2) != 0;
    std::atomic<std::uint64_t> left{below(2 * n + 1)};
    const auto wrong = [&](const T& x, const T& y) {
      const std::uint64_t now = left.fetch_sub(1);
      if (random) return now * 0x9e3779b97f4a7c15 >> 63 != 0;
      if (now == 0) throw std::runtime_error("on purpose");
      return x < y;
    };
    try {
      callisto::inplace_merge(par, mine.begin(), mine.begin() + middle, mine.end(), std::ref(wrong));
    } catch (const std::runtime_error&) {
    }
    require(sorted(mine) == sorted(both), "what an inplace_merge left");
  }

  void selects() {
    const bool ranges = by_range();
    vector mine = in_;
    const auto k = static_cast<std::size_t>(middle_);
    if (ranges) {
      callisto::nth_element(mine, mine.begin() + middle_);
    } else {
      callisto::nth_element(par, mine.begin(), mine.begin() + middle_, mine.end());
    }
    const auto at = mine.begin() + middle_;
    if (k < mine.size()) {
      require(*at == sorted_[k] && std::none_of(mine.begin(), at, [&](const T& x) { return *at < x; }) &&
                  std::none_of(at, mine.end(), [&](const T& x) { return x < *at; }),
              "nth_element");
    }
    require(sorted(mine) == sorted_, "what nth_element left");
    mine = in_;
    if (ranges) {
      callisto::partial_sort(mine, mine.begin() + middle_);
    } else {
      callisto::partial_sort(par, mine.begin(), mine.begin() + middle_, mine.end());
    }
    require(std::equal(mine.begin(), mine.begin() + middle_, sorted_.begin()) && sorted(mine) == sorted_,
            "partial_sort");
    same_copy(
        "partial_sort_copy", k,
        [&](auto out) {
          return ranges ? callisto::partial_sort_copy(in_, std::ranges::subrange(out, out + middle_))
                        : callisto::partial_sort_copy(par, in_.begin(), in_.end(), out, out + middle_);
        },
        [&](auto out) { return std::partial_sort_copy(in_.begin(), in_.end(), out, out + middle_); });
    const std::uint64_t few = below(100);
    const vector top = callisto::top_k(in_, few);
    require(
        top.size() == std::min<std::uint64_t>(few, in_.size()) && std::equal(top.begin(), top.end(), sorted_.begin()),
        "top_k");
    mine = in_;
    std::atomic<std::uint64_t> calls{random_()};
    const auto wrong = [&](const T&, const T&) { return calls.fetch_add(1) * 0x9e3779b97f4a7c15 >> 63 != 0; };
    callisto::nth_element(par, mine.begin(), mine.begin() + middle_, mine.end(), std::ref(wrong));
    require(sorted(mine) == sorted_, "what nth_element left by no order");
    mine = in_;
    callisto::sort(par, mine.begin(), mine.end());
    require(mine == sorted_, "sort");
    mine = in_;
    callisto::stable_sort(par, mine.begin(), mine.end());
    require(mine == sorted_, "stable_sort");
    const auto counted = callisto::histogram_by_key(in_);
    const auto groups = callisto::group_by_key(in_, std::identity());
    require(counted.size() == groups.size(), "the groups of group_by_key");
    auto begin = sorted_.begin();
    for (std::size_t g = 0; g < groups.size() && differs_.empty(); ++g) {
      const auto end = std::upper_bound(begin, sorted_.end(), groups[g].first);
      require(counted[g] == std::pair(*begin, static_cast<std::uint64_t>(end - begin)), "histogram_by_key");
      require(vector(begin, end) == groups[g].second, "group_by_key");
      begin = end;
    }
    require(begin == sorted_.end(), "the end of group_by_key");
  }

  void folds() {
    const auto first = in_.begin();
    const auto last = in_.end();
    const std::size_t n = in_.size();
    const bool ranges = by_range();
    // Sums of strings would take the square of the length.
    const auto op = [](const T& a, const T& b) { return std::max(a, b); };
    const auto f = [](const T& x) { return x; };
    const T all = std::accumulate(first, last, key_, op);
    require((ranges ? callisto::reduce(in_, key_, op) : callisto::reduce(par, first, last, key_, op)) == all, "reduce");
    require((ranges ? callisto::transform_reduce(in_, key_, op, f)
                    : callisto::transform_reduce(par, first, last, key_, op, f)) == all,
            "transform_reduce");
    require(callisto::transform_reduce(par, first, last, sorted_.begin(), key_, op, op) ==
                std::inner_product(first, last, sorted_.begin(), key_, op, op),
            "transform_reduce of two");
    if constexpr (std::is_arithmetic_v<T>) {
      require(callisto::reduce(par, first, last) == std::accumulate(first, last, T()), "reduce by sum");
      require(callisto::transform_reduce(par, first, last, sorted_.begin(), T()) ==
                  std::inner_product(first, last, sorted_.begin(), T()),
              "inner product");
      const auto counts = callisto::histogram_by_index(in_, 100);
      require(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) == n &&
                  (n == 0 ||
                   counts[static_cast<std::size_t>(key_)] == static_cast<std::uint64_t>(std::count(first, last, key_))),
              "histogram_by_index");
    }
    same_copy(
        "inclusive_scan", n, [&](auto out) { return callisto::inclusive_scan(par, first, last, out, op); },
        [&](auto out) { return std::inclusive_scan(first, last, out, op); });
    same_copy(
        "inclusive_scan from a value", n,
        [&](auto out) { return callisto::inclusive_scan(par, first, last, out, op, key_); },
        [&](auto out) { return std::inclusive_scan(first, last, out, op, key_); });
    same_copy(
        "exclusive_scan", n, [&](auto out) { return callisto::exclusive_scan(par, first, last, out, key_, op); },
        [&](auto out) { return std::exclusive_scan(first, last, out, key_, op); });
    same_copy(
        "transform_inclusive_scan", n,
        [&](auto out) {
          return ranges ? callisto::transform_inclusive_scan(par, first, last, out, op, f)
                        : callisto::transform_inclusive_scan(par, first, last, out, op, f, in_.empty() ? T() : in_[0]);
        },
        [&](auto out) { return std::transform_inclusive_scan(first, last, out, op, f); });
    same_copy(
        "transform_exclusive_scan", n,
        [&](auto out) {
          if (!ranges) return callisto::transform_exclusive_scan(par, first, last, out, key_, op, f);
          require(callisto::transform_exclusive_scan(in_, out, key_, op, f) == all, "what an exclusive scan returns");
          return out + static_cast<std::ptrdiff_t>(n);
        },
        [&](auto out) { return std::transform_exclusive_scan(first, last, out, key_, op, f); });
  }

  void constructs() {
    const std::size_t n = in_.size();
    std::allocator<T> memory;
    T* const at = memory.allocate(n + 1);
    T* const end = at + n;
    const auto holds = [&](const char* what, bool right) {
      require(right, what);
      callisto::destroy(par, at, end);
    };
    require(callisto::uninitialized_copy(par, in_.begin(), in_.end(), at) == end, "the end of uninitialized_copy");
    holds("uninitialized_copy", std::equal(at, end, in_.begin()));
    callisto::uninitialized_copy_n(par, in_.begin(), n, at);
    holds("uninitialized_copy_n", std::equal(at, end, in_.begin()));
    vector from = in_;
    callisto::uninitialized_move(par, from.begin(), from.end(), at);
    holds("uninitialized_move", std::equal(at, end, in_.begin()));
    from = in_;
    require(callisto::uninitialized_move_n(par, from.begin(), n, at).second == end, "the end of uninitialized_move_n");
    holds("uninitialized_move_n", std::equal(at, end, in_.begin()));
    callisto::uninitialized_fill(par, at, end, key_);
    holds("uninitialized_fill", std::count(at, end, key_) == end - at);
    callisto::uninitialized_fill_n(par, at, n, key_);
    holds("uninitialized_fill_n", std::count(at, end, key_) == end - at);
    callisto::uninitialized_value_construct(par, at, end);
    holds("uninitialized_value_construct", std::count(at, end, T()) == end - at);
    callisto::uninitialized_value_construct_n(par, at, n);
    holds("uninitialized_value_construct_n", std::count(at, end, T()) == end - at);
    callisto::uninitialized_default_construct(par, at, end);
    callisto::fill(par, at, end, key_);
    holds("uninitialized_default_construct", std::count(at, end, key_) == end - at);
    callisto::uninitialized_default_construct_n(par, at, n);
    callisto::fill(par, at, end, key_);
    require(std::count(at, end, key_) == end - at, "uninitialized_default_construct_n");
    require(callisto::destroy_n(par, at, n) == end, "destroy_n");
    memory.deallocate(at, n + 1);
  }

  std::mt19937_64& random_;
  vector in_;
  vector sorted_;
  T key_{};
  T other_{};
  std::ptrdiff_t middle_ = 0;
  std::string differs_;
};

}  // namespace

std::string standard_of(std::mt19937_64& random, std::vector<std::int32_t> in) {
  return standard_algorithms<std::int32_t>(random, std::move(in))();
}
std::string standard_of(std::mt19937_64& random, std::vector<std::string> in) {
  return standard_algorithms<std::string>(random, std::move(in))();
}

}  // namespace callisto::tests
