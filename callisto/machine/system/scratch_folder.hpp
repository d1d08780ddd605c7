// A folder of its own for files that are needed for a while.
#pragma once

#include <callisto/export.hpp>

#include <string>

namespace callisto::machine {

/// Made by the constructor, removed by the destructor with all that is in it. A process that was forked removes it too,
/// unless it ends by _exit or a signal.
class CALLISTO_API scratch_folder {
 public:
  /// In `parent`, or in $TMPDIR or /tmp if that is empty. Throws output_error.
  explicit scratch_folder(const std::string& parent = {});
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder();

  const std::string& path() const noexcept { return path_; }
  /// The path of `name` in it; the file need not exist.
  std::string file(const std::string& name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};

/// Removes all scratch folders that there are, for who ends the process without unwinding: who makes or removes one
/// from now on waits for the end. Once, from any thread, but in no handler of signals.
CALLISTO_API void remove_scratch_folders() noexcept;

}  // namespace callisto::machine
