// A hash map over all ranks, used in bulk.
#pragma once

#include <callisto/global/bulk/dealt.hpp>
#include <callisto/global/synchronization/collectives.hpp>
#include <callisto/global/synchronization/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace callisto::global {

/// Keys with one value each, dealt to the ranks by a hash of the key. Each rank makes one, and all call its collective
/// functions together, each with its entries or keys; a rank may have none. Keys have std::hash and ==.
/// Thread-safe as a container of the standard library: main uses it.
template <class Key, class Value>
  requires std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>
class hash_map {
 public:
  struct entry {
    Key key;
    Value value;
  };

  /// Inserts entries; where a key is there already, or twice among the entries of all ranks, combine(old, added) is its
  /// value. Entries of lower ranks come first, those of a rank in order. Collective: one exchange.
  template <class Combine>
  void insert(std::span<const entry> entries, const Combine& combine,
              std::source_location where = std::source_location::current()) {
    const detail::dealt_elements<entry> sent =
        detail::dealt_by_key(entries, [](const entry& e) -> const Key& { return e.key; });
    std::vector<entry> came;
    exchange(std::span<const entry>(sent.values), sent.counts, came, where);
    for (const entry& e : came) {
      const auto [at, is_new] = part_.try_emplace(e.key, e.value);
      if (!is_new) at->second = combine(at->second, e.value);
    }
  }
  /// Inserts entries; a key has the last value.
  void insert(std::span<const entry> entries, std::source_location where = std::source_location::current()) {
    insert(entries, [](const Value&, const Value& added) { return added; }, where);
  }

  /// Returns the value of each key, or nothing. Collective: two exchanges.
  std::vector<std::optional<Value>> find(std::span<const Key> keys,
                                         std::source_location where = std::source_location::current()) const {
    struct answer {
      Value value;
      bool is_there;
    };
    const detail::dealt_elements<Key> sent = detail::dealt_by_key(keys, [](const Key& k) -> const Key& { return k; });
    std::vector<Key> asked;
    const std::vector<std::uint64_t> askers = exchange(std::span<const Key>(sent.values), sent.counts, asked, where);
    std::vector<answer> answers;
    answers.reserve(asked.size());
    for (const Key& k : asked) {
      const auto at = part_.find(k);
      answers.push_back(at == part_.end() ? answer{} : answer{at->second, true});
    }
    std::vector<answer> came;
    exchange(std::span<const answer>(answers), askers, came, where);
    std::vector<std::optional<Value>> found(keys.size());
    for (std::size_t i = 0; i != keys.size(); ++i) {
      const answer& a = came[sent.places[i]];
      if (a.is_there) found[i] = a.value;
    }
    return found;
  }

  /// Removes keys, if they are there. Collective: one exchange.
  void erase(std::span<const Key> keys, std::source_location where = std::source_location::current()) {
    const detail::dealt_elements<Key> sent = detail::dealt_by_key(keys, [](const Key& k) -> const Key& { return k; });
    std::vector<Key> came;
    exchange(std::span<const Key>(sent.values), sent.counts, came, where);
    for (const Key& k : came) part_.erase(k);
  }

  /// Returns how many keys all ranks have. Collective.
  std::uint64_t size(std::source_location where = std::source_location::current()) const {
    return reduce_all(std::uint64_t{part_.size()}, std::plus<>{}, where);
  }

  /// Returns the keys and values of this rank.
  std::unordered_map<Key, Value>& local() noexcept { return part_; }
  const std::unordered_map<Key, Value>& local() const noexcept { return part_; }
  /// Returns the rank that has a key.
  static int owner(const Key& key) { return static_cast<int>(detail::rank_of_key(key)); }

 private:
  std::unordered_map<Key, Value> part_;
};

/// Keys with any number of values each: as hash_map.
template <class Key, class Value>
  requires std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>
class hash_multimap {
 public:
  struct entry {
    Key key;
    Value value;
  };

  /// Adds entries. Values of a key stay in order: those of lower ranks first. Collective: one exchange.
  void insert(std::span<const entry> entries, std::source_location where = std::source_location::current()) {
    const detail::dealt_elements<entry> sent =
        detail::dealt_by_key(entries, [](const entry& e) -> const Key& { return e.key; });
    std::vector<entry> came;
    exchange(std::span<const entry>(sent.values), sent.counts, came, where);
    for (const entry& e : came) part_[e.key].push_back(e.value);
  }

  /// Returns the values of each key. Collective: three exchanges.
  std::vector<std::vector<Value>> find(std::span<const Key> keys,
                                       std::source_location where = std::source_location::current()) const {
    const detail::dealt_elements<Key> sent = detail::dealt_by_key(keys, [](const Key& k) -> const Key& { return k; });
    std::vector<Key> asked;
    const std::vector<std::uint64_t> askers = exchange(std::span<const Key>(sent.values), sent.counts, asked, where);
    std::vector<std::uint64_t> sizes;
    std::vector<Value> values;
    std::vector<std::uint64_t> values_for(askers.size());
    for (std::size_t r = 0, i = 0; r != askers.size(); ++r) {
      for (std::uint64_t n = 0; n != askers[r]; ++n, ++i) {
        const auto at = part_.find(asked[i]);
        sizes.push_back(at == part_.end() ? 0 : at->second.size());
        if (at != part_.end()) values.insert(values.end(), at->second.begin(), at->second.end());
        values_for[r] += sizes.back();
      }
    }
    std::vector<std::uint64_t> came_sizes;
    exchange(std::span<const std::uint64_t>(sizes), askers, came_sizes, where);
    std::vector<Value> came;
    exchange(std::span<const Value>(values), values_for, came, where);
    std::vector<std::uint64_t> begins{0};
    for (const std::uint64_t n : came_sizes) begins.push_back(begins.back() + n);
    std::vector<std::vector<Value>> found;
    found.reserve(keys.size());
    for (const std::uint64_t place : sent.places) {
      const auto first = came.begin();
      found.emplace_back(first + static_cast<std::ptrdiff_t>(begins[place]),
                         first + static_cast<std::ptrdiff_t>(begins[place + 1]));
    }
    return found;
  }

  /// Returns how many keys all ranks have. Collective.
  std::uint64_t size(std::source_location where = std::source_location::current()) const {
    return reduce_all(std::uint64_t{part_.size()}, std::plus<>{}, where);
  }

  /// Returns the keys and values of this rank.
  std::unordered_map<Key, std::vector<Value>>& local() noexcept { return part_; }
  const std::unordered_map<Key, std::vector<Value>>& local() const noexcept { return part_; }

 private:
  std::unordered_map<Key, std::vector<Value>> part_;
};

}  // namespace callisto::global
