// A hierarchical timing wheel: events in the order of time, and within a cycle in the order of insertion. The costs of
// insertion and removal do not depend on the number of events (Varghese and Lauck, "Hashed and hierarchical timing
// wheels", SOSP 1987).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>

namespace callisto::machine::simulation {

/// A planned event; a member of the object that it concerns.
struct event {
  std::uint64_t time = 0;
  event* next = nullptr;
  event* previous = nullptr;  ///< previous event in the slot's ring; the first event's is the last
  std::uint16_t level = 0;
  std::uint16_t slot = 0;
  bool pending = false;
  std::uint8_t kind = 0;    ///< free for the owner's use
  std::uint32_t index = 0;  ///< free for the owner's use
};

class timing_wheel {
 public:
  /// Largest number of cycles that a run can have.
  static constexpr std::uint64_t horizon = std::uint64_t{1} << 48;

  std::uint64_t now() const noexcept { return now_; }

  /// Plans `e`, which is not pending, for `time` in [now, horizon).
  void insert(event& e, std::uint64_t time) noexcept {
    e.time = time;
    e.pending = true;
    place(e);
  }

  /// Removes `e`, which is pending.
  void remove(event& e) noexcept {
    e.pending = false;
    level& l = (*levels_)[e.level];
    event*& first = l.first[e.slot];
    if (e.next == &e) {
      first = nullptr;
      l.clear(e.slot);
      return;
    }
    e.previous->next = e.next;
    e.next->previous = e.previous;
    if (first == &e) first = e.next;
  }

  /// Removes and returns the next event and advances time to it. Null if there is none.
  event* pop() noexcept {
    for (;;) {
      level& near = (*levels_)[0];
      const unsigned slot = near.find(digit(now_, 0));
      if (slot < slots) {
        now_ = (now_ & ~mask) | slot;
        event* const e = near.first[slot];
        remove(*e);
        return e;
      }
      if (!open_next_window()) return nullptr;
    }
  }

  /// True if no event is planned up to `time`, inclusive. May be false although none is: it looks at the current window
  /// only.
  bool quiet_through(std::uint64_t time) const noexcept {
    if (time >> bits != now_ >> bits) return false;
    return (*levels_)[0].find(digit(now_, 0)) > digit(time, 0);
  }

  /// Advances time. Requires that quiet_through(time) has just returned true.
  void advance_to(std::uint64_t time) noexcept { now_ = time; }

 private:
  static constexpr unsigned bits = 12;
  static constexpr unsigned slots = 1u << bits;
  static constexpr std::uint64_t mask = slots - 1;
  static constexpr unsigned depth = 4;

  struct level {
    std::array<event*, slots> first{};
    std::array<std::uint64_t, slots / 64> used{};
    std::uint64_t used_words = 0;

    void set(unsigned slot) noexcept {
      used[slot / 64] |= std::uint64_t{1} << (slot % 64);
      used_words |= std::uint64_t{1} << (slot / 64);
    }
    void clear(unsigned slot) noexcept {
      used[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
      if (used[slot / 64] == 0) used_words &= ~(std::uint64_t{1} << (slot / 64));
    }
    /// Returns the first used slot from `from` on, or `slots` if there is none.
    unsigned find(unsigned from) const noexcept {
      const unsigned word = from / 64;
      const std::uint64_t here = used[word] >> (from % 64) << (from % 64);
      if (here != 0) return word * 64 + static_cast<unsigned>(std::countr_zero(here));
      const std::uint64_t later = word == 63 ? 0 : used_words >> (word + 1) << (word + 1);
      if (later == 0) return slots;
      const auto next = static_cast<unsigned>(std::countr_zero(later));
      return next * 64 + static_cast<unsigned>(std::countr_zero(used[next]));
    }
  };

  static unsigned digit(std::uint64_t time, unsigned of_level) noexcept {
    return static_cast<unsigned>(time >> (bits * of_level) & mask);
  }

  /// Puts an event into the level of the highest digit in which its time differs from now. So all events of a window
  /// are there before any event can be inserted into the window's slots directly, and the order within a cycle holds.
  void place(event& e) noexcept {
    const std::uint64_t differs = e.time ^ now_;
    unsigned l = 0;
    while (l + 1 < depth && differs >> (bits * (l + 1)) != 0) ++l;
    const unsigned slot = digit(e.time, l);
    e.level = static_cast<std::uint16_t>(l);
    e.slot = static_cast<std::uint16_t>(slot);
    event*& first = (*levels_)[l].first[slot];
    if (first == nullptr) {
      first = e.next = e.previous = &e;
      (*levels_)[l].set(slot);
      return;
    }
    e.next = first;
    e.previous = first->previous;
    first->previous->next = &e;
    first->previous = &e;
  }

  /// Spreads the next used slot of a higher level over the lower levels, after level 0 is used up. False if all levels
  /// are empty.
  bool open_next_window() noexcept {
    for (unsigned l = 1; l < depth; ++l) {
      level& from = (*levels_)[l];
      const unsigned slot = from.find(digit(now_, l));
      if (slot == slots) continue;
      const unsigned shift = bits * l;
      now_ = (now_ >> shift & ~mask) << shift | std::uint64_t{slot} << shift;
      event* const first = from.first[slot];
      from.first[slot] = nullptr;
      from.clear(slot);
      for (event* e = first;;) {
        event* const following = e->next;
        place(*e);
        if (following == first) return true;
        e = following;
      }
    }
    return false;
  }

  std::uint64_t now_ = 0;
  std::unique_ptr<std::array<level, depth>> levels_ = std::make_unique<std::array<level, depth>>();
};

}  // namespace callisto::machine::simulation
