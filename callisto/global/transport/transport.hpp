// The transport: how packets get from rank to rank. A dozen functions, which each machine's network can have.
#pragma once

#include <callisto/global/transport/packet.hpp>
#include <callisto/machine/system/error.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace callisto::global {

class node_memory;

/// Ends the job in process: a rank died, hung, or gave up. what() names rank, host and cause.
class job_failed : public error {
 public:
  using error::error;
};

/// A short message beside the packets, for watching over ranks; delivered although packets are stuck.
struct control_message {
  enum class kinds : std::uint32_t { alive, goodbye, abort };
  kinds kind = kinds::alive;
  std::int32_t source = -1;
  std::uint64_t beat = 0;
  char text[240] = {};  ///< of `abort`: the line to print
};

/// Carries packets between ranks. Packets are never lost or doubled while both ranks live; order is not promised.
///
/// All calls but wait(), wake() and abort() come from one thread at a time (the engine's progress lock).
class transport {
 public:
  virtual ~transport() = default;

  /// Returns a packet with room for `capacity` bytes on their way to `to`; its header is fresh. Any thread. Throws
  /// std::bad_alloc.
  virtual packet_pointer take(int /*to*/, std::size_t capacity) { return pool_.take(capacity); }
  /// Takes back a packet that was sent or received. Any thread.
  virtual void give(packet_pointer p) noexcept { pool_.give(std::move(p)); }

  virtual int rank() const noexcept = 0;
  virtual int ranks() const noexcept = 0;
  /// Returns the number of the node that `rank` runs on, from 0; ranks of one node share memory.
  virtual int node_of(int rank) const noexcept = 0;
  /// Returns the name of the host of `rank`.
  virtual std::string host_of(int rank) const = 0;

  /// Returns how many ranks may run on contexts of this rank, itself included.
  virtual int rivals() const noexcept { return ranks(); }

  /// Returns this rank's number among those, from 0.
  virtual int place_among_rivals() const noexcept { return rank(); }

  /// Takes the packet and sends its header().bytes bytes to `to`, or leaves it to the caller because too many are
  /// under way.
  virtual bool try_send(int to, packet_pointer& p) = 0;
  /// Returns a packet that has been sent and can be used again, or null.
  virtual packet_pointer sent() = 0;
  /// Returns a packet that has arrived, or null.
  virtual packet_pointer receive() = 0;
  /// True if packets given to try_send() have not left yet, so that progress is needed.
  virtual bool sending() const noexcept = 0;

  /// Sends a control message; drops it if there is no room.
  virtual void post_control(int to, const control_message& m) = 0;
  /// True if a control message had arrived, which is in `m`.
  virtual bool take_control(control_message& m) = 0;

  /// Blocks until a packet may have arrived, wake() was called, or the time is over. Any thread.
  virtual void wait(std::chrono::microseconds most) = 0;
  /// Ends one wait() of each thread that waits, or the next one. Any thread.
  virtual void wake() noexcept = 0;
  /// Tells ranks that share memory with this one whether it waits for work. Any thread.
  virtual void say_idle(bool /*is_idle*/) noexcept {}
  /// True if `rank` has said so: a hint that it has use for packets that are not full yet. Any thread.
  virtual bool is_idle(int /*rank*/) const noexcept { return false; }
  /// Ends the job of all ranks for `reason`, one line. In process, later calls throw job_failed; else the process ends
  /// with exit code `status`. Of several ranks of a node that call it, the first one prints.
  virtual void abort(const std::string& reason, int status) = 0;
  void abort(const std::string& reason) { abort(reason, 1); }
  /// Leaves the job. Called once, last, by all ranks, after all packets have been handled.
  virtual void leave() = 0;

  /// Returns "callisto: rank 1 of 4 at host a", with which the lines about a rank begin.
  std::string name_of(int rank) const {
    return "callisto: rank " + std::to_string(rank) + " of " + std::to_string(ranks()) + " at host " + host_of(rank);
  }

  /// True if the rank is the whole process, which ends with it.
  virtual bool owns_process() const noexcept { return false; }
  /// Returns what the ranks of this node share, or null.
  virtual node_memory* memory() noexcept { return nullptr; }
  /// Returns the place of `rank` in the memory of its node.
  virtual int place_on_node(int /*rank*/) const noexcept { return 0; }

 protected:
  packet_pool pool_;
};

}  // namespace callisto::global
