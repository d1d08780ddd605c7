// Lanes that sleep because they are short of work, and how a lane that has tasks for them wakes one.
//
// A word for each cluster of 63 lanes: a bit for each lane that sleeps, and `waking`: a lane that was woken is looking
// for work. Lanes wake up in sequence by the rule of waiting/sleepers.hpp.
// 1. A lane registers its bit, passes a heavy fence, looks for work once more, and suspends.
// 2. A lane publishes tasks, passes a light fence, and loads the word. So it sees the bit, or the sleeper sees the
//    tasks.
// 3. It changes the bit into `waking` and resumes the lane, which has `waking` until it finds work or sleeps again.
// 4. A lane that found work takes `waking` away and wakes the next one. So lanes wake up one by one, as long as there
//    is work.
// If the machine has no heavy fence, both sides change the word instead of the two fences.
#pragma once

#include <callisto/machine/policy.hpp>
#include <callisto/waiting/sleepers.hpp>
#include <callisto/waiting/suspendable.hpp>

#include <bit>
#include <cstdint>
#include <memory>

namespace callisto::domino {

template <machine::policy M>
class sleeping_lanes {
  using order = machine::order;

 public:
  explicit sleeping_lanes(unsigned lanes)
      : clusters_((lanes + per_cluster - 1) / per_cluster),
        words_(std::make_unique<cluster[]>(clusters_)),
        seats_(std::make_unique<seat[]>(lanes)) {}

  /// Returns the word that a lane's thread looks at after it has published tasks: above `waking` if tell() may have a
  /// lane to wake.
  const machine::atomic_of<M, std::uint64_t>& watched_by(unsigned lane) const noexcept {
    return fenced_ ? words_[lane / per_cluster].word : always_;
  }
  static bool may_need(std::uint64_t watched) noexcept { return watched > waking; }

  /// Wakes a lane if one sleeps and none is being woken, in the cluster of `lane`, which has just published tasks.
  void tell(unsigned lane) noexcept {
    auto& word = words_[lane / per_cluster].word;
    M::light_fence();
    if (!fenced_) word.fetch_or(0, order::release);  // release: publishes the tasks to the acquire in sleep()
    if (rule::need_wake(word.load(order::relaxed))) wake(lane / per_cluster);
  }

  /// Does so in every cluster.
  void tell_all(unsigned lane) noexcept {
    for (unsigned c = 0; c < clusters_; ++c) tell((lane / per_cluster + c) % clusters_ * per_cluster);
  }

  /// Suspends `self`, the thread of a lane, until it is woken. Does not if look() is true after it has registered;
  /// look() must not call awake().
  template <class Look>
  void sleep(unsigned lane, waiting::suspendable<M>& self, Look look) {
    auto& word = words_[lane / per_cluster].word;
    const std::uint64_t bit = std::uint64_t{1} << (lane % per_cluster + 1);
    seat& mine = seats_[lane];
    mine.thread = &self;
    // release: publishes the seat to wake().
    if (mine.wakes) {
      mine.wakes = false;
      word.fetch_add(bit - waking, order::release);  // both at once: the lane is no longer looking
    } else {
      word.fetch_or(bit, order::release);
    }
    if (fenced_) {
      M::heavy_fence();
    } else {
      word.fetch_or(0, order::acquire);  // acquire: pairs with tell(), for the tasks that look() is to see
    }
    if (look() && (word.fetch_and(~bit, order::relaxed) & bit) != 0) return;
    self.suspend();  // if another thread has taken the bit, it also resumes this one
  }

  /// Called by a lane's thread that has found work, or leaves: another lane may be woken.
  void awake(unsigned lane) noexcept {
    seat& mine = seats_[lane];
    if (!mine.wakes) return;
    mine.wakes = false;
    // relaxed: the bits that wake() takes are read there with acquire.
    if (words_[lane / per_cluster].word.fetch_and(~waking, order::relaxed) > waking) wake(lane / per_cluster);
    tell_all(lane);
  }

  /// Wakes the thread of this lane if it sleeps.
  void wake_lane(unsigned lane) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (lane % per_cluster + 1);
    seat& one = seats_[lane];
    one.wakers.fetch_add(1, order::relaxed);  // relaxed: precedes the change below, which the lane's thread waits for
    // acquire: pairs with sleep(), for the seat.
    if ((words_[lane / per_cluster].word.fetch_and(~bit, order::acquire) & bit) != 0) one.thread->resume();
    one.wakers.fetch_sub(1, order::release);  // release: pairs with wait_for_wakers()
  }

  /// Blocks until no thread is about to resume this lane's thread, which may end then. A few instructions, unless the
  /// system has taken such a thread from its processor. Called by the lane's thread.
  void wait_for_wakers(unsigned lane) noexcept {
    const auto some = [](std::uint32_t n) { return n != 0; };
    while (some(M::wait_while(seats_[lane].wakers, some, machine::patience::brief))) {
    }
  }

 private:
  static constexpr unsigned per_cluster = 63;
  static constexpr std::uint64_t waking = 1;
  using rule = waiting::sleepers<M, ~waking, waking>;

  struct alignas(M::line_size) cluster {
    machine::atomic_of<M, std::uint64_t> word{0};
  };
  /// Written by the lane's thread before it registers, and by the thread that takes its bit.
  struct alignas(M::line_size) seat {
    machine::plain_of<M, waiting::suspendable<M>*> thread{nullptr};
    machine::plain_of<M, bool> wakes{false};         ///< the lane's thread has its cluster's `waking`
    machine::atomic_of<M, std::uint32_t> wakers{0};  ///< threads that may be about to resume the lane's thread
  };

  void wake(unsigned c) noexcept {
    rule::wake(words_[c].word, [&](std::uint64_t& seen) {
      const std::uint64_t rest = seen & (seen - 1);
      seat& one = seats_[c * per_cluster + static_cast<unsigned>(std::countr_zero(seen)) - 1];
      one.wakers.fetch_add(1, order::relaxed);  // relaxed: as in wake_lane()
      // acquire: pairs with sleep(), for the seat.
      const bool taken = words_[c].word.compare_exchange(seen, rest | waking, order::acquire);
      if (taken) {
        one.wakes = true;
        one.thread->resume();
      }
      one.wakers.fetch_sub(1, order::release);  // release: pairs with wait_for_wakers()
      return taken;
    });
  }

  const bool fenced_ = M::has_heavy_fence();
  const machine::atomic_of<M, std::uint64_t> always_{waking + 1};
  const unsigned clusters_;
  const std::unique_ptr<cluster[]> words_;
  const std::unique_ptr<seat[]> seats_;
};

}  // namespace callisto::domino
