// The last two passes of construction: sorts each bucket and frees it of repeats, then copies it to the rows.
#pragma once

#include <callisto/graph/construction/arc_reader.hpp>
#include <callisto/graph/construction/key_layout.hpp>
#include <callisto/graph/construction/parallel_tasks.hpp>
#include <callisto/graph/construction/radix_sort.hpp>
#include <callisto/graph/csr/graph.hpp>
#include <callisto/graph/csr/progress.hpp>
#include <callisto/loop/algorithms/sort.hpp>
#include <callisto/loop/parallel_for.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace callisto::graph::construction {

/// A loop in which each thread owns a sorter. All row_builders with the same sorter share one instance of it.
template <class Sorter>
struct sort_loop {
  std::function<void(Sorter&, std::size_t)> sort;
  void fork(Sorter&) {}
  void work(Sorter& local, std::size_t i) { sort(local, i); }
  void join(Sorter&) {}
};

/// Makes rows of the arcs that are put into its buckets. Key holds the bits of key_layout; one object for one set of
/// rows: construct, put all arcs (make_put()), finish().
template <class Vertex, class Key, class Weight>
class row_builder {
 public:
  /// `front`: rows of the same vertices with which the new rows begin, or null; their targets and weights are
  /// discarded.
  row_builder(const key_layout& layout, const row_rules& rules, std::vector<bucket> buckets, bool has_loops,
              adjacency<Vertex>* front, const run_control& control)
      : layout_(layout),
        rules_(rules),
        front_(front),
        control_(control),
        has_loops_(has_loops),
        buckets_(std::move(buckets)),
        arcs_(buckets_.back().begin + buckets_.back().placed) {
    // All buckets fill at the same time, while the source is released: small pages keep the sum of both from doubling.
    keys_ = machine::page_array<Key>(arcs_, machine::page_kind::small);
    if constexpr (beside_keys) weights_ = machine::page_array<weight_beside>(arcs_, machine::page_kind::small);
  }

  std::span<const bucket> buckets() const noexcept { return buckets_; }

  /// Returns a function for arc_reader::place(): it stores an arc at a place.
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

  /// Returns the rows; all arcs are in their buckets.
  adjacency<Vertex> finish(row_tally& tally) {
    if (rules_.targets_ascend && rules_.repeats == repeats::keep && !layout_.splits_rows()) {
      begin_stage(control_, "sorting", arcs_);
      for (auto& b : buckets_) b.kept = b.placed;
      return make_rows_from_buckets(
          [this](std::size_t i, std::uint64_t begin, auto& rows) { distribute_ordered(i, begin, rows); });
    }
    sort(tally);
    return make_rows_from_buckets(
        [this](std::size_t i, std::uint64_t begin, auto& rows) { copy_sorted(i, begin, rows); });
  }

 private:
  // The weights of arcs are in their keys, or in an array beside the keys, while they are sorted.
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
    // Large buckets first: a large one that is sorted last would keep the other threads waiting.
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
    const bool first_stays = weighted && rules_.repeats == repeats::first;
    if (first_stays && !sorter::stable(n)) {
      sort_stably(r, n);
    } else {
      local.sort(r, n, low, layout_.key_bits());
    }

    if constexpr (!weighted) {
      if (rules_.repeats != repeats::keep && !has_loops_) {
        b.kept = without_repeats(r.keys, n);
        b.repeated_arcs = n - b.kept;
        return advance_stage(control_, n);
      }
    }
    // Settle runs of equal arcs: the lightest first, all further arcs dropped or kept behind it.
    const bool remove = rules_.repeats != repeats::keep;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n;) {
      const std::uint64_t key = r.key(i);
      std::size_t j = i + 1;
      while (j < n && r.key(j) == key) ++j;
      if (j - i > 1) {
        const bool loop = layout_.row(index, key) == layout_.target(index, key);
        (loop ? b.repeated_loops : b.repeated_arcs) += j - i - 1;
        if (first_stays) {
          // The sort was stable: the first of the run is the first of the source.
        } else if constexpr (in_keys) {
          std::sort(r.keys + i, r.keys + j, [](Key x, Key y) { return x.weight() < y.weight(); });
        } else if constexpr (weighted) {
          // strong_order: the order of NaNs and of zeros of either sign is the same in every run, too.
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

  /// Sorts arcs by their keys; equal ones stay in their order.
  static void sort_stably(const run& arcs, std::size_t n) {
    struct arc {
      Key key;
      weight_beside weight;
    };
    std::vector<arc> copies(n);
    for (std::size_t i = 0; i < n; ++i) {
      copies[i].key = arcs.keys[i];
      if constexpr (beside_keys) copies[i].weight = arcs.weights[i];
    }
    if constexpr (std::is_integral_v<Key>) {
      callisto::stable_sort(copies, {}, &arc::key);
    } else {
      callisto::stable_sort(copies, {}, [](const arc& a) { return static_cast<std::uint64_t>(a.key); });
    }
    for (std::size_t i = 0; i < n; ++i) {
      arcs.keys[i] = copies[i].key;
      if constexpr (beside_keys) arcs.weights[i] = copies[i].weight;
    }
  }

  /// Moves the first key of each run of equal ones to the front; returns the number of runs.
  static std::size_t without_repeats(Key* keys, std::size_t n) noexcept {
    if (n == 0) return 0;
    std::size_t kept = 0;
    auto now = static_cast<std::uint64_t>(keys[0]);
    for (std::size_t i = 1; i < n; ++i) {
      // No branches: the processor cannot predict which arcs repeat.
      const auto next = static_cast<std::uint64_t>(keys[i]);
      keys[kept] = static_cast<Key>(now);
      kept += now != next ? 1 : 0;
      now = next;
    }
    keys[kept] = static_cast<Key>(now);
    return kept + 1;
  }

  /// Returns rows with room for all arcs and fronts. Appends to `begin`, for each bucket, the place of its first arc,
  /// fronts aside.
  adjacency<Vertex> make_rows(std::vector<std::uint64_t>& begin) const {
    std::uint64_t arcs = 0;
    begin.reserve(buckets_.size());
    for (const auto& b : buckets_) begin.push_back(std::exchange(arcs, arcs + b.kept));
    if (front_ != nullptr) arcs += front_->targets.size();
    adjacency<Vertex> result;
    result.offsets = machine::page_array<std::uint64_t>(layout_.vertices() + 1);
    result.targets = machine::page_array<Vertex>(arcs, rules_.pages);
    if constexpr (weighted) result.weights = machine::page_array<Weight>(arcs, rules_.pages);
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

  /// Returns the number of front arcs of all rows before `row`, which may be vertices().
  std::uint64_t in_front(std::uint64_t row) const noexcept { return front_ == nullptr ? 0 : front_->offsets[row]; }

  /// Copies the front of `row` to place `at`; returns the place behind it.
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

  /// Frees the arcs of a bucket and the fronts of the rows that begin there; all have been copied.
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

  /// Makes the rows: calls fill(index, begin, rows) for each bucket, in parallel; `begin` is the place of the bucket's
  /// first arc, fronts aside. Discards buckets and fronts on the way.
  adjacency<Vertex> make_rows_from_buckets(
      const std::function<void(std::size_t index, std::uint64_t begin, adjacency<Vertex>& rows)>& fill) {
    std::vector<std::uint64_t> begin;
    adjacency<Vertex> result = make_rows(begin);
    for_each_task(control_, buckets_.size(), [&](std::size_t index) {
      fill(index, begin[index], result);
      discard(index);
    });
    return result;
  }

  /// Copies a sorted bucket to the rows.
  void copy_sorted(std::size_t index, std::uint64_t begin, adjacency<Vertex>& result) noexcept {
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
      for (; next_row <= row; ++next_row) begin_row(next_row, begin + i);
      const std::uint64_t at = begin + i + in_front(row + 1);
      targets[at] = static_cast<Vertex>(layout.target(index, key));
      if constexpr (weighted) weights[at] = weight_of(r, i);
    }
    for (; next_row < end_row; ++next_row) begin_row(next_row, begin + kept);
  }

  /// Distributes a bucket in which the arcs of each row are in order: counts them by row, then puts each behind the
  /// last one of its row.
  void distribute_ordered(std::size_t index, std::uint64_t begin, adjacency<Vertex>& result) {
    const key_layout layout = layout_;
    const bucket& b = buckets_[index];
    const run r = arcs_of(b);
    const auto n = static_cast<std::size_t>(b.placed);
    const std::uint64_t first_row = layout.first_row(index);
    const std::uint64_t end_row = layout.first_row(index + 1);
    // An offset is first the number of the row's arcs in the bucket, then the place of its next arc, then its begin.
    std::uint64_t* const offsets = result.offsets.data();
    Vertex* const targets = result.targets.data();
    [[maybe_unused]] Weight* const weights = result_weights(result);
    for (std::size_t i = 0; i < n; ++i) ++offsets[layout.row(index, r.key(i))];
    std::uint64_t at = begin + in_front(first_row);
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
    std::uint64_t row_begin = begin + in_front(first_row);
    for (std::uint64_t row = first_row; row < end_row; ++row) std::swap(offsets[row], row_begin);
    advance_stage(control_, n);
  }

  const key_layout& layout_;
  const row_rules& rules_;
  adjacency<Vertex>* const front_;
  const run_control& control_;

  const bool has_loops_;
  std::vector<bucket> buckets_;
  const std::uint64_t arcs_;
  machine::page_array<Key> keys_;
  machine::page_array<weight_beside> weights_;
};

}  // namespace callisto::graph::construction
