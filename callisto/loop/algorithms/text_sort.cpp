#include <callisto/loop/algorithms/text_sort.hpp>

#include <callisto/loop/parallel_for.hpp>
#include <callisto/loop/parallel_reduce.hpp>
#include <callisto/workers/teams/runtime.hpp>

#include <algorithm>
#include <mutex>
#include <vector>

namespace callisto::loop {

namespace {

/// Returns how many characters two texts have in common, which are equal before `from`.
std::size_t common_length(std::string_view a, std::string_view b, std::size_t from) noexcept {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t i = from;
  while (i + 8 <= most && std::memcmp(a.data() + i, b.data() + i, 8) == 0) i += 8;
  while (i < most && a[i] == b[i]) ++i;
  return i;
}

class text_key_sorter {
 public:
  text_key_sorter(const text_order& order, const std::source_location& where) noexcept : order_(order), where_(where) {}

  void sort(text_key* keys, std::uint64_t n) {
    const unsigned threads = n < worth_while ? 1 : workers::loop_team_here().where.threads();
    large_ = threads == 1 ? n : std::max<std::uint64_t>(worth_while, n / (8 * std::uint64_t{threads}));
    if (begin_alike(keys, n)) {
      left_.push_back({keys, n, 0});
    } else {
      sort_loaded({keys, n, 0}, threads > 1);
    }
    // Groups that are too large for one thread.
    while (!left_.empty()) {
      group next = left_.back();
      left_.pop_back();
      if (load(next, true)) sort_loaded(next, true);
    }
  }

 private:
  static constexpr std::uint64_t worth_while = 1 << 14;
  static constexpr std::uint64_t few = 24;

  /// Keys with texts that are equal before `from`.
  struct group {
    text_key* keys;
    std::uint64_t n;
    std::size_t from;
  };

  std::string_view text(const text_key& of) const { return order_.at(order_.source, of.place); }

  /// Whether the texts seem to begin with the same character, so that their first eight say little.
  static bool begin_alike(const text_key* keys, std::uint64_t n) noexcept {
    constexpr std::uint64_t looks = 64;
    if (n < looks) return false;
    for (std::uint64_t i = 0; i < looks; ++i) {
      if ((keys[n / looks * i].characters ^ keys[0].characters) >> 56 != 0) return false;
    }
    return true;
  }

  void sort_few(const group& of) const {
    std::sort(of.keys, of.keys + of.n, [&](const text_key& a, const text_key& b) {
      const std::string_view x = text(a);
      const std::string_view y = text(b);
      const int order = x.substr(std::min(of.from, x.size())).compare(y.substr(std::min(of.from, y.size())));
      if (order == 0) return a.place < b.place;
      return order_.falling ? order > 0 : order < 0;
    });
  }

  /// Leaves texts that are no more than the beginning that all texts have in common. Gives the keys of longer texts the
  /// characters behind that beginning, and makes `of` their group. False if there are fewer than two.
  bool load(group& of, bool together) const {
    const std::string_view first = text(of.keys[0]);
    const auto shared = [&](std::uint64_t i) { return common_length(first, text(of.keys[i]), of.from); };
    std::size_t common = first.size();
    if (together) {
      common = parallel_reduce(
          std::uint64_t{1}, of.n, common, shared, [](std::size_t a, std::size_t b) { return std::min(a, b); }, {},
          where_);
    } else {
      for (std::uint64_t i = 1; i < of.n; ++i) common = std::min(common, shared(i));
    }
    const auto ends = [&](const text_key& k) { return (text(k).size() == common) != order_.falling; };
    text_key* const middle = std::stable_partition(of.keys, of.keys + of.n, ends);
    const auto before = static_cast<std::uint64_t>(middle - of.keys);
    if (order_.falling) {
      of.n = before;
    } else {
      of.keys = middle;
      of.n -= before;
    }
    of.from = common;
    const auto give = [&](std::uint64_t i) { of.keys[i].characters = order_.characters(text(of.keys[i]), common); };
    if (together) {
      static_cast<void>(parallel_for(std::uint64_t{0}, of.n, give, {}, where_));
    } else {
      for (std::uint64_t i = 0; i < of.n; ++i) give(i);
    }
    return of.n > 1;
  }

  /// Sorts a group by the characters that it has, then the groups in it that have the same.
  void sort_loaded(const group& of, bool together) {
    sort_by_characters(of);
    if (!together) return sort_alone_within(of, 0, of.n);
    // Where a group begins is asked before any thread changes keys.
    const blocks all(of.n, 1 << 12, 256);
    std::vector<std::uint64_t> begins(all.count() + 1, of.n);
    all.each(
        [&](std::uint64_t b) {
          for (std::uint64_t i = all.begin(b); i < all.end(b); ++i) {
            if (i != 0 && are_same(of, i)) continue;
            begins[b] = i;
            return;
          }
        },
        where_);
    for (std::uint64_t b = all.count(); b-- > 0;) begins[b] = std::min(begins[b], begins[b + 1]);
    all.each([&](std::uint64_t b) { sort_alone_within(of, begins[b], begins[b + 1]); }, where_);
  }

  static bool are_same(const group& of, std::uint64_t i) noexcept {
    return of.keys[i].characters == of.keys[i - 1].characters;
  }

  void sort_by_characters(const group& of) const {
    sort_plain(of.keys, of.n, {sizeof(text_key), sizeof(std::uint64_t), 0, plain_kind::natural, false}, where_);
  }

  /// Sorts the groups of equal characters of which [begin, end) of a sorted group consists; leaves large ones.
  void sort_alone_within(const group& of, std::uint64_t begin, std::uint64_t end) {
    std::vector<group> waiting;
    split(of, begin, end, waiting);
    while (!waiting.empty()) {
      group next = waiting.back();
      waiting.pop_back();
      if (!load(next, false)) continue;
      sort_by_characters(next);
      split(next, 0, next.n, waiting);
    }
  }

  void split(const group& of, std::uint64_t begin, std::uint64_t end, std::vector<group>& waiting) {
    while (begin < end) {
      std::uint64_t last = begin + 1;
      while (last < end && are_same(of, last)) ++last;
      const group found{of.keys + begin, last - begin, of.from};
      begin = last;
      if (found.n == 1) continue;
      if (found.n <= few) {
        sort_few(found);
      } else if (found.n > large_) {
        const std::scoped_lock held(mutex_);
        left_.push_back(found);
      } else {
        waiting.push_back(found);
      }
    }
  }

  const text_order& order_;
  const std::source_location& where_;
  std::uint64_t large_ = 0;
  std::mutex mutex_;
  std::vector<group> left_;  ///< guarded by the mutex while a loop runs
};

}  // namespace

void sort_text_keys(text_key* keys, std::uint64_t n, const text_order& order, const std::source_location& where) {
  if (n > 1) text_key_sorter(order, where).sort(keys, n);
}

}  // namespace callisto::loop
