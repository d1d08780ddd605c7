// Building CSR graphs: a stable partition into cache-sized buckets, each of which is then sorted in the cache.
//
// An arc (row, target) is one number, the bits of the row followed by the bits of the target, and a graph is these
// numbers in ascending order. The top bits of the number select a bucket, so only the others, mostly 4 bytes, are
// stored while sorting. Two passes over the edges count and place the arcs; each bucket is sorted and freed of
// repeats where it lies; once the sizes are known, buckets are copied to their final places. A weight goes along, in
// the same word if all are short ones, as most are.
//
// In-edges are the same with row and target exchanged. Read in row order, the arcs of a bucket arrive with their
// targets in order, and because the partition is stable they need no sorting: each goes behind the last one of its row.
//
// An undirected edge is sorted once, as the arc from its larger end to the smaller one. The upper half of the matrix is
// the lower one with row and target exchanged, put behind its rows.
#include <callisto/graph/construction/build.hpp>
#include <callisto/graph/construction/radix_sort.hpp>
#include <callisto/graph/csr/graph_size.hpp>
#include <callisto/graph/csr/require_memory.hpp>
#include <callisto/graph/csr/weights.hpp>
#include <callisto/loop/parallel_for.hpp>
#include <callisto/machine/system/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <compare>
#include <functional>
#include <numeric>
#include <source_location>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace callisto::graph {
namespace {

using machine::page_array;

/// A loop over [0, n) whose iterations are long enough to be handed out one by one.
void for_each_task(const run_control& control, std::size_t n, const std::function<void(std::size_t)>& f,
                   std::source_location where = std::source_location::current()) {
  // One loop for all that is done here, most of it a dozen times over, for vertices, keys and weights of each kind: as
  // many loops took most of a minute to compile.
  if (!parallel_for(std::size_t{0}, n, f, loop_options{.batch = 1, .stop = control.stop}, where)) throw cancelled();
}

/// A loop over [0, n) whose iterations are short: f(first, last).
void for_each_batch(const run_control& control, std::uint64_t n,
                    const std::function<void(std::uint64_t, std::uint64_t)>& f,
                    std::source_location where = std::source_location::current()) {
  constexpr std::uint64_t batch = 1 << 16;
  for_each_task(
      control, static_cast<std::size_t>((n + batch - 1) / batch),
      [&](std::size_t i) { f(i * batch, std::min(n, (i + 1) * batch)); }, where);
}

void begin_stage(const run_control& control, std::string_view stage, std::uint64_t total) {
  if (control.report != nullptr) control.report->begin(stage, total, "edges");
}
void advance_stage(const run_control& control, std::uint64_t amount) {
  if (control.report != nullptr && amount != 0) control.report->advance(amount);
}

/// Which arc an edge (from, to) gives: itself, its reverse, or the one of both that leads to the smaller vertex.
enum class arc_of { edge, reverse, lower };

// --- Where edges come from -------------------------------------------------------------------------------------------
// A source has vertices(), edges(), and visit<Weight>(first, last, f), which calls f(from, to, weight) for the edges
// with these numbers; release(first, last) says that these are not needed any more. Weight is no_weight, or a form that
// holds the source's weights.

/// The edges of a list.
template <class Vertex>
class list_source {
 public:
  explicit list_source(edge_list<Vertex>& list) : list_(list) {
    begin_.reserve(list.blocks.size() + 1);
    begin_.push_back(0);
    for (const auto& block : list.blocks) {
      if (list.weighted && block.weights.size() != block.edges.size()) {
        throw usage_error(fmt::format("edge list: a weighted list has a block of {} edges with {} weights",
                                      block.edges.size(), block.weights.size()));
      }
      begin_.push_back(begin_.back() + block.edges.size());
    }
  }

  std::uint64_t vertices() const noexcept { return list_.vertices; }
  std::uint64_t edges() const noexcept { return begin_.back(); }

  template <class Weight, class F>
  void visit(std::uint64_t first, std::uint64_t last, F f) const {
    auto block = static_cast<std::size_t>(std::upper_bound(begin_.begin(), begin_.end(), first) - begin_.begin()) - 1;
    for (; first < last; ++block) {
      const auto& now = list_.blocks[block];
      const std::uint64_t end = std::min(last, begin_[block + 1]);
      const auto each = [&](auto weight) {
        for (std::uint64_t i = first - begin_[block]; i < end - begin_[block]; ++i) {
          f(now.edges[i].from, now.edges[i].to, weight(i));
        }
      };
      if constexpr (std::is_same_v<Weight, no_weight>) {
        each([](std::uint64_t) { return no_weight{}; });
      } else {
        now.weights.visit([&](auto weights) { each([=](std::uint64_t i) { return weight_as<Weight>(weights[i]); }); });
      }
      first = end;
    }
  }

  /// Whether all weights are short, whatever form they have.
  bool weights_are_short(const run_control& control) const {
    std::atomic<bool> all{true};
    for_each_task(control, list_.blocks.size(), [&](std::size_t i) {
      const weight_array& weights = list_.blocks[i].weights;
      // relaxed, all: one word, read again behind the loop's end.
      if (weights.is_short() || !all.load(std::memory_order_relaxed)) return;
      if (!are_short({weights.data<double>(), weights.size()})) all.store(false, std::memory_order_relaxed);
    });
    return all.load(std::memory_order_relaxed);
  }

  /// Several threads may release disjoint ranges.
  void release(std::uint64_t first, std::uint64_t last) noexcept {
    auto block = static_cast<std::size_t>(std::upper_bound(begin_.begin(), begin_.end(), first) - begin_.begin()) - 1;
    for (; first < last; ++block) {
      const std::uint64_t end = std::min(last, begin_[block + 1]);
      auto& now = list_.blocks[block];
      const auto from = static_cast<std::size_t>(first - begin_[block]);
      const auto to = static_cast<std::size_t>(end - begin_[block]);
      now.edges.discard(from, to);
      now.weights.discard(from, to);
      first = end;
    }
  }

 private:
  edge_list<Vertex>& list_;
  std::vector<std::uint64_t> begin_;  ///< number of the first edge of each block
};

/// The out-edges of a graph, row by row. Their weights have the form of the rows'.
template <class Vertex>
class row_source {
 public:
  explicit row_source(const adjacency<Vertex>& rows) : rows_(rows) {}

  std::uint64_t vertices() const noexcept { return rows_.offsets.empty() ? 0 : rows_.offsets.size() - 1; }
  std::uint64_t edges() const noexcept { return rows_.targets.size(); }

  template <class Weight, class F>
  void visit(std::uint64_t first, std::uint64_t last, F f) const {
    [[maybe_unused]] const Weight* weights = nullptr;
    if constexpr (!std::is_same_v<Weight, no_weight>) weights = rows_.weights.template data<Weight>();
    auto row = static_cast<std::uint64_t>(std::upper_bound(rows_.offsets.begin(), rows_.offsets.end(), first) -
                                          rows_.offsets.begin()) -
               1;
    for (; first < last; ++row) {
      const std::uint64_t end = std::min(last, rows_.offsets[row + 1]);
      for (; first < end; ++first) {
        if constexpr (std::is_same_v<Weight, no_weight>) {
          f(static_cast<Vertex>(row), rows_.targets[first], no_weight{});
        } else {
          f(static_cast<Vertex>(row), rows_.targets[first], weights[first]);
        }
      }
    }
  }

  void release(std::uint64_t, std::uint64_t) noexcept {}

 private:
  const adjacency<Vertex>& rows_;
};

// --- Keys ------------------------------------------------------------------------------------------------------------

/// How an arc is split into a bucket and a key within it.
class key_layout {
 public:
  static constexpr unsigned most_vertex_bits = 37;

  /// Throws usage_error if there are too many.
  static void check(std::uint64_t vertices) {
    if (vertices > std::uint64_t{1} << most_vertex_bits) {
      throw usage_error(fmt::format("a graph of {} vertices is larger than the limit of 2^37", vertices));
    }
  }

  key_layout(std::uint64_t vertices, std::uint64_t arcs) : vertices_(vertices) {
    check(vertices);
    vertex_bits_ = vertices == 0 ? 0 : static_cast<unsigned>(std::bit_width(vertices - 1));
    // Buckets of about 2^15 arcs, so that sorting one takes place in the cache, and of at most 2^16 rows if there
    // are few arcs; but not so many that the partition, which writes to all of them in turn, leaves the cache.
    const auto wanted = static_cast<unsigned>(std::max(std::bit_width(arcs >> 15), std::bit_width(vertices >> 16)));
    bucket_bits_ = std::min({wanted, 11u, 2 * vertex_bits_});
    key_bits_ = 2 * vertex_bits_ - bucket_bits_;
    key_mask_ = key_bits_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - key_bits_);
    target_mask_ = vertex_bits_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - vertex_bits_);
    splits_rows_ = bucket_bits_ > vertex_bits_;
  }

  std::uint64_t vertices() const noexcept { return vertices_; }
  bool splits_rows() const noexcept { return splits_rows_; }
  std::size_t buckets() const noexcept { return std::size_t{1} << bucket_bits_; }
  unsigned vertex_bits() const noexcept { return vertex_bits_; }
  unsigned key_bits() const noexcept { return key_bits_; }

  std::size_t bucket(std::uint64_t row, std::uint64_t target) const noexcept {
    return splits_rows_ ? (row << vertex_bits_ | target) >> key_bits_ : row >> (vertex_bits_ - bucket_bits_);
  }
  std::uint64_t key(std::uint64_t row, std::uint64_t target) const noexcept {
    return (row << vertex_bits_ | target) & key_mask_;  // bits shifted out belong to the bucket
  }
  std::uint64_t row(std::size_t bucket, std::uint64_t key) const noexcept {
    return splits_rows_ ? (bucket << key_bits_ | key) >> vertex_bits_
                        : bucket << (vertex_bits_ - bucket_bits_) | key >> vertex_bits_;
  }
  std::uint64_t target(std::size_t bucket, std::uint64_t key) const noexcept {
    return (splits_rows_ ? bucket << key_bits_ | key : key) & target_mask_;
  }
  /// The first row that begins in this bucket or behind it, at most vertices().
  std::uint64_t first_row(std::size_t bucket) const noexcept {
    const std::uint64_t row = splits_rows_ ? ((bucket << key_bits_) + target_mask_) >> vertex_bits_
                                           : std::uint64_t{bucket} << (vertex_bits_ - bucket_bits_);
    return std::min(row, vertices_);
  }

 private:
  std::uint64_t vertices_;
  unsigned vertex_bits_;
  unsigned bucket_bits_;
  unsigned key_bits_;
  bool splits_rows_;  ///< few vertices: a row may span buckets
  std::uint64_t key_mask_;
  std::uint64_t target_mask_;
};

// --- Rows ------------------------------------------------------------------------------------------------------------

/// What to do with the arcs.
struct row_rules {
  arc_of which = arc_of::edge;
  graph::repeats repeats = graph::repeats::remove;
  graph::loops loops = graph::loops::keep;
  bool targets_ascend = false;  ///< the source gives the arcs of each row in the order of their targets
  machine::page_kind pages = machine::page_kind::huge;  ///< of the rows' targets and weights
};

/// What was met on the way.
struct row_tally {
  std::uint64_t self_loops = 0;      ///< in the source
  std::uint64_t repeated_arcs = 0;   ///< arcs that equal another one, loops aside
  std::uint64_t repeated_loops = 0;  ///< the same of loops
};

/// Some arcs, which are sorted together.
struct bucket {
  std::uint64_t begin = 0;  ///< place of its first arc before repeats are removed
  std::uint64_t placed = 0;
  std::uint64_t kept = 0;
  std::uint64_t repeated_arcs = 0;
  std::uint64_t repeated_loops = 0;
};

/// The arcs that the edges of a source give, read in tasks of many edges.
template <class Vertex, class Source>
class arc_reader {
 public:
  arc_reader(Source& source, const key_layout& layout, const row_rules& rules, const run_control& control)
      : source_(source), layout_(layout), rules_(rules), control_(control) {
    const std::uint64_t edges = source.edges();
    // Enough tasks to balance, few enough that the counts stay small beside the edges.
    edges_per_task_ = std::max<std::uint64_t>(std::uint64_t{1} << 17, edges >> 10);
    tasks_ = static_cast<std::size_t>((edges + edges_per_task_ - 1) / edges_per_task_);
  }

  /// How many arcs go to each bucket, and where they go.
  std::vector<bucket> count(row_tally& tally) {
    places_ = page_array<std::uint64_t>(tasks_ * layout_.buckets());
    std::vector<task> seen(tasks_);
    for_each_task(control_, tasks_, [&](std::size_t i) {
      std::uint64_t* const counts = places_.data() + i * layout_.buckets();
      const key_layout layout = layout_;  // a copy of its own, which no write can change
      const bool drop_loops = rules_.loops == loops::remove;
      task met;
      visit<no_weight>(i, [&](Vertex row, Vertex target, no_weight) {
        if (row >= layout.vertices() || target >= layout.vertices()) [[unlikely]] {
          met.foreign = true;
          return;
        }
        met.self_loops += row == target;
        if (row != target || !drop_loops) ++counts[layout.bucket(row, target)];
      });
      seen[i] = met;
    });
    for (std::size_t i = 0; i < tasks_; ++i) {
      if (seen[i].foreign) throw_foreign(i);
      tally.self_loops += seen[i].self_loops;
    }

    std::vector<bucket> buckets(layout_.buckets());
    for (std::size_t i = 0; i < tasks_; ++i) {
      std::uint64_t* const counts = places_.data() + i * layout_.buckets();
      for (std::size_t b = 0; b < buckets.size(); ++b) buckets[b].placed += std::exchange(counts[b], buckets[b].placed);
    }
    std::uint64_t begin = 0;
    for (auto& b : buckets) b.begin = std::exchange(begin, begin + b.placed);
    return buckets;
  }

  /// Puts every arc into its bucket of those counted, in the order of the source, by a function that make_put() makes
  /// for each task: put(place, key, weight). The source is used up.
  template <class Weight, class MakePut>
  void place(std::span<const bucket> buckets, const MakePut& make_put) {
    begin_stage(control_, "partitioning", source_.edges());
    for_each_task(control_, tasks_, [&](std::size_t i) {
      std::uint64_t* const next = places_.data() + i * layout_.buckets();
      for (std::size_t b = 0; b < buckets.size(); ++b) next[b] += buckets[b].begin;
      const key_layout layout = layout_;
      const bool drop_loops = rules_.loops == loops::remove;
      visit<Weight>(i, [&, put = make_put()](Vertex row, Vertex target, Weight weight) {
        if (row == target && drop_loops) return;
        put(next[layout.bucket(row, target)]++, layout.key(row, target), weight);
      });
      source_.release(first_edge(i), first_edge(i + 1));
      advance_stage(control_, first_edge(i + 1) - first_edge(i));
    });
    places_ = {};
  }

 private:
  struct task {
    std::uint64_t self_loops = 0;
    bool foreign = false;  ///< an edge names a vertex outside the graph
  };

  std::uint64_t first_edge(std::size_t i) const noexcept { return std::min(source_.edges(), i * edges_per_task_); }

  /// Calls f(row, target, weight) for the arcs of one task, loops that are to be dropped among them.
  template <class Form, class F>
  void visit(std::size_t i, F f) const {
    const std::uint64_t first = first_edge(i);
    const std::uint64_t last = first_edge(i + 1);
    switch (rules_.which) {
      case arc_of::edge:
        return source_.template visit<Form>(first, last, f);
      case arc_of::reverse:
        return source_.template visit<Form>(first, last,
                                            [&](Vertex from, Vertex to, Form weight) { f(to, from, weight); });
      case arc_of::lower:
        return source_.template visit<Form>(first, last, [&](Vertex from, Vertex to, Form weight) {
          f(std::max(from, to), std::min(from, to), weight);
        });
    }
  }

  /// Names the first edge of a task that is not one of the graph.
  [[noreturn]] void throw_foreign(std::size_t i) const {
    source_.template visit<no_weight>(first_edge(i), first_edge(i + 1), [&](Vertex from, Vertex to, no_weight) {
      if (from >= layout_.vertices() || to >= layout_.vertices()) {
        throw usage_error(
            fmt::format("edge list: edge ({}, {}) names a vertex that is not below {}", from, to, layout_.vertices()));
      }
    });
    __builtin_unreachable();
  }

  Source& source_;
  const key_layout& layout_;
  const row_rules& rules_;
  const run_control& control_;
  std::uint64_t edges_per_task_;
  std::size_t tasks_;
  page_array<std::uint64_t> places_;  ///< of each task, for each bucket, where its next arc goes
};

/// A loop whose threads have a sorter each: one for all with the same sorter.
template <class Sorter>
struct sort_loop {
  std::function<void(Sorter&, std::size_t)> sort;
  void fork(Sorter&) {}
  void work(Sorter& local, std::size_t i) { sort(local, i); }
  void join(Sorter&) {}
};

/// Sorts the arcs that are put into its buckets into rows, with weights of this form; one object for one build.
template <class Vertex, class Key, class Weight>
class row_builder {
 public:
  /// `front`: what the rows begin with, or null; its targets and weights are discarded.
  row_builder(const key_layout& layout, const row_rules& rules, std::vector<bucket> buckets, bool has_loops,
              adjacency<Vertex>* front, const run_control& control)
      : layout_(layout),
        rules_(rules),
        front_(front),
        control_(control),
        has_loops_(has_loops),
        buckets_(std::move(buckets)),
        arcs_(buckets_.back().begin + buckets_.back().placed) {
    // All buckets fill at once, while the source is released: small pages keep the sum of the two from doubling.
    keys_ = page_array<Key>(arcs_, machine::page_kind::small);
    if constexpr (beside_keys) weights_ = page_array<weight_beside>(arcs_, machine::page_kind::small);
  }

  std::span<const bucket> buckets() const noexcept { return buckets_; }

  /// A function that puts an arc at its place, as arc_reader::place() asks for it.
  auto make_put() noexcept {
    return [keys = keys_.data(), weights = weights_.data()](std::uint64_t at, std::uint64_t key, Weight weight) {
      if constexpr (in_keys) {
        keys[at] = Key(key, weight);
      } else {
        keys[at] = static_cast<Key>(key);
      }
      if constexpr (beside_keys) weights[at] = weight;
    };
  }

  /// All arcs are in their buckets.
  adjacency<Vertex> finish(row_tally& tally) {
    if (rules_.targets_ascend && rules_.repeats == repeats::keep && !layout_.splits_rows()) return rows_in_order();
    sort(tally);
    return rows();
  }

 private:
  /// Where the weights of arcs are while they are sorted.
  static constexpr bool weighted = !std::is_same_v<Weight, no_weight>;
  static constexpr bool in_keys = std::is_same_v<Key, weighted_key48>;
  static constexpr bool beside_keys = weighted && !in_keys;
  using weight_beside = std::conditional_t<in_keys, no_weight, Weight>;
  using sorter = radix_sorter<Key, weight_beside>;
  using run = records<Key, weight_beside>;

  run arcs_of(const bucket& b) noexcept {
    return {keys_.data() + b.begin, beside_keys ? weights_.data() + b.begin : nullptr};
  }
  static Weight weight_of(const run& arcs, std::size_t i) noexcept {
    if constexpr (in_keys) {
      return arcs.keys[i].weight();
    } else {
      return arcs.weights[i];
    }
  }

  void sort(row_tally& tally) {
    begin_stage(control_, "sorting", arcs_);
    // Large buckets first, so that none is begun when the others are done.
    std::vector<std::uint32_t> order(buckets_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return buckets_[a].placed > buckets_[b].placed; });
    sort_loop<sorter> loop{[&](sorter& local, std::size_t i) { sort_bucket(local, order[i]); }};
    const loop_options options{.batch = 1, .stop = control_.stop};
    if (!parallel_for<sort_loop<sorter>, sorter, std::size_t>(loop, 0, order.size(), options)) throw cancelled();
    for (const auto& b : buckets_) {
      tally.repeated_arcs += b.repeated_arcs;
      tally.repeated_loops += b.repeated_loops;
    }
  }

  void sort_bucket(sorter& local, std::size_t index) {
    bucket& b = buckets_[index];
    const auto n = static_cast<std::size_t>(b.placed);
    const run r = arcs_of(b);
    const unsigned low =
        rules_.targets_ascend && sorter::stable(n) ? std::min(layout_.vertex_bits(), layout_.key_bits()) : 0;
    local.sort(r, n, low, layout_.key_bits());

    if constexpr (!weighted) {
      if (rules_.repeats == repeats::remove && !has_loops_) {
        b.kept = without_repeats(r.keys, n);
        b.repeated_arcs = n - b.kept;
        return advance_stage(control_, n);
      }
    }
    // Settle runs of equal arcs.
    const bool remove = rules_.repeats == repeats::remove;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n;) {
      const std::uint64_t key = r.key(i);
      std::size_t j = i + 1;
      while (j < n && r.key(j) == key) ++j;
      if (j - i > 1) {
        const bool loop = layout_.row(index, key) == layout_.target(index, key);
        (loop ? b.repeated_loops : b.repeated_arcs) += j - i - 1;
        if constexpr (in_keys) {
          std::sort(r.keys + i, r.keys + j, [](Key x, Key y) { return x.weight() < y.weight(); });
        } else if constexpr (weighted) {
          // strong_order: also NaN and zeros of either sign come out the same every time.
          std::sort(r.weights + i, r.weights + j,
                    [](Weight x, Weight y) { return std::strong_order(x, y) == std::strong_ordering::less; });
        }
      }
      const std::size_t end = remove ? i + 1 : j;
      if (kept == i) {
        kept = end;
      } else {
        for (std::size_t k = i; k < end; ++k) r.copy(kept++, r, k);
      }
      i = j;
    }
    b.kept = kept;
    advance_stage(control_, n);
  }

  /// Moves the first one of each run of equal keys to the front; returns how many there are.
  static std::size_t without_repeats(Key* keys, std::size_t n) noexcept {
    if (n == 0) return 0;
    std::size_t kept = 0;
    auto now = static_cast<std::uint64_t>(keys[0]);
    for (std::size_t i = 1; i < n; ++i) {
      // Without branches: which arcs repeat cannot be foretold.
      const auto next = static_cast<std::uint64_t>(keys[i]);
      keys[kept] = static_cast<Key>(now);
      kept += now != next ? 1 : 0;
      now = next;
    }
    keys[kept] = static_cast<Key>(now);
    return kept + 1;
  }

  /// Rows with room for these arcs, of which those of the buckets begin at the places returned in `begin`, less what is
  /// in front.
  adjacency<Vertex> make_rows(std::vector<std::uint64_t>& begin) const {
    std::uint64_t arcs = 0;
    begin.reserve(buckets_.size());
    for (const auto& b : buckets_) begin.push_back(std::exchange(arcs, arcs + b.kept));
    if (front_ != nullptr) arcs += front_->targets.size();
    adjacency<Vertex> result;
    result.offsets = page_array<std::uint64_t>(layout_.vertices() + 1);
    result.targets = page_array<Vertex>(arcs, rules_.pages);
    if constexpr (weighted) result.weights = page_array<Weight>(arcs, rules_.pages);
    result.offsets[layout_.vertices()] = arcs;
    return result;
  }

  static Weight* result_weights(adjacency<Vertex>& result) noexcept {
    if constexpr (weighted) {
      return result.weights.template data<Weight>();
    } else {
      return nullptr;
    }
  }

  /// Arcs in front of all rows before `row`; vertices() is one of those.
  std::uint64_t in_front(std::uint64_t row) const noexcept { return front_ == nullptr ? 0 : front_->offsets[row]; }

  /// Copies what is in front of `row` to its beginning, `at`; returns where it ends.
  std::uint64_t put_front(std::uint64_t row, std::uint64_t at, adjacency<Vertex>& result) const noexcept {
    if (front_ == nullptr) return at;
    const std::uint64_t first = front_->offsets[row];
    const std::uint64_t last = front_->offsets[row + 1];
    std::copy(front_->targets.begin() + first, front_->targets.begin() + last, result.targets.begin() + at);
    if constexpr (weighted) {
      const Weight* const weights = front_->weights.template data<Weight>();
      std::copy(weights + first, weights + last, result.weights.template data<Weight>() + at);
    }
    return at + (last - first);
  }

  /// The arcs of a bucket, and what was in front of the rows that begin there, are where they stay.
  void discard(std::size_t index) {
    const bucket& b = buckets_[index];
    const auto drop = [](auto& from, std::uint64_t first, std::uint64_t last) {
      from.discard(static_cast<std::size_t>(first), static_cast<std::size_t>(last));
    };
    drop(keys_, b.begin, b.begin + b.placed);
    if constexpr (beside_keys) drop(weights_, b.begin, b.begin + b.placed);
    if (front_ == nullptr) return;
    const std::uint64_t first = in_front(layout_.first_row(index));
    const std::uint64_t last = in_front(layout_.first_row(index + 1));
    drop(front_->targets, first, last);
    if constexpr (weighted) drop(front_->weights, first, last);
  }

  /// Copies the sorted buckets to where they stay.
  adjacency<Vertex> rows() {
    std::vector<std::uint64_t> begin;
    adjacency<Vertex> result = make_rows(begin);
    for_each_task(control_, buckets_.size(), [&](std::size_t index) {
      const key_layout layout = layout_;
      const bucket& b = buckets_[index];
      const run r = arcs_of(b);
      const auto kept = static_cast<std::size_t>(b.kept);
      Vertex* const targets = result.targets.data();
      [[maybe_unused]] Weight* const weights = result_weights(result);
      std::uint64_t next_row = layout.first_row(index);
      const std::uint64_t end_row = layout.first_row(index + 1);
      const auto begin_row = [&](std::uint64_t row, std::uint64_t at) {
        result.offsets[row] = at + in_front(row);
        put_front(row, result.offsets[row], result);
      };
      for (std::size_t i = 0; i < kept; ++i) {
        const std::uint64_t key = r.key(i);
        const std::uint64_t row = layout.row(index, key);
        for (; next_row <= row; ++next_row) begin_row(next_row, begin[index] + i);
        const std::uint64_t at = begin[index] + i + in_front(row + 1);
        targets[at] = static_cast<Vertex>(layout.target(index, key));
        if constexpr (weighted) weights[at] = weight_of(r, i);
      }
      for (; next_row < end_row; ++next_row) begin_row(next_row, begin[index] + kept);
      discard(index);
    });
    return result;
  }

  /// The same of buckets in which the arcs of each row are in order: counts them, and puts each behind the last one.
  adjacency<Vertex> rows_in_order() {
    begin_stage(control_, "sorting", arcs_);
    for (auto& b : buckets_) b.kept = b.placed;
    std::vector<std::uint64_t> begin;
    adjacency<Vertex> result = make_rows(begin);
    for_each_task(control_, buckets_.size(), [&](std::size_t index) {
      const key_layout layout = layout_;
      const bucket& b = buckets_[index];
      const run r = arcs_of(b);
      const auto n = static_cast<std::size_t>(b.placed);
      const std::uint64_t first_row = layout.first_row(index);
      const std::uint64_t end_row = layout.first_row(index + 1);
      // Offsets are first the number of a row's arcs here, then where its next one goes, then where the row begins.
      std::uint64_t* const offsets = result.offsets.data();
      Vertex* const targets = result.targets.data();
      [[maybe_unused]] Weight* const weights = result_weights(result);
      for (std::size_t i = 0; i < n; ++i) ++offsets[layout.row(index, r.key(i))];
      std::uint64_t at = begin[index] + in_front(first_row);
      for (std::uint64_t row = first_row; row < end_row; ++row) {
        const std::uint64_t next = put_front(row, at, result);
        at = next + std::exchange(offsets[row], next);
      }
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t key = r.key(i);
        const std::uint64_t to = offsets[layout.row(index, key)]++;
        targets[to] = static_cast<Vertex>(layout.target(index, key));
        if constexpr (weighted) weights[to] = weight_of(r, i);
      }
      std::uint64_t row_begin = begin[index] + in_front(first_row);
      for (std::uint64_t row = first_row; row < end_row; ++row) std::swap(offsets[row], row_begin);
      discard(index);
      advance_stage(control_, n);
    });
    return result;
  }

  const key_layout& layout_;
  const row_rules& rules_;
  adjacency<Vertex>* const front_;
  const run_control& control_;

  const bool has_loops_;
  std::vector<bucket> buckets_;
  const std::uint64_t arcs_;
  page_array<Key> keys_;
  page_array<weight_beside> weights_;
};

template <class Vertex, class Weight, class Source>
adjacency<Vertex> sorted_rows(Source& source, const row_rules& rules, adjacency<Vertex>* front,
                              const run_control& control, row_tally& tally) {
  const key_layout layout(source.vertices(), source.edges());
  arc_reader<Vertex, Source> arcs(source, layout, rules, control);
  row_tally met;
  std::vector<bucket> buckets = arcs.count(met);
  tally.self_loops += met.self_loops;
  const auto with_key = [&]<class Key>() {
    row_builder<Vertex, Key, Weight> builder(layout, rules, std::move(buckets), met.self_loops != 0, front, control);
    arcs.template place<Weight>(builder.buckets(), [&] { return builder.make_put(); });
    return builder.finish(tally);
  };
  // Numbers of 64 bits are for more vertices than 32 bits can name, whose keys have more than 48: what is smaller and
  // has them all the same is not worth the time that two more builders of each kind take to compile.
  if constexpr (sizeof(Vertex) == 4 && std::is_same_v<Weight, short_weight>) {
    if (layout.key_bits() <= 48) return with_key.template operator()<weighted_key48>();
  } else if constexpr (sizeof(Vertex) == 4) {
    if (layout.key_bits() <= 32) return with_key.template operator()<std::uint32_t>();
    if (layout.key_bits() <= 48) return with_key.template operator()<key48>();
  }
  return with_key.template operator()<std::uint64_t>();
}

/// What is to become of the weights of a source.
enum class weight_form { none, short_ones, wide };

template <class Vertex>
weight_form form_of(const adjacency<Vertex>& rows) noexcept {
  if (rows.weights.empty()) return weight_form::none;
  return rows.weights.is_short() ? weight_form::short_ones : weight_form::wide;
}

std::uint64_t bytes_of(weight_form form) noexcept {
  if (form == weight_form::none) return 0;
  return form == weight_form::short_ones ? sizeof(short_weight) : sizeof(double);
}

/// The rows of the arcs of a source that has vertices.
template <class Vertex, class Source>
adjacency<Vertex> sorted_rows(Source& source, weight_form form, const row_rules& rules, const run_control& control,
                              row_tally& tally, adjacency<Vertex>* front = nullptr) {
  switch (form) {
    case weight_form::none:
      return sorted_rows<Vertex, no_weight>(source, rules, front, control, tally);
    case weight_form::short_ones:
      return sorted_rows<Vertex, short_weight>(source, rules, front, control, tally);
    case weight_form::wide:
      return sorted_rows<Vertex, double>(source, rules, front, control, tally);
  }
  __builtin_unreachable();
}

/// The rows of an undirected graph with the edges of the source.
template <class Vertex, class Source>
adjacency<Vertex> both_ways(Source& source, weight_form form, repeats repeats, loops loops, const run_control& control,
                            row_tally& tally) {
  // On small pages, so that they go back to the system one by one as they are copied.
  const row_rules once{.which = arc_of::lower, .repeats = repeats, .loops = loops, .pages = machine::page_kind::small};
  auto lower = sorted_rows<Vertex>(source, form, once, control, tally);
  const row_rules again{
      .which = arc_of::reverse, .repeats = repeats::keep, .loops = loops::remove, .targets_ascend = true};
  row_source<Vertex> lower_rows(lower);
  row_tally unused;
  return sorted_rows<Vertex>(lower_rows, form, again, control, unused, &lower);
}

template <class Vertex>
adjacency<Vertex> rows_of_rows(const adjacency<Vertex>& rows, const row_rules& rules, const run_control& control) {
  row_source<Vertex> source(rows);
  row_tally tally;
  return sorted_rows<Vertex>(source, form_of(rows), rules, control, tally);
}

template <class Vertex>
adjacency<Vertex> transposed(const adjacency<Vertex>& rows, const run_control& control) {
  return rows_of_rows(rows, {.which = arc_of::reverse, .repeats = repeats::keep, .targets_ascend = true}, control);
}

template <class Vertex>
csr_graph<Vertex> build(edge_list<Vertex>&& given, const build_options& options, const run_control& control,
                        build_report* report) {
  edge_list<Vertex> list = std::exchange(given, {});
  const bool undirected = options.undirected || list.meaning == direction::undirected;
  list_source<Vertex> source(list);
  row_tally tally;
  const std::uint64_t lines = source.edges();
  key_layout::check(list.vertices);
  const weight_form form = !list.weighted                      ? weight_form::none
                           : source.weights_are_short(control) ? weight_form::short_ones
                                                               : weight_form::wide;
  require_memory("building the graph", needs::build(list.vertices, lines * (undirected ? 2 : 1), bytes_of(form)));
  const row_rules rules{.repeats = options.repeats, .loops = options.loops};
  auto out = undirected ? both_ways<Vertex>(source, form, options.repeats, options.loops, control, tally)
                        : sorted_rows<Vertex>(source, form, rules, control, tally);
  if (report != nullptr) {
    report->lines = lines;
    report->self_loops = tally.self_loops;
    report->repeats = tally.repeated_arcs + tally.repeated_loops;
    report->arcs = out.targets.size();
  }
  adjacency<Vertex> in;
  if (!undirected && options.in_edges) in = transposed(out, control);
  return surveyed(
      csr_graph<Vertex>(!undirected, std::move(out), std::move(in), std::move(list.labels), list.first_label), control);
}

template <class T>
page_array<T> copy_of(const page_array<T>& values, const run_control& control) {
  page_array<T> copy(values.size());
  for_each_batch(control, copy.size(), [&](std::uint64_t first, std::uint64_t last) {
    std::copy(values.begin() + first, values.begin() + last, copy.begin() + first);
  });
  return copy;
}

/// A graph of the same vertices and their labels.
template <class Vertex>
csr_graph<Vertex> with_labels_of(const csr_graph<Vertex>& graph, bool directed, adjacency<Vertex> out,
                                 adjacency<Vertex> in, const run_control& control) {
  return surveyed(csr_graph<Vertex>(directed, std::move(out), std::move(in), copy_of(graph.labels(), control),
                                    graph.first_label(), copy_of(graph.by_label(), control)),
                  control);
}

}  // namespace

any_graph build_graph(any_edge_list&& list, const build_options& options, const run_control& control,
                      build_report* report) {
  return std::visit([&](auto& l) -> any_graph { return build(std::move(l), options, control, report); }, list);
}

any_graph symmetrized(const any_graph& graph, loops loops, const run_control& control) {
  return std::visit(
      [&](const auto& g) -> any_graph {
        require_memory("the undirected graph", needs::symmetrize(graph));
        row_source source(g.out());
        row_tally tally;
        auto rows = both_ways<typename std::remove_cvref_t<decltype(g)>::vertex_type>(
            source, form_of(g.out()), repeats::remove, loops, control, tally);
        return with_labels_of(g, false, std::move(rows), {}, control);
      },
      graph);
}

any_graph without_self_loops(const any_graph& graph, const run_control& control) {
  return std::visit(
      [&](const auto& g) -> any_graph {
        const row_rules rules{.repeats = repeats::keep, .loops = loops::remove, .targets_ascend = true};
        const bool has_in = g.directed() && !g.in().offsets.empty();
        auto out = rows_of_rows(g.out(), rules, control);
        auto in = has_in ? rows_of_rows(g.in(), rules, control) : decltype(out)();
        return with_labels_of(g, g.directed(), std::move(out), std::move(in), control);
      },
      graph);
}

any_graph with_in_edges(any_graph&& graph, const run_control& control) {
  return std::visit(
      [&](auto& g) -> any_graph {
        if (!g.directed() || g.in().offsets.size() == g.out().offsets.size()) return std::move(g);
        auto in = transposed(g.out(), control);
        return std::move(g).with_in(std::move(in));
      },
      graph);
}

std::uint64_t count_self_loops(const any_graph& graph, const run_control& control) {
  return std::visit(
      [&](const auto& g) {
        constexpr std::uint64_t batch = 1 << 12;
        std::vector<std::uint64_t> found((g.vertices() + batch - 1) / batch);
        for_each_task(control, found.size(), [&](std::size_t i) {
          for (std::uint64_t v = i * batch; v < std::min(g.vertices(), (i + 1) * batch); ++v) {
            const auto row = g.out().row(v);
            found[i] += std::binary_search(row.begin(), row.end(), v);
          }
        });
        return std::accumulate(found.begin(), found.end(), std::uint64_t{0});
      },
      graph);
}

std::uint64_t needs::build(std::uint64_t vertices, std::uint64_t arcs, std::uint64_t weight_bytes) noexcept {
  const std::uint64_t v = vertices > std::numeric_limits<std::uint32_t>::max() ? 8 : 4;
  return 16 * vertices + arcs * (2 * v + weight_bytes);
}

std::uint64_t needs::symmetrize(const any_graph& graph) noexcept {
  const graph_size s = size_of(graph);
  const std::uint64_t arcs = s.m * (s.directed ? 2 : 1);
  return 8 * s.n + arcs * (s.v + s.w) + build(s.n, arcs, s.w);
}

}  // namespace callisto::graph
