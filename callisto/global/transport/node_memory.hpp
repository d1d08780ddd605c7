// Memory that the ranks of one node share: packets that the receiver handles in place, a doorbell for each rank, and
// whether each lives.
#pragma once

#include <callisto/global/transport/doorbell.hpp>
#include <callisto/global/transport/packet.hpp>
#include <callisto/global/transport/shared_stack.hpp>
#include <callisto/machine/native.hpp>
#include <callisto/machine/shared_memory.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <sys/types.h>

namespace callisto::global {

/// Memory that the ranks of a node map. Any thread may call every member unless it says otherwise.
class node_memory {
 public:
  /// Returns a new path for the memory of a node's ranks, from the leader's process and clock.
  static std::string new_path();

  /// Maps the file at `path` for `places` ranks as the one at `place`; the leader makes it. Throws callisto::error.
  node_memory(const std::string& path, int places, int place, bool is_leader);
  /// Takes the path away; the memory stays while a rank maps it. Called by the leader when all have mapped it.
  void hide() const noexcept;

  /// Returns the number that changes when the rank at this place is rung.
  std::uint32_t rings() const noexcept;
  /// Sleeps until rings() is no longer `seen`, or the time is over. May return early.
  void sleep(std::uint32_t seen, std::chrono::microseconds most) noexcept;
  /// Ends the sleep of the rank at `place`, or its next one.
  void ring(int place) noexcept;

  /// Tells whether this rank waits for work.
  void say_idle(bool is_idle) noexcept;
  /// True if the rank at this place has said so. A hint.
  bool is_idle(int place) const noexcept;

  /// Returns a packet of this rank with most_packet bytes, or null if all are in use.
  packet_pointer take() noexcept;
  /// Gives a packet back to the rank that it belongs to.
  void give(packet_pointer p) noexcept;
  /// Hands a packet to the rank at `place`, and rings.
  void post(int place, packet_pointer p) noexcept;
  /// Returns the packet that was posted to this rank first, or null. One thread at a time.
  packet_pointer receive() noexcept;

  /// True if the process of the rank at `place` lives, or has said goodbye.
  bool lives(int place) const noexcept;
  /// Returns the number of the process of the rank at `place`; 0 if it has not mapped the memory yet, or is in another
  /// namespace of processes.
  pid_t process(int place) const noexcept;
  /// Tells that this rank ends as it should, or has told itself why not. Safe in a signal handler.
  void say_goodbye() noexcept;
  bool has_said_goodbye(int place) const noexcept;
  /// True for the first rank of the node that calls it: its line is the one that the job prints. Safe in a signal
  /// handler.
  bool take_last_word() noexcept;

 private:
  struct bell;

  bell& at(int place) const noexcept;

  shared_stack<machine::native>::link* links() const noexcept;
  packet* packet_at(std::uint32_t number) const noexcept;

  machine::shared_file file_;
  int places_;
  int place_;
  std::uint32_t packets_each_;
  std::mutex own_lock_;
  std::vector<std::uint32_t> own_;      ///< packets of this rank that are not in use; under own_lock_
  std::vector<std::uint32_t> arrived_;  ///< taken from the inbox, the first to be handled last
};

}  // namespace callisto::global
