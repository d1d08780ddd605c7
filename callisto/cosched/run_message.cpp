// Sends the message of a new job.
#include <callisto/cosched/run_message.hpp>

#include <callisto/machine/system/descriptor.hpp>
#include <callisto/machine/system/secure_environment.hpp>

#include <algorithm>
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

void tell_runs(std::string_view marks, std::string_view text) noexcept {
  if (marks.empty()) return;
  const int saved = errno;
  const machine::descriptor from(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  while (from.get() >= 0 && !marks.empty()) {
    const std::size_t comma = std::min(marks.find(','), marks.size());
    const run_address to(marks.substr(0, comma));
    if (to.length != 0)
      ::sendto(from.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL, to.get(), to.length);
    marks.remove_prefix(std::min(comma + 1, marks.size()));
  }
  errno = saved;
}

void tell_run_of_job(std::string_view refusal) noexcept {
  tell_runs(machine::file_variable(run_variable), refusal.substr(0, most_of_refusal));
}

}  // namespace callisto::cosched
