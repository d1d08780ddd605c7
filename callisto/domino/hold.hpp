// A hold: the few tasks that a lane's owner has taken from a ring and begins one after the other, without a locked
// instruction. Another thread can get those that are not begun: on request, or by force if the owner does not answer.
//
// The protocol is that of reservations in distributor/splitting_ranges.hpp, with tasks in place of iterations. Two
// words:
// - `reserved`: [begun, limit), written by the owner alone: a plain store for each task that it begins.
// - `request`: a state, a version, and once cut off the place of the cut:
//
//     idle --thief--> polite --thief, later--> forcing --thief--> cut off --owner--> idle
//                        |                        |
//                        +--------- owner --------+--> idle, and what it had not begun is in its ring again
//
// 1. The owner stores `reserved`, passes a light fence and loads `request`. A thief stores `forcing`, passes a heavy
//    fence and loads `reserved`. One of them sees the other.
// 2. The thief copies the tasks, then wins them by changing `forcing` to `cut off`. An owner that has begun a task
//    unseen has changed `request` before that, or finds the cut and does not run the task.
// 3. So the owner cannot fill the hold anew while a thief copies from it and wins: it would have answered before.
#pragma once

#include <callisto/domino/task.hpp>
#include <callisto/machine/policy.hpp>

#include <array>
#include <cstdint>

namespace callisto::domino {

template <machine::policy M>
class hold {
  using order = machine::order;

 public:
  /// The most tasks in a hold. `M::domino_hold` makes it smaller for the checker.
  static constexpr unsigned capacity = [] {
    if constexpr (requires { M::domino_hold; }) return unsigned{M::domino_hold};
    return 32U;
  }();

  // For the owner:

  /// Writes the i-th task of the next filling.
  void stage(std::uint64_t i, const task& of) noexcept { slots_[i].write(of); }

  /// Fills an empty hold with the first n tasks staged, from the place `source`, a number.
  void fill(std::uint64_t n, std::uint64_t source) noexcept {
    next_ = 0;
    limit_ = static_cast<std::uint32_t>(n);
    source_.store(source, order::relaxed);  // relaxed: the store below publishes it
    // release: publishes the slots, and what spawned the tasks, to the acquire in ask().
    reserved_.store(pack(0, limit_), order::release);
  }

  /// Begins the next task: true, and `next` is to be run. False if none is left. Calls give_back(task) for each task
  /// that it gives back to others because a thread has asked.
  template <class GiveBack>
  bool begin(task& next, GiveBack give_back) {
    if (next_ == limit_) return false;
    const std::uint32_t at = next_;
    // release: as in fill(), for the tasks that are left.
    reserved_.store(pack(at + 1, limit_), order::release);
    M::light_fence();  // pairs with the heavy fence in ask()
    next_ = at + 1;
    if (state_of(request_.load(order::relaxed)) != idle) [[unlikely]] {
      if (!answer(give_back)) return false;
    }
    next = slots_[at].read();
    return true;
  }

  /// Takes the tasks that are not begun out of the hold: calls give_back(task) for each. The owner leaves.
  template <class GiveBack>
  void empty(GiveBack give_back) {
    task next;
    while (begin(next, give_back)) give_back(next);
  }

  // For other threads:

  enum class reply {
    nothing,  ///< it is empty, or cannot be taken by force
    again,    ///< look again: the owner has given tasks back, or has filled the hold anew
    got,      ///< tasks were taken
  };

  /// Asks for what is not begun. Calls keep(i, task) for tasks that it takes by force, and sets `taken` to their number
  /// and `source` to where they are from.
  template <class Keep>
  reply ask(std::uint64_t& taken, std::uint64_t& source, Keep keep) {
    if (is_empty(reserved_.load(order::relaxed))) return reply::nothing;
    std::uint64_t request = request_.load(order::relaxed);
    if (state_of(request) == idle) {
      const std::uint64_t asked = in_state(request, polite);
      if (!request_.compare_exchange(request, asked, order::relaxed)) return reply::again;
      request = asked;
    }
    const auto unchanged = [request](std::uint64_t word) { return word == request; };
    if (!unchanged(M::wait_while(request_, unchanged, machine::patience::brief))) return reply::again;
    if (!M::has_heavy_fence() || state_of(request) != polite) return reply::nothing;
    const std::uint64_t force = in_state(request, forcing);
    if (!request_.compare_exchange(request, force, order::relaxed)) return reply::again;
    M::heavy_fence();
    // acquire: pairs with the release in fill() and begin().
    const std::uint64_t reserved = reserved_.load(order::acquire);
    const bool some = !is_empty(reserved);
    source = source_.load(order::relaxed);
    taken = 0;
    for (std::uint32_t at = first(reserved); at < last(reserved); ++at) keep(taken++, slots_[at].read());
    const std::uint64_t outcome = some ? in_state(force, cut_off, first(reserved)) : next_version(force);
    request = force;
    while (!request_.compare_exchange(request, outcome, order::relaxed)) {
      if (request != force) return reply::again;  // the owner has called it off
    }
    return some ? reply::got : reply::nothing;
  }

  /// True if it has tasks that are not begun: a hint.
  bool has_tasks() const noexcept { return !is_empty(reserved_.load(order::relaxed)); }

 private:
  /// A task that several threads may look at. Relaxed throughout: a thief that copies it wins or loses it by a change
  /// of `request`, and drops the copy if it loses.
  class shared_task {
   public:
    void write(const task& of) noexcept {
      words_[0].store(of.head, order::relaxed);
      for (unsigned w = 0; w < of.words(); ++w) words_[1 + w].store(of.record[w], order::relaxed);
    }
    task read() const noexcept {
      task copy;
      copy.head = words_[0].load(order::relaxed);
      for (unsigned w = 0; w < copy.words(); ++w) copy.record[w] = words_[1 + w].load(order::relaxed);
      return copy;
    }

   private:
    std::array<machine::atomic_of<M, std::uint64_t>, 1 + task::most_record_words> words_{};
  };

  static constexpr std::uint64_t pack(std::uint32_t first, std::uint32_t last) noexcept {
    return std::uint64_t{last} << 32 | first;
  }
  static constexpr std::uint32_t first(std::uint64_t pair) noexcept { return static_cast<std::uint32_t>(pair); }
  static constexpr std::uint32_t last(std::uint64_t pair) noexcept { return static_cast<std::uint32_t>(pair >> 32); }
  static constexpr bool is_empty(std::uint64_t pair) noexcept { return first(pair) >= last(pair); }

  // Words of `request`, from the low end: a state in 2 bits, a version in 30, the cut in 32.
  enum request_state : std::uint64_t { idle, polite, forcing, cut_off };
  static constexpr std::uint64_t state_of(std::uint64_t request) noexcept { return request & 3; }
  static constexpr std::uint64_t in_state(std::uint64_t request, request_state state, std::uint32_t cut = 0) noexcept {
    return std::uint64_t{cut} << 32 | (request & 0xffff'fffc) | state;
  }
  static constexpr std::uint64_t next_version(std::uint64_t request) noexcept {
    return ((request & 0xffff'fffc) + 4) & 0xffff'fffc;
  }

  /// Answers a thief, after `begun` was advanced to next_. True if the task before next_ is the owner's.
  template <class GiveBack>
  [[gnu::cold, gnu::noinline]] bool answer(GiveBack& give_back) {
    std::uint64_t request = request_.load(order::relaxed);
    // Before the thief is called off: from then on another may use force, and must not see what is given back.
    if (next_ != limit_ && state_of(request) != idle) {
      reserved_.store(pack(next_, next_), order::relaxed);  // relaxed: an empty part lets a thief read nothing
      M::light_fence();
    }
    while (state_of(request) == polite || state_of(request) == forcing) {
      if (!request_.compare_exchange(request, next_version(request), order::relaxed)) continue;
      for (std::uint32_t at = next_; at != limit_; ++at) give_back(slots_[at].read());
      limit_ = next_;
      return true;
    }
    if (state_of(request) == idle) return true;
    // The thief took everything from the cut on. It has seen the task that the owner is about to begin, or not.
    const std::uint32_t cut = last(request);
    const bool mine = cut == next_;
    reserved_.store(pack(cut, cut), order::relaxed);  // relaxed: as above
    M::light_fence();                                 // the next thief that uses force must not see what is taken
    request_.store(next_version(request), order::relaxed);
    next_ = limit_ = cut;
    return mine;
  }

  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> reserved_{0};
  machine::atomic_of<M, std::uint64_t> source_{0};
  machine::plain_of<M, std::uint32_t> next_{0};
  machine::plain_of<M, std::uint32_t> limit_{0};
  alignas(M::line_size) machine::atomic_of<M, std::uint64_t> request_{0};
  alignas(M::line_size) std::array<shared_task, capacity> slots_{};
};

}  // namespace callisto::domino
