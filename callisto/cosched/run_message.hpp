// The message by which a new job tells each `callisto run` that started its program.
#pragma once

#include <callisto/export.hpp>

#include <string_view>

#include <sys/socket.h>
#include <sys/un.h>

namespace callisto::cosched {

/// The environment variable with the marks of each `callisto run` that started this program or a parent of it: the
/// innermost first, with commas between them.
inline constexpr const char* run_variable = "CALLISTO_RUN";

/// Address of a datagram socket in the abstract namespace (unix(7)): there is no file, and it ends with its socket.
struct run_address {
  CALLISTO_API explicit run_address(std::string_view mark) noexcept;
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }

  sockaddr_un address{};
  socklen_t length = 0;  ///< 0: the mark is too long
};

/// Sends an empty datagram to each `callisto run` of `marks`, a value of run_variable; never blocks, keeps errno. Each
/// that still waits has it when this returns. Takes some 10 us.
CALLISTO_API void tell_runs(std::string_view marks) noexcept;

/// Tells each `callisto run` that the environment names, if any. Programs in secure mode tell none.
CALLISTO_API void tell_run_of_job() noexcept;

}  // namespace callisto::cosched
