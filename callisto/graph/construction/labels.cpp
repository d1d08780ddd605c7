// Dense numbers for labels: by a bitmap with ranks if the labels are dense, else by sorting.
#include <callisto/graph/construction/labels.hpp>

#include <callisto/graph/construction/radix_sort.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

namespace callisto::graph {
namespace {

using machine::page_array;
using block_list = std::vector<labelled_block>;

void check(bool completed) {
  if (!completed) throw cancelled();
}

/// Calls f(block) for all blocks, in parallel. Throws cancelled.
template <class F>
void for_each_block(block_list& blocks, const run_control& control, const F& f,
                    std::source_location where = std::source_location::current()) {
  check(parallel_for(
      std::size_t{0}, blocks.size(), [&](std::size_t i) { f(blocks[i]); }, {.batch = 1, .stop = control.stop}, where));
}

/// Calls f with the block's edges of either width.
template <class F>
void with_edges(labelled_block& block, const F& f) {
  if (!block.narrow.empty()) f(block.narrow);
  if (!block.wide.empty()) f(block.wide);
}

/// Returns blocks with the rank of each label in its place; frees the labelled blocks on the way.
template <class Vertex, class RankEdges>
std::vector<edge_block<Vertex>> rewrite(block_list& blocks, const run_control& control, const RankEdges& rank_edges) {
  std::vector<edge_block<Vertex>> result(blocks.size());
  check(parallel_for(std::size_t{0}, blocks.size(),
                     [&](std::size_t i) {
                       labelled_block block = std::move(blocks[i]);
                       result[i].weights = std::move(block.weights);
                       with_edges(block, [&](auto& edges) {
                         if constexpr (std::is_same_v<decltype(edges), page_array<edge<Vertex>>&>) {
                           rank_edges(edges.data(), edges.size(), edges.data());
                           result[i].edges = std::move(edges);
                         } else {
                           page_array<edge<Vertex>> ranked(edges.size());
                           rank_edges(edges.data(), edges.size(), ranked.data());
                           result[i].edges = std::move(ranked);
                         }
                       });
                     },
                     {.batch = 1, .stop = control.stop}));
  return result;
}

/// A bitmap of the labels of [smallest, largest] that occur, and for each word the number of labels before it.
class bitmap_ranks {
 public:
  bitmap_ranks(block_list& blocks, std::uint64_t smallest, std::uint64_t largest, const run_control& control)
      : smallest_(smallest), words_((largest - smallest) / 64 + 1) {
    // Many threads set bits. Most bits are set already, so mark() reads before it writes: writes are costly.
    for_each_block(blocks, control, [&](labelled_block& block) {
      with_edges(block, [&](const auto& edges) {
        for (const auto& e : edges) {
          mark(e.from);
          mark(e.to);
        }
      });
    });
    for (word& w : words_) {
      w.before = count_;
      count_ += static_cast<std::uint64_t>(std::popcount(w.bits));
    }
  }

  std::uint64_t count() const noexcept { return count_; }

  page_array<std::uint64_t> labels(const run_control& control) const {
    page_array<std::uint64_t> result(count_);
    check(parallel_for(std::size_t{0}, words_.size(),
                       [&](std::size_t i) {
                         std::uint64_t* next = result.data() + words_[i].before;
                         for (std::uint64_t bits = words_[i].bits; bits != 0; bits &= bits - 1) {
                           *next++ = smallest_ + i * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
                         }
                       },
                       {.batch = 0, .stop = control.stop}));
    return result;
  }

  template <class Label, class Vertex>
  void rank(const edge<Label>* from, std::size_t count, edge<Vertex>* to) const {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt")) return rank_with_popcnt(from, count, to);
#endif
    rank_plainly(from, count, to);
  }

 private:
  struct word {
    std::uint64_t bits;
    std::uint64_t before;
  };

  void mark(std::uint64_t label) noexcept {
    const std::uint64_t bit = label - smallest_;
    std::atomic_ref<std::uint64_t> bits(words_[bit / 64].bits);
    const std::uint64_t mask = std::uint64_t{1} << bit % 64;
    // relaxed: the end of the loop publishes the bits; a stale read only costs a repeated write.
    if ((bits.load(std::memory_order_relaxed) & mask) == 0) bits.fetch_or(mask, std::memory_order_relaxed);
  }

  [[gnu::always_inline]] inline std::uint64_t rank_of(std::uint64_t label) const noexcept {
    const std::uint64_t bit = label - smallest_;
    const word& w = words_.data()[bit / 64];
    return w.before + static_cast<std::uint64_t>(__builtin_popcountll(w.bits & ((std::uint64_t{1} << bit % 64) - 1)));
  }

  template <class Label, class Vertex>
  [[gnu::always_inline]] inline void rank_plainly(const edge<Label>* from, std::size_t count, edge<Vertex>* to) const {
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = {static_cast<Vertex>(rank_of(from[i].from)), static_cast<Vertex>(rank_of(from[i].to))};
    }
  }

#if defined(__x86_64__)
  /// rank_plainly() with the instruction popcnt, which baseline x86-64 lacks: several times as fast.
  template <class Label, class Vertex>
  [[gnu::target("popcnt")]] void rank_with_popcnt(const edge<Label>* from, std::size_t count, edge<Vertex>* to) const {
    rank_plainly(from, count, to);
  }
#endif

  std::uint64_t smallest_;
  page_array<word> words_;
  std::uint64_t count_ = 0;
};

/// The labels that occur, ascending, with an index.
class sorted_ranks {
 public:
  sorted_ranks(block_list& blocks, std::uint64_t smallest, std::uint64_t largest, const run_control& control)
      : smallest_(smallest), largest_(largest) {
    merge(distinct_of_blocks(blocks, control), control);
    build_index(control);
  }

  std::uint64_t count() const noexcept { return labels_.size(); }
  page_array<std::uint64_t> take_labels() noexcept { return std::move(labels_); }

  template <class Label, class Vertex>
  void rank(const edge<Label>* from, std::size_t count, edge<Vertex>* to) const {
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = {static_cast<Vertex>(rank_of(from[i].from)), static_cast<Vertex>(rank_of(from[i].to))};
    }
  }

 private:
  using sorter = radix_sorter<std::uint64_t, no_weight>;

  static std::size_t sort_distinct(sorter& sort, std::uint64_t* labels, std::size_t count, unsigned bits) {
    sort.sort({labels, nullptr}, count, 0, bits);
    return static_cast<std::size_t>(std::unique(labels, labels + count) - labels);
  }

  unsigned bits() const noexcept { return static_cast<unsigned>(std::bit_width(largest_)); }

  /// Returns the distinct labels of each block, ascending.
  std::vector<page_array<std::uint64_t>> distinct_of_blocks(block_list& blocks, const run_control& control) const {
    struct sort_loop {
      block_list& blocks;
      std::vector<page_array<std::uint64_t>>& result;
      unsigned bits;
      void fork(std::unique_ptr<sorter>& own) { own = std::make_unique<sorter>(); }
      void join(std::unique_ptr<sorter>&) {}
      void work(std::unique_ptr<sorter>& own, std::size_t i) {
        with_edges(blocks[i], [&](const auto& edges) {
          page_array<std::uint64_t> labels(2 * edges.size());
          std::uint64_t* next = labels.data();
          for (const auto& e : edges) {
            *next++ = e.from;
            *next++ = e.to;
          }
          labels.shrink(sort_distinct(*own, labels.data(), labels.size(), bits));
          result[i] = std::move(labels);
        });
      }
    };
    std::vector<page_array<std::uint64_t>> result(blocks.size());
    sort_loop loop{blocks, result, bits()};
    check(parallel_for<sort_loop, std::unique_ptr<sorter>, std::size_t>(loop, 0, blocks.size(),
                                                                        {.batch = 1, .stop = control.stop}));
    return result;
  }

  /// Merges ascending runs: a sample of the labels splits their range into parts; each part gathers its piece of every
  /// run.
  void merge(std::vector<page_array<std::uint64_t>>&& runs, const run_control& control) {
    constexpr std::size_t labels_a_part = std::size_t{1} << 17;
    constexpr std::size_t samples_a_part = 16;
    const std::size_t stride = std::max<std::size_t>(1, labels_a_part / samples_a_part);
    std::vector<std::uint64_t> samples;
    for (const auto& run : runs) {
      for (std::size_t i = stride / 2; i < run.size(); i += stride) samples.push_back(run[i]);
    }
    std::sort(samples.begin(), samples.end());
    std::vector<std::uint64_t> splits;  // part p holds labels in [splits[p - 1], splits[p])
    for (std::size_t i = samples_a_part; i < samples.size(); i += samples_a_part) splits.push_back(samples[i]);
    splits.erase(std::unique(splits.begin(), splits.end()), splits.end());

    struct merge_loop {
      const std::vector<page_array<std::uint64_t>>& runs;
      const std::vector<std::uint64_t>& splits;
      std::vector<page_array<std::uint64_t>>& parts;
      unsigned bits;
      void fork(std::unique_ptr<sorter>& own) { own = std::make_unique<sorter>(); }
      void join(std::unique_ptr<sorter>&) {}
      void work(std::unique_ptr<sorter>& own, std::size_t p) {
        const auto piece = [&](const page_array<std::uint64_t>& run) {
          const auto* const first = p == 0 ? run.begin() : std::lower_bound(run.begin(), run.end(), splits[p - 1]);
          const auto* const last = p == splits.size() ? run.end() : std::lower_bound(first, run.end(), splits[p]);
          return std::pair(first, last);
        };
        std::size_t count = 0;
        for (const auto& run : runs) count += static_cast<std::size_t>(piece(run).second - piece(run).first);
        page_array<std::uint64_t> gathered(count);
        std::uint64_t* next = gathered.data();
        for (const auto& run : runs) {
          const auto [first, last] = piece(run);
          next = std::copy(first, last, next);
        }
        gathered.shrink(sort_distinct(*own, gathered.data(), count, bits));
        parts[p] = std::move(gathered);
      }
    };
    std::vector<page_array<std::uint64_t>> parts(splits.size() + 1);
    merge_loop loop{runs, splits, parts, bits()};
    check(parallel_for<merge_loop, std::unique_ptr<sorter>, std::size_t>(loop, 0, parts.size(),
                                                                         {.batch = 1, .stop = control.stop}));
    runs.clear();
    std::size_t distinct = 0;
    for (const auto& part : parts) distinct += part.size();
    labels_ = page_array<std::uint64_t>(distinct);
    std::uint64_t* next = labels_.data();
    for (auto& part : parts) {
      next = std::copy(part.begin(), part.end(), next);
      part = {};
    }
  }

  /// Builds starts_: starts_[b] is the index of the first label with (label - smallest_) >> shift_ >= b. A bucket has
  /// about one label.
  void build_index(const run_control& control) {
    const std::uint64_t range = largest_ - smallest_;
    const auto wanted_bits = static_cast<unsigned>(std::bit_width(labels_.size()));
    const auto range_bits = static_cast<unsigned>(std::bit_width(range));
    shift_ = range_bits > wanted_bits ? range_bits - wanted_bits : 0;
    starts_ = page_array<std::uint64_t>(static_cast<std::size_t>(range >> shift_) + 2);
    const auto bucket = [&](std::size_t i) { return (labels_[i] - smallest_) >> shift_; };
    check(parallel_for(std::size_t{0}, labels_.size(),
                       [&](std::size_t i) {
                         // Label i starts its bucket and the empty buckets before it.
                         const std::uint64_t b = bucket(i);
                         const std::uint64_t after = i == 0 ? 0 : bucket(i - 1) + 1;
                         for (std::uint64_t k = after; k <= b; ++k) starts_[k] = i;
                       },
                       {.batch = 0, .stop = control.stop}));
    starts_[starts_.size() - 1] = labels_.size();
  }

  std::uint64_t rank_of(std::uint64_t label) const noexcept {
    const std::uint64_t bucket = (label - smallest_) >> shift_;
    const std::uint64_t* const first = labels_.data() + starts_.data()[bucket];
    const std::uint64_t* const last = labels_.data() + starts_.data()[bucket + 1];
    return static_cast<std::uint64_t>(std::lower_bound(first, last, label) - labels_.data());
  }

  std::uint64_t smallest_;
  std::uint64_t largest_;
  page_array<std::uint64_t> labels_;
  page_array<std::uint64_t> starts_;
  unsigned shift_ = 0;
};

/// Ranks of labels that are all of smallest, smallest + 1, ...
struct shift_ranks {
  std::uint64_t smallest;

  template <class Label, class Vertex>
  void rank(const edge<Label>* from, std::size_t count, edge<Vertex>* to) const {
    if (smallest == 0 && static_cast<const void*>(from) == to) return;
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = {static_cast<Vertex>(from[i].from - smallest), static_cast<Vertex>(from[i].to - smallest)};
    }
  }
};

/// Returns the list of the edges with `count` vertices, numbered by `ranks`.
template <class Ranks>
any_edge_list numbered(block_list& blocks, const Ranks& ranks, std::uint64_t count, bool weighted,
                       const run_control& control) {
  const auto rank_edges = [&](const auto* from, std::size_t n, auto* to) { ranks.rank(from, n, to); };
  const auto fill = [&]<class Vertex>(edge_list<Vertex> list) -> any_edge_list {
    list.vertices = count;
    list.weighted = weighted;
    list.blocks = rewrite<Vertex>(blocks, control, rank_edges);
    return list;
  };
  if (count <= std::numeric_limits<std::uint32_t>::max()) return fill(edge_list<std::uint32_t>{});
  return fill(edge_list<std::uint64_t>{});
}

}  // namespace

any_edge_list number_densely(block_list&& blocks, bool weighted, const run_control& control,
                             std::optional<std::pair<std::uint64_t, std::uint64_t>> all) {
  std::uint64_t edges = 0;
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t largest = 0;
  for (const labelled_block& block : blocks) {
    edges += block.edges();
    smallest = std::min(smallest, block.smallest);
    largest = std::max(largest, block.largest);
  }
  constexpr std::uint64_t bits_an_edge = 8;  // of 16 bytes for 64 labels, so two bytes an edge
  constexpr std::uint64_t always_bits = std::uint64_t{1} << 20;
  any_edge_list result;
  page_array<std::uint64_t> labels;
  std::uint64_t first_label = smallest;
  if (all && all->first <= smallest && all->second >= largest) {
    first_label = all->first;
    result = numbered(blocks, shift_ranks{all->first}, all->second - all->first + 1, weighted, control);
  } else if (largest - smallest < bits_an_edge * edges + always_bits) {
    const bitmap_ranks ranks(blocks, smallest, largest, control);
    if (ranks.count() == largest - smallest + 1) {
      result = numbered(blocks, shift_ranks{smallest}, ranks.count(), weighted, control);
    } else {
      result = numbered(blocks, ranks, ranks.count(), weighted, control);
      labels = ranks.labels(control);
      first_label = 0;
    }
  } else {
    sorted_ranks ranks(blocks, smallest, largest, control);
    result = numbered(blocks, ranks, ranks.count(), weighted, control);
    labels = ranks.take_labels();
    first_label = 0;
  }
  std::visit(
      [&](auto& list) {
        list.labels = std::move(labels);
        list.first_label = first_label;
      },
      result);
  return result;
}

}  // namespace callisto::graph
