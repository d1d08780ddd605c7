// Listens, and asks the kernel: no fact about a process comes from the process itself.
#include <callisto/broker/sockets.hpp>

#include <callisto/broker/client.hpp>
#include <callisto/machine/system/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

namespace callisto::broker {
namespace {

using machine::descriptor;

/// The most groups of a process that are looked at.
constexpr socklen_t most_groups = 256;

[[noreturn]] void refuse(const std::string& what) { throw error(what + ": " + std::strerror(errno)); }

}  // namespace

descriptor listen_at(const std::string& path, bool for_all_users) {
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  if (path.size() >= sizeof at.sun_path) throw error(path + ": too long for a socket");
  std::memcpy(at.sun_path, path.c_str(), path.size() + 1);
  descriptor listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (listener.get() < 0) refuse("socket");
  const auto* const address = reinterpret_cast<const sockaddr*>(&at);
  if (::bind(listener.get(), address, sizeof at) != 0) {
    if (errno != EADDRINUSE) refuse(path);
    // A socket that a killed broker left answers no more. Anything but a socket stays.
    if (descriptor(connect_to_broker(path)).get() >= 0) throw error(path + ": another broker listens there");
    struct stat is{};
    if (::lstat(path.c_str(), &is) != 0 || !S_ISSOCK(is.st_mode) || is.st_uid != ::geteuid()) {
      throw error(path + ": is in the way");
    }
    ::unlink(path.c_str());
    if (::bind(listener.get(), address, sizeof at) != 0) refuse(path);
  }
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  if (::chmod(path.c_str(), for_all_users ? 0666 : 0600) != 0 || ::listen(listener.get(), 128) != 0) refuse(path);
  return listener;
}

descriptor process_of(int socket, const ucred& peer) {
  int fd = -1;
  socklen_t size = sizeof fd;
  // Before Linux 6.5 the process number alone: the nonce shows that its process is the sender, and still there.
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &size) != 0) {
    fd = static_cast<int>(::syscall(SYS_pidfd_open, peer.pid, 0));
  }
  return descriptor(fd);
}

bool is_there(const descriptor& process) noexcept {
  pollfd p{process.get(), POLLIN, 0};
  return process.get() >= 0 && ::poll(&p, 1, 0) == 0;
}

std::vector<gid_t> groups_of(int socket, const ucred& peer) {
  std::vector<gid_t> all(most_groups);
  socklen_t size = most_groups * sizeof(gid_t);
  // Refused if there are more.
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, all.data(), &size) != 0) size = 0;
  all.resize(std::min<std::size_t>(all.size(), size / sizeof(gid_t)));
  all.push_back(peer.gid);
  return all;
}

bool send_with(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors) {
  iovec all{const_cast<std::byte*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(4 * sizeof(int))> control{};
  msghdr m{};
  m.msg_iov = &all;
  m.msg_iovlen = 1;
  m.msg_control = control.data();
  m.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* const head = CMSG_FIRSTHDR(&m);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
  return ::sendmsg(socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

}  // namespace callisto::broker
