// Algorithms against the standard library's: random ones, of random elements, lengths, initial values and threads, with
// comparisons and bodies that throw or are no order. Prints the first run that differs, with its seed.
//
// random_algorithms [--runs N] [--seed S] [--standard 1]: run k of seed S is run 0 of seed S + k. --standard: only
// algorithms with a policy, by chance one group of these a run.
#include <callisto/algorithms.hpp>

#include "standard_algorithms.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using callisto::usage_error;

/// What a run threw on purpose.
struct on_purpose : std::runtime_error {
  on_purpose() : std::runtime_error("on purpose") {}
};

struct keyed {
  std::uint32_t key;
  std::uint32_t place;
};
/// A large element.
struct bulky {
  std::uint64_t key;
  std::array<std::uint64_t, 20> rest;
};
/// An element that can be moved and not copied.
using only_moved = std::unique_ptr<std::uint64_t>;
/// An element that may throw when it moves, as far as the compiler knows.
struct unsure {
  explicit unsure(std::uint64_t k) : key(std::to_string(k)) {}
  unsure(const unsure& of) : key(of.key) {}
  unsure& operator=(const unsure& of) {
    if (this != &of) key = of.key;
    return *this;
  }
  std::string key;
};
/// A value that reductions keep on the heap.
struct histogram {
  std::array<std::uint32_t, 300> counts{};
  friend histogram operator+(histogram a, const histogram& b) {
    for (std::size_t i = 0; i < a.counts.size(); ++i) a.counts[i] += b.counts[i];
    return a;
  }
  bool operator==(const histogram&) const = default;
};

template <class T>
T make(std::uint64_t key, std::uint64_t place) {
  if constexpr (std::is_same_v<T, keyed>) {
    return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(place)};
  } else if constexpr (std::is_same_v<T, bulky>) {
    return {key, {place, key}};
  } else if constexpr (std::is_same_v<T, only_moved>) {
    return std::make_unique<std::uint64_t>(key);
  } else if constexpr (std::is_same_v<T, unsure>) {
    return unsure(key);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return (key % 2 != 0 ? "beyond the small strings " : "") + std::to_string(key);
  } else if constexpr (std::is_same_v<T, bool>) {
    return key % 2 != 0;
  } else {
    return static_cast<T>(key % 100);
  }
}
template <class T>
auto key_of(const T& x) {
  if constexpr (std::is_same_v<T, keyed> || std::is_same_v<T, bulky>) {
    return std::uint64_t{x.key};
  } else if constexpr (std::is_same_v<T, unsure>) {
    return std::string_view(x.key);
  } else if constexpr (std::is_same_v<T, only_moved>) {
    return x == nullptr ? std::uint64_t{0} - 1 : *x;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::string_view(x);
  } else {
    return x;
  }
}
/// All of an element, to compare sequences.
template <class T>
auto whole(const T& x) {
  if constexpr (std::is_same_v<T, keyed>) {
    return std::pair(x.key, x.place);
  } else if constexpr (std::is_same_v<T, bulky>) {
    return std::pair(x.key, x.rest);
  } else {
    return key_of(x);
  }
}

class run {
 public:
  run(std::uint64_t seed, unsigned threads, bool of_standard)
      : random_(seed), threads_(threads), of_standard_(of_standard) {}

  /// Returns what differs; empty: nothing.
  std::string operator()() {
    if (of_standard_) return below(2) != 0 ? standard<std::int32_t>() : standard<std::string>();
    switch (below(16)) {
      case 0:
        return sorts<std::int8_t>();
      case 1:
        return sorts<std::int32_t>();
      case 2:
        return sorts<std::uint64_t>();
      case 3:
        return sorts<double>();
      case 4:
        return sorts<keyed>();
      case 5:
        switch (below(5)) {
          case 0:
            return sorts<std::string>();
          case 1:
            return sorts<bulky>();
          case 2:
            return sorts<only_moved>();
          case 3:
            return sorts<unsure>();
          default:
            return sorts<bool>();
        }
      case 6:
        return folds<bool, bool>(std::not_equal_to<>{}, true);
      case 7:
        return below(2) != 0 ? folds<std::int8_t, std::int64_t>(std::plus<>{}, true)
                             : folds<std::int16_t, std::int32_t>([](int a, int b) { return std::min(a, b); }, true);
      case 8:
        return below(2) != 0 ? folds<std::uint64_t, std::uint64_t>(std::plus<>{}, true)
                             : folds<float, float>(std::plus<>{}, true);
      case 9:
        return below(2) != 0 ? folds<float, double>(std::plus<>{}, true)
                             : folds<std::string, std::string>(std::plus<>{}, false);
      case 10:
        return below(4) != 0 ? searches<std::int32_t>() : searches<std::string>();
      case 11:
        return histograms();
      default:
        return below(2) != 0 ? standard<std::int32_t>() : standard<std::string>();
    }
  }

 private:
  template <class T>
  std::string standard() {
    const std::uint64_t n = length(!std::is_same_v<T, std::int32_t>);
    const std::string differs = callisto::tests::standard_of(random_, elements<T>(n));
    return differs.empty() ? "" : said(differs.c_str(), n);
  }

  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  /// Most sequences are short; some have several blocks of a scan, and buckets of a sort.
  std::uint64_t length(bool heavy) {
    switch (below(8)) {
      case 0:
        return below(3);
      case 1:
      case 2:
      case 3:
        return below(100);
      case 4:
      case 5:
        return below(5000);
      case 6:
        return 16384 + below(8000);
      default:
        return heavy ? below(30'000) : 30'000 + below(50'000);
    }
  }

  std::string said(const char* what, std::uint64_t n) const {
    return std::string(what) + " of " + std::to_string(n) + " elements on " + std::to_string(threads_) + " threads";
  }

  template <class T>
  std::vector<T> elements(std::uint64_t n) {
    const std::uint64_t keys = std::uint64_t{1} << below(30);
    const std::uint64_t shape = below(6);
    std::vector<T> all;
    all.reserve(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t by = shape == 0 ? i : shape == 1 ? n - i : shape == 2 && below(50) != 0 ? i : below(keys);
      all.push_back(make<T>(by, i));
    }
    return all;
  }

  template <class T>
  std::string sorts() {
    constexpr bool heavy = !std::is_arithmetic_v<T> || std::is_same_v<T, bool>;
    const std::uint64_t n = length(heavy);
    std::vector<T> mine = elements<T>(n);
    using seen = decltype(whole(std::declval<const T&>()));
    const auto snapshot = [](const std::vector<T>& of) {
      // Texts of their own: elements move.
      using kept = std::conditional_t<std::is_same_v<seen, std::string_view>, std::string, seen>;
      std::vector<kept> all;
      for (std::size_t i = 0; i < of.size(); ++i) all.push_back(kept(whole(static_cast<const T&>(of[i]))));
      return all;
    };
    const auto before = snapshot(mine);
    const bool stable = below(2) != 0;
    enum {
      right,
      throwing,
      not_strict,
      random_answers,
      reversed
    } const kind{static_cast<int>(below(5)) == 1 ? throwing
                 : below(8) == 0                 ? not_strict
                 : below(8) == 0                 ? random_answers
                 : below(4) == 0                 ? reversed
                                                 : right};
    const std::uint64_t last = below(1 + 20 * (n + 1));
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> answers{random_()};
    const bool allocates = below(2) != 0;
    const auto less = [&](const T& a, const T& b) {
      if (kind == throwing && calls.fetch_add(1) == last) {
        if (allocates) throw std::bad_alloc();
        throw on_purpose();
      }
      if (kind == not_strict) return key_of(a) <= key_of(b);
      if (kind == random_answers) return (answers.fetch_add(0x9e3779b97f4a7c15) >> 63) != 0;
      return kind == reversed ? key_of(b) < key_of(a) : key_of(a) < key_of(b);
    };
    bool thrown = false;
    try {
      if (stable) {
        callisto::stable_sort(mine, std::cref(less));
      } else {
        callisto::sort(mine, std::cref(less));
      }
    } catch (const on_purpose&) {
      thrown = true;
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    if (thrown && kind != throwing) return said("an exception of a sort", n);
    auto after = snapshot(mine);
    auto expected = before;
    if (!thrown && kind != random_answers) {
      const auto ordered = [&](std::size_t i) {
        const auto a = key_of(static_cast<const T&>(mine[i]));
        const auto b = key_of(static_cast<const T&>(mine[i + 1]));
        return kind == reversed ? !(a < b) : !(b < a);
      };
      for (std::size_t i = 0; i + 1 < mine.size(); ++i) {
        if (!ordered(i)) return said("the order of a sort", n);
      }
      if constexpr (std::is_same_v<T, keyed>) {
        for (std::size_t i = 0; stable && kind != not_strict && i + 1 < mine.size(); ++i) {
          if (mine[i].key == mine[i + 1].key && mine[i].place > mine[i + 1].place) return said("equal elements", n);
        }
      }
    }
    std::sort(after.begin(), after.end());
    std::sort(expected.begin(), expected.end());
    return after == expected ? "" : said(thrown ? "what a sort that threw left" : "what a sort left", n);
  }

  /// Scans and reductions by an associative operation. What is combined keeps its value in any order if `commutes`.
  template <class T, class Sum, class Op>
  std::string folds(Op op, bool commutes) {
    const std::uint64_t n = std::is_same_v<T, std::string> ? below(4000) * below(2) + below(300) : length(false);
    std::vector<T> in = elements<T>(n);
    if constexpr (std::is_floating_point_v<T>) {
      for (T& x : in) x = static_cast<T>(static_cast<int>(x) % 16);  // sums are exact
    }
    const Sum initial = make<Sum>(below(1000), 0);
    const auto combined = [&](const Sum& a, const Sum& b) { return static_cast<Sum>(op(a, b)); };
    const auto at = [&](std::uint64_t i) -> Sum { return static_cast<Sum>(in[i]); };
    std::vector<Sum> sums;  // before each element, and behind all
    sums.push_back(initial);
    if constexpr (std::is_same_v<T, std::string>) {
      // All prefixes would take the square of the length.
      Sum all = initial;
      for (std::uint64_t i = 0; i < n; ++i) all += at(i);
      if (callisto::deterministic_reduce(std::uint64_t{0}, n, initial, at, op) != all) return said("the string", n);
      std::vector<Sum> out(std::min<std::uint64_t>(n, 300));
      std::vector<Sum> wanted(out.size());
      const std::vector<T> few(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(out.size()));
      std::inclusive_scan(few.begin(), few.end(), wanted.begin(), op, initial);
      callisto::inclusive_scan(few, out.begin(), initial, op);
      return out == wanted ? "" : said("the scan of strings", n);
    } else {
      for (std::uint64_t i = 0; i < n; ++i) sums.push_back(combined(sums.back(), at(i)));
      if (callisto::deterministic_reduce(std::uint64_t{0}, n, initial, at, combined) != sums.back())
        return said("deterministic_reduce", n);
      if (commutes && callisto::parallel_reduce(std::uint64_t{0}, n, initial, at, combined) != sums.back())
        return said("parallel_reduce", n);
      // No bits: neighbours are written by several threads.
      using stored = std::conditional_t<std::is_same_v<Sum, bool>, char, Sum>;
      std::vector<stored> out(n);
      const Sum all = callisto::exclusive_scan(in, out.begin(), initial, combined);
      if (all != sums.back() || !std::equal(out.begin(), out.end(), sums.begin())) return said("exclusive_scan", n);
      std::fill(out.begin(), out.end(), stored{});
      const Sum again = callisto::inclusive_scan(in, out.begin(), initial, combined);
      if (again != all || !std::equal(out.begin(), out.end(), sums.begin() + 1)) return said("inclusive_scan", n);
      if constexpr (std::is_same_v<T, Sum> && !std::is_same_v<T, bool>) {
        callisto::inclusive_scan(in, in.begin(), initial, combined);
        if (in != out) return said("inclusive_scan in place", n);
      }
      return "";
    }
  }

  template <class T>
  std::string searches() {
    const std::uint64_t n = length(true);
    const std::vector<T> in = elements<T>(n);
    const auto key = n == 0 ? T{} : in[below(n)];
    const auto wanted = [&](const T& x) { return x == key; };
    const auto unwanted = [&](const T& x) { return x != key; };
    const auto found = std::find_if(in.begin(), in.end(), wanted);
    if (callisto::find_if(in, wanted) != found) return said("find_if", n);
    if (callisto::any_of(in, wanted) != (found != in.end())) return said("any_of", n);
    if (callisto::all_of(in, wanted) != std::all_of(in.begin(), in.end(), wanted)) return said("all_of", n);
    if (callisto::count_if(in, wanted) != static_cast<std::uint64_t>(std::count_if(in.begin(), in.end(), wanted)))
      return said("count_if", n);
    std::vector<T> kept(n);
    std::vector<T> expected;
    std::copy_if(in.begin(), in.end(), std::back_inserter(expected), unwanted);
    kept.erase(callisto::copy_if(in, kept.begin(), unwanted), kept.end());
    if (kept != expected) return said("copy_if", n);
    const auto twice = [](const T& x) { return static_cast<T>(x + x); };
    std::vector<T> mine = in;
    callisto::transform(mine, mine.begin(), twice);
    for (std::uint64_t i = 0; i < n; ++i) {
      if (mine[i] != twice(in[i])) return said("transform", n);
    }
    return "";
  }

  std::string histograms() {
    const std::uint64_t n = below(500);
    histogram initial;
    initial.counts[7] = 100;
    histogram expected = initial;
    for (std::uint64_t i = 0; i < n; ++i) ++expected.counts[i * i % 300];
    const auto one = [](std::uint64_t i) {
      histogram h;
      h.counts[i * i % 300] = 1;
      return h;
    };
    if (!(callisto::parallel_reduce(std::uint64_t{0}, n, initial, one) == expected)) return said("histogram", n);
    if (!(callisto::deterministic_reduce(std::uint64_t{0}, n, initial, one) == expected))
      return said("deterministic histogram", n);
    const auto into = [](std::uint64_t b, std::uint64_t e, histogram& h) {
      for (; b != e; ++b) ++h.counts[b * b % 300];
    };
    histogram all = callisto::parallel_reduce(std::uint64_t{0}, n, histogram{}, into);
    all.counts[7] += 100;
    return all == expected ? "" : said("histogram by batches", n);
  }

  std::mt19937_64 random_;
  const unsigned threads_;
  const bool of_standard_;
};

std::uint64_t number(const char* text) { return std::strtoull(text, nullptr, 10); }

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t runs = 300;
  std::uint64_t seed = 1;
  std::uint64_t standard = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    (std::strcmp(argv[i], "--runs") == 0   ? runs
     : std::strcmp(argv[i], "--seed") == 0 ? seed
                                           : standard) = number(argv[i + 1]);
  }
  constexpr unsigned threads[] = {1, 2, 3, 4, 8};
  constexpr std::uint64_t stretch = 50;  // runs between two changes of the number of threads, which takes long
  for (std::uint64_t r = 0; r < runs; ++r) {
    const std::uint64_t mine = seed + r;
    const unsigned on = threads[(mine / stretch) % std::size(threads)];
    if (r == 0 || mine % stretch == 0) callisto::set_threads(on);
    std::string differs;
    try {
      differs = run(mine, on, standard != 0)();
    } catch (const std::exception& thrown) {
      differs = std::string("thrown: ") + thrown.what();
    }
    if (!differs.empty()) {
      std::fprintf(stderr, "--seed %llu --runs 1: %s\n", static_cast<unsigned long long>(mine), differs.c_str());
      return 1;
    }
  }
  std::printf("%llu runs from seed %llu: none differs\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(seed));
  return 0;
}
