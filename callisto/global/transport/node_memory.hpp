// What the ranks of one node share: a doorbell for each, and whether each lives.
#pragma once

#include <callisto/machine/native.hpp>
#include <callisto/machine/shared_memory.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace callisto::global {

/// A page in memory that the ranks of a node map. Any thread may call every member.
class node_memory {
 public:
  /// Returns a new path for the memory of a node's ranks, from the leader's process and clock.
  static std::string new_path();

  /// Maps the file at `path` for `places` ranks as the one at `place`; the leader makes it. Throws callisto::error.
  node_memory(const std::string& path, int places, int place, bool is_leader);
  /// Takes the path away; the memory stays while a rank maps it. Called by the leader when all have mapped it.
  void hide() const noexcept;

  /// Returns the number that changes when the rank at this place is rung.
  std::uint32_t rings() const noexcept { return rings_at(place_); }
  /// Sleeps until rings() is no longer `seen`, or the time is over. May return early.
  void sleep(std::uint32_t seen, std::chrono::microseconds most) noexcept;
  /// Ends the sleep of the rank at `place`, or its next one.
  void ring(int place) noexcept;

  /// True if the process of the rank at `place` lives, or has said goodbye.
  bool lives(int place) const noexcept;
  /// Tells that this rank ends as it should, or has told itself why not. Safe in a signal handler.
  void say_goodbye() noexcept;
  bool has_said_goodbye(int place) const noexcept;

 private:
  struct bell;

  std::uint32_t rings_at(int place) const noexcept;
  bell& at(int place) const noexcept;

  machine::shared_file file_;
  int place_;
};

}  // namespace callisto::global
