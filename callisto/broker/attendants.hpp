// The threads of a broker that hand contexts over. An attendant serves a group of neighbouring contexts, and runs
// there: a job that rings and then sleeps, the attendant, and the next job take turns on one processor. No processor
// has to be woken by another, which takes several times as long as the hand-over.
#pragma once

#include <callisto/broker/context_groups.hpp>
#include <callisto/broker/event_queue.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace callisto::broker {

/// Has the calling thread, and those that it starts, come before jobs' threads when it wakes. Hand-overs wait for the
/// broker's threads alone, which never compute for long. So each has a high priority, and asks for the shortest time
/// slice (Linux 6.12): the 99th percentile of hand-overs between sessions fell from 150 to 90 us by that. Refused
/// without the right: then it is as any thread.
void come_first() noexcept;

/// All attendants of a broker. One thread starts and ends them, any thread calls the other functions.
class attendants {
 public:
  /// Does what the keys ask for, and what is due. Returns when it is to be called again at the latest.
  using service = std::function<std::uint64_t(unsigned attendant, std::span<const int> keys)>;

  /// Throws callisto::error with one line if the system refuses.
  explicit attendants(unsigned contexts);
  attendants(const attendants&) = delete;
  ~attendants() { end(); }

  /// Starts a thread for each; `serve` outlives them. Throws callisto::error with one line if the system refuses.
  void start(const service& serve);
  void end() noexcept;

  /// Has an attendant call `serve` soon.
  void nudge(unsigned attendant) const noexcept;
  event_queue& queue(unsigned attendant) noexcept { return all_[attendant]->queue; }
  /// Binds them to their contexts, of which some may be back.
  void bind_again() noexcept;

 private:
  struct one {
    event_queue queue;
    machine::descriptor nudged;
    std::jthread thread;
  };
  void bind(unsigned attendant) noexcept;

  const unsigned contexts_;
  std::vector<std::unique_ptr<one>> all_;
};

}  // namespace callisto::broker
