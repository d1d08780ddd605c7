// A broker's socket, and the facts that the kernel knows of the process at the other end.
#pragma once

#include <callisto/broker/messages.hpp>
#include <callisto/export.hpp>
#include <callisto/machine/system/descriptor.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <sys/types.h>

namespace callisto::broker {

/// Makes the socket on which a broker listens. Removes one that a killed broker has left. Throws callisto::error with
/// one line: another broker listens there, something else is in the way, or the system refuses.
machine::descriptor listen_at(const std::string& path, bool for_all_users);

/// Returns the path at which a socket listens that a service manager has made, and has each message come with its
/// sender's process. Throws callisto::error with one line if it is no listening SOCK_SEQPACKET socket with a path.
CALLISTO_API std::string take_listener(int socket);

/// Opens the process at the other end of a socket (pidfd). Empty if it has ended.
machine::descriptor process_of(int socket, const ucred& peer);
/// True if that process lives.
bool is_there(const machine::descriptor& process) noexcept;
/// Returns the groups of the process at the other end. Of a process with more than 256 further groups, the first alone.
std::vector<gid_t> groups_of(int socket, const ucred& peer);

/// A packet, and the process that has sent it, as the kernel says.
struct packet {
  bool is_none = false;   ///< there is none for now
  bool is_fault = false;  ///< the other end is closed, or the packet can be no message
  pid_t sender = 0;
  std::size_t size = 0;
  std::array<std::byte, most_bytes + 1> room{};
  std::span<const std::byte> bytes() const noexcept { return std::span(room).first(size); }
};
/// Receives a packet without waiting.
packet receive_packet(int socket) noexcept;

/// Makes the broker's ends of bells for a job, one an attendant, and returns the job's. None if the system refuses.
std::vector<machine::descriptor> make_bells(std::vector<machine::descriptor>& ours, unsigned attendants);

/// Sends a packet with copies of descriptors. False if the system refuses.
bool send_with(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors);

}  // namespace callisto::broker
