// Starts other programs: with an environment, on chosen contexts, and with clean signals.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace callisto::app {

/// Returns the file that this program was started from.
std::string this_program();

/// Names and values of environment variables.
using variables = std::vector<std::pair<std::string, std::string>>;

/// Returns this process's environment with `changes`, each variable as NAME=VALUE.
std::vector<std::string> environment_with(const variables& changes);

/// Returns pointers to `texts`, and a null pointer behind them, as exec needs them. They are valid as long as `texts`
/// is unchanged.
std::vector<char*> pointers(std::vector<std::string>& texts);

/// Restricts the calling thread, and all that it starts afterwards, to given contexts.
class affinity {
 public:
  /// Prepares the restriction to `contexts`, given by the operating system's numbers. If there are none, set() changes
  /// nothing.
  explicit affinity(const std::vector<unsigned>& contexts);
  /// Restricts the calling thread. False if the system refuses. Callable between fork and exec.
  bool set() const noexcept;

 private:
  std::vector<unsigned long> mask_;
};

/// A program to start, and what it inherits.
struct spawn_request {
  std::string program;  ///< the program's file
  std::vector<std::string> arguments;
  variables environment;           ///< changes to this process's environment
  std::vector<unsigned> contexts;  ///< where the program may run; empty: where this process may
  int in = 0;                      ///< the descriptors that become standard input, output and error
  int out = 1;
  int err = 2;
};

/// Thrown if a program cannot be started.
struct spawn_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Starts a program and returns its process number. The program gets its own process group, so that Ctrl-C reaches this
/// process alone, and stays in this process's session. No signal is blocked or ignored in it. The kernel kills it if
/// the calling thread ends first. If exec fails, the process ends with exit code 127 and the reason on its standard
/// error. Throws spawn_failure.
pid_t spawn(const spawn_request& what);

/// Registers a process group with kill_groups() as long as this object lives. A program of the group may have left its
/// shell, and the kernel kills the shell alone.
class group_to_kill {
 public:
  explicit group_to_kill(pid_t leader) noexcept;
  ~group_to_kill();
  group_to_kill(const group_to_kill&) = delete;
  group_to_kill& operator=(const group_to_kill&) = delete;

 private:
  const pid_t leader_;
};

/// Kills all registered process groups; for code that ends this process without unwinding. Thread-safe.
void kill_groups() noexcept;

}  // namespace callisto::app
