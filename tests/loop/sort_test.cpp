// Sorts of plain keys and of records by a member, against the standard library's.
#include <callisto/algorithms.hpp>
#include <callisto/loop/algorithms/sort_here.hpp>

#include "../sanitizers.hpp"
#include "../with_threads.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace callisto {
namespace {

using tests::with_threads;

/// Inputs that sorts meet: by number, each of its own shape.
constexpr int shapes = 12;
template <class T>
std::vector<T> shaped(int shape, std::size_t n, std::mt19937_64& random) {
  std::vector<T> all(n);
  const auto from = [](std::uint64_t bits) { return static_cast<T>(static_cast<std::int64_t>(bits)); };
  for (T& x : all) x = from(random());
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(n / 2);
  switch (shape) {
    case 0:
      break;
    case 1:
      std::sort(all.begin(), all.end());
      break;
    case 2:
      std::sort(all.begin(), all.end(), std::greater<>());
      break;
    case 3:
      std::fill(all.begin(), all.end(), from(77));
      break;
    case 4:
      for (T& x : all) x = from(random() % 5);
      break;
    case 5:  // nearly sorted
      std::sort(all.begin(), all.end());
      for (std::size_t i = 0; i < n / 100; ++i) std::swap(all[random() % n], all[random() % n]);
      break;
    case 6:  // an organ pipe
      std::sort(all.begin(), middle);
      std::sort(middle, all.end(), std::greater<>());
      break;
    case 7:  // two rising runs
      std::sort(all.begin(), middle);
      std::sort(middle, all.end());
      break;
    case 8:  // most keys in a narrow stretch, the rest anywhere
      for (T& x : all) x = from(random() % 4 != 0 ? (std::uint64_t{1} << 40) + random() % 100'000 : random());
      break;
    case 9:  // few large ones: the highest bits say nearly nothing
      for (T& x : all) x = from(random() % 1000 == 0 ? random() : random() % 1000);
      break;
    case 10:  // equal high bits, and low ones of different lengths
      for (T& x : all) x = from(random() >> (random() % 64));
      break;
    default:  // two keys that differ in the lowest bit
      for (T& x : all) x = from(random() % 2);
  }
  return all;
}

template <class T>
void sorts_as_std(std::initializer_list<std::size_t> sizes) {
  std::mt19937_64 random(sizeof(T));
  for (const std::size_t n : sizes) {
    for (int shape = 0; shape < shapes; ++shape) {
      std::vector<T> mine = shaped<T>(shape, n, random);
      std::vector<T> expected = mine;
      std::sort(expected.begin(), expected.end());
      std::vector<T> falling = mine;
      callisto::sort(mine);
      ASSERT_EQ(mine, expected) << n << " elements of " << sizeof(T) << " bytes, shape " << shape;
      callisto::sort(falling, std::greater<>());
      std::reverse(expected.begin(), expected.end());
      ASSERT_EQ(falling, expected) << n << " falling elements of " << sizeof(T) << " bytes, shape " << shape;
    }
  }
}

// Above the 16,384 elements from which two threads sort.
constexpr std::size_t some = tests::sanitized ? 17'000 : 70'000;
constexpr std::size_t many = tests::sanitized ? 20'000 : 150'000;

TEST(PlainSort, SortsWholeNumbersOfAnyWidth) {
  const with_threads two(2);
  sorts_as_std<std::uint64_t>({0, 1, 2, 19, 20, 21, 127, 128, 500, 513, 4096, some, many});
  sorts_as_std<std::int64_t>({20, 21, 127, 600, some});
  sorts_as_std<std::uint32_t>({20, 21, 127, 1500, some});
  sorts_as_std<std::int16_t>({3, 100, 3000, many});
  sorts_as_std<std::uint8_t>({3, 100, 5000, many});
}

TEST(PlainSort, SortsRealNumbers) {
  const with_threads two(2);
  sorts_as_std<double>({2, 20, 100, 5000, many});
  sorts_as_std<float>({2, 20, 100, 5000, some});
}

TEST(PlainSort, DistributesAgainWhatIsTooMuchForOneThread) {
  const with_threads four(4);
  std::mt19937_64 random(9);
  const std::size_t n = tests::sanitized ? 300'000 : 1'500'000;
  for (const std::uint64_t stretch : {1u << 4, 1u << 20, 1u << 31}) {
    std::vector<std::uint64_t> mine(n);
    for (auto& x : mine) x = random() % 8 != 0 ? (std::uint64_t{3} << 61) + random() % stretch : random();
    auto expected = mine;
    std::sort(expected.begin(), expected.end());
    callisto::sort(mine);
    ASSERT_TRUE(mine == expected) << "7 of 8 keys below " << stretch;
  }
}

TEST(PlainSort, WritesAroundCachesWhatIsLong) {
  const with_threads two(2);
  std::vector<std::uint64_t> mine((std::size_t{16} << 20) / sizeof(std::uint64_t) + 5);
  std::uint64_t state = 1;
  for (auto& x : mine) x = state = state * 6364136223846793005u + 1442695040888963407u;
  const auto sum = std::accumulate(mine.begin(), mine.end(), std::uint64_t{0});
  callisto::sort(mine);
  EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
  EXPECT_EQ(std::accumulate(mine.begin(), mine.end(), std::uint64_t{0}), sum);
}

template <class Real, class Bits>
void has_nans_behind(std::size_t n) {
  std::mt19937_64 random(n);
  std::vector<Real> in(n);
  for (Real& x : in) {
    const Real infinity = std::numeric_limits<Real>::infinity();
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    const Real values[] = {nan, -nan, infinity, -infinity, Real{0}, -Real{0}, std::numeric_limits<Real>::denorm_min()};
    const auto k = random() % 14;
    x = k < std::size(values) ? values[k] : static_cast<Real>(static_cast<std::int64_t>(random()));
  }
  const auto bits_of = [](const std::vector<Real>& all) {
    std::vector<Bits> bits;
    for (const Real x : all) bits.push_back(std::bit_cast<Bits>(x));
    std::sort(bits.begin(), bits.end());
    return bits;
  };
  const auto is_nan = [](Real x) { return std::isnan(x); };
  const auto numbers = n - static_cast<std::size_t>(std::count_if(in.begin(), in.end(), is_nan));
  const auto check = [&](const std::vector<Real>& mine, auto less) {
    const auto end = mine.begin() + static_cast<std::ptrdiff_t>(numbers);
    EXPECT_TRUE(std::is_sorted(mine.begin(), end, less)) << n;
    EXPECT_TRUE(std::none_of(mine.begin(), end, is_nan)) << n;
    EXPECT_TRUE(std::all_of(end, mine.end(), is_nan)) << n;
    EXPECT_EQ(bits_of(mine), bits_of(in)) << n;
  };
  std::vector<Real> mine = in;
  callisto::sort(mine);
  check(mine, std::less<>());
  callisto::sort(mine);  // what is sorted stays so
  check(mine, std::less<>());
  mine = in;
  callisto::sort(mine, std::greater<>());
  check(mine, std::greater<>());
}

TEST(PlainSort, NaNsComeBehindAllNumbers) {
  const with_threads two(2);
  for (const std::size_t n : {std::size_t{15}, std::size_t{300}, std::size_t{3000}, some}) {
    has_nans_behind<double, std::uint64_t>(n);
    has_nans_behind<float, std::uint32_t>(n);
  }
}

TEST(PlainSort, StableSortsTakeBothZerosForEqual) {
  const with_threads two(2);
  std::mt19937_64 random(4);
  std::vector<double> mine(40'000);
  for (double& x : mine) x = random() % 4 == 0 ? 0.0 : random() % 3 == 0 ? -0.0 : static_cast<double>(random() % 9) - 4;
  auto expected = mine;
  std::stable_sort(expected.begin(), expected.end());
  callisto::stable_sort(mine);
  EXPECT_EQ(std::memcmp(mine.data(), expected.data(), mine.size() * sizeof(double)), 0);
}

struct pair_8 {
  std::uint32_t place;
  std::int32_t key;
};
struct pair_16 {
  double key;
  std::uint32_t place;
};
struct record_24 {
  std::uint32_t place;
  char name[14];
  std::int16_t key;
};
struct record_32 {
  std::uint64_t rest[2];
  std::uint32_t place;
  float key;
  std::uint64_t more;
};
struct large_record {
  std::uint64_t key;
  std::uint64_t rest[5];
  std::uint32_t place;
};

/// Sorts records by their key, and checks that equal ones keep their order.
template <class Record>
void sorts_records(std::initializer_list<std::size_t> sizes) {
  using key = decltype(Record::key);
  std::mt19937_64 random(sizeof(Record));
  for (const std::size_t n : sizes) {
    for (const std::uint64_t keys : {std::uint64_t{3}, std::uint64_t{1000}, ~std::uint64_t{0}}) {
      std::vector<Record> in(n);
      for (std::size_t i = 0; i < n; ++i) {
        in[i] = {};
        in[i].place = static_cast<std::uint32_t>(i);
        in[i].key = static_cast<key>(static_cast<std::int64_t>(random() % keys - keys / 2));
        if constexpr (std::is_floating_point_v<key>) {
          if (random() % 8 == 0) in[i].key = random() % 2 == 0 ? key{0} : -key{0};
        }
      }
      const auto places = [](const std::vector<Record>& all) {
        std::vector<std::pair<key, std::uint32_t>> seen;
        for (const Record& r : all) seen.emplace_back(r.key, r.place);
        return seen;
      };
      auto expected = in;
      auto mine = in;
      std::ranges::stable_sort(expected, {}, &Record::key);
      callisto::stable_sort(mine, {}, &Record::key);
      ASSERT_EQ(places(mine), places(expected)) << n << " records of " << sizeof(Record) << " bytes, " << keys;
      expected = in;
      std::ranges::stable_sort(expected, std::greater<>(), &Record::key);
      callisto::stable_sort(in, std::ranges::greater(), &Record::key);
      ASSERT_EQ(places(in), places(expected)) << n << " falling records of " << sizeof(Record) << " bytes, " << keys;
    }
  }
}

TEST(PlainSort, RecordsByAMemberKeepTheOrderOfEqualKeys) {
  const with_threads two(2);
  sorts_records<pair_8>({0, 1, 2, 20, 127, 600, 5000, some});
  sorts_records<pair_16>({20, 700, some});
  sorts_records<record_24>({20, 700, some});
  sorts_records<record_32>({20, 700, some});
  sorts_records<large_record>({20, some});
}

TEST(PlainSort, RecordsWithoutANumberComeLast) {
  const with_threads two(2);
  std::mt19937_64 random(6);
  std::vector<record_32> in(3000);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i].place = static_cast<std::uint32_t>(i);
    in[i].key = random() % 5 == 0 ? (random() % 2 == 0 ? std::nanf("") : -std::nanf(""))
                                  : static_cast<float>(random() % 100) - 50;
  }
  for (const bool falls : {false, true}) {
    auto expected = in;
    std::ranges::stable_sort(expected, [&](const record_32& a, const record_32& b) {
      if (std::isnan(a.key) || std::isnan(b.key)) return !std::isnan(a.key) && std::isnan(b.key);
      return falls ? b.key < a.key : a.key < b.key;
    });
    auto mine = in;
    falls ? callisto::stable_sort(mine, std::greater<>(), &record_32::key)
          : callisto::stable_sort(mine, {}, &record_32::key);
    for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(mine[i].place, expected[i].place) << i << falls;
  }
}

TEST(PlainSort, SortsByAnyProjection) {
  const with_threads two(2);
  std::mt19937_64 random(8);
  std::vector<std::string> words(some);
  for (std::string& w : words) w = std::to_string(random() >> (random() % 60));
  auto expected = words;
  std::ranges::stable_sort(expected, {}, &std::string::size);
  callisto::stable_sort(words, {}, &std::string::size);
  EXPECT_EQ(words, expected);
  std::ranges::sort(expected, std::greater<>(), [](const std::string& s) { return s.substr(1); });
  callisto::sort(words, std::greater<>(), [](const std::string& s) { return s.substr(1); });
  EXPECT_TRUE(std::ranges::equal(
      words, expected, {}, [](const std::string& s) { return s.substr(1); },
      [](const std::string& s) { return s.substr(1); }));
}

/// Texts that meet in each of the ways in which keys of eight characters can be equal: by number.
constexpr int text_shapes = 9;
std::vector<std::string> shaped_texts(int shape, std::size_t n, std::mt19937_64& random) {
  std::vector<std::string> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::string& t = all[i];
    const std::uint64_t r = random();
    switch (shape) {
      case 0:  // short ones
        t = std::to_string(r >> (r % 60));
        break;
      case 1:  // a long beginning that all have
        t = "https://www.example.com/a/page/with/a/number/" + std::to_string(r % n);
        break;
      case 2:  // bytes of any value, with zeros
        t.resize(r % 12);
        for (char& c : t) c = static_cast<char>(random() % 4 * 85);
        break;
      case 3:  // zeros at the end
        t = std::string(r % 3, 'a') + std::string(r % 20, '\0');
        break;
      case 4:  // beginnings of each other
        t = std::string(r % 200, 'x');
        break;
      case 5:  // few different ones
        t = "one of a few that are equal in more than eight: " + std::to_string(r % 7);
        break;
      case 6:  // groups at several depths
        t = "group " + std::to_string(r % 3) + std::string(r % 2 * 30, '.') + std::to_string(r % 11) + " of " +
            std::to_string(r % 100'000);
        break;
      case 7:
        t = std::string(100, 'e');
        break;
      default:  // nearly all alike, and some that are not
        t = r % 16 == 0 ? std::to_string(r) : "prefix that is longer than sixteen " + std::to_string(r % 1000);
    }
  }
  return all;
}

struct named {
  std::string name;
  std::size_t place;
};

TEST(TextSort, SortsAsStd) {
  std::mt19937_64 random(5);
  const std::size_t sizes[] = {2, 127, 128, 1000, tests::sanitized ? 17'000u : 40'000u};
  for (const unsigned threads : {1u, 4u}) {
    const with_threads now(threads);
    for (int shape = 0; shape < text_shapes; ++shape) {
      for (const std::size_t n : sizes) {
        if (tests::sanitized && threads == 1 && n > 1000) continue;  // one thread shows a sanitizer nothing new
        const std::vector<std::string> in = shaped_texts(shape, n, random);
        std::vector<named> elements(n);
        for (std::size_t i = 0; i < n; ++i) elements[i] = {in[i], i};
        auto expected = elements;
        std::ranges::stable_sort(expected, {}, &named::name);
        auto mine = elements;
        callisto::stable_sort(mine, {}, &named::name);
        const auto same = [](const named& a, const named& b) { return a.place == b.place && a.name == b.name; };
        ASSERT_TRUE(std::ranges::equal(mine, expected, same)) << shape << ' ' << n << ' ' << threads;
        std::ranges::stable_sort(expected = elements, std::greater<>(), &named::name);
        callisto::stable_sort(elements, std::greater<>(), &named::name);
        ASSERT_TRUE(std::ranges::equal(elements, expected, same)) << shape << ' ' << n << ' ' << threads;
        std::vector<std::string_view> views(in.begin(), in.end());
        callisto::sort(views);
        auto texts = in;
        callisto::sort(texts.rbegin(), texts.rend(), std::ranges::greater());
        ASSERT_TRUE(std::is_sorted(texts.begin(), texts.end()) && std::ranges::equal(texts, views))
            << shape << ' ' << n;
        auto again = in;
        std::sort(again.begin(), again.end());
        ASSERT_EQ(texts, again);
      }
    }
  }
}

struct only_moved_text {
  std::unique_ptr<std::string> text;
  std::string_view view() const { return *text; }
};

TEST(TextSort, MovesElementsThatCannotBeCopied) {
  const with_threads two(2);
  std::mt19937_64 random(6);
  std::vector<only_moved_text> all(20'000);
  for (auto& e : all) e.text = std::make_unique<std::string>("text " + std::to_string(random() % 5000));
  callisto::sort(all, std::less<std::string_view>(), &only_moved_text::view);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &only_moved_text::view));
  // An exception while keys are made leaves all elements where they were.
  int calls = 0;
  const auto throws = [&](const only_moved_text& e) -> std::string_view {
    if (++calls > 100) throw std::runtime_error("on purpose");
    return e.view();
  };
  std::swap(all[0], all[1]);
  const with_threads one(1);
  EXPECT_THROW(callisto::sort(all, {}, throws), std::runtime_error);
  for (const auto& e : all) ASSERT_NE(e.text, nullptr);
}

/// Sorts shaped numbers on this thread, bare and in records, against std::stable_sort.
template <class T, class Less>
void sorts_here(const Less& less) {
  struct record {
    T key;
    std::uint64_t place;
    bool operator==(const record&) const = default;
  };
  std::mt19937_64 random(9);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{300}, some}) {
    for (int shape = 0; shape < shapes; ++shape) {
      const std::vector<T> input = shaped<T>(shape, n, random);
      std::vector<T> expected = input;
      std::stable_sort(expected.begin(), expected.end(), less);
      std::vector<T> found = input;
      loop::stable_sort_here(found.data(), n, less);
      ASSERT_EQ(found, expected) << n << " of shape " << shape;
      std::vector<record> records;
      for (const T& x : input) records.push_back({x, records.size()});
      std::vector<record> sorted = records;
      std::ranges::stable_sort(sorted, less, &record::key);
      loop::stable_sort_here(records.data(), n, less, &record::key);
      ASSERT_EQ(records, sorted) << n << " records of shape " << shape;
    }
  }
}

TEST(PlainSort, SortsHereWithoutLoops) {
  const with_threads two(2);
  sorts_here<std::uint64_t>(std::less<>());
  sorts_here<std::int32_t>(std::greater<>());
  sorts_here<double>(std::less<>());
  std::vector<double> zeros{0.0, -0.0, 1.0, -0.0, 0.0, -1.0};
  loop::stable_sort_here(zeros.data(), zeros.size());
  std::vector<bool> signs;
  for (const double x : zeros) signs.push_back(std::signbit(x));
  EXPECT_EQ(signs, (std::vector<bool>{true, false, true, true, false, false}));
}

TEST(PlainSort, SortsInsideOfALoop) {
  const with_threads two(2);
  std::vector<std::vector<std::uint32_t>> rows(8);
  std::mt19937_64 random(2);
  for (auto& row : rows) {
    row.resize(some);
    for (auto& x : row) x = static_cast<std::uint32_t>(random());
  }
  parallel_for(rows, [](std::vector<std::uint32_t>& row) { callisto::sort(row); });
  for (const auto& row : rows) EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
}

}  // namespace
}  // namespace callisto
