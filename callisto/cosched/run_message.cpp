// Sends the message of a new job.
#include <callisto/cosched/run_message.hpp>

#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/secure_environment.hpp>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace callisto::cosched {

run_address::run_address(std::string_view mark) noexcept {
  constexpr std::string_view name = "callisto-run-";
  address.sun_family = AF_UNIX;
  if (mark.size() + name.size() + 1 > sizeof address.sun_path) return;
  // The first byte stays 0: an abstract name.
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  std::memcpy(address.sun_path + 1 + name.size(), mark.data(), mark.size());
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size() + mark.size());
}

void tell_run_of_job() noexcept {
  const std::string_view mark = machine::file_variable(run_variable);
  if (mark.empty()) return;
  const int saved = errno;
  const run_address to(mark);
  const machine::descriptor from(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (from.get() >= 0 && to.length != 0) {
    ::sendto(from.get(), "", 0, MSG_DONTWAIT | MSG_NOSIGNAL, to.get(), to.length);
  }
  errno = saved;
}

}  // namespace callisto::cosched
