// A program that runs beside this process, is spoken to line by line, and stands still while it is not needed.
#pragma once

#include <callisto/app/process/spawn.hpp>

#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include <sys/types.h>

namespace callisto::app {

/// Thrown if a child does not answer. Its text is one line: the way the child ended, and the end of what the child
/// wrote to standard error.
struct child_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A program that the constructor starts and the destructor kills. The kernel kills it if the thread that started it
/// ends first. The child has its own process group, so that Ctrl-C reaches this process alone. Not thread-safe; only
/// the thread that constructed the object uses it.
class child_process {
 public:
  /// Starts `program` with `arguments`, and with `environment` on top of this process's environment. Throws
  /// child_failure.
  child_process(const std::string& program, const std::vector<std::string>& arguments,
                const variables& environment = {});
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process();

  /// Sends a line and returns the next line that the child writes. Throws child_failure if the child is gone or does
  /// not answer in time; the child is ended then. Throws graph::cancelled at a stop request.
  std::string ask(const std::string& line, std::chrono::seconds patience, const std::stop_token& stop);

  /// Returns the next line that the child writes. Throws as ask() does.
  std::string read_line(std::chrono::seconds patience, const std::stop_token& stop);

  /// Stops all threads of the child where they are (SIGSTOP), spinning ones included, until proceed(). Does nothing if
  /// the child is gone; the next ask() reports that.
  void halt();

  /// Lets the threads of the child run on after halt() (SIGCONT).
  void proceed();

 private:
  [[noreturn]] void fail(const std::string& what);
  void end() noexcept;

  pid_t pid_ = -1;  ///< -1 once the child has been waited for
  int status_ = 0;
  int to_ = -1;
  int from_ = -1;
  int errors_ = -1;  ///< the child's standard error, a file in memory
  std::string unread_;
};

}  // namespace callisto::app
