// The message by which a new job tells each `callisto run` that started its program.
#pragma once

#include <callisto/export.hpp>

#include <cstddef>
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

/// Sends a datagram, empty unless there is a text, to each `callisto run` of `marks`, a value of run_variable; never
/// blocks, keeps errno. Each that still waits has it when this returns. Takes some 10 us.
CALLISTO_API void tell_runs(std::string_view marks, std::string_view text = {}) noexcept;

/// Tells each `callisto run` that the environment names, if any, of a new job; or, with a text, that a broker has
/// refused the job, and why. Programs in secure mode tell none.
CALLISTO_API void tell_run_of_job(std::string_view refusal = {}) noexcept;
/// The longest such text of which all arrives.
inline constexpr std::size_t most_of_refusal = 512;

}  // namespace callisto::cosched
