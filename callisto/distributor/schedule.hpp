// How the iterations of a loop are handed out, in a user's words: `combine(core,async)/counter(core)`.
#pragma once

#include <callisto/distributor/layout.hpp>
#include <callisto/export.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace callisto {
namespace distributor {

enum class stage_kind : std::uint8_t {
  ranges,   ///< one range a thread, of which idle threads steal half (splitting_ranges.hpp)
  counter,  ///< one counter for each group at a level (shared_counter.hpp, distributed_counters.hpp)
  combine,  ///< one combiner of requests for each group at a level (combiner.hpp)
};

/// One kind of node in a tree of distributors, with the level of the machine that has one for each group.
struct stage {
  stage_kind kind = stage_kind::ranges;
  level at = level::thread;
  bool async = false;  ///< for a combine: a thread asks for its next batch before it runs one

  friend bool operator==(const stage&, const stage&) = default;
};

}  // namespace distributor

/// A way of handing out iterations. In words:
///
///   schedule = "auto" | "ranges" | source | combine "/" source | combine "/" combine "/" source
///   source   = "counter" [ "(" level ")" ]                  machine if not said: one counter for all
///   combine  = "combine" "(" level [ "," "async" ] ")"      async only in the first: it needs a batch to run meanwhile
///   level    = thread | core | core-pair | l2 | l3 | numa | socket | machine
///
/// Spaces do not matter. From left to right, levels do not become narrower, and of two combines the second is wider.
/// A value type of a few bytes.
class CALLISTO_API schedule {
 public:
  /// The schedule "auto": the best for the machine and the loop, as far as Callisto knows (docs/results/loops.md).
  schedule() noexcept = default;

  /// Reads `text`. Throws usage_error, which names `where` the text comes from ("CALLISTO_SCHEDULE", "--schedule") and
  /// says what was expected at which character.
  static schedule parse(std::string_view text, std::string_view where);

  /// Returns CALLISTO_SCHEDULE, or "auto" if that is unset or empty. Throws usage_error.
  static schedule from_environment();

  /// Returns what "auto" means in a loop of these threads; `together` as in loop_options.
  static schedule best(const distributor::layout& where, bool together) noexcept;

  bool automatic() const noexcept { return size_ == 0; }

  /// Returns the stages, first the one that threads ask; none if automatic.
  std::span<const distributor::stage> stages() const noexcept { return {stages_.data(), size_}; }

  /// Returns the text that parse() reads.
  std::string to_string() const;

  friend bool operator==(const schedule&, const schedule&) = default;

 private:
  std::array<distributor::stage, 3> stages_{};
  std::uint8_t size_ = 0;
};

}  // namespace callisto
