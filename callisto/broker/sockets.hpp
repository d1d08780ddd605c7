// A broker's socket, and the facts that the kernel knows of the process at the other end.
#pragma once

#include <callisto/machine/system/descriptor.hpp>

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

/// Opens the process at the other end of a socket (pidfd). Empty if it has ended.
machine::descriptor process_of(int socket, const ucred& peer);
/// True if that process lives.
bool is_there(const machine::descriptor& process) noexcept;
/// Returns the groups of the process at the other end. Of a process with more than 256 further groups, the first alone.
std::vector<gid_t> groups_of(int socket, const ucred& peer);

/// Sends a packet with copies of descriptors. False if the system refuses.
bool send_with(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors);

}  // namespace callisto::broker
