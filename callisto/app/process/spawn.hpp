// Starting other programs: their environment, where they may run, and their signals.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace callisto::app {

/// The file that this program was started from.
std::string this_program();

/// Names and values of environment variables.
using variables = std::vector<std::pair<std::string, std::string>>;

/// This process's environment with `changes`, each as NAME=VALUE.
std::vector<std::string> environment_with(const variables& changes);

/// Pointers to texts and a null pointer, as exec wants them. Valid as long as `texts` is unchanged.
std::vector<char*> pointers(std::vector<std::string>& texts);

/// This thread, and what it starts from now on, runs on these contexts only, by the operating system's numbers; not
/// empty. False if the system refuses. Between fork and exec, too.
class affinity {
 public:
  /// Of no contexts: set() changes nothing.
  explicit affinity(const std::vector<unsigned>& contexts);
  bool set() const noexcept;

 private:
  std::vector<unsigned long> mask_;
};

struct spawn_request {
  std::string program;  ///< a file
  std::vector<std::string> arguments;
  variables environment;           ///< changes to this process's
  std::vector<unsigned> contexts;  ///< empty: as this process
  int in = 0;                      ///< descriptors that become its standard input, output and error
  int out = 1;
  int err = 2;
};

/// The program cannot be started.
struct spawn_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Starts a program in a process group of its own, so that Ctrl-C is left to this process, and in this process's
/// session, with no signal blocked or ignored. The kernel kills it should the calling thread end first. If exec fails
/// the process ends with exit code 127 and the reason on its standard error. Throws spawn_failure.
pid_t spawn(const spawn_request& what);

/// A process group that kill_groups() ends, while this lives: some may have left their shell, which the kernel kills.
class group_to_kill {
 public:
  explicit group_to_kill(pid_t leader) noexcept;
  ~group_to_kill();
  group_to_kill(const group_to_kill&) = delete;
  group_to_kill& operator=(const group_to_kill&) = delete;

 private:
  const pid_t leader_;
};

/// Ends all such groups; for code that ends this process without unwinding. Thread-safe.
void kill_groups() noexcept;

}  // namespace callisto::app
