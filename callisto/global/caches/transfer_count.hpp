// How many bytes of a transfer are under way, and whether its worker waits until fewer are.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::global {

/// Counts the bytes of one transfer. Its asker begins and awaits; any thread of the rank ends. The count may be gone
/// once the asker has found it at 0, or was told so.
///
/// 1. *Asker, has too much under way:* announces that it waits, for few bytes or for none, and looks at the count that
///    it found.
/// 2. *End that brings the count there:* takes the announcement away, in the same step as its bytes, and tells the
///    asker.
/// 3. *Asker, need not wait:* takes its announcement back. If an end has taken it, that end is about to tell, so the
///    asker waits all the same.
template <machine::policy M>
class transfer_count {
  using order = machine::order;

 public:
  /// `few`: what may be under way when await_few() ends.
  explicit transfer_count(std::uint64_t few) noexcept : few_(few) {}

  /// Counts bytes that the asker is about to ask for.
  void begin(std::uint64_t bytes) noexcept {
    word_.fetch_add(bytes, order::relaxed);  // relaxed: the request publishes
  }
  std::uint64_t under_way() const noexcept {
    return count_of(word_.load(order::relaxed));  // relaxed: a limit
  }

  /// Ends bytes that have arrived. True if the asker waits for that, so that the caller tells it, and touches the count
  /// no more.
  bool end(std::uint64_t bytes) noexcept {
    std::uint64_t found = word_.load(order::relaxed);  // relaxed: the exchange decides
    for (;;) {
      const std::uint64_t left = count_of(found) - bytes;
      const bool tells = (found & for_few) != 0 ? left <= few_ : (found & for_none) != 0 && left == 0;
      // acq_rel: release publishes the bytes; acquire lets the last end pass on what all earlier ends published.
      if (word_.compare_exchange(found, tells ? left : found - bytes, order::acq_rel)) return tells;
    }
  }

  /// True if more than a few bytes are under way, or an end is about to tell: the caller waits until it is told.
  bool await_few() noexcept { return await(for_few, few_); }
  /// True if any byte is under way, or an end is about to tell.
  bool await_none() noexcept { return await(for_none, 0); }

 private:
  static constexpr std::uint64_t for_few = std::uint64_t{1} << 63;
  static constexpr std::uint64_t for_none = std::uint64_t{1} << 62;
  static constexpr std::uint64_t count_of(std::uint64_t word) noexcept { return word & (for_none - 1); }

  bool await(std::uint64_t announcement, std::uint64_t enough) noexcept {
    // acq_rel: acquire pairs with the ends that brought the count there; release publishes the asker's empty flag to
    // the end that tells.
    if (count_of(word_.fetch_or(announcement, order::acq_rel)) > enough) return true;
    // relaxed: an end that comes after the exchange above takes the announcement, and then its telling publishes.
    return (word_.fetch_and(~announcement, order::relaxed) & announcement) == 0;
  }

  const std::uint64_t few_;
  machine::atomic_of<M, std::uint64_t> word_{0};
};

}  // namespace callisto::global
