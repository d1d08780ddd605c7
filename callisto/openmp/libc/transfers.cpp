// Writing, sending and receiving: the C library's functions, for programs that do not know of timer ticks. In blocking
// mode they continue until all bytes are done, but a signal ends them once a part is done. Functions without a form
// here never wait for more: read(), and recv() without MSG_WAITALL; nor does any function wait so at files on disks.
#include <callisto/openmp/abi/abi.hpp>
#include <callisto/openmp/libc/restarted_calls.hpp>

#include <climits>
#include <cstddef>

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace callisto::openmp {
namespace {

/// Transfers one buffer: call(at, bytes).
template <class Call>
ssize_t transfer(const void* buffer, std::size_t bytes, Call call) {
  return restarted_transfer(bytes, [&](std::size_t done) -> partly {
    return {call(static_cast<const char*>(buffer) + done, bytes - done), bytes - done};
  });
}

/// Transfers several buffers: call(buffers, count). If a part is done, continues with the remaining buffers one by one.
template <class Call>
ssize_t transfer_all(const iovec* buffers, std::size_t count, Call call) {
  std::size_t bytes = 0;
  for (std::size_t n = 0; n < count; ++n) bytes += buffers[n].iov_len;
  return restarted_transfer(bytes, [&](std::size_t done) -> partly {
    if (done == 0) return {call(buffers, count), bytes};
    const iovec* of = buffers;
    for (; done >= of->iov_len; ++of) done -= of->iov_len;
    const iovec rest{static_cast<char*>(of->iov_base) + done, of->iov_len - done};
    return {call(&rest, std::size_t{1}), rest.iov_len};
  });
}

}  // namespace

CALLISTO_OPENMP_ABI ssize_t write(int file, const void* buffer, std::size_t bytes) {
  return transfer(buffer, bytes, [&](const void* at, std::size_t rest) { return syscall(SYS_write, file, at, rest); });
}

CALLISTO_OPENMP_ABI ssize_t writev(int file, const iovec* buffers, int count) {
  if (count < 0 || count > IOV_MAX) return syscall(SYS_writev, file, buffers, count);
  return transfer_all(buffers, static_cast<std::size_t>(count),
                      [&](const iovec* at, std::size_t rest) { return syscall(SYS_writev, file, at, rest); });
}

CALLISTO_OPENMP_ABI ssize_t sendto(int file, const void* buffer, std::size_t bytes, int flags, const sockaddr* to,
                                   socklen_t to_bytes) {
  return transfer(buffer, bytes, [&](const void* at, std::size_t rest) {
    return syscall(SYS_sendto, file, at, rest, flags, to, to_bytes);
  });
}

CALLISTO_OPENMP_ABI ssize_t send(int file, const void* buffer, std::size_t bytes, int flags) {
  return sendto(file, buffer, bytes, flags, nullptr, 0);
}

CALLISTO_OPENMP_ABI ssize_t sendmsg(int file, const msghdr* message, int flags) {
  msghdr part = *message;
  return transfer_all(message->msg_iov, message->msg_iovlen, [&](const iovec* at, std::size_t rest) {
    part.msg_iov = const_cast<iovec*>(at);
    part.msg_iovlen = rest;
    const long done = syscall(SYS_sendmsg, file, &part, flags);
    // Control data are sent once.
    if (done > 0) part.msg_controllen = 0;
    return done;
  });
}

CALLISTO_OPENMP_ABI ssize_t recvfrom(int file, void* buffer, std::size_t bytes, int flags, sockaddr* from,
                                     socklen_t* from_bytes) {
  const auto receive = [&](const void* at, std::size_t rest) {
    return syscall(SYS_recvfrom, file, at, rest, flags, from, from_bytes);
  };
  if ((flags & MSG_WAITALL) == 0 || (flags & MSG_PEEK) != 0) return cancellable([&] { return receive(buffer, bytes); });
  return transfer(buffer, bytes, receive);
}

CALLISTO_OPENMP_ABI ssize_t recv(int file, void* buffer, std::size_t bytes, int flags) {
  return recvfrom(file, buffer, bytes, flags, nullptr, nullptr);
}

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): their names
CALLISTO_OPENMP_ABI ssize_t __recvfrom_chk(int file, void* buffer, std::size_t bytes, std::size_t room, int flags,
                                           sockaddr* from, socklen_t* from_bytes) {
  if (bytes > room) __chk_fail();
  return recvfrom(file, buffer, bytes, flags, from, from_bytes);
}

CALLISTO_OPENMP_ABI ssize_t __recv_chk(int file, void* buffer, std::size_t bytes, std::size_t room, int flags) {
  return __recvfrom_chk(file, buffer, bytes, room, flags, nullptr, nullptr);
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

CALLISTO_OPENMP_ABI ssize_t getrandom(void* buffer, std::size_t bytes, unsigned flags) {
  return transfer(buffer, bytes,
                  [&](const void* at, std::size_t rest) { return syscall(SYS_getrandom, at, rest, flags); });
}

}  // namespace callisto::openmp
