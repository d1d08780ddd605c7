// Algorithms with a policy: options, exceptions, elements that can only be moved, proxies. What they compute is
// compared with the standard library's by random_algorithms.
#include <callisto/algorithms.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace callisto {

/// Two arrays side by side, as one sequence of proxies.
class side_by_side {
 public:
  struct value {
    int key;
    int of;
    auto operator<=>(const value&) const = default;
  };
  struct reference {
    int& key;
    int& of;
    const reference& operator=(const value& to) const {
      key = to.key;
      of = to.of;
      return *this;
    }
    reference(int& k, int& o) : key(k), of(o) {}
    reference(const reference&) = default;
    const reference& operator=(const reference& to) const { return *this = static_cast<value>(to); }
    operator value() const { return {key, of}; }
    friend void swap(const reference& a, const reference& b) {
      std::swap(a.key, b.key);
      std::swap(a.of, b.of);
    }
  };
  class iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = value;
    iterator() = default;
    iterator(int* key, int* of) : key_(key), of_(of) {}
    reference operator*() const { return {*key_, *of_}; }
    reference operator[](difference_type n) const { return {key_[n], of_[n]}; }
    iterator& operator+=(difference_type n) { return key_ += n, of_ += n, *this; }
    iterator& operator-=(difference_type n) { return *this += -n; }
    iterator& operator++() { return *this += 1; }
    iterator& operator--() { return *this -= 1; }
    iterator operator++(int) { return std::exchange(*this, *this + 1); }
    iterator operator--(int) { return std::exchange(*this, *this - 1); }
    friend iterator operator+(iterator a, difference_type n) { return a += n; }
    friend iterator operator+(difference_type n, iterator a) { return a += n; }
    friend iterator operator-(iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(const iterator& a, const iterator& b) { return a.key_ - b.key_; }
    auto operator<=>(const iterator&) const = default;
    friend value iter_move(const iterator& at) { return *at; }

   private:
    int* key_ = nullptr;
    int* of_ = nullptr;
  };
};

}  // namespace callisto

namespace std {
template <template <class> class Q, template <class> class R>
struct basic_common_reference<callisto::side_by_side::value, callisto::side_by_side::reference, Q, R> {
  using type = callisto::side_by_side::value;
};
template <template <class> class Q, template <class> class R>
struct basic_common_reference<callisto::side_by_side::reference, callisto::side_by_side::value, Q, R> {
  using type = callisto::side_by_side::value;
};
}  // namespace std

namespace callisto {
namespace {

TEST(Policies, ARequestToStopEndsAnAlgorithm) {
  set_threads(2);
  std::stop_source source;
  std::vector<int> all(100'000, 1);
  const loop_options options{.stop = source.get_token()};
  callisto::fill(options, all.begin(), all.end(), 2);
  EXPECT_EQ(std::count(all.begin(), all.end(), 2), 100'000);
  // Some of the elements are looked at.
  std::atomic<std::size_t> looked{0};
  const auto stops = [&](int) {
    if (++looked == 50'000) source.request_stop();
    return false;
  };
  EXPECT_THROW(static_cast<void>(callisto::find_if(options, all.begin(), all.end(), stops)), cancelled);
  EXPECT_LT(looked, 100'000u);
  EXPECT_THROW(callisto::sort(options, all.begin(), all.end()), cancelled);
  EXPECT_THROW(static_cast<void>(callisto::reduce(options, all.begin(), all.end())), cancelled);
}

TEST(Policies, OneThreadIsTheCaller) {
  set_threads(4);
  std::vector<int> all(200'000, 1);
  static thread_local int here = 0;
  here = 1;
  callisto::for_each(loop_options{.threads = 1}, all.begin(), all.end(), [](int& x) { x += here; });
  EXPECT_EQ(std::count(all.begin(), all.end(), 2), 200'000);
}

TEST(Policies, SumsOfDoublesAreTheSameOnAnyNumberOfThreads) {
  std::vector<double> all(300'001);
  std::mt19937_64 random(5);
  for (double& x : all) x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 100);
  const auto sums = [&] {
    return std::pair(callisto::reduce(par, all.begin(), all.end(), 0.0),
                     callisto::transform_reduce(par, all.begin(), all.end(), all.rbegin(), 0.5));
  };
  set_threads(1);
  const auto expected = sums();
  for (const unsigned threads : {2u, 3u, 4u}) {
    set_threads(threads);
    for (int round = 0; round < 3; ++round) EXPECT_EQ(sums(), expected) << threads;
  }
}

/// An element that throws when the 60,000th is constructed.
struct counted {
  counted() { begin(); }
  counted(const counted&) { begin(); }
  ~counted() { --alive; }
  static void begin() {
    if (constructed.fetch_add(1) == 60'000) throw std::runtime_error("enough");
    ++alive;
  }
  static inline std::atomic<int> constructed{0};
  static inline std::atomic<int> alive{0};
};

TEST(Policies, AConstructorThatThrowsLeavesNoElement) {
  set_threads(3);
  std::allocator<counted> memory;
  constexpr std::size_t n = 100'000;
  counted* const at = memory.allocate(n);
  EXPECT_THROW(callisto::uninitialized_default_construct(par, at, at + n), std::runtime_error);
  EXPECT_EQ(counted::alive, 0);
  counted::constructed = 59'000;
  {
    const counted one;
    EXPECT_THROW(callisto::uninitialized_fill(par, at, at + n, one), std::runtime_error);
    EXPECT_EQ(counted::alive, 1);
  }
  memory.deallocate(at, n);
}

TEST(Policies, ElementsThatOnlyMove) {
  set_threads(2);
  using element = std::unique_ptr<int>;
  const auto fresh = [](std::size_t n) {
    std::vector<element> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(std::make_unique<int>(static_cast<int>(i * 7919 % n)));
    return all;
  };
  const auto values = [](const std::vector<element>& of) {
    std::vector<int> all;
    for (const element& x : of) all.push_back(x == nullptr ? -1 : *x);
    return all;
  };
  constexpr int n = 80'000;
  const auto less = [](const element& a, const element& b) { return *a < *b; };
  std::vector<element> all = fresh(n);
  const auto before = values(all);

  callisto::reverse(all);
  callisto::rotate(par, all.begin(), all.begin() + 1000, all.end());
  callisto::rotate(par, all.begin(), all.end() - 1000, all.end());
  callisto::reverse(all);
  EXPECT_EQ(values(all), before);

  callisto::nth_element(all, all.begin() + 100, less);
  EXPECT_EQ(*all[100], 100);
  callisto::partial_sort(par, all.begin(), all.begin() + 50, all.end(), less);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(*all[static_cast<std::size_t>(i)], i);

  const auto middle =
      callisto::stable_partition(all, [](int x) { return x % 2 != 0; }, [](const element& x) { return *x; });
  EXPECT_EQ(middle - all.begin(), n / 2);
  callisto::sort(par, all.begin(), middle, less);
  callisto::sort(par, middle, all.end(), less);
  callisto::inplace_merge(all, middle, less);
  for (int i = 0; i < n; ++i) ASSERT_EQ(*all[static_cast<std::size_t>(i)], i);

  const auto end = callisto::unique(all, [](const element& a, const element& b) { return *a / 10 == *b / 10; });
  EXPECT_EQ(end - all.begin(), n / 10);
  EXPECT_EQ(callisto::remove_if(par, all.begin(), end, [](const element& x) { return *x >= 1000; }) - all.begin(), 100);
}

TEST(Policies, CopyIfWritesBehindAVector) {
  set_threads(2);
  std::vector<int> in(50'000);
  std::iota(in.begin(), in.end(), 0);
  std::vector<int> mine{-1};
  callisto::copy_if(in, std::back_inserter(mine), [](int x) { return x % 5000 == 0; });
  EXPECT_EQ(mine, (std::vector<int>{-1, 0, 5000, 10'000, 15'000, 20'000, 25'000, 30'000, 35'000, 40'000, 45'000}));
}

TEST(Policies, ProxiesAreSortedAndReversed) {
  set_threads(2);
  constexpr int n = 40'000;
  std::vector<int> keys(n);
  std::vector<int> of(n);
  for (int i = 0; i < n; ++i) of[static_cast<std::size_t>(i)] = 2 * (keys[static_cast<std::size_t>(i)] = i * 7919 % n);
  const std::ranges::subrange both(side_by_side::iterator(keys.data(), of.data()),
                                   side_by_side::iterator(keys.data() + n, of.data() + n));
  const auto key = [](const auto& x) { return x.key; };
  callisto::sort(both, {}, key);
  EXPECT_TRUE(callisto::is_sorted(both, {}, key));
  callisto::reverse(both);
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(keys[static_cast<std::size_t>(i)], n - 1 - i);
    ASSERT_EQ(of[static_cast<std::size_t>(i)], 2 * (n - 1 - i));
  }
}

TEST(Policies, SequencesGoBackwards) {
  set_threads(2);
  std::vector<int> all(50'000);
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = 0; i < all.size(); i += 1000) all[i] = -1;
  const auto part = std::vector{-1, 999};  // as it stands from the back
  const auto found = callisto::find_end(par, all.rbegin(), all.rend(), part.begin(), part.end());
  EXPECT_EQ(found, std::find_end(all.rbegin(), all.rend(), part.begin(), part.end()));
  EXPECT_EQ(callisto::find_end(par, all.rbegin(), all.rend(), part.rbegin(), part.rend()),
            std::find_end(all.rbegin(), all.rend(), part.rbegin(), part.rend()));
  EXPECT_EQ(callisto::search(par, all.rbegin(), all.rend(), part.begin(), part.end()),
            std::search(all.rbegin(), all.rend(), part.begin(), part.end()));
  std::vector<int> copy(all.size());
  callisto::reverse_copy(par, all.rbegin(), all.rend(), copy.begin());
  EXPECT_EQ(copy, all);
  callisto::sort(par, all.rbegin(), all.rend());
  EXPECT_TRUE(std::is_sorted(all.rbegin(), all.rend()));
  callisto::stable_sort(par, copy.rbegin(), copy.rend(), std::greater<>());
  EXPECT_TRUE(std::is_sorted(copy.begin(), copy.end()));
}

static_assert(std::is_same_v<decltype(callisto::find(std::vector<int>{}, 1)), std::ranges::dangling>);

}  // namespace
}  // namespace callisto
