// A program that runs beside this one, is spoken to line by line, and stands still while it is not needed.
#pragma once

#include <callisto/app/process/spawn.hpp>

#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include <sys/types.h>

namespace callisto::app {

/// What became of a child that does not answer: one line, with how it ended and the end of what it wrote to standard
/// error.
struct child_failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Started by the constructor, killed by the destructor, and by the kernel should this process end first. Not in this
/// process's group, so that Ctrl-C is left to this process. Not thread-safe; belongs to the thread that made it, with
/// which the child would end.
class child_process {
 public:
  /// `program` with `arguments`, and `environment` on top of this process's. Throws child_failure.
  child_process(const std::string& program, const std::vector<std::string>& arguments,
                const variables& environment = {});
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process();

  /// Sends a line and returns the next line that the child writes. Throws child_failure if the child is gone or does
  /// not answer in time, after which it is gone, too; graph::cancelled at a stop request.
  std::string ask(const std::string& line, std::chrono::seconds patience, const std::stop_token& stop);

  /// The next line that the child writes; throws as ask().
  std::string read_line(std::chrono::seconds patience, const std::stop_token& stop);

  /// All threads of the child stop where they are (SIGSTOP), spinning ones included, until proceed(). Nothing happens
  /// if the child is gone: ask() will say so.
  void halt();
  void proceed();

 private:
  [[noreturn]] void fail(const std::string& what);
  void end() noexcept;

  pid_t pid_ = -1;  ///< -1 when it has been waited for
  int status_ = 0;
  int to_ = -1;
  int from_ = -1;
  int errors_ = -1;  ///< its standard error, a file in memory
  std::string unread_;
};

}  // namespace callisto::app
