// One datagram for each word.
#include <callisto/app/jobs/service_manager.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace callisto::app {
namespace {

std::optional<std::uint64_t> number_in(const char* text) noexcept {
  if (text == nullptr) return std::nullopt;
  std::uint64_t n = 0;
  const char* const end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, n);
  return error == std::errc() && at == end ? std::optional(n) : std::nullopt;
}

}  // namespace

service_manager::service_manager() {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  // A path, or a name of the abstract kind, which begins with @.
  if (path == nullptr || (path[0] != '/' && path[0] != '@') || std::strlen(path) >= sizeof(sockaddr_un::sun_path))
    return;
  address_ = path;
  socket_ = machine::descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const char* const of = std::getenv("WATCHDOG_PID");
  const std::optional<std::uint64_t> patience = number_in(std::getenv("WATCHDOG_USEC"));
  if (patience && (of == nullptr || number_in(of) == static_cast<std::uint64_t>(::getpid()))) {
    patience_ = std::chrono::microseconds(*patience);
  }
}

void service_manager::tell(std::string_view lines) const noexcept {
  if (socket_.get() < 0) return;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, address_.data(), address_.size());
  if (to.sun_path[0] == '@') to.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  ::sendto(socket_.get(), lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&to),
           size);
}

void service_manager::still_works(clock::time_point now) noexcept {
  if (patience_.count() == 0 || now - told_at_ < patience_ / 3) return;
  told_at_ = now;
  tell("WATCHDOG=1");
}

}  // namespace callisto::app
