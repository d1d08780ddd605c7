// The message by which a new job tells the `callisto run` that started its program.
#pragma once

#include <callisto/export.hpp>

#include <string_view>

#include <sys/socket.h>
#include <sys/un.h>

namespace callisto::cosched {

/// The environment variable with the mark of the `callisto run` that started this program or a parent of it.
inline constexpr const char* run_variable = "CALLISTO_RUN";

/// Address of a datagram socket in the abstract namespace (unix(7)): there is no file, and it ends with its socket.
struct run_address {
  CALLISTO_API explicit run_address(std::string_view mark) noexcept;
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }

  sockaddr_un address{};
  socklen_t length = 0;  ///< 0: the mark is too long
};

/// Sends an empty datagram to the `callisto run` that the environment names, if any; never blocks, keeps errno.
/// Programs in secure mode send none. Takes some 10 us.
CALLISTO_API void tell_run_of_job() noexcept;

}  // namespace callisto::cosched
