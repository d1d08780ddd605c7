// One run of a program that is measured: its process group, its end and its output.
#pragma once

#include <callisto/app/base/stopwatch.hpp>
#include <callisto/app/process/spawn.hpp>
#include <callisto/machine/system/descriptor.hpp>
#include <lab/names.hpp>

#include <optional>
#include <string>

#include <sys/types.h>

namespace callisto::lab {

/// One run of a command, with all processes that it starts and that stay in its group. The destructor kills them. Its
/// standard input is /dev/null.
class one_run {
 public:
  /// Starts it. `name` is for messages. `output` gets what it writes to standard output, if it is empty; else it is
  /// what the run must write. Null: the output is thrown away. Throws error.
  one_run(const std::string& name, spawn_request what, std::string* output);
  one_run(const one_run&) = delete;
  ~one_run();

  /// Returns a descriptor that becomes readable when the run ends.
  int end() const noexcept { return end_.get(); }
  /// Returns the time since the start.
  double seconds() const { return time_.seconds(); }
  /// True if the run has ended. Throws error, with what it wrote to standard error, if it failed or wrote the wrong
  /// output.
  bool ended();

 private:
  [[noreturn]] void fail(std::string message) const;

  const std::string name_;
  std::string* const output_;
  machine::descriptor out_;
  machine::descriptor err_;
  stopwatch time_;
  pid_t pid_ = -1;
  std::optional<group_to_kill> group_;
  machine::descriptor end_;
  int status_ = 0;
  bool over_ = false;
};

}  // namespace callisto::lab
