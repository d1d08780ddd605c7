// Collecting names in hash tables, and sorting them.
#include <callisto/graph/construction/names.hpp>

#include <callisto/graph/construction/parallel_tasks.hpp>
#include <callisto/loop/algorithms/sort.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace callisto::graph {
namespace {

using construction::for_each_task;
using machine::page_array;

/// A name on its way to its rank.
struct entry {
  std::uint64_t key;    ///< the first eight bytes behind what all names share, as a big-endian number
  std::uint32_t table;  ///< where the name is from
  std::uint32_t number;
};

/// Sorts the names of all tables; equal ones of several tables are one vertex.
class name_ranks {
 public:
  name_ranks(const std::deque<name_table>& tables, const run_control& control) : tables_(tables) {
    find_shared_prefix();
    choose_splitters();
    distribute(control);
    sort(control);
  }

  std::uint64_t count() const noexcept { return count_; }
  /// Returns the rank of a name.
  std::uint64_t operator()(std::size_t table, std::uint32_t number) const noexcept { return ranks_[table][number]; }

  /// Returns the numbers that the names spell, by rank, if all names are whole numbers of 64 bits in their usual form.
  std::optional<std::vector<std::uint64_t>> numbers() const {
    std::vector<std::uint64_t> values(count_);
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      for (std::uint32_t i = 0; i < tables_[t].size(); ++i) {
        const std::string_view name = tables_[t][i];
        std::uint64_t value = 0;
        const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), value);
        const bool usual = error == std::errc{} && stop == name.data() + name.size() && (name[0] != '0' || name == "0");
        if (!usual) return std::nullopt;
        values[ranks_[t][i]] = value;
      }
    }
    return values;
  }

  /// Returns the names by rank, and forgets the sorted ones.
  std::shared_ptr<const vertex_names> take_names(const run_control& control) {
    page_array<std::uint64_t> offsets(count_ + 1);
    for_each_name(control, [&](std::string_view name, std::uint64_t rank) { offsets[rank + 1] = name.size(); });
    for (std::uint64_t i = 0; i < count_; ++i) offsets[i + 1] += offsets[i];
    page_array<char> bytes(static_cast<std::size_t>(offsets[count_]));
    for_each_name(control, [&](std::string_view name, std::uint64_t rank) {
      std::copy(name.begin(), name.end(), bytes.data() + offsets[rank]);
    });
    buckets_ = {};
    return std::make_shared<const vertex_names>(std::move(offsets), std::move(bytes));
  }

 private:
  static constexpr std::size_t buckets_a_table = 64;

  /// Calls f(name, rank) in parallel; equal names of several tables are in the same bucket, so one thread has them.
  template <class F>
  void for_each_name(const run_control& control, const F& f) const {
    for_each_task(control, buckets_.size(), [&](std::size_t b) {
      for (const entry& e : buckets_[b]) f(tables_[e.table][e.number], ranks_[e.table][e.number]);
    });
  }

  void find_shared_prefix() {
    std::string_view shared;
    bool first = true;
    for (const name_table& table : tables_) {
      for (std::uint32_t i = 0; i < table.size(); ++i) {
        const std::string_view name = table[i];
        if (std::exchange(first, false)) shared = name;
        if (name.starts_with(shared)) continue;
        const auto differ = std::mismatch(shared.begin(), shared.end(), name.begin(), name.end());
        shared = shared.substr(0, static_cast<std::size_t>(differ.first - shared.begin()));
      }
    }
    shared_ = shared.size();
  }

  std::uint64_t key_of(std::string_view name) const noexcept {
    unsigned char bytes[8] = {};
    name.remove_prefix(shared_);
    std::memcpy(bytes, name.data(), std::min<std::size_t>(name.size(), sizeof bytes));
    std::uint64_t key = 0;
    for (const unsigned char byte : bytes) key = key << 8 | byte;
    return key;
  }

  void choose_splitters() {
    constexpr std::uint32_t samples_a_table = 4096;
    std::vector<std::uint64_t> samples;
    for (const name_table& table : tables_) {
      const std::uint32_t step = table.size() / samples_a_table + 1;
      for (std::uint32_t i = 0; i < table.size(); i += step) samples.push_back(key_of(table[i]));
    }
    std::sort(samples.begin(), samples.end());
    const std::size_t wanted = buckets_a_table * tables_.size();
    for (std::size_t b = 1; b < wanted; ++b) splitters_.push_back(samples[b * samples.size() / wanted]);
    splitters_.erase(std::unique(splitters_.begin(), splitters_.end()), splitters_.end());
  }

  /// Fills buckets_: equal names have equal keys, and so are in the same bucket.
  void distribute(const run_control& control) {
    std::vector<std::vector<std::vector<entry>>> parts(tables_.size());
    for_each_task(control, tables_.size(), [&](std::size_t t) {
      parts[t].resize(splitters_.size() + 1);
      for (std::uint32_t i = 0; i < tables_[t].size(); ++i) {
        const std::uint64_t key = key_of(tables_[t][i]);
        const auto bucket = std::upper_bound(splitters_.begin(), splitters_.end(), key) - splitters_.begin();
        parts[t][static_cast<std::size_t>(bucket)].push_back({key, static_cast<std::uint32_t>(t), i});
      }
    });
    buckets_.resize(splitters_.size() + 1);
    for_each_task(control, buckets_.size(), [&](std::size_t b) {
      for (auto& part : parts) {
        buckets_[b].insert(buckets_[b].end(), part[b].begin(), part[b].end());
        part[b] = {};
      }
    });
  }

  /// Sorts a bucket: by keys, then names with the same key. Takes other threads unless a loop's body calls it.
  void sort_bucket(std::vector<entry>& bucket) const {
    const auto name = [&](const entry& e) { return tables_[e.table][e.number]; };
    callisto::sort(bucket, {}, &entry::key);
    for (std::size_t first = 0; first != bucket.size();) {
      std::size_t last = first + 1;
      while (last != bucket.size() && bucket[last].key == bucket[first].key) ++last;
      if (last - first > 1) callisto::sort(std::span(bucket.data() + first, last - first), {}, name);
      first = last;
    }
  }

  void sort(const run_control& control) {
    const auto name = [&](const entry& e) { return tables_[e.table][e.number]; };
    const auto differ = [&](const entry& x, const entry& y) { return x.key != y.key || name(x) != name(y); };
    // Names that go on alike behind what all share are one bucket, for which one thread would take too long.
    constexpr std::size_t large = std::size_t{1} << 16;
    for (auto& bucket : buckets_) {
      if (bucket.size() > large) {
        control.check();
        sort_bucket(bucket);
      }
    }
    std::vector<std::uint64_t> distinct(buckets_.size() + 1);
    for_each_task(control, buckets_.size(), [&](std::size_t b) {
      auto& bucket = buckets_[b];
      if (bucket.size() <= large) sort_bucket(bucket);
      for (std::size_t i = 0; i < bucket.size(); ++i) {
        distinct[b + 1] += i == 0 || differ(bucket[i - 1], bucket[i]) ? 1 : 0;
      }
    });
    for (std::size_t b = 0; b < buckets_.size(); ++b) distinct[b + 1] += distinct[b];
    count_ = distinct.back();
    for (const name_table& table : tables_) ranks_.emplace_back(table.size());
    for_each_task(control, buckets_.size(), [&](std::size_t b) {
      std::uint64_t rank = distinct[b];
      const auto& bucket = buckets_[b];
      for (std::size_t i = 0; i < bucket.size(); ++i) {
        if (i != 0 && differ(bucket[i - 1], bucket[i])) ++rank;
        ranks_[bucket[i].table][bucket[i].number] = rank;
      }
    });
  }

  const std::deque<name_table>& tables_;
  std::size_t shared_ = 0;  ///< bytes with which all names begin
  std::vector<std::uint64_t> splitters_;
  std::vector<std::vector<entry>> buckets_;       ///< all names, sorted
  std::vector<page_array<std::uint64_t>> ranks_;  ///< for each table, by number
  std::uint64_t count_ = 0;
};

/// Returns the list of the edges between the vertices that `vertex(table, number)` returns.
template <class Vertex, class F>
edge_list<Vertex> numbered(std::vector<named_block>& blocks, const F& vertex, const run_control& control) {
  edge_list<Vertex> list;
  list.blocks.resize(blocks.size());
  for_each_task(control, blocks.size(), [&](std::size_t i) {
    named_block block = std::move(blocks[i]);
    const auto renumbered = [&](const edge<std::uint32_t>& e) -> edge<Vertex> {
      return {static_cast<Vertex>(vertex(block.table, e.from)), static_cast<Vertex>(vertex(block.table, e.to))};
    };
    if constexpr (std::is_same_v<Vertex, std::uint32_t>) {
      // In place: no new pages.
      std::transform(block.edges.begin(), block.edges.end(), block.edges.begin(), renumbered);
      list.blocks[i].edges = std::move(block.edges);
    } else {
      list.blocks[i].edges = page_array<edge<Vertex>>(block.edges.size());
      std::transform(block.edges.begin(), block.edges.end(), list.blocks[i].edges.begin(), renumbered);
    }
    list.blocks[i].weights = std::move(block.weights);
  });
  return list;
}

}  // namespace

name_table::name_table() : slots_(std::size_t{1} << 10) {}

std::uint64_t name_table::hash_of_long(std::string_view name) noexcept { return XXH3_64bits(name.data(), name.size()); }

std::uint32_t name_table::number_of(const probe& wanted) {
  const auto bytes = static_cast<std::uint32_t>(wanted.name.size());
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = wanted.hash & mask;
  for (; slots_[at].place != 0; at = (at + 1) & mask) {
    const slot& s = slots_[at];
    const auto& [a, b, c] = s.head;
    const std::uint64_t differ = (a ^ wanted.head[0]) | (b ^ wanted.head[1]) | (c ^ wanted.head[2]) | (s.size ^ bytes);
    if (differ != 0) continue;
    if (bytes <= sizeof s.head || names_[s.place - 1] == wanted.name) return s.place - 1;
  }
  if (names_.size() == std::numeric_limits<std::uint32_t>::max()) throw std::length_error("more than 2^32 - 1 names");
  const std::uint32_t number = size();
  names_.push_back(keep(wanted.name));
  slots_[at] = {wanted.head, bytes, number + 1};
  if (4 * names_.size() > 3 * slots_.size()) grow();
  return number;
}

void name_table::grow() {
  page_array<slot> larger(2 * slots_.size());
  const std::size_t mask = larger.size() - 1;
  for (const slot& s : slots_) {
    if (s.place == 0) continue;
    std::size_t at = probe_of(names_[s.place - 1]).hash & mask;
    while (larger[at].place != 0) at = (at + 1) & mask;
    larger[at] = s;
  }
  slots_ = std::move(larger);
}

std::string_view name_table::keep(std::string_view name) {
  constexpr std::size_t block = std::size_t{1} << 16;
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < name.size()) {
    blocks_.emplace_back().reserve(std::max(block, name.size()));
  }
  std::vector<char>& bytes = blocks_.back();
  const std::size_t begin = bytes.size();
  bytes.insert(bytes.end(), name.begin(), name.end());  // within the capacity: views stay valid
  return {bytes.data() + begin, name.size()};
}

void name_batch::flush() {
  for (std::size_t i = 0; i < count_; ++i) *pending_[i].number = table_.number_of(pending_[i].wanted);
  count_ = 0;
}

void convert_names(std::deque<name_table>& tables, const std::function<std::string(std::string_view)>& converted) {
  for (name_table& table : tables) {
    name_table replaced;
    for (std::uint32_t i = 0; i < table.size(); ++i) replaced.number_of(converted(table[i]));
    table = std::move(replaced);
  }
}

any_edge_list number_by_name(std::vector<named_block>&& blocks, std::deque<name_table>&& tables, bool weighted,
                             numeric_names numbers, const run_control& control) {
  const std::deque<name_table> all = std::move(tables);
  name_ranks ranks(all, control);
  // Numbers ascend otherwise than their texts do: `order` holds the vertices by rank of the text.
  std::vector<std::uint64_t> order;
  page_array<std::uint64_t> labels;
  std::shared_ptr<const vertex_names> names;
  auto values = numbers == numeric_names::become_labels ? ranks.numbers() : std::nullopt;
  if (values) {
    labels = page_array<std::uint64_t>(values->size());
    std::copy(values->begin(), values->end(), labels.begin());
    std::sort(labels.begin(), labels.end());
    order.resize(values->size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] =
          static_cast<std::uint64_t>(std::lower_bound(labels.begin(), labels.end(), (*values)[i]) - labels.begin());
    }
  } else {
    names = ranks.take_names(control);
  }
  const auto vertex = [&](std::size_t table, std::uint32_t number) {
    const std::uint64_t rank = ranks(table, number);
    return order.empty() ? rank : order[rank];
  };
  const auto finish = [&](auto list) -> any_edge_list {
    list.vertices = ranks.count();
    list.weighted = weighted;
    const bool dense = !labels.empty() && labels[labels.size() - 1] - labels[0] + 1 == labels.size();
    list.first_label = dense ? labels[0] : 0;
    if (!dense) list.labels = std::move(labels);
    list.names = std::move(names);
    return list;
  };
  if (ranks.count() <= std::numeric_limits<std::uint32_t>::max()) {
    return finish(numbered<std::uint32_t>(blocks, vertex, control));
  }
  return finish(numbered<std::uint64_t>(blocks, vertex, control));
}

}  // namespace callisto::graph
