#include <callisto/cluster/vertex_numbers.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/exchange.hpp>
#include <callisto/loop/algorithms/sort.hpp>

#include <numeric>
#include <span>
#include <utility>

namespace callisto::cluster {

namespace {

std::size_t ranks_of_numbering() { return static_cast<std::size_t>(global::here().ranks); }

/// Keys that came from all ranks, by rank.
template <class Keys>
struct keys_of_ranks {
  Keys keys;
  std::vector<std::uint64_t> counts;
};

/// Sends counts[r] keys to each rank r: first those for rank 0.
keys_of_ranks<label_keys> exchange_keys(const label_keys& keys, const std::vector<std::uint64_t>& counts) {
  auto came = global::exchange(std::span<const std::uint64_t>(keys.labels), counts);
  return {{std::move(came.values)}, std::move(came.counts)};
}

keys_of_ranks<name_keys> exchange_keys(const name_keys& keys, const std::vector<std::uint64_t>& counts) {
  std::vector<std::uint64_t> sizes(keys.size());
  for (std::size_t i = 0; i != sizes.size(); ++i) sizes[i] = keys[i].size();
  std::vector<std::uint64_t> bytes;
  for (std::uint64_t at = 0; const std::uint64_t n : counts) {
    bytes.push_back(keys.offsets[at + n] - keys.offsets[at]);
    at += n;
  }
  auto came = global::exchange(std::span<const std::uint64_t>(sizes), counts);
  keys_of_ranks<name_keys> made;
  made.keys.bytes = global::exchange(std::span<const char>(keys.bytes), bytes).values;
  for (const std::uint64_t size : came.values) made.keys.offsets.push_back(made.keys.offsets.back() + size);
  made.counts = std::move(came.counts);
  return made;
}

/// Returns keys that divide all keys into about equal shares, one fewer than ranks, at all ranks; none without keys.
template <class Keys>
Keys dividing_keys(const Keys& own) {
  constexpr std::size_t samples = 256;
  Keys sample;
  std::vector<std::uint64_t> counts(ranks_of_numbering(), std::min(samples, own.size()));
  for (const std::uint64_t n : counts) {
    for (std::size_t i = 0; i != n; ++i) sample.add(own[i * own.size() / n]);
  }
  const keys_of_ranks<Keys> all = exchange_keys(sample, counts);
  std::vector<typename Keys::value> sorted;
  for (std::size_t i = 0; i != all.keys.size(); ++i) sorted.push_back(all.keys[i]);
  std::sort(sorted.begin(), sorted.end());
  Keys dividing;
  for (std::size_t r = 1; r < ranks_of_numbering() && !sorted.empty(); ++r) {
    dividing.add(sorted[r * sorted.size() / ranks_of_numbering()]);
  }
  return dividing;
}

/// Returns how many keys belong to the share of each rank.
template <class Keys>
std::vector<std::uint64_t> in_shares(const Keys& own, const Keys& dividing) {
  std::vector<std::uint64_t> counts(ranks_of_numbering());
  std::size_t at = 0;
  for (std::size_t r = 0; r != counts.size(); ++r) {
    std::size_t last = own.size();
    for (std::size_t first = at; r < dividing.size() && first != last;) {
      const std::size_t middle = first + (last - first) / 2;
      if (own[middle] < dividing[r]) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    counts[r] = last - at;
    at = last;
  }
  return counts;
}

}  // namespace

template <class Keys>
vertex_numbers<Keys> number_together(const Keys& own) {
  vertex_numbers<Keys> result;
  const keys_of_ranks<Keys> came = exchange_keys(own, in_shares(own, dividing_keys(own)));
  std::vector<typename Keys::value> distinct;
  distinct.reserve(came.keys.size());
  for (std::size_t i = 0; i != came.keys.size(); ++i) distinct.push_back(came.keys[i]);
  callisto::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const std::vector<std::uint64_t> sizes = global::gather_all(std::uint64_t{distinct.size()});
  const auto mine = sizes.begin() + global::here().rank;
  const std::uint64_t first = std::accumulate(sizes.begin(), mine, std::uint64_t{0});
  result.vertices = std::accumulate(mine, sizes.end(), first);
  // The keys of one rank ascend, so one walk through the distinct ones numbers them.
  std::vector<std::uint64_t> numbers(came.keys.size());
  std::size_t at = 0;
  for (const std::uint64_t n : came.counts) {
    std::size_t number = 0;
    for (const std::size_t last = at + n; at != last; ++at) {
      while (distinct[number] < came.keys[at]) ++number;
      numbers[at] = first + number;
    }
  }
  result.of_own = global::exchange(std::span<const std::uint64_t>(numbers), came.counts).values;
  Keys share;
  for (const auto& key : distinct) share.add(key);
  std::vector<std::uint64_t> counts(ranks_of_numbering());
  counts.front() = share.size();
  result.all = exchange_keys(share, counts).keys;
  return result;
}

template vertex_numbers<label_keys> number_together(const label_keys&);
template vertex_numbers<name_keys> number_together(const name_keys&);

}  // namespace callisto::cluster
