// The inbox of a core: the workers that other threads wake, and how an idle core sleeps until one does.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>

namespace callisto::waiting {

/// The base of an item: a waker links it into an inbox.
template <machine::policy M>
class inbox_link {
 private:
  template <machine::policy N, class T>
  friend class wake_inbox;

  machine::plain_of<M, inbox_link*> next_{nullptr};
  machine::atomic_of<M, std::uint32_t> announced_{0};  ///< 1: it stands in the inbox
};

/// A list that any thread pushes to and one owner empties. The list's head and whether the owner sleeps are one word,
/// so that no wake-up is lost between them. `T` derives from inbox_link<M>.
///
/// 1. *Waker, announces:* exchanges the item's announcement. An item that is announced already stays where it is.
/// 2. *Waker, pushes:* links the item by a compare-and-swap that clears the owner's sleeping bit. If the bit was set,
///    the waker wakes the owner.
/// 3. *Owner, sleeps:* sets the sleeping bit only while the word is 0, then sleeps.
/// 4. *Owner, takes:* takes the list by an exchange, and withdraws each announcement before it looks at the item.
template <machine::policy M, class T>
class wake_inbox {
  using order = machine::order;

 public:
  /// How a push found the owner.
  enum class owner { awake, parked, elsewhere };

  /// Puts the item into the inbox, unless it stands there. Any thread. Returns whether the owner sleeps and must be
  /// woken: by unpark() if it is parked.
  owner push(T& item) noexcept {
    inbox_link<M>& link = item;
    // acq_rel: release publishes what the waker did to the owner's exchange in take_all(). That owner may see it by an
    // announcement that stands already. acquire: the owner's last look at the link precedes the push.
    if (link.announced_.exchange(1, order::acq_rel) != 0) return owner::awake;
    std::uint64_t word = word_.load(order::relaxed);  // relaxed: the exchange checks it
    do {
      link.next_ = list(word);
      // release: publishes the link to take_all()'s acquire.
    } while (
        !word_.compare_exchange(word, reinterpret_cast<std::uint64_t>(&link) | (word & nudge_bit), order::release));
    return sleeper(word);
  }

  /// Lets an owner that sleeps look around, and one that is about to sleep not do so. Any thread; as push().
  owner nudge() noexcept {
    std::uint64_t word = word_.load(order::relaxed);  // relaxed: the exchange checks it
    // release: what the caller did is visible to the owner that finds the bit.
    while (!word_.compare_exchange(word, (word & ~sleeping_bits) | nudge_bit, order::release)) {
    }
    return sleeper(word);
  }

  /// Lets the parked owner return from park().
  void unpark() noexcept { M::unpark(word_, 1); }

  /// True if there may be something to take. Owner.
  bool has_mail() const noexcept { return word_.load(order::relaxed) != 0; }  // relaxed: take_all() looks properly

  /// Takes all items and calls for_each(item) for each. Owner.
  template <class F>
  void take_all(F for_each) {
    // acquire: pairs with push() and nudge().
    inbox_link<M>* link = list(word_.exchange(0, order::acquire));
    while (link != nullptr) {
      inbox_link<M>* const next = link->next_;
      // acq_rel: acquire sees what wakers did that found it announced; release lets the next push write the link.
      link->announced_.exchange(0, order::acq_rel);
      for_each(static_cast<T&>(*link));
      link = next;
    }
  }

  /// Announces that the owner is about to sleep, by park() or elsewhere; false if there is mail. Owner.
  bool lie_down(bool elsewhere) noexcept {
    std::uint64_t empty = 0;
    // relaxed: nothing is published. A push that comes first makes it fail, one that comes later sees the bit.
    while (empty == 0) {
      if (word_.compare_exchange(empty, elsewhere ? elsewhere_bit : parked_bit, order::relaxed)) return true;
    }
    return false;
  }

  /// Sleeps until a push or a nudge; may return early. Owner, after lie_down(false).
  void park() noexcept { M::park(word_, static_cast<std::uint32_t>(parked_bit)); }
  /// Sleeps by park(word, low), which waits while the low half of the word is `low`, as M::park does. Owner.
  template <class Park>
  void park(Park how) {
    how(word_, static_cast<std::uint32_t>(parked_bit));
  }

  /// Ends the sleep: the owner is awake. Owner.
  void get_up() noexcept { word_.fetch_and(~sleeping_bits, order::relaxed); }  // relaxed: take_all() comes next

 private:
  static constexpr std::uint64_t parked_bit = 1;
  static constexpr std::uint64_t elsewhere_bit = 2;
  static constexpr std::uint64_t sleeping_bits = parked_bit | elsewhere_bit;
  static constexpr std::uint64_t nudge_bit = 4;

  static inbox_link<M>* list(std::uint64_t word) noexcept {
    return reinterpret_cast<inbox_link<M>*>(word & ~(sleeping_bits | nudge_bit));
  }
  static owner sleeper(std::uint64_t word) noexcept {
    if ((word & parked_bit) != 0) return owner::parked;
    return (word & elsewhere_bit) != 0 ? owner::elsewhere : owner::awake;
  }

  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> word_{0};
};

}  // namespace callisto::waiting
