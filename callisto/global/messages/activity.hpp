// Counts of what began and what ended, from which another thread can tell that nothing is left.
#pragma once

#include <callisto/machine/policy.hpp>

#include <cstdint>
#include <optional>

namespace callisto::global {

/// A count of what ended, which only grows. One thread writes; any thread reads.
template <machine::policy M>
class ended_count {
  using order = machine::order;

 public:
  // release: what was begun before is visible to a thread that sees these ends (get()).
  void add(std::uint64_t count) noexcept { count_.store(count_.load(order::relaxed) + count, order::release); }
  std::uint64_t get() const noexcept { return count_.load(order::acquire); }  // acquire: pairs with add()

 private:
  machine::atomic_of<M, std::uint64_t> count_{0};
};

/// Counts of tasks and messages that one thread began (tasks created, messages sent) and ended (tasks finished,
/// messages handled). Both only grow. A thread may end a task or message that another thread began. One thread writes;
/// any thread reads.
template <machine::policy M>
class activity {
  using order = machine::order;

 public:
  // relaxed: a task is created before it is published, and what publishes it orders this.
  void begin() noexcept { begun_.store(begun_.load(order::relaxed) + 1, order::relaxed); }
  void end() noexcept { ended_.add(1); }

  std::uint64_t begun() const noexcept { return begun_.load(order::relaxed); }  // relaxed: ended() comes first
  std::uint64_t ended() const noexcept { return ended_.get(); }

 private:
  machine::atomic_of<M, std::uint64_t> begun_{0};
  ended_count<M> ended_;
};

/// Sums of what began and what ended, over threads or ranks.
struct activity_sums {
  std::uint64_t begun = 0;
  std::uint64_t ended = 0;

  activity_sums& operator+=(const activity_sums& more) noexcept {
    begun += more.begun;
    ended += more.ended;
    return *this;
  }
  bool operator==(const activity_sums&) const = default;
};

/// Returns what a rank has begun and ended, tasks and messages, if as many tasks have ended as have begun. `cores` is a
/// range of pointers to what has begun() and ended(), of tasks; `counts()` returns what the rank has `sent` and
/// `handled`.
///
/// 1. *Ends of tasks* are read first: a task that begins another one in between has not ended here.
/// 2. *Messages* are read then: what an ended task has sent is among them, since its end publishes it.
/// 3. *Beginnings of tasks* are read last: a message that is counted as handled has begun its tasks before.
template <class Cores, class Counts>
std::optional<activity_sums> quiet_sums(const Cores& cores, const Counts& counts) {
  activity_sums sums;
  for (const auto* c : cores) sums.ended += c->ended();
  const auto messages = counts();
  for (const auto* c : cores) sums.begun += c->begun();
  if (sums.begun != sums.ended) return std::nullopt;
  sums.begun += messages.sent;
  sums.ended += messages.handled;
  return sums;
}

}  // namespace callisto::global
